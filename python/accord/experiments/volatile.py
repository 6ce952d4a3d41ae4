"""Bayati et al.'s programs under compilers, beside the bounds of models and the paper's figures.

Each case is a C program of programs/ with arguments. `sweep_program` builds and runs it under every
compiler that is found and compares each number with the bounds of the model that the flags name;
`bound_program` gives the widths of the bounds under contract, what compilers do, and under paren,
the paper's model. The programs have a form for OpenCL, too, whose platforms are the paper's."""

from __future__ import annotations

import math
import os
import statistics
import sys
from typing import Any, Callable, NamedTuple

import accord

from .measure import say
from .output import cell, drawing, markdown, write_csv

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
#: Models of flags without fast-math and x87, and all others.
PLAIN = ("written", "contract-expr", "contract")
LIMIT = 1200.0  # seconds of a run

HEAD = ("case", "builds", "distinct", "observed", "observed_fast_or_x87", "relative",
        "first_order_by_contract", "contract", "paren", "inside", "outside", "later", "infinite",
        "unknown")


class Case(NamedTuple):
    """A program, its arguments, and the figures of the paper as it prints them."""

    table: str
    name: str
    program: str
    run: tuple[Any, ...]
    observed: str  #: in the paper
    bound: str
    quick: bool = True


def _ray() -> list[Case]:
    paper = (("1.441E-1, 1.250E-1, -1.058E-1", "[-2.528E-1, 1.567E-1]"),
             ("1.086E-2, 0, -3.426E-2", "[-6.888E-2, 6.389E-2]"),
             ("-4.545, -8, 6.126", "[-1.600E+1, 9.205]"),
             ("3.874, 0, -4.715", "[-8, 1.685E+1]"),
             ("4.802, 0, -9.099", "[-1.602E+1, 5.021E+1]"),
             ("9.767E-2, 0, -3.902", "[-4.852, 2.305]"),
             ("1.953E-1, 2.500E-1, -3.041E-3", "[-5.031E-1, 3.736E-1]"))
    return [Case("2", f"set {k}", "ray", (k,), *figures) for k, figures in enumerate(paper, 1)]


def _stencil() -> list[Case]:
    """Table 3; and Tables 4 and 5, where every 8th row and column of the larger matrix is compared."""
    cases = [Case("3", "set 1: 128 x 128, 100 steps", "stencil", (128, "product", 1, 100), "7.50E-1",
                  "1.087E+1"),
             Case("3", "set 2: 128 x 128, 50 steps", "stencil", (128, "random", 1, 50), "2.38E-6",
                  "2.336E-5"),
             Case("3", "set 3: 512 x 512, 10 steps", "stencil", (512, "product", 1, 10), "9.37E-2",
                  "3.437E-1", False)]
    steps = (10, 100, 250, 500, 750, 1000)
    small = ("3.9E-3", "7.50E-1", "1.92E+3", "5.368E+8", "1.363E+14", "3.17E+19")
    large = ("3.75E-1", "8.000E+1", "1.802E+5", "6.87E+10", "1.857E+16", "4.722E+21")
    for k, most in enumerate(steps):
        cases.append(Case("4", f"128 x 128, {most} steps", "stencil", (128, "product", 1, most),
                          small[k], "", most <= 100))
    return cases + [Case("5", f"1024 x 1024, {most} steps", "stencil", (1024, "product", 8, most),
                         large[k], "", False) for k, most in enumerate(steps)]


def _md() -> list[Case]:
    rows = ((12288, "6", "1.099E+12 to 4.503E+16", "3.6705E+17"), (24576, "7", "4.503E+16", ""),
            (36864, "7", "1.441E+17", ""), (73728, "7", "1.441E+17", ""))
    return [Case(table, f"{atoms} atoms", "md", (atoms,), observed, bound, atoms < 20000)
            for atoms, table, observed, bound in rows]


CASES_IN_ORDER = [*_ray(), *_stencil(), *_md()]
#: The larger matrix takes longest, and comes last.
CASES = sorted(CASES_IN_ORDER, key=lambda case: (not case.quick, case.table == "5"))


