#!/usr/bin/env python3
"""What compilers fuse, form by form: test_bound_fusion.py TOOLS. Speaks TAP.

The functions of fusion_forms.py, whose inputs no compiler knows, are compiled by gcc and clang, and
for aarch64, with flags that let them fuse or not. What each function gives must lie inside the bounds
of the model that the flags name: if a compiler fuses where the model does not, the model is wrong.
Forms that are known to be fused must be seen to be, or this test would show nothing."""

import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import instrumented
from fusion_forms import FORMS

TOOLS = sys.argv[1]
ROWS = 3
HEAD = r"""
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NARROW
#define T float
#define F(name) name##f
#define MAX FLT_MAX
#define EPSILON FLT_EPSILON
#define TINY 0x1p-149f
#define BIG 0x1p80f
#define ROOT 0x1p-70f
#define GRAIN 0x1p14f
#else
#define T double
#define F(name) name
#define MAX DBL_MAX
#define EPSILON DBL_EPSILON
#define TINY 0x1p-1074
#define BIG 0x1p500
#define ROOT 0x1p-575
#define GRAIN 0x1p29
#endif
static inline T V(T x) { volatile T y = x; return y; }
static inline _Complex T C(T x, T y) { _Complex T z; __real__ z = x; __imag__ z = y; return z; }
"""
NAMES = ("slot", "P", "two", "times", "va", "rec", "order", "side", "scaled", "less", "one")
# Compiler, flags, the model that they name, what runs the program.
BUILDS = [("gcc", "-O2 -mfma", "contract", None), ("gcc", "-O3 -march=native", "contract", None),
          ("gcc", "-O2 -mfma -ffp-contract=off", "written", None),
          ("clang", "-O2 -mfma -ffp-contract=fast", "contract", None),
          ("clang", "-O2 -mfma -ffp-contract=on", "contract-expr", None),
          ("clang", "-O2 -mfma -ffp-contract=off", "written", None),
          ("aarch64-linux-gnu-gcc", "-O2 -static", "contract", "qemu-aarch64")]


def rounded(x, narrow):
    return struct.unpack("f", struct.pack("f", x))[0] if narrow else x


def rows(draw, narrow):
    for _ in range(ROWS):
        a, b, d, e = (rounded(draw.choice([-1, 1]) * draw.uniform(1, 2) * 2.0 ** draw.randint(-1, 1),
                              narrow) for _ in range(4))
        ab, de, aa = (rounded(x, narrow) for x in (a * b, d * e, a * a))
        yield [a, b, -ab, d, e, -de, ab, -aa]


def source(draw, narrow):
    text = HEAD
    for i, (_, _, body, *before) in enumerate(FORMS):
        text += "".join(f"#define {name} {name}_{i}\n" for name in NAMES)
        text += (f"{''.join(before)}\n__attribute__((noinline)) static T form_{i}"
                 f"(T a, T b, T c, T d, T e, T f, T g, T q, int n1) {{ {body} }}\n")
        text += "".join(f"#undef {name}\n" for name in NAMES)
    forms = ", ".join(f"form_{i}" for i in range(len(FORMS)))
    table = ",\n".join("{" + ", ".join(x.hex() for x in row) + "}" for row in rows(draw, narrow))
    return text + f"""
static T (*const forms[])(T, T, T, T, T, T, T, T, int) = {{{forms}}};
static volatile T in[][8] = {{{table}}};
static volatile int n1 = 1;
int main(void)
{{
    for (int r = 0; r < {ROWS}; r++)
        for (int i = 0; i < {len(FORMS)}; i++)
            printf("%a\\n", (double)forms[i](in[r][0], in[r][1], in[r][2], in[r][3], in[r][4],
                                            in[r][5], in[r][6], in[r][7], n1));
    return 0;
}}
"""


