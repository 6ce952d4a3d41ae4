"""How the order depends on the number of terms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _accord
from ._accord import ArgumentError, UnableError
from ._arrays import quiet
from ._options import Progress
from ._progress import shown
from ._question import Question


@dataclass(frozen=True)
class FamilyRule:
    """A rule: the order of every n from `first` to `last` whose residue n mod `modulus` is in
    `residues` (from ... to ...)."""

    first: int
    last: int
    modulus: int
    residues: tuple[int, int]
    #: the order, as a notation with expressions in n; None where there is no order
    form: str | None
    #: the form in plain English, or why there is no order
    words: str
    #: how many n of the rule were asked, and are predicted
    asked: int
    predicted: int


@dataclass(frozen=True)
class Family:
    """The orders of all numbers of terms of a range. See doc/family.md."""

    target: str
    first: int
    last: int
    rules: tuple[FamilyRule, ...]
    #: the n at which the pattern changes
    changes: tuple[int, ...]
    #: the n that were asked
    asked: frozenset[int]
    #: predictions that were checked at the end, and were right
    checks: int
    #: whether all checks were passed, and nothing is unknown that could be asked
    complete: bool
    #: the text that ``accord check TARGET FILE`` reads
    json: str
    _notations: tuple[str | None, ...]

    def state(self, n: int) -> str:
        """What is known of n: "asked", "predicted" or "unknown"."""
        if not self.first <= n <= self.last:
            return "unknown"
        held = any(r.first <= n <= r.last and r.residues[0] <= n % r.modulus <= r.residues[1]
                   and (r.form is None or self.notation(n)) for r in self.rules)
        return "asked" if n in self.asked else "predicted" if held else "unknown"

    def notation(self, n: int) -> str | None:
        """The notation of the order at n, by its rule; None if it is unknown, or there is none."""
        return self._notations[n - self.first] if self.first <= n <= self.last else None


def _asked(text: str) -> frozenset[int]:
    parts = [part.split("..") for part in text.split(",") if part]
    return frozenset(n for part in parts for n in range(int(part[0]), int(part[-1]) + 1))


def family(target: Any, n: range | tuple[int, int], dtype: Any = None, *, checks: int = 200,
           seed: int = 0, budget: float | None = None, progress: Progress | bool | None = None,
           array: Any = "auto", copy: bool = False, output: Any = None,
           **options: Any) -> Family:
    """Finds the rules by which the order of a sum depends on its number of terms.

    target, dtype, array, copy, output, options
        As for `accord.reveal`.
    n
        The numbers of terms: range(1, 4097), or (1, 4096) with the last one included.
    checks
        How many predictions are checked at the end, at n that were not asked before.
    seed, budget, progress
        Of the n that are drawn; seconds after which nothing more is asked; as for `reveal`.

    Orders are discovered, not proven, but for the first one, every 32nd of the first 256, and then every
    128th. If the first n have no order, UnableError is raised.

    >>> import accord, numpy
    >>> found = accord.family(numpy.sum, range(1, 301))
    >>> found.rules[0].form
    'split to 128 by 8 ((lanes 8; pairs) of 8s; chain)'
    """
    first, last = (n.start, n.stop - 1) if isinstance(n, range) else n
    if isinstance(n, range) and n.step != 1:
        raise ArgumentError("a family is of all n of a range: leave the step out")
    if not 1 <= first <= last <= 2**31 - 1:
        raise ArgumentError(f"n={n!r}: give a range of numbers of at least 1, such as range(1, 4097)")
    name = Question(target, first, dtype, array=array, copy=copy, output=output, seed=seed,
                    **options).name
    proven = {"doubt": False, "asked": 0}

    def ask(count: int) -> _accord.Record | str:
        question = Question(target, count, dtype, array=array, copy=copy, output=output, seed=seed,
                            **options)
        opened, row, column = question.open()
        one_of = 32 if proven["asked"] < 256 else 128
        proves = count > 2 and (proven["doubt"] or proven["asked"] % one_of == 0)
        proven["asked"] += count > 2
        try:
            record = _accord.reveal(opened, certificate=proves, loose=True, seed=seed, row=row,
                                    column=column)
        except UnableError as error:
            proven["doubt"] = proves or proven["doubt"]
            return str(error)
        proven["doubt"] = proven["doubt"] and not proves
        return record

    with quiet(), shown(progress) as bar:
        text, notations = _accord.family(name, first, last, ask, seed=seed, checks=checks,
                                         budget=budget or 0.0, progress=bar)
    found = json.loads(text)
    rules = tuple(FamilyRule(r["from"], r["to"], r["modulus"], tuple(r["residues"]), r["form"],
                             r["why"] if r["form"] is None else r["words"], r["asked"],
                             r["predicted"]) for r in found["rules"])
    account = found["account"]
    return Family(name, first, last, rules, tuple(found["changes"]), _asked(found["asked"]),
                  account["checks"], account["complete"], text, tuple(notations))
