"""The denominator of a softmax: the order in which it adds exponentials."""

from __future__ import annotations

import math
import random
from typing import Any, Callable

from ._accord import NotATreeError, OutOfRangeError
from ._order import Order


class Denominator:
    """The order in which a softmax adds exponentials, found from its largest weight alone.

    The term at c is exp(0) = 1, those at a and b are u, all others exp(-1000) = 0. The largest
    weight is 1 / (1 + u + u). With u between a quarter and half of the last place of 1, each u is
    lost beside 1 on its own, but both together are not: the weight is below 1 exactly if a and b
    meet before they meet c (src/reveal/nonnegative/nonnegative.c has the idea).
    u need not be known to the bit. If the weight is rounded to fewer bits than the sum has, it does
    not show the order."""

    def __init__(self, largest: Callable[[Any], float], n: int, precision: int) -> None:
        self.largest, self.n, self.precision = largest, n, precision
        self.calls = self.confirmed = 0
        # exp of it is 0.62 to 0.8 of 2^-precision: half the last place of 1
        self.unit = math.floor(-4 * (precision * math.log(2) + 0.35) + 0.5) / 4
        self.random = random.Random(n)

    def weight(self, one: int, *units: int) -> float:
        logits = [-1000.0] * self.n
        logits[one] = 0.0
        for k in units:
            logits[k] = self.unit
        self.calls += 1
        return self.largest(logits)

    def meet(self, a: int, b: int, c: int) -> bool:
        """Do a and b meet before they meet c?"""
        return self.weight(c, a, b) != 1

    def check(self, threes: int) -> None:
        """Of three terms exactly two meet before the third; a single one is always lost."""
        for _ in range(threes):
            a, b, c = self.random.sample(range(self.n), 3)
            single = [self.weight(k) != 1 or self.weight(k, i) != 1
                      for k, i in ((a, b), (b, c), (c, a))]
            both = [self.meet(a, b, c), self.meet(b, c, a), self.meet(c, a, b)]
            if sum(both) == 0:
                raise OutOfRangeError(
                    "a change of one unit in the last place of the weights cannot be seen: the "
                    "weights or the denominator are rounded to fewer bits, so their order cannot "
                    "be determined")
            if any(single) or sum(both) == 3:
                raise OutOfRangeError(
                    "the denominator is added in more bits than the weights have: a unit in its "
                    "last place is rounded away, so the order cannot be determined")
            if sum(both) == 2:
                raise NotATreeError("the sum of three exponentials fits no tree of additions")

    def reveal(self) -> Order:
        """Term by term down the tree of those before it; then every inner node is asked again."""
        self.check(24)
        terms = list(range(self.n))
        self.random.shuffle(terms)
        tree: Any = terms[0]
        for term in terms[1:]:
            tree = self.insert(tree, term)
        self.confirm(tree, None)
        self.check(300)
        return Order.from_text(str(tree).replace(", ", "+"))

    def insert(self, tree: Any, term: int) -> Any:
        path: list[tuple[Any, int]] = []
        node = tree
        while not isinstance(node, int):
            left, right = _leaf(node[0]), _leaf(node[1])
            if self.meet(left, right, term):
                break
            side = 0 if self.meet(left, term, right) else 1
            path.append((node, side))
            node = node[side]
        node = (node, term)
        for above, side in reversed(path):
            node = (node, above[1]) if side == 0 else (above[0], node)
        return node

    def confirm(self, tree: Any, beside: Any) -> None:
        """Each inner node but the root: its two children meet before they meet its sibling."""
        left_to_do = [(tree, beside)]
        while left_to_do:
            node, sibling = left_to_do.pop()
            if isinstance(node, int):
                continue
            a, b = _leaf(node[0]), _leaf(node[1])
            if sibling is not None:
                c = _leaf(sibling)
                if not self.meet(a, b, c) or self.meet(b, c, a) or self.meet(a, c, b):
                    raise NotATreeError("the sum of three exponentials fits no tree of additions")
            self.confirmed += 1
            left_to_do += [(node[0], node[1]), (node[1], node[0])]


def _leaf(tree: Any) -> int:
    while not isinstance(tree, int):
        tree = tree[0]
    return tree
