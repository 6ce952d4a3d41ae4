"""Exact results along axes, of columns and of complex numbers, against rational arithmetic."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import accord
import numpy as np
import pytest
from accord._rational import root, rounded

ROUNDINGS = ("nearest", "zero", "down", "up", "away")
TYPES = ("float64", "float32", "float16", "int64", "uint64", "int8", "bool")
NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16"}
SHORT = {"float64": "f64", "float32": "f32", "float16": "f16"}


def draw(generator, dtype, shape):
    if dtype.startswith("float"):
        span = {"float64": 300, "float32": 30, "float16": 3}[dtype]
        size = 10.0 ** generator.uniform(-span, span, shape) if generator.random() < 0.5 else 1
        return (generator.standard_normal(shape) * size).astype(dtype)
    if dtype == "bool":
        return generator.random(shape) < 0.5
    info = np.iinfo(dtype)
    return generator.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def fractions(row):
    return [Fraction(v) for v in np.asarray(row).ravel().tolist()]


def due_of(name, row, short, rounding, ddof=0):
    """What a row gives, in rational numbers."""
    items, n = fractions(row), np.asarray(row).size
    if not n:
        return math.nan if name != "sum" else None
    first = sum(items, Fraction(0))
    squares = sum((v * v for v in items), Fraction(0))
    if name == "sum":
        return rounded(first, short, rounding)
    if name == "mean":
        return rounded(first / n, short, rounding)
    if name == "norm":
        return root(squares, short, rounding)
    if name == "rms":
        return root(squares / n, short, rounding)
    if n - ddof <= 0:
        return math.nan
    spread = squares - first * first / n
    value = spread / (n - ddof)
    return root(value, short, rounding) if name == "std" else rounded(value or 0.0, short, rounding)


def same(found, due):
    assert found == due or (math.isnan(found) and math.isnan(due)), (found, due)


def test_the_root_of_the_oracle():
    for value in (Fraction(2), Fraction(9, 4), Fraction(1, 3), Fraction(10) ** 40, Fraction(10) ** -80):
        assert root(value, "f64", "nearest") == pytest.approx(math.sqrt(value), rel=1e-15)
        low, high = root(value, "f64", "down"), root(value, "f64", "up")
        assert Fraction(low) ** 2 <= value <= Fraction(high) ** 2
        assert high in (low, math.nextafter(low, math.inf))
        assert (low == high) == (Fraction(low) ** 2 == value)


@pytest.mark.parametrize("name", ["sum", "mean", "norm", "rms", "var", "std"])
@pytest.mark.parametrize("dtype", TYPES)
def test_rows_of_every_kind(name, dtype):
    generator = np.random.default_rng(abs(hash((name, dtype))) % 1000)
    for trial in range(12):
        shape = tuple(int(k) for k in generator.integers(1, 5, generator.integers(1, 4)))
        x = draw(generator, dtype, shape)
        if trial % 3 == 1:
            x = np.repeat(x, 2, axis=-1)[..., ::2]
        if trial % 3 == 2:
            x = x.T
        axis = int(generator.integers(-x.ndim, x.ndim))
        rounding = ROUNDINGS[trial % 5]
        options = {"ddof": trial % 3} if name in ("var", "std") else {}
        found = getattr(accord, name)(x, axis=axis, rounding=rounding, **options)
        short = SHORT.get(dtype, "f64")
        if name != "sum" and short == "f16":
            short = "f32"
        moved = np.moveaxis(x, axis, -1)
        if x.ndim == 1:
            assert isinstance(found, float)
            same(found, due_of(name, moved, short, rounding, **options))
            continue
        assert found.shape == moved.shape[:-1]
        assert found.dtype == {"f64": np.float64, "f32": np.float32, "f16": np.float16}[short]
        for place in np.ndindex(found.shape):
            same(float(found[place]), due_of(name, moved[place], short, rounding, **options))


def test_several_axes_and_all_of_them():
    x = draw(np.random.default_rng(3), "float64", (3, 4, 5))
    found = accord.sum(x, axis=(0, 2))
    assert found.tolist() == [accord.sum(x[:, k]) for k in range(4)]
    assert accord.sum(x, axis=(0, 1, 2)) == accord.sum(x) == accord.sum(x, axis=None)
    assert accord.sum(x, axis=1, keepdims=True).shape == (3, 1, 5)
    assert accord.sum(x, axis=(), keepdims=True).tolist() == x.tolist()
    assert accord.mean(x) == due_of("mean", x, "f64", "nearest")
    assert accord.sum(x, axis=1, threads=2).tolist() == accord.sum(x, axis=1).tolist()


def test_big_rows_in_threads():
    x = draw(np.random.default_rng(4), "float64", (700, 300))
    assert accord.sum(x, axis=0, threads=4).tolist() == [accord.sum(x[:, k]) for k in range(300)]
    assert accord.sum(x, axis=1, threads=4).tolist() == [accord.sum(row) for row in x]


@pytest.mark.parametrize("wrong", [{"axis": 2}, {"axis": (0, 0)}, {"axis": 1.5}, {"axis": -3},
                                   {"axis": 0, "dtype": "int8"}, {"axis": 0, "rounding": "even"}])
def test_wrong_axes(wrong):
    with pytest.raises(accord.ArgumentError):
        accord.sum(np.ones((2, 2)), **wrong)


def test_no_numbers():
    x = np.zeros((3, 0))
    assert [math.copysign(1, v) for v in accord.sum(x, axis=1)] == [-1, -1, -1]
    assert accord.sum(x, axis=0).shape == (0,)
    assert np.isnan(accord.mean(x, axis=1)).all() and np.isnan(accord.var(x, axis=1)).all()
    assert accord.norm(x, axis=1).tolist() == [0, 0, 0]
    assert math.isnan(accord.mean([])) and math.isnan(accord.var([1.0], ddof=1))


@pytest.mark.parametrize("kind", [np.float64, np.complex64, np.complex128, object])
def test_no_numbers_of_any_kind(kind):
    for shape in ((3, 0), (0, 3)):
        x = np.zeros(shape, kind)
        for name in ("sum", "mean", "norm", "rms", "var", "std"):
            options = {"ddof": -3} if name in ("var", "std") else {}
            found = getattr(accord, name)(x, axis=1, **options)
            assert found.shape == shape[:1]
            assert np.isnan(found).all() if name not in ("sum", "norm") else not found.any()


def test_what_is_taken_from_the_divisor():
    x = [1.0, 2.0]
    for ddof in (-3, -2**40, -2**63):
        due = Fraction(1, 2 * (2 - ddof))
        assert accord.var(x, ddof=ddof) == rounded(due, "f64", "nearest")
        assert accord.Accumulator(x, kind="moments").std(ddof=ddof) == root(due, "f64", "nearest")
    assert math.isnan(accord.var(x, ddof=2**70))
    with pytest.raises(accord.ArgumentError, match="out of range"):
        accord.var(x, ddof=-2**63 - 1)


def test_special_values():
    x = np.array([[np.inf, 1, 2], [np.inf, -np.inf, 0], [np.nan, 1, 1], [-0.0, -0.0, -0.0]])
    assert accord.sum(x, axis=1)[0] == np.inf and np.isnan(accord.sum(x, axis=1)[1:3]).all()
    assert math.copysign(1, accord.sum(x, axis=1)[3]) == -1
    assert np.isnan(accord.var(x, axis=1)[:3]).all() and accord.var(x, axis=1)[3] == 0
    assert accord.norm(x, axis=1)[0] == np.inf


def test_means_of_many_integers_count_each_once():
    x = np.array([2**62 + 1, 2**62 + 3, 5, 0])
    assert accord.mean(x) == due_of("mean", x, "f64", "nearest")
    assert accord.mean(x.tolist()) == accord.mean(x)
    assert accord.mean(x.astype(">i8")) == accord.mean(x)
    assert accord.Accumulator(x).terms == 4 == accord.Accumulator(x.tolist()).terms
    assert accord.sum(np.array([0, 0])) == 0 and math.copysign(1, accord.sum(np.array([0, 0]))) == 1


def test_rational_numbers():
    items = [Fraction(1, 3), 2, 0.5, 10**40]
    exact = [Fraction(v) for v in items]
    assert accord.mean(items) == rounded(sum(exact) / 4, "f64", "nearest")
    assert accord.norm(items) == root(sum(v * v for v in exact), "f64", "nearest")
    assert accord.var([Fraction(1, 3), Fraction(2, 3)]) == float(Fraction(1, 36))
    assert accord.sum([[Fraction(1, 3), 1], [Fraction(2, 3), 2]], axis=0).tolist() == [1, 3]
    with pytest.raises(accord.ArgumentError, match="lengths"):
        accord.sum([[1, 2], [3]], axis=0)


# ---- complex numbers ----


def parts(x):
    return [(Fraction(v.real), Fraction(v.imag)) for v in np.asarray(x).ravel().tolist()]


def test_complex_numbers():
    generator = np.random.default_rng(7)
    for kind in (np.complex128, np.complex64):
        x = (draw(generator, "float32", (4, 6)) + 1j * draw(generator, "float32", (4, 6))).astype(kind)
        y = x[::-1, ::-1].copy()
        short = "f64" if kind is np.complex128 else "f32"
        for axis in (0, 1):
            found = accord.sum(x, axis=axis)
            assert found.dtype == kind
            for v, row in zip(found, np.moveaxis(x, axis, -1)):
                assert v.real == accord.sum(row.real) and v.imag == accord.sum(row.imag)
        assert accord.sum(x) == complex(accord.sum(x.real), accord.sum(x.imag))
        assert accord.mean(x) == complex(accord.mean(x.real), accord.mean(x.imag))
        items = parts(x)
        squares = sum(a * a + b * b for a, b in items)
        assert accord.norm(x) == root(squares, short, "nearest")
        assert accord.rms(x) == root(squares / 24, short, "nearest")
        spread = squares - (sum(a for a, _ in items) ** 2 + sum(b for _, b in items) ** 2) / 24
        assert accord.var(x) == rounded(spread / 24, short, "nearest")
        assert accord.std(x, ddof=1) == root(spread / 23, short, "nearest")
        for conjugate in (False, True):
            sign = -1 if conjugate else 1
            due = [sum(a * c - sign * b * d for (a, b), (c, d) in zip(parts(x[0]), parts(y[0]))),
                   sum(a * d + sign * b * c for (a, b), (c, d) in zip(parts(x[0]), parts(y[0])))]
            found = accord.dot(x[0], y[0], conjugate=conjugate)
            assert found == complex(*(rounded(v, "f64", "nearest") for v in due))
            assert accord.dot(x, y, axis=1, conjugate=conjugate)[0] == found
        assert accord.cumsum(x[0])[-1] == accord.sum(x[0])
    assert accord.sum([1 + 2j, 3.0]) == 4 + 2j
    assert accord.dot(np.array([1j, 2]), np.array([3.0, 4.0])) == 8 + 3j


# ---- dots ----


def test_dots_of_all_kinds():
    generator = np.random.default_rng(8)
    for first in TYPES:
        for second in ("float64", "float32", "float16", "int8"):
            x, y = draw(generator, first, (3, 9)), draw(generator, second, (3, 9))
            found = accord.dot(x, y, axis=1)
            for k in range(3):
                exact = sum(a * b for a, b in zip(fractions(x[k]), fractions(y[k])))
                short = SHORT.get(first, "f64") if first == second else "f64"
                due = rounded(exact, short, "nearest")
                assert float(found[k]) == due
                assert accord.dot(x[k], y[k]) == due, (first, second)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = generator.standard_normal((2, 50)).astype(ml_dtypes.bfloat16)
    exact = [sum(a * a for a in fractions(row.astype(np.float64))) for row in x]
    assert accord.dot(x, x, axis=1).astype(np.float64).tolist() == [
        rounded(v, "bf16", "nearest") for v in exact]
    assert accord.norm(x[0]) == root(exact[0], "f32", "nearest")


def test_dots_with_masks():
    x = np.ma.array([[1.0, 2, 3], [4, 5, 6]], mask=[[0, 1, 0], [1, 1, 1]])
    found = accord.dot(x, np.ones((2, 3)), axis=1)
    assert found[0] == 4 and found.mask.tolist() == [False, True]
    with pytest.raises(accord.ArgumentError, match="shape"):
        accord.dot(np.ones((2, 3)), np.ones((3, 2)), axis=0)


# ---- masks, running sums, keys ----


def test_masked_arrays():
    x = np.ma.array([[1e100, 1, -1e100], [7, 8, 9]], mask=[[0, 0, 0], [1, 1, 1]])
    found = accord.sum(x, axis=1)
    assert found[0] == 1 and found.mask.tolist() == [False, True]
    assert accord.sum(x, axis=0).tolist() == [1e100, 1, -1e100]
    assert accord.mean(x) == due_of("mean", x.compressed(), "f64", "nearest")
    assert accord.var(x, ddof=1) == due_of("var", x.compressed(), "f64", "nearest", 1)
    found = accord.cumsum(np.ma.array([1e100, 5, 1, -1e100], mask=[0, 1, 0, 0]))
    assert found.data.tolist()[2:] == [1e100, 1] and found.mask.tolist() == [False, True, False, False]


@pytest.mark.parametrize("dtype", TYPES)
def test_running_sums(dtype):
    x = draw(np.random.default_rng(9), dtype, (3, 40))
    short = {"float32": "f32", "float16": "f32"}.get(dtype, "f64")
    for axis in (None, 0, 1, -1):
        found = accord.cumsum(x, axis=axis, rounding="down")
        rows = [x.ravel()] if axis is None else np.moveaxis(x, axis, -1)
        results = [found] if axis is None else np.moveaxis(found, axis, -1)
        for row, result in zip(rows, results):
            total, due = Fraction(0), []
            for v in fractions(row):
                total += v
                due.append(rounded(total, short, "down"))
            assert result.tolist() == due
    with pytest.raises(accord.ArgumentError):
        accord.cumsum(x, axis=2)


@pytest.mark.parametrize("short", ["f64", "f32", "f16", "bf16"])
@pytest.mark.parametrize("dtype", [*TYPES, "bfloat16", "object"])
def test_running_sums_in_a_format(dtype, short):
    """Rounded once, from the exact value: near ties, too, and beyond the ends of the range."""
    if "bfloat16" in (dtype, NAMES[short]):
        pytest.importorskip("ml_dtypes")
    generator = np.random.default_rng(12)
    for rounding in ROUNDINGS:
        if dtype == "object":
            x = np.array([2**70, 1, -2**70, 3, 2**11 + 1], dtype=object)
        elif dtype == "bfloat16":
            x = draw(generator, "float32", 60).astype(dtype)
        elif dtype == "float64":  # 1 + half a last bit of each format, and a little more or less
            tiny = [2.0**-11, 2.0**-70, -2.0**-70, -2.0**-70, 2.0**-8, 2.0**-24, 5e-324, -1e-300, -1]
            x = np.array([1, *tiny, 1e5, 1e300, -1e300, 1e308, 1e308, -np.inf, np.inf])
        else:
            x = draw(generator, dtype, 60)
        found = accord.cumsum(x, dtype=NAMES[short], rounding=rounding)
        assert found.dtype == NAMES[short]
        for i in range(len(x)):
            due = accord.sum(x[:i + 1].tolist() if dtype == "object" else x[:i + 1],
                             dtype=NAMES[short], rounding=rounding)
            assert np.array(found[i], "f8").tobytes() == np.array(due, "f8").tobytes() or (
                math.isnan(due) and np.isnan(found[i]))


def test_running_sums_of_complex_numbers_in_a_format():
    z = np.array([1 + 1j, complex(2.0**-24, 2.0**-60), complex(2.0**-60, -2.0**-60)])
    found = accord.cumsum(z, dtype="float32")
    assert found.dtype == np.complex64
    assert found.tolist() == [1 + 1j, 1 + 1j, 1 + 2**-23 + 1j]
    with pytest.raises(accord.ArgumentError, match="parts of float64 or float32"):
        accord.cumsum(z, dtype="float16")
    with pytest.raises(accord.ArgumentError, match="rounded to float64"):
        accord.cumsum([1.0], dtype="float8_e5m2")


def test_running_sums_of_zeros():
    x = np.ma.array([1.0, -0.0, 2.0, -0.0], mask=[1, 0, 1, 0])
    assert [str(v) for v in accord.cumsum(x)] == ["--", "-0.0", "--", "-0.0"]
    third = Fraction(1, 3)
    assert str(accord.cumsum([third, -third, 0], rounding="down")[2]) == "-0.0"
    assert str(accord.cumsum([-0.0, third, -third])[2]) == "0.0"


def test_zeros_of_products():
    assert str(accord.dot([0, 0], [-2.0, -0.0])) == "-0.0" == str(accord.dot([-0.0], [Fraction(1, 3)]))
    assert str(accord.dot([0, 0], [-2, 1])) == "0.0" == str(accord.dot([0.0, -0.0], [1, 1]))
    assert math.isnan(accord.dot([2**2000, 0], [1.0, math.inf]))
    for x, y in (([0, -3], [-5, 0]), ([0, -2**70 - 1], [-2**60 - 1, 0])):  # integers have no -0
        for found in (accord.dot(x, y), accord.Accumulator(x, y, kind="dot").value(),
                      accord.Accumulator(x, y, kind="pairs").value(),
                      accord.dot(np.array([x]), np.array([y]), axis=1)[0]):
            assert str(float(found)) == "0.0"
    assert str(accord.Accumulator([0, -3], [-5, -0.0], kind="dot").value()) == "0.0"
    assert str(accord.Accumulator([0.0, 3], [-5, -0.0], kind="dot").value()) == "-0.0"
    packed = np.zeros(3, dtype=[("before", "i1"), ("x", "f4")])
    packed["x"] = [1, 2, 3]
    assert accord.dot(packed["x"], [2**70, 1, 1]) == 2**70 and accord.dot(packed["x"], packed["x"]) == 14


def test_sums_by_key():
    generator = random.Random(10)
    keys = [generator.choice("abcdef") for _ in range(2000)]
    for dtype in ("float64", "float32", "float16", "int8"):
        x = draw(np.random.default_rng(11), dtype, 2000)
        names, sums = accord.groupby_sum(x, keys)
        assert names.tolist() == sorted(set(keys))
        assert sums.dtype == (np.float32 if dtype == "float32" else np.float64)
        for name, found in zip(names, sums):
            exact = sum(v for v, key in zip(fractions(x), keys) if key == name)
            assert float(found) == rounded(exact, SHORT.get(dtype, "f64").replace("f16", "f64"),
                                           "nearest")
    names, sums = accord.groupby_sum(np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), [5, 5, 6])
    assert names.tolist() == [5, 6] and sums.tolist() == [1, 3]
    assert accord.groupby_sum([], [])[1].tolist() == []
    with pytest.raises(accord.ArgumentError):
        accord.groupby_sum([1.0, 2.0], [1])
    with pytest.raises(accord.ArgumentError):
        accord.groupby_sum([2**60 + 1], [1])


# ---- columns ----


def test_keys_stay_apart():
    x = [1.0, 2.0, 4.0, 8.0]
    for keys in ([2**53 + 1, 0.5, 2**53, 0.5], [2**63, -1, 2**63 + 1, -1], ["b", "a", "b\0", "a"],
                 [2**70, 1, 2**70 + 1, 1], [5, 1, math.nan, True]):
        names, sums = accord.groupby_sum(x, keys)
        assert names[0] == keys[1] and sums[0] == 10 and sorted(sums) == [1, 4, 10]
        assert all(total == 1 for name, total in zip(names, sums) if name == keys[0])
    held = np.array([math.nan, 1, math.nan, (0, 1)[0]], dtype=object)
    names, sums = accord.groupby_sum(x, held)
    assert str(names.tolist()) == "[0, 1, nan]" and sums.tolist() == [8, 2, 5]
    pairs = np.empty(4, object)
    for i, pair in enumerate([(1, 2), (0, 1), (1, 2), (0, 0)]):
        pairs[i] = pair
    names, sums = accord.groupby_sum(x, pairs)
    assert names.tolist() == [(0, 0), (0, 1), (1, 2)] and sums.tolist() == [8, 2, 5]
    for keys in ([1, "1", 1, 1], ["a", b"a", "b", "b"], np.array([1, "a", 1, 1], dtype=object)):
        with pytest.raises(accord.ArgumentError, match="sorted"):
            accord.groupby_sum(x, keys)


def test_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    plain = pandas.Series([1e100, 1.0, -1e100], name="v")
    assert accord.sum(plain) == 1 and accord.mean(plain) == float(Fraction(1, 3))
    missing = pandas.Series([1, None, 2**60 + 1], dtype="Int64")
    assert accord.sum(missing) == float(2**60 + 2)
    assert accord.sum(pandas.Series([1.5, None, 2.5], dtype="Float64")) == 4
    assert math.isnan(accord.sum(pandas.Series([1.5, np.nan])))
    assert accord.dot(missing, pandas.Series([2.0, 3.0, 0.0])) == 2
    table = pandas.DataFrame({"a": [1e100, 1.0, -1e100], "b": [2**60 + 1, 1, 1], "k": [1, 2, 1]})
    found = accord.sum(table, axis=0)
    assert found["a"] == 1 and found["b"] == float(2**60 + 3)
    assert accord.var(table[["k"]], axis=0)["k"] == accord.var([1, 2, 1])
    with pytest.raises(accord.ArgumentError, match="table"):
        accord.sum(table)
    by = accord.groupby_sum(table["a"], table["k"])
    assert by[1] == 0 and by[2] == 1 and by.index.name == "k" and by.name == "a"
    assert accord.Accumulator(missing).terms == 2


def test_arrow():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    assert accord.sum(arrow.array([1e100, 1.0, None, -1e100])) == 1
    pieces = arrow.chunked_array([[1e100, 1.0], [None, -1e100]])
    assert accord.sum(pieces) == 1 and accord.mean(pieces) == float(Fraction(1, 3))
    assert accord.sum(arrow.array([2**60 + 1, None, 1])) == float(2**60 + 2)
    assert accord.norm(arrow.array([3.0, None, 4.0], arrow.float32())) == 5
    names, sums = accord.groupby_sum(arrow.array([1.0, 2.0, None]), arrow.array(["x", None, "x"]))
    assert names.tolist() == ["x"] and sums.tolist() == [1]
    import decimal

    cents = arrow.array([decimal.Decimal("0.10"), None, decimal.Decimal("0.20")])
    assert accord.sum(cents) == 0.3
    with pytest.raises(accord.ArgumentError, match="column"):
        accord.sum(arrow.table({"a": [1.0]}))


def test_polars():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert accord.sum(polars.Series([1e100, None, 1.0, -1e100])) == 1


def test_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.tensor([[1e30, 1.0], [1.0, 2.0], [-1e30, 3.0]], dtype=torch.bfloat16)
    assert accord.sum(x, axis=0).astype(np.float64).tolist() == [1, 6]
    assert accord.sum(torch.ones(3, 4), axis=0).tolist() == [3] * 4
