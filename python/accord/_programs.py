"""Whole programs in C: their bounds, and what compilers make of them. The command does the work; what
it says in JSON becomes the objects of _program_results.py."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from typing import Any, Iterable, Mapping, Sequence

from ._accord import ArgumentError, FileError, TargetError, UnsupportedError
from ._bound import models
from ._command import PROGRAM
from ._program_results import (Build, BuildGroup, Containment, Decision, Device, Found, Input, Line, Lost,
                               Output, ProgramBounds, ProgramSweep, Search)


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
                  (lost["file"], lost["line"]) if lost else None,
                  _number(row["first_order_inputs"]))


def _input(row: dict[str, Any]) -> Input:
    renewed = row["renewed"]
    return Input(row["name"], row["given"], row["set"], row["own"],
                 tuple(map(float.fromhex, row["values"])), row["share"],
                 renewed and (renewed["count"], renewed["file"], renewed["line"]))


def _search(found: dict[str, Any] | None) -> Search | None:
    if found is None:
        return None
    widest = found["widest"] and Found(
        tuple(found["widest"]["inputs"]), found["widest"]["number"],
        float.fromhex(found["widest"]["width"]), float.fromhex(found["widest"]["relative"]))
    return Search(found["runs"], widest, tuple(
        Found(tuple(d["inputs"]), file=d["file"], line=d["line"], kind=d["kind"])
        for d in found["unstable_decisions"]))


def _given(value: Any) -> str:
    """A value for --input: text stands for itself, a pair is an interval, a list is a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        ends = "[]" if isinstance(value, tuple) else "{}"
        return ends[0] + ",".join(float(x).hex() for x in value) + ends[1]
    return float(value).hex()


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
                  timeout: float | None = None, inputs: Mapping[str, Any] | None = None,
                  seed: int | None = None, search: int | None = None,
                  unset: str | None = None) -> ProgramBounds:
    """Bounds of every number that a C program writes with printf or fwrite, in one run of it (doc/bound.md).

    files: the C file, or several. `flags` are for the compiler (-D, -I, -l), `run` are the
    program's arguments, `stdin` is what it reads. `tape`: memory for first-order spreads ("500M";
    "0": none); `first_order`: of how many numbers. `observe`: build it with every compiler, too.

    inputs: values for variables of the program, by their names ("x", "main:b", "a[3]", "ray.c:5:b"):
    a number, a pair for an interval, a list of numbers that are set one after the other, or text
    such as "normal(0,1)". `seed`: of what is drawn. `search`: so many runs with single values of
    those that are intervals, which look for wide numbers and unstable decisions.

    unset: what numbers count as that the program reads from memory that it has not set: "unknown"
    (the default), or "kept", as they were in this run; the bounds then rest on the places in `kept`.

    UnsupportedError: this installation has no instrumenter, which needs clang 14 and its libraries.
    ArgumentError: the source does not compile. If the program crashes or takes longer than
    `timeout` seconds, the result has what was known until then.
    """
    options = ["--model", models(model)]
    for name, value in (("--tape", tape), ("--first-order", first_order), ("--timeout", timeout),
                        ("--unset", unset)):
        options += [name, str(value)] if value is not None else []
    options += ["--observe"] if observe else []
    options += ["--seed", str(seed)] if seed is not None else []
    options += ["--search", str(search)] if search is not None else []
    for name, value in (inputs or {}).items():
        options += ["--input", f"{name}={_given(value)}"]
    found, out, err = _ask(["bound"], files, options, flags, run, stdin)
    return ProgramBounds(
        tuple(found["program"]), found["model"], tuple(map(_output, found["outputs"])),
        tuple(Line(l["file"], l["line"], l["share"], float.fromhex(l["fusion"]),
                   float.fromhex(l["order"]), float.fromhex(l["functions"]), l["infinite"])
              for l in found["lines"]),
        tuple(map(_decision, found["unstable_decisions"])),
        tuple(Lost(l["file"], l["line"], l["what"], l["count"]) for l in found["lost"]),
        found["exit_status"], found["signal"], found["timed_out"], found["truncated"],
        found["observed_builds"], out, err, tuple(map(_input, found["inputs"])),
        _search(found["search"]),
        tuple(Lost(l["file"], l["line"], "not set", l["count"]) for l in found["kept"]))


def sweep_program(files: Any, *, flags: Sequence[str] = (), run: Sequence[Any] = (),
                  stdin: bytes | None = None, jobs: int | None = None,
                  timeout: float | None = None, unset: str | None = None) -> ProgramSweep:
    """A C program under every compiler and set of flags that is found (doc/bound.md): which builds write
    the same numbers, and are all inside the bounds of the models that their flags name?

    `jobs`: how many builds, and runs, at a time. Other arguments as for `bound_program`.
    """
    options = [] if jobs is None else ["--jobs", str(jobs)]
    options += [] if timeout is None else ["--timeout", str(timeout)]
    options += [] if unset is None else ["--unset", unset]
    found, _, _ = _ask(["sweep", "--program"], files, [*options, "--quiet"], flags, run, stdin)
    builds = []
    for b in found["builds"]:
        c = b["bounds"]
        builds.append(Build(
            b["compiler"], b["version"], b["machine"], b["flags"], b["model"], b["group"],
            b["error"], b["seconds"],
            Containment(c["inside"], c["outside"], c["later"], c["infinite"], c["unknown"])
            if c and c["compared"] else None,
            tuple(Device(d["name"], d["platform"], d["version"], d["driver"]) for d in b["devices"])))
    groups = tuple(BuildGroup(g["letter"], g["builds"], g["numbers"], g["exit_status"], g["differ"],
                              float.fromhex(g["largest"]), float.fromhex(g["largest_relative"]),
                              _first(g["first"]))
                   for g in found["groups"])
    return ProgramSweep(tuple(found["program"]), found["verdict"], tuple(builds), groups,
                        found["outside"])
