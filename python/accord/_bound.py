"""Bounds: what contraction and reordering can do to the value of an expression. Of a whole program:
_programs.py."""

from __future__ import annotations

import dataclasses
import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any, Iterator, Mapping

from . import _accord
from ._accord import ArgumentError
from ._formats import format_of
from ._order import figure


def models(model: str | Any) -> str:
    """"contract,ftz", also from a sequence of names.

    >>> models(["contract", "ftz"])
    'contract,ftz'
    """
    return model.replace(" ", "") if isinstance(model, str) else ",".join(model)


def put(x: float, format: str = "f64") -> str:
    """A number in as few digits as tell it from its neighbors in the format.

    >>> put(0.1), put(0.10000000149011612, "f32"), put(math.inf)
    ('0.1', '0.1', 'inf')
    """
    if format == "f32" and math.isfinite(x):
        for digits in range(1, 10):
            text = f"{x:.{digits}g}"
            try:
                if struct.unpack("f", struct.pack("f", float(text)))[0] == x:
                    return text
            except OverflowError:  # the text is above the greatest number
                continue
    return repr(float(x))


@dataclasses.dataclass(frozen=True, repr=False)
class Bound:
    """Bounds of the value of an expression, over all evaluations that a model allows.

    Every value that is not NaN lies in [low, high]; ``x in bound`` asks that. If both ends are
    reached (`exact`), `witnesses` has an evaluation that gives low and one that gives high.
    """

    expression: str
    low: float
    high: float
    model: str
    format: str  #: of the result: "f64", "f32", "f16" or "bf16"
    method: str
    exact: bool  #: both ends are reached
    may_be_nan: bool
    witnesses: tuple[str, str] | None  #: expressions in C that give low and high

    @property
    def width(self) -> float:
        return self.high - self.low

    def __contains__(self, x: float) -> bool:
        return self.may_be_nan if math.isnan(x) else self.low <= x <= self.high

    def __repr__(self) -> str:
        return (f"<accord.Bound [{put(self.low, self.format)}, {put(self.high, self.format)}], "
                f"{self.model}>")

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return figure(f"{self.expression}\n{self}", "")

    def _lines(self) -> Iterator[str]:
        for i, (title, x) in enumerate((("low", self.low), ("high", self.high))):
            yield f"{title:8} {put(x, self.format)}  {x.hex()}"
            if self.witnesses:
                yield " " * 9 + self.witnesses[i]
        if self.may_be_nan:
            yield "NaN      is possible too"
        yield f"model    {self.model}"
        yield f"method   {self.method}; " + (
            "both ends are reached" if self.exact else "the ends are bounds that may not be reached")


def _end(name: str, x: Any, side: int, format: str) -> float:
    """A number as a float: for a point (side 0) so that rounding it to the format gives what rounding
    the number gives, for an interval below (-1) or above it (1)."""
    x = x.item() if hasattr(x, "item") else x
    if not isinstance(x, (int, float, Fraction, Decimal)):
        raise ArgumentError(f"{name}={x!r}: give a number, or a pair for an interval")
    try:
        near = float(x)
    except OverflowError:
        near = math.inf
    if math.isnan(near):
        raise ArgumentError(f"{name} is NaN: give a number, or a pair for an interval")
    if math.isinf(near) and abs(x) != math.inf:
        raise ArgumentError(f"{name}: this number is too large for a float; give math.inf, or a smaller "
                            "number")
    if isinstance(x, float) or math.isinf(near) or (side == 0 and format == "f64"):
        return near
    exact = Fraction(x)
    if Fraction(near) == exact:
        return near
    low = near if Fraction(near) < exact else math.nextafter(near, -math.inf)
    high = math.nextafter(low, math.inf)
    is_odd = struct.unpack("<q", struct.pack("<d", low))[0] & 1
    return low if side < 0 or (side == 0 and is_odd) else high


def _interval(name: str, value: Any, format: str) -> tuple[float, float]:
    if not isinstance(value, (tuple, list)):
        x = _end(name, value, 0, format)
        return x, x
    if len(value) != 2:
        raise ArgumentError(f"{name}={value!r}: an interval is a pair of numbers")
    low, high = value
    if low == high:
        return _interval(name, low, format)
    if not low < high:
        raise ArgumentError(f"{name}={value!r}: the lower end of an interval comes first")
    return _end(name, low, -1, format), _end(name, high, 1, format)


def bound(expression: str, values: Mapping[str, Any] | None = None, /, *, model: Any = "contract",
          format: Any = "f64", symbols: int = 0, function_ulp: float = 1.0,
          reciprocal_ulp: float = 2.0, **names: Any) -> Bound:
    """What contraction and reordering can do to the value of an expression in C (doc/bound.md).

    Each name in the expression gets a number, rounded to nearest into the format, or a pair for an
    interval, rounded outward; as a keyword, or in the mapping `values`. `model` names what a
    compiler may do ("contract", "paren", "contract,ftz", …; `accord.info()["models"]` lists them).
    `symbols`: use affine forms with at most so many symbols. `function_ulp` and `reciprocal_ulp`:
    the greatest errors of functions, and with the model "fast" of reciprocals, in units in the last
    place.

    >>> import accord
    >>> found = accord.bound("b*b - 4*a*c", a=1.1, b=3.3, c=2.475, format="f32")
    >>> found.low, found.high
    (-4.2676924749684986e-07, 2.9563904035967425e-07)
    >>> found.exact, found.witnesses[1], 0 in found
    (True, 'fma(b, b, -((4 * a) * c))', True)
    >>> accord.bound("a - a", a=(1, 2)).low, accord.bound("a - a", a=(1, 2), symbols=4).low
    (-1.0, 0.0)
    """
    short = format_of(format)
    given = {**(values or {}), **names}
    if symbols < 0 or not function_ulp > 0 or not reciprocal_ulp > 0:
        raise ArgumentError("symbols must be at least 0, function_ulp and reciprocal_ulp greater than 0")
    found = _accord.bound(
        expression, short, models(model),
        {name: _interval(name, value, short) for name, value in given.items()}, symbols,
        function_ulp, reciprocal_ulp)
    low, high = found.pop("low_witness"), found.pop("high_witness")
    return Bound(expression, witnesses=(low, high) if found["exact"] else None, **found)
