"""Collective operations of torch.distributed: in which order the ranks add, and whether all agree."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from . import _accord, _nursery
from ._accord import ArgumentError
from ._nursery import NONDETERMINISTIC
from ._order import Order, figure, pictures
from ._reveal import Map, MapClass, map, reveal

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import AskOptions


class Collective:
    """What `accord.collective` found: the order of every position on every rank. The truth value is
    `agree`, whether all ranks add in the same order."""

    def __init__(self, found: Map | Order, operation: str, world: int, backend: str, dtype: str,
                 length: int, root: int, told: Sequence[str] = ()) -> None:
        #: what `accord.map` found; None where there is one result, that of a reduce of length 1
        self.map = found if isinstance(found, Map) else None
        self._only = found if isinstance(found, Order) else None
        self.operation, self.world, self.backend = operation, world, backend
        self.dtype, self.length, self.root = dtype, length, root
        held = [row.removeprefix("holds also ") for row in told if row.startswith("holds also ")]
        #: where else the order holds: "in the first calls of a new run (5 calls)"
        self.circumstances = tuple(held)
        #: where it does not
        self.warnings = tuple(row for row in told if row.startswith("the order does not hold "))

    def order(self, position: int = 0, rank: int | None = None) -> Order:
        """The order in which the result at a position was added, as a rank has it (by default the first
        rank that has one). Positions of reduce_scatter are counted over the parts of all ranks."""
        if self._shape[1] == 1 and rank is not None:
            holder = self._holder(position)
            if rank != holder:
                raise ArgumentError(f"rank {rank} has no result at position {position}: rank {holder} has it")
            rank = 0
        if self.map is not None:
            return self.map[position, rank or 0]
        if position != 0:
            raise IndexError(f"position {position}: there is one")
        return self.classes[0].order

    @property
    def _shape(self) -> tuple[int, int]:
        return self.map.shape if self.map is not None else (1, 1)

    def _holder(self, position: int) -> int:
        return self.root if self.operation == "reduce" else position // self.length

    @property
    def classes(self) -> list[MapClass]:
        """The orders that occur, each with the number of results (positions × ranks) that have it."""
        if self._only is not None:
            return [MapClass(self._only, 1, int(self._only.proven), 0, 0)]
        return self.map.classes if self.map is not None else []

    @property
    def uniform(self) -> bool:
        """Whether all positions and ranks have one order."""
        return len(self.classes) == 1

    @property
    def differing(self) -> dict[int, list[int]]:
        """Positions at which ranks do not agree, each with the ranks whose order is not that of rank 0."""
        found: dict[int, list[int]] = {}
        for position, row in enumerate(self.map.class_of if self.map is not None else ()):
            others = [rank for rank, which in enumerate(row) if which != row[0]]
            if others:
                found[position] = others
        return found

    @property
    def agree(self) -> bool:
        """Whether the ranks that hold a result add in the same order, at every position."""
        return not self.differing

    def __bool__(self) -> bool:
        return self.agree

    def __repr__(self) -> str:
        return (f"<accord.Collective {self.operation} of {self.world} ranks, {self.backend}, "
                f"{self.dtype}, length {self.length}: {len(self.classes)} "
                f"order{'s'[:len(self.classes) != 1]}>")

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return figure(str(self), pictures(*(each.order for each in self.classes)))

    def _lines(self) -> Iterator[str]:
        yield (f"{self.operation} of {self.world} ranks, {self.backend}, {self.dtype}, "
               f"length {self.length}")
        for k, each in enumerate(self.classes):
            order = each.order
            yield f"order {k + 1}: {order.text if order.n <= 16 else order.pattern}"
            yield (f"    {order.model or 'arithmetic not explained'}; {each.members} "
                   f"result{'s'[:each.members != 1]}, from position {each.row}")
        for held in self.circumstances:
            yield f"the order holds also {held}"
        for warning in self.warnings:
            yield f"warning: {warning}"
        if self._shape[1] == 1:
            return
        differing = self.differing
        if not differing:
            yield "all ranks have the same order at every position"
            return
        ranks = sorted({rank for each in differing.values() for rank in each})
        yield (f"the ranks do not agree at {len(differing)} of {self._shape[0]} positions; "
               f"not as rank 0: {', '.join(str(rank) for rank in ranks)}")


_PREFIX = "accord.serve_collective: "


def _ask(words: list[str], single: bool, n: int, dtype: Any, timeout: float, name: str,
         **how: Any) -> tuple[Map | Order, list[str]]:
    """Asks the worker, and returns what it says about circumstances, too. What it says about a
    failure becomes part of the error."""
    relay = os.path.join(os.path.dirname(__file__), "_relay.py")
    own = (sys.executable, "-I", "-S", relay, _nursery.address(), *words, "--timeout", f"{timeout:g}")
    with tempfile.TemporaryDirectory(prefix="accord-") as folder:
        said = os.path.join(folder, "said")
        line = f"exec {shlex.join(own)} 2>{shlex.quote(said)}"

        def told() -> list[str]:
            with open(said, encoding="utf-8", errors="replace") as file:
                return [row.removeprefix(_PREFIX) for row in file.read().splitlines()
                        if row.startswith(_PREFIX)]

        try:
            ask: Any = reveal if single else map
            # The ranks may take the time of a call to start and as much for the first call, before the
            # worker has answered: what it says of a rank that is silent must come before this runs out.
            found: Map | Order = ask(f"command:{line}", n=n, dtype=dtype, timeout=2 * timeout + 15, name=name,
                                     **how)
            return found, told()
        except _accord.TargetError as error:
            why = str(error).rpartition(line + ": ")[2]
            head, marked, rest = why.partition(NONDETERMINISTIC)
            if marked:
                raise _accord.NondeterministicError(f"{name}: {rest.strip()}") from None
            failures = [row for row in told() if not _of_circumstance(row)]
            raise _accord.TargetError(f"{name}: {(failures or [why])[-1]}") from None


def _of_circumstance(row: str) -> bool:
    return row.startswith(("holds also ", "the order does not hold "))


_OPERATIONS = ("all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor")


def collective(operation: str, world: int, backend: str = "gloo", dtype: Any = "float32",
               length: int = 1, *, root: int = 0, circumstances: bool | None = None,
               **how: Unpack[AskOptions]) -> Collective:
    """In which order a collective operation of torch.distributed adds what the ranks hold.

    operation
        "all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor"; or "MODULE.FUNCTION", a
        function of your own that is called on every rank with its vector, and returns its result or
        puts it there.
    world
        The number of ranks; accord starts a process for each on this machine.
    backend
        "gloo", or "nccl" where there is a GPU for each rank.
    dtype
        float32, float64, float16 or bfloat16.
    length
        Positions of the vector; for reduce_scatter of the part of each rank.
    root
        The rank that gets the result of "reduce".
    circumstances
        Whether the first calls of new ranks, and calls in which a rank is late, are compared with
        others: by default unless `certificate` is False. If bits change when a rank is late,
        NondeterministicError is raised. Other findings are in `circumstances` and `warnings`.
    timeout
        Seconds that one call may take, by default 20.

    Other arguments as for `accord.map`. If a rank dies, hangs or cannot start, TargetError says which.
    """
    if not isinstance(world, int) or world < 2:
        raise ArgumentError(f"world={world!r}: give a number of ranks of at least 2")
    if operation not in _OPERATIONS and "." not in operation:
        raise ArgumentError(f"there is no operation {operation!r}: give {', '.join(_OPERATIONS)}, or "
                            "MODULE.FUNCTION, a function of your own")
    if not isinstance(length, int) or length < 1:
        raise ArgumentError(f"length={length!r}: give a number of positions of at least 1")
    others: dict[str, Any] = dict(how)
    timeout = others.pop("timeout", 20.0)
    words = [operation, "--backend", backend, "--length", str(length), "--root", str(root)]
    name = others.pop("name", None) or f"{operation}@{backend}"
    single = operation == "reduce" and length == 1
    if circumstances is None:
        circumstances = bool(others.get("certificate", True))
    words += ["--circumstances"] if circumstances else []
    found, told = _ask(words, single, world, dtype, timeout, name, **others)
    return Collective(found, operation, world, backend, str(dtype), length, root, told)
