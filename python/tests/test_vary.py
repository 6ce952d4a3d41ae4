"""accord.vary: which results come again, and which do not."""

import math
import os

import pytest

import accord

np = pytest.importorskip("numpy")


def every_third(other):
    calls = iter(range(10**9))
    return lambda x: other(x) if next(calls) % 3 == 2 else np.sum(x)


def test_steady():
    found = accord.vary(np.sum, 100, runs=10)
    assert found and found.distinct == 1 and found.runs == 10
    only = found.settings[0]
    assert only.replays and only.proven and only.entropy == 0 and only.spread == 0
    assert abs(found.results[0].value - found.expected.exact) <= found.expected.bound
    assert "proven" in str(found) and "1 distinct result in 10 runs" in repr(found)
    assert hash(found) == hash(accord.vary(np.sum, 100, runs=10))


def test_varying():
    found = accord.vary(every_third(lambda x: np.cumsum(x)[-1]), 500, runs=30, seed=1)
    assert not found and found.distinct == 2
    # One call more comes first, which shows the type of results.
    assert found.settings[0].outcomes == [0, 1, 0] * 10
    assert found.results[1].first == 1 and found.results[1].runs == 10
    assert found.settings[0].results[1] == found.results[1].value
    assert found.spread >= 1 and 0 < found.settings[0].entropy < 1
    assert "2 distinct results" in found._repr_html_()


def test_own_inputs():
    x = np.array([[1, 1e8, -1e8], [1, 2, 3]], dtype=np.float32)
    found = accord.vary(lambda v: np.float32(v[0] + v[1]) + v[2], inputs=x, runs=3)
    assert found and found.elements == 2 and found.n == 3
    assert found.results[0].value == 0 and found.expected.exact == 1
    found = accord.vary(accord.adapters.Dot(np.dot), inputs=(x[1], x[1]), runs=3)
    assert found.results[0].value == 14


def test_edges():
    one = accord.vary(np.sum, 1, runs=1)
    assert one and one.results[0].value == one.expected.exact
    odd = np.array([[np.nan, 1], [np.inf, 1], [1, -1]], np.float32)
    found = accord.vary(np.sum, inputs=odd, runs=3)
    assert found and found.elements == 3 and math.isnan(found.results[0].value)
    calls = iter(range(10**6))
    found = accord.vary(lambda x: np.float32(np.nan if next(calls) % 2 else 1), inputs=odd[2], runs=4)
    assert found.distinct == 2
    found = accord.vary(lambda x: np.float32(next(calls) % 2), inputs=odd[2], runs=4)  # one is 0
    assert {each.vc for each in found.results} == {0, 1} and found.distinct == 2


def test_without_arguments():
    rng = np.random.default_rng(0)
    found = accord.vary(lambda: rng.integers(2, size=(2, 2)).astype(np.float32), runs=200)
    assert found.distinct == 16 and found.elements == 4 and found.varying == 4
    assert found.n is None and found.expected is None
    assert {each.vc for each in found.results} == {0, .25, .5, .75, 1}
    assert accord.vary(lambda: 1.5, runs=3).results[0].value == 1.5
    assert accord.vary(lambda: math.nan, runs=3).distinct == 1
    for result in (None, 1j, np.array([1, 2j]), "text", {}, [None, 1.], [[1.], [2., 3.]]):
        with pytest.raises(accord.ArgumentError, match="no array of real numbers"):
            accord.vary(lambda: result, runs=3)
    with pytest.raises(accord.ArgumentError, match="without numbers"):
        accord.vary(lambda: np.zeros((3, 0)), runs=3)
    with pytest.raises(accord.ArgumentError, match="none of float64"):
        accord.vary(lambda: np.array([2**53 + 1]), runs=3)
    assert accord.vary(lambda: [2**53, True, np.int8(3)], runs=3)
    sizes = iter([2, 2, 3, 2])
    with pytest.raises(accord.ArgumentError, match="different shapes"):
        accord.vary(lambda: np.zeros(next(sizes)), runs=3)


