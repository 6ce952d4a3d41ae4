"""Questions to targets: reveal, map and features; and check, which compares a recorded order with
today's."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from . import _accord
from ._accord import ArgumentError, UnableError
from ._arrays import load_numpy, quiet
from ._difference import Difference, diff
from ._order import Order, figure, picture, pictures
from ._options import Progress
from ._progress import shown
from ._question import Question

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import CheckOptions, TargetOptions

def _settings(algorithm: str | None, seed: int, certificate: bool, loose: bool,
              progress: Progress | bool | None, replays: int | None = None,
              budget: str | float | None = None, proof: str | None = None,
              error: float | None = None) -> dict[str, Any]:
    if replays is not None and replays < 1:
        raise ArgumentError(f"replays={replays}: give a number of at least 1")
    if isinstance(budget, (int, float)):
        budget = f"{float(budget)!r}s"
    if error is not None and not 0 < error < 1:
        raise ArgumentError(f"error={error}: give a probability above 0 and below 1")
    return {"algorithm": algorithm, "seed": seed, "certificate": certificate, "loose": loose,
            "replays": replays or 0, "budget": budget, "proof": proof, "error": error or 0.0,
            "progress": progress}


def _ask(question: Question, *, progress: Progress | bool | None, **settings: Any) -> Order:
    target, row, column = question.open()
    try:
        with quiet(), shown(progress) as bar:
            return Order(_accord.reveal(target, row=row, column=column, progress=bar, **settings),
                         question)
    except UnableError as error:
        record = getattr(error, "record", None)
        error.order = Order(record, question) if record is not None else None
        if error.reason in ("weighted", "geometric", "alternating"):
            error.args = (f"{error}; a layer with weights is asked as a product: "
                          'accord.gemm(torch.nn.functional.linear, "NT")',)
        raise


def reveal(target: Any, n: int | None = None, dtype: Any = None, *, shape: Any = None,
           element: Any = None, algorithm: str | None = None, seed: int = 0,
           certificate: bool = True, loose: bool = False, replays: int | None = None,
           budget: str | float | None = None, proof: str | None = None,
           error: float | None = None, progress: Progress | bool | None = None,
           array: Any = "auto", copy: bool = False, output: Any = None, name: str | None = None,
           **options: Unpack[TargetOptions]) -> Order:
    """Reveals the order in which `target` adds n terms, and proves it.

    target
        A callable of one array of shape (n,) that returns their sum; or an adapter of one
        (`accord.dot`, `gemv`, `gemm`, `axis`); or a notation of the command: "blas:sdot@openblas",
        "so:./sum.so:my_sum", "synthetic:pairwise".
    n
        The number of terms; with a shape the shape determines it.
    dtype
        The format of the terms, by the name of NumPy or ml_dtypes, or a dtype; "float32" unless
        a notation says otherwise.
    shape, element
        For adapters with many results: their shape (see `accord.adapters`), and which result to ask
        for, (row, column) or row; by default the first one.
    algorithm, seed
        The algorithm that finds the order (one of ``accord.info()["algorithms"]``), and the seed
        of all random numbers.
    certificate
        False: only find an order, and prove nothing (for measurements).
    loose
        True: return the order that probes show even if random inputs do not agree with it (its
        `proven` is then False). By default NotPlainError is raised, and its attribute `order` is
        this order.
    replays
        How many random inputs are replayed: 2000 by default, fewer for very many terms. With fewer
        than the default the order is not proven.
    budget
        How long the question may take, or how many sums it may ask for: a number of seconds, "10s",
        or "5000calls". If it is spent before an order is found, UnableError is raised (reason
        "budget"). If it is spent later, the order is returned, not proven, and
        ``order.fields["left_out"]`` says what is missing.
    proof, error
        How the order is proven: "nodes", one addition after the other, or "probability", the whole
        order at once, where that suits; another order passes that with a probability of at most
        `error` (1e-9). By default the latter if it takes far fewer calls, as with thousands of
        terms.
        ``order.fields["proof"]`` says which it was.
    progress
        A function progress(stage, done, total) that is called from time to time (total is 0 if it
        is not known). It can raise an exception to stop. By default a bar is shown for long
        questions, on a terminal or in a notebook; with False there is none.
    array
        What the callable is given: "numpy", "torch", "jax", "memoryview", "list", or a function
        that converts a NumPy array; "auto" chooses by the callable's library, otherwise NumPy if it
        is installed, otherwise memoryview.
    copy
        True: each call gets memory of its own, for callables that change what they are given.
    output
        The format of the results if their type does not show it (Python floats count as float64).
    name
        The name of the target in the record.
    options
        For notations: alpha, beta, transpose, signature, scale_block, scale, incx, incy, lda, ldb,
        ldc, align, timeout (seconds), no_fork, python (the interpreter of "python:MODULE.ATTR"; this one).

    The callable is asked for the sums of masks and units: terms so large that others vanish beside
    them. It must not change its input (TargetError), and may keep it. An exception in it ends the
    question and is passed on. If there is no fixed order, UnableError is raised; it says why, and
    its attribute `order` has the evidence.

    >>> import accord, numpy
    >>> order = accord.reveal(numpy.sum, n=7)
    >>> order.text
    '((((((0+1)+2)+3)+4)+5)+6)'
    >>> order.proven, order.model.words
    (True, 'f32 to nearest')
    """
    question = Question(target, n, dtype, shape=shape, element=element, array=array, copy=copy,
                        output=output, name=name, seed=seed, **options)
    return _ask(question, **_settings(algorithm, seed, certificate, loose, progress, replays,
                                      budget, proof, error))


# ---- maps ----


class MapClass(NamedTuple):
    """Elements that have the same order and arithmetic."""

    order: Order
    members: int
    certified: int  #: members that passed every probe of the certificate
    row: int  #: of the first member
    column: int


class Map:
    """Which elements of a result share an order and its arithmetic. It is made by `accord.map` and
    `Map.from_json`, and never changes. Two maps are equal if all elements have equal orders."""

    __slots__ = ("_map", "_fields", "classes")

    def __init__(self, made: _accord.Map) -> None:
        self._map = made
        self._fields = made.fields()
        self.classes = [MapClass(Order(c["record"]), c["members"], c["certified"], c["row"],
                                 c["column"]) for c in made.classes()]

    @classmethod
    def from_json(cls, text: str) -> Map:
        """The map that `to_json` or ``accord map --json`` wrote."""
        return cls(_accord.read_map(text))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the result."""
        return self._fields["rows"], self._fields["columns"]

    @property
    def class_of(self) -> Any:
        """The class of each element: an array of shape `shape`, or a list of rows without NumPy."""
        flat = memoryview(self._map.class_of()).cast("H")
        rows, columns = self.shape
        np = load_numpy()
        if np is not None:
            return np.array(flat).reshape(rows, columns)
        return [flat[r * columns:(r + 1) * columns].tolist() for r in range(rows)]

    @property
    def uniform(self) -> bool:
        """Whether all elements have the same order and arithmetic."""
        return len(self.classes) == 1

    @property
    def fields(self) -> dict[str, Any]:
        """Numbers of calls (whole results), seconds, and random results that were replayed."""
        return dict(self._fields)

    def __getitem__(self, element: tuple[int, int]) -> Order:
        """The order of an element.

        >>> import accord, numpy
        >>> accord.map(accord.gemm(numpy.matmul), shape=(2, 3, 8))[1, 2].n
        8
        """
        row, column = element
        rows, columns = self.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise IndexError(f"element {element} lies outside the result of {rows} x {columns}")
        return self.classes[memoryview(self._map.class_of()).cast("H")[row * columns + column]].order

    def to_json(self) -> str:
        return self._map.write("json")

    def to_svg(self, expand: bool = False) -> str:
        """The result as a picture, a color for each class; expand as for `Order.to_svg`."""
        return self._map.write("svg", expand=expand)

    def to_html(self, expand: bool = False) -> str:
        """A page that stands alone, to look up the order of each element in a browser."""
        return self._map.write("html", expand=expand)

    def to_c(self, name: str = "product") -> str:
        """A C function for the whole result (doc/emit.md)."""
        return self._map.emit_c(name)

    def report(self, columns: int = 80, color: bool = False, utf8: bool = True) -> str:
        return self._map.write("report", columns, color, utf8)

    def __repr__(self) -> str:
        rows, columns = self.shape
        count = len(self.classes)
        return f"<accord.Map of {rows} x {columns} results, {count} class{'es'[:2 * (count > 1)]}>"

    def __str__(self) -> str:
        return self.report()

    def _key(self) -> tuple[Any, ...]:
        return self.shape, self._map.class_of(), tuple(each.order for each in self.classes)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Map) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> Any:
        return Map.from_json, (self.to_json(),)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return picture(self.to_svg(), repr(self))


