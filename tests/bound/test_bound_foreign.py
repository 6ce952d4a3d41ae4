#!/usr/bin/env python3
"""What foreign code may have written has no bounds any more: test_bound_foreign.py TOOLS. Speaks TAP.

The foreign functions are compiled apart. They write the bits that were there before, so that only
the call itself says that a number may depend on the evaluation."""

import os
import subprocess
import sys
import tempfile

import instrumented
from instrumented import trials

TOOLS = sys.argv[1]
FOREIGN = """
#include <string.h>
static double kept;
long double long_of(double *p) { *p = 0; return 1; }
void with_number(double x, double *p) { *p = x > 100; }
int with_bytes(void *p) { double zero = 0; memcpy(p, &zero, sizeof zero); return 0; }
struct four { double x[4]; };
void keep(struct four s) { kept = s.x[0] > 100; }
double *kept_at(void) { return &kept; }
long double long_only(long double x) { return x; }
void of_integers(int *n) { *n = 1; }
"""
HEAD = """
#include <stdio.h>
#include <stdlib.h>
struct four { double x[4]; };
extern long double long_of(double *), long_only(long double);
extern void with_number(double, double *), keep(struct four), of_integers(int *);
extern int with_bytes(void *);
extern double *kept_at(void);
static volatile double a = .1, b = .3, c = -.03;
static double in_memory[4];
int main(void) {
    double moves = a * b + c, zero = 0, *there = malloc(2 * sizeof *there);
    struct four s = {{moves, 1, 2, 3}};
    int n = 0;
    there[0] = there[1] = 0;
    (void)s, (void)n, (void)zero;
"""
# What is done, the number that is printed, and whether it is unknown.
CASES = [
    ("nothing", "", "moves", False),
    ("a function of long double writes", "long_of(&zero);", "zero", True),
    ("a function writes what depends on a number", "with_number(moves, &zero);", "zero", True),
    ("to other memory than it is given", "with_number(moves, there);", "there[1]", True),
    ("bytes", "with_bytes(there);", "there[0]", True),
    ("the address of integers", "of_integers(&n); zero += there[0];", "zero", False),
    ("a copy", "keep(s);", "*kept_at()", True),
    ("a copy is not written", "keep(s);", "s.x[1]", False),
    ("long double alone", "long_only(moves);", "there[0]", False),
    ("a function of libc", "strtold(\"1\", NULL);", "there[0]", False),
    ("assembly", 'asm volatile("movq $0, (%0)" : : "r"(there) : "memory");', "there[0]", True),
    ("assembly without an address", 'asm volatile("nop");', "there[0]", False),
    ("a barrier", 'asm volatile("" : : "r"(there) : "memory");', "there[0]", False),
    ("a barrier, and memory without a shadow", 'asm volatile("" : : : "memory");', "in_memory[1]",
     False),
]


def check(folder, foreign, code, printed, unknown):
    source = os.path.join(folder, "case.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f'{HEAD}    {code}\n    printf("%a\\n", {printed});\n    return 0;\n}}\n')
    for options in ((), ("--tape",)):
        program = instrumented.build(TOOLS, folder, [source], flags=["-w"], options=options,
                                     foreign=[foreign])
        _, report = instrumented.run(program)
        if len(report.outputs) != 1:
            return f"{len(report.outputs)} numbers"
        _, low, high, _, lost = report.outputs[0]
        if (lost is not None) != unknown:
            return f"unknown: {lost is not None}, not {unknown}; [{low}, {high}]"
    return None


def main():
    if not os.path.exists(os.path.join(TOOLS, "accord-instrument")) or not instrumented.clang():
        print("1..0 # SKIP needs the instrumenter and clang 14")
        return
    with tempfile.TemporaryDirectory() as folder:
        source, foreign = os.path.join(folder, "foreign.c"), os.path.join(folder, "foreign.o")
        with open(source, "w", encoding="utf-8") as file:
            file.write(FOREIGN)
        subprocess.run([instrumented.clang(), "-c", source, "-o", foreign], check=True)
        cases = trials.of_table(CASES)
        for number, (name, *case) in enumerate(cases, 1):
            problem = check(folder, foreign, *case)
            words = f"{number} - {name}"
            print(f"not ok {words}\n# {problem}" if problem else f"ok {words}", flush=True)
    print(f"1..{len(cases)}")


main()
