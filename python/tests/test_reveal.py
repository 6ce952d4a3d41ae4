"""Orders of callables: trees drawn at random come back, in every format and as every array."""

from __future__ import annotations

import functools
import math
import random
import warnings

import accord
import numpy as np
import pytest
from accord import _accord
from conftest import Tree
from hypothesis import given, settings
from hypothesis import strategies as st


@given(n=st.integers(1, 40), seed=st.integers(0, 2**32), double=st.booleans())
@settings(max_examples=40, deadline=None)
def test_random_trees_come_back(n, seed, double):
    tree = Tree(n, random.Random(seed))
    due = accord.Order(_accord.from_parents(n, tree.parents()))
    order = accord.reveal(tree, n=n, dtype="float64" if double else "float32", seed=seed)
    assert order.text == due.text
    assert order.fingerprint == due.fingerprint
    assert order.proven and order.n == n
    assert order.counts["replays_agreed"] == order.counts["replays"]
    assert n == 1 or order.model.words == ("f64" if double else "f32") + " to nearest"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_narrow_formats(dtype, tree_of):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kind = np.float16 if dtype == "float16" else getattr(ml_dtypes, dtype)
    tree, due = tree_of(12, 5)
    given = []

    def add(x):
        given.append(x.dtype)
        return tree.add(list(x))

    order = accord.reveal(add, n=12, dtype=dtype)
    assert order.text == due.text
    assert set(given) == {np.dtype(kind)}
    assert order.dtype == dtype and order.model.output == dtype
    x = np.linspace(-1, 1, 12).astype(kind)
    assert order.replay(x) == float(tree.add(list(x)))
    assert order.replay(np.stack([x, x[::-1]])).dtype == np.dtype(kind)


def test_a_wider_accumulator_and_a_wider_result(tree_of):
    tree, due = tree_of(20, 3)
    wide = accord.reveal(lambda x: np.float32(tree.add(x.astype(np.float64))), n=20)
    assert wide.text == due.text
    assert wide.model.words == "f32 terms in f64 to nearest; result rounded to f32"
    wider = accord.reveal(lambda x: float(tree.add(x.astype(np.float64))), n=20)
    assert wider.model.output == "float64" and wider.text == due.text


@pytest.mark.parametrize("array", ["numpy", "memoryview", "list"])
@pytest.mark.parametrize("copy", [False, True])
def test_kinds_of_arrays(array, copy, tree_of):
    tree, due = tree_of(15, 8)
    kinds = set()

    def add(x):
        kinds.add(type(x))
        return tree.add(x)

    order = accord.reveal(add, n=15, dtype="float64", array=array, copy=copy)
    assert order.text == due.text
    assert kinds == {{"numpy": np.ndarray, "memoryview": memoryview, "list": list}[array]}


def test_a_converter(tree_of):
    tree, due = tree_of(9, 1)
    order = accord.reveal(lambda x: tree.add(list(x)), n=9, array=lambda x: tuple(x))
    assert order.text == due.text
    with pytest.raises(accord.ArgumentError, match="array='pandas'"):
        accord.reveal(sum, n=3, array="pandas")


def test_arrays_are_not_copied():
    addresses = set()

    def add(x):
        addresses.add(x.ctypes.data)
        return x.sum()

    accord.reveal(add, n=100)
    assert len(addresses) == 1 and addresses.pop() % 64 == 0


def test_numpy_has_the_order_it_is_known_for():
    for n in (1, 2, 7, 8, 100, 128, 1000):
        order = accord.reveal(np.sum, n=n)
        assert order.text == accord.synthetic("numpy", n).text, n
        x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        assert order.replay(x) == float(np.sum(x))


def test_algorithms_agree(tree_of):
    tree, due = tree_of(8, 2)
    for algorithm in accord.info()["algorithms"]:
        order = accord.reveal(tree, n=8, algorithm=algorithm)
        assert order.text == due.text, algorithm
    with pytest.raises(accord.ArgumentError, match="algorithm"):
        accord.reveal(tree, n=8, algorithm="best")


def test_without_a_certificate(tree_of):
    tree, due = tree_of(30, 4)
    order = accord.reveal(tree, n=30, certificate=False)
    assert order.text == due.text and not order.proven and order.model is None
    assert order.counts["certificate_calls"] == 0
    assert "not explained" in order.summary()


def test_limits(tree_of):
    tree, due = tree_of(30, 4)
    order = accord.reveal(tree, n=30, replays=20)
    assert order.text == due.text and not order.proven and order.fields["replays"] == 20
    assert "1980 of 2000 random inputs" in order.fields["left_out"]
    assert "not proven" in order.fields["verdict"]
    order = accord.reveal(tree, n=30, budget="300calls")
    assert order.text == due.text and not order.proven and order.fields["left_out"]
    assert accord.reveal(tree, n=30, budget=1e6).proven
    for budget in ("5calls", 1e-9, "1e-9s"):
        with pytest.raises(accord.BudgetError, match="the budget of") as caught:
            accord.reveal(tree, n=30, budget=budget)
        assert caught.value.reason == "budget" and caught.value.order.fields["left_out"]
    for wrong in ({"budget": "soon"}, {"budget": 0}, {"budget": -1.0}, {"replays": 0}):
        with pytest.raises(accord.ArgumentError):
            accord.reveal(tree, n=30, **wrong)
    with pytest.raises(accord.BudgetError):
        accord.map(accord.gemm(np.matmul), shape=(3, 4, 20), budget="10calls")
    order = accord.reveal(accord.gemm(np.matmul), shape=(3, 4, 20), budget="300calls")
    assert not order.proven and order.fields["left_out"]


