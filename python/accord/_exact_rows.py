"""Exact results along axes: arrays are laid out as rows, and each row has one result."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any, Callable, NamedTuple

from . import _accord
from ._accord import ArgumentError, UnsupportedError
from ._arrays import load_numpy, numpy_dtype
from ._exact_columns import column
from ._formats import format_of, short_name
from ._rational import Number, number, product, root, rounded, total

ROUNDINGS = ("nearest", "zero", "down", "up", "away")
_EIGHT_BITS = ("e4m3", "e5m2")
_WHOLE = 2**53  # integers up to here are float64
_MOST = 2**62  # terms of an accumulator: a ddof beyond them leaves no divisor, either


def rounding_of(name: str) -> int:
    if name not in ROUNDINGS:
        raise ArgumentError(f"rounding={name!r} is unknown: choose {', '.join(ROUNDINGS)}")
    return ROUNDINGS.index(name)


def result_format(short: str | None) -> str:
    """The format of a result; f64 where none is asked for."""
    if short not in (None, "f64", "f32", "f16", "bf16"):
        raise ArgumentError("exact results are rounded to float64, float32, float16 or bfloat16, not "
                            f"{short}")
    return short or "f64"


def ddof_of(ddof: Any) -> int:
    try:
        less = operator.index(ddof)
    except TypeError:
        raise ArgumentError(f"ddof={ddof!r} is not an integer") from None
    if less < -2**63:
        raise ArgumentError(f"ddof={ddof!r} is out of range: give -2**63 or more")
    return min(_MOST, less)


def thread_count(threads: Any) -> int:
    try:
        count = operator.index(threads)
    except TypeError:
        count = -1
    if not 0 <= count < 2**31:
        raise ArgumentError(f"threads={threads!r}: give 1 or more, or 0 for one for each processor")
    return count


def need_numpy(what: str) -> Any:
    np = load_numpy()
    if np is None:
        raise UnsupportedError(f"{what} need NumPy: pip install numpy")
    return np


class Numbers(NamedTuple):
    """An array of numbers: of floats, integers, complex numbers, or of Python's numbers."""

    data: Any  #: an array of NumPy without a mask
    mask: Any  #: None: nothing is masked
    short: str | None  #: accord's name of the format; None: no floats, or complex ones


def numbers_of(x: Any) -> Numbers:
    """What is to be added, with any shape, as an array; nothing is rounded on the way."""
    np = need_numpy("axes, columns and complex numbers")
    x = column(np, x)
    if hasattr(x, "detach"):  # a tensor of PyTorch
        x, short = of_tensor(x)
        if short == "bf16":
            return Numbers(x.view(np.uint16), None, "bf16")
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        x = np.from_dlpack(x)
    mask = None
    if np.ma.isMaskedArray(x):
        mask = np.ma.getmaskarray(x)
        mask = mask if mask.any() else None
        x = np.ma.getdata(x)
    if isinstance(x, np.ndarray) or hasattr(x, "__array__"):
        x = np.asarray(x)
    else:
        x = _objects(np, x)
    if short_name(x.dtype) == "bf16":
        return Numbers(x.view(np.uint16), mask, "bf16")
    x = widened(np, x)
    if x.dtype.kind == "O":
        return Numbers(_objects(np, x), mask, None)
    if x.dtype.kind not in "iubc" and x.dtype.char not in "dfe" or x.dtype.char in "gG":
        raise ArgumentError("exact sums take float64, float32, float16, bfloat16, complex64, "
                            f"complex128 and integers, not {x.dtype}: convert first")
    if not x.dtype.isnative and x.dtype.kind != "O":
        x = x.astype(x.dtype.newbyteorder("="))
    return Numbers(x, mask, short_name(x.dtype) if x.dtype.kind == "f" else None)


def of_tensor(x: Any) -> tuple[Any, str | None]:
    """The array of a tensor of PyTorch; that of bfloat16, which NumPy does not know, as its bits."""
    import torch

    if x.layout != torch.strided:
        raise ArgumentError(f"x is a sparse tensor ({x.layout}): give x.to_dense(), or the values that it stores")
    if x.is_meta:
        raise ArgumentError("x is on the device meta and holds no numbers: give a tensor with data")
    x = x.detach().cpu()
    short = short_name(x.dtype)
    if short == "bf16":
        return x.view(torch.int16).numpy(), "bf16"
    return (x.float() if short in _EIGHT_BITS else x).numpy(), None


def widened(np: Any, x: Any) -> Any:
    """Numbers of 8 bits as float32, which holds them and what they add up to."""
    return x.astype(np.float32) if short_name(x.dtype) in _EIGHT_BITS else x


