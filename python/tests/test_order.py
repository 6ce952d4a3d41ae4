"""What an Order says and does, and two of them beside each other."""

from __future__ import annotations

import array
import base64
import copy
import json
import pickle
import random
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import accord
import numpy as np
import pytest
from accord import Order, _accord
from conftest import Tree
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def order():
    return accord.reveal(np.sum, n=20)


def test_what_it_says(order):
    assert order.n == 20 and order.dtype == "float32"
    assert order.text.count("+") == 19 and len(order.fingerprint) == 32
    assert order.pattern == "as NumPy's pairwise sum"
    assert order.notation == "20: (lanes 8; pairs) of 16; chain"
    assert Order.from_text(order.notation).text == order.text
    assert order.line == order.notation + ",terms=f32,start=zero"
    assert Order.from_text(order.line).model == order.model
    with pytest.raises(accord.ParseError, match="column 5"):
        Order.from_text("20: chian")
    with pytest.raises(accord.ParseError, match="column 12"):
        Order.from_text("20: chain {f65},terms=f32")
    assert Order.from_text(order.notation).line is None
    assert order.names == ()
    assert accord.synthetic("recursive-halving", 8).names == ("recursive halving",)
    assert len(accord.synthetic("sequential", 4).names) > 1
    assert str(order.model) == "f32 to nearest"
    assert (order.model.input, order.model.output, order.model.term) == ("float32", "float32",
                                                                         "value")
    assert order.verdict.startswith("The 20 terms are added in one fixed order")
    assert order.counts["nodes_confirmed"] == 19 and order.timings["target"] > 0
    assert order.reason is None and order.proven
    for word in ("python:numpy.sum", "20 terms of float32", order.fingerprint, "2000 of 2000"):
        assert word in order.summary()
    assert "n=20" in repr(order) and "──┐" in str(order)
    assert "──┐" not in order.report(utf8=False)


def test_json_comes_back(order):
    text = order.to_json()
    assert json.loads(text)["tree"]["leaves"] == 20
    for again in (Order.from_json(text), pickle.loads(pickle.dumps(order)), copy.deepcopy(order)):
        assert again == order and hash(again) == hash(order)
        assert again.to_json() == text and again.model == order.model


def test_files_that_are_no_orders():
    for text, where in (("((0+1)", "column"), ("{", "line 1"), ("[]", "number of a leaf"),
                        ("", "white space"), ('{"accord": 99}', "99"), ("(0+0)", "0"),
                        (b"\xff\xfe", "line 1")):
        with pytest.raises(accord.ParseError, match=where):
            Order.from_json(text)
    with pytest.raises(accord.ArgumentError, match="from_json"):
        Order.from_text('{"accord": 1}')
    with pytest.raises(TypeError):
        Order.from_json(3)


