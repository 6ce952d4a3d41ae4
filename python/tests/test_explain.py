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
    (lambda x: x.sum() * np.float32(1.001), "the results are scaled by 1.001"),
    (lambda x: by_sign(x) + np.float32(.01), "0.01 is added to the results on average"),
    (lambda x: np.float32(np.float16(np.sum(x[::2])) + np.float16(np.sum(x[1::2]))), "look like f16"),
    (lambda x: np.float32(0), "every result is 0"),
    (lambda x: np.float32(np.nan), "results are infinite or NaN"),
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


def test_elements():
    def wrong_row(a, b):
        result = a @ b
        result[2] = result[1]
        return result

    found = accord.explain(accord.gemm(wrong_row), shape=(4, 5, 30), samples=300, budget="300calls")
    assert found.verdict == "bug" and found.words.startswith("row 2 is wrong")
    assert found.implementations[0].element[0] == 2


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


def test_edges():
    one = accord.explain(np.sum, n=1, samples=1)
    assert one.verdict == "order"
    assert accord.explain(by_sign, n=40, samples=1, budget="300calls").verdict == "cannot-tell"
    assert accord.explain(np.sum, n=40, kinds="equal").verdict == "order"
    with pytest.raises(accord.ArgumentError, match="numpy.sum returns one sum"):
        accord.explain(accord.gemm(np.matmul), np.sum, shape=(2, 3, 5))
    with pytest.raises(accord.ArgumentError, match="not 0"):
        accord.explain(np.sum, n=0)


# What a user plants: each in NumPy and, as it is, in PyTorch.
CALLABLES = {
    "right": (lambda x: x.sum(), "order", ""),
    "last": (lambda x: x[:-1].sum(), "bug", "term 99 is missing"),
    "factor": (lambda x: x.sum() * 1.001, "suspect", "the results are scaled by 1.001"),
    "zero": (lambda x: 0 * x.sum(), "bug", "every result is 0"),
    "twice": (lambda x: x.sum() + x[7], "bug", "term 7 is added twice"),
}


@pytest.mark.parametrize("name", CALLABLES)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_plain_callables(library, name):
    function, verdict, words = CALLABLES[name]
    kinds = []

    def watched(x):
        kinds.append(type(x).__module__)
        return function(x)

    dtype = pytest.importorskip("torch").float32 if library == "torch" else np.float32
    found = accord.explain(watched, n=100, dtype=dtype, samples=300)
    assert set(kinds) == {library}
    assert found.verdict == verdict and words in found.words, found
    kinds.clear()
    assert bool(accord.vary(watched, 100, dtype, runs=3)) and set(kinds) == {library}


def test_bfloat16_inside():
    torch = pytest.importorskip("torch")
    found = accord.explain(lambda t: torch.cumsum(t.bfloat16(), 0)[-1].float(), n=100,
                           dtype=torch.float32, samples=300, budget="500calls")
    assert found.verdict in ("suspect", "bug") and "bf16" in found.words, found


@pytest.mark.skipif(not hasattr(Exception, "add_note"), reason="notes came with Python 3.11")
def test_a_first_call_that_fails_says_what_it_was_given():
    with pytest.raises(TypeError) as caught:
        accord.explain(np.dot, n=8)
    assert "with arrays of the shapes (8,)" in caught.value.__notes__[0]
    with pytest.raises(AttributeError) as caught:
        accord.explain(lambda t: t.bfloat16().sum(), n=8)
    assert 'array="torch" gives it tensors' in caught.value.__notes__[0]


# ---- results with their inputs ----


@pytest.fixture
def factors():
    rng = np.random.default_rng(3)
    return (rng.standard_normal((500, 20)).astype("f4"), rng.standard_normal((500, 20)).astype("f4"))


def test_results(factors):
    x, y = factors
    dots = np.einsum("ij,ij->i", x, y)
    found = accord.explain(dots, accord.dot(np.dot), inputs=factors)
    assert found.verdict == "noise", found
    assert [each.replays for each in found.implementations] == [False, True]
    assert found.implementations[0].tests[0].kind == "given"
    accord.assert_explained(dots.astype("f8"), (x.astype("f8") * y).sum(axis=1), factors)


def test_results_at_fault(factors):
    x, y = factors
    last = (x[:, :-1] * y[:, :-1]).sum(axis=1)
    found = accord.explain(last, inputs=factors)
    assert found.verdict == "bug" and "term 19 is missing" in found.words
    fault = found.implementations[0].fault
    assert fault.exact == pytest.approx(np.dot(fault.x, fault.y))
    with pytest.raises(AssertionError, match="term 19 is missing"):
        accord.assert_explained(last, None, factors)