def map(target: Any, n: int | None = None, dtype: Any = None, *, shape: Any = None,
        algorithm: str | None = None, seed: int = 0, certificate: bool = True,
        loose: bool = False, replays: int | None = None, budget: str | float | None = None,
        proof: str | None = None, error: float | None = None,
        progress: Progress | bool | None = None, array: Any = "auto",
        copy: bool = False, output: Any = None, name: str | None = None,
        **options: Unpack[TargetOptions]) -> Map:
    """Finds which elements of a result share an order, for an adapter with many results or a
    notation ("blas:sgemm"). Arguments as for `accord.reveal`. If the budget does not suffice,
    UnableError is raised.

    >>> import accord, numpy
    >>> found = accord.map(accord.axis(numpy.sum, 1), shape=(6, 20))
    >>> found.shape, found.uniform, found.classes[0].certified
    ((6, 1), True, 6)
    """
    question = Question(target, n, dtype, shape=shape, array=array, copy=copy, output=output,
                        name=name, seed=seed, **options)
    opened, _, _ = question.open()
    with quiet(), shown(progress) as bar:
        settings = _settings(algorithm, seed, certificate, loose, bar, replays, budget, proof,
                             error)
        return Map(_accord.reveal_map(opened, **settings))


# ---- features ----


class Feature(NamedTuple):
    """A parameter of a matrix accelerator (accord/fused.h)."""

    name: str
    value: Any  #: where several give the same results, one of them
    least: Any
    most: Any
    open_below: bool  #: values below `least` make no difference either
    open_above: bool
    about: str
    how: str  #: how it was seen

    @property
    def observable(self) -> bool:
        return self.least == self.most and not self.open_below and not self.open_above


