#!/usr/bin/env python3
"""What compilers make of programs when they may reorder sums and products lies within the bounds
of the model for it, and not within those of a narrower one: test_bound_reorder.py TOOLS. Speaks
TAP."""

import math
import os
import platform
import random
import subprocess
import sys
import tempfile

import instrumented
from instrumented import trials

TOOLS = sys.argv[1]
HEAD = "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n"
# Reductions and what else -ffast-math rewrites. x and y have 1000 elements, n is 1000.
KERNELS = {
    "sum": "T s = 0; for (int i = 0; i < n; i++) s += x[i]; return s;",
    "dot": "T s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s;",
    "moment": "T m = 0, v = 0; for (int i = 0; i < n; i++) m += x[i]; m /= n;"
              " for (int i = 0; i < n; i++) v += (x[i] - m) * (x[i] - m); return v / n;",
    "horner": "T p = 0; for (int i = 0; i < 12; i++) p = p * y[0] + x[i]; return p;",
    "norm": "T s = 0; for (int i = 0; i < n; i++) s += x[i] / sqrt(y[i]); return s / sqrt(y[1]);",
    "factored": "T s = 0; for (int i = 0; i < n; i++) s += x[i] * y[7] + y[i] * y[7]; return s;",
    "blocks": "T a = 0, b = 0; for (int i = 0; i < n; i += 2) { a += x[i]; b += x[i + 1] * y[3]; }"
              " return a + b - x[0];",
    "product": "T p = 1; for (int i = 0; i < 30; i++) p *= y[i]; return p;",
    "chain": "T t = x[0] * y[0]; T u = t + x[1]; T w = u - t; return w * y[1] / y[2] * y[2];",
    "distance": "T s = 0; for (int i = 0; i < n; i++) { T d = x[i] - y[i]; T r = 1 / (d * d + y[i]);"
                " s += r * r * r * (x[i] * r - 2); } return s;",
    "matrix": "T s = 0; T c[16] = {0}; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)"
              " for (int k = 0; k < 9; k++) c[4 * i + j] += x[9 * i + k] * y[4 * k + j];"
              " for (int i = 0; i < 16; i++) s += c[i] * x[i]; return s;",
    "stencil": "T a[34] = {0}, b[34] = {0}; for (int i = 0; i < 34; i++) a[i] = x[i];"
               " for (int t = 0; t < 6; t++) { for (int i = 1; i < 33; i++)"
               " b[i] = y[0] * (a[i - 1] + a[i + 1]) + y[1] * a[i]; memcpy(a, b, sizeof a); }"
               " return a[5] + a[20];",
}
# The flags of each model, and the narrower model that some of the builds must leave.
FAST = [["-O3", "-ffast-math"], ["-O3", "-ffast-math", "-mfma"],
        ["-O3", "-ffast-math", "-march=native"], ["-Ofast", "-mavx2", "-mfma"]]

PERM = [["-O2", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-fprotect-parens",
         "-fno-math-errno", *more] for more in ([], ["-mfma"], ["-O3", "-mfma"], ["-march=native"])]
NAMES = "abcdefghijklmnop"


def has_fma():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return " fma " in lines.read() and platform.machine() == "x86_64"
    except OSError:
        return False


def program(narrow, seed):
    """All kernels, each with data of its own."""
    draw = random.Random(f"{seed} {narrow}")
    kind = "float" if narrow else "double"
    text = HEAD + f"typedef {kind} T;\nstatic volatile T from[2000];\nstatic volatile int size = 1000;\n"
    if narrow:
        text = text.replace("#include <stdio.h>", "#include <stdio.h>\n#define sqrt sqrtf")
    calls = ""
    for name, body in KERNELS.items():
        text += (f"__attribute__((noinline)) static T {name}(const T *x, const T *y, int n)"
                 f" {{ (void)n; {body} }}\n")
        calls += (f"fill({draw.randint(1, 10**6)}, {draw.choice(['.5', '.0'])}); "
                  f'printf("%a\\n", (double){name}(x, y, size));\n')
    return text + ("""
static T x[1000], y[1000];
static void fill(unsigned seed, double middle)
{
    for (int i = 0; i < 2000; i++) {
        seed = seed * 1664525u + 1013904223u;
        from[i] = (T)(((double)(seed >> 8) * 0x1p-24 - (i < 1000 ? middle : -.5)) * 3);
    }
    for (int i = 0; i < 1000; i++) {
        x[i] = from[i];
        y[i] = from[1000 + i];
    }
}
int main(void)
{
""" + calls + "return 0;\n}\n")


def product(draw, names, depth):
    factors = []
    for _ in range(draw.choice([1, 1, 2, 2, 3, 4])):
        if len(names) < 2:
            break
        inner = depth and draw.random() < .15
        factors.append(f"({total(draw, names, depth - 1)})" if inner else names.pop())
    text = "*".join(factors) or names.pop()
    return draw.choice([text, text, text, f"({text})"])


def total(draw, names, depth=2):
    """A sum of products in which each name stands once."""
    text = product(draw, names, depth)
    while len(names) > 2 and draw.random() < .8:
        text += draw.choice([" + ", " - "]) + product(draw, names, depth)
    return text


