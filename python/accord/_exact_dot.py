"""Exact dot products: one function for two vectors, and for arrays along an axis."""

from __future__ import annotations

from typing import Any, Callable, overload

from . import _accord
from ._accord import ArgumentError
from ._arrays import load_numpy, numpy_dtype
from ._exact_columns import column
from ._exact_device import dot_on
from ._exact_operands import checked, is_complex, operand_of, unmasked
from ._exact_rows import (
    doubled,
    even,
    factors_of,
    floats_of,
    need_numpy,
    numbers_of,
    result_format,
    rounding_of,
    rows_of,
    thread_count,
)
from ._formats import format_of
from ._rational import product, rounded, total
from .adapters import Dot

_INTEGERS = tuple("?bBhHiIlLqQnN")  # of the module struct


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands without the masked pairs. Integers become a list, since the product of two
    64-bit integers fits no float."""
    np = load_numpy()
    if np is not None and (np.ma.isMaskedArray(x) or np.ma.isMaskedArray(y)):
        mask = np.ma.mask_or(np.ma.getmaskarray(x), np.ma.getmaskarray(y), shrink=False)
        x, y = (unmasked(np, np.ma.asarray(each), mask) for each in (x, y))
    return _factors(*operand_of(x)), _factors(*operand_of(y))


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
    if view.ndim != 1 or view.format.lstrip("=@^") not in ("d", "f", "e"):
        raise ArgumentError("if one vector of an exact dot product has integers, Fractions or "
                            "Decimals, the other must have those, float64, float32 or float16")
    return operand.tolist() if hasattr(operand, "tolist") else view.tolist()


@overload
def dot(x: Callable[..., Any]) -> Dot: ...


@overload
def dot(x: Any, y: Any, *, axis: Any = ..., conjugate: bool = ..., rounding: str = ...,
        threads: int = ..., device: str | None = ..., dtype: Any = ...) -> Any: ...


def dot(x: Any, y: Any = None, *, axis: Any = None, conjugate: bool = False,
        rounding: str = "nearest", threads: int = 1, device: str | None = None,
        dtype: Any = None) -> Any:
    """dot(x, y): the dot product of two vectors, correctly rounded once from its exact value; no
    product overflows or underflows. x, y: both float64, or both float32, float16 or bfloat16, or
    other numbers that `sum` takes (numbers of different kinds, integers, Fractions, Decimals; the
    result is a float64), or complex numbers: those of x are conjugated first if `conjugate` is set.
    A pair is left out if either of its numbers is masked or missing. axis: of arrays of one shape,
    the axis along which products are added up (needs NumPy). dtype: the format of the result (default:
    that of x and y, float64 if they differ; of complex numbers it is complex128). rounding, threads,
    device: as for `sum`.

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
        if not callable(x):
            raise ArgumentError("give two vectors, dot(x, y), or a function of two vectors, dot(f)")
        return Dot(x)
    if device is not None:
        return dot_on(device, x, y, rounding,
                      {"axis": axis is not None, "conjugate": conjugate, "threads": threads != 1,
                       "dtype": dtype is not None})
    threads, output = thread_count(threads), None if dtype is None else result_format(format_of(dtype))
    if axis is not None or is_complex(x) or is_complex(y):
        return _dot_rows(x, y, axis, conjugate, rounding, output)
    np = load_numpy()
    x, y = column(np, x), column(np, y)
    first, second = _pair(x, y)
    if isinstance(first, list) or isinstance(second, list):
        a, b = _numbers(first), _numbers(second)
        if len(a) != len(b):
            raise ArgumentError(f"x has {len(a)} numbers, but y has {len(b)}: give equally many")
        return rounded(total([product(v, w) for v, w in zip(a, b)]), output or "f64", checked(rounding))
    formats = {memoryview(each).format for each in (first, second)}
    own = formats == {"d"} and output in (None, "f64") or formats == {"f"} and output in (None, "f32")
    if np is not None and (not own or not _are_even(first, second)):
        return _dot_rows(x, y, None, conjugate, rounding, output)
    return _accord.exact_dot(first, second, rounding_of(rounding), threads)


def _are_even(*vectors: Any) -> bool:
    views = [memoryview(each) for each in vectors]
    return all(step % view.itemsize == 0 for view in views for step in view.strides or ())


def _dot_rows(x: Any, y: Any, axis: Any, conjugate: bool, rounding: str, output: str | None) -> Any:
    np, code = need_numpy("axes and complex numbers"), rounding_of(rounding)
    a, b = numbers_of(x), numbers_of(y)
    if a.data.shape != b.data.shape:
        raise ArgumentError(f"x has the shape {a.data.shape}, but y has {b.data.shape}: give two "
                            "arrays of one shape")
    if axis is None and a.data.ndim != 1:
        raise ArgumentError("an exact dot product takes two vectors, or an axis")
    mask = a.mask if b.mask is None else b.mask if a.mask is None else a.mask | b.mask
    wide = "c" in (a.data.dtype.kind, b.data.dtype.kind)
    if wide and output not in (None, "f64"):
        raise ArgumentError("dot products of complex numbers are complex128: leave dtype out")
    form, v, w = _one_form(np, *factors_of(np, a, b), wide)
    short = output or form or "f64"
    first, second = rows_of(np, v, mask, axis), rows_of(np, w, None, axis)
    found = []
    for i, (row, other) in enumerate(zip(first.data, second.data)):
        if first.mask is not None:
            row, other = row[~first.mask[i]], other[~first.mask[i]]
        found.append(_one_dot(np, row, other, form, short, wide, conjugate, code, rounding))
    if not first.shape:
        return found[0]
    kind = np.complex128 if wide else numpy_dtype(np, short)
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
        return None, doubled(np, made[0], np.complex128), doubled(np, made[1], np.complex128)
    if any(data.dtype.kind == "O" for data in made):
        return None, made[0].astype(object), made[1].astype(object)
    return "f64", doubled(np, made[0]), doubled(np, made[1])


def _one_dot(np: Any, row: Any, other: Any, form: str | None, short: str, wide: bool,
             conjugate: bool, code: int, rounding: str) -> Any:
    if wide:
        pairs = [np.ascontiguousarray(each).view(np.float64).reshape(-1, 2) for each in (row, other)]
        return _accord.exact_complex_dot(pairs[0], pairs[1], conjugate, code)
    if form is None:
        return rounded(total([product(v, w) for v, w in zip(row.tolist(), other.tolist())]), short,
                       rounding)
    made = _accord.exact_row_dots(even(np, row.reshape(1, -1)), even(np, other.reshape(1, -1)),
                                    form, short, code)
    return float(np.frombuffer(made, dtype=np.float64)[0])
