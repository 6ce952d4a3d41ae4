#!/usr/bin/env python3
"""First-order spreads: against sums that are worked out here with rational numbers, through all the
ways that numbers take, and in segments: test_bound_tape.py TOOLS. Speaks TAP."""

import cmath
import glob
import math
import os
import subprocess
import sys
from fractions import Fraction

import instrumented

TOOLS = sys.argv[1]
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


def fused(x, y, c):
    """x * y + c, rounded once."""
    return float(Fraction(x) * Fraction(y) + Fraction(c))


A, B, C, D, E = 1.1, 3.3, 2.475, 0.7, 5.3
S = A * B - C * D
# What a * b - c * d can be moved by: either product enters unrounded.
SPREAD = max(abs(fused(A, B, -(C * D)) - S), abs(fused(-C, D, A * B) - S))
assert SPREAD > 0
START = f"volatile double a = {A}, b = {B}, c = {C}, d = {D}, e = {E};"

# Expressions of s = a * b - c * d, and how fast they change with it. Functions may err by a unit.
VALUES = [
    ("s", 1, 0), ("-s", -1, 0), ("s * e", E, 0), ("s / e", 1 / E, 0), ("e / s", -E / S / S, 0),
    ("s + s", 2, 0), ("s - s", 0, 0), ("s * s", 2 * S, 0), ("4 * s", 4, 0), ("s / 8", 1 / 8, 0),
    ("b - s * e", -E, abs(fused(-S, E, B) - (B - S * E))),
    ("s * e - b", E, abs(fused(S, E, -B) - (S * E - B))),
    ("s * e + a * b", E, max(abs(fused(S, E, A * B) - (S * E + A * B)),
                             abs(fused(A, B, S * E) - (S * E + A * B)))),
    ("sqrt(s)", 0.5 / math.sqrt(S), 0), ("fabs(-s)", 1, 0), ("fmax(s, -1)", 1, 0),
    ("fmin(s, -1)", 0, 0), ("floor(s)", 0, 0), ("(double)(float)s", 1, 0),
    ("fma(s, e, s)", E + 1, 0), ("e > 0 ? s : -s", 1, 0),
    ("exp(s)", math.exp(S), math.ulp(math.exp(S))), ("log(s)", 1 / S, math.ulp(math.log(S))),
    ("sin(s)", math.cos(S), math.ulp(math.sin(S))), ("cos(s)", -math.sin(S), math.ulp(math.cos(S))),
    ("tan(s)", 1 + math.tan(S) ** 2, math.ulp(math.tan(S))),
    ("atan(s)", 1 / (1 + S * S), math.ulp(math.atan(S))),
    ("tanh(s)", 1 - math.tanh(S) ** 2, math.ulp(math.tanh(S))),
    ("cbrt(s)", S ** (1 / 3) / 3 / S, math.ulp(S ** (1 / 3))),
    ("pow(s, 3)", 3 * S * S, math.ulp(S ** 3)), ("pow(e, s)", E ** S * math.log(E), math.ulp(E ** S)),
    ("fmod(s, b)", 1, 0), ("fmod(e, s)", -math.floor(E / S), 0), ("remainder(s, b)", 1, 0),
    ("ldexp(s, 3)", 8, 0), ("copysign(s, -1)", -1, 0), ("fdim(s, 1)", 1, 0), ("fdim(1, s)", 0, 0),
    ("hypot(s, e)", S / math.hypot(S, E), math.ulp(math.hypot(S, E))),
    ("atan2(s, e)", E / (S * S + E * E), math.ulp(math.atan2(S, E))),
]


def units(z):
    return math.ulp(z.real), math.ulp(z.imag)


def of_product(z, w):
    """How far each part moves if one of its products enters unrounded."""
    return [max(abs(fused(x, y, p * q) - r), abs(fused(p, q, x * y) - r))
            for x, y, p, q, r in ((z.real, w.real, -z.imag, w.imag, z.real * w.real - z.imag * w.imag),
                                  (z.real, w.imag, z.imag, w.real, z.real * w.imag + z.imag * w.real))]


