"""Sums that are kept exactly while numbers come in: for data that do not fit one call."""

from __future__ import annotations

import math
import numbers
import os
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any, Union

from . import _accord
from ._accord import ArgumentError, ParseError
from ._accumulator_pieces import add_numbers, add_parts, add_products, pieces, vectors
from ._exact_columns import is_frame
from ._exact_rows import ddof_of, result_format, rounding_of
from ._files import write_whole
from ._formats import format_of
from ._rational import number, rounded

Path = Union[str, "os.PathLike[str]"]

_UNORDERED = 2

#: what each kind keeps, in the order of the saved form; True: a sum of products
_KINDS = {"sum": (False,), "dot": (True,), "moments": (False, True), "pairs": (False, False, True)}


def _output(dtype: Any) -> str:
    return result_format(None if dtype is None else format_of(dtype))


def _part_at(data: bytes, at: int) -> tuple[bool, int]:
    """Whether the saved accumulator that begins there, in either form, is of products, and where it
    ends. The loader judges the bytes themselves."""
    if data[at:at + 1] == b"A":
        counts, limbs = data[at + 3:at + 4] == b"\1", int.from_bytes(data[at + 6:at + 8], "little")
        return data[at + 2:at + 3] == b"\1", at + 24 + 40 * counts + 4 * limbs
    wide = int.from_bytes(data[at + 12:at + 16], "little") == 136
    return wide, at + (628 if wide else 364)


