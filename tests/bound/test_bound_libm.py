#!/usr/bin/env python3
"""Functions of libm and of complex numbers in programs with bounds: test_bound_libm.py TOOLS. Speaks
TAP.

Their arguments are sums of three products that are nearly cancelled, so that fusing each of them or
not gives eight numbers that lie far apart. The results for all of them must lie inside the bounds.
frexp and modf also give integers: bounds hold for the evaluations with the same one."""

import collections
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

import instrumented

TOOLS = sys.argv[1]
ROWS = 120 * max(1, int(float(os.environ.get("ACCORD_TEST_SCALE", "1"))))
# name, what is computed of sums t and u and of numbers y and z; I: an integer that must be the same
FUNCTIONS = [("fmod", "fmodF(t, y)"), ("fmod of the divisor", "fmodF(y, t)"),
             ("remainder", "remainderF(t, y)"), ("remainder of the divisor", "remainderF(y, t)"),
             ("copysign", "copysignF(y, t)"), ("copysign of the size", "copysignF(t, y)"),
             ("fdim", "fdimF(t, y)"), ("fdim of both", "fdimF(u, t)"), ("ldexp", "ldexpF(t, 3)"),
             ("scalbn to subnormal numbers", "scalbnF(t, SMALL)"), ("frexp", "frexpF(t, &e)"),
             ("modf", "modfF(t, &whole)"), ("modf of small numbers", "modfF(t / 8, &whole)"),
             ("quotient, real part", "crealF((t + u * I) / (y + z * I))"),
             ("quotient, imaginary part", "cimagF((t + u * I) / (y + z * I))"),
             ("quotient by sums", "crealF((y + z * I) / (t + u * I))"),
             ("quotient by sums, imaginary", "cimagF((y + z * I) / (t + u * I))"),
             ("quotient of numbers", "crealF((r[0] + r[3] * I) / (r[4] + r[1] * I))"),
             ("product", "crealF((t + u * I) * (y + z * I))"),
             ("sincos", "({ T s, c; sincosF(t, &s, &c); s + 2 * c; })"),
             ("projection", "cimagF(cprojF(t + u * I))")]
# Elementary functions, which are compared with those of long double as well.
ELEMENTARY = [("acosh", "acoshF(1 + t * t)"), ("atanh", "atanhF(t / ((T)fabsF(t) + 1) / 2)"),
              ("erfc", "erfcF(t)"), ("erf", "erfF(t)"), ("exp10", "exp10F(t / 8)"),
              ("lgamma", "lgammaF((T)fabsF(t) + (T).5)"), ("tgamma", "tgammaF((T)fabsF(t / 8) + (T).5)"),
              ("sinh", "sinhF(t)"), ("cbrt", "cbrtF(t)"), ("log10", "log10F((T)fabsF(t) + 1)"),
              ("argument", "cargF(t + u * I)"), ("argument, negative", "cargF(-(T)fabsF(t) + u * I)"),
              ("complex exp", "crealF(cexpF(t / 4 + u * I))"),
              ("complex exp, imaginary", "cimagF(cexpF(t / 4 + u * I))"),
              ("complex log", "crealF(clogF(t + u * I))"),
              ("complex log near 1", "crealF(clogF(1 + u * (T)1e-3 + t * (T)1e-2 * I))"),
              ("complex log, imaginary", "cimagF(clogF(t + u * I))"),
              ("complex sqrt", "crealF(csqrtF(t + u * I))"),
              ("complex sqrt, imaginary", "cimagF(csqrtF(t + u * I))"),
              ("complex sqrt beside the cut", "cimagF(csqrtF(-(T)fabsF(y) + t * (T)1e-9 * I))"),
              ("complex sqrt of real numbers", "cimagF(csqrtF(-(T)fabsF(t)))"),
              ("complex pow", "crealF(cpowF(t + u * I, 3))"),
              ("complex pow of numbers", "cimagF(cpowF(y + z * I, t + I))"),
              ("complex pow of negative numbers", "crealF(cpowF(-(T)fabsF(t), 2))"),
              ("complex sin", "crealF(csinF(t / 4 + u / 4 * I))"),
              ("complex cos", "cimagF(ccosF(t / 4 + u / 4 * I))"),
              ("complex sinh", "cimagF(csinhF(t / 4 + u / 4 * I))"),
              ("complex cosh", "crealF(ccoshF(t / 4 + u / 4 * I))")]
HEAD = """
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <stdio.h>
static T in[][11] = {
#include "rows.h"
};
enum { ROWS = sizeof in / sizeof in[0] };
#ifdef WAYS
static T one(T a, T b, T c, int fused) { return fused ? fmaF(a, b, c) : a * b + c; }
#else
#define WAYS 1
#define one(a, b, c, fused) ((a) * (b) + (c))
#endif
static T sum(const T *r, int way)
{
    T p = one(r[0], r[1], r[2], way & 1);
    T q = one(r[3], r[4], r[5], way & 2);
    T s = one(r[6], r[7], r[8], way & 4);
    return p + q + s;
}
"""
# One for each function, of all rows.
LOOP = """
static void loop_NUMBER(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int way = 0; way < WAYS; way++) {
            volatile T *free = in[i];
            int e = 0;
            T r[11], whole = 0;
            for (int k = 0; k < 11; k++)
                r[k] = free[k];
            T t = sum(r, way), u = t * (T).5 - r[9], y = r[9], z = r[10];
            T f = FUNCTION;
            if (WAYS == 1)
                printf("%a\\n", (double)f);
            else
                printf("%d %a %d %a\\n", NUMBER * ROWS + i, (double)f, e, (double)whole);
        }
}
"""


