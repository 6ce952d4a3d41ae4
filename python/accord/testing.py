"""Assertions on orders, for any test framework. An AssertionError shows both orders in words, the
first differing node, and an input on which the two give different bits.

>>> import accord.testing, numpy
>>> accord.testing.assert_same_order(numpy.sum, numpy.add.reduce, n=[8, 100])
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

from . import _accord, _records, _survey
from ._accord import ArgumentError
from ._arrays import library_of
from ._difference import diff
from ._order import Order
from .adapters import Adapter

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import AskOptions, RevealOptions

__all__ = ["assert_batch_invariant", "assert_same_on_threads", "assert_same_order"]


def _many(n: Any) -> list[Any]:
    return list(n) if hasattr(n, "__iter__") else [n]


def _ordered(order: Order, who: str) -> Order:
    if not order.fingerprint:
        raise AssertionError(f"{who} has no fixed order ({order.reason}): {order.verdict}")
    return order


def _require_same(a: Order, b: Order, one: str, other: str) -> None:
    found = diff(_ordered(a, one), _ordered(b, other))
    if found.sameness not in ("same", "same-on-inputs"):
        raise AssertionError(f"A is {one}, B is {other}.\n{found}")


def assert_same_order(a: Any, b: Any, n: Any = None, dtype: Any = None,
                      **how: Unpack[RevealOptions]) -> None:
    """Asserts that a and b add in the same order with the same arithmetic.

    a, b: each what `accord.reveal` takes, or an Order. n: a number of terms, or several. Other
    arguments as for `accord.reveal`. The assertion fails for a target without a fixed order, even
    if it is compared with itself.
    """
    for count in _many(n):
        orders = [each if isinstance(each, Order) else
                  _records.ask(each, n=count, dtype=dtype, **how) for each in (a, b)]
        names = [f"{order.fields['target'] or 'an order'}, {order.n} terms" for order in orders]
        if orders[0].n != orders[1].n:
            raise AssertionError(f"A is {names[0]}, B is {names[1]}: they cannot be compared")
        _require_same(orders[0], orders[1], names[0], names[1])


def _require_agreement(found: _survey.Survey) -> None:
    """Asserts that every setting has an order, and that all of them have the same one."""
    for group in found.groups:
        if group.order is None:
            raise AssertionError(f"{found}\nno fixed order with {group.settings[0]}: {group.error}")
    for group in found.groups[1:]:
        first = next(g for g in found.groups if g.n == group.n)
        if first is not group:
            assert first.order is not None and group.order is not None
            raise AssertionError(f"{found}\nA is the order with {first.settings[0]}, B the one with "
                                 f"{group.settings[0]}.\n{diff(first.order, group.order)}")
    if found.verdict not in ("same", "same-on-inputs"):
        raise AssertionError(str(found))


def assert_batch_invariant(target: Any, batches: Iterable[int] = range(1, 65), *, shape: Any,
                           element: Any = None, **how: Unpack[AskOptions]) -> None:
    """Asserts that the result of an element does not depend on the number of rows in the batch.

    Arguments as for `accord.batch_invariant`: target is ``accord.gemm(f)``, ``gemv(f)``,
    ``axis(f)`` or a notation, and of `shape` the number of rows is replaced by each of `batches`.

    >>> import accord, numpy
    >>> assert_batch_invariant(accord.axis(numpy.sum, 1), [1, 2, 5], shape=(1, 40))
    """
    _require_agreement(_survey.batch_invariant(target, batches, shape=shape, element=element,
                                               **how))


# ---- threads ----


def assert_same_on_threads(target: Any, threads: Iterable[int] = (1, 2, 4), n: Any = None,
                           dtype: Any = None, *, where: str = "auto",
                           **how: Unpack[RevealOptions]) -> None:
    """Asserts that the order does not depend on the number of threads.

    where
        "process": each number of threads in a process of its own, set by OMP_NUM_THREADS and the
        variables of OpenBLAS, MKL and BLIS, as users set it. This works for every library that
        reads one of these; the callable must be importable. "here": in this process, through
        ``torch.set_num_threads`` for callables of PyTorch, else threadpoolctl, which must find a
        pool of threads to set. "auto": "process" where the callable can be imported, else "here".

    Libraries may start fewer threads than they are told to, often no more than there are
    processors; there is a warning if that must be the case. The assertion fails for JAX, whose
    number of threads cannot be set. Other arguments as for `accord.reveal`; n may be
    several.

    >>> import numpy
    >>> assert_same_on_threads(numpy.sum, [1, 2], n=40)
    """
    if where not in ("auto", "process", "here"):
        raise ArgumentError(f"where={where!r} is not auto, process or here")
    counts = list(threads)
    if len(counts) < 2:
        raise ArgumentError(f"threads={counts} leaves nothing to compare: give at least two numbers")
    adapter = None if isinstance(target, str) else (
        target if isinstance(target, Adapter) else Adapter(target))
    library = library_of(adapter.function) if adapter else None
    if library in ("jax", "jaxlib"):
        raise ArgumentError("the number of threads of JAX on the CPU cannot be set: run the test "
                            "itself under taskset, and compare with accord_snapshot")
    _warn_of_processors(counts)
    if where == "process" or (where == "auto" and _importable(target)):
        found = _survey.sweep(target, n, dtype, threads=counts,
                              env={"PYTHONPATH": [os.pathsep.join(p for p in sys.path if p)]},
                              **how)
        for row in found.rows:  # it is none of the settings that vary; groups share these
            row.setting.pop("PYTHONPATH", None)
    else:
        found = _here(adapter, library, counts, _many(n), dtype, dict(how))
    _require_agreement(found)


def _warn_of_processors(counts: list[int]) -> None:
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if there and max(counts) > there:
        warnings.warn(f"threads={counts}, but the number of processors is {there}: many libraries "
                      "start no more threads than that", stacklevel=3)


def _importable(target: Any) -> bool:
    try:
        _survey._describe(target)
    except ArgumentError:
        return False
    return True


def _here(adapter: Any, library: str | None, counts: list[int], terms: list[Any], dtype: Any,
          how: dict[str, Any]) -> _survey.Survey:
    if adapter is None:
        raise ArgumentError("a target that is named by a notation is asked in a process of its own: leave where out")
    setter = _torch if library == "torch" else _pools

    def settings() -> Iterator[tuple[dict[str, Any], Callable[[], tuple[int, Order]]]]:
        for n in terms:
            for count in counts:
                def ask(n: Any = n, count: int = count) -> tuple[int, Order]:
                    with setter(count):
                        return _survey._here(adapter, {"n": n, "dtype": dtype, **how})()

                yield ({"n": n} if n is not None else {}) | {"threads": count}, ask

    return _survey.survey(f"{adapter!r}, threads set in this process", settings())


@contextlib.contextmanager
def _torch(count: int) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        if torch.get_num_threads() != count:
            raise _accord.TargetError(f"PyTorch did not accept {count} threads")
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _pools(count: int) -> Iterator[None]:
    try:
        import threadpoolctl
    except ImportError:
        raise ArgumentError("the number of threads of a callable that cannot be imported is set by "
                            "threadpoolctl: install it, or put the callable into a module") from None
    with threadpoolctl.threadpool_limits(limits=count):
        pools = threadpoolctl.threadpool_info()
        if not pools:
            raise ArgumentError("threadpoolctl finds no thread pool whose size it can set: put the "
                                "callable into a module")
        if all(pool["num_threads"] != count for pool in pools):
            warnings.warn(f"no thread pool accepted {count} threads: "
                          + ", ".join(f"{p['internal_api']} has {p['num_threads']}" for p in pools),
                          stacklevel=2)
        yield
