"""The experiments with operators and training; those parts that need PyTorch skip without it."""

from __future__ import annotations

import csv
import math
import sys

import pytest

import accord
from accord.experiments import __main__ as experiments
from accord.experiments.variability import findings, graph, spread, sweep

np = pytest.importorskip("numpy")


# ---- measures ----


def test_measures_are_the_formulas():
    a, b = np.random.default_rng(1).normal(size=(2, 100))
    assert spread.vermv(b, a) == pytest.approx(np.mean(abs(a - b) / abs(a)), rel=1e-15)
    assert spread.vc(b, a) == 1
    assert spread.vc(np.r_[a[:75], b[75:]], a) == 0.25
    assert spread.vs(3.0, 2.0) == -0.5 and spread.vs(1.5, 2.0) == 0.25


def test_measures_are_defined_at_zeros_nan_and_infinities():
    inf, nan = math.inf, math.nan
    assert spread.vermv([1, 0, 2], [1, -0.0, 1]) == pytest.approx(1 / 3)  # zeros count as 0
    assert spread.vermv([1, 3], [0, 2]) == 0.5  # 0 is no reference for 1, which is left out
    assert spread.vermv([nan, inf, 3], [nan, inf, 2]) == pytest.approx(0.5 / 3)
    assert math.isnan(spread.vermv([1], [0])) and math.isnan(spread.vermv([nan], [1]))
    assert spread.vc([0.0, 1, nan], [-0.0, 1, nan]) == pytest.approx(1 / 3)
    assert math.isnan(spread.vc([], []))
    assert spread.vs(0.0, -0.0) == 0 and spread.vs(nan, nan) == 0 and spread.vs(inf, inf) == 0
    assert math.isnan(spread.vs(1, 0)) and math.isnan(spread.vs(1, inf)) and math.isnan(spread.vs(nan, 1))
    assert spread.vs(-2.0, 2.0) == 0  # by the formula


def test_results_are_compared_with_the_first():
    results = spread.Results()
    for last in (1.0, 1.0, 2.0, 3.0):
        results.add(np.array([1, last], np.float32))
    found = results.spread()
    assert found.runs == 4 and found.unique == 3
    assert found.vermv == pytest.approx((0 + 0.5 + 1) / 3) and found.vc == pytest.approx(1 / 3)
    assert found.vermv_deviation == pytest.approx(0.5)
    with pytest.raises(ValueError, match="shapes"):
        results.add(np.ones(3, np.float32))


def test_digests_tell_what_is_the_same():
    other_nan = np.array([0x7FC00001], np.uint32).view(np.float32)
    assert spread.digest(other_nan) == spread.digest(np.array([np.nan], np.float32))
    assert spread.digest(np.array([0.0])) != spread.digest(np.array([-0.0]))


# ---- the graph ----


def test_the_graph_has_the_shape_of_cora():
    made = graph.make()
    assert made.features.shape == (2708, 1433) and made.features.dtype == np.float32
    assert np.bincount(made.labels).tolist() == list(graph.SIZES)
    edges = set(zip(made.source.tolist(), made.target.tolist()))
    assert len(made.source) == len(edges) == 10556  # none twice
    assert all((b, a) in edges and a != b for a, b in edges)
    assert np.allclose(made.features.sum(axis=1), 1)
    assert 50 < np.bincount(made.source).max() < 500  # few nodes have many edges
    within = (made.labels[made.source] == made.labels[made.target]).mean()
    assert 0.75 < within < 0.9
    assert made.taught.sum() == 7 * 20


def test_the_graph_depends_on_its_seed_alone():
    one, again, other = graph.make(1, 32), graph.make(1, 32), graph.make(2, 32)
    assert all(np.array_equal(a, b) for a, b in zip(one, again))
    assert not np.array_equal(one.source, other.source)


# ---- sweeps ----

KNOWN = {"sum": {"n": True, "dtype": False}, "conv": {"size": True, "kernel": False, "dtype": False}}


