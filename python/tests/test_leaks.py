"""Nothing is left behind: not by probes, not by what goes wrong."""

from __future__ import annotations

import gc
import os
import sys
import tempfile

import accord
import numpy as np
import pytest

PROBES = 100_000


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def settled():
    gc.collect()
    return sys.getallocatedblocks()


class Counted:
    """Counts its calls; not NumPy alone, so that every path of a result is met."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        total = x.sum()
        return float(total) if self.calls % 3 else total if self.calls % 2 else np.array(total)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_a_hundred_thousand_probes():
    add = Counted()
    accord.reveal(add, n=300)
    before, blocks, references = resident(), settled(), sys.getrefcount(add)
    add.calls = 0
    while add.calls < PROBES:
        accord.reveal(add, n=300)
    assert sys.getrefcount(add) == references
    assert settled() - blocks < 500
    assert resident() - before < 4_000_000  # 40 bytes a probe would be more


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_what_goes_wrong():
    def keep(x):
        kept.append(x)
        return x.sum()

    def spoil(x):
        x[0] = 3
        return 1.0

    def fail(x):
        raise ValueError("no")

    kept: list = []
    wrong = [keep, spoil, fail, lambda x: "3", lambda x: x, lambda x: np.nan, lambda x: None]

    def all_of_it():
        for function in wrong:
            try:
                accord.reveal(function, n=1000, certificate=False)
            except (accord.Error, ValueError):
                pass
        for target in (accord.gemm(lambda a, b: a), accord.gemm(lambda a, b: (kept.append(a), a @ b)[1])):
            try:
                accord.reveal(target, shape=(20, 20, 20), certificate=False)
            except accord.Error:
                pass
        kept.clear()

    for _ in range(60):  # caches of the interpreter grow for a while
        all_of_it()
    before, blocks = resident(), settled()
    for _ in range(60):
        all_of_it()
    assert settled() - blocks < 500
    assert resident() - before < 6_000_000


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_objects():
    order = accord.reveal(np.sum, n=100)
    other = accord.synthetic("sequential", 100).plain("float32")
    x = np.ones((100, 100), np.float32)

    def all_of_it():
        accord.Order.from_json(order.to_json())
        order.replay(x), order.to_c(), order.to_svg(), order.to_dot(), order.report()
        accord.diff(order, other), order.parents, order.fingerprint, order.fields
        for text in ("((0+1)", "{"):
            try:
                accord.Order.from_json(text)
            except accord.ParseError:
                pass
        found = accord.map(accord.axis(np.sum, 1), shape=(3, 8))
        accord.Map.from_json(found.to_json()), found.classes[0].order.text, found.to_svg()
        accord.sum(x), accord.dot(x[0], x[1]), accord.fsum([1.0] * 300)
        accord.features("synthetic:pairwise", n=5)

    for _ in range(3):
        all_of_it()
    before, blocks = resident(), settled()
    for _ in range(30):
        all_of_it()
    assert settled() - blocks < 500
    assert resident() - before < 4_000_000


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_exact_sums():
    x, z = np.arange(300.0).reshape(20, 15), np.ones((3, 4), complex)
    masked = np.ma.array(x, mask=x > 290)
    data = accord.Accumulator(x.ravel(), x.ravel(), kind="pairs").to_bytes()

    def all_of_it():
        for name in ("sum", "mean", "norm", "rms", "var", "std"):
            for numbers in (x, z, masked, x.astype(int), x.tolist()):
                getattr(accord, name)(numbers, axis=0), getattr(accord, name)(numbers)
        accord.dot(x, x, axis=1), accord.dot(z[0], z[1]), accord.cumsum(x, axis=0)
        accord.groupby_sum(x[0], list(range(15)))
        held = accord.Accumulator.from_bytes(data)
        held += accord.Accumulator(x[0], x[1], kind="pairs")
        held.cov(), held.weighted_mean(), held.expansion(), held.decimal(), held == held.copy()
        accord.Accumulator(v for v in x), accord.Accumulator([2**70, 0.5])
        for wrong in (lambda: held.add([1.0], [1.0, 2.0]), lambda: held.var(),
                      lambda: accord.Accumulator.from_bytes(data[:-1]),
                      lambda: accord.Accumulator(["1"]), lambda: accord.Accumulator([2**2000]),
                      lambda: accord.sum(x, axis=7), lambda: accord.cumsum(["a"])):
            try:
                wrong()
            except (accord.Error, OverflowError):
                pass

    for _ in range(20):
        all_of_it()
    before, blocks = resident(), settled()
    for _ in range(100):
        all_of_it()
    assert settled() - blocks < 500
    assert resident() - before < 4_000_000


def test_targets_in_cycles_are_collected():
    import weakref

    from accord import _accord

    class Holder:
        def __call__(self, x):
            return x.sum()

    holder = Holder()
    holder.target = _accord.callable(holder, 4, (((4,), True),),
                                     lambda b: (np.frombuffer(b[0], np.float32),))
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_results_outlive_what_made_them():
    order = accord.reveal(np.sum, n=50)
    found = accord.map(accord.axis(np.sum, 1), shape=(3, 8))
    part = found.classes[0].order
    del found
    gc.collect()
    with tempfile.TemporaryFile() as file:
        file.write(order.to_json().encode())
    assert part.n == 8 and part.to_json() and order.text
