"""Accumulators: numbers in any parts, files, processes; results against rational arithmetic."""

from __future__ import annotations

import copy
import math
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import accord
import numpy as np
import pytest
from accord._rational import root, rounded
from hypothesis import given, settings
from hypothesis import strategies as st

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
PAIRS = st.lists(st.tuples(DOUBLES, DOUBLES), min_size=1, max_size=30)


def total(items):
    return sum(map(Fraction, items), Fraction(0))


@given(st.lists(st.lists(DOUBLES, max_size=20), max_size=6))
@settings(max_examples=200, deadline=None)
def test_parts_give_the_same_sum(parts):
    items = [v for part in parts for v in part]
    whole, merged, one_by_one = accord.Accumulator(items), accord.Accumulator(), accord.Accumulator()
    for part in parts:
        merged += accord.Accumulator(np.array(part))
    for v in reversed(items):
        one_by_one.add(v)
    assert whole.to_bytes() == merged.to_bytes() == one_by_one.to_bytes()
    assert whole == merged and whole.terms == len(items)
    due = rounded(total(items), "f64", "nearest") if items else -0.0
    assert whole.value() == due
    if items and math.isfinite(due):
        assert whole.fraction() == total(items)
        assert whole.mean() == rounded(total(items) / len(items), "f64", "nearest")
        assert total(whole.expansion()) == total(items)
        low, high = whole.interval()
        assert low <= total(items) <= high and high in (low, math.nextafter(low, math.inf))


@given(PAIRS, st.sampled_from([0, 1]), st.sampled_from(["nearest", "down", "up", "zero", "away"]))
@settings(max_examples=200, deadline=None)
def test_moments_and_pairs(pairs, ddof, rounding):
    x, y = zip(*pairs)
    n, how = len(x), {"rounding": rounding}
    moments = accord.Accumulator(x, kind="moments")
    both = accord.Accumulator(x, y, kind="pairs")
    squares = total(Fraction(v) ** 2 for v in x)
    products = total(Fraction(v) * Fraction(w) for v, w in pairs)
    assert moments.norm(**how) == root(squares, "f64", rounding)
    assert moments.rms(**how) == root(squares / n, "f64", rounding)
    assert both.value(**how) == rounded(products, "f64", rounding) or products == 0
    assert accord.Accumulator(x, y, kind="dot").value(**how) == both.value(**how)
    assert accord.Accumulator(x, kind="dot").norm(**how) == moments.norm(**how)
    if total(y):
        assert both.weighted_mean(**how) == rounded(products / total(y), "f64", rounding) or products == 0
    if n > ddof:
        spread = (n * squares - total(x) ** 2) / (n * (n - ddof))
        assert moments.var(ddof=ddof, **how) == (rounded(spread, "f64", rounding) if spread else 0)
        assert moments.std(ddof=ddof, **how) == root(spread, "f64", rounding)
        cov = (n * products - total(x) * total(y)) / (n * (n - ddof))
        assert both.cov(ddof=ddof, **how) == (rounded(cov, "f64", rounding) if cov else 0)
    else:
        assert math.isnan(moments.var(ddof=ddof)) and math.isnan(both.cov(ddof=ddof))
    single = moments.var(dtype="float32")
    spread = (squares - total(x) ** 2 / n) / n
    assert single == (rounded(spread, "f32", "nearest") if spread else 0)


@given(st.lists(DOUBLES, max_size=8), st.lists(DOUBLES, max_size=8), DOUBLES)
@settings(max_examples=200, deadline=None)
def test_comparisons(x, y, alpha):
    a, b = accord.Accumulator(x), accord.Accumulator(y)
    p, q = total(x), total(y)
    assert (a == b, a != b, a < b, a <= b, a > b, a >= b) == (
        p == q, p != q, p < q, p <= q, p > q, p >= q)
    assert (a == alpha, a < alpha, a > 3) == (p == Fraction(alpha), p < Fraction(alpha), p > 3)
    assert a.distance(b) == (rounded(p - q, "f64", "nearest") if p != q else 0)
    assert a.scaled(alpha) == (rounded(p * Fraction(alpha), "f64", "nearest") if p and alpha else 0)
    if p and q:
        assert a.quotient(b) == rounded(p / q, "f64", "nearest")
    assert (a - b).fraction() == p - q if math.isfinite((a - b).value()) else True
    assert (a + b).to_bytes() == accord.Accumulator(x + y).to_bytes()


