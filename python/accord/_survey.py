"""One question under several settings, and which of the answers agree."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping

from . import _accord
from ._accord import ArgumentError, Error
from ._difference import is_same
from ._order import Order, figure, pictures
from ._question import Question
from ._reveal import _ask, _settings
from .adapters import Adapter, Axis, Gemm, Gemv

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import AskOptions

#: What OpenMP, OpenBLAS, MKL and BLIS read.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


@dataclasses.dataclass
class Group:
    """Settings with the same answer: the same order and arithmetic, or, if that is not known, the
    same results on all inputs that were tried."""

    letter: str
    n: int
    found: Order | None  #: the order, or the evidence that there is none; None where a target failed
    error: Error | None
    settings: list[dict[str, Any]]

    @property
    def order(self) -> Order | None:
        """The order, where there is one."""
        return self.found if self.found is not None and self.found.fingerprint else None

    def words(self) -> str:
        return self.order.words() if self.order is not None else str(self.error)


@dataclasses.dataclass
class Row:
    """One setting and the group of its answer."""

    setting: dict[str, Any]
    group: str
    seconds: float = dataclasses.field(compare=False)


@dataclasses.dataclass(repr=False)
class Survey:
    """Answers under several settings.

    `verdict` is "same" (all answers for the same number of terms agree), "same-on-inputs" (no model
    explains them, but they give the same results on all inputs that were tried), "differs" or
    "cannot-tell". The truth value is True for the first two. With "cannot-tell", `same` and the
    truth value raise CannotTellError.
    """

    title: str
    rows: list[Row]
    groups: list[Group]
    verdict: str = "same"
    reason: str = ""  #: what the verdict rests on, where that is more than the groups

    @property
    def same(self) -> bool:
        return is_same(self.verdict, self.reason)

    def __bool__(self) -> bool:
        return self.same

    def group_of(self, **setting: Any) -> Group:
        """The group of the first row with these settings."""
        for row in self.rows:
            if all(row.setting.get(name) == value for name, value in setting.items()):
                return next(group for group in self.groups if group.letter == row.group)
        raise ArgumentError(f"no answer has the setting {setting}")

    def to_json(self) -> str:
        def told(group: Group) -> dict[str, Any]:
            order = group.order
            if order is None:
                return {"error": str(group.error), "reason": getattr(group.error, "reason", None)}
            return {"fingerprint": order.model.fingerprint if order.model else order.fingerprint,
                    "order": order.pattern,
                    "arithmetic": str(order.model) if order.model else None}

        groups = [{"group": g.letter, "n": g.n, "members": len(g.settings), **told(g),
                   **({"record": json.loads(g.found.to_json())} if g.found is not None else {})}
                  for g in self.groups]
        rows = [{"setting": row.setting, "group": row.group, "seconds": row.seconds}
                for row in self.rows]
        same = None if self.verdict == "cannot-tell" else self.same
        return json.dumps({"accord": 1, "same": same, "verdict": self.verdict, "reason": self.reason,
                           "rows": rows, "groups": groups}, indent=2, default=str)

    def __hash__(self) -> int:
        return hash((self.title, len(self.rows), len(self.groups)))

    def __repr__(self) -> str:
        return (f"<accord.Survey of {self.title}: {len(self.rows)} settings, "
                f"{len(self.groups)} group{'s'[:len(self.groups) != 1]}>")

    def _repr_html_(self) -> str:
        return figure(str(self), pictures(*(g.order for g in self.groups if g.order is not None)))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.title
        for row in self.rows:
            yield f"  {row.group:2} " + ", ".join(f"{k}={v}" for k, v in row.setting.items())
        for group in self.groups:
            yield f"{group.letter}: {group.n} terms, {group.words()}"
        yield {"same": "all agree", "differs": "they do not agree",
               "same-on-inputs": f"all agree on the inputs that were tried: {self.reason}"}.get(
                   self.verdict, f"it cannot be determined whether they agree: {self.reason}")


def survey(title: str, settings: Iterable[tuple[dict[str, Any], Any]]) -> Survey:
    """Asks for each setting, which is a pair: its name, and a function that returns n and an Order."""
    made = Survey(title, [], [])
    groups = _accord.survey()
    for setting, ask in settings:
        start = time.perf_counter()
        found: Order | None = None
        error: Error | None = None
        try:
            n, found = ask()
        except Error as caught:
            if isinstance(caught, ArgumentError):
                raise
            error, found = caught, getattr(caught, "order", None)
            n = int(setting.get("n") or 0) if found is None else found.n
        seconds = time.perf_counter() - start
        group = _place(made, groups, n, found, error)
        group.settings.append(setting)
        made.rows.append(Row(setting, group.letter, seconds))
    failures = [g.error for g in made.groups if g.found is None]
    if failures and len(failures) == len(made.groups) and failures[0] is not None:
        raise failures[0]
    made.verdict, made.reason = groups.verdict()
    return made


def _place(made: Survey, groups: _accord.Survey, n: int, found: Order | None,
           error: Error | None) -> Group:
    """The group of an answer, perhaps a new one."""
    why = (error.status, error.reason, str(error)) if error is not None else ()
    which = groups.add(n, found._record if found is not None else None, *why)
    if which == len(made.groups):
        made.groups.append(Group(groups.letter(which), n, found, error, []))
    return made.groups[which]


# ---- sweep ----


def _many(value: Any, single: tuple[type, ...]) -> list[Any]:
    """A list of settings of one value, or of several."""
    return [value] if value is None or isinstance(value, single) else list(value)


def _shapes(shape: Any) -> list[Any]:
    if shape is None or isinstance(shape, str):
        return [shape]
    listed = list(shape)
    return [tuple(listed)] if listed and isinstance(listed[0], int) else listed


def _describe(target: Any) -> dict[str, Any]:
    """What another process needs to ask the same, where the callable can be found by name."""
    from .adapters import resolve

    if isinstance(target, str):
        return {"target": target}
    adapter = target if isinstance(target, Adapter) else Adapter(target)
    try:
        findable = resolve(adapter.name) == adapter.function
    except (Error, ImportError):
        findable = False
    if not findable:
        raise ArgumentError(f"{adapter.name} cannot be found by name in another process, where "
                            "env and threads are set: put it into a module")
    words = {"function": adapter.name, "adapter": adapter.signature,
             "transpose": adapter.transpose, "start": getattr(adapter, "start", None)}
    if isinstance(adapter, Axis):
        words.update(axis=adapter.axis, keyword=adapter.keyword)
    return words


def _elsewhere(target: Any, environment: Mapping[str, str | None], how: dict[str, Any]) -> Any:
    """Asks in a process with another environment."""
    words = _describe(target)
    around = dict(os.environ)
    for name, value in environment.items():
        around.pop(name, None)
        if value:
            around[name] = str(value)

    def ask() -> tuple[int, Order]:
        said = subprocess.run([sys.executable, "-m", "accord._elsewhere"], env=around, text=True,
                              input=json.dumps({**words, "how": how}), capture_output=True)
        answer = said.stdout.rpartition("\n")[2]
        try:
            found = json.loads(answer)
        except ValueError:
            last = said.stderr.strip().rpartition("\n")[2] or f"status {said.returncode}"
            raise _accord.TargetError(f"the process that asked the target ended: {last}") from None
        order = Order.from_json(json.dumps(found["order"])) if found["order"] else None
        if found["class"] is None and order is not None:
            return order.n, order
        error = getattr(_accord, found["class"])(found["error"])
        error.order = order
        raise error

    return ask


def sweep(target: Any, n: Any = None, dtype: Any = None, *, shape: Any = None,
          env: Mapping[str, Iterable[str | None]] | None = None,
          threads: Iterable[int] | None = None, element: Any = None,
          **how: Unpack[AskOptions]) -> Survey:
    """Reveals a target under every combination of the settings given as lists: n, dtype, shape,
    `env` (a dict of environment variables, each with its values; None: unset) and `threads`. Where
    env or threads are given, each setting is asked in a process of its own, so the callable must
    be one that can be imported. Other arguments as for `accord.reveal`.

    >>> import accord, numpy
    >>> found = accord.sweep(numpy.sum, n=[8, 9], dtype=["float32", "float64"])
    >>> len(found.rows), found.group_of(n=8, dtype="float32").order.n
    (4, 8)
    """
    axes: dict[str, list[Any]] = {
        "n": _many(n, (int,)), "dtype": _many(dtype, (str, type)), "shape": _shapes(shape)}
    variables = {name: list(values) for name, values in (env or {}).items()}
    counts = list(threads) if threads is not None else []
    axes.update({f"env {name}": values for name, values in variables.items()})
    if counts:
        axes["threads"] = counts
    given = {"dtype": dtype, "n": n, "shape": shape}
    named = [name for name in axes if given.get(name, True) is not None]

    def settings() -> Iterator[tuple[dict[str, Any], Any]]:
        for values in itertools.product(*axes.values()):
            chosen = dict(zip(axes, values))
            question = {"n": chosen["n"], "dtype": chosen["dtype"], "shape": chosen["shape"],
                        "element": element, **how}
            around: dict[str, str | None] = {name: chosen[f"env {name}"] for name in variables}
            if counts:
                around.update({name: str(chosen["threads"]) for name in THREADS})
            setting = {name.removeprefix("env "): chosen[name] for name in named}
            yield setting, (_elsewhere(target, around, question) if around else
                            _here(target, question))

    title = target if isinstance(target, str) else repr(
        target if isinstance(target, Adapter) else Adapter(target))
    return survey(title, settings())


def _here(target: Any, how: dict[str, Any]) -> Callable[[], tuple[int, Order]]:
    def ask() -> tuple[int, Order]:
        order = _reveal(target, **how)
        return order.n, order

    return ask


def _reveal(target: Any, *, algorithm: str | None = None, seed: int = 0, certificate: bool = True,
            loose: bool = True, progress: Any = None, replays: int | None = None,
            budget: str | float | None = None, proof: str | None = None,
            error: float | None = None, **question: Any) -> Order:
    return _ask(Question(target, seed=seed, **question),
                **_settings(algorithm, seed, certificate, loose, progress, replays, budget, proof,
                            error))


# ---- batches ----


def batch_invariant(target: Any, batches: Iterable[int] = range(1, 65), *, shape: Any,
                    element: Any = None, **how: Unpack[AskOptions]) -> Survey:
    """Whether the result of an element is independent of the number of rows in the batch. The truth
    value is True if it is (CannotTellError if that cannot be determined).

    target: `accord.gemm(f)`, `gemv(f)`, `axis(f)`, or a notation ("blas:sgemm"). The first number
    of `shape`, the rows, is replaced by each of `batches` (for axis 0 it is the second). element:
    by default one of the first row; "last" is one of the last row.

    >>> import accord, numpy
    >>> found = accord.batch_invariant(accord.axis(numpy.sum, 1), [1, 2, 5], shape=(1, 40))
    >>> bool(found), len(found.rows)
    (True, 3)
    """
    if not isinstance(target, (str, Gemm, Gemv, Axis)):
        raise ArgumentError("a target of one sum has no batch: give accord.gemm, gemv or axis of a "
                            "callable, or a notation such as blas:sgemm")
    extents = [int(d) for d in shape.split("x")] if isinstance(shape, str) else list(shape)
    at = 1 if isinstance(target, Axis) and target.axis == 0 else 0

    def settings() -> Iterator[tuple[dict[str, Any], Any]]:
        for rows in batches:
            own = list(extents)
            own[at] = rows
            which = (rows - 1, 0) if element == "last" else element
            if isinstance(target, str) and len(own) == 2 and isinstance(which, tuple):
                which = which[:1]
            yield {"batch": rows}, _here(target, {"shape": tuple(own), "element": which, **how})

    title = target if isinstance(target, str) else repr(target)
    return survey(f"{title}, rows of {'x'.join(map(str, extents))} replaced", settings())
