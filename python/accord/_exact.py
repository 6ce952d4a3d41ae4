"""Sums and dot products rounded once from their exact value: the same bits in any order."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Callable, Iterable, overload

from . import _accord
from ._accord import ArgumentError
from ._accumulator import Accumulator, runs
from ._arrays import as_numpy, load_numpy, numpy_dtype
from ._exact_columns import column, is_frame
from ._exact_rows import (
    along,
    floats_of,
    need_numpy,
    numbers_of,
    output_of,
    rounding_of as _rounding,
    rows_of,
)
from ._formats import format_of, short_name
from ._rational import flat, floats, number, product, rounded, total
from .adapters import Dot

def _checked(rounding: str) -> str:
    _rounding(rounding)
    return rounding


def _result(short: str | None) -> str:
    """The format of a result whose terms are not floats."""
    if short not in (None, "f64", "f32", "f16", "bf16"):
        raise ArgumentError("exact sums are rounded to float64, float32, float16 or bfloat16, not "
                            f"{short}")
    return short or "f64"


def _unmasked(np: Any, x: Any, mask: Any = None) -> Any:
    """An array; of a masked one, the elements that its mask (or `mask`) does not hide."""
    if not np.ma.isMaskedArray(x):
        return as_numpy(np, x)
    hidden = np.ma.getmaskarray(x) if mask is None else mask
    return np.ma.getdata(x)[~hidden] if hidden.any() else np.ma.getdata(x)


def _operand(x: Any) -> tuple[Any, str | None]:
    """A buffer, and accord's name of its format if the buffer does not state it; or a list of
    numbers, some of which are not floats."""
    if isinstance(x, (bytes, bytearray)):
        raise ArgumentError("bytes do not state the format of their numbers: give, for example, "
                            "memoryview(x).cast('d')")
    if isinstance(x, str):
        raise ArgumentError("x is a string: convert it to numbers first")
    if hasattr(x, "detach"):  # a tensor of PyTorch
        x = x.detach().cpu()
        if short_name(x.dtype) == "bf16":
            import torch

            return x.view(torch.int16).numpy(), "bf16"
        x = x.numpy()
    x = column(load_numpy(), x)
    np = load_numpy() if hasattr(x, "__array__") or hasattr(x, "__dlpack__") else None
    if np is not None:
        x = _unmasked(np, x)
        if short_name(x.dtype) == "bf16":
            return x.view(np.uint16), "bf16"
        if x.dtype.kind == "O":
            return [number(item) for item in x.ravel().tolist()], None
        if x.dtype.char not in "dfe" and x.dtype.kind not in "iub":
            raise ArgumentError("exact sums take float64, float32, float16, bfloat16 and integers, "
                                f"not {x.dtype}: convert first")
        return x, None
    try:
        memoryview(x)
    except TypeError:
        items = flat(x)
        held = floats(items)
        return ([number(item) for item in items] if held is None else held), None
    return x, None


def _is_complex(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(isinstance(item, complex) or isinstance(item, (list, tuple)) and _is_complex(item)
                   for item in x)
    return getattr(getattr(x, "dtype", None), "kind", "") == "c"


def _of_frame(name: str, x: Any, axis: Any, options: dict[str, Any]) -> Any:
    """A table of pandas, column by column: its columns may have different types."""
    if axis not in (0, "index"):
        raise ArgumentError("give axis=0 for a result of each column of a table, or one of its "
                            "columns")
    import pandas

    return pandas.Series({label: along(name, x[label], None, **options) for label in x.columns})


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
        return _of_frame(name, x, axis, {"dtype": dtype, "rounding": rounding, "less": less})
    return along(name, x, axis, dtype, rounding, less=less, keepdims=keepdims)


def _sum_of_iterator(x: Any, dtype: Any, rounding: str) -> float:
    """Fractions and Decimals that no float holds are added beside the accumulator."""
    held, odd = Accumulator(), Fraction(0)
    for piece in runs(x):
        try:
            held.add(piece)
        except ArgumentError:
            rest = total([number(item) for item in flat([piece])])
            if isinstance(rest, float):
                raise
            odd += rest
    value = held.value(dtype=dtype, rounding=_checked(rounding))
    if odd and math.isfinite(held.value(rounding="zero")):
        return rounded(odd + (held.fraction() if held.terms else 0),
                       _result(None if dtype is None else format_of(dtype)), rounding)
    return value


def sum(x: Any, *, axis: Any = None, dtype: Any = None, rounding: str = "nearest",
        threads: int = 1, keepdims: bool = False) -> Any:
    """The sum of all numbers of x, or along an axis, correctly rounded once from its exact value.

    x: an array of any shape of float64, float32, float16, bfloat16, complex numbers or integers, in
    either order of bytes (without an axis, no copy is made, whatever the strides); masked elements
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

    >>> import accord
    >>> accord.sum([1e100, 1.0, -1e100]), accord.sum([0.1] * 10)
    (1.0, 1.0)
    >>> accord.sum([2**53 + 1, -2**53])
    1.0
    >>> accord.sum([[1e100, 2.0], [1.0, 3.0], [-1e100, 4.0]], axis=0).tolist()
    [1.0, 9.0]
    """
    if hasattr(x, "__next__"):
        if axis is not None:
            raise ArgumentError("an iterator has no axes")
        return _sum_of_iterator(x, dtype, rounding)
    if is_frame(x):
        return _of_frame("sum", x, axis, {"dtype": dtype, "rounding": rounding})
    if axis is not None or keepdims or _is_complex(x):
        return along("sum", x, axis, dtype, rounding, threads, keepdims=keepdims)
    operand, name = _operand(x)
    short = None if dtype is None else format_of(dtype)
    if isinstance(operand, list):
        return rounded(total(operand), _result(short), _checked(rounding))
    return _accord.exact_sum(operand, name, short, _rounding(rounding), threads)


def mean(x: Any, *, axis: Any = None, dtype: Any = None, rounding: str = "nearest",
         keepdims: bool = False) -> Any:
    """The exact sum divided by the number of numbers, rounded once; NaN without numbers.

    x, axis, rounding, keepdims: as for `sum`. dtype: float64 or float32 (default: that of x;
    float32 for float16 and bfloat16, float64 for integers).

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