@given(n=st.integers(1, 60), seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_text_and_parents_come_back(n, seed):
    tree = Tree(n, random.Random(seed))
    order = Order(_accord.from_parents(n, tree.parents()))
    again = Order.from_text(order.text)
    assert again == order and again.parents == order.parents and again.n == n
    assert Order(_accord.from_parents(n, order.parents)) == order


def test_parents_that_are_no_tree():
    for leaves, parents in ((2, [2, 2, 2]), (2, [None, None, None]), (0, []), (3, [1]),
                            (2, [2, 0, None]), (1, [0])):
        with pytest.raises(accord.ArgumentError):
            _accord.from_parents(leaves, parents)
    with pytest.raises(TypeError):
        _accord.from_parents(1, ["a"])


def test_equality():
    single, double = (accord.reveal(np.sum, n=20, dtype=d) for d in ("float32", "float64"))
    assert single == accord.reveal(np.sum, n=20, seed=5)
    assert single != double and single.fingerprint == double.fingerprint
    assert single != single.order_alone() and double.order_alone() == single.order_alone()
    assert single != "an order" and not single == 3
    assert len({single, accord.reveal(np.sum, n=20), double}) == 2
    nothing = []
    for add in (lambda x: np.nan, lambda x: np.inf):
        with pytest.raises(accord.UnableError) as caught:
            accord.reveal(add, n=20)
        nothing.append(caught.value.order)
    assert nothing[0] == nothing[0] and nothing[0] != nothing[1] and nothing[0] != single


def test_it_never_changes(order):
    with pytest.raises(AttributeError):
        order.n = 3
    with pytest.raises(AttributeError):
        order._record.leaves = 3
    with pytest.raises(TypeError):
        _accord.Record()
    with pytest.raises(TypeError):
        _accord.Target()
    order.fields["n"] = 7
    assert order.n == 20 and order.fields["n"] == 20


# ---- pictures ----


def test_pictures(order):
    svg = order.to_svg()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert order._repr_svg_() == svg
    assert order.to_html().startswith("<!DOCTYPE html>") and order.notation in order.to_html()
    large = accord.synthetic("300: lanes 4; halves", 300)
    assert len(large.to_svg()) < 5000 < 50000 < len(large.to_svg(expand=True))
    page = order._repr_html_()
    assert "NumPy&#x27;s pairwise sum" in page and "<style" not in page
    picture = base64.b64decode(page.partition("base64,")[2].partition('"')[0])
    assert picture.decode() == svg
    rows = accord.map(accord.axis(np.sum, 1), shape=(3, 8))
    assert "<img" in rows._repr_html_() and "max-width:100%" in rows._repr_html_()
    assert order.to_dot().startswith("digraph")
    large = accord.synthetic("sequential", 5000)
    assert large._repr_svg_() is None and "<img" not in large._repr_html_()
    hostile = accord.reveal(np.sum, n=3, name="<script>alert(1)</script>")
    assert "<script>" not in hostile._repr_html_()


# ---- replay ----


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_replay_is_what_numpy_gives(dtype):
    draw = np.random.default_rng(1)
    order = accord.reveal(np.sum, n=333, dtype=dtype)
    rows = draw.standard_normal((50, 333)).astype(dtype)
    given = rows.copy()
    results = order.replay(rows)
    assert results.dtype == np.dtype(dtype) and results.shape == (50,)
    assert results.tobytes() == np.array([np.sum(row) for row in rows]).tobytes()
    assert np.array_equal(rows, given)
    assert order.replay(rows[0]) == float(np.sum(rows[0]))
    assert order.replay(rows[0].tolist()) == float(np.sum(rows[0]))
    assert order.replay(rows[:, ::-1]).tolist() == [
        float(np.sum(np.ascontiguousarray(row[::-1]))) for row in rows]
    assert order.replay(memoryview(rows[0])) == float(np.sum(rows[0]))


def test_replay_of_products():
    draw = np.random.default_rng(2)
    order = accord.reveal(accord.dot(np.dot), n=40)
    x, y = draw.standard_normal((2, 40)).astype(np.float32)
    assert order.replay(x, y) == float(np.dot(x, y))
    assert order.replay(x) == float(np.dot(x, np.ones_like(x)))
    rows = draw.standard_normal((2, 7, 40)).astype(np.float32)
    assert order.replay(*rows).tolist() == [float(np.dot(a, b)) for a, b in zip(*rows)]


def test_replay_of_what_does_not_fit(order):
    with pytest.raises(accord.ArgumentError, match="takes 20"):
        order.replay(np.ones(19, np.float32))
    with pytest.raises(accord.ArgumentError, match="two dimensions"):
        order.replay(np.ones(40, np.float32))
    with pytest.raises(accord.ArgumentError, match="number 3 of x, 0.1"):
        order.replay([1.0, 1.0, 1.0, 0.1] + [1.0] * 16)
    with pytest.raises(accord.ArgumentError, match="not products"):
        order.replay(np.ones(20), np.ones(20))
    with pytest.raises(accord.ArgumentError, match="no start"):
        order.replay(np.ones(20), start=[1.0])
    with pytest.raises(accord.ArgumentError, match="arithmetic is not known"):
        order.order_alone().replay(np.ones(20))
    for wrong in ("twenty numbers, say", None, [None] * 20, {}, [2**62 + 1] * 20,
                  np.ones(20, complex), [[1.0], [1.0, 2.0]]):
        with pytest.raises((accord.ArgumentError, ValueError, TypeError)):
            order.replay(wrong)


def test_replay_of_special_values(order):
    x = np.ones(20, np.float32)
    x[3] = np.nan
    assert np.isnan(order.replay(x))
    x[3] = np.inf
    assert order.replay(x) == np.inf
    assert np.signbit(order.replay(np.full(20, -0.0, np.float32))) == np.signbit(
        np.sum(np.full(20, -0.0, np.float32)))


def test_plain():
    alone = Order.from_text("((0+1)+2)")
    assert alone.plain("float32").replay([1, 2**-24, 2**-24]) == 1
    assert alone.plain("float32", "float64", "float64").replay([1, 2**-24, 2**-24]) == 1 + 2**-23
    assert alone.plain("float16", products=True).model.term == "product"


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_c_gives_the_same_bits(tmp_path):
    import ctypes

    order = accord.reveal(np.sum, n=37)
    (tmp_path / "add.c").write_text(order.to_c("add"))
    subprocess.run(["cc", "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", "add.so", "add.c",
                    "-lm"], cwd=tmp_path, check=True)
    add = ctypes.CDLL(str(tmp_path / "add.so")).add
    add.restype = ctypes.c_float
    for x in np.random.default_rng(3).standard_normal((100, 37)).astype(np.float32):
        assert add(x.ctypes.data_as(ctypes.c_void_p)) == float(np.sum(x))
    with pytest.raises(accord.ArgumentError):
        order.to_c("not a name")


def test_alternatives():
    told = json.loads(accord.synthetic("mean", 3, "float32").to_json())
    told["arithmetic"] |= {"finish": "over", "factor": 10.0}
    del told["arithmetic"]["line"]
    other = told["arithmetic"] | {"finish": "times", "factor": 0.125, "searched": 8192}
    order = Order.from_json(json.dumps(told | {"alternatives": [other]}))
    assert [str(a.model) for a in order.alternatives] == ["f32 to nearest; times 0.125 at the end"]
    x = [1, 2, 5]
    assert order.replay(x) == np.float32(0.8)
    for which in (1, "1", "times 0.125"):
        assert order.replay(x, alternative=which) == order.alternative(which).replay(x) == 1
        assert "0.125" in order.to_c(alternative=which) or "0x1p-3" in order.to_c(alternative=which)
    assert order.alternative(0) is order and order.to_c(alternative=0) == order.to_c()
    assert order.alternatives[0].alternative("divided by 10") == order
    assert "times 0.125" in order.summary()
    assert pickle.loads(pickle.dumps(order)).alternatives == order.alternatives
    assert Order.from_text("((0+1)+2)").alternatives == ()
    for wrong in (2, -1, "times"):
        with pytest.raises(accord.ArgumentError, match="choose from 1"):
            order.alternative(wrong)
    with pytest.raises(accord.ArgumentError, match="has no alternatives"):
        Order.from_text("((0+1)+2)").alternative(1)


# ---- diff ----


@given(n=st.integers(2, 30), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_differences_are_true(n, seed):
    draw = random.Random(seed)
    trees = [Tree(n, draw), Tree(n, draw)]
    a, b = (Order(_accord.from_parents(n, tree.parents())).plain("float32") for tree in trees)
    found = accord.diff(a, b)
    assert bool(found) == (a.text != b.text) and found.same == (a == b)
    if not found:
        assert found.witness is None and found.terms() == []
        return
    terms = set(found.terms())
    assert len(terms) == found.node.size and min(terms) == found.node.smallest

    def clades(tree):
        under = [{i} for i in range(n)]
        for p, q in tree.nodes:
            under.append(under[p] | under[q])
        return under

    mine, others = (trees if found.node.of == "a" else trees[::-1])
    assert terms in clades(mine) and terms not in clades(others)
    if found.witness:
        x = np.array(found.witness.x, np.float32)
        sums = [float(tree.add(list(x))) for tree in trees]
        assert sums == [found.witness.a, found.witness.b] and sums[0] != sums[1]
        assert sums == [a.replay(x), b.replay(x)]


def test_difference_in_words():
    a = accord.reveal(np.sum, n=7)
    b = accord.reveal(lambda x: functools_reduce(x[::-1]), n=7)
    found = accord.diff(a, b)
    words = str(found)
    assert "Different orders of 7 terms" in words
    assert "A computes the sum of the 2 terms 0, 1; B never computes that sum" in words
    assert words.count("a run just now gave the same result") == 2
    assert found.witness.asked_a == found.witness.a and found.witness.asked_b == found.witness.b
    other = accord.diff(a, accord.reveal(lambda x: np.sum(x, dtype=np.float64), n=7))
    assert other.same_order and not other.same and "f64" in other.arithmetic
    assert "Same order of 7 terms, different arithmetic" in str(other)
    assert "Same order of 7 terms, same arithmetic" in str(accord.diff(a, a))


def functools_reduce(x):
    total = x[0]
    for value in x[1:]:
        total = total + value
    return total


def test_what_cannot_be_compared():
    with pytest.raises(accord.UnableError) as caught:
        accord.reveal(lambda x: np.nan, n=7)
    found = accord.diff(caught.value.order, accord.synthetic("pairwise", 7))
    assert found and "no fixed order" in str(found) and found.node is None


# ---- check ----


def test_check():
    recorded = accord.reveal(np.sum, n=50).to_json()
    assert accord.check(recorded, np.sum).verdict == "same"
    other = accord.check(recorded, lambda x: functools_reduce(x))
    assert not other and "changed" in other.verdict and "Different orders" in str(other)
    gone = accord.check(recorded, lambda x: np.nan)
    assert not gone and gone.now.reason == "not-finite" and gone.difference.sameness == "differs"
    old = json.loads(recorded)
    old["question"]["library_version"] = "numpy 0.1"
    elsewhere = accord.check(json.dumps(old), functools_reduce)
    assert elsewhere.verdict == "changed-elsewhere"
    assert elsewhere.circumstances["library_version"][0] == "numpy 0.1"
    with pytest.raises(accord.UnableError) as caught:
        accord.reveal(lambda x: np.nan, n=9)
    assert accord.check(caught.value.order, lambda x: np.nan)


def test_check_asks_the_same_question():
    for target, shape, element in ((accord.gemm(np.matmul), (5, 13, 24), (0, 12)),
                                   (accord.gemv(np.matmul), (9, 30), 4),
                                   (accord.axis(np.sum, 0), (12, 5), 3),
                                   (accord.axis(np.sum, 1), (5, 12), 3)):
        recorded = accord.reveal(target, shape=shape, element=element)
        again = accord.check(recorded, target)
        assert again and not again.circumstances
        for name in ("shape", "element", "n", "signature", "transpose"):
            assert again.now.fields[name] == recorded.fields[name], name


class Capsule:
    """Speaks DLPack and nothing else."""

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **how):
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_dlpack(order):
    x = np.random.default_rng(4).standard_normal(20).astype(np.float32)
    assert order.replay(Capsule(x)) == order.replay(x)
    assert accord.sum(Capsule(x)) == accord.sum(x) and accord.dot(Capsule(x), x) > 0
    rows = accord.reveal(accord.axis(lambda a: Capsule(a.sum(1)), 1, None), shape=(3, 9))
    assert rows.text == accord.reveal(accord.axis(np.sum, 1), shape=(3, 9)).text


def test_replay_refuses_what_would_not_be_added():
    order = accord.synthetic("sequential", 4, dtype="float32")
    for wrong in (np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0]), [[1, 2, 3, 4], [5]],
                  [1, 2, 3, 0.1], [1, 2, 3, 2**53 + 1], [Fraction(1), 2, 3, 4],
                  np.ones((2, 3, 4), np.float32)):
        with pytest.raises(accord.ArgumentError):
            order.replay(wrong)
    wide = accord.synthetic("sequential", 2, dtype="float64")
    for rounded in ([2**53 + 1, 0.5], (2**64 - 1, 1), [[2**53 + 1, 0.5], [1, 2]],
                    array.array("q", [2**53 + 1, 1]), np.array([2**64 - 1, 1], np.uint64)):
        with pytest.raises(accord.ArgumentError, match="cannot be represented"):
            wide.replay(rounded)
    assert wide.replay([2**53, 0.5]) == 2**53 and wide.replay(array.array("q", [1, 2])) == 3
    assert order.replay(np.arange(4, dtype=">f4")) == 6
    assert order.replay(np.ma.array([1.0, 2, 3, 4])) == 10


