#!/usr/bin/env python3
"""accord bound --cure: test_bound_cure.py ACCORD TOOLS. Speaks TAP.

The lines of a cure are pinned in the source of three programs, and then the builds of gcc and clang,
which differed, agree. For small programs the cure is compared with all sets of lines."""

import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys

import instrumented
from instrumented import trials

ACCORD, TOOLS = map(os.path.abspath, sys.argv[1:3])
BUILDS = ("gcc -O2 -ffp-contract=off", "gcc -O2 -mfma", "gcc -O3 -march=native",
          "clang-14 -O2 -mfma -ffp-contract=on", "clang-14 -O3 -mfma -ffp-contract=fast")

# P(x) is x, and rounded by a volatile variable in the lines of PINS.
MACROS = """#include <math.h>
#include <stdio.h>
#ifndef PINS
#define PINS 0
#endif
#define ROUNDED(x) ({ volatile __typeof__(x) y_ = (x); y_; })
#define P(x) __builtin_choose_expr(((PINS + 0ull) >> __LINE__) & 1, ROUNDED(x), (x))
"""

LDL = MACROS + """enum { N = 12 };
static volatile double first = 3.8;
int main(void)
{
    double a[N][N], l[N][N] = {{0}}, d[N], x[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i == j ? first : first / (1 + (i * 7 + j * 5) % 11);
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) {
            double t = a[i][j];
            for (int k = 0; k < j; k++)
                t -= P(l[i][k] * l[j][k] * d[k]);
            if (i == j)
                d[j] = t;
            l[i][j] = t / d[j];
        }
    for (int i = 0; i < N; i++) {
        x[i] = i + first / 7;
        for (int k = 0; k < i; k++)
            x[i] -= P(l[i][k] * x[k]);
    }
    for (int i = N; i-- > 0;) {
        x[i] /= d[i];
        for (int k = i + 1; k < N; k++)
            x[i] -= P(l[k][i] * x[k]);
    }
    for (int i = 0; i < N; i++)
        printf("%a %a\\n", d[i], x[i]);
    return 0;
}
"""
RAY = MACROS + """typedef struct { float x, y, z; } vector;
static float dot(vector a, vector b)
{
    return P(a.x * b.x) + P(a.y * b.y) + P(a.z * b.z);
}
static volatile float near = 0.1f;
int main(void)
{
    vector from = {near, 1.3f, 2.7f}, to = {1.1f, near, -3.3f};
    for (int i = 0; i < 8; i++) {
        vector center = {near * (float)i, 0.7f, -1.9f}, e;
        e.x = from.x - center.x;
        e.y = from.y - center.y;
        e.z = from.z - center.z;
        float b = 2 * dot(to, e), c = dot(e, e) - P(near * near);
        float d = P(b * b) - P(4 * dot(to, to) * c);
        printf("%a %a\\n", (double)c, (double)d);
    }
    return 0;
}
"""
ORBIT = MACROS + """static volatile double start = 1.1;
int main(void)
{
    double x = start, y = 0.3, u = -0.2, v = 0.9, step = 0.01, energy = 0;
    for (int i = 0; i < 40; i++) {
        double r2 = P(x * x) + P(y * y), w = 1 / (r2 * sqrt(r2));
        u -= P(step * (x * w));
        v -= P(step * (y * w));
        x += P(step * u);
        y += P(step * v);
        energy = 0.5 * (P(u * u) + P(v * v)) - 1 / sqrt(P(x * x) + P(y * y));
    }
    printf("%a %a %a\\n", x, y, energy);
    return 0;
}
"""


