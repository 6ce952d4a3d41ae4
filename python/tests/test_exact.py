"""Exact sums, against rational arithmetic and math.fsum."""

from __future__ import annotations

import decimal
import fractions
import math
import random
import struct
from array import array

import accord
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
BITS = {"float64": ("<d", "<Q"), "float32": ("<f", "<I"), "float16": ("<e", "<H")}


def nearest(exact, dtype):
    """The number of the dtype nearest to a fraction, ties to even; infinity past the greatest."""
    if exact == 0:
        return 0.0
    precision, least, most = {"float64": (53, -1074, 1023), "float32": (24, -149, 127),
                              "float16": (11, -24, 15)}[dtype]
    exponent = math.floor(math.log2(abs(exact.numerator)) - math.log2(exact.denominator))
    while abs(exact) < fractions.Fraction(2) ** exponent:
        exponent -= 1
    while abs(exact) >= fractions.Fraction(2) ** (exponent + 1):
        exponent += 1
    quantum = fractions.Fraction(2) ** max(exponent - precision + 1, least)
    scaled = exact / quantum
    whole = round(scaled)  # Python rounds halves to even
    value = whole * quantum
    if abs(value) >= fractions.Fraction(2) ** (most + 1):
        return math.inf if value > 0 else -math.inf
    return float(value)


@given(st.lists(DOUBLES, max_size=60))
@settings(max_examples=300, deadline=None)
def test_sums_of_doubles(values):
    exact = sum(map(fractions.Fraction, values), fractions.Fraction(0))
    due = nearest(exact, "float64")
    assert accord.sum(values) == due
    assert accord.sum(np.array(values)[::-1]) == due
    assert accord.sum(array("d", values)) == due
    assert math.isinf(due) or accord.fsum(iter(values)) == due


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1,
                max_size=60))
@settings(max_examples=200, deadline=None)
def test_sums_of_singles(values):
    exact = sum(map(fractions.Fraction, values), fractions.Fraction(0))
    x = np.array(values, np.float32)
    assert accord.sum(x) == nearest(exact, "float32")
    assert accord.sum(x, dtype="float64") == nearest(exact, "float64")
    assert accord.sum(x, dtype="float16") == nearest(exact, "float16")
    assert accord.sum(np.repeat(x, 3)[::3]) == nearest(exact, "float32")


@given(st.lists(st.floats(width=16, allow_nan=False, allow_infinity=False), min_size=1,
                max_size=60))
@settings(max_examples=100, deadline=None)
def test_sums_of_halves(values):
    exact = sum(map(fractions.Fraction, values), fractions.Fraction(0))
    assert accord.sum(np.array(values, np.float16)) == nearest(exact, "float16")


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.random.default_rng(1).standard_normal(1000).astype(ml_dtypes.bfloat16)
    exact = sum(fractions.Fraction(float(v)) for v in x)
    assert accord.sum(x) == float(np.float64(float(exact)).astype(ml_dtypes.bfloat16))
    assert accord.sum(x, dtype="float64") == float(exact)
    assert accord.sum(x[::-3]) == accord.sum(x[::-3].copy())


@given(st.lists(st.tuples(DOUBLES, DOUBLES), max_size=40))
@settings(max_examples=200, deadline=None)
def test_dots(pairs):
    exact = sum((fractions.Fraction(a) * fractions.Fraction(b) for a, b in pairs),
                fractions.Fraction(0))
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    assert accord.dot(x, y) == nearest(exact, "float64")
    assert accord.dot(np.array(x)[::-1], np.array(y)[::-1]) == nearest(exact, "float64")


def test_dots_of_singles():
    draw = np.random.default_rng(2)
    x, y = draw.standard_normal((2, 501)).astype(np.float32)
    exact = sum(fractions.Fraction(float(a)) * fractions.Fraction(float(b)) for a, b in zip(x, y))
    assert accord.dot(x, y) == nearest(exact, "float32")
    assert accord.dot(x, y.astype(float)) == nearest(exact, "float64")
    for wrong in ((x, y[:-1]), (x.reshape(3, -1), y.reshape(3, -1))):
        with pytest.raises(accord.ArgumentError):
            accord.dot(*wrong)


@given(st.lists(st.one_of(DOUBLES, st.integers(-2**53, 2**53), st.booleans()), max_size=50))
@settings(max_examples=300, deadline=None)
def test_fsum_is_math_fsum(values):
    try:
        due = math.fsum(values)
    except OverflowError:  # where math.fsum may give up on the way, this does not
        exact = sum(fractions.Fraction(float(v)) for v in values)
        if math.isinf(nearest(exact, "float64")):
            with pytest.raises(OverflowError):
                accord.fsum(values)
        else:
            assert accord.fsum(values) == nearest(exact, "float64")
        return
    assert struct.pack("<d", accord.fsum(values)) == struct.pack("<d", due)