@dataclasses.dataclass(frozen=True, repr=False)
class Features:
    """The arithmetic of a target as a list, found by probes."""

    order: Order
    machine: list[Feature] | None  #: None where sums are no matrix accelerator's
    machines: list[str]  #: of the known ones those that agree in all that can be seen
    why: str | None  #: why there is no machine
    specials: dict[str, str]  #: how zeros, subnormals, infinities are treated: yes, no, not observable
    probes: int
    replays: int
    replays_agreed: int

    def __hash__(self) -> int:
        return hash((self.order, tuple(self.machines), self.why))

    def __repr__(self) -> str:
        found = ", ".join(self.machines) or self.order.model or "arithmetic not explained"
        return f"<accord.Features of {self.order.fields['target']}, n={self.order.n}: {found}>"

    def _repr_html_(self) -> str:
        return figure(str(self), pictures(self.order))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.order.fields['target']}, {self.order.n} terms of {self.order.dtype}"
        for f in self.machine or ():
            value = f.value if f.observable else f"not observable ({f.least} to {f.most})"
            yield f"{f.name:18} {value!s:34} {f.how}"
        if self.machine:
            yield f"confirmed          {self.replays_agreed} of {self.replays} random inputs"
            yield f"as                 {', '.join(self.machines) or 'no machine that accord knows'}"
        else:
            yield f"arithmetic         {self.order.model or 'not explained'}"
        for name, seen in self.specials.items():
            yield f"{name:18} {seen}"


