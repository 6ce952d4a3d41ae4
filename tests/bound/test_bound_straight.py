#!/usr/bin/env python3
"""Random straight-line programs: the runtime of instrumented programs gives the same ends as the
library gives for the same expression: test_bound_straight.py ACCORD TOOLS. Speaks TAP."""

import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

import instrumented
from instrumented import trials

ACCORD, TOOLS = sys.argv[1:3]
NAMES = "abcdef"
LARGEST_FLOAT = 2.0**128 - 2.0**104
COUNT = 8 * max(1, int(trials.SCALE))
MODELS = ["contract", "contract-expr", "written", "excess", "contract,excess", "ftz",
          "contract,ftz", "paren", "perm", "contract,perm", "fast", "fast,ftz", "loop"]
FIXED = ["a*b + c*d", "-(a*b) + c*d", "t = a*b; t - c*d", "a*b/4 - c*d", "0.5*(a*b) + c",
         "-2*(a*b) + c*d", "-2*(a*b) + c", "c - a*b/-4",
         "t = a*b; t*-1024 - c", "t = a*b; u = t/-8; u - c*d", "t = a*b - c*d; u = t*e; -0.5*u + f",
         "t = a*b; u = 2*t; u - c*d", "t = a*b - c*d; t*t + a", "t = a*b - c*d; t/t", "pow(a,2) - b*c",
         "t = a*b - c*d; pow(t,2) - a", "fabs(a*b - c*d)*e - f", "sqrt(fabs(a*b - c*d)) + a*b",
         "t = a*b - c*d; sqrt(t)*a + b", "fmin(a*b, c*d) - fmax(a*b, e*f)", "fma(a*b - c, d, e*f)",
         "(float)(a*b) + c*d", "t = (a*b - c*d)/(e*f - a); t*b + c", "exp(a*b - c) - d*e",
         "sin(a*b - c*d) + cos(a)*b", "log(a*a + b*b) - atan(c)*d", "t = a*b - a*b; c/t + d*e",
         "t = a*b + (c - c); t - d*e", "t = (c - c)*d - a*b; u = t + 0*f; u + d*e",
         "t = a*(b - b); u = t/4; u - c*d", "t = (a - a)*b; 0.5*t - c*d",
         "s = fmin(fabs(c) + 1, 1); t = a*b; u = t*s; u - t",
         "s = -fmin(fabs(c) + 1, 1); t = a*b; u = s*t; u + t",
         "floor(a*b - c) + trunc(d)*e", "hypot(a*b - c, d) - atan2(a, b*c - d)", "tan(a)*cosh(b*c - d)"]


def number(draw, narrow):
    kind = draw.random()
    x = draw.choice([-1, 1]) * draw.uniform(1, 2) * 2.0 ** draw.randint(-1, 1)
    if kind < .1:
        x = draw.choice([0.0, 1.0, -1.0, 0.5, 3.0])
    elif kind < .17:
        x *= 2.0 ** draw.choice([-140, 120, -70, 63] if narrow else [-1040, 1020, -520, 510])
    elif kind < .19:
        x = draw.choice([math.inf, -math.inf])
    return struct.unpack("f", struct.pack("f", x))[0] if narrow else x


def factor(draw, depth):
    kind = draw.random()
    if kind < .65 or depth == 0:
        return draw.choice(NAMES)
    if kind < .75:
        return f"({expression(draw, depth - 1)})"
    if kind < .8:
        return f"fabs({expression(draw, depth - 1)})"
    if kind < .85:
        return f"sqrt({expression(draw, depth - 1)})"
    if kind < .9:
        return draw.choice(["2", "0.5", "0.25", "3", "4096"])
    if kind < .93:
        return f"fmin({expression(draw, depth - 1)}, {expression(draw, depth - 1)})"
    return f"{draw.choice(['exp', 'log', 'sin', 'tanh', 'atan'])}({expression(draw, depth - 1)})"


def product(draw, depth):
    text = factor(draw, depth)
    for _ in range(draw.choice([0, 1, 1, 2])):
        text += draw.choice(["*", "*", "*", "/"]) + factor(draw, depth)
    return draw.choice([text, text, f"({text})", f"-({text})"])


def expression(draw, depth=2):
    terms = [product(draw, depth) for _ in range(draw.choice([1, 2, 2, 3]))]
    return terms[0] + "".join(draw.choice([" + ", " - "]) + term for term in terms[1:])


def statements(draw):
    """Assignments of what may be used twice, and the result."""
    if draw.random() < .5:
        return expression(draw)
    first = expression(draw, 1)
    return f"t = {first}; " + draw.choice(["t*t - {}", "t*a + {}", "t - {}", "a*b - t*{}",
                                          "t/({})", "t + t*{}"]).format(product(draw, 1))


