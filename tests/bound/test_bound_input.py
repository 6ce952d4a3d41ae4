#!/usr/bin/env python3
"""Bounds of programs whose inputs are intervals hold for every value in them: test_bound_input.py
TOOLS. Speaks TAP.

Brute force: the same program, built without accord under flags that a model allows, runs with many
values out of the intervals, among them their ends. Whatever it writes on the same path must lie
inside. By default four models are tried, with ACCORD_TEST_SCALE=2 and more all of them."""

import math
import os
import random
import struct
import subprocess
import sys
import tempfile

import instrumented

TOOLS = sys.argv[1]
SCALE = max(1, int(float(os.environ.get("ACCORD_TEST_SCALE", "1"))))
RUNS = 300 * SCALE
# name, format, low, high: read by the runtime, and drawn from here
INPUTS = [("x", "f64", "1.1", "1.3"), ("y", "f64", "-0.7", "0.2"), ("z", "f64", "-0x1p-1070", "0x1p-1040"),
          ("u", "f32", "0.1", "0.7"), ("v", "f32", "1.6999999", "1.7"), ("t", "f32", "1e-45", "1e-39"),
          ("st.in[1].a", "f64", "0.4", "0.6"), ("st.f", "f32", "0.2", "0.21")]
ARRAYS = [("w", "f64", 4, "0.5", "2"), ("q", "f32", 3, "-1e-3", "3")]
FIXED = """
    double s = x * y + w[0] * w[1] - w[2];
    OUT(s / w[3] + x);
    OUT(x * x - y * y);
    OUT(sqrt(w[0] * w[1] + x) + fmin(x, w[2]) * exp(y));
    OUT(z * x + z);
    float f = u * v + q[0] * q[1];
    OUT(f - q[2] * u);
    OUT(t * v + t);
    OUT((double)(float)(x * y) + f * (double)u);
    for (int i = 0; i < 12; i++)
        s = .5 * s * s + y * .25 + w[i % 4] * 1e-3;
    OUT(s);
    if (y + w[2] * .1 > 0.05) {
        path = 1;
        OUT(y * w[2]);
    } else {
        OUT(path_of(-y) * w[2]);
    }
    struct pair p = {x, u}, r = p;
    OUT(r.a * y + r.b);
    struct whole copy = st;
    OUT(copy.in[1].a * copy.f - st.in[1].a * st.in[0].a);
"""
HEAD = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double x = 1.2, y = -.3, z = 1, w[4] = {.6, 7, .9, 1.5};
static float u = .5f, v = 1.7f, t = 1e-40f, q[3] = {0, -1e-3f, 5};
struct pair { double a; float b; };
static struct whole { float f; struct pair in[2]; } st = {.2f, {{.3, 2}, {.5, 1}}};
static int path;
#ifdef PLAIN
#define OUT(x) printf(" %a", (double)(x))
#else
#define OUT(x) printf("%a\\n", (double)(x))
#endif
static double path_of(double x) { return x * x; }
static void compute(void)
{
"""
TAIL = """
}
#ifdef PLAIN
int main(void)
{
    double n[15];
    for (;;) {
        for (int i = 0; i < 15; i++)
            if (scanf("%la", &n[i]) != 1)
                return 0;
        x = n[0]; y = n[1]; z = n[2]; u = n[3]; v = n[4]; t = n[5];
        st.in[1].a = n[6]; st.f = n[7];
        for (int i = 0; i < 4; i++)
            w[i] = n[8 + i];
        for (int i = 0; i < 3; i++)
            q[i] = n[12 + i];
        path = 0;
        compute();
        printf(" %d\\n", path);
    }
}
#else
int main(void) { path = 0; compute(); printf("%d\\n", path); return 0; }
#endif
"""
# The flags of a build, and the models that allow what it does.
WRITTEN = ["written", "contract-expr", "contract", "paren", "perm", "loop", "fast", "excess", "ftz",
           "contract,ftz", "fast,ftz"]
BUILDS = [(["gcc", "-O0", "-ffp-contract=off"], WRITTEN),
          (["clang-14", "-O2", "-ffp-contract=on", "-mfma"], ["contract-expr", "contract", "loop", "fast"]),
          (["gcc", "-O2", "-ffp-contract=fast", "-mfma"], ["contract", "loop", "fast", "contract,ftz"]),
          (["gcc", "-O2", "-ffp-contract=off", "-mfpmath=387"], ["excess"]),
          (["gcc", "-O3", "-ffast-math", "-mfma"], ["fast,ftz"])]


TRIED = WRITTEN if SCALE > 1 else ["contract", "perm", "loop", "fast,ftz"]


def random_lines(draw):
    """Assignments and sums of products of the inputs and of what came before."""
    names = ["x", "y", "u", "v", "w[0]", "w[1]", "w[2]", "w[3]", "q[0]", "q[1]", "q[2]", "2", "0.5", "3"]
    lines = []
    for i in range(3 * SCALE):
        terms = ["*".join(draw.choice(names) for _ in range(draw.choice([1, 2, 2, 3]))) for _ in range(3)]
        text = terms[0] + "".join(draw.choice([" + ", " - "]) + term for term in terms[1:])
        if draw.random() < .3:
            text = f"({text}) / (w[1] + {i + 1})"
        lines.append(f"    {draw.choice(['double', 'float'])} r{i} = {text};\n    OUT(r{i});\n")
        names.append(f"r{i}")
    return "".join(lines)


def narrow(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def number(text):
    return float.fromhex(text) if "x" in text else float(text)


def drawn(draw, form, low, high):
    low, high = number(low), number(high)
    x = draw.choice([low, high]) if draw.random() < .3 else draw.uniform(low, high)
    return narrow(x) if form == "f32" else x


def values(draw):
    row = [drawn(draw, *each[1:]) for each in INPUTS]
    for _, form, length, low, high in ARRAYS:
        row += [drawn(draw, form, low, high) for _ in range(length)]
    return row


def ends(form, low, high):
    """Both ends for doubles and for floats, as accord writes them: outward, those for floats finer."""
    out = []
    for end, to in ((number(low), -math.inf), (number(high), math.inf)):
        out.append(end if end in (0.5, 2.0) else math.nextafter(end, to))
    return f"{out[0].hex()} {out[1].hex()} " * 2


def write_inputs(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("1\n")
        for name, form, *rest in INPUTS + ARRAYS:
            file.write(f"range {ends(form, *rest[-2:])} 0 0\n")


def plain_rows(folder, source, compiler, rows):
    program = os.path.join(folder, "plain")
    made = subprocess.run([*compiler, "-w", "-DPLAIN", source, "-o", program, "-lm"], capture_output=True)
    if made.returncode:
        return None
    text = "\n".join(" ".join(x.hex() for x in row) for row in rows)
    ran = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    found = [line.split() for line in ran.stdout.splitlines()]
    return [([float.fromhex(x) for x in row[:-1]], row[-1]) for row in found]


def outside(report, path, rows, plain):
    """The runs on the same path, and what of them lies outside."""
    compared, wrong = 0, []
    for row, (numbers, way) in zip(rows, plain):
        if way != path:
            continue
        compared += 1
        for i, (x, (_, low, high, nan, lost)) in enumerate(zip(numbers, report.outputs)):
            if lost is None and not (nan if math.isnan(x) else low <= x <= high):
                wrong.append(f"number {i + 1} is {x}, not in [{low}, {high}], with {row}")
    return compared, wrong


def check(folder, source, model, rows, plain):
    names = [name for name, *_ in INPUTS + ARRAYS]
    options = [word for name in names for word in ("--input-range", name)]
    tape = ["--tape"] if model == "contract" else []
    program = instrumented.build(TOOLS, folder, [source], model, options=options + tape)
    ran, report = instrumented.run(program)
    path = ran.stdout.decode().split()[-1]
    wrong = [] if len(report.outputs) == len(plain[0][0][0][0]) else [f"{len(report.outputs)} numbers"]
    wrong += [f"number {i + 1} is unknown" for i, o in enumerate(report.outputs) if o[4] is not None]
    widths = sum(o[1] < o[2] for o in report.outputs)
    wrong += [] if widths > .9 * len(report.outputs) else [f"only {widths} numbers have a width"]
    compared = 0
    for found in plain:
        n, more = outside(report, path, rows, found[0])
        compared += n
        wrong += [f"{' '.join(found[1])}: {line}" for line in more]
    return compared, wrong + ([] if compared >= 20 else [f"only {compared} runs took the same path"])


def main():
    seed = int(os.environ.get("ACCORD_TEST_SEED", "1"))
    print(f"# ACCORD_TEST_SEED={seed}")
    if not os.path.exists(os.path.join(TOOLS, "accord-instrument")) or not instrumented.clang():
        print("1..0 # SKIP needs the instrumenter and clang 14")
        return
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "inputs.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(HEAD + FIXED + random_lines(draw) + TAIL)
        os.environ["ACCORD_BOUND_INPUTS"] = os.path.join(folder, "values")
        write_inputs(os.environ["ACCORD_BOUND_INPUTS"])
        rows = [values(draw) for _ in range(RUNS)]
        builds = [(plain_rows(folder, source, compiler, rows), compiler, models)
                  for compiler, models in BUILDS
                  if any(model in models for model in TRIED)]
        for n, model in enumerate(TRIED, 1):
            plain = [b for b in builds if b[0] and model in b[2]]
            compared, wrong = check(folder, source, model, rows, plain)
            print(f"{'not ok' if wrong else 'ok'} {n} - {model}: {compared} runs on the same path")
            for line in wrong[:10]:
                print("#", line)
    print(f"1..{len(TRIED)}")


main()
