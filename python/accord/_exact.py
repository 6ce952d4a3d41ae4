"""Sums rounded once from their exact value: the same bits in any order."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Iterable

from . import _accord
from ._accord import ArgumentError
from ._accumulator import Accumulator
from ._accumulator_pieces import runs
from ._arrays import numpy_dtype
from ._exact_columns import column, is_frame, without_missing
from ._exact_device import sum_on
from ._exact_operands import checked, is_complex, operand_of
from ._exact_rows import (
    along,
    doubled,
    floats_of,
    need_numpy,
    numbers_of,
    output_of,
    axis_of,
    even,
    result_format,
    rounding_of as _rounding,
    thread_count,
)
from ._formats import format_of
from ._rational import flat, number, rounded, total


def _of_frame(name: str, x: Any, axis: Any, options: dict[str, Any]) -> Any:
    """A table of pandas, column by column: its columns may have different types."""
    if axis not in (0, "index"):
        raise ArgumentError("give axis=0 for a result of each column of a table, or one of its "
                            "columns")
    if options.pop("keepdims", False):
        raise ArgumentError("the results of the columns of a table are a Series: leave keepdims out")
    import pandas

    results = [along(name, x.iloc[:, i], None, **options) for i in range(x.shape[1])]
    return pandas.Series(results, index=x.columns, dtype=None if results else "float64")


def _reduce(name: str, x: Any, axis: Any, dtype: Any, rounding: str, less: int = 0,
            keepdims: bool = False) -> Any:
    if hasattr(x, "__next__"):
        if axis is not None:
            raise ArgumentError("an iterator has no axes")
        total = Accumulator(x, kind="sum" if name == "mean" else "moments")
        options: dict[str, Any] = {"dtype": dtype, "rounding": rounding}
        if name in ("var", "std"):
            options["ddof"] = less
        return getattr(total, name)(**options)
    if is_frame(x):
        return _of_frame(name, x, axis, {"dtype": dtype, "rounding": rounding, "less": less,
                                          "keepdims": keepdims})
    return along(name, x, axis, dtype, rounding, less=less, keepdims=keepdims)


def _sum_of_iterator(x: Any, dtype: Any, rounding: str) -> float:
    """What no floats hold is added beside the accumulator, in which two terms that cancel stand for
    it: a sum of zero has their sign."""
    held, odd = Accumulator(), Fraction(0)
    for piece in runs(x):
        try:
            held.add(piece)
        except ArgumentError:
            items = [number(item) for item in flat([piece])]
            held.add([1.0, -1.0] + [item for item in items if isinstance(item, float)])
            for item in items:
                odd += 0 if isinstance(item, float) else item
    value = held.value(dtype=dtype, rounding=checked(rounding))
    if odd and math.isfinite(held.value(rounding="zero")):
        return rounded(odd + (held.fraction() if held.terms else 0),
                       result_format(None if dtype is None else format_of(dtype)), rounding)
    return value


def sum(x: Any, *, axis: Any = None, dtype: Any = None, rounding: str = "nearest",
        threads: int = 1, keepdims: bool = False, device: str | None = None) -> Any:
    """The sum of all numbers of x, or along an axis, correctly rounded once from its exact value.

    x: an array of any shape of float64, float32, float16, bfloat16, complex numbers or integers, in
    either order of bytes, or of float8_e4m3fn or float8_e5m2, which count as float32 (without an axis, no copy is made, whatever the strides); masked elements
    of a masked array are left out. Or a column of pandas, Arrow or Polars, whose missing values are
    left out, or a table of pandas with axis=0. Or a sequence of floats, integers of any size,
    Fractions and Decimals, or of rows of them. Or an iterator of numbers or arrays, which is never
    in memory as a whole. Nothing is rounded before the sum: a number of another kind that cannot be
    represented as a float is an ArgumentError.
    axis: an axis or a tuple of axes (needs NumPy); None: all numbers. keepdims: as in NumPy.
    dtype: the format of the result (default: that of x; float64 if x does not hold floats); of
    complex numbers, that of each part.
    rounding: "nearest" (ties to even), "zero", "down", "up", "away" (ties away from zero).
    threads: the most to use; 0: one for each processor. Returns a float (a complex number, of
    complex ones), which holds the result exactly whatever the dtype, or an array. Nothing overflows
    on the way. The sum of no numbers is -0.0.
    device: "opencl" adds all numbers on the first OpenCL device with doubles, "opencl:1" or
    "opencl:NAME" on the one with that number or that part of its name, with the same bits; x is
    float64 or float32, and axis, keepdims and threads are left out. UnsupportedError where there is no
    such device, or where it does not compute as IEEE 754 says (doc/opencl.md).

    >>> import accord
    >>> accord.sum([1e100, 1.0, -1e100]), accord.sum([0.1] * 10)
    (1.0, 1.0)
    >>> accord.sum([2**53 + 1, -2**53])
    1.0
    >>> accord.sum([[1e100, 2.0], [1.0, 3.0], [-1e100, 4.0]], axis=0).tolist()
    [1.0, 9.0]
    """
    if device is not None:
        return sum_on(device, x, dtype, rounding,
                      {"axis": axis is not None, "keepdims": keepdims, "threads": threads != 1})
    if hasattr(x, "__next__"):
        if axis is not None:
            raise ArgumentError("an iterator has no axes")
        return _sum_of_iterator(x, dtype, rounding)
    if is_frame(x):
        return _of_frame("sum", x, axis,
                         {"dtype": dtype, "rounding": rounding, "keepdims": keepdims})
    if axis is not None or keepdims or is_complex(x):
        return along("sum", x, axis, dtype, rounding, threads, keepdims=keepdims)
    threads = thread_count(threads)
    operand, name = operand_of(x)
    short = None if dtype is None else format_of(dtype)
    if isinstance(operand, list):
        return rounded(total(operand), result_format(short), checked(rounding))
    return _accord.exact_sum(operand, name, short, _rounding(rounding), threads)


def mean(x: Any, *, axis: Any = None, dtype: Any = None, rounding: str = "nearest",
         keepdims: bool = False) -> Any:
    """The exact sum divided by the number of numbers, rounded once; NaN without numbers.

    x, axis, rounding, keepdims: as for `sum`. dtype: that of the result, as for `sum` (default:
    that of x; float32 for float16 and bfloat16, float64 for integers).

    >>> import accord
    >>> accord.mean([1e308, 1e308, 1e308]), accord.mean([[1, 2], [4, 6]], axis=1).tolist()
    (1e+308, [1.5, 5.0])
    """
    return _reduce("mean", x, axis, dtype, rounding, 0, keepdims)


def norm(x: Any, *, axis: Any = None, dtype: Any = None, rounding: str = "nearest",
         keepdims: bool = False) -> Any:
    """The Euclidean norm, rounded once from its exact value; it overflows only if it is itself too
    large. Arguments: as for `mean`.

    >>> import accord
    >>> accord.norm([3 * 2.0**600, 4 * 2.0**600]) == 5 * 2.0**600, accord.norm([3.0, 4.0])
    (True, 5.0)
    """
    return _reduce("norm", x, axis, dtype, rounding, 0, keepdims)


def rms(x: Any, *, axis: Any = None, dtype: Any = None, rounding: str = "nearest",
        keepdims: bool = False) -> Any:
    """The root mean square, rounded once from its exact value. Arguments: as for `mean`.

    >>> import accord
    >>> accord.rms([1.0, 7.0])
    5.0
    """
    return _reduce("rms", x, axis, dtype, rounding, 0, keepdims)


def var(x: Any, *, axis: Any = None, ddof: int = 0, dtype: Any = None, rounding: str = "nearest",
        keepdims: bool = False) -> Any:
    """The variance, rounded once from its exact value, which is that of the exact mean.

    ddof: what is taken from the number of numbers in the divisor: 0 for a population, 1 for a
    sample. NaN where the divisor is not positive. Other arguments: as for `mean`.

    >>> import accord
    >>> accord.var([1e16, 1e16 + 2, 1e16 + 4]), accord.var([1.0, 2.0, 4.0], ddof=1)
    (2.6666666666666665, 2.3333333333333335)
    """
    return _reduce("var", x, axis, dtype, rounding, ddof, keepdims)


def std(x: Any, *, axis: Any = None, ddof: int = 0, dtype: Any = None, rounding: str = "nearest",
        keepdims: bool = False) -> Any:
    """The standard deviation: the square root of the variance, rounded once. Arguments: as for `var`.

    >>> import accord
    >>> accord.std([1.0, 3.0])
    1.0
    """
    return _reduce("std", x, axis, dtype, rounding, ddof, keepdims)


def cumsum(x: Any, *, axis: Any = None, dtype: Any = None, rounding: str = "nearest",
           threads: int = 1) -> Any:
    """The sums of the first 1, 2, … numbers, each rounded once from its exact value (needs NumPy).

    x: as for `sum`, but no iterator and no table. axis: one axis; None: all numbers, in C order.
    dtype: the format of the result, float64, float32, float16 or bfloat16; by default that of x,
    but float32 for float16 and bfloat16, and float64 for integers. A masked number adds nothing, and
    is masked in the result.

    >>> import accord
    >>> accord.cumsum([1e100, 1.0, -1e100]).tolist()
    [1e+100, 1e+100, 1.0]
    >>> accord.cumsum([2048.0, 1.0, 2.0**-30], dtype="float16").tolist()
    [2048.0, 2048.0, 2050.0]
    """
    np = need_numpy("running sums")
    if hasattr(x, "__next__"):
        raise ArgumentError("running sums take no iterator: give a sequence or an array")
    numbers = numbers_of(x)
    data, mask, _ = numbers.data, numbers.mask, _rounding(rounding)
    threads = thread_count(threads)
    if axis is None:
        data = data.reshape(-1)
        mask = None if mask is None else mask.reshape(-1)
        axis = 0
    axis = axis_of(data.ndim, axis)
    laid = np.moveaxis(data, axis, -1)
    keep = slice(None) if mask is None else ~np.moveaxis(mask, axis, -1)
    short = output_of("mean", numbers, dtype)
    if data.dtype.kind == "c":
        if short not in ("f64", "f32"):
            raise ArgumentError("complex results have parts of float64 or float32")
        out = np.zeros(laid.shape, np.complex64 if short == "f32" else np.complex128)
        parts = [(laid.real, out.real), (laid.imag, out.imag)]
    else:
        out = np.zeros(laid.shape, numpy_dtype(np, short))
        parts = [(laid, out)]
    for place in np.ndindex(laid.shape[:-1]):
        shown = keep if mask is None else keep[place]
        for numbers_in, results in parts:
            results[place][shown] = _running(np, numbers_in[place][shown], numbers.short, short,
                                             rounding, threads)
    out = np.moveaxis(out, -1, axis)
    return out if mask is None else np.ma.array(out, mask=mask)


def _running(np: Any, row: Any, short: str | None, output: str, rounding: str, threads: int) -> Any:
    """The running sums of a vector, as numbers of `output` in an array that holds them."""
    if short == "bf16":
        row = (row.astype(np.uint32) << 16).view(np.float32)
    elif short == "f16":
        row = row.astype(np.float32)
    elif row.dtype.kind in "iub":
        exact = floats_of(np, row)
        row = row.astype(object) if exact is None else exact
    if row.dtype.kind == "O":
        held, out = list[Any](), []
        for item in row.tolist():
            value = total(held + [item])
            held = [value] if isinstance(value, float) or value else [1, -1]  # these cancel, too
            out.append(rounded(value, output, rounding))
        return np.array(out, dtype=np.float64)
    same = output == "f32" and row.dtype == np.float32
    row = np.ascontiguousarray(row if same else doubled(np, row))

    def added(way: str) -> Any:
        out = np.empty(row.shape, row.dtype)
        _accord.exact_cumsum(row, out, _rounding(way), threads)
        return out

    if same or output == "f64":
        return added(rounding)
    low, high = added("down"), added("up")
    _accord.exact_narrow(low, high, output, _rounding(rounding))
    return low


def groupby_sum(x: Any, by: Any, *, rounding: str = "nearest", threads: int = 1) -> Any:
    """The sums of the numbers with equal keys, each rounded once from its exact value (needs NumPy).

    x: a vector of float64, float32, integers of at most 64 bits or narrower floats, or a column.
    by: as many keys: numbers, strings or others that can be sorted; x and by are matched by position,
    whatever the index of a Series. Numbers that are masked or missing are left out; so is a number
    whose key is, or is None or NaT. A NaN is a key like any other. Returns the keys, sorted, and an
    array of their sums: of float32 for float32, float64 for everything else. If x is a Series of
    pandas, returns a Series whose index holds the keys.

    >>> import accord
    >>> keys, sums = accord.groupby_sum([1e100, 2.0, 1.0, -1e100], ["a", "b", "a", "a"])
    >>> keys.tolist(), sums.tolist()
    (['a', 'b'], [1.0, 2.0])
    """
    np = need_numpy("sums by key")
    numbers, code, threads = numbers_of(x), _rounding(rounding), thread_count(threads)
    keys = column(np, by)
    keys = keys if np.ma.isMaskedArray(keys) else without_missing(np, _keys_of(np, keys))
    shape = numbers.data.shape
    if len(shape) != 1 or keys.shape != shape:
        raise ArgumentError(f"x has the shape {shape}, but by has {keys.shape}: give two vectors of "
                            "one length")
    data = _group_numbers(np, numbers)
    keep = ~np.ma.getmaskarray(keys)
    if numbers.mask is not None:
        keep &= ~numbers.mask
    if not keep.all():
        data, keys = data[keep], np.ma.getdata(keys)[keep]
    names, places = _distinct(np, np.ma.getdata(keys))
    places = np.ascontiguousarray(places.reshape(-1), dtype=np.uintp)
    if data.dtype.kind in "iu":  # of 64 bits: two floats each
        low = data & data.dtype.type(0xFFFFFFFF)
        data = np.concatenate([(data - low).astype(np.float64), low.astype(np.float64)])
        places = np.concatenate([places, places])
    out = np.empty(len(names), data.dtype)
    _accord.exact_groups(data, places, len(names), out, code, threads)
    if type(x).__module__.partition(".")[0] == "pandas":
        import pandas

        return pandas.Series(out, index=pandas.Index(names, name=getattr(by, "name", None)),
                             name=getattr(x, "name", None))
    return names, out


def _keys_of(np: Any, by: Any) -> Any:
    """As an array; of objects where another one would make keys equal that are not: 1 and "1", or
    2**53 and 2**53 + 1 beside a float."""
    keys = np.asarray(by)
    if isinstance(by, (list, tuple)) and keys.ndim == 1 and keys.dtype.kind != "O" and not all(
            a == b or b != b for a, b in zip(keys.tolist(), by)):
        return np.array(by, dtype=object)
    return keys


def _distinct(np: Any, keys: Any) -> Any:
    """The different keys, sorted, and for each key its place among them. A NaN comes last."""
    if keys.dtype.kind != "O":
        return np.unique(keys, return_inverse=True)
    try:
        items = [math.nan if item != item else item for item in keys.tolist()]
        names = sorted({item for item in items if item is not math.nan})
    except (TypeError, ValueError):
        raise ArgumentError("the keys cannot be sorted: give numbers alone, strings alone, or others that "
                            "can be compared with each other") from None
    names += [math.nan] * any(item is math.nan for item in items)
    place = {name: i for i, name in enumerate(names)}
    held = np.empty(len(names), object)
    for name, i in place.items():
        held[i] = name
    return held, np.array([place[item] for item in items], np.intp)


def _group_numbers(np: Any, numbers: Any) -> Any:
    data = numbers.data
    if numbers.short == "bf16":
        data = (data.astype(np.uint32) << 16).view(np.float32)
    if numbers.short in ("bf16", "f16"):
        return doubled(np, data)
    if data.dtype.kind in "iub":
        exact = floats_of(np, data)
        return data if exact is None else exact
    if numbers.short in ("f64", "f32"):
        return even(np, data)
    if data.dtype.kind == "O":
        exact = data.astype(np.float64)
        if all(item == held or item != item for item, held in zip(data.tolist(), exact.tolist())):
            return exact
    raise ArgumentError("sums by key take real numbers that float64 holds exactly, or integers of 64 "
                        "bits")


def fsum(iterable: Iterable[float]) -> float:
    """Like math.fsum, but correctly rounded on every platform and without intermediate overflow.

    Integers are not rounded before they are added.

    >>> import accord
    >>> accord.fsum([1e308, 1e308, -1e308]), accord.fsum([])
    (1e+308, 0.0)
    """
    return _accord.fsum(iterable)
