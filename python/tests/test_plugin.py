"""The plugin for pytest, run by pytest on tests of its own, and the assertions of accord.testing."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest

import accord
import accord.testing as testing
from accord import _records

np = pytest.importorskip("numpy")
pytest_plugins = ["pytester"]

PASSES = """
    import numpy as np

    def test_order(accord_snapshot):
        accord_snapshot(np.sum, n=[8, 100])
"""
# Adds in another order where the variable ORDER says so.
CHANGES = """
    import math
    import os
    import numpy as np

    def total(x):
        if os.environ.get("ORDER") == "none":
            return math.fsum(x)
        if os.environ.get("ORDER") == "back":
            x = x[::-1]
        s = x[0] * 0
        for value in x:
            s = s + value
        return s

    def test_total(accord_snapshot):
        accord_snapshot(total, n=8)
"""


@pytest.fixture(autouse=True)
def outside_ci(monkeypatch):
    monkeypatch.delenv("CI", raising=False)


def files(pytester):
    return sorted((pytester.path / "__accord__").glob("*/*"))


def test_writes_outside_ci_and_says_so(pytester):
    pytester.makepyfile(test_it=PASSES)
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    (path,) = files(pytester)
    assert path.parent.name == "test_it.test_order"
    result.stdout.fnmatch_lines(["*recorded orders*", f"*__accord__/{path.parent.name}/{path.name}"])
    records = json.loads(path.read_text())
    assert [record["question"]["n"] for record in records] == [8, 100]
    question = records[0]["question"]
    told = question["cpu_features"] + "\n" + question["library_version"]
    assert path.stem == hashlib.sha256(told.encode()).hexdigest()[:12]
    before = path.stat()
    result = pytester.runpytest("--accord-update")  # writes nothing where all holds
    result.assert_outcomes(passed=1)
    assert path.stat().st_mtime_ns == before.st_mtime_ns and path.stat().st_ino == before.st_ino
    result.stdout.no_fnmatch_line("*recorded orders*")


@pytest.mark.parametrize("how", ["CI", "option"])
def test_missing_fails_in_ci(pytester, monkeypatch, how):
    pytester.makepyfile(test_it=PASSES)
    if how == "CI":
        monkeypatch.setenv("CI", "true")
    strict = ["--accord-strict"] if how == "option" else []
    result = pytester.runpytest(*strict)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*numpy.sum, 8 terms: not recorded for this machine*",
                                 "*numpy.sum, 100 terms: not recorded*", "*--accord-update*"])
    assert files(pytester) == []
    pytester.runpytest("--accord-update", *strict).assert_outcomes(passed=1)
    pytester.runpytest(*strict).assert_outcomes(passed=1)


def test_ci_that_is_none(pytester, monkeypatch):
    pytester.makepyfile(test_it=PASSES)
    monkeypatch.setenv("CI", "false")
    pytester.runpytest().assert_outcomes(passed=1)


def test_a_change_shows_orders_node_and_witness(pytester, monkeypatch):
    pytester.makepyfile(test_it=CHANGES)
    pytester.runpytest().assert_outcomes(passed=1)
    monkeypatch.setenv("ORDER", "back")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*total, 8 terms: the order is not as recorded*", "*recorded: sequential; f32*",
        "*now: *sequential from the last term; f32*", "*The first difference: A computes the sum of the 2 terms*",
        "*An input*", "*A gives*", "*B gives*a run just now gave the same result*"])
    pytester.runpytest("--accord-update").assert_outcomes(passed=1)
    pytester.runpytest("--accord-strict").assert_outcomes(passed=1)
    assert len(files(pytester)) == 1
    monkeypatch.delenv("ORDER")
    pytester.runpytest().assert_outcomes(failed=1)


def test_an_order_that_goes_and_comes(pytester, monkeypatch):
    pytester.makepyfile(test_it=CHANGES)
    pytester.runpytest().assert_outcomes(passed=1)
    monkeypatch.setenv("ORDER", "none")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*now: *no fixed order: exact*"])
    pytester.runpytest("--accord-update").assert_outcomes(passed=1)
    pytester.runpytest("--accord-strict").assert_outcomes(passed=1)
    monkeypatch.delenv("ORDER")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*recorded: no fixed order: exact*"])


def test_each_machine_its_own(pytester):
    pytester.makepyfile(test_it=CHANGES)
    pytester.runpytest().assert_outcomes(passed=1)
    (path,) = files(pytester)
    records = json.loads(path.read_text())
    records[0]["question"]["cpu_features"] = "another"
    told = "another\n" + records[0]["question"]["library_version"]
    other = path.with_stem(hashlib.sha256(told.encode()).hexdigest()[:12])
    other.write_text(json.dumps(records))
    path.unlink()
    result = pytester.runpytest("--accord-strict")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*key: {path.stem}; recorded for {other.stem}*"])
    pytester.runpytest().assert_outcomes(passed=1)
    assert files(pytester) == sorted([path, other])
    assert json.loads(other.read_text()) == records


def test_two_questions_of_one_name(pytester):
    pytester.makepyfile(test_it="""
        import numpy as np
        import pytest

        def test_twice(accord_snapshot):
            accord_snapshot(lambda x: np.sum(x), n=9)
            with pytest.raises(pytest.UsageError, match="another name"):
                accord_snapshot(lambda x: np.sum(x[::-1]), n=9)
            accord_snapshot(lambda x: np.sum(x[::-1]), n=9, name="reverse")

        @pytest.mark.parametrize("word", ["a/b", "a-b", "../../x", ".hidden"])
        def test_names(accord_snapshot, word):
            accord_snapshot(np.sum, n=3)
            accord_snapshot(np.sum, n=3, name=word)

        @pytest.mark.parametrize("one", [1, 2])
        def test_shared(accord_snapshot, one):
            accord_snapshot(np.sum, n=3, name="shared")

        class TestIn:
            def test_class(self, accord_snapshot):
                accord_snapshot(np.sum, n=3)
    """)
    result = pytester.runpytest()
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(["*UsageError*shared*also in *"])
    assert len(files(pytester)) == 2 + 8 + 1 + 1
    assert all(path.resolve().is_relative_to(pytester.path / "__accord__")
               for path in files(pytester))
    names = {path.parent.name for path in files(pytester)}
    assert {"test_it.TestIn.test_class", "test_it.test_twice", "test_it.reverse"} <= names


def test_a_bad_file(pytester):
    pytester.makepyfile(test_it=PASSES)
    pytester.runpytest().assert_outcomes(passed=1)
    (path,) = files(pytester)
    path.write_text("[{")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*ParseError*{path.name}*"])
    assert path.read_text() == "[{"


def test_an_exception_comes_through(pytester):
    pytester.makepyfile(test_it="""
        def test_raises(accord_snapshot):
            def bad(x):
                raise KeyError("mine")
            accord_snapshot(bad, n=4)
    """)
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*KeyError: 'mine'*"])
    assert files(pytester) == []


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    first = accord.reveal(np.sum, n=4)
    path = tmp_path / "name" / f"{_records.key_of(first)}.json"
    _records.store(path, first)
    kept = path.read_bytes()

    def refuse(*_):
        raise OSError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no"):
        _records.store(path, accord.reveal(np.sum, n=5))
    assert path.read_bytes() == kept and list(path.parent.iterdir()) == [path]


def test_the_command_reads_the_folder(pytester):
    command = os.path.join(os.path.dirname(accord.__file__), "accord-command")
    if not os.path.exists(command):
        pytest.skip("the package is installed without the command")
    pytester.makepyfile(test_it="""
        import numpy as np

        def test_order(accord_snapshot):
            accord_snapshot(np.sum, n=[8, 100])
    """)
    pytester.runpytest().assert_outcomes(passed=1)

    def check(*more):
        return subprocess.run([command, "check", "__accord__", "--json", "-q", "--python",
                               sys.executable, *more], cwd=pytester.path, capture_output=True,
                              text=True)

    said = check()
    found = json.loads(said.stdout)
    assert [order["outcome"] for order in found["orders"]] == ["same"] * 2, said
    (path,) = files(pytester)
    records = json.loads(path.read_text())
    records[1]["tree"] = json.loads(accord.synthetic("sequential", 100).to_json())["tree"]
    del records[1]["arithmetic"]["line"]
    path.write_text(json.dumps(records))
    said = check()
    assert said.returncode == 1
    assert [order["outcome"] for order in json.loads(said.stdout)["orders"]] == [
        "same", "changed"]
    pytester.runpytest().assert_outcomes(failed=1)
    assert check("--update").returncode == 0
    pytester.runpytest("--accord-strict").assert_outcomes(passed=1)


# ---- accord.testing ----


def backwards(x):
    return np.add.reduce(x[::-1])


def by_threads(x):
    """Adds in an order that depends on OMP_NUM_THREADS, read by each process as it starts."""
    parts = np.array_split(x, int(os.environ.get("OMP_NUM_THREADS") or 1))
    total = x.dtype.type(0)
    for part in parts:
        inner = x.dtype.type(0)
        for value in part:
            inner = inner + value
        total = total + inner
    return total


def test_same_order():
    testing.assert_same_order(np.sum, np.add.reduce, n=[1, 8, 100])
    testing.assert_same_order(np.sum, accord.reveal(np.sum, n=8), n=8)
    with pytest.raises(AssertionError, match=r"(?s)first difference.*An input.*A gives.*B gives"):
        testing.assert_same_order(np.sum, backwards, n=[1, 12])
    with pytest.raises(AssertionError, match="cannot be compared"):
        testing.assert_same_order(np.sum, accord.reveal(np.sum, n=9), n=8)
    with pytest.raises(AssertionError, match="no fixed order"):
        testing.assert_same_order(np.sum, lambda x: np.random.rand(), n=8)
    noise = lambda x: np.random.rand()  # noqa: E731
    with pytest.raises(AssertionError, match="no fixed order"):
        testing.assert_same_order(noise, noise, n=8)
    with pytest.raises(AssertionError):
        testing.assert_same_order("synthetic:sequential,fma", "synthetic:sequential,products", n=8)


def test_batch_invariant():
    testing.assert_batch_invariant(accord.axis(np.sum, 1), [1, 2, 9], shape=(1, 40))

    def unlike(matrix):
        return (np.add.reduce(matrix, axis=1) if len(matrix) < 3
                else np.add.reduce(matrix[:, ::-1], axis=1))

    with pytest.raises(AssertionError, match=r"(?s)A is the order with.*batch.*An input.*A gives"):
        testing.assert_batch_invariant(accord.axis(unlike, 1, keyword=None), [1, 2, 3],
                                       shape=(1, 20))
    noise = accord.axis(lambda m: np.random.rand(len(m)).astype("f4"), 1, keyword=None)
    with pytest.raises(AssertionError, match="no fixed order"):
        testing.assert_batch_invariant(noise, [1, 2], shape=(1, 20))


@pytest.mark.filterwarnings("ignore:threads=")
def test_threads_in_processes():
    testing.assert_same_on_threads(np.sum, [1, 2], n=[5, 40])
    with pytest.raises(AssertionError, match=r"(?s)'threads': 1.*'threads': 2.*An input.*B gives"):
        testing.assert_same_on_threads(by_threads, [1, 2], n=9)
    with pytest.raises(accord.ArgumentError, match="at least two"):
        testing.assert_same_on_threads(np.sum, [1], n=9)
    with pytest.raises(accord.ArgumentError, match="where"):
        testing.assert_same_on_threads(np.sum, [1, 2], n=9, where="there")


@pytest.mark.filterwarnings("ignore:threads=")
def test_threads_in_this_process():
    control = pytest.importorskip("threadpoolctl")
    if not control.threadpool_info():
        pytest.skip("NumPy's BLAS is not one that threadpoolctl knows")

    pools = control.ThreadpoolController().lib_controllers

    def now():
        return max(pool.num_threads for pool in pools)

    before = now()
    testing.assert_same_on_threads(lambda x: np.sum(x), [1, 2], n=9)
    with pytest.raises(AssertionError, match="threads"):
        testing.assert_same_on_threads(
            lambda x: backwards(x) if now() > 1 else np.add.reduce(x), [1, 2], n=9)
    assert now() == before


def test_threads_beyond_the_processors():
    with pytest.warns(UserWarning, match="processors"):
        testing.assert_same_on_threads("synthetic:pairwise", [1, 100000], n=4)
