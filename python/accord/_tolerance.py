"""Tolerances for tests of sums."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from . import _accord
from ._accord import ArgumentError
from ._arrays import doubles, quiet
from ._formats import format_of
from ._options import Progress
from ._progress import shown
from ._question import Question

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import TargetOptions

#: Words that stand for a question without an implementation, and what a target adds.
_QUESTIONS = {"sum": "", "dot": ",products"}


@dataclasses.dataclass(frozen=True)
class Tolerances:
    """Two pairs, as keywords of numpy.testing.assert_allclose and torch.testing.assert_close."""

    proven: dict[str, float]  #: no right implementation breaks it
    statistical: dict[str, float]  #: at most a fraction `level` of arrays breaks it
    tail: str  #: where `statistical` comes from: "samples", "exponential", …, "proven"


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far right implementations of a sum may be apart (doc/tolerance.md)."""

    exact: Tolerances  #: for comparison with the exact result, in float64
    implementation: Tolerances  #: for comparison with another right implementation
    n: int
    accumulator: str  #: in what a right implementation may accumulate
    elements: int  #: of an array
    level: float
    samples: int  #: simulated for each reference order
    orders: int  #: reference orders
    worst: str  #: the order that has the largest error most often
    reason: str  #: what rtol covers


def _operand(array: Any, rows: int | None, what: str) -> tuple[int, Any]:
    held = doubles(array)
    if len(held.shape) not in (1, 2):
        raise ArgumentError(f"{what} have {len(held.shape)} dimensions; give a row for each sum")
    count = held.shape[0] if len(held.shape) == 2 else 1
    if not all(held.shape):
        raise ArgumentError(f"{what} hold no numbers: give a row for each sum")
    if rows is not None and count != rows:
        raise ArgumentError(f"there are {rows} rows of first factors and {count} rows of {what}")
    return count, held.buffer


def _inputs(given: Any, start: Any) -> tuple[int, Any, Any, Any] | None:
    if given is None:
        if start is not None:
            raise ArgumentError("start values go with inputs, which are missing")
        return None
    pair = given if isinstance(given, tuple) else (given,)
    if len(pair) not in (1, 2):
        raise ArgumentError("inputs are an array, or a pair of arrays: the factors of products")
    rows, x = _operand(pair[0], None, "inputs")
    y = _operand(pair[1], rows, "second factors")[1] if len(pair) == 2 else None
    return rows, x, y, None if start is None else doubles(start).buffer


def _open(target: Any, n: int | None, dtype: Any, output: Any,
          how: dict[str, Any]) -> tuple[_accord.Target, int, int]:
    if not isinstance(target, str) or target not in _QUESTIONS:
        return Question(target, n, dtype, output=output, **how).open()
    out = "" if output is None else ",out=" + format_of(output)
    return Question(f"synthetic:sequential{_QUESTIONS[target]}{out}", n,
                    "float32" if dtype is None else dtype, **how).open()


def tolerance(target: Any, n: int | None = None, dtype: Any = None, *, a_max: float = 1,
              b_max: float = 1, c_max: float = 1, nonnegative: bool = False,
              distribution: str = "uniform", inputs: Any = None, start: Any = None,
              elements: int | None = None, level: float = 1e-6, samples: int | None = None,
              accumulator: str | None = None, shape: Any = None, element: Any = None,
              seed: int = 0, budget: str | float | None = None,
              progress: Progress | bool | None = None, array: Any = "auto", copy: bool = False,
              output: Any = None, **options: Unpack[TargetOptions]) -> Tolerance:
    """Finds atol and rtol for tests of a sum: those that no right implementation breaks, and those
    that one array in a million breaks in simulated reference orders.

    target
        "sum" or "dot", which name no implementation; or what `accord.reveal` takes.
    n, dtype, shape, element, array, copy, output, options
        As for `accord.reveal`.
    a_max, b_max, c_max, nonnegative, distribution
        The greatest magnitudes of terms or first factors, of second factors, and of start values;
        whether none of them is negative; "uniform", or "normal" with a sixth of these as standard
        deviation.
    inputs, start
        Or the inputs themselves: an array with a row for each element, or a pair of arrays, the
        factors of products; and the start values.
    elements, level, samples
        How many elements an array has, one of which is enough to break it; the fraction of arrays
        that may break the statistical pair; and how many inputs are simulated.
    accumulator
        As for `accord.explain`.
    seed, budget, progress
        Of the simulation; for the search for an order (30 s by default); as for `accord.reveal`.

    >>> import accord, numpy
    >>> found = accord.tolerance("dot", 64, "float32", elements=1000)
    >>> x, y = numpy.random.default_rng(1).uniform(-1, 1, (2, 1000, 64)).astype("float32")
    >>> exact = [accord.dot(*each) for each in zip(x, y)]
    >>> numpy.testing.assert_allclose(numpy.einsum("ij,ij->i", x, y), exact, **found.exact.proven)
    """
    if distribution not in ("uniform", "normal"):
        raise ArgumentError(f"distribution={distribution!r}: choose uniform or normal")
    if any(limit <= 0 for limit in (a_max, b_max, c_max, level)):
        raise ArgumentError("a_max, b_max, c_max and level have to be positive")
    if isinstance(budget, (int, float)):
        budget = f"{float(budget)!r}s"
    given = _inputs(inputs, start)
    how = dict(options, shape=shape, element=element, array=array, copy=copy, seed=seed,
               given=inputs[0] if isinstance(inputs, tuple) else inputs)
    opened, row, column = _open(target, n, dtype, output, how)
    with quiet(), shown(progress) as bar:
        found = _accord.tolerance(opened, row, column, limits=(a_max, b_max, c_max),
                                  nonnegative=nonnegative, normal=distribution == "normal",
                                  inputs=given, elements=elements or 0, level=level,
                                  samples=samples or 0, accumulator=accumulator,
                                  question_only=isinstance(target, str) and target in _QUESTIONS,
                                  seed=seed, budget=budget, progress=bar)
    found["exact"] = Tolerances(*found["exact"])
    found["implementation"] = Tolerances(*found["implementation"])
    return Tolerance(**found)
