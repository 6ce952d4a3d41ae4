"""How two orders differ: the first differing node, the arithmetic, and an input that shows it."""

from __future__ import annotations

import dataclasses
from array import array
from typing import Iterator, NamedTuple

from . import _accord
from ._errors import CannotTellError
from ._order import Order, figure, pictures


class Node(NamedTuple):
    """A partial sum of one order that the other never computes."""

    of: str  #: "a" or "b": whose node it is
    node: int
    size: int  #: terms under it
    smallest: int  #: its smallest term
    other: int  #: the least node of the other order that holds all its terms


class Witness(NamedTuple):
    """An input on which two orders give different bits. Second factors are 1 unless terms are
    products."""

    x: list[float]
    y: list[float]
    terms: int  #: of them not 0 (or with a second factor that is not 1)
    a: float  #: what the first order gives
    b: float
    asked_a: float | None = None  #: what its implementation gave, asked just now
    asked_b: float | None = None


class Common(NamedTuple):
    """What two orders of different counts do with the terms that both have, the first ones."""

    terms: int
    order: Order  #: the longer order on these terms alone, without its arithmetic
    same_order: bool
    other_arithmetic: bool  #: as far as words tell
    after: int  #: of the other terms: how many enter where all common terms have been added
    within: int  #: … at partial sums of some of them
    beside_terms: int  #: … beside a single one
    entries: int  #: at how many nodes
    words: str  #: that in a sentence


@dataclasses.dataclass(frozen=True, repr=False)
class Difference:
    """How two orders differ. ``str(difference)`` describes it in words.

    Orders of different counts are compared on the terms that both have (`common`): they are the same
    if the longer order without its other terms is the shorter one.

    `sameness` is "same" (order and arithmetic), "same-on-inputs" (no model explains them, but all
    recorded answers are the same), "differs" or "cannot-tell". The truth value is True if they
    differ and False if they are the same. With "cannot-tell", `same` and the truth value raise
    CannotTellError.
    """

    a: Order
    b: Order
    sameness: str
    reason: str  #: what that rests on
    inputs: int  #: of the answers, on how many both agree; 0 where they could not be compared
    node: Node | None
    arithmetic: str | None  #: the first difference of arithmetic of one order, in words
    witness: Witness | None
    common: Common | None = None  #: of orders of different counts

    @property
    def same(self) -> bool:
        return is_same(self.sameness, self.reason)

    @property
    def same_order(self) -> bool:
        """Whether both are known to add the terms that both have in the same order."""
        if self.common:
            return self.common.same_order
        return self.a.fingerprint is not None and self.a.fingerprint == self.b.fingerprint

    def __bool__(self) -> bool:
        return not self.same

    def terms(self) -> list[int]:
        """The terms under the first differing node."""
        if self.node is None:
            return []
        order, other = (self.a, self.b) if self.node.of == "a" else (self.b, self.a)
        if self.common and order.n > other.n:
            order = self.common.order
        parents, n = order.parents, order.n
        inside = [False] * len(parents)
        inside[self.node.node] = True
        for child in range(len(parents) - 1, -1, -1):  # parents come after their children
            parent = parents[child]
            if parent is not None and inside[parent]:
                inside[child] = True
        return [leaf for leaf in range(n) if inside[leaf]]

    def __hash__(self) -> int:
        return hash((self.a, self.b, self.node, self.arithmetic))

    def __repr__(self) -> str:
        counts = f"{self.a.n} and {self.b.n}" if self.common else self.a.n
        return f"<accord.Difference of orders of {counts} terms: {next(self._lines())}>"

    def _repr_html_(self) -> str:
        return figure(str(self), pictures(self.a, self.b))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _common_lines(self, common: Common) -> Iterator[str]:
        yield f"{self.a.n} and {self.b.n} terms: {self.reason}."
        for letter, order in (("A", self.a), ("B", self.b)):
            yield f"  {letter}  {order.words()}"
        if self.node:
            yield self._node_words()
        yield common.words

    def _node_words(self) -> str:
        assert self.node is not None
        terms = self.terms()
        shown = ", ".join(map(str, terms[:8])) + (", …" if len(terms) > 8 else "")
        return (f"The first difference: {self.node.of.upper()} computes the sum of the {len(terms)} terms "
                f"{shown}; {'B' if self.node.of == 'a' else 'A'} never computes that sum.")

    def _lines(self) -> Iterator[str]:
        if self.common:
            yield from self._common_lines(self.common)
            return
        if self.sameness != "differs":
            yield {"same": f"Same order of {self.a.n} terms, same arithmetic: {self.reason}.",
                   "same-on-inputs": f"Same on {self.inputs} inputs: {self.reason}."}.get(
                       self.sameness, f"It cannot be determined whether they are the same: {self.reason}.")
            return
        both = self.a.fingerprint and self.b.fingerprint
        yield (f"Different sums of {self.a.n} terms." if not both else
               f"Same order of {self.a.n} terms, different arithmetic." if self.same_order else
               f"Different orders of {self.a.n} terms.")
        for letter, order in (("A", self.a), ("B", self.b)):
            yield f"  {letter}  {order.words()}"
        if self.node:
            yield self._node_words()
        else:
            yield f"The difference: {self.arithmetic or self.reason}."
        if self.witness is None:
            yield "No input was found on which the two give different bits."
            return
        w = self.witness
        products = any(factor != 1 for factor in w.y)
        yield "An input on which the two give different bits; other terms are 0:"
        for i, (x, y) in enumerate(zip(w.x, w.y)):
            if x != 0 or y != 1:
                yield f"  x[{i}] = {x.hex()} ({x:g})" + (f", y[{i}] = {y.hex()} ({y:g})"
                                                        if products else "")
        for letter, value, asked in (("A", w.a, w.asked_a), ("B", w.b, w.asked_b)):
            said = ("" if asked is None else ", and a run just now gave the same result"
                    if asked == value or (asked != asked and value != value)
                    else f", but a run just now gave {asked.hex()}")
            yield f"{letter} gives {value.hex()} ({value:g}){said}"


