"""Numbers that no array of floats holds: integers of any size, Fractions, Decimals, in sequences.

They are added as fractions, exactly, and rounded once. What is neither one of these nor a float is
refused: rounding it before the sum would make the sum inexact.
"""

from __future__ import annotations

import math
import numbers
import operator
from array import array
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Iterable, Sequence, Union

from ._accord import ArgumentError

Number = Union[float, int, Fraction]

#: precision in bits, exponents of the least and of the greatest normal number
_RANGES = {"f64": (53, -1022, 1023), "f32": (24, -126, 127), "f16": (11, -14, 15),
           "bf16": (8, -126, 127)}


_MOST_DIGITS = 100_000  # of a Decimal; each digit takes memory


def number(value: Any) -> Number:
    """The value of one number, exactly."""
    if isinstance(value, float):
        return float(value)
    try:
        return operator.index(value)
    except TypeError:  # tensors of floats have __index__ too, which then refuses
        pass
    if isinstance(value, numbers.Rational):
        return Fraction(value)
    if isinstance(value, Decimal):
        if value.is_finite() and abs(value.adjusted()) > _MOST_DIGITS:
            raise ArgumentError(f"{value} has more than {_MOST_DIGITS} digits before or after the "
                                "point: scale it first")
        return Fraction(value) if value.is_finite() else float(value)
    if type(value).__name__ == "MaskedConstant":
        raise ArgumentError("a masked number has no value: leave it out")
    if not isinstance(value, (str, bytes, bytearray)):
        try:
            wide = float(value)
            if wide == value or wide != wide:
                return wide
        except (TypeError, ValueError, OverflowError):
            pass
    raise ArgumentError(f"{value!r} ({type(value).__name__}) cannot be summed exactly: "
                        "convert it to float, int, Fraction or Decimal first")


def _row(value: Any) -> list[Any] | None:
    """The items of a row of a sequence; None: it is a number."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if getattr(value, "ndim", 0) or isinstance(value, array):
        return list(value.tolist())
    return None


def flat(values: Iterable[Any]) -> list[Any]:
    """The items of a sequence, or of sequences of sequences of equal lengths."""
    try:
        each = iter(values)
    except TypeError:
        raise ArgumentError(f"{values!r:.100} ({type(values).__name__}) is no sequence of numbers") from None
    items = list(each)
    while items and not set(map(type, items)) <= {float, int}:
        rows = [_row(item) for item in items]
        if all(row is None for row in rows):
            break
        lengths = {-1 if row is None else len(row) for row in rows}
        if len(lengths) != 1:
            raise ArgumentError("the rows are of different lengths: give rows of one length, or a "
                                "flat sequence")
        items = [item for row in rows for item in row or ()]
    return items


def floats(items: Sequence[Any]) -> array[float] | None:
    """The items as an array, where all of them are floats."""
    return array("d", items) if set(map(type, items)) <= {float} else None


def total(items: Sequence[Number]) -> Number:
    """The exact sum; a float where it is not finite, and where all items are zeros of one sign, or
    there are none, whose sum is -0.0."""
    if not items:
        return -0.0
    rest: list[float] = []
    integers, odd = 0, Fraction(0)
    for item in items:
        if isinstance(item, float):
            rest.append(item)
        elif isinstance(item, int):
            integers += item
        else:
            odd += item
    strange = [item for item in rest if not math.isfinite(item)]
    if strange:
        return math.nan if len(set(strange)) > 1 else strange[0]
    if not (integers or odd) and not any(rest):
        signs = {math.copysign(1, item) if isinstance(item, float) else 1 - 2 * (item < 0)
                 for item in items}
        if len(signs) == 1:
            return math.copysign(0.0, signs.pop())
    # Every float is an integer times 2^-1074: one integer holds their sum.
    scaled = 0
    for item in rest:
        numerator, denominator = item.as_integer_ratio()
        scaled += numerator << (1075 - denominator.bit_length())
    return odd + integers + Fraction(scaled, 1 << 1074)


def product(x: Number, y: Number) -> Number:
    """x * y, exactly; with a float, a zero, an infinity or NaN is one of floats."""
    alike = [v if isinstance(v, float) else float((v > 0) - (v < 0)) for v in (x, y)]
    if all(v and math.isfinite(v) for v in alike) or not (isinstance(x, float) or isinstance(y, float)):
        return Fraction(x) * Fraction(y)
    return alike[0] * alike[1]


_UP: dict[str, Callable[[bool, Fraction, Fraction, bool], bool]] = {
    # of a magnitude: whether what lies between two numbers goes to the greater one
    "nearest": lambda odd, rest, half, negative: rest > half or (rest == half and odd),
    "away": lambda odd, rest, half, negative: rest >= half,
    "zero": lambda odd, rest, half, negative: False,
    "down": lambda odd, rest, half, negative: negative and rest > 0,
    "up": lambda odd, rest, half, negative: not negative and rest > 0,
}


def rounded(value: Number, short: str, rounding: str) -> float:
    """A sum that `total` gave, rounded once into the format with accord's name `short`."""
    if isinstance(value, float):
        return value
    precision, least, most = _RANGES[short]
    negative = value < 0
    if value == 0:
        return -0.0 if rounding == "down" else 0.0
    top, bottom = abs(value.numerator), value.denominator
    exponent = top.bit_length() - bottom.bit_length()
    if exponent >= 0 and top < bottom << exponent or exponent < 0 and top << -exponent < bottom:
        exponent -= 1
    quantum = max(exponent, least) - precision + 1
    if quantum >= 0:
        bottom <<= quantum
    else:
        top <<= -quantum
    whole, rest = divmod(top, bottom)
    whole += _UP[rounding](whole % 2 == 1, Fraction(rest, bottom), Fraction(1, 2), negative)
    largest = (1 << precision) - 1
    if quantum + whole.bit_length() > most + 1:
        toward = rounding == "zero" or rounding == ("up" if negative else "down")
        result = math.ldexp(largest, most - precision + 1) if toward else math.inf
    else:
        result = math.ldexp(whole, quantum)
    return -result if negative else result


def root(value: Number, short: str, rounding: str) -> float:
    """The square root of a number, rounded once; +0.0 of a zero, NaN of what is negative.

    Idea: the integer root of value * 4**k has more bits than any format, and what is left over says
    only "a little more"; half a unit stands for it."""
    if isinstance(value, float):
        return math.nan if math.isnan(value) or value < 0 else value + 0.0
    if value <= 0:
        return 0.0 if value == 0 else math.nan
    exact = Fraction(value)
    shift = 80 - (exact.numerator.bit_length() - exact.denominator.bit_length()) // 2
    scaled = exact * Fraction(4) ** shift
    whole = math.isqrt(math.floor(scaled))
    more = whole * whole != scaled
    return rounded(Fraction(2 * whole + more) / 2 / Fraction(2) ** shift, short, rounding)