def _sweep(tmp_path, text, only=""):
    file = tmp_path / "own.toml"
    file.write_text(text)
    return sweep.read_sweep(str(file), KNOWN, only)


def test_a_sweep_is_all_combinations(tmp_path):
    found = _sweep(tmp_path, '[[sum]]\nn = [1, 2]\ndtype = ["float64", "float32"]\n'
                             '[[conv]]\nsize = [8]\nkernel = [3, 5]\n[[sum]]\nn = [9]\n')
    assert [(c.operator, c.text, c.dtype) for c in found] == [
        ("sum", "n=1", "float64"), ("sum", "n=1", "float32"), ("sum", "n=2", "float64"),
        ("sum", "n=2", "float32"), ("sum", "n=9", "float32"), ("conv", "size=8 kernel=3", "float32"),
        ("conv", "size=8 kernel=5", "float32")]
    assert [c.text for c in _sweep(tmp_path, "[sum]\nn = [4]\n[conv]\nsize = [1]\n", "sum")] == ["n=4"]


@pytest.mark.parametrize("text, message", [
    ("[[add]]\nn = [1]\n", "add is not an operator; there are conv, sum"),
    ("[[sum]]\nm = [1]\n", "sum has no hyperparameter m; it has n, dtype"),
    ("[[sum]]\nn = 4\n", "n is to be a list"), ("[[sum]]\nn = []\n", "n is to be a list"),
    ("[[conv]]\nkernel = [3]\n", "needs the hyperparameter size"), ("sum = 3\n", "is to be a table"),
    ("[[sum]\n", "is not TOML")])
def test_a_wrong_sweep_is_refused(tmp_path, text, message):
    with pytest.raises(accord.ArgumentError, match=message):
        _sweep(tmp_path, text)


def test_an_operator_that_is_not_in_the_sweep_is_named(tmp_path):
    with pytest.raises(accord.ArgumentError, match="has no operator conv; it has sum"):
        _sweep(tmp_path, "[[sum]]\nn = [1]\n", "conv")


# ---- findings ----


def _row(operator, mode, question, threads, unique, vermv=0.0, parameters="n=10 ratio=0.5", note=""):
    return findings.Row(operator, "result", parameters, "float32", "cpu", mode, question, threads, 5,
                        unique, vermv, 0.0, vermv * 2, 0.0, 0.5 if mode == "default" else 1.0, 0.0, note)


def _rows():
    found = []
    for operator, runs, threads, fixed in (("put", 4, 3, 1), ("sum", 1, 2, 2), ("sort", 1, 1, 1)):
        for mode, live, across in (("default", runs, threads), ("deterministic", 1, fixed)):
            found += [_row(operator, mode, "run to run", "2", live, 0.25 * (live > 1)),
                      _row(operator, mode, "run to run", "8", live, 0.5 * (live > 1)),
                      _row(operator, mode, "across threads", "1 2 8", across, 0.125 * (across > 1))]
    return found + [_row("bad", "deterministic", "", "", 0, math.nan, note="refused: no way")]


def test_the_table_keeps_two_questions_apart():
    lines = findings.table(_rows()).splitlines()
    assert len(lines) == 4  # what is the same throughout is not in the table
    assert lines[2] == ("| put | 1 | 4 of 5 | 4 of 5 | 0.5 | 1 | 3 of 5 | 0.125 | 0.25 | 1 of 5 | 1 of 5 "
                        "| 2 |")
    assert lines[3] == "| sum | 1 | 1 of 5 | 1 of 5 | 0 | 0 | 2 of 5 | 0.125 | 0.25 | 1 of 5 | 2 of 5 | 2 |"


def test_the_summary_names_each_operator_once():
    assert findings.summary(_rows()) == [
        "Vary from run to run: put.", "Change with the number of threads only: sum.",
        "Vary from run to run even in deterministic mode: none.", "The same throughout: sort.",
        "bad, deterministic mode: refused: no way (in 1 of the sweep)"]


