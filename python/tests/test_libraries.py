"""The table of functions of libraries, and a few rows of it, each where its library is there."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import accord
from accord import libraries

np = pytest.importorskip("numpy")


def case_of(library: str, function: str) -> libraries.Case:
    pytest.importorskip(library)
    return next(case for case in libraries.cases(library) if case.function == function)


def replays(case: libraries.Case, n: int, dtype: str = "float32") -> accord.Order:
    order = case.reveal(n, dtype)
    counts = order.counts
    assert order.proven and order.model
    assert counts["replays"] > 0 and counts["replays_agreed"] == counts["replays"]
    return order


@pytest.mark.parametrize("function", ["sum", "sum(axis=0)", "sum(axis=1)", "mean", "dot", "matmul",
                                      "inner", "einsum i,i", "cumsum, its last", "add.reduceat"])
def test_numpy_is_replayed(function):
    replays(case_of("numpy", function), 24)


def test_what_is_replayed_is_numpys_own():
    order = replays(case_of("numpy", "sum"), 200)
    x = np.random.default_rng(5).standard_normal((100, 200)).astype(np.float32)
    assert all(order.replay(row) == np.sum(row) for row in x)
    assert order.replay(x[0]) != order.replay(x[1])


def test_scipys_blas_is_replayed():
    replays(case_of("scipy", "linalg.blas.?gemv"), 24)


@pytest.mark.parametrize("function", ["sum", "nn.functional.linear", "nn.functional.conv1d",
                                      "nn.functional.scaled_dot_product_attention"])
def test_torch_is_replayed(function):
    replays(case_of("torch", function), 16)


def test_a_convolution_is_the_one_that_torch_computes():
    torch = pytest.importorskip("torch")
    order = replays(case_of("torch", "nn.functional.conv1d"), 16)
    x, y = torch.randn(2, 16, generator=torch.Generator().manual_seed(3))
    convolve = libraries._convolution(torch, torch.nn.functional.conv1d, 16, torch.float32)
    assert order.replay(x, y) == convolve(x, y).item()
    assert abs(order.replay(x, y) - torch.dot(x.double(), y.double()).item()) < 1e-5


def test_a_layer_norms_mean_is_refused_with_its_reason():
    found = libraries.row(case_of("torch", "nn.functional.layer_norm"), 64, "float32")
    assert found["verdict"] == "refused" and found["reason"] and not found["fingerprint"]


@pytest.mark.parametrize("function", ["numpy.sum", "numpy.matmul"])
def test_jax_is_replayed(function):
    replays(case_of("jax", function), 16)


def test_fsum_is_refused_as_exact():
    fsum = next(case for case in libraries.cases("python") if case.function == "math.fsum")
    found = libraries.row(fsum, 24, "float64")
    assert found["verdict"] == "refused" and "exact" in found["reason"]
    assert found["probes"] > 0


def test_a_library_that_is_missing_is_an_import_error(monkeypatch):
    monkeypatch.setattr(libraries, "mkl_library", lambda: None)
    with pytest.raises(ImportError, match="mkl"):
        libraries.cases("mkl")


def test_a_row_of_a_callable_that_fails_tells_why():
    def broken(x):
        raise RuntimeError("no sums today")

    case = libraries.Case("numpy", "broken", ("float32",), lambda n, dtype: (broken, {"n": n}))
    found = libraries.row(case, 8, "float32")
    assert found["verdict"] == "failed" and "no sums today" in found["reason"]


# ---- an order in one line ----


def brackets(nodes: list[str], fold: str) -> str:
    while len(nodes) > 1:
        if fold == "sequential":
            nodes = [f"({nodes[0]}+{nodes[1]})", *nodes[2:]]
        else:
            nodes = [f"({a}+{b})" for a, b in zip(nodes[::2], nodes[1::2])]
    return nodes[0]


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("length", [2, 3, 5])
def test_lanes_joined_in_any_way_are_seen(lanes, length):
    names = list(range(lanes))
    random.Random(lanes * length).shuffle(names)
    chains = [brackets([str(lane + lanes * k) for k in range(length)], "sequential")
              for lane in names]
    order = accord.Order.from_text(brackets(chains, "neighbours"))
    found = libraries.one_line(order, 200)
    if order.pattern[:1].isdigit() and " lane" not in order.pattern:
        joined = accord.Order.from_text(brackets([str(lane) for lane in names], "neighbours")).text
        assert found == f"{lanes} lanes of {length}, joined {joined}"
    else:
        assert found == order.pattern


def test_other_orders_are_given_in_brackets_cut_short():
    order = accord.Order.from_text("((((0+3)+1)+(2+5))+4)")
    assert libraries.one_line(order) == f"5 additions, 4 deep: {order.text}"
    order = accord.Order.from_text("((((0+3)+6)+9)+(((1+4)+7)+((2+5)+8)))")
    assert libraries._chains(order.text) == "([0,3..9]+([1,4..7]+[2,5..8]))"
    assert libraries.one_line(order, 9).endswith("…")


def test_the_denominator_of_a_softmax_is_the_sum_up_to_its_roundings():
    x = np.array([0.5, -3, 0, 2], dtype=np.float64)
    denominator = libraries._denominator(lambda z: 1 / np.exp(z - z.max()).sum(), np, "float64")
    with np.errstate(all="ignore"):
        assert abs(Fraction(denominator(x)) - Fraction(11, 2)) < Fraction(1, 2**45)
        assert denominator(np.zeros(3)) == 0
