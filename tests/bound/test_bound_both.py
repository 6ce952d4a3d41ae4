#!/usr/bin/env python3
"""accord bound --both: test_bound_both.py ACCORD TOOLS. Speaks TAP.

Random programs make unstable decisions; every build of them must lie inside the joined bounds
wherever these are said to hold for all paths. The program's own output and files stay those of the
run."""

import json
import math
import os
import random
import subprocess
import sys

import instrumented
from instrumented import trials

ACCORD, TOOLS = map(os.path.abspath, sys.argv[1:3])
BUILDS = (["gcc", "-O0", "-ffp-contract=off"], ["gcc", "-O2", "-mfma"],
          ["clang-14", "-O2", "-mfma", "-ffp-contract=fast"])
PRELUDE = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
# f(a, b, c) is 0 in real numbers, and of either sign with fused products
UNSTABLE = "static volatile float a = 1.1f, b = 3.3f, c = 2.475f;\n"


def bound(folder, source, *options, data=b"", run=(), optimized=False):
    """What the program wrote, and the report."""
    path, out = os.path.join(folder, "p.c"), os.path.join(folder, "report.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PRELUDE + source)
    end = ["--run", *run] if run else []
    stdin = {"stdin": data} if hasattr(data, "fileno") else {"input": data}
    ran = subprocess.run([ACCORD, "bound", path, "-O", "json", "-o", out, *options, *end],
                         capture_output=True, timeout=200, cwd=folder,
                         env=instrumented.environment(optimized), **stdin)
    with open(out, encoding="utf-8") as file:
        return ran, json.load(file)


def interval(output):
    return float.fromhex(output["low"]), float.fromhex(output["high"])


# ---- random programs ----

def random_program(rng):
    """Sums of products with cancellation, compared, converted and looked up."""
    lines = [UNSTABLE, "static const double table[] = {1, 20, 300, 4000, 50000};",
             "int main(void)\n{\n    float d = b * b - 4 * a * c, e = 1;"]
    for i in range(rng.randint(1, 4)):
        kind = rng.randrange(4)
        scale, shift = rng.choice(["", "-", "2 * "]), rng.choice(["0", "d", "1e-7f"])
        if kind == 0:
            lines.append(f"    if ({scale}d > {shift}) e += {i + 1}; else e = e * 3 - a * b;")
        elif kind == 1:
            lines.append(f"    e = d {rng.choice(['>=', '<', '!='])} 0 ? e * 2 + a : e - d * {i + 2};")
        elif kind == 2:
            lines.append(f"    e += (float)table[2 + (int)(d * {rng.choice(['3e6f', '1e6f'])})];")
        else:
            lines.append(f"    for (int k = 0; k < 3 && e * d < {rng.choice(['0', 'd'])}; k++) e += 2;")
        lines.append('    printf("%a\\n", e);')
    return "\n".join([*lines, "    return 0;\n}\n"])


def random_case(folder, rng):
    ran, report = bound(folder, random_program(rng), "--both", "200")
    if ran.returncode != 0:
        return f"status {ran.returncode}: {ran.stderr.decode()}"
    if not report["paths"]["all"] and not report["paths"]["left_open"]:
        return "the paths are not all, and no decision is open"
    for words in BUILDS:
        program = os.path.join(folder, "plain")
        subprocess.run([*words, os.path.join(folder, "p.c"), "-o", program, "-lm"], check=True)
        made = [float.fromhex(x) for x in
                subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()]
        for x, output in zip(made, report["outputs"]):
            low, high = interval(output)
            if not low <= x <= high and (report["paths"]["all"] or not report["unstable_decisions"]):
                return f"{' '.join(words)}: {x} is not in [{low}, {high}]"
    return None if report["paths"]["all"] else "left open"


def test_random(folder):
    rng, whole = random.Random(trials.SEED), 0
    for i in range(trials.trials(12)):
        wrong = random_case(folder, rng)
        whole += wrong is None
        if wrong not in (None, "left open"):
            return f"program {i} of seed {trials.SEED}: {wrong}"
    return None if whole >= trials.trials(12) // 2 else f"only {whole} programs were followed completely"


# ---- single cases ----

def test_joined(folder):
    _, report = bound(folder, UNSTABLE + """
int main(void)
{
    float d = b * b - 4 * a * c;
    float e = d > 0 ? 1 : 7;
    printf("%g\\n", e);
    return 0;
}""", "--both", "5")
    if interval(report["outputs"][0]) != (1, 7):
        return f"{interval(report['outputs'][0])} is not [1, 7]"
    if not report["paths"]["all"] or report["outputs"][0]["paths"] != 2:
        return "these are not all paths"
    return None


def test_too_few(folder):
    _, report = bound(folder, UNSTABLE + """
int main(void)
{
    int n = 0;
    for (int i = 0; i < 20; i++)
        n += b * b - 4 * a * c > 0;
    printf("%g\\n", (double)n);
    return 0;
}""", "--both", "5")
    paths = report["paths"]
    if paths["all"] or len(paths["others"]) != 5 or paths["left_open"] < 15:
        return f"5 paths cannot be all: {paths}"
    return None


def test_integers(folder):
    _, report = bound(folder, UNSTABLE + """
int main(void)
{
    float d = b * b - 4 * a * c;
    int i = (int)(d * 1e7f);
    unsigned char u = (unsigned char)(1 + d * 3e6f);
    double table[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    printf("%g %g\\n", table[4 + i], (double)u);
    return 0;
}""", "--both", "50")
    if not report["paths"]["all"]:
        return "these are not all paths"
    # -4.27 < i < 2.96, -.28 < u < 1.89
    if [interval(o) for o in report["outputs"]] != [(1, 7), (0, 1)]:
        return f"{[interval(o) for o in report['outputs']]}"
    return None


def test_many_integers(folder):
    _, report = bound(folder, UNSTABLE + """
int main(void)
{
    float d = b * b - 4 * a * c;
    printf("%g\\n", (double)(int)(d * 1e9f));
    return 0;
}""", "--both", "50")
    return None if report["paths"]["left_open"] == 1 and not report["paths"]["all"] else "not open"


def test_other_count(folder):
    _, report = bound(folder, UNSTABLE + """
int main(void)
{
    float d = b * b - 4 * a * c;
    printf("%g\\n", a);
    if (d > 0)
        printf("%g\\n", b);
    printf("%g\\n", c);
    return 0;
}""", "--both", "5")
    if [o["paths"] for o in report["outputs"]] != [2, 2]:
        return "numbers of other places are not joined"
    return None if report["paths"]["others"][0]["other_counts"] and not report["paths"]["all"] \
        else "another count is not seen"


WRITES = UNSTABLE + """
int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, argc > 1 ? _IONBF : _IOFBF, sizeof buffer);
    float d = b * b - 4 * a * c;
    for (int i = 0; i < 100; i++)
        printf("before %d %g\\n", i, (double)d);
    if (d > 0) {
        fprintf(stderr, "another path\\n");
        FILE *out = fopen("precious", "w");
        fprintf(out, "gone\\n");
        fclose(out);
    }
    for (int i = 0; i < 100; i++)
        printf("after %d %g\\n", i, (double)d);
    return argc;
}"""


def test_harmless(folder):
    precious = os.path.join(folder, "precious")
    for run in ((), ("x",)):
        with open(precious, "w", encoding="utf-8") as file:
            file.write("kept")
        ran, report = bound(folder, WRITES, "--both", "5", run=run)
        wanted = "".join(f"{when} {i} 0\n" for when in ("before", "after") for i in range(100))
        if ran.stdout.decode() != wanted or ran.stderr:
            return f"the program's output is another: {ran.stdout[:200]} {ran.stderr}"
        with open(precious, encoding="utf-8") as file:
            if file.read() != "kept":
                return "another path wrote a file"
        other = report["paths"]["others"][0]
        if report["exit_status"] != 1 + len(run) or other["followed"] or report["paths"]["all"]:
            return f"{report['exit_status']} {other}"
    return None


READS = UNSTABLE + """
int main(void)
{
    double x, sum = 0;
    float d = b * b - 4 * a * c;
    setvbuf(stdin, NULL, _IONBF, 0);
    float e = d > 0 ? 100 : 0;
    while (scanf("%lf", &x) == 1)
        sum += x;
    printf("%g\\n", sum + (double)e);
    return 0;
}"""


def test_input(folder):
    text = b"1 2 3 4 5\n" * 100
    _, report = bound(folder, READS, "--both", "5", data=text)
    if report["paths"]["others"][0]["followed"]:
        return "another path went on without the rest of a pipe"
    with open(os.path.join(folder, "in"), "wb") as file:
        file.write(text)
    with open(os.path.join(folder, "in"), "rb") as file:
        ran, report = bound(folder, READS, "--both", "5", data=file)
    if ran.stdout != b"1500\n" or interval(report["outputs"][0]) != (1500, 1600):
        return f"{ran.stdout}, {interval(report['outputs'][0])}"
    return None if report["paths"]["all"] else "the path did not read the file"


def test_endless(folder):
    ran, report = bound(folder, UNSTABLE + """
int main(void)
{
    float d = b * b - 4 * a * c;
    printf("%g\\n", d);
    fflush(stdout);
    volatile int on = d > 0;
    while (on) {
    }
    return 3;
}""", "--both", "5", "--timeout", "4")
    other = report["paths"]["others"]
    if ran.returncode != 0 or ran.stdout != b"0\n" or (other and other[0]["followed"]):
        return f"status {ran.returncode}, {other}"
    return None if not report["paths"]["all"] else "these are not all paths"


def test_segments(folder):
    """Copies that repeat parts of the run for the tape follow no paths."""
    source = UNSTABLE + """
int main(void)
{
    double s = 0;
    float d = b * b - 4 * a * c;
    for (int i = 0; i < 200000; i++)
        s += (double)d * 1e-3 * i;
    printf("%g\\n", s > 0 ? s : s * 2 + a);
    return 0;
}"""
    _, one = bound(folder, source, "--both", "5", optimized=True)
    _, many = bound(folder, source, "--both", "5", "--tape", "2M")
    if many["tape"]["segments"] < 2:
        return "the run has one segment"
    if one["outputs"] != many["outputs"] or not many["paths"]["all"]:
        return f"{one['outputs']} is not {many['outputs']}"
    return None if many["outputs"][0]["first_order"] and \
        math.isfinite(float.fromhex(many["outputs"][0]["first_order"])) else "no first-order spread"


def test_unseen(folder):
    """Decisions by bytes and in other formats are listed, and are not followed."""
    for text in ("__float128 x = d; if (x > 0) e = 5;", "int k = (int)((__float128)1e7 * d); e += k;",
                 "double u = d, v = 0; if (memcmp(&u, &v, sizeof u)) e = 5;",
                 "double v __attribute__((vector_size(16))) = {d, d}; if ((v > 0)[0]) e = 5;"):
        _, report = bound(folder, UNSTABLE + """
int main(void)
{
    float d = b * b - 4 * a * c, e = 1;
    """ + text + """
    printf("%g\\n", e);
    return 0;
}""", "--both", "5")
        if not report["unstable_decisions"] or report["paths"]["all"]:
            return f"{text}: {report['unstable_decisions']}"
    return None


def test_crash(folder):
    ran, report = bound(folder, UNSTABLE + """
int main(void)
{
    float d = b * b - 4 * a * c;
    printf("%g\\n", a);
    if (d > 0)
        *(volatile int *)8 = 1;
    return 0;
}""", "--both", "5")
    other = report["paths"]["others"][0]
    return None if ran.returncode == 0 and other["signal"] and not other["followed"] else str(other)


sys.exit(instrumented.main([f for name, f in globals().items() if name.startswith("test_")], TOOLS))
