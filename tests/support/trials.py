"""How deep a test digs, as in trials.h: ACCORD_TEST_SCALE multiplies the number of random trials, and below
1 it divides them; ACCORD_TEST_SEED repeats a run."""

import os
import random

SCALE = float(os.environ.get("ACCORD_TEST_SCALE") or 1)
SEED = int(os.environ.get("ACCORD_TEST_SEED") or "1", 0)


def trials(count):
    """So many, times the scale, but one is left."""
    return max(1, int(count * SCALE))


def of_table(cases):
    """All cases of a table at scale 1 and above; below it a share of them, which the seed chooses, but one is
    left."""
    if SCALE >= 1:
        return list(cases)
    chosen = set(random.Random(SEED).sample(range(len(cases)), trials(len(cases))))
    return [case for i, case in enumerate(cases) if i in chosen]