def write(folder, source):
    path = os.path.join(folder, "p.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    return path


def cure(path, target, *options, optimized=False):
    out = path + ".json"
    ran = subprocess.run([ACCORD, "bound", path, "--cure", target, "-O", "json", "-o", out, *options],
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                         env=instrumented.environment(optimized))
    assert ran.returncode == 0, ran.stderr.decode()
    with open(out, encoding="utf-8") as file:
        return json.load(file)["cure"]


def has_fma():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return any(re.search(r"\bfma\b", line) for line in lines)


# ---- pinned in the source ----

def outputs(path, lines):
    """What the builds print."""
    program, made = path + ".plain", {}
    pins = sum(1 << line for line in lines)
    for words in map(str.split, BUILDS):
        if shutil.which(words[0]):
            subprocess.run([*words, f"-DPINS={pins}ull", path, "-o", program, "-lm"], check=True,
                           capture_output=True)
            made[" ".join(words)] = subprocess.run([program], capture_output=True, check=True).stdout
    return made


def pinned(folder, source):
    path = write(folder, source)
    made = outputs(path, []) if has_fma() else {}
    if len(made) < 3:
        return None
    if len(set(made.values())) < 2:
        return "the builds agree without a cure"
    answer = cure(path, "all=0")
    if not answer["found"]:
        return f"no cure: {answer['reason']}"
    lines = [line["line"] for line in answer["lines"]]
    if max(lines) > 63:
        return "a line that cannot be pinned"
    made = outputs(path, lines)
    if len(set(made.values())) != 1:
        return f"the builds differ with {lines} pinned: {made}"
    return None


def test_ldl_pinned_in_the_source(folder):
    return pinned(folder, LDL)


def test_ray_pinned_in_the_source(folder):
    return pinned(folder, RAY)


def test_orbit_pinned_in_the_source(folder):
    return pinned(folder, ORBIT)


# ---- all sets ----

def random_lines(rng):
    names, lines = ["a", "b", "c"], []
    for i in range(rng.randint(2, 5)):
        x, y, z, t = (rng.choice(names) for _ in range(4))
        sign = rng.choice("+-")
        lines.append(f"    float v{i} = {x} * {y} {sign} {z} * {t};")
        names += [f"v{i}"] * 2
    return lines + [f"    printf(\"%a\\n\", (double){names[-1]});"]


def program_of(lines, copies):
    """The lines in as many functions, and the number of each function's first line."""
    text = ["#include <stdio.h>", "static volatile float a0 = 1.1f, b0 = -0.7f, c0 = 0.3f;"]
    first = []
    for i in range(copies):
        text += [f"static void f{i}(void)", "{", "    float a = a0, b = b0, c = c0;"]
        first.append(len(text) + 1)
        text += [*lines, "}"]
    calls = " ".join(f"f{i}();" for i in range(copies))
    return "\n".join([*text, f"int main(void) {{ {calls} return 0; }}\n"]), first


def widths_of_sets(folder, model, lines, sets):
    """The width with each set of lines pinned: a copy of the program for each, built at once."""
    text, first = program_of(lines, len(sets))
    path = write(folder, text)
    options = [x for start, some in zip(first, sets) for i in some
               for x in ("--pin", f"{path}:{start + i}")]
    program = instrumented.build(TOOLS, folder, [path], model=model, options=options)
    outputs = instrumented.run(program)[1].outputs
    return {some: o[2] - o[1] for some, o in zip(sets, outputs)}


def all_sets(folder, rng, model):
    lines = random_lines(rng)
    sets = [some for size in range(len(lines))
            for some in itertools.combinations(range(len(lines) - 1), size)]
    widths = widths_of_sets(folder, model, lines, sets)
    whole = widths[()]
    if whole == 0:
        return None
    width = rng.choice([0, whole / 4, whole / 2])
    text, (first,) = program_of(lines, 1)
    answer = cure(write(folder, text), f"1={width!r}", "--model", model)
    found = tuple(sorted(line["line"] - first for line in answer["lines"]))
    if not answer["found"] or found not in widths or not answer["smallest"]:
        return f"{answer}"
    if widths[found] > width:
        return f"{found} does not suffice for {width}"
    for some in sets:
        if widths[some] <= width and len(some) < len(found):
            return f"{some} is smaller than {found} for {width}"
    return None


def test_all_sets(folder):
    rng = random.Random(trials.SEED)
    for i in range(trials.trials(4)):
        wrong = all_sets(folder, rng, rng.choice(["contract", "contract", "paren", "contract-expr"]))
        if wrong:
            return f"program {i} of seed {trials.SEED}: {wrong}"
    return None


# ---- other targets ----

def test_many_lines(folder):
    """More than ten candidates: no line can be left out."""
    body = "\n".join(f"    s[{i}] = a * {i + 1}.7 - c * {7 * i + 11}.900{i + 1};" for i in range(20))
    prints = "\n".join(f'    printf("%a\\n", s[{i}]);' for i in range(20))
    path = write(folder, "#include <stdio.h>\nstatic volatile double a0 = 1.1;\nint main(void)\n{\n"
                 "    double a = a0, b = a0 / 3, c = a0 / 7, s[20];\n" + body + "\n" + prints +
                 "\n    return 0;\n}\n")
    answer = cure(path, "all=0")
    report = instrumented.run(instrumented.build(TOOLS, folder, [path]))[1]
    wide = {6 + i for i, output in enumerate(report.outputs) if output[2] > output[1]}
    if len(wide) <= 10:
        return f"only {len(wide)} numbers can move"
    found = {line["line"] for line in answer["lines"]}
    if found != wide or answer["smallest"]:
        return f"{sorted(found)}, not {sorted(wide)}"
    one = sorted(wide)[3]
    only = cure(path, f"{one - 5}=0")
    if [line["line"] for line in only["lines"]] != [one]:
        return f"number {one - 5} is cured by {only['lines']}"
    return None


def test_decision(folder):
    path = write(folder, """#include <stdio.h>
static volatile float a = 1.1f, b = 3.3f, c = 2.475f;
int main(void)
{
    float d = b * b - 4 * a * c;
    float e = a * b - c * c;
    printf("%g %g\\n", d, e);
    if (d > 0)
        puts("more");
    return 0;
}
""")
    answer = cure(path, "p.c:8", optimized=True)
    if [line["line"] for line in answer["lines"]] != [5]:
        return f"{answer}"
    none = cure(path, "p.c:9")
    return None if not none["found"] and "no decision" in none["reason"] else f"{none}"


def test_no_cure(folder):
    path = write(folder, """#include <math.h>
#include <stdio.h>
static volatile double a = 1.1;
int main(void)
{
    printf("%g\\n", exp(a) + a * a);
    return 0;
}
""")
    answer = cure(path, "1=0")
    return None if not answer["found"] and answer["reason"] else f"{answer}"


def test_clock(folder):
    """A program that does something else when it runs again is not cured."""
    path = write(folder, """#include <stdio.h>
#include <time.h>
static volatile double a = 1.1;
int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double s = 0;
    for (int k = 0; k < 20; k++)
        s += a * (double)(now.tv_nsec + k) - (a + 1e-3) * (double)(now.tv_nsec - k);
    printf("%a\\n", s);
    return 0;
}
""")
    answer = cure(path, "1=0")
    return None if not answer["found"] and "again" in answer["reason"] else f"{answer}"


def test_messages(folder):
    path = write(folder, RAY)
    for target in ("1", "x=1", "1=x", "1=-1", "0=1", "p.c:", ":3", "p.c:x", "1=", "=1"):
        ran = subprocess.run([ACCORD, "bound", path, "--cure", target], stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=60)
        if ran.returncode != 2 or b"as in 1=1e-9" not in ran.stderr or ran.stdout:
            return f"{target}: {ran}"
    return None


PINNED = [test_ldl_pinned_in_the_source, test_ray_pinned_in_the_source, test_orbit_pinned_in_the_source]
OTHERS = [f for name, f in globals().items() if name.startswith("test_") and f not in PINNED]
sys.exit(instrumented.main(trials.of_table(PINNED) + OTHERS, TOOLS))