def test_nan_compares_with_nothing():
    nan = accord.Accumulator([math.nan])
    assert not nan == nan and not nan < 1 and not nan >= accord.Accumulator([1.0]) and nan != 1
    up = accord.Accumulator([math.inf])
    assert up == math.inf and up > 1e308 and up == accord.Accumulator([math.inf, 1.0])
    with pytest.raises(TypeError):
        hash(up)
    with pytest.raises(TypeError):
        up < "1"


def test_every_kind_of_number():
    items = [1, 2**70 + 1, True, Fraction(1, 8), 0.5, np.float32(0.25), 0]
    held = accord.Accumulator(items)
    assert held.fraction() == sum(Fraction(float(v) if isinstance(v, np.float32) else v) for v in items)
    assert held.terms == len(items)
    for dtype in ("float64", "float32", "float16", "int64", "uint8", "bool", ">f8", ">i4"):
        x = np.arange(12).reshape(3, 4).astype(dtype)
        due = sum(Fraction(float(v)) for v in x.ravel())
        assert accord.Accumulator(x).fraction() == due
        assert accord.Accumulator(x[::2, ::-1]).fraction() == sum(
            Fraction(float(v)) for v in x[::2, ::-1].ravel())
        assert accord.Accumulator(x.ravel(), kind="dot").fraction() == sum(
            Fraction(float(v)) ** 2 for v in x.ravel())
    masked = np.ma.array([1.0, 2.0, 4.0], mask=[0, 1, 0])
    assert accord.Accumulator(masked).value() == 5
    assert accord.Accumulator(masked, np.ones(3), kind="dot").value() == 5
    assert accord.Accumulator(masked, kind="moments").terms == 2


@pytest.mark.parametrize("wrong", [Fraction(1, 3), "1", [1, "2"], b"12345678", 2**2000,
                                   np.array([1j]), Fraction(1, 2**2000)])
def test_what_an_accumulator_does_not_hold(wrong):
    held = accord.Accumulator([1.0])
    with pytest.raises(accord.ArgumentError):
        held.add(wrong)
    assert held.value() == 1 and held.terms == 1


def test_misuse():
    held = accord.Accumulator([1.0])
    with pytest.raises(accord.ArgumentError):
        accord.Accumulator(kind="median")
    for call in (held.var, held.norm, held.cov, held.weighted_mean):
        with pytest.raises(accord.ArgumentError, match="kind"):
            call()
    with pytest.raises(accord.ArgumentError, match="products"):
        held.add([1.0], [2.0])
    with pytest.raises(accord.ArgumentError, match="kind"):
        held.merge(accord.Accumulator(kind="dot"))
    with pytest.raises(accord.ArgumentError):
        held.value(rounding="up down")
    with pytest.raises(accord.ArgumentError):
        accord.Accumulator(kind="pairs").add([1.0])
    with pytest.raises(accord.ArgumentError, match="equally many"):
        accord.Accumulator([1.0], [1.0, 2.0], kind="dot")
    with pytest.raises(accord.ArgumentError, match="not a sum of floats"):
        accord.Accumulator([Fraction(1, 3)], kind="moments")
    with pytest.raises(accord.ArgumentError, match="not a sum of floats"):
        accord.Accumulator([2**1100], kind="moments")
    with pytest.raises(accord.ArgumentError, match="real numbers"):
        accord.Accumulator([1j], kind="moments")
    with pytest.raises(TypeError):
        held + 1
    with pytest.raises(TypeError):
        held += 1