def test_no_order():
    with pytest.raises(accord.ExactError) as caught:
        accord.reveal(math.fsum, n=20, dtype="float64")
    assert caught.value.status == "unable" and caught.value.reason == "exact"
    assert isinstance(caught.value, accord.UnableError)
    assert caught.value.order.reason == "exact" and caught.value.order.fingerprint is None
    assert "exact" in caught.value.order.summary()
    with pytest.raises(accord.TermLostError):
        accord.reveal(lambda x: np.sum(x[:-1]), n=10)
    with pytest.raises(accord.TermTwiceError):
        accord.reveal(lambda x: np.sum(x) + x[3], n=10)
    with pytest.raises(accord.UnableError):
        accord.reveal(np.max, n=10)
    with pytest.raises(accord.UnableError):
        accord.reveal(lambda x: np.sum(np.sort(x)), n=10)


def test_means_and_products():
    x = np.random.default_rng(1).standard_normal(12).astype(np.float32)
    for scaled in (np.mean, lambda x: np.float32(0.5) * np.sum(x)):
        order = accord.reveal(scaled, n=12)
        assert order.text == accord.synthetic("numpy", 12).text
        assert order.fields["scale"] < 1
        assert order.counts["replays_agreed"] == order.counts["replays"] > 2000
        assert order.replay(x) == float(scaled(x))
    squares = accord.reveal(lambda x: np.add.reduce(x * x), n=12)
    assert squares.model.term == "square"
    assert squares.replay(x) == float(np.add.reduce(x * x))


def test_numpy_warns_of_nothing():
    """Masks and random inputs overflow on purpose, whatever numpy.seterr says."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert accord.reveal(lambda x: np.add.reduce(x * x), n=12).proven
        accord.map(accord.gemm(np.matmul), shape=(3, 4, 9))
        accord.features(np.sum, n=9)


@pytest.mark.parametrize("n", [4, 8, 33])
def test_squares_in_fewer_bits_are_not_called_scaled(n):
    def squares(x):
        rows = np.array([np.add.reduce(x * x)])
        return (rows.view(np.uint32) & 0xFFFF0000).view(np.float32)[0]

    with pytest.raises(accord.OutOfRangeError, match="fewer bits than the result"):
        accord.reveal(squares, n=n)


def test_notations():
    order = accord.reveal("synthetic:lanes:4", n=16)
    assert order == accord.reveal("synthetic:lanes:4", n=16)
    assert order.fields["target"] == "synthetic:lanes:4"
    with pytest.raises(accord.ArgumentError, match="did you mean"):
        accord.reveal("syntetic:pairwise", n=8)
    with pytest.raises(accord.TargetError):
        accord.reveal("so:./nothing.so:f", n=8)
    with pytest.raises(TypeError, match="colour"):
        accord.reveal("synthetic:pairwise", n=8, colour="red")


def test_questions_that_are_none():
    for n in (0, -3, 2**40):
        with pytest.raises(accord.ArgumentError, match="1 to"):
            accord.reveal(np.sum, n=n)
    with pytest.raises(accord.ArgumentError, match="number of terms is missing"):
        accord.reveal(np.sum)
    with pytest.raises(accord.ArgumentError, match="n='8'"):
        accord.reveal(np.sum, n="8")
    with pytest.raises(accord.ArgumentError, match="cannot be called"):
        accord.reveal(3, n=8)
    with pytest.raises(accord.ArgumentError, match="no number format"):
        accord.reveal(np.sum, n=8, dtype="int32")
    with pytest.raises(accord.ArgumentError, match="leave shape out"):
        accord.reveal(np.sum, shape=(3, 4))
    with pytest.raises(accord.ArgumentError, match="leave element out"):
        accord.reveal(np.sum, n=8, element=0)
    with pytest.raises(TypeError, match="alpha"):
        accord.reveal(np.sum, n=8, alpha=2)


def test_dtypes_by_any_name():
    for dtype in ("float32", "f32", np.float32, np.dtype("float32"), "single", "<f4"):
        assert accord.reveal(np.sum, n=3, dtype=dtype).dtype == "float32"
    assert accord.reveal(np.sum, n=3, dtype=float).dtype == "float64"


def test_names():
    assert accord.reveal(np.sum, n=3).fields["target"] == "python:numpy.sum"
    assert accord.reveal(np.add.reduce, n=3).fields["target"] == "python:numpy.add.reduce"
    assert accord.reveal(functools.partial(np.sum, dtype=np.float64), n=3).fields[
        "target"] == "python:numpy.sum"
    assert accord.reveal(lambda x: x.sum(), n=3, name="mine").fields["target"] == "mine"
    fields = accord.reveal(np.sum, n=3).fields
    assert fields["library_version"].startswith(f"numpy {np.__version__}, ")
    assert fields["library"] == np.__file__


def test_progress(tree_of):
    seen = []
    tree, _ = tree_of(60, 1)
    accord.reveal(tree, n=60, progress=lambda *what: seen.append(what))
    assert seen and all(isinstance(stage, str) and done >= 0 for stage, done, _ in seen)


def test_large_sums():
    order = accord.reveal(np.sum, n=20000)
    assert order.text == accord.synthetic("numpy", 20000).text
    assert order.proven