def cumsum(x: Any, *, axis: Any = None, rounding: str = "nearest", threads: int = 1) -> Any:
    """The sums of the first 1, 2, … numbers, each rounded once from its exact value (needs NumPy).

    x: as for `sum`, but no iterator and no table. axis: one axis; None: all numbers, in C order.
    The result has the format of x; float32 for float16 and bfloat16, float64 for integers. A masked
    number adds nothing, and is masked in the result.

    >>> import accord
    >>> accord.cumsum([1e100, 1.0, -1e100]).tolist()
    [1e+100, 1e+100, 1.0]
    """
    np = need_numpy("running sums")
    numbers = numbers_of(x)
    data, mask, code = numbers.data, numbers.mask, _rounding(rounding)
    if mask is not None:
        data = np.where(mask, data.dtype.type(0) if data.dtype.kind != "O" else 0, data)
    if axis is None:
        data = data.reshape(-1)
        mask = None if mask is None else mask.reshape(-1)
        axis = 0
    elif not isinstance(axis, int) or not -data.ndim <= axis < data.ndim:
        raise ArgumentError(f"axis={axis!r} is out of range: there are {data.ndim} dimensions")
    laid = np.moveaxis(data, axis, -1)
    if data.dtype.kind == "c":
        out = np.empty(laid.shape, data.dtype)
        for place in np.ndindex(laid.shape[:-1]):
            out.real[place] = _running(np, laid.real[place], None, code, rounding, threads)
            out.imag[place] = _running(np, laid.imag[place], None, code, rounding, threads)
    else:
        kind = numpy_dtype(np, output_of("mean", numbers, None))
        out = np.empty(laid.shape, kind)
        for place in np.ndindex(laid.shape[:-1]):
            out[place] = _running(np, laid[place], numbers.short, code, rounding, threads)
    out = np.moveaxis(out, -1, axis)
    return out if mask is None else np.ma.array(out, mask=mask)


def _running(np: Any, row: Any, short: str | None, code: int, rounding: str, threads: int) -> Any:
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
            held = [total(held + [item])]
            out.append(rounded(held[0], "f64", rounding))
        return np.array(out, dtype=np.float64)
    row = np.ascontiguousarray(row)
    out = np.empty(row.shape, row.dtype)
    _accord.exact_cumsum(row, out, code, threads)
    return out