def _objects(np: Any, x: Any) -> Any:
    """Lists, or an array of objects: as floats where they all are."""
    try:
        made = np.array(x, dtype=object)
    except ValueError:
        raise ArgumentError("the rows are of different lengths: give rows of one length") from None
    kinds = set(map(type, made.ravel().tolist()))
    if kinds <= {float}:
        return made.astype(np.float64)
    if kinds <= {float, complex}:
        return made.astype(np.complex128)
    if any(issubclass(kind, (list, tuple)) for kind in kinds):
        raise ArgumentError("the rows are of different lengths: give rows of one length")
    exact = np.empty(made.size, dtype=object)
    exact[:] = [number(item) for item in made.ravel().tolist()]
    return exact.reshape(made.shape)


def doubled(np: Any, data: Any, kind: Any = None) -> Any:
    """Floats as float64, or as `kind`. A signaling NaN becomes a NaN without a warning."""
    with np.errstate(invalid="ignore"):
        return data.astype(np.float64 if kind is None else kind, copy=False)


def floats_of(np: Any, data: Any) -> Any:
    """Integers as float64, where that is exact; else None."""
    if data.dtype.kind == "b" or data.dtype.itemsize <= 4:
        return data.astype(np.float64)
    if not data.size or (int(data.max()) <= _WHOLE and int(data.min()) >= -_WHOLE):
        return data.astype(np.float64)
    return None


# ---- rows ----


def even(np: Any, data: Any) -> Any:
    """The array, whose numbers lie whole numbers apart; fields of records do not."""
    return np.ascontiguousarray(data) if any(s % data.itemsize for s in data.strides) else data


class Rows(NamedTuple):
    data: Any  #: two dimensions: a row for each result
    mask: Any
    shape: tuple[int, ...]  #: of the results


def rows_of(np: Any, data: Any, mask: Any, axis: Any, keepdims: bool = False) -> Rows:
    """The axes that are added up become the last dimension; with axis None, all of them."""
    if axis is None:
        axes = tuple(range(data.ndim))
    else:
        each = axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(axis_of(data.ndim, a) for a in each)
        if len(set(axes)) != len(axes):
            raise ArgumentError(f"axis={axis!r} names an axis twice")
    kept = tuple(d for d in range(data.ndim) if d not in axes)
    shape = tuple(data.shape[d] for d in kept)
    length = math.prod(data.shape[d] for d in axes)
    order = kept + axes
    laid = data.transpose(order).reshape(math.prod(shape), length)
    hidden = None if mask is None else mask.transpose(order).reshape(laid.shape)
    if keepdims:
        shape = tuple(1 if d in axes else data.shape[d] for d in range(data.ndim))
    return Rows(laid, hidden, shape)


def _whole(np: Any, x: Numbers) -> Any:
    """Which numbers are integers."""
    if x.data.dtype.kind == "O":
        kinds = [isinstance(item, int) for item in x.data.ravel().tolist()]
        return np.array(kinds, dtype=bool).reshape(x.data.shape)
    return x.short is None and x.data.dtype.kind in "iub"


