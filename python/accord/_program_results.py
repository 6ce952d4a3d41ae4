"""What is found about C programs: bounds of the numbers that they write, and builds in comparison. Asked
by _programs.py."""

from __future__ import annotations

import dataclasses
import math
from typing import Iterator, NamedTuple

from ._bound import put
from ._order import figure

_MOST_LINES = 20  # of outputs that str() shows


class Output(NamedTuple):
    """A number that the program passed to printf or fwrite."""

    file: str | None
    line: int | None
    format: str  #: "f64" or "f32"
    value: float  #: of this run, which computes everything as written
    low: float
    high: float
    may_be_nan: bool
    first_order: float | None  #: an estimate of how far it moves; None: not known
    observed: float | None  #: the largest difference of a build, with observe=True
    unknown: bool  #: the bounds were lost
    lost_at: tuple[str | None, int | None] | None  #: where
    first_order_inputs: float | None = None  #: an estimate of how far inputs move it

    @property
    def width(self) -> float:
        return 0.0 if self.low == self.high else self.high - self.low


class Input(NamedTuple):
    """A variable of the program that was given a value."""

    name: str
    given: str
    set: int  #: how many numbers were set
    own: int  #: how many of them kept the program's own value
    values: tuple[float, ...]  #: the first of them
    share: float  #: of what comes from inputs, to first order
    #: How many numbers the program assigned anew before it read them, and the first place.
    renewed: tuple[int, str | None, int | None] | None = None


class Line(NamedTuple):
    """A line that adds to the spread of the numbers."""

    file: str | None
    line: int
    share: float
    fusion: float  #: width that begins here because products are fused …
    order: float  #: … because sums or products are in another order …
    functions: float  #: … because of the errors of functions
    infinite: bool


class Decision(NamedTuple):
    """A branch, a conversion to an integer, or an index that depends on the evaluation."""

    file: str | None
    line: int | None
    kind: str
    interval: tuple[float, float]
    times: int


class Lost(NamedTuple):
    """Where bounds could not be followed."""

    file: str | None
    line: int | None
    what: str
    times: int


class Found(NamedTuple):
    """Values of inputs that a search found: those for which number `number` is widest, or for which the
    decision at file:line is unstable."""

    inputs: tuple[str, ...]  #: "NAME=VALUE"
    number: int | None = None  #: from 1 on
    width: float | None = None
    relative: float | None = None  #: to the larger end of the bounds
    file: str | None = None
    line: int | None = None
    kind: str | None = None


class Search(NamedTuple):
    """Runs with single values of inputs that are intervals."""

    runs: int
    widest: Found | None
    unstable_decisions: tuple[Found, ...]


@dataclasses.dataclass(frozen=True, repr=False)
class ProgramBounds:
    """Bounds of the numbers that a program wrote in one run. low and high of each are proven for the
    path of this run; first_order is an estimate."""

    program: tuple[str, ...]
    model: str
    outputs: tuple[Output, ...]
    lines: tuple[Line, ...]
    unstable_decisions: tuple[Decision, ...]
    lost: tuple[Lost, ...]
    exit_status: int | None  #: of the program; None: a signal or the time limit ended it
    signal: int | None
    timed_out: bool
    truncated: bool  #: the program wrote more numbers than are kept
    observed_builds: int
    stdout: bytes = dataclasses.field(repr=False)
    stderr: bytes = dataclasses.field(repr=False)
    inputs: tuple[Input, ...] = ()
    search: Search | None = None  #: with search=N
    kept: tuple[Lost, ...] = ()  #: with unset="kept": where numbers were read that were not set

    @property
    def finite(self) -> tuple[Output, ...]:
        """The numbers whose bounds are known and finite."""
        return tuple(o for o in self.outputs
                     if not o.unknown and math.isfinite(o.low) and math.isfinite(o.high))

    def __repr__(self) -> str:
        return (f"<accord.ProgramBounds of {' '.join(self.program)}, {self.model}: "
                f"{len(self.outputs)} numbers, {len(self.finite)} with finite bounds>")

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return figure(str(self), "")

    def _lines(self) -> Iterator[str]:
        yield (f"{' '.join(self.program)}, {self.model}: {len(self.outputs)} numbers, "
               f"{len(self.finite)} with finite bounds")
        for o in self.outputs[:_MOST_LINES]:
            where = f"{o.file}:{o.line}" if o.file else "-"
            yield (f"  {where} {put(o.value, o.format)} unknown" if o.unknown else
                   f"  {where} {put(o.value, o.format)} [{put(o.low, o.format)}, "
                   f"{put(o.high, o.format)}]")
        if len(self.outputs) > _MOST_LINES:
            yield f"  and {len(self.outputs) - _MOST_LINES} more"
        for line in self.lines[:_MOST_LINES]:
            yield f"{line.file}:{line.line} adds {100 * line.share:.3g} % of the spread"
        for d in self.unstable_decisions[:_MOST_LINES]:
            yield (f"{d.file}:{d.line} {d.kind} depends on the evaluation: "
                   f"[{d.interval[0]:g}, {d.interval[1]:g}]")
        for l in self.lost[:_MOST_LINES]:
            yield f"{l.file}:{l.line} bounds were lost: {l.what}"


