#!/usr/bin/env python3
"""Whatever makes an integer of a number is listed as an unstable decision, if the number leaves it open:
test_bound_decisions.py TOOLS. Speaks TAP."""

import os
import sys

import instrumented

TOOLS = sys.argv[1]
HEAD = """
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile float A = 1.1f, B = 3.3f, C = 2.475f;
static int twice(const void *a, const void *b) { return *(const double *)a < *(const double *)b; }
int main(void)
{
    float a = A, b = B, c = C;
    double d = b*b - 4*a*c, below = fmin(d, 0), above = fmax(d, 0); /* around 0, 1e-7 wide */
    char text[40];
    snprintf(text, sizeof text, "%a", d);
    double lost = atof(text);
"""
# Each is a line of the program; d lies in [-4.3e-7, 3.0e-7].
OPEN = [
    "if (d > 0) puts(\"1\");", "if (d) puts(\"1\");", "if (!d) puts(\"1\");", "_Bool t = d; (void)t;",
    "if (d != 0 && d < 1) puts(\"1\");", "printf(\"%d\", d < 0);", "if (isgreater(d, 0)) puts(\"1\");",
    "if (islessgreater(d, 0)) puts(\"1\");", "if (signbit(d)) puts(\"1\");",
    "if (fpclassify(d) == FP_ZERO) puts(\"1\");", "if (isinf(1/d)) puts(\"1\");",
    "if (isnan(0*(1/d))) puts(\"1\");", "if ((finite)(1/d)) puts(\"1\");", "if ((isinf)(1/d)) puts(\"1\");",
    "if (__fpclassify(d)) puts(\"1\");", "if (__signbit(d)) puts(\"1\");",
    "printf(\"%d\", (int)(d*1e8));", "printf(\"%u\", (unsigned)(5 + d*1e7));",
    "printf(\"%d\", (short)(1 + d));", "printf(\"%ld\", lrint(.5 + d));", "printf(\"%ld\", lround(.5 + d));",
    "printf(\"%lld\", llround(.5 + below));", "printf(\"%ld\", lroundf((float)(2.5 + below)));",
    "printf(\"%d\", ilogb(2 + d));", "printf(\"%d\", ilogb(d));", "int e; frexp(1 + d, &e);",
    "int e; frexp(lost, &e);", "double n = 0*(1/d); if (n != n) puts(\"1\");",
    "double n = 0*(1/d); if (n <= n) puts(\"1\");", "if (isnormal(0x1p-1022*(1 + d))) puts(\"1\");",
    "if (isnormal(d)) puts(\"1\");", "if (isfinite(1/d)) puts(\"1\");", "double t = lost; if (t == t) puts(\"1\");",
    "while (d > 0) { puts(\"1\"); break; }", "switch (d > 0) { case 1: puts(\"1\"); }",
    "printf(\"%a\", d > 0 ? 1. : 2.);", "double x[2] = {d, 0}; qsort(x, 2, sizeof *x, twice);",
    "double x[2] = {d, 0}; if (memcmp(x, x + 1, sizeof *x)) puts(\"1\");",
    # the last one: after it, integers may hold any bits
    "uint64_t u; memcpy(&u, &d, sizeof u); if (u >> 63) puts(\"1\");",
]
SETTLED = [
    "if (d > 1) puts(\"1\");", "if (d + 1) puts(\"1\");", "if (isnan(d)) puts(\"1\");", "if ((isnan)(d)) puts(\"1\");",
    "if ((isinf)(d)) puts(\"1\");", "if (isunordered(d, 0)) puts(\"1\");", "printf(\"%d\", (int)(.5 + d));",
    "printf(\"%ld\", lrint(.25 + d));", "printf(\"%ld\", lrint(.5 + below));",
    "printf(\"%ld\", lround(.5 + above));", "printf(\"%ld\", lround(1 + d));", "printf(\"%d\", ilogb(2.5 + d));",
    "if (__fpclassify(1 + d)) puts(\"1\");", "if (above < 0) puts(\"1\");", "printf(\"%a\", fmax(d, 0));",
    "double t = d; if (t != t) puts(\"1\");", "double t = d; if (t <= t) puts(\"1\");",
    "double t = d; if (t > t) puts(\"1\");", "double n = 0*(1/d); if (n < n) puts(\"1\");",
    "if (isnormal(1 + d)) puts(\"1\");", "if (isfinite(d)) puts(\"1\");",
]


def test_open_and_settled(folder):
    source = os.path.join(folder, "case.c")
    lines = [*SETTLED, *OPEN]
    with open(source, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"    {{ {line} }}\n" for line in lines) + "    return 0;\n}\n")
    program = instrumented.build(TOOLS, folder, [source], flags=["-w", "-D_GNU_SOURCE"])
    ran, report = instrumented.run(program)
    if ran.returncode:
        return f"status {ran.returncode}"
    first = HEAD.count("\n") + 1
    listed = {report.line(row[0]) for row in report.of("decision")}
    wrong = [line for number, line in enumerate(lines, first) if (number in listed) != (line in OPEN)
             and "qsort" not in line]
    if not any(number < first for number in listed):
        wrong.append("qsort")
    return f"missing, or listed without need: {wrong}" if wrong else None


def test_a_number_and_itself_under_excess(folder):
    """x87 may compare a number in a register with the same one in memory."""
    source = os.path.join(folder, "case.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(HEAD + "    double t = d;\n    if (t != t) puts(\"1\");\n    return 0;\n}\n")
    program = instrumented.build(TOOLS, folder, [source], "contract,excess", ["-w", "-D_GNU_SOURCE"])
    _, report = instrumented.run(program)
    listed = {report.line(row[0]) for row in report.of("decision")}
    return None if HEAD.count("\n") + 2 in listed else f"{listed}"


def test_parts_of_modf(folder):
    """Fixed, wide, lost: what modf writes. Its memory held the same bits before."""
    source = os.path.join(folder, "case.c")
    parts = [("2.5 + d", "known"), ("1 + d", "wide"), ("lost", "unknown")]
    with open(source, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"    {{ double i; modf({x}, &i); printf(\"%a\\n\", i); }}\n"
                                  for x, _ in [parts[0], *parts]) + "    return 0;\n}\n")
    program = instrumented.build(TOOLS, folder, [source], flags=["-w", "-D_GNU_SOURCE"])
    _, report = instrumented.run(program)
    found = ["unknown" if lost else "known" if low == high else "wide"
             for _, low, high, _, lost in report.outputs[-3:]]
    return None if found == [kind for _, kind in parts] else f"{found}"


sys.exit(instrumented.main([test_open_and_settled, test_a_number_and_itself_under_excess,
                            test_parts_of_modf], TOOLS))