def groupby_sum(x: Any, by: Any, *, rounding: str = "nearest", threads: int = 1) -> Any:
    """The sums of the numbers with equal keys, each rounded once from its exact value (needs NumPy).

    x: a vector of float64, float32, integers of at most 53 bits or narrower floats, or a column.
    by: as many keys: numbers, strings or whatever NumPy can sort. Numbers that are masked or missing
    are left out; so is a number whose key is. Returns the keys, sorted, and an array of their sums: of
    float32 for float32, float64 for everything else. If x is a Series of pandas, returns a Series
    whose index holds the keys.

    >>> import accord
    >>> keys, sums = accord.groupby_sum([1e100, 2.0, 1.0, -1e100], ["a", "b", "a", "a"])
    >>> keys.tolist(), sums.tolist()
    (['a', 'b'], [1.0, 2.0])
    """
    np = need_numpy("sums by key")
    numbers, code = numbers_of(x), _rounding(rounding)
    keys = column(np, by)
    keys = keys if np.ma.isMaskedArray(keys) else np.asarray(keys)
    data = _group_numbers(np, numbers)
    if data.ndim != 1 or keys.shape != data.shape:
        raise ArgumentError(f"x has the shape {data.shape}, but by has {keys.shape}: give two vectors "
                            "of one length")
    keep = ~np.ma.getmaskarray(keys)
    if numbers.mask is not None:
        keep &= ~numbers.mask
    if not keep.all():
        data, keys = data[keep], np.ma.getdata(keys)[keep]
    names, places = np.unique(np.ma.getdata(keys), return_inverse=True)
    out = np.empty(len(names), data.dtype)
    _accord.exact_groups(data, np.ascontiguousarray(places.reshape(-1), dtype=np.uintp), len(names), out,
                         code, threads)
    if type(x).__module__.partition(".")[0] == "pandas":
        import pandas

        return pandas.Series(out, index=pandas.Index(names, name=getattr(by, "name", None)),
                             name=getattr(x, "name", None))
    return names, out


def _group_numbers(np: Any, numbers: Any) -> Any:
    data = numbers.data
    if numbers.short == "bf16":
        data = (data.astype(np.uint32) << 16).view(np.float32)
    if numbers.short in ("bf16", "f16"):
        return data.astype(np.float64)
    exact = data if numbers.short in ("f64", "f32") else None
    if data.dtype.kind in "iub":
        exact = floats_of(np, data)
    if exact is None:
        raise ArgumentError("sums by key take real numbers that float64 holds exactly: integers up to "
                            "2**53")
    return exact


_INTEGERS = tuple("?bBhHiIlLqQnN")  # of the module struct


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands without the masked pairs. Integers become a list, since the product of two
    64-bit integers fits no float."""
    np = load_numpy()
    if np is not None and (np.ma.isMaskedArray(x) or np.ma.isMaskedArray(y)):
        mask = np.ma.mask_or(np.ma.getmaskarray(x), np.ma.getmaskarray(y), shrink=False)
        x, y = (_unmasked(np, np.ma.asarray(each), mask) for each in (x, y))
    return _factors(*_operand(x)), _factors(*_operand(y))


def _factors(operand: Any, name: str | None) -> Any:
    """A vector of floats in the machine's order of bytes, or a list of numbers."""
    if isinstance(operand, list) or name:
        return operand
    form = memoryview(operand).format
    if form.lstrip("<>=@!") in _INTEGERS:
        if memoryview(operand).ndim != 1:
            raise ArgumentError("an exact dot product takes two vectors")
        return operand.tolist()
    if form[0] in "<>!" and hasattr(operand, "astype"):
        return operand.astype(operand.dtype.newbyteorder("="))
    return operand


def _numbers(operand: Any) -> list[Any]:
    """A vector as a list of numbers."""
    if isinstance(operand, list):
        return operand
    view = memoryview(operand)
    if view.ndim != 1 or view.format not in ("d", "f", "e"):
        raise ArgumentError("if one vector of an exact dot product has integers, Fractions or "
                            "Decimals, the other must have those, float64, float32 or float16")
    return view.tolist() if view.format != "e" else operand.tolist()


@overload
def dot(x: Callable[..., Any]) -> Dot: ...


@overload
def dot(x: Any, y: Any, *, axis: Any = ..., conjugate: bool = ..., rounding: str = ...,
        threads: int = ...) -> Any: ...