def source(narrow, texts, values):
    kind = "float" if narrow else "double"
    lines = ["#include <math.h>", "#include <stdio.h>"]
    for i, (text, row) in enumerate(zip(texts, values)):
        *before, last = text.split(";")
        body = "".join(f"{kind} {b.strip()};" for b in before) + f"{kind} result_ = {last};"
        for name in ("pow", "fabs", "sqrt", "fmin", "fmax", "fma", "exp", "log", "sin", "cos",
                     "tanh", "atan", "atan2", "floor", "trunc", "hypot", "tan", "cosh"):
            if narrow:
                body = body.replace(name + "(", name + "f(")
        if narrow:
            for constant in ("0.25", "0.5"):
                body = body.replace(constant, constant + "f")
        numbers = ", ".join("INFINITY" if x == math.inf else "-INFINITY" if x == -math.inf
                            else x.hex() for x in row)
        given = " ".join(f"{kind} {name} = v_[{i}];" for i, name in enumerate(NAMES))
        lines.append(f"static void f{i}(void) {{ volatile {kind} v_[] = {{{numbers}}}; {given} {body}"
                     ' printf("%a\\n", result_); }')
    calls = " ".join(f"f{i}();" for i in range(len(texts)))
    return "\n".join(lines + [f"int main(void) {{ {calls} return 0; }}\n"])


def bounds(text, form, model, row):
    names = [f"{name}={x.hex()}" for name, x in zip(NAMES, row)]
    found = subprocess.run([ACCORD, "bound", "--expr", text, "--format", form, "--model", model,
                            "--json", *names], capture_output=True, text=True)
    if found.returncode:
        raise RuntimeError(text + ": " + found.stderr)
    answer = json.loads(found.stdout)
    ends = [float.fromhex(answer[end]) if answer[end] is not None else math.nan
            for end in ("low", "high")]
    return (*ends, answer["may_be_nan"], answer["method"])


def near(end, outer):
    """Is an end that lies further out by roundings alone? A number next to infinity is, too."""
    if math.isinf(end):
        return outer == end or abs(outer) >= LARGEST_FLOAT
    return abs(outer - end) <= 1e-5 * abs(end) + 1e-44


def same(seen, wanted, text, model):
    low, high, nan, method = wanted
    if model == "loop":  # programs also allow what contract does
        return math.isnan(low) or (seen[1] <= low and high <= seen[2] and (seen[3] or not nan))
    if "(float)" in text or nan:
        # In f32 the cast is nothing to a compiler; a product that may be NaN is kept as an interval.
        wider = seen[3] == nan and seen[1] <= low and high <= seen[2]
        if wider and near(low, seen[1]) and near(high, seen[2]):
            return True
    if method == "sets":  # one number for all uses of a variable, which programs do not follow
        return seen[1] <= low and high <= seen[2] and (seen[3] or not nan)
    if method == "mass" and seen[1] < seen[2]:  # written parentheses and (float) add to those
        return low <= seen[1] and seen[2] <= high and seen[2] - seen[1] >= .4 * (high - low)
    if math.isnan(low):
        return math.isnan(seen[1]) and seen[3] == nan
    return (seen[1], seen[2], seen[3]) == (low, high, nan)


def report_of(narrow, model, texts, values, optimized=False):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "straight.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source(narrow, texts, values))
        program = instrumented.build(TOOLS, folder, [path], model, optimized=optimized)
        return instrumented.run(program)


def ends(narrow, model, texts, values, found):
    """Which ends are not those of the library."""
    ran, report = found
    if ran.returncode or len(report.outputs) != len(texts):
        return [f"status {ran.returncode}, {len(report.outputs)} outputs"]
    rows = zip(texts, values, report.outputs)
    compared = [(text, row, seen, bounds(text, "f32" if narrow else "f64", model, row))
                for text, row, seen in rows]
    return [f"{text} of {row}: {seen}, the library has {wanted}"
            for text, row, seen, wanted in compared if not same(seen, wanted, text, model)]


def inlined(narrow, model, text, row, seen):
    """Whether the ends are others where the runtime is inlined, as it is for users."""
    ran, report = report_of(narrow, model, [text], [row], optimized=True)
    if ran.returncode or len(report.outputs) != 1:
        return [f"optimized: status {ran.returncode}, {len(report.outputs)} outputs"]
    other = report.outputs[0]
    differ = [str(x) for x in other[1:4]] != [str(x) for x in seen[1:4]]
    return [f"{text} of {row}: {other}, not {seen} as without optimization"] if differ else []


def main():
    print(f"# ACCORD_TEST_SEED={trials.SEED}")
    if not instrumented.clang() or not os.path.exists(os.path.join(TOOLS, "accord-instrument")):
        print("1..0 # SKIP bounds of programs were not built: clang and libLLVM 14 are needed")
        return
    tests = trials.of_table([(narrow, model) for narrow in (False, True) for model in MODELS])
    for number_of, (narrow, model) in enumerate(tests, 1):
        draw = random.Random(f"{trials.SEED} {narrow} {model}")
        texts = FIXED + [statements(draw) for _ in range(COUNT)]
        values = [[number(draw, narrow) for _ in NAMES] for _ in texts]
        found = report_of(narrow, model, texts, values)
        wrong = ends(narrow, model, texts, values, found)
        if number_of % 2 != narrow and not wrong:  # each model in one format, since it takes a while
            i = draw.randrange(len(texts))
            wrong = inlined(narrow, model, texts[i], values[i], found[1].outputs[i])
        print(f"{'not ok' if wrong else 'ok'} {number_of} - {'f32' if narrow else 'f64'}, "
              f"{model}: the ends of {len(texts)} expressions")
        for line in wrong[:20]:
            print("#", line)
    print(f"1..{len(tests)}")


main()