@pytest.mark.parametrize("take", [list, lambda x: np.array(x, dtype=np.int64),
                                  lambda x: np.array(x, dtype=object)])
def test_products_of_integers_beyond_floats(take):
    """Each product is one term, whatever it takes to add it."""
    draw = random.Random(3)
    x, y = ([draw.choice([0, 1, draw.randint(-2**63, 2**63 - 1)]) for _ in range(40)]
            for _ in range(2))
    due = sum(a * b for a, b in zip(x, y))
    dot = accord.Accumulator(take(x), take(y), kind="dot")
    assert dot.fraction() == due and dot.terms == 40
    assert dot.mean() == float(Fraction(due, 40))
    pairs = accord.Accumulator(take(x), take(y), kind="pairs")
    assert pairs.fraction() == due and pairs.terms == 40
    assert pairs.cov() == float(Fraction(due, 40) - Fraction(sum(x) * sum(y), 1600))
    moments = accord.Accumulator(take(x), kind="moments")
    assert moments.fraction() == sum(x) and moments.terms == 40
    assert moments.var() == float(Fraction(sum(a * a for a in x), 40) - Fraction(sum(x), 40) ** 2)
    one_by_one = accord.Accumulator(kind="dot")
    for a, b in sorted(zip(x, y)):
        one_by_one.add([a], [b])
    assert one_by_one.to_bytes() == dot.to_bytes()
    dot.subtract(take(x), take(y))
    assert dot.value() == 0 and dot.terms == 80


def test_products_of_other_numbers_beyond_floats():
    great = 2**200 + 1
    dot = accord.Accumulator([great, Decimal("0.5"), Fraction(1, 4)], [3, 2**60 + 1, 2.0], kind="dot")
    assert dot.fraction() == 3 * great + Fraction(2**60 + 1, 2) + Fraction(1, 2) and dot.terms == 3
    assert accord.Accumulator([great, 1], [math.inf, 1], kind="dot").value() == math.inf
    assert math.isnan(accord.Accumulator([great], [math.nan], kind="dot").value())


# ---- iterators and files ----


def test_iterators():
    x = np.random.default_rng(1).standard_normal(200_000) * 1e10
    due = accord.sum(x)
    assert accord.Accumulator(iter(x.tolist())).value() == due
    assert accord.Accumulator(x[k:k + 999] for k in range(0, len(x), 999)).value() == due
    assert accord.sum(float(v) for v in x) == due
    assert accord.mean(iter(x.tolist())) == accord.mean(x)
    assert accord.var((x[k:k + 999] for k in range(0, len(x), 999)), ddof=1) == accord.var(x, ddof=1)
    mixed = iter([1.0, np.array([2.0, 3.0]), [4, 5], 6])
    assert accord.Accumulator(mixed).value() == 21
    halves = (iter([x[:100], x[100:]]), iter([x[:100], x[100:]]))
    assert accord.Accumulator(*halves, kind="dot").norm() == accord.norm(x)
    with pytest.raises(accord.ArgumentError, match="ends before"):
        accord.Accumulator(iter([x]), iter([]), kind="dot")


def test_an_iterator_that_fails_keeps_what_it_gave():
    def numbers():
        yield np.ones(5)
        raise ValueError("no more")

    held = accord.Accumulator()
    with pytest.raises(ValueError, match="no more"):
        held.add(numbers())
    assert held.value() == 5


def test_memory_maps(tmp_path):
    path = tmp_path / "x.f64"
    x = np.random.default_rng(2).standard_normal(300_000)
    x.tofile(path)
    mapped = np.memmap(path, dtype=np.float64, mode="r")
    assert accord.sum(mapped) == accord.sum(x)
    assert accord.Accumulator(mapped, kind="moments").var() == accord.var(x)
    np.save(tmp_path / "x.npy", x.reshape(300, 1000))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert accord.sum(mapped, axis=0).tolist() == accord.sum(x.reshape(300, 1000), axis=0).tolist()


