#!/usr/bin/env python3
"""Numbers in memory that are read before they are set are unknown, and so are numbers of which
another one reads or overwrites a part, and no others: unset.c and parts.c say of each number which it
is."""

import os
import re
import sys

import instrumented

TOOLS = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
# Lines in which a number may be lost; none where bytes are copied.
PLACES = {"unset.c": r"unknown\(|u\[1\] = w|take\(v\)|address = &|known\(b\)",
          "parts.c": r"unknown\(|u.half\[0\] = u.half\[0\]|^$"}


def wrong_numbers(folder, model, options=(), flags=(), name="unset.c"):
    source = os.path.join(HERE, name)
    program = instrumented.build(TOOLS, folder, [source], model, flags, options)
    ran, report = instrumented.run(program)
    if ran.returncode != 0 or report.end != "exit":
        return f"it ended with {ran.returncode}, {report.end}: {ran.stderr}"
    with open(source, encoding="utf-8") as file:
        lines = file.read().split("\n")
    printers = {name: next(i for i, line in enumerate(lines, 1) if f"void {name}(" in line) + 2
                for name in ("known", "unknown")}
    counts = {"known": 0, "unknown": 0}
    for row in report.of("output"):
        kind = next(k for k, line in printers.items() if line == report.line(row[0]))
        lost = None if row[6] == "-" else row[6]
        counts[kind] += 1
        if (lost is not None) != (kind == "unknown"):
            where = f", lost in line {report.line(lost)}" if lost else ""
            return f"number {sum(counts.values())} ({row[2]}) should be {kind}{where}"
        if lost and not re.search(PLACES[name], lines[report.line(lost) - 1]):
            return f"number {sum(counts.values())} was lost in line {report.line(lost)}"
    return None if min(counts.values()) > 10 else f"only {counts}"


LOOP = """#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 3; i++) {
        double t;
        if (i)
            printf("%g\\n", t);
        else
            t = 7.5;
    }
    return 0;
}
"""


def test_what_an_earlier_round_left(folder):
    """It is unknown, for C leaves it undefined, but the program goes on with it as it would alone."""
    path = os.path.join(folder, "loop.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(LOOP)
    ran, report = instrumented.run(instrumented.build(TOOLS, folder, [path]))
    lost = [row[6] != "-" for row in report.of("output")]
    return None if ran.stdout == b"7.5\n7.5\n" and lost == [True, True] else f"{ran.stdout}, {lost}"


def test_contract(folder):
    return wrong_numbers(folder, "contract")


def test_paths_and_tape(folder):
    return wrong_numbers(folder, "contract", ["--tape", "--both"])


def test_wide_shadows(folder):
    return wrong_numbers(folder, "loop", flags=["-DNO_LONGS"])


def test_parts(folder):
    return wrong_numbers(folder, "contract", name="parts.c") or \
        wrong_numbers(folder, "contract", ["--tape"], name="parts.c")


COPIES = """#include <stdio.h>
struct floats { float x[2], y; } source = {{1.5f, 2.5f}, 3.5f};
volatile float tenth = .1f, tenths = .3f;
int main(void)
{
    struct floats first = source, half, again;
    half.x[0] = 1;
    printf("%g %g\\n", first.x[1], first.y);
    source.y = tenth * tenths - .03f;
    first = source;
    again = first;
    printf("%g %g\\n", again.x[1], again.y);
    source.x[1] = 4.5f;
    first = source;
    printf("%g\\n", first.x[1]);
    again = half;
    printf("%g\\n", again.x[1]);
    return 0;
}
"""


def test_copies_of_structs_of_floats(folder):
    """Members that were not touched are points, changed ones are as they are now, unset ones unknown."""
    path = os.path.join(folder, "copies.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(COPIES)
    for model in ("contract", "paren"):
        _, report = instrumented.run(instrumented.build(TOOLS, folder, [path], model))
        found = ["unknown" if lost else "wide" if low < high else value
                 for value, low, high, _, lost in report.outputs]
        if found != [2.5, 3.5, 2.5, "wide", 4.5, "unknown"]:
            return f"{model}: {found}"
    return None


AT_ONCE = """#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double x = atof(".1") * i;
        if (x > most)
            most = x;
    }
    printf("%g\\n", most);
    return 0;
}
"""


def test_a_variable_of_a_loop_that_is_set_at_once(folder):
    path = os.path.join(folder, "at_once.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(AT_ONCE)
    _, report = instrumented.run(instrumented.build(TOOLS, folder, [path]))
    return f"{report.of('lost')}" if report.of("lost") else None


JOINED = r"""
#include <stdio.h>
#include <stdlib.h>
struct mixed { float x; int i; double y; };
__attribute__((noinline)) static void take(struct mixed m) { printf("%g %g\n", (double)m.x, m.y); }
int main(void)
{
    float a = (float)atof("0.1"), b = (float)atof("0.3"), c = (float)atof("-0.03");
    struct mixed m = {a * b + c, 1, 2};
    take(m);
    return 0;
}
"""


def test_a_number_that_is_passed_as_a_part_of_an_integer(folder):
    path = os.path.join(folder, "joined.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(JOINED)
    _, report = instrumented.run(instrumented.build(TOOLS, folder, [path]))
    (x, low, high, _, lost), (y, *_) = report.outputs
    # On other machines the struct may be passed as it is.
    return None if y == 2 and (lost is not None or low < high) else f"{x} in [{low}, {high}]"


sys.exit(instrumented.main([test_contract, test_paths_and_tape, test_wide_shadows, test_parts,
                            test_a_variable_of_a_loop_that_is_set_at_once,
                            test_a_number_that_is_passed_as_a_part_of_an_integer,
                            test_copies_of_structs_of_floats,
                            test_what_an_earlier_round_left], TOOLS))