def factors_of(np: Any, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    """The same products. Integers have no -0: where one factor of two integers is 0, both are."""
    zero = _whole(np, a) & _whole(np, b) & ((a.data == 0) | (b.data == 0))
    if not np.any(zero):
        return a, b
    return a._replace(data=np.where(zero, 0, a.data)), b._replace(data=np.where(zero, 0, b.data))


def axis_of(dimensions: int, axis: Any) -> int:
    try:
        value = int(axis.__index__())
    except (AttributeError, TypeError):
        raise ArgumentError(f"axis={axis!r} is not an integer, tuple of integers or None") from None
    if not -dimensions <= value < dimensions:
        raise ArgumentError(f"axis={axis!r} is out of range: x has {dimensions} "
                            f"dimension{'s'[:dimensions != 1]}")
    return value % dimensions


# ---- one result of numbers of Python ----


def _moments(items: list[Number], less: int) -> Number:
    """The variance of finite numbers, exactly."""
    n = len(items)
    if n == 0 or n - less <= 0 or any(isinstance(v, float) and not math.isfinite(v) for v in items):
        return math.nan
    exact = [Fraction(v) for v in items]
    first, second = sum(exact, Fraction(0)), sum((v * v for v in exact), Fraction(0))
    return (n * second - first * first) / (n * (n - less))


def _squares(items: list[Number]) -> Number:
    return total([product(v, v) for v in items])


def _over(value: Number, n: int) -> Number:
    if not n:
        return math.nan
    return value if isinstance(value, float) else Fraction(value) / n


def _plus(value: Number) -> Number:
    return 0.0 if value == 0 else value


def rational(name: str, items: list[Number], short: str, rounding: str, less: int) -> float:
    """What `exact_rows` computes, of numbers that no array of floats holds."""
    if name == "sum":
        return rounded(total(items), short, rounding)
    if name == "mean":
        return rounded(_over(total(items), len(items)), short, rounding)
    if name == "norm":
        return root(_squares(items), short, rounding)
    if name == "rms":
        return root(_over(_squares(items), len(items)), short, rounding)
    value = _moments(items, less)
    return root(value, short, rounding) if name == "std" else rounded(_plus(value), short, rounding)


def _complex_spread(np: Any, name: str, row: Any, short: str, rounding: str, less: int) -> float:
    """The sum of the variances of both parts, rounded once."""
    parts = [_moments([float(v) for v in part.tolist()], less) for part in (row.real, row.imag)]
    if any(isinstance(value, float) for value in parts):
        return math.nan
    value = _plus(parts[0] + parts[1])
    return root(value, short, rounding) if name == "std" else rounded(value, short, rounding)


# ---- all results ----


def output_of(name: str, numbers: Numbers, dtype: Any) -> str:
    """The format of the results."""
    if dtype is not None:
        short = format_of(dtype)
    elif numbers.short is not None:
        short = numbers.short if name == "sum" or numbers.short in ("f64", "f32") else "f32"
    else:
        short = "f32" if numbers.data.dtype.char == "F" else "f64"
    return result_format(short)


def along(name: str, x: Any, axis: Any, dtype: Any, rounding: str, threads: int = 1, less: int = 0,
          keepdims: bool = False) -> Any:
    """sum, mean, norm, rms, var or std of the numbers along an axis; all of them if it is None."""
    code, threads, less = rounding_of(rounding), thread_count(threads), ddof_of(less)
    np = need_numpy("axes, columns and complex numbers")
    numbers = numbers_of(x)
    short = output_of(name, numbers, dtype)
    rows = rows_of(np, numbers.data, numbers.mask, axis, keepdims)
    wide = numbers.data.dtype.kind == "c" and name in ("sum", "mean")
    if wide:
        parts = [_real(np, name, part, rows.mask, None, short, rounding, code, threads, less)
                 for part in (rows.data.real, rows.data.imag)]
        found = parts[0] + 1j * 0
        found.real, found.imag = parts
    else:
        found = _real(np, name, rows.data, rows.mask, numbers.short, short, rounding, code, threads,
                      less)
    return _shaped(np, found, rows, short, wide, axis, keepdims)


def _real(np: Any, name: str, data: Any, mask: Any, form: str | None, short: str, rounding: str,
          code: int, threads: int, less: int) -> Any:
    """One float64 for each row."""
    if mask is not None:
        rows = [_real(np, name, row[~hidden].reshape(1, -1), None, form, short, rounding, code,
                      threads, less) for row, hidden in zip(data, mask)]
        return np.concatenate(rows) if rows else np.zeros(0)
    if data.dtype.kind == "c" and name in ("var", "std"):
        return np.array([_complex_spread(np, name, row, short, rounding, less) for row in data],
                        dtype=np.float64)
    if data.dtype.kind == "c":  # a norm: of all parts; a mean square: of half as many numbers
        if name == "rms":
            return np.array([_complex_rms(row, short, rounding) for row in data], dtype=np.float64)
        real = data.real.dtype
        data = np.ascontiguousarray(data).view(real).reshape(len(data), 2 * data.shape[1])
    elif data.dtype.kind in "iub" and name not in ("sum", "mean") and form is None:
        exact = floats_of(np, data)
        data = data.astype(object) if exact is None else exact
    if data.dtype.kind == "O":
        return np.array([rational(name, row.tolist(), short, rounding, less) for row in data],
                        dtype=np.float64)
    data = even(np, data)
    if not data.size:
        data = np.zeros(data.shape, data.dtype)
    made = _accord.exact_rows(name, data, form, short, code, threads, less)
    return np.frombuffer(made, dtype=np.float64)


def _complex_rms(row: Any, short: str, rounding: str) -> float:
    parts = [float(v) for part in (row.real, row.imag) for v in part.tolist()]
    return root(_over(_squares(parts), len(row)), short, rounding)


def _shaped(np: Any, found: Any, rows: Rows, short: str, wide: bool, axis: Any, keepdims: bool
            ) -> Any:
    if not rows.shape:
        return complex(found[0]) if wide else float(found[0])
    if wide:
        kind = np.complex64 if short == "f32" else np.complex128
    else:
        kind = numpy_dtype(np, short)
    with np.errstate(all="ignore"):
        out = found.astype(kind).reshape(rows.shape)
    if rows.mask is not None:
        return np.ma.array(out, mask=rows.mask.all(axis=1).reshape(rows.shape))
    return out


Reduction = Callable[..., Any]