def rounded(x, narrow):
    return struct.unpack("f", struct.pack("f", x))[0] if narrow else x


def row(draw, narrow):
    """Three products of about 2^54 (2^25) that are cancelled up to a rounding, then two numbers."""
    size = 12 if narrow else 27
    out, scale = [], 2.0 ** draw.choice([-2, 0, 0, 1, 4])
    for _ in range(3):
        a = rounded(draw.choice([-1, 1]) * draw.uniform(1, 2) * 2.0 ** size * scale, narrow)
        b = rounded(draw.uniform(1, 2) * 2.0 ** size, narrow)
        c = -rounded(a * b, narrow) if draw.random() < .7 else rounded(draw.uniform(-3, 3), narrow)
        out += [a, b, c] if draw.random() < .8 else [rounded(draw.uniform(-3, 3), narrow), 1.0, 0.0]
    return out + [rounded(draw.choice([-1, 1]) * draw.uniform(.2, 9), narrow) for _ in range(2)]


def write_rows(folder, draw, narrow):
    with open(os.path.join(folder, "rows.h"), "w", encoding="utf-8") as file:
        for _ in range(ROWS):
            file.write("{" + ", ".join(x.hex() for x in row(draw, narrow)) + "},\n")


def source(folder, functions, narrow, wide=False):
    """A program of all functions; wide: those of long double."""
    path = os.path.join(folder, "libm.c")
    text = HEAD.replace("F(", "f(" if narrow else "(")
    for i, (_, function) in enumerate(functions):
        code = function.replace("F(", "l(" if wide else "f(" if narrow else "(")
        text += LOOP.replace("NUMBER", str(i)).replace("FUNCTION", code)
    calls = " ".join(f"loop_{i}();" for i in range(len(functions)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + f"int main(void) {{ {calls} return 0; }}\n")
    return path


def flags_of(narrow):
    return [f"-DT={'float' if narrow else 'double'}", f"-DSMALL={-128 if narrow else -1030}", "-w"]


def evaluations(folder, compiler, path, narrow):
    """Of each function and row, the results of all ways: (value, the integers that come with it)."""
    program = os.path.join(folder, "plain")
    subprocess.run([compiler, "-O1", "-ffp-contract=off", "-DWAYS=8", *flags_of(narrow), path, "-lm",
                    "-o", program], check=True)
    out = collections.defaultdict(list)
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        i, value, *integers = line.split()
        out[divmod(int(i), ROWS)].append((float.fromhex(value), integers))
    return out


def outside(output, ways, same_integers):
    _, low, high, nan, lost = output
    if lost is not None:
        return "unknown"
    for value, integers in ways:
        if same_integers and integers != ways[0][1]:
            continue
        if not (nan if math.isnan(value) else low <= value <= high):
            return f"{value.hex()} is outside [{low.hex()}, {high.hex()}]"
    return None


class Kind:
    """All functions in one format: their bounds, and what compilers make of them."""

    def __init__(self, folder, draw, narrow):
        functions = FUNCTIONS + ELEMENTARY
        write_rows(folder, draw, narrow)
        path = source(folder, functions, narrow)
        program = instrumented.build(TOOLS, folder, [path], flags=flags_of(narrow))
        self.outputs = instrumented.run(program)[1].outputs
        assert len(self.outputs) == ROWS * len(functions), f"{len(self.outputs)} outputs"
        self.made = {compiler: evaluations(folder, compiler, path, narrow)
                     for compiler in ("gcc", instrumented.clang())}
        wide = evaluations(folder, "gcc", source(folder, ELEMENTARY, narrow, True), narrow)
        self.made["long double"] = {(len(FUNCTIONS) + k, i): ways for (k, i), ways in wide.items()}

    def check(self, k, function):
        """What is wrong with function k; None."""
        same_integers = "frexp" in function or "modf" in function
        outputs = self.outputs[k * ROWS:(k + 1) * ROWS]
        for compiler, ways in self.made.items():
            for i, output in enumerate(outputs):
                if compiler == "long double" and k < len(FUNCTIONS):
                    continue
                problem = outside(output, ways[k, i], same_integers)
                if problem:
                    return f"{compiler}, row {i}: {problem}"
        finite = sum(math.isfinite(o[1]) and math.isfinite(o[2]) for o in outputs)
        return None if finite > ROWS / 4 else f"only {finite} results have finite bounds"


def main():
    number = 0
    if not os.path.exists(os.path.join(TOOLS, "accord-instrument")) or not instrumented.clang():
        print("1..0 # SKIP needs the instrumenter and clang 14")
        return
    draw = random.Random(int(os.environ.get("ACCORD_TEST_SEED", "0")) or None)
    for narrow in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            kind = Kind(folder, draw, narrow)
        for k, (name, function) in enumerate(FUNCTIONS + ELEMENTARY):
            number += 1
            problem = kind.check(k, function)
            words = f"{number} - {name}, {'f32' if narrow else 'f64'}"
            print(f"not ok {words}\n# {problem}" if problem else f"ok {words}", flush=True)
    print(f"1..{number}")


main()
