"""accord.explain: right implementations, and planted faults."""

import pickle

import pytest

import accord

np = pytest.importorskip("numpy")


def by_sign(x):
    """No fixed order: positive terms first."""
    return np.float32(np.sum(x[x > 0]) + np.sum(x[x <= 0]))


def quick(a, b=None, n=60, **how):
    return accord.explain(a, b, n, samples=300, budget="500calls", **how)


def test_orders():
    found = accord.explain(np.sum, lambda x: np.sum(x[::-1]), n=100, samples=200)
    assert found and found.verdict == "order"
    assert found.differ > 0 and "partial sum" in found.first_node
    assert [each.replays for each in found.implementations] == [True, True]
    assert found.implementations[0].order.n == 100


def test_noise():
    found = quick(by_sign, np.sum)
    assert found and found.verdict == "noise"
    assert not found.implementations[0].order.fingerprint
    assert all(not test.outside for each in found.implementations for test in each.tests)


@pytest.mark.parametrize("fault, words", [
    (lambda x: by_sign(x[:-1]), "term 59 is missing"),
    (lambda x: by_sign(x) + x[5], "term 5 is added twice"),
    (lambda x: by_sign(x) * np.float32(1.001), "scaled by 1.00"),
    (lambda x: np.float32(0), "every result is 0"),
])
def test_faults(fault, words):
    found = quick(fault, np.sum)
    assert not found and found.verdict in ("suspect", "bug")
    assert words in found.words
    with pytest.raises(AssertionError, match=words):
        accord.assert_explained(fault, np.sum, n=60, samples=300, budget="500calls")


def test_fault_is_small():
    found = quick(lambda x: by_sign(x[:-1])).implementations[0]
    assert [k for k, x in enumerate(found.fault.x) if x] == [59]
    assert abs(found.fault.result - found.fault.exact) > found.fault.envelope


def test_nondeterministic():
    rng = np.random.default_rng(0)

    def shuffled(x):
        total = np.float32(0)
        for value in rng.permutation(x):
            total += value
        return total

    found = accord.explain(shuffled, n=30, samples=200, budget="500calls")
    assert found.verdict == "suspect" and "nondeterministic" in found.words
    assert accord.explain(shuffled, n=30, samples=200, budget="500calls",
                          allow_nondeterministic=True).verdict == "noise"


def test_products():
    found = accord.explain(accord.gemm(np.matmul), accord.gemm(
        lambda a, b: (a.astype("f8") @ b.astype("f8")).astype("f4")), shape=(2, 3, 40), samples=200)
    assert found


def test_cannot_tell():
    found = accord.explain(by_sign, n=60, samples=5, budget="500calls")
    assert found.verdict == "cannot-tell"
    with pytest.raises(accord.CannotTellError):
        bool(found)


def test_wrong_use():
    with pytest.raises(accord.ArgumentError, match="no kind of inputs odd"):
        accord.explain(np.sum, n=8, kinds="odd")
    with pytest.raises(accord.ArgumentError, match="samples=0"):
        accord.explain(np.sum, n=8, samples=0)
    with pytest.raises(ZeroDivisionError):
        accord.explain(np.sum, lambda x: 1 / 0, n=8)
    with pytest.raises(ZeroDivisionError):
        accord.explain(lambda x: 1 / 0, np.sum, n=8)


def test_result_is_a_value():
    found = accord.explain(np.sum, n=20, samples=100, kinds=["normal", "log-normal"])
    again = pickle.loads(pickle.dumps(found))
    assert again == found and hash(again) == hash(found)
    assert {test.kind for test in found.implementations[0].tests} == {"normal", "log-normal"}
    assert found.verdict in repr(found) and found.words in str(found)


def test_torch():
    torch = pytest.importorskip("torch")
    a = accord.gemm(torch.nn.functional.linear, "NT")
    found = accord.explain(a, shape=(1, 2, 64), dtype="bfloat16", samples=300)
    assert found.verdict in ("order", "noise"), found