def is_same(sameness: str, reason: str) -> bool:
    """The truth value of a word of `Difference.sameness`; CannotTellError for "cannot-tell"."""
    if sameness == "cannot-tell":
        raise CannotTellError(f"it cannot be determined whether they are the same: {reason}")
    return sameness != "differs"


def diff(a: Order, b: Order) -> Difference:
    """Compares order, arithmetic and recorded answers of two orders, and finds the first differing
    node and an input that shows it. Orders of different counts are compared on the terms that both
    have.

    The implementation of an order that was revealed in this process is asked for that input, too.

    >>> import accord
    >>> d = accord.diff(accord.synthetic("sequential", 4), accord.synthetic("pairwise", 4))
    >>> bool(d), d.node.size, d.terms()
    (True, 3, [0, 1, 2])
    >>> d.witness.a != d.witness.b
    True
    >>> print(accord.diff(accord.synthetic("sequential", 7), accord.synthetic("sequential", 8)))
    7 and 8 terms: the same order on the 7 terms in common.
      A  sequential; f32 to nearest
      B  sequential; f32 to nearest
    The terms that only B adds enter the sum after all common terms have been added (1 term), at 1 node in total.
    """
    if a.n != b.n and a.fingerprint and b.fingerprint:
        return _common(a, b)
    sameness, inputs, row, reason = _accord.compare(a._record, b._record)
    node, words = (_accord.diff(a._record, b._record) if a.fingerprint and b.fingerprint
                   else (None, None))
    witness = _witness(a, b, row) if sameness == "differs" and a.n == b.n else None
    return Difference(a, b, sameness, reason, inputs, Node(*node) if node else None, words, witness)


def _common(a: Order, b: Order) -> Difference:
    sameness, reason, node, terms, induced, *rest = _accord.common(a._record, b._record)
    return Difference(a, b, sameness, reason, 0, Node(*node) if node else None, None, None,
                      Common(terms, Order(induced), *rest))


def _witness(a: Order, b: Order, row: int) -> Witness | None:
    """An input that tells them apart: of the models where both are known, or were never asked for;
    else one of the recorded answers."""

    def stands(order: Order) -> bool:
        return bool(order.fingerprint) and bool(order.model or order.fields["replays"] == 0)

    found = _accord.witness(a._record, b._record) if stands(a) and stands(b) else None
    if found:
        x, y = (list(array("d", data)) for data in found[:2])
        terms, gives_a, gives_b = found[2:]
    elif row >= 0:
        first, second, gives_a, gives_b = _accord.answer(a._record, b._record, row)
        x, y = list(array("d", first)), list(array("d", second))
        terms = sum(v != 0 or w != 1 for v, w in zip(x, y))
    else:
        return None
    return Witness(x, y, terms, gives_a, gives_b, _ask(a, x, y), _ask(b, x, y))


def _ask(order: Order, x: list[float], y: list[float]) -> float | None:
    return None if order._question is None else order._question.ask(x, y)
