"""The papers' experiments at small sizes."""

from __future__ import annotations

import csv
import os

import pytest

import accord
from accord.experiments import __main__ as experiments
from accord.experiments import measure, operations, output

np = pytest.importorskip("numpy")
FOLDER = os.environ.get("FPREV_DIR")


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.delenv("FPREV_DIR", raising=False)


def rows(path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_rq2_writes_times_of_every_method_that_agree_on_the_trees(tmp_path, capsys):
    assert experiments.main(["rq2", "--runs", "1", "--most", "8", "--output", str(tmp_path)]) == 0
    found = rows(tmp_path / "rq2.csv")
    assert {row["operation"] for row in found} == {"NumPy Dot", "NumPy GEMV", "NumPy GEMM"}
    for name in ("basic", "fprev", "accord", "accord, proven"):
        own = [row for row in found if row["algorithm"] == name]
        assert {row["n"] for row in own} == {"4", "8"}
        assert all(float(row["mean"]) > 0 for row in own)
    said = capsys.readouterr().out
    assert "All methods found the same trees." in said and "| n | basic | fprev |" in said


def test_orders_are_those_that_reveal_gives(tmp_path):
    asked = operations.operations("NumPy", ("Sum",))
    experiments.orders("some", asked, (4, 24), type("Args", (), {"output": str(tmp_path)}),
                       lambda n: n == 24)
    found = rows(tmp_path / "some.csv")
    assert [row["n"] for row in found] == ["4", "24"]
    assert found[1]["fingerprint"] == accord.reveal(np.sum, 24).fingerprint[:12]
    assert (tmp_path / "some-NumPy-Sum-24.svg").read_text().count("<svg") == 1


def test_a_gemv_asks_for_the_element_that_the_paper_asks_for():
    (gemv,) = operations.operations("NumPy", ("GEMV",))
    order = gemv.reveal(8)
    x, a = np.random.default_rng(2).standard_normal((2, 8, 8)).astype(np.float32)
    assert order.replay(x[0], a[:, 0]) == (x[0] @ a)[0]


def test_series_end_after_the_first_that_takes_a_second(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(clock) * 0.6)
    method = measure.Method("steady", lambda operation, n: lambda: n, lambda found, n: str(found))
    (operation,) = operations.operations("NumPy", ("Sum",))
    assert [t.n for t in measure.series(operation, method, 2, 16)] == [4, 8, 16]
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(clock) * 1.5)
    assert [t.n for t in measure.series(operation, method, 2, 16)] == [4]


def test_trees_that_differ_are_named():
    times = [measure.Time("sum", name, 4, 1, 1.0, 1.0, tree)
             for name, tree in (("a", "x"), ("b", "y"), ("c", "x"))]
    assert measure.disagreements(times) == ["sum, n = 4: x by a, c; y by b"]
    assert measure.disagreements(times[::2]) == []


def test_the_table_leaves_out_what_was_not_measured():
    times = [measure.Time("sum", "a", 4, 1, 0.5, 0.5, ""), measure.Time("sum", "b", 8, 1, 2, 2, "")]
    assert "| 4 | 0.5 |  |\n| 8 |  | 2 |" in output.table(times)


def test_a_drawn_tree_is_read_back():
    class Drawn:
        source = "digraph {\n\t0 -> 4\n\t1 -> 4\n\t4 -> 9\n\t2 -> 9\n\t9 -> 6\n\t3 -> 6\n}"

    assert operations.Original.order(None, Drawn, 4).text == "(((0+1)+2)+3)"


@pytest.mark.skipif(not FOLDER, reason="FPREV_DIR names no copy of the original")
def test_the_original_finds_the_same_tree():
    peer = operations.Original(FOLDER)
    (operation,) = operations.operations("NumPy", ("Sum",))
    drawn = peer.algorithms["fprev"](peer.operation(operation, 24))
    assert peer.order(drawn, 24).fingerprint == operation.reveal(24).fingerprint


def test_a_missing_gpu_is_named(tmp_path, capsys):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    assert experiments.main(["rq5", "--most", "16", "--output", str(tmp_path)]) == 0
    assert "no GPU" in capsys.readouterr().err
    assert {row["library"] for row in rows(tmp_path / "rq5.csv")} == {"model"}
