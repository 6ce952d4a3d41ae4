"""What the tests share: trees drawn at random, and sums along them."""

from __future__ import annotations

import os
import random
import signal
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tests", "support"))
from trials import SCALE, of_table  # noqa: E402, F401 # of_table: a share of it below ACCORD_TEST_SCALE=1

np = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")

# The same cases at every run with a seed, as in the tests of the library.
hypothesis.settings.register_profile("repeatable", derandomize="ACCORD_TEST_SEED" in os.environ)
hypothesis.settings.load_profile("repeatable")

# What a shell starts in the background ignores SIGINT, which tests send themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)


# For what takes long, and has a shorter test beside it.
slow = pytest.mark.skipif(SCALE < 1, reason="asked with ACCORD_TEST_SCALE=1")


@pytest.fixture(autouse=True)
def noise_is_repeatable() -> None:
    seed = int(os.environ.get("ACCORD_TEST_SEED", "1"), 0) % 2**32
    random.seed(seed)
    np.random.seed(seed)


def pytest_report_header() -> str:
    import accord

    return f"accord {accord.__version__} from {os.path.dirname(accord.__file__)}, NumPy {np.__version__}"


class Tree:
    """A binary tree of additions over n terms, in the order of its nodes."""

    def __init__(self, n: int, draw: random.Random) -> None:
        self.n = n
        pool = list(range(n))
        self.nodes: list[tuple[int, int]] = []
        if draw.random() < 0.5:  # like a chain; otherwise any two
            draw.shuffle(pool)
        while len(pool) > 1:
            i = len(pool) - 1 if draw.random() < 0.3 else draw.randrange(len(pool))
            a = pool.pop(i)
            b = pool.pop(draw.randrange(len(pool)))
            pool.append(n + len(self.nodes))
            self.nodes.append((a, b))

    def parents(self) -> list[int | None]:
        parent: list[int | None] = [None] * (self.n + len(self.nodes))
        for k, pair in enumerate(self.nodes):
            for child in pair:
                parent[child] = self.n + k
        return parent

    def add(self, values: list) -> object:
        values = list(values)
        for a, b in self.nodes:
            values.append(values[a] + values[b])
        return values[-1]

    def __call__(self, x: object) -> object:
        return self.add(x)


@pytest.fixture
def tree_of():
    """tree_of(n, seed): a tree and the Order that it is."""
    import accord
    from accord import _accord

    def make(n: int, seed: int) -> tuple[Tree, accord.Order]:
        tree = Tree(n, random.Random(seed))
        return tree, accord.Order(_accord.from_parents(n, tree.parents()))

    return make
