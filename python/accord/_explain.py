"""Why two implementations differ: order, noise, or a fault."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from . import _accord
from ._accord import ArgumentError
from ._arrays import quiet
from ._errors import CannotTellError
from ._options import Progress
from ._order import Order, figure
from ._progress import shown
from ._question import Question

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import TargetOptions


class ExplainTest(NamedTuple):
    """A statistic of one implementation on the inputs of one kind (doc/explain.md)."""

    name: str  #: "bias", "truncation", "offset", "factor", "size", "cut-tf32", …, "term"
    about: str  #: what `value` is
    kind: str  #: of the inputs
    value: float
    reference: float  #: the greatest magnitude over the reference orders
    limit: float  #: a magnitude above this is outside
    decides: bool  #: False: there are too few inputs
    outside: bool
    term: int  #: of "term": the one that stands out most; else -1
    terms: int  #: of "term": how many are outside


@dataclasses.dataclass(frozen=True)
class Fault:
    """An input with few terms that are not 0, for which an error is larger than any order can cause."""

    x: list[float]
    y: list[float] | None  #: the second factors, where terms are products
    result: float
    exact: float
    envelope: float  #: what an order can cause at most


@dataclasses.dataclass(frozen=True, repr=False)
class Explained:
    """One implementation, held against the exact result."""

    target: str
    verdict: str  #: "order", "noise", "cannot-tell", "suspect" or "bug"
    words: str
    order: Order  #: what was revealed; its `fingerprint` is "" if no order was found
    replays: bool  #: its model gives every result that was compared
    accumulator: str  #: in what a right implementation may accumulate
    inputs: int
    varied: int  #: inputs that gave other bits when they were asked again
    worst: float  #: the greatest error, divided by what any order can cause
    level: float  #: of each test
    tests: list[ExplainTest]
    fault: Fault | None
    element: tuple[int, int] | None  #: of many results, one that is wrong

    def __repr__(self) -> str:
        return f"<accord.Explained {self.target}: {self.verdict}>"

    def __hash__(self) -> int:
        return hash((self.target, self.verdict, self.words))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.target}: {self.verdict}"
        yield f"  {self.words}"
        yield f"  errors reach {self.worst:.3g} of what any order in {self.accumulator} can cause"
        for test in self.tests:
            if test.outside:
                term = f", term {test.term}" if test.term >= 0 else ""
                yield (f"  {test.name}, {test.kind} inputs{term}: {test.value:.4g}, limit "
                       f"{test.limit:.4g}")


@dataclasses.dataclass(frozen=True, repr=False)
class Explanation:
    """Why two implementations differ. It is true for the verdicts "order" and "noise", false for
    "suspect" and "bug"; for "cannot-tell" the truth value raises CannotTellError."""

    verdict: str
    words: str
    implementations: list[Explained]
    inputs: int
    differ: int  #: on how many inputs the two results differ
    largest_ulp: float  #: the largest difference, in units in the last place
    first_node: str  #: where the orders part, in words

    def __bool__(self) -> bool:
        if self.verdict == "cannot-tell":
            raise CannotTellError(self.words)
        return self.verdict in ("order", "noise")

    def __hash__(self) -> int:
        return hash((self.verdict, self.words))

    def __repr__(self) -> str:
        return f"<accord.Explanation {self.verdict}: {self.words}>"

    def _repr_html_(self) -> str:
        return figure(str(self), "")

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.words}"]
        if len(self.implementations) > 1:
            lines.append(f"{self.differ} of {self.inputs} inputs give different results")
        if self.first_node:
            lines.append(self.first_node)
        return "\n".join(lines + [str(each) for each in self.implementations])


def _side(found: dict[str, Any], question: Question) -> Explained:
    fault = (None if found["x"] is None else
             Fault(found["x"], found["y"], found["result"], found["exact"], found["envelope"]))
    element = (found["row"], found["column"]) if found["row"] >= 0 else None
    return Explained(found["target"], found["verdict"], found["words"],
                     Order(found["record"], question), found["replays"], found["accumulator"],
                     found["inputs"], found["varied"], found["worst"], found["level"],
                     [ExplainTest(*test) for test in found["tests"]], fault, element)


def explain(a: Any, b: Any = None, n: int | None = None, dtype: Any = None, *, shape: Any = None,
            element: Any = None, kinds: str | Any = None, samples: int | None = None,
            accumulator: str | None = None, allow_nondeterministic: bool = False, seed: int = 0,
            budget: str | float | None = None, progress: Progress | bool | None = None,
            array: Any = "auto", copy: bool = False, output: Any = None,
            **options: Unpack[TargetOptions]) -> Explanation:
    """Says why two implementations of a sum differ: because they add in different orders, by rounding
    that any right implementation has, or because one of them is wrong.

    a, b
        What `accord.reveal` takes: callables, adapters, or notations. Without b, a is judged alone.
    n, dtype, shape, element, array, copy, output, options
        As for `accord.reveal`.
    kinds, samples
        The kinds of inputs, such as "normal,log-normal" (doc/json.md), and how many of each; by
        default 1000 of "normal" and "positive".
    accumulator
        In what a right implementation may accumulate: "bf16", "fused:hopper-f16", … By default
        what was revealed, if it is at least as wide as float32 and the result.
    allow_nondeterministic
        True: results that vary when an input is asked again are no fault.
    seed, budget, progress
        Of the inputs; for the search for an order (30 s by default); as for `accord.reveal`.

    >>> import accord, numpy
    >>> found = accord.explain(numpy.sum, numpy.add.reduce, n=100)
    >>> found.verdict
    'order'
    >>> print(accord.explain(lambda x: numpy.sum(x[:-1]), n=100).words.split(";")[0])
    term 99 is missing
    """
    if samples is not None and samples < 1:
        raise ArgumentError(f"samples={samples}: give a number of at least 1")
    if isinstance(budget, (int, float)):
        budget = f"{float(budget)!r}s"
    chosen = kinds if kinds is None or isinstance(kinds, str) else ",".join(kinds)
    questions = [Question(each, n, dtype, shape=shape, element=element, array=array, copy=copy,
                          output=output, seed=seed, **options) for each in (a, b)
                 if each is not None]
    opened = [question.open() for question in questions]
    places = [place for _, row, column in opened for place in (row, column)]
    with quiet(), shown(progress) as bar:
        found = _accord.explain(opened[0][0], opened[1][0] if b is not None else None,
                                tuple((places + [-1, 0])[:4]), seed=seed, samples=samples or 0,
                                kinds=chosen, accumulator=accumulator,
                                allow_nondeterministic=allow_nondeterministic, budget=budget,
                                progress=bar)
    sides = [_side(*each) for each in zip(found["implementations"], questions)]
    return Explanation(found["verdict"], found["words"], sides, found["inputs"], found["differ"],
                       found["largest_ulp"], found["first_node"])


def assert_explained(a: Any, b: Any = None, n: Any = None, dtype: Any = None, **how: Any) -> None:
    """Asserts that every difference of two implementations is explained by their orders, or by
    rounding that any right implementation has. Arguments as for `accord.explain`; n may be several
    numbers of terms. The message of the AssertionError is the explanation.

    >>> import accord, numpy
    >>> accord.assert_explained(numpy.sum, lambda x: numpy.sum(x[::-1]), n=[7, 100])
    """
    for count in list(n) if hasattr(n, "__iter__") else [n]:
        found = explain(a, b, count, dtype, **how)
        if not found:
            raise AssertionError(str(found))