def expressions(narrow, seed, count=60):
    """A program of functions of one expression each."""
    draw = random.Random(f"{seed} {narrow} perm")
    kind = "float" if narrow else "double"
    text, calls, all_texts = HEAD, "", []
    for i in range(count):
        names = list(NAMES)
        draw.shuffle(names)
        one = total(draw, names)
        all_texts.append(one)
        values = ", ".join(f"{draw.choice([-1, 1]) * draw.uniform(.5, 2) * 2.0 ** draw.randint(-2, 2)!r}"
                           for _ in NAMES)
        given = " ".join(f"{kind} {name} = v[{k}]; (void){name};" for k, name in enumerate(NAMES))
        text += (f"__attribute__((noinline)) static {kind} f{i}(void) {{ volatile {kind} v[] = "
                 f"{{{values}}}; {given} return {one}; }}\n")
        calls += f'printf("%a\\n", (double)f{i}()); '
    return text + f"int main(void) {{ {calls} return 0; }}\n", all_texts


def results(folder, source, words):
    built = os.path.join(folder, "plain")
    made = subprocess.run([*words, source, "-o", built, "-lm"], capture_output=True)
    if made.returncode:
        return None
    ran = subprocess.run([built], capture_output=True, text=True, timeout=60)
    return None if ran.returncode else [float.fromhex(line) for line in ran.stdout.split()]


def bounds(folder, source, model, options=()):
    built = instrumented.build(TOOLS, folder, [source], model, options=options)
    ran, report = instrumented.run(built)
    assert ran.returncode == 0, ran.stderr
    return report.outputs


def outside(values, known):
    return [i for i, (x, (_, low, high, _, _)) in enumerate(zip(values, known))
            if not low <= x <= high]


def builds(sets):
    for compiler in instrumented.compilers():
        for flags in sets:
            if compiler == "gcc" and "-fprotect-parens" in flags:
                continue  # gcc has it for Fortran only
            if has_fma() or "-mfma" not in flags:
                yield [compiler, *flags]


def check(folder, source, names, sets, model, narrower):
    """What is wrong; None."""
    wide, narrow = bounds(folder, source, model), bounds(folder, source, narrower)
    if not all(math.isfinite(o[1]) and math.isfinite(o[2]) and o[4] is None for o in wide):
        return "bounds are infinite or lost: " + ", ".join(
            names[i] for i, o in enumerate(wide) if not math.isfinite(o[2] - o[1]))
    escaped = set()
    for words in builds(sets):
        values = results(folder, source, words)
        if values is None:
            continue
        assert len(values) == len(wide)
        wrong = outside(values, wide)
        if wrong:
            i = wrong[0]
            return (f"{' '.join(words)}: {names[i]} is {values[i]}, not in "
                    f"[{wide[i][1]}, {wide[i][2]}]")
        escaped |= set(outside(values, narrow))
    print(f"# outside {narrower}: {len(escaped)} of {len(names)}: "
          f"{', '.join(names[i] for i in sorted(escaped)[:12])}")
    return None if escaped else f"no build leaves {narrower}: this test shows nothing"


def fast(narrow, seed):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "kernels.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program(narrow, seed))
        return check(folder, source, list(KERNELS), FAST, "fast", "contract")


def perm(narrow, seed):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "expressions.c")
        text, names = expressions(narrow, seed)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        return check(folder, source, names, PERM, "perm", "contract")


def tape(narrow, seed):
    """What a tape adds to the program changes no bounds."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "expressions.c")
        text, names = expressions(narrow, seed, 6)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        models = ("contract", "paren", "fast", "perm")
        for model in models if trials.SCALE > 1 else models[narrow::2]:
            plain, taped = bounds(folder, source, model), bounds(folder, source, model, ["--tape"])
            for name, a, b in zip(names, plain, taped, strict=True):
                if a != b:
                    return f"{model}: {name} has the bounds {a}, and with a tape {b}"
    return None


def main():
    print(f"# ACCORD_TEST_SEED={trials.SEED}")
    if not instrumented.clang() or not os.path.exists(os.path.join(TOOLS, "accord-instrument")):
        print("1..0 # SKIP bounds of programs were not built: clang and libLLVM 14 are needed")
        return
    tests = [(f"-ffast-math within fast, {'f32' if narrow else 'f64'}", fast, narrow)
             for narrow in (False, True)]
    tests += [(f"-fassociative-math -fprotect-parens within perm, {'f32' if narrow else 'f64'}", perm,
               narrow) for narrow in (False, True)]
    tests += [(f"the same bounds with a tape, {'f32' if narrow else 'f64'}", tape, narrow)
              for narrow in (False, True)]
    if trials.SCALE < 1:  # each way in one of the formats
        tests = tests[trials.SEED % 2::2]
    for number, (name, test, argument) in enumerate(tests, 1):
        wrong = test(argument, trials.SEED)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
        if wrong:
            print("#", wrong)
    print(f"1..{len(tests)}")


main()
