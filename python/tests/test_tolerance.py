"""accord.tolerance: libraries keep the pairs that it gives."""

import pytest

import accord

np = pytest.importorskip("numpy")


def quick(*question, **how):
    return accord.tolerance(*question, samples=512, **how)


def split(a, b, parts=4):
    """Split-K: partial products that are added one after the other."""
    size = -(-a.shape[1] // parts)
    total = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for k in range(0, a.shape[1], size):
        total += a[:, k:k + size] @ b[k:k + size]
    return total


PRODUCTS = [np.matmul, split, lambda a, b: np.einsum("ik,kj->ij", a, b),
            lambda a, b: (a[:, :, None] * b[None]).sum(axis=1),
            lambda a, b: np.cumsum(a[:, :, None] * b[None], axis=1)[:, -1]]


@pytest.mark.parametrize("how", ["random", "repeated", "largest", "cancelling"])
def test_products(how):
    m, k = 16, 200
    found = quick("dot", k, "float32", a_max=2, elements=m * m)
    rng = np.random.default_rng(5)
    a, b = rng.uniform(-1, 1, (2, k, m)).astype("f4")
    a = 2 * a.T
    if how == "repeated":
        a[:] = 1.9
        b[:] = .1
    elif how == "largest":
        a[:] = 2
        b[:] = 1
    elif how == "cancelling":
        a[:, k // 2:] = -a[:, :k // 2]
        b[k // 2:] = b[:k // 2]
    results = [product(a, b) for product in PRODUCTS]
    exact = np.array([[accord.dot(row, column) for column in b.T] for row in a])
    for result in results:
        np.testing.assert_allclose(result, exact, **found.exact.proven)
        for other in results:
            np.testing.assert_allclose(result, other, **found.implementation.proven)
        if how == "random":
            np.testing.assert_allclose(result, exact, **found.exact.statistical)
            np.testing.assert_allclose(result, results[0], **found.implementation.statistical)


def test_faults_are_outside():
    found = quick("dot", 200, "float32", elements=64)
    x, y = np.random.default_rng(1).uniform(-1, 1, (2, 64, 200)).astype("f4")
    exact = np.array([accord.dot(*each) for each in zip(x, y)])
    dropped = np.einsum("ij,ij->i", x[:, :-1], y[:, :-1])
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(dropped, exact, **found.exact.proven)


def test_targets_and_inputs():
    of_sum = quick(np.sum, 50, "float32", budget="500calls")
    assert of_sum.accumulator == "f32" and of_sum.exact.proven["rtol"] == 0
    x = np.arange(1, 201, dtype="f4").reshape(4, 50)
    found = quick("sum", 50, "float32", inputs=x)
    assert found.elements == 4 and "do not cancel" in found.reason
    np.testing.assert_allclose(x.sum(axis=1), x.astype("f8").sum(axis=1), **found.exact.statistical)
    narrow = quick("dot", 50, "bfloat16", output="bfloat16")
    assert narrow.implementation.proven["rtol"] == pytest.approx(2 ** -7, rel=.05)
    many = quick(accord.gemm(np.matmul), shape=(2, 3, 40), budget="500calls")
    assert many.elements == 6


@pytest.mark.parametrize("n", [1, 3, 1023, 4097])
def test_odd_numbers_of_terms(n):
    found = quick("sum", n, "float32", elements=50)
    x = np.random.default_rng(n).uniform(-1, 1, (50, n)).astype("f4")
    exact = np.array([accord.sum(row) for row in x])
    for result in (x.sum(axis=1), np.cumsum(x, axis=1)[:, -1], np.cumsum(x[:, ::-1], axis=1)[:, -1]):
        np.testing.assert_allclose(result, exact, **found.exact.proven)
        np.testing.assert_allclose(result, exact, **found.exact.statistical)
    if n > 1:
        with pytest.raises(AssertionError):
            np.testing.assert_allclose(x[:, :-1].sum(axis=1), exact, **found.exact.statistical)


def test_rows_of_zeros_and_one_row():
    assert quick("sum", 5, "float32", inputs=np.zeros((3, 5))).exact.proven["atol"] < 1e-40
    assert quick(lambda x: x.sum(), 5, "float32", inputs=np.ones(5), budget="500calls").elements == 1


def test_torch():
    torch = pytest.importorskip("torch")
    found = quick("dot", 96, "bfloat16", output="bfloat16", elements=64)
    torch.manual_seed(0)
    a, b = (2 * torch.rand(2, 8, 96) - 1).bfloat16()
    result, other = a @ b.T, (a.float() @ b.T.float()).bfloat16()
    torch.testing.assert_close(result, other, **found.implementation.proven)
    torch.testing.assert_close(result, other, **found.implementation.statistical)
    torch.testing.assert_close(result.double(), a.double() @ b.double().T, **found.exact.proven)


def test_wrong_use():
    with pytest.raises(accord.ArgumentError, match="uniform or normal"):
        accord.tolerance("sum", 8, distribution="odd")
    with pytest.raises(accord.ArgumentError, match="positive"):
        accord.tolerance("sum", 8, a_max=0)
    with pytest.raises(accord.ArgumentError, match="no numbers"):
        accord.tolerance("sum", 8, inputs=np.zeros((0, 8)))
    with pytest.raises(accord.ArgumentError, match="input 1: a term is nan"):
        quick("sum", 2, inputs=[[1., 2.], [3., np.nan]])
    with pytest.raises(accord.ArgumentError, match="not 16"):
        accord.tolerance("sum", 8, inputs=[[1.0] * 7] * 2)
    with pytest.raises(accord.UnableError, match="overflow f16"):
        accord.tolerance("sum", 8, "float16", a_max=6e4)