class Accumulator:
    """A sum that is never rounded until it is read: the same bits in any order and any parts.

    kind: what is kept, and so what can be read.
      "sum": the sum of numbers: value, mean.
      "dot": the sum of products x * y: value, mean; of add(x) alone, the squares: norm, rms.
      "moments": the sums of numbers and of their squares: value (of the numbers), mean, var, std,
          norm, rms.
      "pairs": the sums of x, of y and of x * y: value (of the products), cov, weighted_mean (of x
          with the weights y).
    x, y: what is added at once.

    Numbers are arrays of float64, float32, float16, bfloat16 or integers of any shape, memory maps,
    columns of pandas, Arrow and Polars, sequences, single numbers, or iterators of any of these
    or of accumulators of the same kind, which are taken a piece at a time. Masked elements and missing values are left out. Threads may
    add to one Accumulator at the same time.

    >>> import accord
    >>> total = accord.Accumulator([1e100, 1.0])
    >>> total.add(iter([-1e100, 0.5])).value()
    1.5
    >>> (total + accord.Accumulator([2.0])).value()
    3.5
    """

    __slots__ = ("_kind", "_lock", "_parts", "__weakref__")
    _kind: str
    _parts: list[bytearray]  # never changed, but replaced, with the lock held

    def __init__(self, x: Any = None, y: Any = None, *, kind: str = "sum") -> None:
        if kind not in _KINDS:
            raise ArgumentError(f"kind={kind!r} is unknown: choose {', '.join(_KINDS)}")
        self._kind = kind
        self._lock = threading.Lock()
        self._parts = [_accord.exact_new(wide) for wide in _KINDS[kind]]
        if x is not None:
            self.add(x, y)

    @property
    def kind(self) -> str:
        return self._kind

    # ---- numbers in ----

    def add(self, x: Any, y: Any = None) -> Accumulator:
        """Adds numbers, or with y the products x * y; returns the accumulator. If this raises, what
        an iterator gave before was added, and nothing else."""
        return self._feed(x, y, False)

    def subtract(self, x: Any, y: Any = None) -> Accumulator:
        """Takes numbers away again: adds them negated. The number of terms grows with each, so
        undoing an add does not restore the mean. An Accumulator as x is taken away as a whole."""
        return self._feed(x, y, True)

    def merge(self, other: Accumulator) -> Accumulator:
        """Adds the terms of another accumulator of the same kind; returns the accumulator."""
        return self._merge(other, False)

    def _merge(self, other: Accumulator, negate: bool) -> Accumulator:
        if not isinstance(other, Accumulator) or other._kind != self._kind:
            what = f"one of kind {other._kind!r}" if isinstance(other, Accumulator) else repr(other)
            raise ArgumentError(f"an Accumulator of kind {self._kind!r} merges with others of its "
                                f"kind, not with {what}")
        self._add_parts(other._parts, negate)
        return self

    def _add_parts(self, parts: list[bytearray], negate: bool) -> None:
        """All parts at once: what fails changes none, and threads may add at the same time."""
        with self._lock:
            grown = [bytearray(part) for part in self._parts]
            for part, more in zip(grown, parts):
                _accord.exact_merge(part, more, negate)
            self._parts = grown

    def _feed(self, x: Any, y: Any, negate: bool) -> Accumulator:
        if isinstance(x, Accumulator):
            return self._merge(x, negate)
        if y is None and self._kind == "pairs":
            raise ArgumentError("an Accumulator of kind 'pairs' takes two vectors: add(x, y)")
        if y is not None and self._kind not in ("dot", "pairs"):
            raise ArgumentError(f"an Accumulator of kind {self._kind!r} takes numbers, not products: "
                                "kind='dot' or 'pairs' takes add(x, y)")
        if is_frame(x):
            raise ArgumentError("this takes columns, not a table: add its columns one by one")
        for first, second in pieces(x, y):
            if isinstance(first, Accumulator) and second is None:
                self._merge(first, negate)
            else:
                self._add_piece(first, second, negate)
        return self

    def _add_piece(self, x: Any, y: Any, negate: bool) -> None:
        fresh = [_accord.exact_new(wide) for wide in _KINDS[self._kind]]
        if self._kind == "sum":
            add_numbers(fresh[0], x)
        else:
            for v, w in vectors(x, y, True):
                add_products(fresh[-1], v, w)
                if self._kind == "moments":
                    add_parts(fresh[0], v)
            for v, w in vectors(x, y, False) if self._kind == "pairs" else ():
                add_parts(fresh[0], v)
                add_parts(fresh[1], w)
        self._add_parts(fresh, negate)

    # ---- results out ----

    @property
    def _main(self) -> bytearray:
        return self._parts[-1] if self._kind in ("dot", "pairs") else self._parts[0]

    @property
    def terms(self) -> int:
        """How many terms were added and taken away."""
        return _accord.exact_counts(self._parts[0])[0]

    def _of(self, *kinds: str) -> None:
        if self._kind not in kinds:
            raise ArgumentError(f"an Accumulator of kind {self._kind!r} does not keep that: "
                                f"kind={' or '.join(map(repr, kinds))} does")

    def value(self, *, dtype: Any = None, rounding: str = "nearest") -> float:
        """The sum, rounded once; dtype, here and below: float64 (the default), float32,
        float16 or bfloat16."""
        return self._finish("value", self._main, dtype, rounding)

    def __float__(self) -> float:
        return self.value()

    def mean(self, *, dtype: Any = None, rounding: str = "nearest") -> float:
        """The sum divided by the number of terms, rounded once; NaN without terms."""
        return self._finish("mean", self._main, dtype, rounding)

    def norm(self, *, dtype: Any = None, rounding: str = "nearest") -> float:
        """The square root of the sum of squares, rounded once."""
        self._of("dot", "moments")
        return self._finish("norm", self._parts[-1], dtype, rounding)

    def rms(self, *, dtype: Any = None, rounding: str = "nearest") -> float:
        """The square root of the mean square, rounded once."""
        self._of("dot", "moments")
        return self._finish("rms", self._parts[-1], dtype, rounding)

    def scaled(self, alpha: float, *, dtype: Any = None, rounding: str = "nearest") -> float:
        """alpha times the sum, rounded once. alpha: a number that `accord.sum` takes."""
        short, factor = _output(dtype), number(alpha)
        if short == "f64" and isinstance(factor, float):
            return _accord.exact_scaled(self._main, factor, rounding_of(rounding))
        finite = math.isfinite(factor) and math.isfinite(self.value(rounding="zero"))
        exact = self.fraction() * Fraction(factor) if finite else Fraction(0)
        if exact:
            return rounded(exact, short, rounding)
        sign = float((factor > 0) - (factor < 0)) if math.isfinite(factor) and factor else factor
        return _accord.exact_scaled(self._main, float(sign), rounding_of(rounding))

    def _finish(self, name: str, part: bytearray, dtype: Any, rounding: str) -> float:
        return _accord.exact_finish(name, _output(dtype), rounding_of(rounding), part)

    def var(self, *, ddof: int = 0, dtype: Any = None, rounding: str = "nearest") -> float:
        """The variance with divisor n - ddof, rounded once: 0 for a population, 1 for a sample."""
        return self._spread(False, ddof, dtype, rounding)

    def std(self, *, ddof: int = 0, dtype: Any = None, rounding: str = "nearest") -> float:
        """The square root of the variance, rounded once."""
        return self._spread(True, ddof, dtype, rounding)

    def _spread(self, root: bool, ddof: int, dtype: Any, rounding: str) -> float:
        self._of("moments")
        first, squares = self._parts
        return _accord.exact_covariance(root, _output(dtype), rounding_of(rounding), first,
                                        first, squares, ddof_of(ddof))

    def cov(self, *, ddof: int = 0, dtype: Any = None, rounding: str = "nearest") -> float:
        """The covariance of x and y with divisor n - ddof, rounded once."""
        self._of("pairs")
        x, y, products = self._parts
        return _accord.exact_covariance(False, _output(dtype), rounding_of(rounding), x, y,
                                        products, ddof_of(ddof))

    def weighted_mean(self, *, dtype: Any = None, rounding: str = "nearest") -> float:
        """The sum of x * y divided by the sum of y, rounded once."""
        self._of("pairs")
        return _accord.exact_finish_two("quotient", _output(dtype), rounding_of(rounding),
                                        self._parts[2], self._parts[1])

    def quotient(self, divisor: Accumulator, *, dtype: Any = None, rounding: str = "nearest"
                 ) -> float:
        """The sum divided by another exact sum, rounded once."""
        return _accord.exact_finish_two("quotient", _output(dtype), rounding_of(rounding),
                                        self._main, _main_of(divisor))

    def distance(self, other: Accumulator, *, dtype: Any = None, rounding: str = "nearest"
                 ) -> float:
        """The sum less another exact sum, rounded once."""
        return _accord.exact_finish_two("difference", _output(dtype), rounding_of(rounding),
                                        self._main, _main_of(other))

    def interval(self, *, dtype: Any = None) -> tuple[float, float]:
        """The narrowest interval of two floats that contains the sum."""
        return self.value(dtype=dtype, rounding="down"), self.value(dtype=dtype, rounding="up")

    def expansion(self) -> list[float]:
        """Floats whose exact sum is the sum, each what is left rounded to nearest."""
        return _accord.exact_expansion(self._main)

    def decimal(self) -> str:
        """The exact sum in decimal, all its digits."""
        return _accord.exact_decimal(self._main)

    def fraction(self) -> Fraction:
        """The exact sum. ArgumentError, a ValueError, if it is not a finite number."""
        text = self.decimal()
        if text.lstrip("-") in ("inf", "nan"):
            raise ArgumentError(f"the sum is {text}, which is no fraction")
        return Fraction(text)

    # ---- operators ----

    def copy(self) -> Accumulator:
        other = Accumulator(kind=self._kind)
        other._parts = [bytearray(part) for part in self._parts]
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Accumulator:
        return self.copy()

    def __iadd__(self, other: Any) -> Accumulator:
        return self._merge(other, False) if isinstance(other, Accumulator) else NotImplemented

    def __isub__(self, other: Any) -> Accumulator:
        return self._merge(other, True) if isinstance(other, Accumulator) else NotImplemented

    def __add__(self, other: Any) -> Accumulator:
        return self.copy()._merge(other, False) if isinstance(other, Accumulator) else NotImplemented

    def __sub__(self, other: Any) -> Accumulator:
        return self.copy()._merge(other, True) if isinstance(other, Accumulator) else NotImplemented

    def _order(self, other: Any) -> int | None:
        """-1, 0 or 1; 2: one is NaN; None: not comparable."""
        if isinstance(other, Accumulator):
            return int(_accord.exact_finish_two("compare", None, 0, self._main, other._main))
        if isinstance(other, (numbers.Number, Decimal)) and not isinstance(other, complex):
            theirs, mine = number(other), self.value()
            if mine != mine or theirs != theirs:
                return _UNORDERED
            text = self.decimal().lstrip("-")
            exact: Any = mine if text == "inf" else self.fraction()
            return int(exact > theirs) - int(exact < theirs)
        return None

    def __eq__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order == 0

    def __lt__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order == -1

    def __le__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order in (-1, 0)

    def __gt__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order == 1

    def __ge__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order in (0, 1)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<accord.Accumulator of kind {self._kind!r}: {self.value()!r}, {self.terms} terms>"

    # ---- saved ----

    def to_bytes(self, *, compact: bool = False) -> bytes:
        """The saved form, which depends on the terms alone. That of the kinds "sum" and "dot" is what
        `accord sum --save` and `accord dot --save` write: 364 and 628 bytes. compact: the compact
        form of accord/exact.h, 36 to 40 bytes for numbers within 32 binades and of one sign; it
        has no strong checksum."""
        return b"".join(_accord.exact_save(part, compact) for part in self._parts)

    @classmethod
    def from_bytes(cls, data: bytes) -> Accumulator:
        """Reads either form, and what exact_state() of a database gives. ParseError: the bytes are
        neither."""
        data = bytes(memoryview(data))
        ends, wide = [0], list[bool]()
        while ends[-1] < len(data) and len(wide) < 4:
            products, end = _part_at(data, ends[-1])
            wide.append(products)
            ends.append(end)
        kinds = [kind for kind, parts in _KINDS.items() if parts == tuple(wide)]
        if not kinds or ends[-1] != len(data):
            raise ParseError("this is not a saved Accumulator: its length is wrong")
        self = cls(kind=kinds[0])
        self._parts = [_accord.exact_load(data[ends[i]:ends[i + 1]], each)
                       for i, each in enumerate(wide)]
        if len({_accord.exact_counts(part)[0] for part in self._parts}) > 1:
            raise ParseError("this is not a saved Accumulator: its sums count different terms")
        return self

    def save(self, path: Path) -> None:
        """Writes the saved form to a file, whole or not at all. A pipe or a device is written in
        place."""
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: Path) -> Accumulator:
        """Reads a file that `save`, or `accord sum --save`, has written."""
        with open(path, "rb") as file:
            return cls.from_bytes(file.read())

    def __reduce__(self) -> Any:
        return Accumulator.from_bytes, (self.to_bytes(compact=True),)


def _main_of(other: Any) -> bytearray:
    if not isinstance(other, Accumulator):
        raise ArgumentError("this takes another Accumulator")
    return other._main