class Found(NamedTuple):
    """What was found for a case."""

    case: Case
    sweep: accord.ProgramSweep
    contract: accord.ProgramBounds
    paren: accord.ProgramBounds


def widest(bounds: accord.ProgramBounds) -> float:
    return max(math.inf if o.unknown else o.width for o in bounds.outputs)


def first_order(bounds: accord.ProgramBounds) -> float:
    """The median of first-order / width, of the numbers whose first-order spread was computed: of many
    numbers, these are a sample that need not hold the widest."""
    ratios = [o.first_order / o.width for o in bounds.outputs
              if o.first_order is not None and 0 < o.width < math.inf]
    return statistics.median(ratios) if ratios else math.nan


def ask(case: Case, jobs: int) -> Found:
    file = os.path.join(PROGRAMS, f"{case.program}.c")

    def bounds(model: str, **how: Any) -> accord.ProgramBounds:
        say(f"Table {case.table}, {case.name}: bounds under {model}")
        found = accord.bound_program(file, model=model, run=case.run, timeout=LIMIT, **how)
        if found.exit_status != 0 or found.truncated or not found.outputs:
            raise accord.TargetError(f"{case.name}: the run with bounds under {model} is not whole")
        return found

    contract, paren = bounds("contract"), bounds("paren", tape="0")
    say(f"Table {case.table}, {case.name}: all compilers")
    return Found(case, accord.sweep_program(file, run=case.run, jobs=jobs, timeout=LIMIT), contract,
                 paren)


# ---- tables ----


def _relative(found: Found) -> float:
    plain = {b.group for b in found.sweep.builds if b.model in PLAIN}
    return max((g.largest_relative for g in found.sweep.groups if g.letter in plain), default=0.0)


def row(found: Found) -> tuple[Any, ...]:
    sweep = found.sweep
    others = tuple({b.model for b in sweep.builds} - set(PLAIN))
    sums = [sum(c) for c in zip(*sweep.models().values())] or [0] * 5
    return (f"Table {found.case.table}, {found.case.name}",
            sum(g.builds for g in sweep.groups), len(sweep.groups), sweep.largest(*PLAIN),
            sweep.largest(*others) if others else 0.0, _relative(found), first_order(found.contract),
            widest(found.contract), widest(found.paren), *sums)


def _interval(bounds: accord.ProgramBounds) -> str:
    return f"[{bounds.outputs[0].low:.6g}, {bounds.outputs[0].high:.6g}]"


def table_of_rays(found: list[Found]) -> str:
    """Table 2: what was computed, and the bounds."""
    rows = []
    for f in found:
        values = sorted({g.first[1] for g in f.sweep.groups if g.first})
        rows.append((f.case.name, f"{f.contract.outputs[0].value:.6g}",
                     ", ".join(f"{x:.6g}" for x in values), _interval(f.contract),
                     _interval(f.paren), len(f.contract.unstable_decisions), f.case.observed,
                     f.case.bound))
    return markdown(("set", "as written", "other values of builds", "contract", "paren",
                     "unstable branches", "the paper: observed", "the paper: bounds"), rows) + (
                         "\nFrom set 2 on, the paper does not print its inputs, and these are others.\n")


def table_of_widths(found: list[Found]) -> str:
    rows = []
    for f in found:
        _, _, _, plain, others, relative, first, contract, paren, *_ = row(f)
        rows.append((f"{f.case.table}: {f.case.name}", plain, others, relative, first, contract, paren,
                     f.case.observed, f.case.bound))
    return markdown(("table and case", "observed", "with fast-math or x87", "observed, relative",
                     "first-order / contract", "contract", "paren", "the paper: observed", "the paper: bound"),
                    rows)


def table_of_models(found: list[Found]) -> str:
    """Every number of every build against the bounds of its model."""
    sums: dict[str, list[int]] = {}
    for f in found:
        for model, c in f.sweep.models().items():
            builds = sum(b.bounds is not None and b.model == model for b in f.sweep.builds)
            before = sums.setdefault(model, [0] * 6)
            sums[model] = [x + y for x, y in zip(before, (builds, *c))]
    return markdown(("model", "builds", "inside", "outside", "outside after an unstable decision",
                     "infinite bounds", "unknown bounds"),
                    [(model, *counts) for model, counts in sums.items()])