@given(st.lists(st.integers(-2**60, 2**60), min_size=1, max_size=50))
@example([70061853419560640, 25025857145855657])  # math.fsum rounds the second one, which is odd
def test_fsum_does_not_round_integers(values):
    assert accord.fsum(values) == nearest(fractions.Fraction(sum(values)), "float64")


@pytest.mark.parametrize("values", [[], [0.0], [-0.0], [-0.0, -0.0], [math.inf, 1], [-math.inf],
                                    [math.nan], [math.nan, math.inf], [1, -1]])
def test_fsum_of_special_values(values):
    assert struct.pack("<d", accord.fsum(values)) == struct.pack("<d", math.fsum(values))


def test_fsum_of_what_is_no_sum():
    for fsum in (math.fsum, accord.fsum):
        with pytest.raises(ValueError, match="-inf \\+ inf"):
            fsum([math.inf, -math.inf])
        with pytest.raises(OverflowError):
            fsum([1e308, 1e308])
        for wrong in (3, ["a"], [None], [10**400]):
            with pytest.raises((TypeError, OverflowError)):
                fsum(wrong)
    assert accord.fsum([1e308, 1e308, -1e308]) == 1e308
    assert accord.fsum(np.array([0.1] * 10)) == 1.0
    with pytest.raises(ZeroDivisionError):
        accord.fsum(1 / 0 for _ in range(3))


def test_special_values():
    assert math.copysign(1, accord.sum([])) == -1 and math.copysign(1, accord.sum([-0.0])) == -1
    assert math.copysign(1, accord.sum([-0.0, 0.0])) == 1
    assert math.isnan(accord.sum([math.inf, -math.inf])) and accord.sum([math.inf, 1]) == math.inf
    assert accord.sum([1.7e308, 1.7e308]) == math.inf


def test_roundings():
    x = [1.0, 2.0**-60]
    assert accord.sum(x, rounding="up") == 1 + 2**-52 and accord.sum(x, rounding="down") == 1
    assert accord.sum([-v for v in x], rounding="zero") == -1
    tie = [1.0, 2.0**-53]
    assert accord.sum(tie) == 1 and accord.sum(tie, rounding="away") == 1 + 2**-52
    with pytest.raises(accord.ArgumentError, match="rounding='odd'"):
        accord.sum(x, rounding="odd")


def test_shapes_and_strides():
    draw = np.random.default_rng(3)
    cube = draw.standard_normal((5, 6, 7)) * 10.0 ** draw.integers(-200, 200, (5, 6, 7))
    views = [cube, cube.T, cube[::2], cube[:, ::-1, 1:], cube[..., 3], cube.reshape(-1)[::3],
             np.broadcast_to(cube[0, 0], (4, 7)), cube[0, 0, 0], np.asfortranarray(cube),
             cube[:, :0]]
    records = np.zeros(30, [("a", "u1"), ("b", "f8")])
    records["b"] = draw.standard_normal(30)
    for view in [*views, records["b"]]:
        exact = sum(map(fractions.Fraction, np.array(view).ravel().tolist()), fractions.Fraction(0))
        assert accord.sum(view) == nearest(exact, "float64")
        assert accord.sum(np.array(view), threads=0) == nearest(exact, "float64")


def test_other_numbers():
    assert accord.sum(np.arange(10, dtype=np.int32)) == 45
    assert accord.sum((1, 2, 3)) == 6 and accord.sum(i for i in range(4)) == 6
    assert accord.sum(np.arange(3, dtype=complex)) == 3
    for wrong in (np.arange(3, dtype=np.clongdouble), np.array(["a"]), b"abc"):
        with pytest.raises((accord.ArgumentError, ValueError)):
            accord.sum(wrong)
    assert accord.sum([1.0], axis=0) == 1
    assert accord.sum(iter([fractions.Fraction(1, 3)] * 3)) == 1
    assert accord.sum(iter([decimal.Decimal("0.1"), 2**60 + 1, 0.5, -2**60])) == 1.6
    assert math.isnan(accord.sum(iter([fractions.Fraction(1, 3), math.nan])))
    third, great = fractions.Fraction(1, 3), 2**2000
    for odd in (third, great):  # what no float holds: the same from an iterator
        for items in ([odd, -odd], [odd, -odd, -0.0], [-0.0, odd, 1.5, -odd], [odd, math.inf],
                      [math.inf, odd, -math.inf], [odd, math.nan], [-odd, -1]):
            for rounding in ("nearest", "down"):
                due = accord.sum(items, rounding=rounding)
                assert str(accord.sum(iter(items), rounding=rounding)) == str(due)
    assert str(accord.sum([great, -great, -0.0])) == "0.0" == str(accord.sum([third, -third]))
    assert accord.sum([great, 1.0]) == math.inf == accord.sum(iter([great, 1.0]))


def test_no_order_changes_it():
    draw = random.Random(1)
    values = [draw.uniform(-1, 1) * 2.0 ** draw.randint(-300, 300) for _ in range(2000)]
    due = accord.sum(values)
    for _ in range(5):
        draw.shuffle(values)
        assert accord.sum(values) == due
        assert accord.sum(np.array(values), threads=3) == due


