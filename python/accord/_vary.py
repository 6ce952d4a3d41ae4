"""How far results spread: from run to run, across numbers of threads, in batches."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

from . import _accord
from ._accord import ArgumentError
from ._arrays import doubles, quiet
from ._options import Progress
from ._order import figure
from ._progress import shown
from ._question import Question
from ._survey import THREADS
from .adapters import Adapter, Axis, Gemm, Gemv, Layout

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import TargetOptions


@dataclasses.dataclass(frozen=True)
class VariedResult:
    """A distinct result. The first of all is the reference of the others."""

    value: float  #: of results with many elements, that of the element that is followed
    runs: int
    setting: str  #: under which it came first …
    first: int  #: … and in which run of it, from 0
    vermv: float  #: mean relative variability, from the first result
    vc: float  #: share of elements that differ from the first result
    sha256: bytes  #: of all its elements


@dataclasses.dataclass(frozen=True)
class VariedSetting:
    """The runs under one setting."""

    name: str
    places: int  #: of a batch that were asked; else 1
    distinct: int
    varies: bool  #: some place gave several results
    outcomes: list[int]  #: of each run: which of the results
    results: list[float]  #: of each run: the element that is followed
    spread: float  #: of these, in units in the last place
    mean: float
    deviation: float  #: in units in the last place
    entropy: float  #: in bits
    replays: bool  #: a model that was revealed gives the same bits
    proven: bool  #: and it is proven
    words: str
    order: str


@dataclasses.dataclass(frozen=True)
class Expected:
    """What is known of a sum without asking for it."""

    exact: float
    magnitude: float  #: the sum of the magnitudes of the terms
    bound: float  #: no order in `inside` or wider is further from the exact sum
    predicted: float  #: the deviation of sums in random orders
    inside: str


@dataclasses.dataclass(frozen=True, repr=False)
class Variation:
    """What many runs gave. It is true if all of them gave the same bits."""

    target: str
    n: int | None  #: None: a function without arguments
    runs: int
    elements: int  #: of one result
    varying: int  #: elements that took several values
    spread: float  #: the largest of an element, in units in the last place
    results: list[VariedResult]  #: the distinct ones, in the order in which they came
    settings: list[VariedSetting]
    expected: Expected | None

    @property
    def distinct(self) -> int:
        return len(self.results)

    def __bool__(self) -> bool:
        return self.distinct == 1

    def __hash__(self) -> int:
        return hash((self.target, self.runs, tuple(each.sha256 for each in self.results)))

    def __repr__(self) -> str:
        results = "1 distinct result" if self else f"{self.distinct} distinct results"
        return f"<accord.Variation {self.target}: {results} in {self.runs} runs>"

    def _repr_html_(self) -> str:
        return figure(str(self), "")

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield repr(self)[len("<accord.Variation "):-1]
        if self.elements > 1:
            yield f"{self.varying} of {self.elements} elements vary"
        for setting in self.settings:
            counts = [(i, setting.outcomes.count(i)) for i in sorted(set(setting.outcomes))]
            shares = ", ".join(f"{i + 1} ({count} runs)" for i, count in counts[:6])
            more = f", and {len(counts) - 6} more" if len(counts) > 6 else ""
            words = f"; {setting.words}" if setting.words else ""
            yield (f"  {setting.name or 'runs'}: result{'s' * (len(counts) > 1)} {shares}{more}, "
                   f"spread {setting.spread:.4g} ulp{words}")


class _Whole(Adapter):
    """A function without arguments, as sums of one term that it does not look at."""

    signature = "whole"

    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__(function)
        self.shape = doubles(function()).shape
        if not math.prod(self.shape):
            raise ArgumentError(f"{self.name} returns an array without numbers")

    def layout(self, n: int | None, shape: Any) -> Layout:
        count = math.prod(self.shape)
        return Layout(1, (((count, 1), True),), (count,), count, 1, shape=f"{count}x1")

    def call(self) -> Callable[..., Any]:
        def ask(_: Any) -> Any:
            result = doubles(self.function())
            if result.shape != self.shape:
                raise ArgumentError(f"{self.name} returns arrays of different shapes: {self.shape} "
                                    f"and {result.shape}")
            flat = result.buffer
            return flat.reshape(-1) if hasattr(flat, "reshape") else memoryview(flat).cast(
                "B").cast("d")

        return ask


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _settings(target: Any, threads: Iterable[int] | None, batch: Iterable[int] | None,
              shape: Any) -> Iterator[tuple[str, dict[str, str], Any]]:
    """The name of each setting, its environment, and its shape."""
    for count in threads or [None]:  # type: ignore[list-item]
        around = {} if count is None else {name: str(count) for name in THREADS}
        name = "" if count is None else f"{count} thread{'s' * (count != 1)}"
        for size in batch or [None]:  # type: ignore[list-item]
            chosen = shape if size is None else _batch_shape(target, shape, size)
            part = "" if size is None else f"batch of {size}"
            yield ", ".join(filter(None, (name, part))), around, chosen


def _batch_shape(target: Any, shape: Any, size: int) -> Any:
    if not isinstance(target, (str, Gemm, Gemv, Axis)) or shape is None:
        raise ArgumentError("a batch needs accord.gemm, gemv or axis of a callable, or a notation "
                            "such as blas:sgemm, and a shape")
    if isinstance(shape, str):
        return f"{size}x{shape.partition('x')[2]}"
    turned = isinstance(target, Axis) and target.axis == 0
    return (*tuple(shape)[:-1], size) if turned else (size, *tuple(shape)[1:])


def _inputs(given: Any) -> tuple[int, int, tuple[Any, ...], str | None]:
    pair = given if isinstance(given, tuple) else (given,)
    held = [doubles(each) for each in pair]
    if len(held) not in (1, 2) or any(len(each.shape) not in (1, 2) or
                                      each.shape != held[0].shape for each in held):
        raise ArgumentError("inputs are an array of terms, or of rows of terms; or a pair of such "
                            "arrays of one shape: the factors of products")
    if not all(held[0].shape):
        raise ArgumentError("inputs hold no numbers: give a row of terms for each sum")
    rows, n = held[0].shape if len(held[0].shape) == 2 else (1, held[0].shape[0])
    return rows, n, tuple(each.buffer for each in held), held[0].dtype


def vary(target: Any, n: int | None = None, dtype: Any = None, *, runs: int | None = None,
         shape: Any = None, element: Any = None, threads: Iterable[int] | None = None,
         batch: Iterable[int] | None = None, load: bool | int = False, inputs: Any = None,
         kinds: str | Iterable[str] | None = None, seed: int = 0, proof: bool = True,
         budget: str | float | None = None, progress: Progress | bool | None = None,
         array: Any = "auto", copy: bool = False, output: Any = None,
         **options: Unpack[TargetOptions]) -> Variation:
    """Asks for the same result again and again, and counts the distinct ones. The answer is true if
    all runs gave the same bits.

    target
        What `accord.reveal` takes; or a function without arguments that returns a number or an
        array of any shape (without n, shape and inputs).
    n, dtype, shape, element, array, copy, output, options
        As for `accord.reveal`. `element` is the one whose values are kept; all are compared.
    runs
        Under each setting, 1000 by default; with batch at each place, 4 by default.
    threads
        Numbers of threads, each asked in a process of its own: of notations only, such as
        "blas:ddot" or "python:package.function".
    batch
        Numbers of rows: the first row of the input stands at every place of such batches, between
        random rows, and its result should always be the same (batch invariance).
    load
        True: as many threads as there are processors keep these busy meanwhile; or how many.
    inputs
        An array of terms, or of rows of them, or a pair of arrays, in place of random ones.
    kinds, seed
        Of random inputs: "normal", or several kinds (doc/json.md).
    proof, budget
        Whether the order of a target that does not vary is revealed, and the limit for that, 10 s
        by default.

    >>> import accord, numpy
    >>> found = accord.vary(numpy.sum, n=1000, runs=20)
    >>> bool(found), found.settings[0].proven
    (True, True)
    >>> rng = numpy.random.default_rng(0)
    >>> accord.vary(lambda: rng.integers(2, size=3), runs=50).distinct
    8
    """
    if runs is not None and runs < 1:
        raise ArgumentError(f"runs={runs}: give a number of at least 1")
    if isinstance(budget, (int, float)):
        budget = f"{float(budget)!r}s"
    if threads is not None and not isinstance(target, str):
        raise ArgumentError("numbers of threads need a process of their own: give a notation, such "
                            "as \"python:package.function\", or set them in the callable")
    whole = (n is None and shape is None and inputs is None and callable(target) and
             not isinstance(target, Adapter))
    given = None
    if inputs is not None:
        rows, terms, buffers, short = _inputs(inputs)
        given = (rows, terms, *buffers)
        n = terms if n is None and shape is None else n
        dtype = short if dtype is None else dtype
    asked = _Whole(target) if whole else target

    def opened() -> Iterator[tuple[str, _accord.Target, int, int]]:
        for name, around, form in _settings(target, threads, batch, shape):
            question = Question(asked, 1 if whole else n, dtype, shape=form, element=element,
                                array=array, copy=copy, output=output, seed=seed,
                                given=inputs[0] if isinstance(inputs, tuple) else inputs, **options)
            with _environment(around):
                setting = (name, *question.open())
            yield setting
            del setting

    with quiet(), shown(progress) as bar:
        found = _accord.vary(opened(), batch is not None, runs=runs or 0, seed=seed,
                             kinds=kinds if kinds is None or isinstance(kinds, str)
                             else ",".join(kinds),
                             load=(os.cpu_count() or 1) if load is True else int(load),
                             proof=proof and not whole, budget=budget, progress=bar, inputs=given)
    exact = found["expected"][0]
    return Variation(
        found["target"], None if whole else found["n"], found["runs"], found["elements"],
        found["varying"], found["spread"],
        [VariedResult(value, count, found["settings"][setting]["name"], first, vermv, vc, digest)
         for value, count, setting, first, vermv, vc, digest in found["outcomes"]],
        [VariedSetting(**each) for each in found["settings"]],
        None if whole or math.isnan(exact) else Expected(*found["expected"]))