def outside(found: list[Found]) -> list[str]:
    """What contradicts a model: each build with numbers outside."""
    return [f"{f.case.name}: {b.compiler} {b.flags}: {b.bounds.outside} outside {b.model}"
            for f in found for b in f.sweep.builds if b.bounds and b.bounds.outside]


# ---- pictures ----


def _points(found: list[Found], axis: Any) -> None:
    """Everything in relation to what was observed."""
    series: tuple[tuple[str, str, str, Callable[[Found], float]], ...] = (
        ("observed with fast-math or x87", "x", "0.4", lambda f: f.sweep.largest()),
        ("paren", "D", "tab:red", lambda f: widest(f.paren)),
        ("contract", "s", "tab:blue", lambda f: widest(f.contract)))
    for label, marker, color, value in series:
        points = [(i, value(f) / f.sweep.largest(*PLAIN)) for i, f in enumerate(found)
                  if f.sweep.largest(*PLAIN) > 0 and math.isfinite(value(f))]
        if points:
            axis.plot(*zip(*points), marker, color=color, markersize=4, label=label)
    axis.axhline(1, color="black", linewidth=0.6)
    axis.set(yscale="log")
    axis.set_xticks(range(len(found)), [_label(f.case) for f in found], rotation=60, ha="right",
                    fontsize=7)
    axis.grid(True, linewidth=0.3)


def _label(case: Case) -> str:
    """As short as it fits below an axis."""
    return case.name.partition(":")[0].removesuffix(" steps").removesuffix(" atoms")


def plot(folder: str, name: str, found: list[Found]) -> None:
    """A panel for each program: the widths of bounds, divided by what was observed."""
    programs = list(dict.fromkeys(f.case.program for f in found))
    with drawing(folder, name, len(programs), below=0.1) as axes:
        for axis, program in zip(axes, programs):
            axis.set(title=program, ylabel="divided by observed" if axis is axes[0] else "")
            _points([f for f in found if f.case.program == program], axis)


# ---- all of it ----


def ask_all(cases: list[Case], args: Any) -> list[Found]:
    """What is known so far is in bound.csv, and is reported if the rest is interrupted."""
    found: list[Found] = []
    known: dict[tuple[Any, ...], Found] = {}
    try:
        for case in cases:
            key = (case.program, *case.run)
            known[key] = known[key]._replace(case=case) if key in known else ask(case, args.jobs)
            found.append(known[key])
            last = row(found[-1])
            say(f"{last[0]}: {last[1]} builds, observed {cell(last[3])}, contract {cell(last[7])}, "
                f"paren {cell(last[8])}", True)
            write_csv(args.output, "bound.csv", HEAD, map(row, found), quiet=True)
    except KeyboardInterrupt:
        print(f"interrupted after {len(found)} of {len(cases)} cases", file=sys.stderr)
    return sorted(found, key=lambda f: CASES_IN_ORDER.index(f.case))


def measure(args: Any, machine: str) -> None:
    cases = [c for c in CASES if c.quick or not args.quick]
    found = ask_all(cases, args)
    if not found:
        raise accord.TargetError("no case was finished")
    write_csv(args.output, "bound.csv", HEAD, map(row, found))
    plot(args.output, "bound.svg", found)
    print(f"bound{' --quick' if args.quick else ''}: {len(found)} of {len(CASES)} cases; {machine}\n")
    print("Compilers: " + ", ".join(sorted({f"{b.compiler} {b.version}" for f in found
                                            for b in f.sweep.builds if b.group})) + "\n")
    print(table_of_rays([f for f in found if f.case.program == "ray"]))
    print(table_of_widths([f for f in found if f.case.program != "ray"]))
    print(table_of_models(found))
    wrong = outside(found)
    print("\n".join(["OUTSIDE their models, which is an error to report:", *wrong]) if wrong else
          "No number is outside the bounds of the model that the flags of its build name.")
