"""Exact results of every kind of operand, in every format of a result, against rational arithmetic;
and what an accumulator compares with, is saved as, and is written to."""

from __future__ import annotations

import math
import os
import pickle
import threading
import warnings
from decimal import Decimal
from fractions import Fraction

import accord
import numpy as np
import pytest
from accord._rational import root, rounded

FORMATS = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}
ROUNDINGS = ("nearest", "zero", "down", "up", "away")


def spread(items, ddof):
    n, mean = len(items), sum(items, Fraction(0)) / len(items)
    return sum(((v - mean) ** 2 for v in items), Fraction(0)) / (n - ddof)


@pytest.mark.parametrize("dtype", FORMATS)
def test_every_result_in_every_format(dtype):
    """Rounded once: a tie of the narrow format that float32 or float64 does not see decides."""
    draw, short = np.random.default_rng(3), FORMATS[dtype]
    for _ in range(60):
        x = (draw.standard_normal(7) * 2.0 ** draw.integers(-30, 14)).astype(np.float32)
        if draw.random() < 0.3:  # means next to halves of the last place
            x = np.float32([1 + 2.0**-draw.integers(7, 12), 1 + 2.0**-23, 1, 1])
        items, rounding = list(map(Fraction, x.tolist())), ROUNDINGS[draw.integers(5)]
        squares = sum((v * v for v in items), Fraction(0))
        total = sum(items, Fraction(0))
        due = {"sum": rounded(total, short, rounding),
               "mean": rounded(total / len(x), short, rounding),
               "norm": root(squares, short, rounding), "rms": root(squares / len(x), short, rounding),
               "var": rounded(spread(items, 1), short, rounding),
               "std": root(spread(items, 1), short, rounding)}
        how = {"dtype": dtype, "rounding": rounding}
        held = accord.Accumulator(x, kind="moments")
        for name, value in due.items():
            more = {"ddof": 1} if name in ("var", "std") else {}
            assert getattr(accord, name)(x, **how, **more) == value, (name, x, how)
            finish = getattr(held, "value" if name == "sum" else name)
            assert finish(**how, **more) == value, (name, x, how)
        assert accord.dot(x, x, **how) == rounded(squares, short, rounding)
        assert accord.dot(x.tolist(), x, **how) == rounded(squares, short, rounding)
        other = accord.Accumulator(x[:3].astype(np.float64))
        assert held.quotient(other, **how) == rounded(total / other.fraction(), short, rounding)
        assert held.distance(other, **how) == rounded(total - other.fraction(), short, rounding)
        alpha = Fraction(int(draw.integers(-99, 99)), 7)
        for factor in (alpha, float(alpha)):
            product = total * Fraction(factor)
            scaled = held.scaled(factor, **how)
            assert scaled == (rounded(product, short, rounding) if product else 0), (factor, how)


def test_scaled_by_what_is_special():
    for alpha in (math.inf, -math.inf, math.nan, 0, -0.0):
        for numbers in ([1.5], [-2.0], [0.0], [1e308] * 2, [math.inf], [1.0, -1.0]):
            held = accord.Accumulator(numbers)
            due = (held.value() if math.isinf(numbers[0]) else float(np.sign(held.fraction()))) * alpha
            for dtype in FORMATS:
                found = held.scaled(alpha, dtype=dtype)
                assert found == due or found != found and due != due, (alpha, numbers, dtype)


def test_a_wide_sum_that_underflows_is_scaled_before_it_is_rounded():
    held = accord.Accumulator([1e-200], [1e-200], kind="dot")
    assert held.value() == 0 and held.scaled(1e300, dtype="float32", rounding="up") > 0
    due = rounded(Fraction(1e-200) ** 2 * Fraction(1e300), "f64", "nearest")
    assert held.scaled(1e300) == held.scaled(Fraction(1e300)) == due


def test_numbers_of_8_bits():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    draw = np.random.default_rng(4)
    for kind in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        x = draw.standard_normal((6, 50)).astype(kind)
        y = draw.standard_normal((6, 50)).astype(kind)
        a, b = x.astype(np.float64), y.astype(np.float64)
        assert accord.sum(x) == accord.sum(a, dtype="float32")
        assert accord.sum(x, axis=1).dtype == np.float32
        assert accord.dot(x[0], y[0]) == accord.dot(a[0], b[0], dtype="float32")
        assert (accord.dot(x, y, axis=1) == accord.dot(a, b, axis=1).astype(np.float32)).all()
        assert accord.Accumulator(x) == accord.Accumulator(a)
        assert accord.var(x[0]) == accord.var(a[0], dtype="float32")
    x = draw.standard_normal((6, 50)).astype(ml_dtypes.bfloat16)
    assert accord.Accumulator(x) == accord.Accumulator(x.astype(np.float64))


