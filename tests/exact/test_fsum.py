#!/usr/bin/env python3
"""test_fsum.py FSUM: examples/fsum.c against Python's own math.fsum, and where that gives up against
rational numbers."""
import math
import os
import random
import subprocess
import sys
import time
from fractions import Fraction

SEED = int(os.environ.get("ACCORD_TEST_SEED") or time.time())
CASES = 3000 * max(1, int(float(os.environ.get("ACCORD_TEST_SCALE") or 1)))
KNOWN = [[], [-0.0], [-0.0, -0.0], [0.0, -0.0], [1.0, -1.0], [0.1] * 10, [1e100, 1.0, -1e100],
         [1e308, 1e308, -1e308], [sys.float_info.max] * 2, [math.inf, 1.0], [-math.inf, 1e308],
         [math.nan, 1.0], [math.inf, -math.inf], [5e-324] * 8, [1.0, 2.0 ** -53],
         [1.0, 2.0 ** -53, 5e-324],
         [1e308, 1e308, 0.1, 0.1, 1e30, 0.1, -1e30, -1e308, -1e308]]


def draw(rng):
    n = int(math.exp(rng.random() * math.log(300)))
    width = rng.choice([1, 50, 300, 1000])
    numbers = [math.ldexp(rng.uniform(-2, 2), rng.randint(-width, width)) for _ in range(n)]
    if rng.random() < 0.5:
        numbers += [-x for x in numbers[1:]]
        rng.shuffle(numbers)
    return numbers


def expected(numbers):
    try:
        return math.fsum(numbers)
    except ValueError:  # inf - inf
        return math.nan
    except OverflowError:
        exact = sum(map(Fraction, numbers))
    try:
        return float(exact)
    except OverflowError:
        return -math.inf if exact < 0 else math.inf


def main(program):
    print(f"# ACCORD_TEST_SEED={SEED}")
    rng = random.Random(SEED)
    cases = KNOWN + [draw(rng) for _ in range(CASES)]
    lines = "".join(" ".join(x.hex() for x in numbers) + "\n" for numbers in cases)
    said = subprocess.run([program, "-"], input=lines, text=True, capture_output=True, check=True)
    found = [float.fromhex(line.split()[1]) for line in said.stdout.splitlines()]
    wrong = [(numbers, a) for numbers, a in zip(cases, found)
             if str(a) != str(expected(numbers))]
    for numbers, a in wrong[:5]:
        print(f"# {numbers[:9]}: {a!r}, not {expected(numbers)!r}")
    good = not wrong and len(found) == len(cases)
    print(f"{'' if good else 'not '}ok 1 - fsum, {len(found)} sums")
    once = subprocess.run([program], text=True, capture_output=True)
    bad = subprocess.run([program, "1", "x"], text=True, capture_output=True)
    sound = once.stdout == "0\n" and bad.returncode == 2 and not bad.stdout
    print(f"{'' if sound else 'not '}ok 2 - the command line")
    print("1..2")
    return not (good and sound)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