def test_a_row_in_a_file_leaves_empty_what_is_not_known():
    assert findings.csv_row(_rows()[-1])[8:] == [5, 0, "", "0", "", "0", "1", "0", "refused: no way"]


def test_heat_maps_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    findings.plot(str(tmp_path), "all.svg", _rows())
    findings.plot_parameters(str(tmp_path), "ratio.svg", _rows())
    assert ">put<" in (tmp_path / "all.svg").read_text()
    assert ">put: Vc<" in (tmp_path / "ratio.svg").read_text()
    findings.plot(str(tmp_path), "none.svg", [r for r in _rows() if r.operator == "sort"])
    assert not (tmp_path / "none.svg").exists()


# ---- PyTorch ----


def test_a_missing_pytorch_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("operators", "training"):
        assert experiments.main([name, "--quick", "--output", str(tmp_path)]) == 2
        assert "pip install torch" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_gpu_that_is_not_there_is_named(tmp_path, capsys):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    assert experiments.main(["operators", "--quick", "--device", "cuda", "--output", str(tmp_path)]) == 2
    assert "leave out --device cuda" in capsys.readouterr().err


@pytest.fixture
def ask(request):
    """Asks for an operator with hyperparameters; the findings of its results."""
    torch = pytest.importorskip("torch")
    from accord.experiments.variability import operators

    before = torch.get_num_threads()
    request.addfinalizer(lambda: torch.set_num_threads(before))

    def found(name, threads=(1, 2), **parameters):
        rows = operators.ask(sweep.Configuration(name, parameters), operators.Asked(4, "cpu", threads))
        assert not any(row.note for row in rows)
        return {f.result: f for f in findings.findings(rows)}

    return found


LIVE = ("index_put_accumulate", "put_accumulate", "index_put", "index_copy")


@pytest.mark.parametrize("name", [*LIVE, "indexing"])
def test_deterministic_mode_gives_the_same_bits(ask, name):
    for found in ask(name, n=50000, ratio=0.1).values():
        assert not found.varies(findings.RUNS, findings.DETERMINISTIC)
        assert not found.varies(findings.THREADS, findings.DETERMINISTIC)


@pytest.mark.parametrize("name, parameters", [
    *((name, {"n": 50000, "ratio": 0.1}) for name in ("index_add", "scatter_add", "scatter_reduce")),
    *((f"{kind}{d}d", {"size": 8 if d == 3 else 32}) for kind in ("conv", "conv_transpose")
      for d in (1, 2, 3))])
def test_these_operators_are_the_same_from_run_to_run(ask, name, parameters):
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13."):
        pytest.skip(f"this is stated of PyTorch 2.13; this is {torch.__version__}")
    for found in ask(name, **parameters).values():
        assert not found.varies(findings.RUNS) and not found.varies(findings.RUNS, findings.DETERMINISTIC)


@pytest.mark.parametrize("name", ["sum", "dot", "prod"])
def test_these_operators_change_with_the_number_of_threads(ask, name):
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13."):
        pytest.skip(f"this is stated of PyTorch 2.13; this is {torch.__version__}")
    (found,) = ask(name, (1, 2, 3, 4, 8), n=300000).values()
    assert found.varies(findings.THREADS) and not found.varies(findings.RUNS)


def test_every_operator_can_be_called():
    torch = pytest.importorskip("torch")
    from accord.experiments.variability import operators, pytorch

    asked = sweep.read_sweep(f"{operators.SWEEPS}/full.toml", pytorch.hyperparameters())
    first = {c.operator: c for c in reversed(asked) if c.parameters.get("n", 0) < 1024}
    rest = {c.operator: c for c in reversed(asked)}
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for c in (rest | first).values():
            call = pytorch.OPERATORS[c.operator](pytorch.Draw(1, "cpu", c.dtype), **c.parameters)
            once, again = (operators._arrays(call()) for _ in range(2))
            assert once.keys() == again.keys() and "result" in once
            assert all(spread.digest(once[k]) == spread.digest(again[k]) for k in once), c
            assert all(np.isfinite(x).all() for x in once.values()), c
    finally:
        torch.set_num_threads(before)


