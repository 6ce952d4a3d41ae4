#!/usr/bin/env python3
"""Sums under the model loop, in programs: what compilers make of reductions, and other orders, lie
within the bounds: test_bound_loop.py TOOLS. Speaks TAP."""

import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

import instrumented

TOOLS = sys.argv[1]
# Each statement prints one number. x and y have N elements.
REDUCTIONS = """#include <stdio.h>
#include <string.h>
enum { N = 1000 };
static volatile T from[2 * N];
static T x[N], y[N], c[16][16];
static struct { int n; T s, part[3]; } g;
static T add(T s, T t) { return s + t; }
static T *where(T *p) { return p; }
static void show(T s) { printf("%a\\n", (double)s); }
int main(void)
{
    unsigned seed = SEED;
    for (int i = 0; i < 2 * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        from[i] = (T)(((double)(seed >> 8) * 0x1p-24 - (i < N ? .3 : -.5)) * 3);
    }
    for (int i = 0; i < N; i++)
        x[i] = from[i], y[i] = from[N + i];
    T s = 0;
    for (int i = 0; i < N; i++)
        s += x[i];
    show(s);
    s = 0;
    for (int i = 0; i < N; i++)
        s += x[i] * y[i];
    show(s);
    s = y[3]; /* does not begin with 0 */
    for (int i = 0; i < N; i++)
        s -= x[i];
    show(s);
    for (int i = 0; i < N; i++) { /* members of a struct */
        g.s += x[i] * y[i];
        g.part[i % 3] -= y[i];
    }
    show(g.s);
    show(g.part[1]);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            for (int k = 0; k < 16; k++)
                c[i][j] += x[16 * i + k] * y[16 * k + j];
    show(c[3][4]);
    s = 0; /* sums of sums */
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            s += c[i][j];
    show(s);
    T even = 0, odd = 0;
    for (int i = 0; i < N; i += 2)
        even += x[i], odd += x[i + 1];
    show(even + odd);
    s = 0; /* through calls and memory */
    for (int i = 0; i < N; i++)
        s = add(s, x[i] * x[i]);
    show(s);
    T m[4] = {0}, moved[4];
    for (int i = 0; i < N; i++)
        *where(&m[i % 4]) += x[i];
    memcpy(moved, m, sizeof m);
    show(moved[0] + moved[1] + (moved[2] - moved[3]));
    T count = 0; /* exact in every order */
    for (int i = 0; i < 100; i++)
        count += 1;
    show(count);
    return count == 100 ? 0 : 1;
}
"""
FLAGS = [["-O2"], ["-O3", "-mfma"], ["-O3", "-ffast-math"], ["-O3", "-ffast-math", "-mavx2", "-mfma"]]
TERMS = 40


def has_fma():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            text = lines.read()
            return " fma " in text and " avx2 " in text
    except OSError:
        return False


def bounds(folder, source, model, flags=()):
    ran, report = instrumented.run(instrumented.build(TOOLS, folder, [source], model, flags))
    assert ran.returncode == 0, ran.stderr
    return report


