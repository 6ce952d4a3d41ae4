#!/usr/bin/env python3
"""long double of x87 in programs with bounds: test_bound_longer.py TOOLS. Speaks TAP.

Operands are sums of three products that are nearly cancelled, so that fusing each of them or not
gives eight numbers that lie far apart. What a program computes of all of them in long double must
lie inside the bounds: all 64 bits of it, not those of a double."""

import collections
import fractions
import math
import os
import platform
import random
import subprocess
import sys
import tempfile

import instrumented

TOOLS = sys.argv[1]
ROWS = 24 * max(1, int(float(os.environ.get("ACCORD_TEST_SCALE", "1"))))
# Expressions in long double of sums t and u, which are doubles, and of long doubles x, y and z.
EXPRESSIONS = ["x + y", "x - y", "x * y", "x / z", "x * x", "-x", "x + 0.1L", "z / 3", "(double)(x + z)",
               "(float)(x * z)", "(long double)t * u", "t * z + u", "(int)z + x", "twice(pass)",
               "summed(3, x, y, z)", "from_list(2, x, z)", "heap->x", "copy[2]", "fabsl(x)",
               "sqrtl(fabsl(x))", "fmaxl(x, y)", "fminl(x, z)", "fmal(x, y, z)", "y > 3 ? z : y", "expl(x)", "logl(fabsl(x) + 1)", "powl(fabsl(x), 1.5L)", "sinl(x)", "hypotl(x, y)",
               "expl(12000 + x)", "expl(-12000 + x) * 0x1p16000L", "x * 0x1p-15000L * 0x1p15000L",
               "creall(v * w)", "cimagl(v * w)", "creall(v / w)", "cimagl(v / w)", "cabsl(v)",
               "creall(conjl(v) + squared(w))", "cimagl(cexpl(v))", "creall(csqrtl(w + 9))",
               "cimagl(clogl(w))", "creall(cpowl(w, 2))", "strtold(\"0.1\", 0) + x", "floorl(z)"]
SOURCE = """
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double in[ROWS][11] = {
#include "rows.h"
};
#ifdef WAYS
static double one(double a, double b, double c, int fused) { return fused ? fma(a, b, c) : a * b + c; }
#else
#define one(a, b, c, fused) ((a) * (b) + (c))
#endif
struct part { float f; long double x; double d; };
static long double twice(struct part p) { return p.x * 2; }
static long double _Complex squared(long double _Complex z) { return z * z; }
static long double from(int n, va_list l)
{
    long double s = 0;
    for (int i = 0; i < n; i++)
        s += va_arg(l, long double);
    return s;
}
static long double summed(int n, ...)
{
    va_list l;
    va_start(l, n);
    long double s = 0;
    for (int i = 0; i < n; i++)
        s += va_arg(l, long double);
    va_end(l);
    return s;
}
static long double from_list(int n, ...)
{
    va_list l;
    va_start(l, n);
    long double s = from(n, l);
    va_end(l);
    return s;
}
static void show(const char *format, ...)
{
    va_list l;
    va_start(l, format);
    vprintf(format, l);
    va_end(l);
}
int main(void)
{
    struct part pass = {1, 2, 3}, *heap = malloc(sizeof *heap);
    for (int i = 0; i < ROWS; i++)
#ifdef WAYS
        for (int way = 0; way < 8; way++)
#endif
        {
            const double *r = in[i];
            double p = one(r[0], r[1], r[2], way & 1), q = one(r[3], r[4], r[5], way & 2);
            double t = p + q, u = one(r[6], r[7], r[8], way & 4);
            long double x = t, y = u, z = (long double)r[9] / 3 + x;
            long double array[3] = {x, y, z}, copy[3];
            long double _Complex v = x + z * I, w = z + y * I;
            pass.x = y;
            *heap = pass;
            memcpy(copy, array, sizeof copy);
#define SHOW(e) if ((e) % 2) printf("%d %La\\n", i * COUNT + (e), (long double)value); \\
                else show("%d %La\\n", i * COUNT + (e), (long double)value);
#include "expressions.h"
        }
    return 0;
}
"""


def write_source(folder, draw):
    with open(os.path.join(folder, "longer.c"), "w", encoding="utf-8") as file:
        file.write(SOURCE)
    with open(os.path.join(folder, "expressions.h"), "w", encoding="utf-8") as file:
        for i, text in enumerate(EXPRESSIONS):
            file.write(f"{{ long double value = {text}; SHOW({i}) }}\n")
    with open(os.path.join(folder, "rows.h"), "w", encoding="utf-8") as file:
        for _ in range(ROWS):
            row = [draw.uniform(-2, 2) for _ in range(11)]
            for i in (2, 5, 8): # nearly cancelled
                row[i] = -row[i - 2] * row[i - 1] * (1 + draw.choice([0, 2**-50, -2**-52]))
            row[9] += math.copysign(1, row[9])
            file.write(", ".join(x.hex() for x in row) + ",\n")