def test_a_configuration_that_pytorch_refuses_is_a_row_with_a_note():
    pytest.importorskip("torch")
    from accord.experiments.variability import operators

    asked = operators.Asked(2, "cpu", (1,))
    (row,) = operators.ask(sweep.Configuration("conv1d", {"size": 4, "kernel": 7}), asked)
    assert row.unique == 0 and row.note.startswith("refused: ")


def test_operators_writes_its_table(tmp_path, capsys):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    file = tmp_path / "own.toml"
    file.write_text("[[sum]]\nn = [100000]\n[[index_add]]\nn = [1000]\nratio = [0.5]\n")
    try:
        assert experiments.main(["operators", "--sweep", str(file), "--runs", "2", "--threads", "1,2,3",
                                 "--load", "--output", str(tmp_path)]) == 0
    finally:
        torch.set_num_threads(before)
    with open(tmp_path / "operators.csv", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert list(rows[0]) == list(findings.Row._fields)
    # two operators, two modes; run to run with 2 and 3 threads, and across threads
    assert len(rows) == 2 * 2 * 3 and {row["runs"] for row in rows} == {"2", "3"}
    assert {row["threads"] for row in rows} == {"2", "3", "1 2 3"}
    said = capsys.readouterr().out
    assert "index_add" in said and "all processors kept busy" in said


# ---- NumPy and JAX ----


@pytest.mark.parametrize("library", ["numpy", "jax"])
def test_every_operator_of_other_libraries_gives_the_same_twice(library):
    pytest.importorskip(library)
    from accord.experiments.variability import apart

    asked = sweep.read_sweep(f"{apart.SWEEPS}/{library}.toml", apart.known(library))
    small = {"n": 40, "batch": 4, "inputs": 5, "outputs": 3, "size": 9, "ratio": 0.5}
    operators = apart.operators_of(library)
    assert {c.operator for c in asked} == set(operators)
    for c in {c.operator: c for c in asked}.values():
        parameters = {key: small.get(key, value) for key, value in c.parameters.items()}
        answer = apart._ask(operators[c.operator], c._replace(parameters=parameters), 2)
        assert not answer.note and "result" in answer.results, (c, answer.note)
        for results in answer.results.values():
            assert results.spread().unique == 1 and np.isfinite(results.first).all(), c


def test_jax_operators_are_what_they_are_called():
    pytest.importorskip("jax")
    from accord.experiments.variability import apart

    operators, draw = apart.operators_of("jax"), apart.Draw("float32")
    found = operators["at_add"](draw, n=60, ratio=0.1)()["result"]
    again = apart.Draw("float32")
    begin, index, values = again.normal(6), again.index(6, 60), again.normal(60)
    np.add.at(begin, index, values)
    assert np.allclose(found, begin, rtol=1e-5, atol=1e-5)
    found = operators["indexing"](apart.Draw("float32"), n=20, ratio=0.2, columns=3)()
    again = apart.Draw("float32")
    index, source, seed = again.index(4, 20), again.normal(4, 3), again.normal(20, 3)
    gradient = np.zeros((4, 3), "f4")
    np.add.at(gradient, index, seed)
    assert np.array_equal(found["result"], source[index])
    assert np.allclose(found["gradient of source"], gradient, rtol=1e-5, atol=1e-5)


def test_a_process_is_told_its_number_of_threads():
    from accord.experiments.variability import apart

    asked = [sweep.Configuration("sum", {"n": 1000}), sweep.Configuration("sum", {"n": -1})]
    (fine, refused), tasks = apart.answers("numpy", asked, 1, 3)
    assert fine.results["result"].spread().runs == 3 and len(fine.seconds) == 3
    assert refused.note.startswith("refused: ") and not refused.results
    assert tasks in (0, 1)


def test_numpy_is_asked_beside_pytorch(tmp_path, capsys):
    pytest.importorskip("torch")
    given = ["operators", "--quick", "--library", "numpy", "--only", "numpy.dot", "--runs", "2", "--threads",
             "1,2", "--output", str(tmp_path)]
    assert experiments.main(given) == 0
    with open(tmp_path / "operators.csv", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert {row["operator"] for row in rows} == {"numpy.dot"} and {row["mode"] for row in rows} == {"default"}
    assert [(row["question"], row["threads"], row["runs"]) for row in rows[:2]] == [
        ("run to run", "2", "2"), ("across threads", "1 2", "2")]
    assert "2 configurations of numpy" in capsys.readouterr().out


def test_a_missing_library_is_named(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    from accord.experiments.variability import apart

    monkeypatch.setattr(apart, "is_there", lambda library: False)
    assert experiments.main(["operators", "--library", "jax", "--output", str(tmp_path)]) == 0
    assert "jax is not installed: its rows are left out" in capsys.readouterr().err
    assert experiments.main(["operators", "--sweep", "own.toml", "--library", "jax,numpy", "--output",
                             str(tmp_path)]) == 2
    assert "name one with --library" in capsys.readouterr().err


def test_processes_that_keep_processors_busy_end(monkeypatch):
    pytest.importorskip("torch")
    from accord.experiments.variability import operators

    started, real = [], operators.subprocess.Popen
    monkeypatch.setattr(operators.subprocess, "Popen",
                        lambda command: started.append(real(command)) or started[-1])
    with operators.load(True):
        assert started and all(process.poll() is None for process in started)
    assert all(process.poll() is not None for process in started)


# ---- training ----


def test_training_once_is_refused(tmp_path, capsys):
    pytest.importorskip("torch")
    assert experiments.main(["training", "--quick", "--runs", "1", "--output", str(tmp_path)]) == 2
    assert "--runs must be at least 2" in capsys.readouterr().err


@pytest.fixture
def network():
    torch = pytest.importorskip("torch")
    from accord.experiments.variability import training

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield training.Network(graph.make(words=64), 16, "cpu")
    torch.set_num_threads(before)


def test_deterministic_training_gives_the_same_bits(network):
    from accord.experiments.variability import training

    for setting in (training.FIXED, training.SELECTED):
        found = training.drift(network, setting, 2, 2)
        assert found.unique == 1 and found.runs == 2
        assert all(row[3:8] == (0, 0, 0, 0, 0) for row in found.rows)


def test_permuted_edges_change_results_by_their_seeds_alone(network):
    from accord.experiments.variability import training

    one, again = (training.drift(network, training.PERMUTED, 3, 2) for _ in range(2))
    assert one.unique == 3 and 0 < one.rows[-1][3] < 1e-3
    assert [row[8] for row in one.rows] == [row[8] for row in again.rows]


def test_operators_apart_have_the_gradients_of_autograd(network):
    import torch
    from accord.experiments.variability import training

    x, y = torch.randn(2, 4, 5, requires_grad=True), torch.randn(4, 5)
    for operator in (lambda a, b: (a * b).sum(), lambda a, b: (a @ b.T).exp().sum()):
        (plain,) = torch.autograd.grad(operator(x, y), x)
        (apart,) = torch.autograd.grad(training._Apart.apply(operator, True, x, y), x)
        assert torch.equal(plain, apart)
    assert not torch.are_deterministic_algorithms_enabled()


def test_the_network_learns(network):
    from accord.experiments.variability import training

    training.torch.set_num_threads(1)
    *_, (weights, outputs) = network.train(training.FIXED, 0, 20)
    assert (outputs.argmax(axis=1) == network.made.labels).mean() > 0.7  # by chance: 0.3
    inferred = training.inference(network, weights, training.FIXED, 2)
    assert inferred[0][5] == inferred[1][5]
