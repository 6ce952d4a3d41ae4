"""Sums and dot products rounded once from their exact value: the same bits in any order."""

from __future__ import annotations

from array import array
from typing import Any, Callable, Iterable, overload

from . import _accord
from ._accord import ArgumentError
from ._arrays import as_numpy, load_numpy
from ._formats import format_of, short_name
from .adapters import Dot

_ROUNDINGS = ("nearest", "zero", "down", "up", "away")


def _rounding(name: str) -> int:
    if name not in _ROUNDINGS:
        raise ArgumentError(f"rounding={name!r} is unknown: choose {', '.join(_ROUNDINGS)}")
    return _ROUNDINGS.index(name)


def _operand(x: Any) -> tuple[Any, str | None]:
    """A buffer, and accord's name of its format where the buffer does not say."""
    if hasattr(x, "detach"):  # a tensor of PyTorch
        x = x.detach().cpu()
        if short_name(x.dtype) == "bf16":
            import torch

            return x.view(torch.int16).numpy(), "bf16"
        x = x.numpy()
    np = load_numpy() if hasattr(x, "__array__") or hasattr(x, "__dlpack__") else None
    if np is not None:
        x = as_numpy(np, x)
        if short_name(x.dtype) == "bf16":
            return x.view(np.uint16), "bf16"
        if x.dtype.kind in "iub" and x.dtype.itemsize <= 4:
            x = x.astype(np.float64)
        if x.dtype.char not in "dfe":
            raise ArgumentError(f"exact sums take float64, float32, float16 and bfloat16, not "
                                f"{x.dtype}: convert first")
        return x, None
    try:
        memoryview(x)
    except TypeError:
        return _floats(x), None
    return x, None


def _floats(values: Iterable[Any]) -> Any:
    return array("d", [v for row in values for v in (row if isinstance(row, (list, tuple))
                                                      else (row,))])


def sum(x: Any, *, dtype: Any = None, rounding: str = "nearest", threads: int = 1,
        axis: None = None) -> float:
    """The sum of all numbers of x, correctly rounded once from its exact value.

    x: an array of any shape of float64, float32, float16 or bfloat16 (no copy is made, whatever the
    strides), or a sequence of floats. dtype: what the result is rounded to (default: that of x).
    rounding: "nearest" (ties to even), "zero", "down", "up", "away" (ties away from zero).
    threads: at most so many; 0: all processors. axis: None only. Returns a float, exact whatever
    the dtype. Nothing overflows on the way; of nothing the sum is -0.0.

    >>> import accord
    >>> accord.sum([1e100, 1.0, -1e100]), accord.sum([0.1] * 10)
    (1.0, 1.0)
    """
    if axis is not None:
        raise _accord.UnsupportedError("axis must be None: sums along an axis are not there yet")
    operand, name = _operand(x)
    return _accord.exact_sum(operand, name, None if dtype is None else format_of(dtype),
                             _rounding(rounding), threads)


@overload
def dot(x: Callable[..., Any]) -> Dot: ...


@overload
def dot(x: Any, y: Any, *, rounding: str = ..., threads: int = ...) -> float: ...


def dot(x: Any, y: Any = None, *, rounding: str = "nearest", threads: int = 1) -> Any:
    """dot(x, y): the dot product of two vectors, float64 or float32 both, correctly rounded once
    from its exact value; no product overflows or underflows. rounding, threads: as for `sum`.

    dot(f): the adapter of a callable f(x, y) of two vectors of shape (n,), for `accord.reveal`.

    >>> import accord, numpy
    >>> accord.dot([1e200, 1.0, 1e200], [1e200, 1.0, -1e200])
    1.0
    >>> accord.reveal(accord.dot(lambda x, y: x[0] * y[0] + x[1] * y[1]), n=2).text
    '(0+1)'
    """
    if y is None:
        return Dot(x)
    first, second = _operand(x)[0], _operand(y)[0]
    return _accord.exact_dot(first, second, _rounding(rounding), threads)


def fsum(iterable: Iterable[float]) -> float:
    """math.fsum, but correctly rounded on every platform, and without overflow on the way.

    >>> import accord
    >>> accord.fsum([1e308, 1e308, -1e308]), accord.fsum([])
    (1e+308, 0.0)
    """
    return _accord.fsum(iterable)