def exactly(text):
    """The number that %La printed; None: a NaN."""
    if "inf" in text or "nan" in text:
        return None if "nan" in text else math.copysign(math.inf, -1 if text[0] == "-" else 1)
    sign, text = (-1, text[1:]) if text[0] == "-" else (1, text)
    digits, exponent = text[2:].split("p")
    whole, _, rest = digits.partition(".")
    return sign * fractions.Fraction(int(whole + rest, 16)) * fractions.Fraction(2)**(
        int(exponent) - 4 * len(rest))


def ways(folder):
    """Of each output, all values."""
    out = collections.defaultdict(list)
    for compiler, flags in (("gcc", "-O1"), (instrumented.clang(), "-O1")):
        path = os.path.join(folder, "plain")
        subprocess.run([compiler, *flags.split(), "-ffp-contract=off", "-DWAYS", *COMMON,
                        os.path.join(folder, "longer.c"), "-lm", "-o", path], check=True)
        ran = subprocess.run([path], capture_output=True, text=True, check=True)
        for line in ran.stdout.splitlines():
            i, value = line.split()
            out[int(i)].append(exactly(value))
    return out


COMMON = [f"-DROWS={ROWS}", f"-DCOUNT={len(EXPRESSIONS)}"]


def check(folder, model, values):
    """Lists for each expression whose bounds are wrong what is wrong."""
    program = instrumented.build(TOOLS, folder, [os.path.join(folder, "longer.c")], model, COMMON)
    ran, report = instrumented.run(program)
    if ran.returncode != 0 or len(report.outputs) != ROWS * len(EXPRESSIONS):
        return {"the program": f"status {ran.returncode}, {len(report.outputs)} outputs"}
    problems, finite = {}, collections.Counter()
    for i, (_, low, high, nan, lost) in enumerate(report.outputs):
        text = EXPRESSIONS[i % len(EXPRESSIONS)]
        finite[text] += math.isfinite(low) and math.isfinite(high)
        if lost is not None:
            problems[text] = "unknown"
        for value in values[i]:
            if not (nan if value is None else low <= value <= high):
                problems[text] = f"{float(value)} is outside [{low.hex()}, {high.hex()}]"
    for text in EXPRESSIONS:
        if finite[text] < ROWS / 2 and "000" not in text:
            problems.setdefault(text, f"only {finite[text]} of {ROWS} have finite bounds")
    return problems


def points(folder, model):
    """Exact numbers are points; where sums may be reordered, nothing is known."""
    path = os.path.join(folder, "points.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <stdio.h>\nint main(void) { volatile int n = 3; long double x = n, y = .1L;"
                   " printf(\"%Lg %Lg %d\\n\", x * 2 + 1, y, x * 2 == 6); return 0; }\n")
    _, report = instrumented.run(instrumented.build(TOOLS, folder, [path], model))
    known = [(low, high) for _, low, high, _, lost in report.outputs if lost is None]
    if "paren" in model or "fast" in model:
        return {"points": str(known)} if known else {}
    if known != [(7, 7), (.09999999999999999, .1)] or report.of("decision"):
        return {"points": f"{known}, {report.of('decision')}"}
    return {}


def main():
    if not os.path.exists(os.path.join(TOOLS, "accord-instrument")) or not instrumented.clang() or \
            platform.machine() != "x86_64":
        print("1..0 # SKIP needs the instrumenter, clang 14 and x86-64")
        return
    draw = random.Random(int(os.environ.get("ACCORD_TEST_SEED", "0")) or None)
    models = ["contract", "written", "contract,excess,ftz"]
    with tempfile.TemporaryDirectory() as folder:
        write_source(folder, draw)
        values = ways(folder)
        for number, model in enumerate(models + ["paren", "fast"], 1):
            # Without fusion the bounds are those of the first way alone.
            own = {i: v[:1] for i, v in values.items()} if model == "written" else values
            problems = points(folder, model)
            problems.update(check(folder, model, own) if model in models else {})
            print("\n".join([f"{'not ok' if problems else 'ok'} {number} - {model}",
                             *(f"# {text}: {words}" for text, words in problems.items())]), flush=True)
    print(f"1..{len(models) + 2}")


main()
