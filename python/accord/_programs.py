"""Whole programs in C: their bounds, and what compilers make of them. The command does the work; what
it says in JSON becomes objects here."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shutil
import subprocess
import tempfile
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

from ._accord import ArgumentError, FileError, TargetError, UnsupportedError
from ._bound import models, put
from ._command import PROGRAM
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

    @property
    def width(self) -> float:
        return 0.0 if self.low == self.high else self.high - self.low


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


# ---- asking the command ----


def _command() -> str:
    """The command of the package, or one on the PATH, for a package that is used where it was built."""
    found = PROGRAM if os.access(PROGRAM, os.X_OK) else shutil.which("accord")
    if found is None:
        raise UnsupportedError("programs need the command accord, which is neither in the package nor "
                               "on the PATH: install the package again")
    return found


def _ask(verb: list[str], files: Any, options: list[str], flags: Iterable[str], run: Iterable[Any],
         stdin: bytes | None) -> tuple[dict[str, Any], bytes, bytes]:
    names = [os.fspath(files)] if isinstance(files, (str, os.PathLike)) else [
        os.fspath(f) for f in files]
    if not names:
        raise ArgumentError("give the C files of a program")
    with tempfile.TemporaryDirectory(prefix="accord-") as folder:
        report = os.path.join(folder, "report.json")
        words = [_command(), *verb, *names, "--json", "-o", report, *options]
        words += ["--", *flags] if list(flags) else []
        words += ["--run", *(str(word) for word in run)] if list(run) else []
        given = os.path.join(folder, "input")  # a file, which every run of a sweep reads from its start
        with open(given, "wb") as file:
            file.write(stdin or b"")
        try:
            with open(given, "rb") as file:
                said = subprocess.run(words, capture_output=True, stdin=file)
        except OSError as error:
            raise FileError(f"{words[0]}: {error.strerror}") from None
        try:
            with open(report, encoding="utf-8") as text:
                return json.load(text), said.stdout, said.stderr
        except FileNotFoundError:
            pass
    last = [line for line in said.stderr.decode(errors="replace").splitlines() if line]
    why = (last[-1] if last else f"it ended with status {said.returncode}").removeprefix("accord: ")
    raise {2: ArgumentError, 3: UnsupportedError}.get(said.returncode, TargetError)(why)


def _number(text: str | None) -> float | None:
    return None if text is None else float.fromhex(text)


def _output(row: dict[str, Any]) -> Output:
    lost = row.get("lost_at")
    return Output(row["file"], row["line"], row["format"], float.fromhex(row["value"]),
                  float.fromhex(row["low"]), float.fromhex(row["high"]), row["may_be_nan"],
                  _number(row["first_order"]), _number(row["observed"]), row["unknown"],
                  (lost["file"], lost["line"]) if lost else None)


def _first(found: dict[str, Any] | None) -> tuple[int, float, float] | None:
    if found is None:
        return None
    return found["number"], float.fromhex(found["value"]), float.fromhex(found["in_A"])


def _decision(row: dict[str, Any]) -> Decision:
    low, high = map(float.fromhex, row["interval"])
    return Decision(row["file"], row["line"], row["kind"], (low, high), row["count"])


def bound_program(files: Any, *, model: Any = "contract", flags: Sequence[str] = (),
                  run: Sequence[Any] = (), stdin: bytes | None = None, tape: str | None = None,
                  first_order: int | None = None, observe: bool = False,
                  timeout: float | None = None) -> ProgramBounds:
    """Bounds of every number that a C program writes with printf or fwrite, in one run of it (doc/bound.md).

    files: the C file, or several. `flags` are for the compiler (-D, -I, -l), `run` are the
    program's arguments, `stdin` is what it reads. `tape`: memory for first-order spreads ("500M";
    "0": none); `first_order`: of how many numbers. `observe`: build it with every compiler, too.

    UnsupportedError: this installation has no instrumenter, which needs clang 14 and its libraries.
    ArgumentError: the source does not compile. If the program crashes or takes longer than
    `timeout` seconds, the result has what was known until then.
    """
    options = ["--model", models(model)]
    for name, value in (("--tape", tape), ("--first-order", first_order), ("--timeout", timeout)):
        options += [name, str(value)] if value is not None else []
    options += ["--observe"] if observe else []
    found, out, err = _ask(["bound"], files, options, flags, run, stdin)
    return ProgramBounds(
        tuple(found["program"]), found["model"], tuple(map(_output, found["outputs"])),
        tuple(Line(l["file"], l["line"], l["share"], float.fromhex(l["fusion"]),
                   float.fromhex(l["order"]), float.fromhex(l["functions"]), l["infinite"])
              for l in found["lines"]),
        tuple(map(_decision, found["unstable_decisions"])),
        tuple(Lost(l["file"], l["line"], l["what"], l["count"]) for l in found["lost"]),
        found["exit_status"], found["signal"], found["timed_out"], found["truncated"],
        found["observed_builds"], out, err)


def sweep_program(files: Any, *, flags: Sequence[str] = (), run: Sequence[Any] = (),
                  stdin: bytes | None = None, jobs: int | None = None,
                  timeout: float | None = None) -> ProgramSweep:
    """A C program under every compiler and set of flags that is found (doc/bound.md): which builds write
    the same numbers, and are all inside the bounds of the models that their flags name?

    `jobs`: how many builds, and runs, at a time. Other arguments as for `bound_program`.
    """
    options = [] if jobs is None else ["--jobs", str(jobs)]
    options += [] if timeout is None else ["--timeout", str(timeout)]
    found, _, _ = _ask(["sweep", "--program"], files, [*options, "--quiet"], flags, run, stdin)
    builds = []
    for b in found["builds"]:
        c = b["bounds"]
        builds.append(Build(
            b["compiler"], b["version"], b["machine"], b["flags"], b["model"], b["group"],
            b["error"], b["seconds"],
            Containment(c["inside"], c["outside"], c["later"], c["infinite"], c["unknown"])
            if c and c["compared"] else None))
    groups = tuple(BuildGroup(g["letter"], g["builds"], g["numbers"], g["exit_status"], g["differ"],
                              float.fromhex(g["largest"]), float.fromhex(g["largest_relative"]),
                              _first(g["first"]))
                   for g in found["groups"])
    return ProgramSweep(tuple(found["program"]), found["verdict"], tuple(builds), groups,
                        found["outside"])
