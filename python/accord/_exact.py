"""Sums and dot products rounded once from their exact value: the same bits in any order."""

from __future__ import annotations

from typing import Any, Callable, Iterable, overload

from . import _accord
from ._accord import ArgumentError
from ._arrays import as_numpy, load_numpy
from ._formats import format_of, short_name
from ._rational import flat, floats, number, product, rounded, total
from .adapters import Dot

_ROUNDINGS = ("nearest", "zero", "down", "up", "away")


def _rounding(name: str) -> int:
    if name not in _ROUNDINGS:
        raise ArgumentError(f"rounding={name!r} is unknown: choose {', '.join(_ROUNDINGS)}")
    return _ROUNDINGS.index(name)


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


def sum(x: Any, *, dtype: Any = None, rounding: str = "nearest", threads: int = 1,
        axis: None = None) -> float:
    """The sum of all numbers of x, correctly rounded once from its exact value.

    x: an array of any shape of float64, float32, float16, bfloat16 or integers, in either order of
    bytes (no copy is made, whatever the strides); masked elements of a masked array are left out.
    Or a sequence of floats, integers of any size, Fractions and Decimals, or of rows of them.
    Nothing is rounded before the sum: a number of another kind that cannot be represented
    as a float is an ArgumentError.
    dtype: the format of the result (default: that of x; float64 if x does not hold floats).
    rounding: "nearest" (ties to even), "zero", "down", "up", "away" (ties away from zero).
    threads: the most to use; 0: one for each processor. axis: None only. Returns a float, which
    holds the result exactly whatever the dtype. Nothing overflows on the way. The sum of no numbers
    is -0.0.

    >>> import accord
    >>> accord.sum([1e100, 1.0, -1e100]), accord.sum([0.1] * 10)
    (1.0, 1.0)
    >>> accord.sum([2**53 + 1, -2**53])
    1.0
    """
    if axis is not None:
        raise _accord.UnsupportedError("axis must be None: exact sums along an axis are not implemented yet")
    operand, name = _operand(x)
    short = None if dtype is None else format_of(dtype)
    if isinstance(operand, list):
        return rounded(total(operand), _result(short), _checked(rounding))
    return _accord.exact_sum(operand, name, short, _rounding(rounding), threads)


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
    return view.tolist()


@overload
def dot(x: Callable[..., Any]) -> Dot: ...


@overload
def dot(x: Any, y: Any, *, rounding: str = ..., threads: int = ...) -> float: ...


def dot(x: Any, y: Any = None, *, rounding: str = "nearest", threads: int = 1) -> Any:
    """dot(x, y): the dot product of two vectors, correctly rounded once from its exact value; no
    product overflows or underflows. x, y: both float64, or both float32, or other numbers that
    `sum` takes (integers, Fractions, Decimals; the result is a float64). A pair is left out if
    either of its numbers is masked. rounding, threads: as for `sum`.

    dot(f): the adapter of a callable f(x, y) of two vectors of shape (n,), for `accord.reveal`.

    >>> import accord, numpy
    >>> accord.dot([1e200, 1.0, 1e200], [1e200, 1.0, -1e200])
    1.0
    >>> accord.reveal(accord.dot(lambda x, y: x[0] * y[0] + x[1] * y[1]), n=2).text
    '(0+1)'
    """
    if y is None:
        return Dot(x)
    first, second = _pair(x, y)
    if isinstance(first, list) or isinstance(second, list):
        a, b = _numbers(first), _numbers(second)
        if len(a) != len(b):
            raise ArgumentError(f"x has {len(a)} numbers, but y has {len(b)}: give equally many")
        return rounded(total([product(v, w) for v, w in zip(a, b)]), "f64", _checked(rounding))
    return _accord.exact_dot(first, second, _rounding(rounding), threads)


def fsum(iterable: Iterable[float]) -> float:
    """Like math.fsum, but correctly rounded on every platform and without intermediate overflow.

    Integers are not rounded before they are added.

    >>> import accord
    >>> accord.fsum([1e308, 1e308, -1e308]), accord.fsum([])
    (1e+308, 0.0)
    """
    return _accord.fsum(iterable)
