#!/usr/bin/env python3
"""What the compilers of this machine make of expressions lies within the bounds of the model that
their flags name: test_bound_compilers.py ACCORD. Speaks TAP."""

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

ACCORD = sys.argv[1]
NAMES = "abcdefgh"
COUNT = 40
# What stands in every run: products that pass a negation, a variable, a division, a power.
FIXED = ["a*b + c*d", "-(a*b) + c*d", "t = a*b; t - c*d", "a*b/4 - c*d", "pow(a,2) - b*c",
         "fabs(a*b) - c*d", "(a - b)*c + d*e", "a*b*c - d*e*f"]
BUILDS = [("gcc", "-O2", "contract"), ("gcc", "-O2 -std=c11", "written"), ("gcc", "-O0", "contract"),
          ("gcc", "-O3 -ffast-math", "fast"), ("clang", "-O2", "contract"),
          ("clang", "-O2 -ffp-contract=on", "contract-expr"),
          ("clang", "-O2 -ffp-contract=fast", "contract"),
          ("clang", "-O2 -ffp-contract=off", "written"), ("clang", "-O3 -ffast-math", "fast")]


def product(draw):
    factors = "*".join(draw.choice(NAMES) for _ in range(draw.choice([1, 2, 2, 3])))
    return draw.choice([factors, factors, f"({factors})", f"{factors}/2", f"-({factors})"])


def expression(draw):
    terms = [product(draw) for _ in range(draw.choice([2, 3, 4]))]
    return terms[0] + "".join(draw.choice([" + ", " - "]) + term for term in terms[1:])


def number(draw):
    x = draw.choice([-1, 1]) * draw.uniform(1, 2) * 2.0 ** draw.randint(-1, 1)
    return struct.unpack("f", struct.pack("f", x))[0]


def source(kind, expressions, values):
    lines = ["#include <math.h>", "#include <stdio.h>"]
    arguments = ", ".join(f"{kind} {name}" for name in NAMES)
    for i, text in enumerate(expressions):
        *before, last = text.split(";")
        body = "".join(f"{kind} {b};" for b in before) + f"return {last};"
        if kind == "float":
            body = body.replace("pow(", "powf(").replace("fabs(", "fabsf(")
        lines.append(f"__attribute__((noinline)) {kind} f{i}({arguments}) {{ {body} }}")
    lines.append("int main(void) {")
    for i, row in enumerate(values):
        numbers = ", ".join(x.hex() for x in row)
        given = ", ".join(f"v[{k}]" for k in range(len(NAMES)))
        lines.append(f"{{ volatile {kind} v[] = {{{numbers}}};"
                     f' printf("%a\\n", (double)f{i}({given})); }}')
    return "\n".join(lines + ["}\n"])


def bounds(text, form, model, row):
    names = [f"{name}={x.hex()}" for name, x in zip(NAMES, row)]
    found = subprocess.run([ACCORD, "bound", "--expr", text, "--format", form, "--model", model,
                            "--json", *names], check=True, capture_output=True, text=True)
    answer = json.loads(found.stdout)
    return float.fromhex(answer["low"]), float.fromhex(answer["high"])


def results(folder, compiler, flags):
    """The numbers that the program prints; None where it cannot be built or run here."""
    program = os.path.join(folder, "program")
    built = subprocess.run([compiler, *flags.split(), os.path.join(folder, "program.c"), "-o",
                            program, "-lm"], capture_output=True)
    if built.returncode:
        return None
    ran = subprocess.run([program], capture_output=True, text=True)
    return None if ran.returncode else [float.fromhex(x) for x in ran.stdout.split()]


def main():
    seed = int(os.environ.get("ACCORD_TEST_SEED", "1"))
    draw = random.Random(seed)
    print(f"# ACCORD_TEST_SEED={seed}")
    fuses = "fma" in open("/proc/cpuinfo").read().split() if os.path.exists("/proc/cpuinfo") else False
    expressions = FIXED + [expression(draw) for _ in range(COUNT)]
    values = [[number(draw) for _ in NAMES] for _ in expressions]
    number_of, known = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, form in (("float", "f32"), ("double", "f64")):
            with open(os.path.join(folder, "program.c"), "w") as file:
                file.write(source(kind, expressions, values))
            for compiler, flags, model in BUILDS:
                number_of += 1
                name = f"{compiler} {flags}, {kind}, within {model}"
                flags += " -mfma" if fuses else ""
                seen = results(folder, compiler, flags) if shutil.which(compiler) else None
                if seen is None:
                    print(f"ok {number_of} - {name} # SKIP it cannot be built here")
                    continue
                outside = []
                for i, x in enumerate(seen):
                    key = (i, form, model)
                    if key not in known:
                        known[key] = bounds(expressions[i], form, model, values[i])
                    low, high = known[key]
                    if not low <= x <= high:
                        outside.append(f"{expressions[i]} of {values[i]} is {x.hex()}, not in "
                                       f"[{low.hex()}, {high.hex()}]")
                print(f"{'not ok' if outside else 'ok'} {number_of} - {name}")
                for line in outside:
                    print("#", line)
    print(f"1..{number_of}")


main()
