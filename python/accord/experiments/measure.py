"""Times of revealing, n growing until a second is passed."""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any, Callable, Iterator, NamedTuple

from .operations import Operation, Original

LIMIT = 1.0  # seconds; the first n above it is the last
TOO_LONG = 120.0  # an n that is expected to take longer than this is not tried
MOST_NAIVE = 8  # terms; the papers' limit


class Time(NamedTuple):
    """Times of one algorithm on one operation of n terms."""

    operation: str
    algorithm: str
    n: int
    runs: int
    mean: float  #: seconds
    median: float
    fingerprint: str


class Method(NamedTuple):
    """An algorithm, ours or the original's."""

    name: str
    start: Callable[[Operation, int], Callable[[], Any] | None]
    fingerprint: Callable[[Any, int], str]
    naive: bool = False


def _ours(name: str, algorithm: str, certificate: bool = False) -> Method:
    def start(operation: Operation, n: int) -> Callable[[], Any]:
        return lambda: operation.reveal(n, algorithm=algorithm, certificate=certificate)

    return Method(name, start, lambda order, n: order.fingerprint or "", algorithm == "naive")


def _theirs(name: str, original: Original, algorithm: str) -> Method:
    solve = original.algorithms[algorithm]

    def start(operation: Operation, n: int) -> Callable[[], Any] | None:
        asked = original.operation(operation, n)
        return None if asked is None else lambda: solve(asked)

    return Method(name, start, lambda drawn, n: original.order(drawn, n).fingerprint or "",
                  algorithm == "naive")


def methods(algorithms: tuple[str, ...], original: Original | None) -> list[Method]:
    """Ours by name, the original's of the same names beside them, and accord as it is by default,
    without and with its certificate."""
    found = [_ours(name, name) for name in algorithms]
    if original is not None:
        found += [_theirs(f"original {name}", original, name) for name in algorithms]
    return [*found, _ours("accord", "auto"), _ours("accord, proven", "auto", True)]


def say(text: str, last: bool = False) -> None:
    """Progress, on a terminal only; the last word of a line everywhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="\n" if last else "", file=sys.stderr, flush=True)
    elif last:
        print(text, file=sys.stderr, flush=True)


def _counts(naive: bool, most: int) -> Iterator[int]:
    n = 4
    while n <= (min(most, MOST_NAIVE) if naive else most):
        yield n
        n = n + 1 if naive else 2 * n


def once(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a run, and what it gave."""
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


def _times(run: Callable[[], Any], runs: int) -> tuple[list[float], Any]:
    """A run to warm up (it may load and compile), then `runs` more; long ones are not repeated."""
    seconds, found = once(run)
    if seconds > 10 * LIMIT:
        return [seconds], found
    times = [once(run)[0]]
    if times[0] <= LIMIT:
        times += [once(run)[0] for _ in range(runs - 1)]
    return times, found


def series(operation: Operation, method: Method, runs: int, most: int) -> Iterator[Time]:
    """n from 4 on: doubled (for the naive algorithm one more each) until a second is passed."""
    before, growth = 0.0, 1.0
    for n in _counts(method.naive, most):
        if before * growth * (4 if method.naive else 1) > TOO_LONG:
            say(f"{operation.label}, {method.name}: n = {n} would take minutes, left out", True)
            return
        run = method.start(operation, n)
        if run is None:
            return
        say(f"{operation.label}, {method.name}, n = {n}")
        try:
            seconds, found = _times(run, runs)
        except Exception as error:  # what any library, or the original, may raise
            say(f"{operation.label}, {method.name}, n = {n}: {type(error).__name__}: {error}", True)
            return
        mean = statistics.fmean(seconds)
        yield Time(operation.label, method.name, n, len(seconds), mean, statistics.median(seconds),
                   method.fingerprint(found, n)[:12])
        growth, before = (mean / before if before else 1.0), mean
        if mean > LIMIT:
            return


def measure(asked: list[Operation], ways: list[Method], runs: int, most: int) -> list[Time]:
    """All methods on all operations."""
    found: list[Time] = []
    for operation in asked:
        for method in ways:
            own = list(series(operation, method, runs, most))
            found += own
            if own:
                say(f"{operation.label}, {method.name}: n to {own[-1].n}, {own[-1].mean:.3g} s", True)
    return found


def disagreements(times: list[Time]) -> list[str]:
    """Where two methods found two trees for one question."""
    trees: dict[tuple[str, int], dict[str, list[str]]] = {}
    for t in times:
        trees.setdefault((t.operation, t.n), {}).setdefault(t.fingerprint, []).append(t.algorithm)
    return [f"{operation}, n = {n}: " + "; ".join(f"{p or 'none'} by {', '.join(names)}"
                                                for p, names in found.items())
            for (operation, n), found in trees.items() if len(found) > 1]