EXACT = st.one_of(DOUBLES, st.integers(-2**200, 2**200), st.fractions(), st.booleans(),
                  st.decimals(allow_nan=False, allow_infinity=False, places=3))


@given(st.lists(EXACT, min_size=1, max_size=20))
@settings(max_examples=300, deadline=None)
def test_sums_of_numbers_that_no_array_holds(values):
    exact = sum(map(fractions.Fraction, values), fractions.Fraction(0))
    for dtype in BITS:
        assert accord.sum(values, dtype=dtype) == nearest(exact, dtype)
        down, up = (accord.sum(values, dtype=dtype, rounding=way) for way in ("down", "up"))
        assert down == -math.inf or fractions.Fraction(down) <= exact
        assert up == math.inf or fractions.Fraction(up) >= exact
        assert accord.sum(values, dtype=dtype, rounding="zero") == (down if exact > 0 else up)
        if math.isfinite(down) and math.isfinite(up) and down != up:
            assert np.nextafter(np.dtype(dtype).type(down), np.dtype(dtype).type(np.inf)) == up
    pairs = list(zip(values, reversed(values)))
    exact = sum((fractions.Fraction(a) * fractions.Fraction(b) for a, b in pairs),
                fractions.Fraction(0))
    assert accord.dot(values, values[::-1]) == nearest(exact, "float64")


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("order", "<>")
def test_sums_of_integers(dtype, order):
    dtype = np.dtype(order + dtype if dtype != "?" else dtype)
    draw = np.random.default_rng(3)
    x = np.frombuffer(draw.bytes(999 * dtype.itemsize), dtype)
    if dtype.kind == "b":
        x = draw.random(999) < 0.5
    exact = sum(int(v) for v in x)
    assert accord.sum(x) == accord.sum(x.reshape(3, -1).T) == float(exact)
    assert accord.sum(x[::-2]) == float(sum(int(v) for v in x[::-2]))
    assert accord.dot(x, x) == float(sum(int(v) ** 2 for v in x))
    assert accord.fsum(x) == float(exact)


def test_integers_are_not_rounded_first():
    for values in ([2**53 + 1, -2**53], np.array([2**53 + 1, -2**53]),
                   array("q", [2**53 + 1, -2**53])):
        assert accord.sum(values) == 1 and accord.fsum(values) == 1
    assert accord.sum([10**400, 1, -10**400]) == 1
    assert accord.sum([10**400]) == math.inf
    assert accord.sum(np.array([10**400, 1, -10**400], object)) == 1
    assert accord.dot([2**62 + 1, 1], [2**62 - 1, -2**124]) == -1
    with pytest.raises(OverflowError):
        accord.fsum([10**400])
    for odd in (fractions.Fraction(1, 3), decimal.Decimal("0.1")):
        with pytest.raises(TypeError, match="use accord.sum"):
            accord.fsum([odd])


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">f2"])
def test_the_other_order_of_bytes(dtype):
    x = np.random.default_rng(4).standard_normal((7, 40)).astype(dtype)
    native = x.astype(x.dtype.newbyteorder("="))
    assert accord.sum(x) == accord.sum(native) and accord.sum(x[:, ::3]) == accord.sum(native[:, ::3])
    assert math.copysign(1, accord.sum(np.array([-0.0], dtype))) == -1
    if dtype != ">f2":
        assert accord.dot(x[0], native[1]) == accord.dot(native[0], native[1])


def test_what_is_masked_is_left_out():
    x = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    assert accord.sum(x) == 4 and accord.dot(x, x) == 10 and accord.dot(x, [1, 1, 1]) == 4
    assert accord.dot([1.0, 1.0, 1.0], x) == 4
    assert accord.sum(np.ma.array([1.0], mask=True)) == 0
    assert accord.sum(np.ma.array(np.eye(3, dtype=np.float32), mask=np.eye(3))) == 0
    assert accord.sum(np.ma.array([2**60 + 1, 5], mask=[0, 1])) == 2.0**60
    with pytest.raises(accord.ArgumentError, match="masked"):
        accord.sum([1.0, np.ma.masked])


@pytest.mark.parametrize("wrong", [[[1, 2], [3]], [1, [2]], [[[1], [2]], [[3]]], ["1"], "12", b"12",
                                   [None], [1j, "1"], [np.longdouble(1) / 3],
                                   [decimal.Decimal("1e999999999")]])
def test_what_cannot_be_summed_exactly_is_refused(wrong):
    with pytest.raises(accord.ArgumentError):
        accord.sum(wrong)
    with pytest.raises(accord.ArgumentError):
        accord.dot(wrong, wrong)


def test_rows_of_one_length():
    assert accord.sum([[1.5, 2], [3, 4]]) == accord.sum([[[1.5]], [[9]]]) == 10.5
    assert accord.sum([np.array([1.0, 2.5]), (3, 4)]) == 10.5
    assert accord.sum([np.float32(0.1), np.int64(2**62 + 1), -2**62]) == 1 + float(np.float32(0.1))