def test_tensors_of_8_bits_and_complex_ones():
    torch = pytest.importorskip("torch")
    x = torch.tensor([1.5, -2.0, 0.25])
    for kind in (torch.float8_e4m3fn, torch.float8_e5m2):
        assert accord.sum(x.to(kind)) == -0.25 and accord.mean(x[1:].to(kind)) == -0.875
        assert accord.dot(x.to(kind), x.to(kind)) == 6.3125
    assert accord.sum(torch.tensor([1 + 2j, 3.5])) == 4.5 + 2j


@pytest.mark.parametrize("add", [accord.sum, accord.norm, accord.Accumulator])
def test_tensors_without_numbers_at_hand_are_refused(add):
    torch = pytest.importorskip("torch")
    with pytest.raises(accord.ArgumentError, match="to_dense"):
        add(torch.eye(3).to_sparse())
    with pytest.raises(accord.ArgumentError, match="no numbers"):
        add(torch.ones(3, device="meta"))


def test_what_is_no_sequence_is_refused():
    with pytest.raises(accord.ArgumentError, match="NoneType"):
        accord.sum(None)
    with pytest.raises(ZeroDivisionError):  # the user's own error stays
        accord.sum(1 / k for k in range(2))


def test_fields_of_records_lie_unevenly():
    x = np.zeros(40, dtype=[("a", "i1"), ("x", "f8"), ("y", "f4")])
    x["x"], x["y"] = np.random.default_rng(5).standard_normal((2, 40))
    plain, keys = x["x"].copy(), np.arange(40) % 3
    assert accord.sum(x["x"]) == accord.sum(plain)
    assert accord.dot(x["x"], x["x"]) == accord.dot(plain, plain)
    assert accord.dot(x["y"], x["y"]) == accord.dot(x["y"].copy(), x["y"].copy())
    assert (accord.cumsum(x["x"]) == accord.cumsum(plain)).all()
    assert (accord.groupby_sum(x["x"], keys)[1] == accord.groupby_sum(plain, keys)[1]).all()


@pytest.mark.parametrize("dtype", ["int64", "uint64", ">i8"])
def test_integers_of_64_bits_by_key(dtype):
    kind, draw = np.dtype(dtype), np.random.default_rng(6)
    info = np.iinfo(kind)
    x = draw.integers(info.min, info.max, 200, dtype=kind.newbyteorder("="), endpoint=True)
    x[:4] = info.max, info.max, info.min, 0
    keys = draw.integers(0, 9, 200)
    names, sums = accord.groupby_sum(x.astype(kind), keys)
    for name, found in zip(names.tolist(), sums.tolist()):
        due = sum(v for v, key in zip(x.tolist(), keys.tolist()) if key == name)
        assert found == rounded(Fraction(due), "f64", "nearest")


def test_keys_that_are_missing():
    x = [1.0, 2.0, 4.0]
    keys, sums = accord.groupby_sum(x, ["a", None, "a"])
    assert (keys.tolist(), sums.tolist()) == (["a"], [5.0])
    days = np.array(["2020-01-01", "NaT", "2020-01-01"], dtype="datetime64[D]")
    assert accord.groupby_sum(x, days)[1].tolist() == [5.0]
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(x)
    for given in (pandas.Series(["a", None, "a"]), pandas.Series(["a", None, "a"], dtype=object),
                  pandas.Series(["a", None, "a"], dtype="string"), pandas.Categorical(["a", None, "a"]),
                  pandas.Series(["a", pandas.NA, "a"], dtype="category")):
        found = accord.groupby_sum(series, given)
        assert (found.index.tolist(), found.tolist()) == (["a"], [5.0]), given
    assert accord.sum(pandas.Series([Decimal("0.1"), None, Decimal("0.2")])) == 0.3


def test_tables_whose_columns_share_a_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"])
    found = accord.sum(table, axis=0)
    assert (found.index.tolist(), found.tolist()) == (["a", "a"], [4.0, 6.0])
    with pytest.raises(accord.ArgumentError, match="leave keepdims out"):
        accord.mean(table, axis=0, keepdims=True)


def test_single_numbers_and_none():
    assert accord.sum(3.5) == accord.mean(3.5) == accord.sum(np.float32(3.5)) == 3.5
    assert accord.sum(Fraction(1, 3)) == 1 / 3
    for nothing in ([], np.array([], dtype=object), [[]], np.zeros(0)):
        assert math.copysign(1, accord.sum(nothing)) == -1


