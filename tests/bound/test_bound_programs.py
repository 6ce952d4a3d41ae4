#!/usr/bin/env python3
"""Whole programs with bounds: test_bound_programs.py TOOLS. Speaks TAP.

Each program of the folder programs prints the same with and without bounds, and what the compilers
of this machine make of it lies inside them, unless a decision is unstable, after which nothing is
promised. Programs take turns: each is built by half of the compilers, and every other one with the
runtime inlined. With ACCORD_TEST_SCALE=2 and more, all are;
below 1 some of the programs run, which the seed chooses."""

import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import instrumented
from instrumented import trials

TOOLS = sys.argv[1]
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
STABLE = {"kmeans": False}  # the others make no decision that the bounds leave open
# Compilers, flags, and whether the builds have fused operations that this CPU may lack.
BUILDS = [(["gcc", "-O0"], False), (["gcc", "-O3"], False), (["gcc", "-O2", "-mfma"], True),
          (["gcc", "-O3", "-march=native"], False), (["clang", "-O2"], False),
          (["clang", "-O2", "-mfma"], True),
          (["clang", "-O3", "-mfma", "-ffp-contract=fast"], True),
          (["aarch64-linux-gnu-gcc", "-O2", "-static"], False)]
NUMBER = re.compile(r"-?(?:0x[0-9a-f.]+p[+-]\d+|inf|nan)")


def has_fma():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return any(re.search(r"\bfma\b", line) for line in lines)
    except OSError:
        return False


def offered():
    """The builds that this machine can make and run: (words, what to run them with)."""
    intel, fma = platform.machine() == "x86_64", has_fma()
    for words, needs_fma in BUILDS:
        runner = ["qemu-aarch64"] if words[0].startswith("aarch64") else []
        if all(shutil.which(tool) for tool in words[:1] + runner) and \
                (not needs_fma or (intel and fma)):
            yield words, runner


def inside(text, report):
    """The first number outside its bounds; None."""
    numbers = [float.fromhex(x) for x in NUMBER.findall(text)]
    bounds = report.outputs[:len(numbers)]
    assert len(bounds) == len(numbers), "other numbers than the report has"
    for i, (x, (_, low, high, nan, _)) in enumerate(zip(numbers, bounds)):
        if not (nan if math.isnan(x) else low <= x <= high):
            return f"number {i + 1}: {x.hex()} is outside [{low.hex()}, {high.hex()}]"
    return None


class Case:
    def __init__(self, name, folder, turn):
        self.name, self.folder, self.turn = name, folder, turn
        self.source = os.path.join(FOLDER, name + ".c")

    def build(self, words):
        program = os.path.join(self.folder, "plain")
        subprocess.run([*words, self.source, "-o", program, "-lm"], check=True, capture_output=True)
        return program

    def check(self):
        """What is wrong; None."""
        program = instrumented.build(TOOLS, self.folder, [self.source],
                                     optimized=trials.SCALE > 1 or self.turn % 2 == 1)
        plain = subprocess.run([self.build([instrumented.clang(), "-O0", "-ffp-contract=off"])],
                               capture_output=True, timeout=60)
        ran, report = instrumented.run(program)
        if (ran.stdout, ran.stderr, ran.returncode) != (plain.stdout, plain.stderr, 0):
            return "the program with bounds writes something else"
        if report.end != "exit" or any(o[4] is not None for o in report.outputs):
            return "bounds were lost"
        if not all(math.isfinite(o[1]) and math.isfinite(o[2]) for o in report.outputs):
            return "bounds are infinite"
        # What fwrite passes on to the standard error comes among the outputs: those that were
        # printed are compared.
        written = len(report.outputs) - len(NUMBER.findall(plain.stdout.decode()))
        if written:
            report.outputs = printed(report)
        if not STABLE.get(self.name, True):
            return None
        if report.of("decision"):
            return "a decision is unstable"
        return self.compare(report)

    def compare(self, report):
        builds = list(offered())
        for words, runner in builds if trials.SCALE > 1 else builds[self.turn // 2 % 2::2]:
            made = subprocess.run([*runner, self.build(words)], capture_output=True, timeout=60)
            wrong = inside(made.stdout.decode(), report)
            if wrong:
                return f"{' '.join(words)}: {wrong}"
        return None


def printed(report):
    """The outputs of printf: fwrite stands alone on its line."""
    with_fwrite = set()
    for row in report.of("output"):
        site = row[0]
        with open(report.sites[site][1], encoding="utf-8") as source:
            line = source.read().splitlines()[report.line(site) - 1]
        if "fwrite" in line:
            with_fwrite.add(site)
    return [o for o, row in zip(report.outputs, report.of("output")) if row[0] not in with_fwrite]


def main():
    names = sorted(f[:-2] for f in os.listdir(FOLDER) if f.endswith(".c"))
    if not instrumented.clang() or not os.path.exists(os.path.join(TOOLS, "accord-instrument")):
        print("1..0 # SKIP clang 14 or accord-instrument is missing")
        return 0
    failed = False
    chosen = trials.of_table(list(enumerate(names, 1)))
    print(f"1..{len(chosen)}")
    for number, (turn, name) in enumerate(chosen, 1):
        with tempfile.TemporaryDirectory() as folder:
            wrong = Case(name, folder, turn).check()
        print(f"{'not ' if wrong else ''}ok {number} - {name}", flush=True)
        if wrong:
            print(f"# {wrong}", flush=True)
            failed = True
    return 1 if failed else 0


sys.exit(main())