def values(folder, path, compiler, flags, runner):
    """What the build prints; None where it cannot be built or run here."""
    program = os.path.join(folder, "plain")
    if not shutil.which(compiler) or (runner and not shutil.which(runner)):
        return None
    built = subprocess.run([compiler, *flags, path, "-o", program, "-lm"], capture_output=True)
    if built.returncode:
        return None
    ran = subprocess.run([*([runner] if runner else []), program], capture_output=True, text=True,
                         timeout=120)
    return None if ran.returncode else [float.fromhex(x) for x in ran.stdout.split()]


def same(x, y):
    return x == y or (math.isnan(x) and math.isnan(y))


class Kind:
    """All forms in one format: the plain values, and the bounds under each model."""

    def __init__(self, folder, narrow, seed):
        self.folder, self.narrow = folder, narrow
        self.flags = ["-w"] + (["-DNARROW"] if narrow else [])
        self.path = os.path.join(folder, "forms.c")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(source(random.Random(f"{seed} {narrow}"), narrow))
        self.reports = {model: self.bounds(model) for model in ("contract", "contract-expr")}
        self.plain = [o[0] for o in self.reports["contract"]]

    def bounds(self, model):
        program = instrumented.build(TOOLS, self.folder, [self.path], model, flags=self.flags)
        ran, report = instrumented.run(program)
        assert ran.returncode == 0 and len(report.outputs) == ROWS * len(FORMS), ran.stderr
        return report.outputs

    def outside(self, model, i, x):
        """Why number i may not be x; None."""
        _, low, high, nan, lost = self.reports.get(model, self.reports["contract-expr"])[i]
        form = FORMS[i % len(FORMS)][0]
        if lost is not None:
            return f"{form}: bounds are unknown"
        if not (nan if math.isnan(x) else low <= x <= high):
            return f"{form}: {x.hex()} is not in [{low.hex()}, {high.hex()}]"
        # As written there is one value, but of functions that compilers do differently.
        if model == "written" and low == high and not same(x, self.plain[i]):
            return f"{form}: {x.hex()} is not {self.plain[i].hex()}"
        return None


def check(kind, build, fused):
    """What is wrong, a list; None where the build cannot be made. `fused`: (compiler, form)."""
    compiler, flags, model, runner = build
    seen = values(kind.folder, kind.path, compiler, flags.split() + kind.flags, runner)
    if seen is None:
        return None
    assert len(seen) == len(kind.plain)
    for i, x in enumerate(seen):
        if model == "contract" and not same(x, kind.plain[i]):
            fused.add((compiler.split("-")[-1], FORMS[i % len(FORMS)][0]))
    return [wrong for wrong in (kind.outside(model, i, x) for i, x in enumerate(seen)) if wrong]


def wrongly_seen(fused):
    """Forms that were fused otherwise than the table says."""
    compilers = {compiler for compiler, _ in fused}
    for form, by, *_ in FORMS:
        seen = {compiler for compiler in compilers if (compiler, form) in fused}
        missing = (set(by.split()) & compilers) - seen
        if missing:
            yield f"{form}: not seen to be fused by {', '.join(sorted(missing))}"
        if by == "none" and seen:
            yield f"{form}: fused by {', '.join(sorted(seen))}"


def main():
    seed = int(os.environ.get("ACCORD_TEST_SEED", "1"))
    print(f"# ACCORD_TEST_SEED={seed}")
    if not instrumented.clang() or not os.path.exists(os.path.join(TOOLS, "accord-instrument")):
        print("1..0 # SKIP bounds of programs were not built: clang and libLLVM 14 are needed")
        return
    number, fused = 0, set()
    for narrow in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            kind = Kind(folder, narrow, seed)
            for build in BUILDS:
                number += 1
                name = f"{build[0]} {build[1]}, {'f32' if narrow else 'f64'}, within {build[2]}"
                wrong = check(kind, build, fused)
                skip = " # SKIP it cannot be built or run here" if wrong is None else ""
                print(f"{'not ok' if wrong else 'ok'} {number} - {name}{skip}", flush=True)
                for line in wrong or []:
                    print("#", line)
    wrong = list(wrongly_seen(fused))
    print(f"{'not ok' if wrong else 'ok'} {number + 1} - what is fused, and what is not")
    for line in wrong:
        print("#", line)
    print(f"1..{number + 1}")


main()