@pytest.mark.parametrize("call", [
    lambda: accord.sum(np.ones(3), threads=-1), lambda: accord.sum([1, 2], threads=-1),
    lambda: accord.sum(np.ones((2, 2)), axis=0, threads=1.5),
    lambda: accord.dot([1.0], [1.0], threads="2"), lambda: accord.cumsum([1.0], threads=-2),
    lambda: accord.groupby_sum([1.0], [1], threads=2**31), lambda: accord.var([1.0], ddof=0.5),
    lambda: accord.Accumulator([1.0], kind="moments").std(ddof="1"),
    lambda: accord.mean([1.0], dtype="float8_e5m2"), lambda: accord.dot([1j], [1j], dtype="float32"),
    lambda: accord.cumsum(np.ones((2, 2)), axis=2), lambda: accord.cumsum(np.ones(2), axis=1.0)])
def test_wrong_options_are_refused(call):
    with pytest.raises(accord.ArgumentError):
        call()


def test_axes_and_degrees_of_freedom_of_other_types():
    x = np.arange(6.0).reshape(2, 3)
    assert (accord.cumsum(x, axis=np.int64(1)) == np.cumsum(x, axis=1)).all()
    assert accord.var(x, ddof=np.int8(1)) == 3.5
    assert math.isnan(accord.Accumulator(x, kind="moments").var(ddof=10**30))


# ---- accumulators ----


def test_comparisons_with_numbers_of_other_types():
    held = accord.Accumulator([2.0**53, 1.0])
    assert held == 2**53 + 1 == held and held != 2.0**53 and held == Decimal(2**53 + 1)
    assert held > np.int64(2**53) and held == np.int64(2**53 + 1) and held < Decimal("1e16")
    assert held != Decimal("nan") and held < math.inf and held != "x" and held != 1j


def test_iterators_of_accumulators_merge():
    parts = [accord.Accumulator([2.0**53]), accord.Accumulator([1.0, 2.0**-60])]
    held = accord.Accumulator(iter(parts))
    assert held.fraction() == 2**53 + 1 + Fraction(2) ** -60 and held.terms == 3
    with pytest.raises(accord.ArgumentError):
        accord.Accumulator(parts)  # not as rounded numbers
    with pytest.raises(accord.ArgumentError):
        accord.Accumulator(iter([accord.Accumulator(kind="dot")]))


@pytest.mark.parametrize("kind", ["sum", "dot", "moments", "pairs"])
def test_both_forms(kind):
    draw = np.random.default_rng(8)
    for numbers in ([], [1.0], [1e300, 5e-324, -1.0], [math.inf, 2.0], [0.0], draw.random(500)):
        y = numbers if kind == "pairs" else None
        held = accord.Accumulator(numbers, y, kind=kind)
        compact = held.to_bytes(compact=True)
        assert accord.Accumulator.from_bytes(compact).to_bytes() == held.to_bytes()
        assert accord.Accumulator.from_bytes(memoryview(held.to_bytes())).to_bytes() == held.to_bytes()
        assert pickle.loads(pickle.dumps(held)).to_bytes() == held.to_bytes()
        assert len(compact) <= len(held.to_bytes())
        for wrong in (compact[:-1], compact + b"\0", compact + compact * 3):
            with pytest.raises(accord.ParseError):
                accord.Accumulator.from_bytes(wrong)
        for place in range(len(compact)):
            damaged = bytearray(compact)
            damaged[place] ^= 1 << int(draw.integers(8))
            with pytest.raises((accord.ParseError, accord.UnsupportedError)):
                accord.Accumulator.from_bytes(damaged)
    small = accord.Accumulator(draw.random(1000))
    assert len(small.to_bytes(compact=True)) <= 40


def test_pickles_of_before_are_read():
    """Until the compact form there was the saved one in pickles."""
    held = accord.Accumulator([1.0, 2.0], kind="moments")
    assert accord.Accumulator.from_bytes(held.to_bytes()).std() == 0.5


def test_what_is_written_to_stays_what_it_is(tmp_path):
    held, file = accord.Accumulator([1.5]), tmp_path / "held"
    file.write_bytes(b"")
    file.chmod(0o640)
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(file)
    held.save(link)
    assert link.is_symlink() and accord.Accumulator.load(file) == held
    assert file.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    held.save(pipe)
    reader.join()
    assert found == [held.to_bytes()] and pipe.is_fifo()
    with pytest.raises(FileNotFoundError):
        held.save(tmp_path / "none" / "held")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["held", "link", "pipe"]


def test_signaling_nans_raise_no_warning():
    bits = {np.float32: (np.uint32, 0x7F800001, 0x3F800000), np.float16: (np.uint16, 0x7C01, 0x3C00)}
    for kind, (word, *patterns) in bits.items():
        x, z = np.array(patterns, word).view(kind), np.array([1j, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = [accord.sum(x), accord.dot(x, np.ones(2)), accord.cumsum(x, dtype="float64")[1],
                     accord.groupby_sum(x, [1, 1])[1][0], accord.Accumulator(x, kind="moments").var(),
                     accord.Accumulator(x, x, kind="dot").value(), accord.dot(x, z).imag]
        assert all(math.isnan(value) for value in found)