def test_memory_stays_small(tmp_path):
    """A generator of 64 MB of numbers is never in memory as a whole."""
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    accord.Accumulator(np.full(100_000, 0.1) for _ in range(80))
    accord.sum(0.1 for _ in range(1_000_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000


@pytest.mark.parametrize("kind", ["sum", "dot", "moments", "pairs"])
def test_saved_and_loaded(kind, tmp_path):
    x, y = [1e300, 1.0, -0.1], [2.0, 1e-300, 7.0]
    held = accord.Accumulator(x, y if kind in ("dot", "pairs") else None, kind=kind)
    held.save(tmp_path / "part")
    for again in (accord.Accumulator.load(tmp_path / "part"), pickle.loads(pickle.dumps(held)),
                  copy.copy(held), copy.deepcopy(held),
                  accord.Accumulator.from_bytes(held.to_bytes())):
        assert again.kind == kind and again.to_bytes() == held.to_bytes() and again == held
        again.add([1.0], [1.0] if kind in ("dot", "pairs") else None)
        assert again.terms == held.terms + 1
    assert os.listdir(tmp_path) == ["part"]
    data = held.to_bytes()
    for broken in (data[:-1], data + b"0", b"", data[:20] + bytes([data[20] ^ 1]) + data[21:],
                   b"accordEX" * 60, data * 5):
        with pytest.raises(accord.Error):
            accord.Accumulator.from_bytes(broken)


def test_parts_that_do_not_belong_together_are_refused():
    a, b = accord.Accumulator([1.0, 2.0]), accord.Accumulator([1.0], kind="dot")
    with pytest.raises(accord.ParseError, match="different terms"):
        accord.Accumulator.from_bytes(a.to_bytes() + b.to_bytes())


def test_the_command_reads_what_python_saves(tmp_path):
    accord.Accumulator([1e100, 1.0]).save(tmp_path / "a")
    accord.Accumulator([-1e100]).save(tmp_path / "b")
    command = [os.path.join(os.path.dirname(sys.executable), "accord"), "sum", "--merge",
               str(tmp_path / "a"), str(tmp_path / "b"), "--save", str(tmp_path / "c")]
    subprocess.run(command, check=True, capture_output=True)
    assert accord.Accumulator.load(tmp_path / "c").value() == 1


def _part(numbers):
    return accord.Accumulator(numbers, kind="moments")


def test_processes():
    x = np.random.default_rng(3).standard_normal(40_000) * 1e8
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.map(_part, np.array_split(x, 7))
    merged = parts[0]
    for part in parts[1:]:
        merged += part
    assert merged.to_bytes() == accord.Accumulator(x, kind="moments").to_bytes()


def test_threads_share_an_accumulator():
    from concurrent.futures import ThreadPoolExecutor

    x = np.random.default_rng(4).standard_normal((64, 5000))
    held = accord.Accumulator()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(held.add, x))
    assert held.value() == accord.sum(x) and held.terms == x.size
    counted, interval = accord.Accumulator(kind="moments"), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(counted.add, [[1.0]] * 4000))
    finally:
        sys.setswitchinterval(interval)
    assert counted.terms == 4000 and counted.value() == 4000


def test_subtraction():
    held = accord.Accumulator([1e100, 1.0, 3.0])
    held.subtract([1e100]).subtract(accord.Accumulator([3.0]))
    assert held.value() == 1 and held.decimal() == "1"
    window = accord.Accumulator([1.0, 2.0], kind="moments")
    window.subtract([1.0])
    assert window.terms == 3
    assert accord.Accumulator([math.inf]).subtract([math.inf]).value() != 0


def test_words():
    held = accord.Accumulator([0.1, 0.2])
    assert held.decimal() == "0.3000000000000000166533453693773481063544750213623046875"
    assert "0.30000000000000004" in repr(held) and "2 terms" in repr(held) and float(held) == 0.1 + 0.2
    with pytest.raises(ValueError):
        accord.Accumulator([math.nan]).fraction()