# ---- different counts ----


def common_of(parents, n, keep):
    """The clades of a tree, of the terms below `keep` alone."""
    under = [frozenset([i]) if i < n else frozenset() for i in range(len(parents))]
    for node, parent in enumerate(parents):
        if parent is not None:
            under[parent] |= under[node]
    return {clade for each in under if len(clade := frozenset(t for t in each if t < keep)) > 1}


@pytest.mark.parametrize("notation", ["sequential", "reverse", "pairwise", "lanes:4", "numpy", "yule"])
@pytest.mark.parametrize("counts", [(7, 8), (8, 7), (16, 33), (100, 129), (20, 20)])
def test_orders_of_different_counts(notation, counts):
    a, b = (accord.synthetic(notation, n, seed=n) for n in counts)
    found = accord.diff(a, b)
    if a.n == b.n:
        assert found.common is None and found.same
        return
    common, least = found.common, min(counts)
    longer, shorter = (a, b) if a.n > b.n else (b, a)
    assert common.terms == least and common.order.n == least and found.witness is None
    due = common_of(longer.parents, longer.n, least)
    assert common_of(common.order.parents, least, least) == due
    assert common.same_order == (common_of(shorter.parents, least, least) == due) == found.same
    assert common.after + common.within + common.beside_terms == longer.n - least
    assert (found.node is None) == found.same and str(found)
    if found.node:
        assert len(found.terms()) == found.node.size
        owner, other = (a, b) if found.node.of == "a" else (b, a)
        assert frozenset(found.terms()) in common_of(owner.parents, owner.n, least)
        assert frozenset(found.terms()) not in common_of(other.parents, other.n, least)


def test_different_counts_in_words():
    found = accord.diff(accord.synthetic("sequential", 7), accord.synthetic("sequential", 8))
    assert found.same and found.sameness == "same" and found.same_order
    assert "after all common terms" in str(found) and "7 and 8 terms" in str(found)
    found = accord.diff(accord.synthetic("pairwise", 7), accord.synthetic("pairwise", 8))
    assert found and "different orders on the 7 terms in common" in str(found)
    limited = accord.reveal(np.sum, n=9, budget="60calls", loose=True)
    assert accord.diff(limited, accord.reveal(np.sum, n=10)).sameness == "cannot-tell"
    with pytest.raises(accord.CannotTellError):
        bool(accord.diff(limited, accord.reveal(np.sum, n=10)))