def features(target: Any, n: int | None = None, dtype: Any = None, *, shape: Any = None,
             element: Any = None, seed: int = 0, progress: Progress | bool | None = None,
             array: Any = "auto", copy: bool = False, output: Any = None, name: str | None = None,
             **options: Unpack[TargetOptions]) -> Features:
    """The arithmetic of a target: each parameter of a matrix accelerator, or for other sums the
    order's `model`, and for all targets how special values are treated. Default: 96 terms.

    >>> import accord
    >>> found = accord.features("synthetic:hopper-f16")
    >>> found.machines
    ['hopper-f16', 'blackwell-f16']
    """
    n = 96 if n is None and shape is None else n
    question = Question(target, n, dtype, shape=shape, element=element, array=array, copy=copy,
                        output=output, name=name, seed=seed, **options)
    order = _ask(question, **_settings(None, seed, True, False, progress))
    opened, row, column = question.open()
    with quiet(), shown(progress) as bar:
        found = _accord.features(opened, order._record, seed=seed, progress=bar,
                                 row=max(row, 0), column=column)
    machine = [Feature(*row) for row in found["machine"]] if found["machine"] else None
    if order.n < 4 and order.model:  # three terms added one by one are any sum
        machine = None
    return Features(order, machine, found.get("machines", []) if machine else [],
                    found.get("why"), found["specials"], found.get("probes", 0),
                    found.get("replays", 0), found.get("replays_agreed", 0))


# ---- recorded orders ----

def circumstances(old: Order, now: Order) -> dict[str, tuple[Any, Any]]:
    """The circumstances, such as the CPU, that differ from those of the record: (recorded, now).
    Those that one of the two records does not state are left out."""
    return {name: (old.fields[name], now.fields[name])
            for name in _accord.verdict(old._record, now._record)[1]}


@dataclasses.dataclass(frozen=True, repr=False)
class Check:
    """The comparison of a recorded order with today's; true if they are the same. If that cannot be
    determined, `same` and the truth value raise CannotTellError."""

    recorded: Order
    now: Order
    difference: Difference
    circumstances: dict[str, tuple[Any, Any]]  #: what is not as recorded: (recorded, now)

    @property
    def same(self) -> bool:
        return self.difference.same

    @property
    def verdict(self) -> str:
        """"same", "same-on-inputs", "changed", "changed-elsewhere" when the circumstances have
        changed too, or "cannot-tell"."""
        return _accord.verdict(self.recorded._record, self.now._record)[0]

    def __bool__(self) -> bool:
        return self.same

    def __hash__(self) -> int:
        return hash((self.recorded, self.now))

    def __repr__(self) -> str:
        return (f"<accord.Check of {self.recorded.fields['target']}, n={self.recorded.n}: "
                f"{self.verdict}>")

    def _repr_html_(self) -> str:
        return figure(str(self), pictures(self.recorded, self.now))

    def __str__(self) -> str:
        lines = [f"{self.recorded.fields['target']}, {self.recorded.n} terms: {self.verdict}"]
        if self.verdict != "same":
            lines.append(str(self.difference))
        lines += [f"{name}: recorded {then}, now {now}"
                  for name, (then, now) in self.circumstances.items()]
        return "\n".join(lines)


def check(recorded: Order | str, target: Any, **how: Unpack[CheckOptions]) -> Check:
    """Compares a recorded order (or its JSON) with what `target` does now. The question is the
    recorded one (n, dtype, shape, element); keywords of `accord.reveal` change it.

    >>> import accord, numpy
    >>> record = accord.reveal(numpy.sum, n=20).to_json()
    >>> bool(accord.check(record, numpy.sum)), accord.check(record, numpy.sum).verdict
    (True, 'same')
    """
    old = Order.from_json(recorded) if isinstance(recorded, (str, bytes)) else recorded
    fields = old.fields
    asked: dict[str, Any] = {"dtype": old.dtype, "seed": fields["seed"]}
    if fields["shape"]:
        extents = tuple(int(d) for d in fields["shape"].split("x"))
        asked["shape"] = extents[::-1] if fields["signature"] == "columns" else extents
    else:
        asked["n"] = old.n
    if fields["element"]:
        asked["element"] = fields["element"]
    try:
        now = reveal(target, **{"loose": True, **asked, **how})
    except UnableError as error:
        if getattr(error, "order", None) is None:
            raise
        now = error.order
    if old.n != now.n:
        raise ArgumentError(f"the recorded order has {old.n} terms, but {now.n} were asked for: "
                            "accord.diff compares orders of different counts")
    return Check(old, now, diff(old, now), circumstances(old, now))