def write(folder, text):
    path = os.path.join(folder, "sums.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def outside(values, report):
    return [i for i, (x, known) in enumerate(zip(values, report.outputs))
            if not known[1] <= x <= known[2]]


def compilers(narrow, seed):
    given = [f"-DT={'float' if narrow else 'double'}", f"-DSEED={seed}u"]
    escaped = set()
    with tempfile.TemporaryDirectory() as folder:
        source = write(folder, REDUCTIONS)
        wide = bounds(folder, source, "loop", given)
        slim = bounds(folder, source, "contract", given)
        if wide.of("decision") or wide.outputs[-1][1:3] != (100, 100):
            return f"counting to 100 is not exact: {wide.outputs[-1]}"
        for compiler in instrumented.compilers():
            for flags in FLAGS:
                if "-mfma" in flags and not has_fma():
                    continue
                built = os.path.join(folder, "plain")
                subprocess.run([compiler, *flags, *given, source, "-o", built], check=True)
                ran = subprocess.run([built], capture_output=True, text=True, check=True)
                values = [float.fromhex(line) for line in ran.stdout.split()]
                assert len(values) == len(wide.outputs)
                wrong = outside(values, wide)
                if wrong:
                    return (f"{compiler} {' '.join(flags)}: number {wrong[0]} is {values[wrong[0]]}, "
                            f"not in {wide.outputs[wrong[0]][1:3]}")
                escaped |= set(outside(values, slim))
    print(f"# outside contract: {len(escaped)} of {len(wide.outputs)}")
    return None if escaped else "no build leaves contract: this test shows nothing"


# ---- orders that no compiler takes ----

def rounded(x):
    return float(x) if abs(x) < Fraction(2) ** 1024 else float("inf")


def value(term):
    return rounded(Fraction(term[0]) * Fraction(term[1])) if len(term) == 2 else term[0]


def added(a, b, fuse):
    """Terms are (x,) or products (x, y)."""
    if fuse and len(a) == 2:
        return (rounded(Fraction(a[0]) * Fraction(a[1]) + Fraction(value(b))),)
    return (value(a) + value(b),)


def any_tree(draw, terms):
    terms = list(terms)
    while len(terms) > 1:
        a, b = terms.pop(draw.randrange(len(terms))), terms.pop(draw.randrange(len(terms)))
        terms.append(added(a, b, draw.random() < .5))
    return value(terms[0])


def worst_chain(terms, sign):
    """From the largest down, each time the term whose addition errs most in one direction."""
    left = sorted(terms, key=lambda t: -abs(value(t)))
    total = left.pop(0)
    while left:
        def error(k):
            return sign * (Fraction(added(left[k], total, False)[0]) - Fraction(value(total))
                           - Fraction(value(left[k])))
        total = added(left.pop(max(range(len(left)), key=error)), total, False)
    return value(total)


def some_terms(draw):
    kind = draw.randrange(4)
    spread = draw.choice([0, 3, 60])
    terms = []
    for _ in range(draw.choice([3, 3, 5, TERMS])):
        x = draw.uniform(.5, 1) * 2.0 ** draw.randint(-spread, spread)
        x *= draw.choice([1, -1]) if kind & 1 else 1
        terms.append((x, draw.uniform(.5, 1)) if kind & 2 and draw.random() < .5 else (x,))
    if kind & 1:
        terms[-1] = (-sum(value(t) for t in terms[:-1]),)  # cancels
    return terms


def orders(_, seed):
    draw = random.Random(seed)
    sums = [some_terms(draw) for _ in range(120)]
    rows = ",\n".join("{" + ", ".join(f"{{{t[0].hex()}, {(t[1] if len(t) == 2 else 1.0).hex()}, {len(t)}}}"
                                      for t in terms) + "}" for terms in sums)  # the rest is 0
    text = (f"#include <stdio.h>\nstatic const volatile double t[][{TERMS}][3] = {{{rows}}};\n"
            f"int main(void) {{ for (int i = 0; i < {len(sums)}; i++) {{ double s = 0;\n"
            f"for (int k = 0; k < {TERMS}; k++) {{ double a = t[i][k][0];\n"
            "if (t[i][k][2] == 2) s += a * t[i][k][1]; else s += a; }\n"
            'printf("%a\\n", s); } return 0; }\n')
    nearest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        report = bounds(folder, write(folder, text), "loop")
    for terms, (seen, low, high, _, _) in zip(sums, report.outputs):
        tried = [any_tree(draw, terms) for _ in range(100)]
        tried += [worst_chain(terms, 1), worst_chain(terms, -1)]
        for x in tried:
            if not low <= x <= high:
                return f"{x} is not in [{low}, {high}], the sum of {terms} is {seen}"
        if high > low and len(terms) == TERMS:
            nearest = max(nearest, (max(tried) - min(tried)) / (high - low))
        size = sum(abs(value(t)) for t in terms)
        if high - low > 2.2 * (len(terms) + 1) * 2.0 ** -53 * size:
            return f"[{low}, {high}] is wider than n u times the sizes of the terms"
    print(f"# the orders that were tried reach {nearest:.2f} of the width")
    return None if nearest > .25 else "no order comes near the bounds: this test shows little"


def refused(_, seed):
    for models, says in (("fast-expand", "choose fast"), ("loop,paren", "cannot be combined"),
                         ("perm,loop", "cannot be combined"), ("lop", "choose from")):
        ran = subprocess.run([os.path.join(TOOLS, "accord-instrument"), "x.bc", "-o", "x.o",
                              "--runtime", "y.bc", "--model", models], capture_output=True, text=True)
        if ran.returncode == 0 or says not in ran.stderr or ran.stderr.count("\n") != 1:
            return f"{models}: {ran.stderr}"
    return None


def main():
    seed = int(os.environ.get("ACCORD_TEST_SEED", "1"))
    print(f"# ACCORD_TEST_SEED={seed}")
    if not instrumented.clang() or not os.path.exists(os.path.join(TOOLS, "accord-instrument")):
        print("1..0 # SKIP bounds of programs were not built: clang and libLLVM 14 are needed")
        return
    tests = [("what compilers make of reductions, f64", compilers, False),
             ("what compilers make of reductions, f32", compilers, True),
             ("sums in other orders", orders, None),
             ("models that programs do not have", refused, None)]
    for number, (name, test, argument) in enumerate(tests, 1):
        wrong = test(argument, seed)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
        if wrong:
            print("#", wrong)
    print(f"1..{len(tests)}")


main()
