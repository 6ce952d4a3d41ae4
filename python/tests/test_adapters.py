"""Adapters: many sums at once come back as what each of them is, whatever the layout."""

from __future__ import annotations

import itertools
import random
import xml.etree.ElementTree as ElementTree

import accord
import numpy as np
import pytest
from conftest import Tree, of_table

SHAPES = [(1, 1, 5), (4, 3, 9), (5, 18, 17), (1, 7, 12), (17, 1, 12), (5, 5, 1)]


class Sums:
    """Element (r, c) adds its terms along tree (r + 2 c) mod 3."""

    def __init__(self, n, seed=1):
        draw = random.Random(seed)
        self.trees = [Tree(n, draw) for _ in range(3)]

    def of(self, r, c):
        return self.trees[(r + 2 * c) % 3]

    def product(self, a, b, start=None):
        """a: (m, k), b: (n, k). Each tree adds all elements, of which each takes its own."""
        terms = list(np.moveaxis(a[:, None] * b, 2, 0)) + ([start] if start is not None else [])
        own = (np.arange(len(a))[:, None] + 2 * np.arange(len(b))) % len(self.trees)
        return np.choose(own, [tree.add(terms) for tree in self.trees])


def text_of(tree):
    from accord import _accord

    return accord.Order(_accord.from_parents(tree.n, tree.parents())).text


@pytest.mark.parametrize("start, shape, transpose", of_table(list(itertools.product(
    [False, True], SHAPES, ["NN", "NT", "TN", "TT"]))))
