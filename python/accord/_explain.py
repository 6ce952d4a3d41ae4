"""Why two implementations differ: order, noise, or a fault."""

from __future__ import annotations

import array
import dataclasses
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from . import _accord
from ._accord import ArgumentError
from ._arrays import doubles, quiet
from ._errors import CannotTellError
from ._formats import format_of, short_name
from ._options import Progress
from ._order import Order, figure
from ._progress import shown
from ._question import Question
from .adapters import Adapter, Gemm, Gemv

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import TargetOptions


class ExplainTest(NamedTuple):
    """A statistic of one implementation on the inputs of one kind (doc/explain.md)."""

    name: str  #: "bias", "truncation", "offset", "factor", "size", "row", "column", "cut-tf32", …, "term"
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
    """One implementation, compared with the exact result."""

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


def _side(found: dict[str, Any], question: Question | None) -> Explained:
    fault = (None if found["x"] is None else
             Fault(found["x"], found["y"], found["result"], found["exact"], found["envelope"]))
    element = (found["row"], found["column"]) if found["row"] >= 0 else None
    return Explained(found["target"], found["verdict"], found["words"],
                     Order(found["record"], question), found["replays"], found["accumulator"],
                     found["inputs"], found["varied"], found["worst"], found["level"],
                     [ExplainTest(*test) for test in found["tests"]], fault, element)


class _Inputs(NamedTuple):
    """Rows of inputs, or the operands of a matrix product, as buffers of float64."""

    rows: int
    n: int  #: terms; and the start value, if there is one
    x: Any
    y: Any  #: the second factors, or the columns of the second operand; None: terms are values
    columns: int  #: of the product; 0: rows of inputs
    start: Any
    dtype: str | None  #: accord's name of the format, if the arrays have one


def _columns_of(held: Any) -> Any:
    """The columns of a matrix, one after the other."""
    rows, columns = held.shape
    if hasattr(held.buffer, "T"):
        return held.buffer.T.copy(order="C")
    return array.array("d", (held.buffer[i, j] for j in range(columns) for i in range(rows)))


def _are_matrices(x: tuple[int, ...], y: tuple[int, ...], sides: tuple[Any, ...], shape: Any) -> bool:
    """Two square arrays may be both; then the results, or the shape, say which."""
    if len(x) != 2 or len(y) not in (1, 2) or x[1] != y[0]:
        return False
    if len(y) == 1 or x != y:
        return True
    return shape is not None or any(
        isinstance(side, (Gemm, Gemv)) or (_is_results(side) and len(doubles(side).shape) == 2)
        for side in sides if side is not None)


def _inputs(given: Any, start: Any = None, sides: tuple[Any, ...] = (),
            shape: Any = None) -> _Inputs | None:
    if given is None:
        if start is not None:
            raise ArgumentError("start values go with inputs, which are missing")
        return None
    pair = given if isinstance(given, tuple) else (given,)
    if len(pair) not in (1, 2):
        raise ArgumentError("inputs are an array, or a pair of arrays: the factors of products")
    held = [doubles(each) for each in pair]
    if not all(held[0].shape):
        raise ArgumentError("inputs hold no numbers: give a row of terms for each sum")
    if len(held) == 2 and _are_matrices(held[0].shape, held[1].shape, sides, shape):
        rows, factors = held[0].shape
        vector = len(held[1].shape) == 1
        return _Inputs(rows, factors + (start is not None), held[0].buffer,
                       held[1].buffer if vector else _columns_of(held[1]),
                       1 if vector else held[1].shape[1],
                       None if start is None else doubles(start).buffer, held[0].dtype)
    if start is not None:
        raise ArgumentError("start values go with the two operands of a matrix product; in rows of "
                            "inputs the start value is the last of its row")
    rows, n = held[0].shape if len(held[0].shape) == 2 else (1, held[0].shape[0])
    if any(len(each.shape) not in (1, 2) or each.shape != held[0].shape for each in held):
        raise ArgumentError("inputs have a row for each sum, and the second factors have the shape of "
                            "the first ones; or they are the operands of a matrix product. These have "
                            "the shapes " + " and ".join(str(each.shape) for each in held))
    return _Inputs(rows, n, held[0].buffer, held[1].buffer if len(held) > 1 else None, 0, None,
                   held[0].dtype)


def _is_results(thing: Any) -> bool:
    return not (isinstance(thing, (str, Adapter)) or callable(thing))


def _results(name: str, results: Any, inputs: _Inputs | None, output: Any,
             options: dict[str, Any]) -> _accord.Target:
    if inputs is None:
        raise ArgumentError(f"{name} holds results; give the inputs that they were computed from "
                            "with inputs=, since results alone cannot be judged")
    held = doubles(results)
    short = format_of(output) if output is not None else held.dtype
    if output is None and short in ("f64", "f32"):
        short = None  # these may hold results of a narrower format
    return _accord.results(name, held.buffer, inputs.n, short, inputs.y is not None,
                           options.get("alpha", 1.0),
                           options.get("beta", 0.0 if inputs.start is None else 1.0))