# Functions of complex numbers of s, a library's in C and Python's, and what they add to both parts.
Z, T = "(double _Complex){s, e}", "(double _Complex){d, s}"
COMPLEX = [
    ("cexp", lambda s: cmath.exp(complex(s, E)), f"cexp({Z})", units),
    ("clog", lambda s: cmath.log(complex(s, E)), f"clog({Z})", units),
    ("csqrt", lambda s: cmath.sqrt(complex(D, s)), f"csqrt({T})", units),
    ("csin", lambda s: cmath.sin(complex(D, s)), f"csin({T})", units),
    ("ccos", lambda s: cmath.cos(complex(s, D)), "ccos((double _Complex){s, d})", units),
    ("csinh", lambda s: cmath.sinh(complex(s, D)), "csinh((double _Complex){s, d})", units),
    ("ccosh", lambda s: cmath.cosh(complex(D, s)), f"ccosh({T})", units),
    ("cpow", lambda s: complex(s, E) ** complex(D, s), f"cpow({Z}, {T})", units),
    ("cpow of the base", lambda s: complex(s, E) ** 3, f"cpow({Z}, 3)", units),
    ("conj and cproj", lambda s: complex(s, -E), f"cproj(conj({Z}))", lambda r: (0, 0)),
    ("quotient", lambda s: complex(s, E) / complex(D, s), f"__divdc3(s, e, d, s)",
     lambda r: [math.ulp(abs(r.real) + abs(r.imag))] * 2),
    ("product", lambda s: complex(s, E) * complex(D, s), f"__muldc3(s, e, d, s)",
     lambda r: of_product(complex(S, E), complex(D, S))),
    ("narrow exp", lambda s: cmath.exp(complex(s, 0.5)), "cexpf((float _Complex){(float)s, .5f})",
     lambda r: (2.0 ** -21, 2.0 ** -22)),  # parts in [4, 8) and [2, 4)
    ("narrow quotient", lambda s: 1 / complex(s, 0.5), "1 / (float _Complex){(float)s, .5f}",
     lambda r: (2.0 ** -24, 2.0 ** -24)),  # the sum of their sizes in [.5, 1)
]

# Ways that the number s takes without a change.
WAYS = """
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { double x; float f; double y; };
struct large { double x[40]; };
static double through(double x) { return x; }
static struct pair make(double x) { struct pair p = { 1, 2, x }; return p; }
static double second(struct pair p) { return p.y; }
static double last(struct large l) { return l.x[39]; }
static double deep(double x, int n) { return n ? deep(x, n - 1) : x; }
static double of_list(int n, ...)
{
    va_list list;
    double x = 0;
    va_start(list, n);
    while (n--)
        x = va_arg(list, double);
    va_end(list);
    return x;
}
static void put_list(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
int main(void)
{
    START
    double s = a * b - c * d, x[8] = {0}, (*by_address)(double) = through;
    printf("%a\\n", through(s));
    printf("%a\\n", by_address(s));
    printf("%a\\n", second(make(s)));
    struct pair p = make(s), q[3] = { p, p, p };
    memcpy(&p, &q[2], sizeof p);
    printf("%a\\n", p.y);
    struct large l;
    memset(&l, 0, sizeof l);
    l.x[39] = s;
    printf("%a\\n", last(l));
    printf("%a\\n", deep(s, 50));
    printf("%a\\n", of_list(3, 1.0, 2.0, s));
    put_list("%d %a\\n", 3, s);
    double *m = malloc(4 * sizeof *m);
    m[3] = s;
    m = realloc(m, 100000 * sizeof *m);
    printf("%a\\n", m[3]);
    memmove(m + 1, m, 8 * sizeof *m);
    printf("%a\\n", m[4]);
    x[0] = 7; x[1] = s; x[2] = -3;
    qsort(x, 3, sizeof *x, order);
    printf("%a\\n", x[1]);
    double complex z = s + 2.0 * I;
    printf("%a\\n", creal(z));
    double y = 0;
    for (int i = 0; i < 10; i++)
        y = i == 9 ? s : y;
    printf("%a\\n", y);
    jmp_buf jump;
    volatile double kept = s;
    if (!setjmp(jump))
        longjmp(jump, 1);
    printf("%a\\n", kept);
    fwrite(&s, sizeof s, 1, stderr);
    return 0;
}
""".replace("START", START)

DOT = """
#include <stdio.h>
int main(void)
{
    volatile double x[20], y[20];
    double s = 0;
    for (int i = 0; i < 20; i++) {
        x[i] = 1.0 / (i + 3);
        y[i] = (i % 2 ? -1.0 : 1.0) / (2 * i + 7);
    }
    for (int i = 0; i < 20; i++)
        s += x[i] * y[i];
    printf("%a\\n", s);
    return 0;
}
"""

