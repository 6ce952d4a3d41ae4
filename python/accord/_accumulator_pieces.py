"""What an Accumulator takes, cut into pieces that its exact sums take: blocks of iterators, numbers
of Python one by one, and pairs of blocks of float64."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterable, Iterator

from . import _accord
from ._accord import ArgumentError
from ._arrays import load_numpy
from ._exact_columns import column
from ._exact_rows import _WHOLE, doubled, factors_of, floats_of, numbers_of
from ._formats import short_name
from ._rational import flat, number, rounded

_BLOCK = 1 << 16  # numbers taken from an iterator, or converted, at a time


def _is_iterator(x: Any) -> bool:
    return hasattr(x, "__next__")


def runs(items: Iterator[Any]) -> Iterator[Any]:
    """The items of an iterator, single numbers as lists of many."""
    block: list[Any] = []
    try:
        for item in items:
            if isinstance(item, (float, int)):
                block.append(item)
                if len(block) < _BLOCK:
                    continue
            if block:
                yield block
                block = []
            if not isinstance(item, (float, int)):
                yield item
    except Exception:
        if block:  # what came before counts
            yield block
        raise
    if block:
        yield block


def pieces(x: Any, y: Any) -> Iterable[tuple[Any, Any]]:
    if y is None:
        return ((piece, None) for piece in runs(x)) if _is_iterator(x) else ((x, None),)
    if _is_iterator(x) != _is_iterator(y):
        raise ArgumentError("give two vectors, or two iterators of vectors of the same lengths")
    return _both(x, y) if _is_iterator(x) else ((x, y),)


def _both(x: Iterator[Any], y: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    end = object()
    for first in x:
        second = next(y, end)
        if second is end:
            raise ArgumentError("the second iterator ends before the first one")
        yield first, second
    if next(y, end) is not end:
        raise ArgumentError("the first iterator ends before the second one")


def _feed_items(part: bytearray, items: list[Any]) -> None:
    """Floats and integers."""
    try:
        _accord.exact_feed_items(part, items, False)
    except OverflowError:
        raise ArgumentError("an integer is too large for a sum of floats, which is what an Accumulator "
                            "holds: use accord.sum for such integers") from None


def _add_items(part: bytearray, items: Iterable[Any]) -> None:
    """Numbers of Python, each as one term."""
    for value in items:
        exact = number(value)
        if isinstance(exact, Fraction) and exact:
            _accord.exact_feed_term(part, _floats_of(exact), False)
        else:
            _feed_items(part, [int(exact) if isinstance(exact, Fraction) else exact])


def _floats_of(exact: Fraction) -> list[float]:
    """Floats whose sum is a number that is not 0, the greatest first."""
    rest, parts = exact, list[float]()
    while rest and len(parts) < 42:
        part = rounded(rest, "f64", "zero")
        if part == 0:
            break
        parts.append(part)
        rest -= Fraction(part)
    if rest:
        raise ArgumentError(f"{exact} is not a sum of floats, which is what an Accumulator holds: use "
                            "accord.sum for such Fractions and Decimals")
    return parts


def add_numbers(part: bytearray, x: Any) -> None:
    """Adds the numbers of anything but an iterator."""
    if isinstance(x, (float, int)) and not isinstance(x, bool):
        x = [x]
    np = load_numpy()
    if isinstance(x, (list, tuple)):
        items = flat(x)
        if set(map(type, items)) <= {float, int}:
            _feed_items(part, items)
        else:
            _add_items(part, items)
        return
    if np is None:
        _accord.exact_feed(part, x if _has_buffer(x) else flat(x), None, False)
        return
    x = column(np, x)
    if not _has_buffer(x) and not hasattr(x, "__array__") and not hasattr(x, "__dlpack__") \
            and not hasattr(x, "detach"):
        _add_items(part, [x] if not hasattr(x, "__iter__") else flat(x))
        return
    if not np.ma.isMaskedArray(x) and _has_buffer(x) and not isinstance(x, (bytes, bytearray)):
        if getattr(x, "dtype", None) is None or x.dtype.kind in "iubf" and short_name(
                x.dtype) != "bf16":
            _accord.exact_feed(part, x, None, False)
            return
    held = numbers_of(x)
    if held.data.dtype.kind == "c":
        raise ArgumentError("an Accumulator holds real numbers: add x.real and x.imag to two of them")
    data = held.data if held.mask is None else held.data[~held.mask]
    if data.dtype.kind == "O":
        _add_items(part, data.ravel().tolist())
    else:
        _accord.exact_feed(part, data, held.short, False)


def _has_buffer(x: Any) -> bool:
    try:
        memoryview(x).release()
    except (TypeError, ValueError):  # ValueError: a dtype of ml_dtypes
        return False
    return True


def vectors(x: Any, y: Any, factors: bool) -> Iterator[tuple[list[Any], list[Any]]]:
    """Pairs of blocks, each as arrays of float64 whose sum is the block exactly, the greatest first;
    pairs with a masked number are left out. factors: for their products alone."""
    np = load_numpy()
    if np is None:
        raise _accord.UnsupportedError("products need NumPy: pip install numpy")
    a = numbers_of(_listed(x))
    b = a if y is None else numbers_of(_listed(y))
    if a.data.shape != b.data.shape:
        raise ArgumentError(f"x has the shape {a.data.shape}, but y has {b.data.shape}: give equally "
                            "many numbers")
    if y is not None and factors:
        a, b = factors_of(np, a, b)
    hidden = [each.mask for each in (a, b) if each.mask is not None]
    v, w = a.data, b.data
    if hidden:
        keep = ~np.logical_or.reduce(hidden)
        v, w = v[keep], w[keep]
    v, w = v.reshape(-1), w.reshape(-1)
    for at in range(0, len(v), _BLOCK):
        first = _parts(np, v[at:at + _BLOCK], a.short)
        yield first, first if y is None else _parts(np, w[at:at + _BLOCK], b.short)


def _listed(x: Any) -> Any:
    return [x] if isinstance(x, (int, float)) else x


def _parts(np: Any, data: Any, short: str | None) -> list[Any]:
    if short == "bf16":
        return [doubled(np, (data.astype(np.uint32) << 16).view(np.float32))]
    if data.dtype.kind == "f":
        return [doubled(np, data)]
    if data.dtype.kind in "iub":
        exact = floats_of(np, data)
        if exact is not None:
            return [exact]
    elif data.dtype.kind != "O":
        raise ArgumentError("an Accumulator holds products of real numbers")
    items = [number(item) for item in data.astype(object).tolist()]
    rows = [[float(item)] if isinstance(item, float) or abs(item) <= _WHOLE and item == int(item)
            else _floats_of(Fraction(item)) for item in items]
    return [np.array([row[k] if k < len(row) else 0.0 for row in rows])
            for k in range(max(map(len, rows), default=0))]


def add_products(part: bytearray, x: list[Any], y: list[Any]) -> None:
    """The products of two blocks of `vectors`, each as one term."""
    _accord.exact_feed_products(part, x[0], y[0], False)
    np, more = load_numpy(), _accord.exact_new(True)
    for i, v in enumerate(x):
        for k, w in enumerate(y):
            if i or k:  # where one factor is infinite or NaN the first parts have said so
                told = (v != 0) & (w != 0) & np.isfinite(x[0]) & np.isfinite(y[0])
                _accord.exact_feed_products(more, v[told], w[told], False)
    _accord.exact_merge(part, more, False, False)


def add_parts(part: bytearray, x: list[Any]) -> None:
    """The numbers of a block of `vectors`, each as one term."""
    more = _accord.exact_new(False)
    _accord.exact_feed(part, x[0], None, False)
    for v in x[1:]:
        _accord.exact_feed(more, v[v != 0], None, False)
    _accord.exact_merge(part, more, False, False)