def explain(a: Any, b: Any = None, n: int | None = None, dtype: Any = None, *, shape: Any = None,
            element: Any = None, kinds: str | Any = None, samples: int | None = None,
            accumulator: str | None = None, allow_nondeterministic: bool = False, seed: int = 0,
            budget: str | float | None = None, progress: Progress | bool | None = None,
            array: Any = "auto", copy: bool = False, output: Any = None, inputs: Any = None,
            start: Any = None, **options: Unpack[TargetOptions]) -> Explanation:
    """Says why two implementations of a sum differ: because they add in different orders, because
    of rounding that any right implementation has, or because one of them is wrong.

    a, b
        What `accord.reveal` takes: callables, adapters, or notations; or arrays of results, one for
        each row of `inputs`. Without b, a is judged alone.
    n, dtype, shape, element, array, copy, output, options
        As for `accord.reveal`.
    kinds, samples
        The kinds of inputs, such as "normal,log-normal" (doc/json.md), and how many of each; by
        default 1000 of "normal" and "positive".
    accumulator
        The accumulator that a right implementation may have: "bf16", "fused:hopper-f16", … By
        default what was revealed, if it is at least as wide as float32 and the result.
    allow_nondeterministic
        True: it is no fault if results vary when an input is asked again.
    inputs
        An array with a row of terms for each sum, or a pair (x, y) of arrays with the factors of
        products: only these are compared, and only the order, the envelope and the tests of terms
        decide. With a pair of matrices (A, B), or a matrix and a vector, results are their product.
        Results are taken to be rounded to the narrowest format that holds them all, unless
        `output` or their dtype says otherwise.
    start
        Of matrix products: the matrix that beta multiplies (alpha and beta are options).
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
    given = _inputs(inputs, start, (a, b), shape)
    if given is not None:
        if given.columns and shape is None:
            factors = given.n - (given.start is not None)
            shape = ((given.rows, factors) if len(doubles(inputs[1]).shape) == 1 else
                     (given.rows, given.columns, factors))
        n = given.n if n is None and shape is None else n
        dtype = given.dtype if dtype is None else dtype
        if kinds is not None or samples is not None:
            raise ArgumentError("kinds and samples are of inputs that accord draws: leave them out "
                                "with inputs")
    questions: list[Question | None] = []
    opened: list[tuple[_accord.Target, int, int]] = []
    for name, each in (("a", a), ("b", b)):
        if each is None and name == "b":
            continue
        asked = None if _is_results(each) else Question(
            each, n, dtype, shape=shape, element=element, array=array, copy=copy, output=output,
            seed=seed, given=inputs[0] if isinstance(inputs, tuple) else inputs, **options)
        questions.append(asked)
        opened.append(asked.open() if asked else (_results(name, each, given, output, options), -1, 0))
    places = [place for _, row, column in opened for place in (row, column)]
    with quiet(), shown(progress) as bar:
        found = _accord.explain(opened[0][0], opened[1][0] if b is not None else None,
                                tuple((places + [-1, 0])[:4]), seed=seed, samples=samples or 0,
                                kinds=chosen, accumulator=accumulator,
                                allow_nondeterministic=allow_nondeterministic, budget=budget,
                                progress=bar, inputs=given and given[:6])
    sides = [_side(*each) for each in zip(found["implementations"], questions)]
    return Explanation(found["verdict"], found["words"], sides, found["inputs"], found["differ"],
                       found["largest_ulp"], found["first_node"])


def _is_count(n: Any) -> bool:
    return n is None or hasattr(n, "__index__") and not getattr(n, "ndim", 0)


def assert_explained(a: Any, b: Any = None, n: Any = None, dtype: Any = None, *, inputs: Any = None,
                     **how: Any) -> None:
    """Asserts that every difference of two implementations is explained by their orders, or by
    rounding that any right implementation has. Arguments as for `accord.explain`; n may be several
    numbers of terms, and `inputs` may stand in its place. The message of the AssertionError is the
    explanation.

    >>> import accord, numpy
    >>> accord.assert_explained(numpy.sum, lambda x: numpy.sum(x[::-1]), n=[7, 100])
    >>> x = numpy.random.default_rng(0).standard_normal((1000, 64))
    >>> accord.assert_explained(x.sum(axis=1), numpy.cumsum(x, axis=1)[:, -1], x)
    """
    if not _is_count(n) and not (isinstance(n, (list, tuple, range)) and all(map(_is_count, n))):
        inputs, n = n, None
    for count in [n] if _is_count(n) else list(n):
        found = explain(a, b, count, dtype, inputs=inputs, **how)
        if not found:
            raise AssertionError(str(found))