# Every step writes, reads and computes; F is a file.
LONG = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int n, char **argument)
{
    volatile double a = 1.1, b = 3.3;
    double s = 0, x[16] = {0};
    FILE *in = fopen(argument[1], "r"), *out = n > 2 ? fopen(argument[2], "w") : NULL;
    for (int i = 0; i < 400; i++) {
        double y;
        if (!in || fscanf(in, "%lf", &y) != 1)
            return 1;
        s = s * a - y * b;
        x[i % 16] += s * y;
        s = s / (1 + s * s);
        WRITE
    }
    for (int i = 0; i < 16; i++)
        printf("%a\\n", x[i]);
    return 0;
}
"""


def dot():
    x = [1.0 / (i + 3) for i in range(20)]
    y = [(-1.0 if i % 2 else 1.0) / (2 * i + 7) for i in range(20)]
    s = spread = 0.0
    for a, b in zip(x, y):
        plain = s + a * b
        spread += abs(fused(a, b, s) - plain)
        s = plain
    return spread


def build(folder, text, name="case.c"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return instrumented.build(TOOLS, folder, [path], options=["--tape"])


def firsts(report):
    return {int(row[0]): float.fromhex(row[1]) for row in report.of("first")}


def near(x, y):
    return abs(x - y) <= 1e-5 * abs(y)


def run(program, arguments=(), tape=None):
    if tape:
        os.environ["ACCORD_BOUND_TAPE"] = str(tape)
    try:
        return instrumented.run(program, arguments)
    finally:
        os.environ.pop("ACCORD_BOUND_TAPE", None)


def check_values(folder):
    body = "".join(f'printf("%a\\n", {text});' for text, _, _ in VALUES)
    program = build(folder, "#include <math.h>\n#include <stdio.h>\nint main(void) { " + START +
                    " double s = a * b - c * d; " + body + " return 0; }\n")
    found = firsts(run(program)[1])
    for i, (text, slope, more) in enumerate(VALUES):
        wanted = abs(slope) * SPREAD + more
        if i not in found or not near(found[i], wanted):
            return f"{text}: {found.get(i)}, not {wanted}"
    return None


def check_complex(folder):
    body = "".join(f"{{ double _Complex r = {text}; printf(\"%a %a\\n\", creal(r), cimag(r)); }}"
                   for _, _, text, _ in COMPLEX)
    program = build(folder, "#include <complex.h>\n#include <stdio.h>\n"
                    "double _Complex __muldc3(double, double, double, double);\n"
                    "double _Complex __divdc3(double, double, double, double);\n"
                    "int main(void) { " + START + " double s = a * b - c * d; " + body +
                    'printf("%a\\n", carg(' + Z + ")); return 0; }\n")
    found, step = firsts(run(program)[1]), 1e-5
    for i, (name, f, _, own) in enumerate(COMPLEX):
        slope = (f(S + step) - f(S - step)) / (2 * step)
        for part, by, more in zip(range(2), (slope.real, slope.imag), own(f(S))):
            wanted = abs(by) * SPREAD + more
            if not near(found.get(2 * i + part, 0), wanted):
                return f"{name}, part {part}: {found.get(2 * i + part)}, not {wanted}"
    wanted = E / (S * S + E * E) * SPREAD + math.ulp(math.atan2(E, S))
    found = found.get(2 * len(COMPLEX))
    return None if found and near(found, wanted) else f"carg: {found}, not {wanted}"


def check_ways(folder):
    ran, report = run(build(folder, WAYS))
    found = firsts(report)
    if ran.returncode or len(report.outputs) != 15:
        return f"status {ran.returncode}, {len(report.outputs)} outputs"
    for i, row in enumerate(report.of("output")):
        if not near(found.get(i, -1), SPREAD):
            return f"line {report.line(row[0])}: {found.get(i)}, not {SPREAD}"
    return None


def check_dot(folder):
    ran, report = run(build(folder, DOT))
    found, shares = firsts(report)[0], report.of("share")
    if not near(found, dot()):
        return f"{found}, not {dot()}"
    if len(shares) != 1 or report.line(shares[0][1]) != 12 or not near(float.fromhex(shares[0][2]), dot()):
        return f"shares {shares}"
    return None


def long_case(folder, write=""):
    numbers = os.path.join(folder, "numbers")
    with open(numbers, "w", encoding="utf-8") as file:
        file.write("\n".join(f"{1 + 1 / (i + 1):.17g}" for i in range(400)))
    return build(folder, LONG.replace("WRITE", write)), numbers


def tape_of(report):
    nodes, size, segments, why = report.of("tape")[0]
    return int(nodes), int(segments), why


def check_segments(folder):
    """Segments change nothing: not the numbers, nor what the program writes."""
    write = 'if (out) fprintf(out, "%a\\n", s); printf("%d\\n", i); fprintf(stderr, "%a\\n", s);'
    program, numbers = long_case(folder, write)
    out = os.path.join(folder, "out")
    ran, whole = run(program, [numbers, out])
    with open(out, encoding="utf-8") as file:
        written = file.read()
    for tape in (8000, 30000):
        again, cut = run(program, [numbers, out], tape)
        with open(out, encoding="utf-8") as file:
            if file.read() != written:
                return "the program's file has changed"
        if (again.stdout, again.stderr, again.returncode) != (ran.stdout, ran.stderr, 0):
            return "the program wrote something else"
        if tape_of(cut)[1] < 3 or tape_of(cut)[2] != "-":
            return f"tape {tape}: {tape_of(cut)}"
        one, other = firsts(whole), firsts(cut)
        if one.keys() != other.keys() or not all(near(other[i], one[i]) for i in one):
            return f"tape {tape}: other first-order spreads"
    return None


def check_unrepeatable(folder):
    """What depends on the clock, or removes a file, is not repeated, and not guessed."""
    for write, kept in (("x[0] += s * (double)clock() + a * b;", None),
                        ("if (i == 200) remove(argument[2]);", "out"),
                        ("if (i == 200) fclose(fopen(argument[2], \"a\"));", "out")):
        program, numbers = long_case(folder, write)
        ran, report = run(program, [numbers, os.path.join(folder, "out")], 8000)
        if ran.returncode or report.end != "exit":
            return f"status {ran.returncode}"
        if firsts(report) or "repeated" not in tape_of(report)[2]:
            return f"{write}: {tape_of(report)}"
    return None


def check_children(folder):
    """The program does not see the processes that wait."""
    wait = "if (i == 200 && wait(NULL) != -1) return 7;"
    numbers = long_case(folder)[1]
    path = build(folder, "#include <sys/wait.h>\n" + LONG.replace("WRITE", wait), "wait.c")
    ran, report = run(path, [numbers], 8000)
    return None if ran.returncode == 0 and len(firsts(report)) == 16 else \
        f"status {ran.returncode}, {tape_of(report)}"


def check_lost(folder):
    """What is lost has no spread."""
    program = build(folder, "#include <stdio.h>\nint main(void) { " + START + """
        double s = a * b - c * d;
        __float128 l = s;
        double t = (double)(l * 3);
        printf("%a %a\\n", t, s);
        return 0; }\n""")
    found = firsts(run(program)[1])
    return None if set(found) == {1} and near(found[1], SPREAD) else str(found)


def check_programs(folder):
    """The programs print the same with a tape, in one piece and in segments."""
    for source in sorted(glob.glob(os.path.join(PROGRAMS, "*.c"))):
        program = instrumented.build(TOOLS, folder, [source], options=["--tape"])
        plain = os.path.join(folder, "plain")
        subprocess.run([instrumented.clang(), "-w", "-O0", "-ffp-contract=off", source, "-o", plain, "-lm"],
                       check=True)
        wanted = subprocess.run([plain], capture_output=True, timeout=60)
        reports = []
        for tape in (None, 20000):
            ran, report = run(program, (), tape)
            if (ran.stdout, ran.stderr) != (wanted.stdout, wanted.stderr):
                return f"{source} writes something else"
            reports.append(firsts(report))
        whole, cut = reports
        if len(whole) != len(report.outputs) or whole.keys() != cut.keys() or \
                not all(near(cut[i], whole[i]) for i in whole):
            return f"{source}: {len(whole)} and {len(cut)} spreads"
    return None


CASES = [check_values, check_complex, check_ways, check_dot, check_segments, check_unrepeatable, check_children,
         check_lost, check_programs]


sys.exit(instrumented.main(CASES, TOOLS))