def dot(x: Any, y: Any = None, *, axis: Any = None, conjugate: bool = False,
        rounding: str = "nearest", threads: int = 1) -> Any:
    """dot(x, y): the dot product of two vectors, correctly rounded once from its exact value; no
    product overflows or underflows. x, y: both float64, or both float32, float16 or bfloat16, or
    other numbers that `sum` takes (numbers of different kinds, integers, Fractions, Decimals; the
    result is a float64), or complex numbers: those of x are conjugated first if `conjugate` is set.
    A pair is left out if either of its numbers is masked or missing. axis: of arrays of one shape,
    the axis along which products are added up (needs NumPy). rounding, threads: as for `sum`.

    dot(f): the adapter of a callable f(x, y) of two vectors of shape (n,), for `accord.reveal`.

    >>> import accord, numpy
    >>> accord.dot([1e200, 1.0, 1e200], [1e200, 1.0, -1e200])
    1.0
    >>> accord.dot([1 + 2j, 3j], [1j, 2.0])
    (-2+7j)
    >>> accord.reveal(accord.dot(lambda x, y: x[0] * y[0] + x[1] * y[1]), n=2).text
    '(0+1)'
    """
    if y is None:
        return Dot(x)
    if axis is not None or _is_complex(x) or _is_complex(y):
        return _dot_rows(x, y, axis, conjugate, rounding)
    np = load_numpy()
    x, y = column(np, x), column(np, y)
    first, second = _pair(x, y)
    if isinstance(first, list) or isinstance(second, list):
        a, b = _numbers(first), _numbers(second)
        if len(a) != len(b):
            raise ArgumentError(f"x has {len(a)} numbers, but y has {len(b)}: give equally many")
        return rounded(total([product(v, w) for v, w in zip(a, b)]), "f64", _checked(rounding))
    if np is not None and {memoryview(each).format for each in (first, second)} not in ({"d"}, {"f"}):
        return _dot_rows(x, y, None, conjugate, rounding)
    return _accord.exact_dot(first, second, _rounding(rounding), threads)


def _dot_rows(x: Any, y: Any, axis: Any, conjugate: bool, rounding: str) -> Any:
    np, code = need_numpy("axes and complex numbers"), _rounding(rounding)
    a, b = numbers_of(x), numbers_of(y)
    if a.data.shape != b.data.shape:
        raise ArgumentError(f"x has the shape {a.data.shape}, but y has {b.data.shape}: give two "
                            "arrays of one shape")
    if axis is None and a.data.ndim != 1:
        raise ArgumentError("an exact dot product takes two vectors, or an axis")
    mask = a.mask if b.mask is None else b.mask if a.mask is None else a.mask | b.mask
    wide = "c" in (a.data.dtype.kind, b.data.dtype.kind)
    form, v, w = _one_form(np, a, b, wide)
    first, second = rows_of(np, v, mask, axis), rows_of(np, w, None, axis)
    found = []
    for i, (row, other) in enumerate(zip(first.data, second.data)):
        if first.mask is not None:
            row, other = row[~first.mask[i]], other[~first.mask[i]]
        found.append(_one_dot(np, row, other, form, wide, conjugate, code, rounding))
    if not first.shape:
        return found[0]
    kind = np.complex128 if wide else numpy_dtype(np, form or "f64")
    out = np.array(found, dtype=np.complex128 if wide else np.float64).astype(kind)
    out = out.reshape(first.shape)
    return out if first.mask is None else np.ma.array(
        out, mask=first.mask.all(axis=1).reshape(first.shape))


def _one_form(np: Any, a: Any, b: Any, wide: bool) -> tuple[str | None, Any, Any]:
    """Both arrays in one format that holds their numbers exactly; None: as objects."""
    if a.short and a.short == b.short:
        return a.short, a.data, b.data
    made = []
    for each in (a, b):
        data = each.data
        if each.short == "bf16":
            data = (data.astype(np.uint32) << 16).view(np.float32)
        if data.dtype.kind in "iub":
            exact = floats_of(np, data)
            data = data.astype(object) if exact is None else exact
        made.append(data)
    if wide:
        if any(data.dtype.kind == "O" for data in made):
            raise ArgumentError("complex products take numbers that float64 holds exactly")
        return None, made[0].astype(np.complex128), made[1].astype(np.complex128)
    if any(data.dtype.kind == "O" for data in made):
        return None, made[0].astype(object), made[1].astype(object)
    return "f64", made[0].astype(np.float64), made[1].astype(np.float64)


def _one_dot(np: Any, row: Any, other: Any, form: str | None, wide: bool, conjugate: bool, code: int,
             rounding: str) -> Any:
    if wide:
        pairs = [np.ascontiguousarray(each).view(np.float64).reshape(-1, 2) for each in (row, other)]
        return _accord.exact_complex_dot(pairs[0], pairs[1], conjugate, code)
    if form is None:
        return rounded(total([product(v, w) for v, w in zip(row.tolist(), other.tolist())]), "f64",
                       rounding)
    made = _accord.exact_row_dots(row.reshape(1, -1), other.reshape(1, -1), form, form, code)
    return float(np.frombuffer(made, dtype=np.float64)[0])


def fsum(iterable: Iterable[float]) -> float:
    """Like math.fsum, but correctly rounded on every platform and without intermediate overflow.

    Integers are not rounded before they are added.

    >>> import accord
    >>> accord.fsum([1e308, 1e308, -1e308]), accord.fsum([])
    (1e+308, 0.0)
    """
    return _accord.fsum(iterable)