def test_gemm(start, shape, transpose):
    m, n, k = shape
    sums = Sums(k + start)

    def product(a, b, c=None):
        assert a.shape == ((m, k) if transpose[0] == "N" else (k, m))
        assert b.shape == ((k, n) if transpose[1] == "N" else (n, k))
        assert a.flags.c_contiguous and b.flags.c_contiguous
        return sums.product(a if transpose[0] == "N" else a.T, b.T if transpose[1] == "N" else b, c)

    target = accord.gemm(product, transpose, start)
    for element in {(0, 0), (m - 1, n - 1), (m // 2, 0)}:
        order = accord.reveal(target, shape=shape, element=element)
        assert order.text == text_of(sums.of(*element)), element
        assert order.proven and order.counts["replays_agreed"] == order.counts["replays"]
        assert order.fields["element"] == "%d,%d" % element if n > 1 else True
        assert order.model.term == "product" and order.fields["transpose"] == transpose
        assert order.fields["shape"] == f"{m}x{n}x{k}" and order.n == k + start


@pytest.mark.parametrize("transpose", ["N", "T"])
def test_gemv(transpose):
    sums = Sums(11)

    def product(a, x):
        assert x.shape == (11,) and a.shape == ((7, 11) if transpose == "N" else (11, 7))
        return sums.product(a if transpose == "N" else a.T, x[None])[:, 0]

    for row in (0, 3, 6):
        order = accord.reveal(accord.gemv(product, transpose), shape=(7, 11), element=row)
        assert order.text == text_of(sums.of(row, 0)) and order.fields["element"] == str(row)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axis(axis):
    sums = Sums(13)

    def add(a, axis):
        lines = a if axis == 1 else a.T
        return np.array([sums.of(r, 0).add(list(line)) for r, line in enumerate(lines)])

    shape = (13, 6) if axis == 0 else (6, 13)
    for element in (0, 5):
        order = accord.reveal(accord.axis(add, axis), shape=shape, element=element)
        assert order.text == text_of(sums.of(element, 0))
        assert order.fields["signature"] == ("columns" if axis == 0 else "rows")
    found = accord.map(accord.axis(add, axis), shape=shape)
    assert found.class_of[:, 0].tolist() == [0, 1, 2, 0, 1, 2]
    assert [c.certified for c in found.classes] == [2, 2, 2]


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_formats(dtype):
    pytest.importorskip("ml_dtypes")
    sums = Sums(9)
    order = accord.reveal(accord.gemm(lambda a, b: sums.product(a, b.T)), shape=(3, 4, 9),
                          dtype=dtype, element=(2, 1))
    assert order.text == text_of(sums.of(2, 1)) and order.dtype == dtype
    assert order.model.output == dtype


def test_dot():
    tree = Tree(17, random.Random(4))
    order = accord.reveal(accord.dot(lambda x, y: tree.add(list(x * y))), n=17)
    assert order.text == text_of(tree) and order.model.term == "product"
    assert order.model.words == "f32 to nearest, products rounded first"
    fused = accord.reveal(accord.dot(np.dot), n=64)
    x, y = np.random.default_rng(1).standard_normal((2, 64)).astype(np.float32)
    assert fused.replay(x, y) == float(np.dot(x, y))


def test_kinds_of_results():
    a = accord.reveal(accord.axis(lambda a: a.sum(1).tolist(), 1, None), shape=(3, 9))
    b = accord.reveal(accord.axis(lambda a: tuple(a.sum(1)), 1, None), shape=(3, 9))
    c = accord.reveal(accord.axis(lambda a: np.stack([a.sum(1), a.sum(0)[:3]], 1)[:, 0], 1, None),
                      shape=(3, 9))
    assert a.text == b.text == c.text
    nested = accord.reveal(accord.gemm(lambda a, b: (a @ b).tolist()), shape=(3, 4, 9))
    assert nested.text == accord.reveal(accord.gemm(np.matmul), shape=(3, 4, 9)).text


@pytest.mark.parametrize("array", ["memoryview", "list"])
def test_without_numpy_arrays(array):
    def add(rows):
        rows = rows if isinstance(rows, list) else rows.tolist()
        return [(row[0] + row[1]) + (row[2] + row[3]) for row in rows]

    order = accord.reveal(accord.axis(add, 1, None), shape=(3, 4), dtype="float64", array=array)
    assert order.text == "((0+1)+(2+3))"


def test_few_calls():
    """Elements that add alike answer along."""
    order = accord.reveal(accord.gemm(np.matmul), shape=(64, 64, 64), element=(63, 63))
    assert 0 < order.counts["discovery_calls"] < 200 + order.answers.inputs


def test_long_products_of_a_narrow_format():
    """f16 has no room for nested masks: elements that add alike are held against the order node by
    node, or by samples."""
    for n in (129, 200):
        order = accord.reveal(accord.gemm(np.matmul), shape=(2, 3, n), dtype="float16")
        assert order.proven and order.counts["nodes_confirmed"] == n - 1


def test_maps():
    sums = Sums(10)
    found = accord.map(accord.gemm(lambda a, b: sums.product(a, b.T)), shape=(5, 7, 10))
    assert found.shape == (5, 7) and len(found.classes) == 3 and not found.uniform
    for r in range(5):
        for c in range(7):
            assert found[r, c].text == text_of(sums.of(r, c))
    assert sum(c.members for c in found.classes) == 35
    assert all(c.certified == c.members for c in found.classes)
    again = accord.Map.from_json(found.to_json())
    assert again.class_of.tolist() == found.class_of.tolist()
    assert again.classes[1].order == found.classes[1].order
    assert found.to_html().startswith("<!DOCTYPE html>")
    assert ElementTree.fromstring(found.to_svg()).tag.endswith("svg") and "3 classes" in str(found)
    assert "for (" in found.to_c() and found.fields["replays"] == found.fields["replays_agreed"] > 0
    with pytest.raises(IndexError):
        found[5, 0]
    order = found.classes[0].order
    del found
    assert order.text == text_of(sums.of(0, 0))


def test_maps_of_what_has_one_result():
    with pytest.raises(accord.UnsupportedError, match="one result"):
        accord.map(np.sum, n=8)
    with pytest.raises(accord.ParseError):
        accord.Map.from_json("{}")


def test_wrong_questions():
    product = accord.gemm(np.matmul)
    for shape in ((3, 4), (3, 4, 0), (3, 4, -1), (3, 4, 2.5), "3x4x5", (1, 2, 3, 4)):
        with pytest.raises(accord.ArgumentError):
            accord.reveal(product, shape=shape)
    with pytest.raises(accord.ArgumentError, match="outside"):
        accord.reveal(product, shape=(3, 4, 5), element=(3, 0))
    with pytest.raises(accord.ArgumentError, match="n is 6"):
        accord.reveal(product, n=6, shape=(3, 4, 5))
    for element in ("x", (1, 2, 3), 1.5):
        with pytest.raises(accord.ArgumentError, match="element"):
            accord.reveal(product, shape=(3, 4, 5), element=element)
    for wrong in (lambda: accord.gemm(np.matmul, "NX"), lambda: accord.gemv(np.matmul, "NN"),
                  lambda: accord.axis(np.sum, 2), lambda: accord.gemm(3)):
        with pytest.raises(accord.ArgumentError):
            wrong()


def test_reprs():
    assert repr(accord.gemm(np.matmul)) == "accord.gemm(numpy.matmul)"
    assert repr(accord.axis(np.sum, -1)) == "accord.axis(numpy.sum, 1)"
    assert repr(accord.dot(np.dot)) == "accord.dot(numpy.dot)"
    assert str(accord.sweep(np.sum, n=[8])).startswith("numpy.sum\n")


def test_batches_share_calls_with_kept_matrices():
    kept = []

    def product(a, b):
        kept.append((a, a.copy(), b[:, :1], b[:, :1].copy()))
        return a @ b

    order = accord.reveal(accord.gemm(product), shape=(6, 4, 20), certificate=False)
    assert order.text == accord.reveal(accord.gemm(np.matmul), shape=(6, 4, 20)).text
    assert all(np.array_equal(k[0], k[1]) and np.array_equal(k[2], k[3]) for k in kept)