def test_batches():
    def careless(a):
        return np.sum(a, axis=1) if len(a) < 4 else np.cumsum(a, axis=1)[:, -1]

    steady = accord.vary(accord.axis(lambda a: np.cumsum(a, axis=1)[:, -1], 1), shape=(1, 300),
                         batch=[1, 2, 5])
    assert steady and [each.places for each in steady.settings] == [1, 2, 5]
    found = accord.vary(accord.axis(careless, 1), shape=(1, 300), batch=[1, 3, 4], proof=False)
    assert [set(each.outcomes) for each in found.settings] == [{0}, {0}, {1}]
    assert not any(each.varies for each in found.settings)


def test_threads(tmp_path, monkeypatch):
    (tmp_path / "threads_of.py").write_text(
        "import os\n\n\ndef number(x):\n    return float(os.environ['OMP_NUM_THREADS'])\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    found = accord.vary("python:threads_of.number", 2, threads=[1, 3], runs=2, proof=False)
    assert [each.name for each in found.settings] == ["1 thread", "3 threads"]
    assert [each.value for each in found.results] == [1, 3]
    assert "OMP_NUM_THREADS" not in os.environ


def test_raises():
    def broken(x):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        accord.vary(broken, 10)
    for how, words in [({"runs": 0}, "runs"), ({"threads": [1]}, "notation"),
                       ({"batch": [1]}, "batch needs"), ({"kinds": "odd"}, "no kind"),
                       ({"load": 5000}, "load"), ({"inputs": np.zeros((2, 2, 2))}, "rows"),
                       ({"inputs": np.zeros((0, 4))}, "no numbers"),
                       ({"inputs": [[1., 2.], [3.]]}, "rows of one length")]:
        with pytest.raises(accord.ArgumentError, match=words):
            accord.vary(np.sum, 10, **how)


def test_load():
    assert accord.vary(np.sum, 50, runs=5, load=2, proof=False)


def test_methods():
    rows = accord.vary_methods(["AO", "SPA", "TPRC"], n=[500, 3000], runs=60, seed=7)
    assert [(row.method, row.n) for row in rows] == [
        (name, n) for name in ("AO", "SPA", "TPRC") for n in (500, 3000)]
    for row in rows:
        results = np.array(row.results)
        assert row.distinct == len(set(row.results)) and bool(row) == (row.distinct == 1)
        assert row.max_vs == np.max(np.abs(1 - np.abs(results / row.reference)))
        assert np.max(np.abs(results - row.exact)) <= row.bound
        assert (row.predicted > 0) == (row.method != "TPRC")
    assert rows[1].parts == 3000 and rows[3].parts == 24 and rows[3].predicted < rows[1].predicted
    assert rows[0].results == accord.vary_methods("AO", 500, runs=60, seed=7)[0].results
    assert rows[0].results != accord.vary_methods("AO", 500, runs=60, seed=8)[0].results
    assert rows[4].results == accord.vary_methods("TPRC", 500, runs=60, seed=7, device="threads",
                                                  threads=3)[0].results


def test_methods_of_own_inputs():
    x = np.array([1, 1e16, -1e16, 2])
    row, = accord.vary_methods("AO", inputs=x, runs=50)
    assert row.n == 4 and row.exact == 3 and not row
    row, = accord.vary_methods("AO", 1, inputs=x, runs=2)
    assert row and row.results == [1, 1]
    row, = accord.vary_methods("AO", inputs=[1., math.nan], runs=3)
    assert row.undefined == 0 or math.isnan(row.max_vs)
    for how, words in [({"methods": "SPX"}, "no method"), ({"device": "abacus"}, "no device"),
                       ({"distribution": "odd"}, "uniform"),
                       ({"block": 48}, "power of two"), ({"runs": 0}, "at least 1"),
                       ({"n": 0}, "at least 1"), ({"n": 5, "inputs": x}, "4 inputs"),
                       ({"inputs": np.ones((2, 2))}, "one array"), ({"seed": 2**32}, "seed"),
                       ({"block": -1}, "block"), ({"amplitude": 0}, "equal")]:
        with pytest.raises(accord.ArgumentError, match=words):
            accord.vary_methods(**{"methods": "SPA", "n": 10, **how})
    with pytest.raises(accord.UnsupportedError, match="CUDA"):
        accord.vary_methods("CU", 10)
    with pytest.raises(accord.ParseError, match="permutation"):
        accord.vary_methods("SPA", 10, schedule="odd")