class Containment(NamedTuple):
    """The numbers of a build in comparison with the bounds of the model that its flags name."""

    inside: int
    outside: int
    later: int  #: outside, but written after an unstable decision
    infinite: int  #: their bounds are infinite, which shows nothing
    unknown: int


class Device(NamedTuple):
    """A device of OpenCL that a build compiled its kernels for."""

    name: str
    platform: str
    version: str
    driver: str


class Build(NamedTuple):
    """A build of the program."""

    compiler: str
    version: str
    machine: str | None  #: None: this one
    flags: str
    model: str
    group: str | None  #: None: it does not compile here, or its run failed
    error: str | None
    seconds: float
    bounds: Containment | None  #: None: not compared
    devices: tuple[Device, ...] = ()  #: those that its kernels of OpenCL were compiled for


class BuildGroup(NamedTuple):
    """Builds that write the same numbers, in comparison with the first group."""

    letter: str
    builds: int
    numbers: int
    exit_status: int
    differ: int
    largest: float  #: the largest difference from the first group
    largest_relative: float
    first: tuple[int, float, float] | None  #: the first number that differs, here and there


@dataclasses.dataclass(frozen=True, repr=False)
class ProgramSweep:
    """A program under every compiler and set of flags that was found. The truth value says whether all
    builds wrote the same numbers, and none is outside its bounds."""

    program: tuple[str, ...]
    verdict: str  #: "same", "differs", "cannot-tell" or "failed"
    builds: tuple[Build, ...]
    groups: tuple[BuildGroup, ...]
    outside: int  #: numbers outside the bounds of their model, which would be an error

    def __bool__(self) -> bool:
        return self.verdict == "same"

    def models(self) -> dict[str, Containment]:
        """The builds of each model, added up."""
        found: dict[str, Containment] = {}
        for b in self.builds:
            if b.bounds is not None:
                before = found.get(b.model, Containment(0, 0, 0, 0, 0))
                found[b.model] = Containment(*(x + y for x, y in zip(before, b.bounds)))
        return found

    def largest(self, *names: str) -> float:
        """The largest difference from the first build, of the builds of these models (none: of all)."""
        letters = {b.group for b in self.builds if not names or b.model in names}
        return max((g.largest for g in self.groups if g.letter in letters), default=0.0)

    def __repr__(self) -> str:
        return (f"<accord.ProgramSweep of {' '.join(self.program)}: "
                f"{sum(g.builds for g in self.groups)} builds, {len(self.groups)} "
                f"group{'s'[:len(self.groups) != 1]}, {self.outside} numbers outside>")

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return figure(str(self), "")

    def _lines(self) -> Iterator[str]:
        yield f"{' '.join(self.program)}: {self.verdict}"
        for g in self.groups:
            yield (f"  {g.letter:2} {g.builds} builds" +
                   (f", {g.differ} of {g.numbers} numbers differ, by {g.largest:.3g} at most"
                    if g.differ else ""))
        for model, c in self.models().items():
            yield f"{model}: {c.inside} numbers inside, {c.outside} outside"