def test_targets_on_inputs(factors):
    accord.assert_explained(np.sum, lambda x: np.sum(x[::-1]), factors[0])
    assert "term 19 is missing" in accord.explain(
        lambda x: by_sign(x[:-1]), inputs=factors[0], budget="500calls").words
    lists = [row[:5] for row in factors[0].astype("f8").tolist()]
    assert accord.explain([sum(row) for row in lists], inputs=lists, output="f64")


@pytest.mark.parametrize("wrong, message", [
    (lambda x, y: accord.explain(x.sum(axis=1)), "give the inputs"),
    (lambda x, y: accord.explain(x[0], inputs=x), "20 results for 500 rows"),
    (lambda x, y: accord.explain(np.sum, inputs=(x, y[:3])), "have the shape of the first ones"),
    (lambda x, y: accord.explain(np.sum, inputs=x, dtype="f2"), "is not a number of f16"),
    (lambda x, y: accord.explain(np.sum, n=4, inputs=x), "20 terms in a row"),
    (lambda x, y: accord.explain(np.sum, inputs=x, samples=3), "leave them out"),
    (lambda x, y: accord.explain(x @ y.T[:, :9], inputs=(x, y.T[:, :8])), "4500 results, but the matrix has 500 x 8"),
    (lambda x, y: accord.explain(x @ y[0], inputs=(x, y[0]), beta=1), "give the start values"),
    (lambda x, y: accord.explain(x[0], inputs=x, start=x[0]), "last of its row"),
    (lambda x, y: accord.explain(x[:0], inputs=x[:0]), "inputs hold no numbers"),
    (lambda x, y: accord.explain([1., 2.], inputs=[[1., 2.], [3.]]), "give numbers, or rows of one length"),
])
def test_wrong_inputs(factors, wrong, message):
    with pytest.raises(accord.Error, match=message):
        wrong(*factors)


def test_matrices():
    rng = np.random.default_rng(4)
    a, b, c = (rng.standard_normal(shape).astype("f4") for shape in ((40, 24), (24, 30), (40, 30)))
    accord.assert_explained(a @ b, None, (a, b))
    tall, vector = np.tile(a, (5, 1)) + rng.standard_normal((200, 24)).astype("f4"), b[:, 0]
    accord.assert_explained(tall @ vector, accord.gemv(np.matmul), inputs=(tall, vector))
    accord.assert_explained(a @ b, accord.gemm(np.matmul), inputs=(a, b))
    wrong = a @ b
    wrong[7] = a[8] @ b
    assert "row 7 is wrong" in accord.explain(wrong, inputs=(a, b)).words
    assert "term 23 is missing" in accord.explain(a[:, :-1] @ b[:-1], inputs=(a, b)).words
    mixed = np.float32(1.5) * (a @ b) + np.float32(.5) * c
    accord.assert_explained(mixed, inputs=(a, b), start=c, alpha=1.5, beta=.5)
    assert "beta times C, is missing" in accord.explain(
        np.float32(1.5) * (a @ b), inputs=(a, b), start=c, alpha=1.5, beta=.5).words
    square = a[:24]
    # Square matrices and rows of factors look alike, but for the shape of the results.
    assert accord.explain(square @ b[:, :24], inputs=(square, b[:, :24])).inputs == 24 * 24
    assert accord.explain((square * square).sum(axis=1), inputs=(square, square)).inputs == 24


def test_rows_that_are_no_numbers(factors):
    x = factors[0].copy()
    x[3], x[9, 0] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        found = accord.explain(x.sum(axis=1), inputs=x)
    assert found.verdict == "noise", found
    wrong = factors[0].sum(axis=1)
    wrong[5] = np.inf
    found = accord.explain(wrong, inputs=factors[0])
    assert found.verdict == "bug" and "1 of 500 results is infinite or NaN" in found.words
    assert accord.explain(x[:1].sum(axis=1) * 0, inputs=x[:1] * 0).verdict == "cannot-tell"


def test_torch_inputs():
    torch = pytest.importorskip("torch")
    x = torch.randn(300, 40)
    accord.assert_explained(torch.sum, lambda t: t.flip(0).sum(), x)
    with pytest.raises(AssertionError, match="term 39 is missing"):
        accord.assert_explained(lambda t: t.narrow(0, 0, 39).sum(), None, x)
    assert accord.tolerance(lambda t: t.flip(0).sum(), inputs=x, n=40, samples=512).n == 40


def test_torch_results():
    torch = pytest.importorskip("torch")
    x, y = torch.randn(400, 32).bfloat16(), torch.randn(400, 32).bfloat16()
    dots = (x.float() * y.float()).sum(1).bfloat16()
    assert accord.explain(dots, inputs=(x, y)).verdict == "noise"
