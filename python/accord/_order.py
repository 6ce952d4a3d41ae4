"""Orders: what was found, in words, as pictures and as code. How two of them differ: _difference.py."""

from __future__ import annotations

import base64
import copyreg
import dataclasses
import html
import json
from array import array
from numbers import Integral
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Sequence, TypeVar, overload

from . import _accord
from ._accord import ArgumentError
from ._arrays import as_numpy, load_numpy, numpy_dtype
from ._formats import dtype_name, format_of, short_name
from ._question import Question

if TYPE_CHECKING:
    import numpy

_T = TypeVar("_T")

_MOST_DRAWN = 2000  # terms of orders that a notebook draws


def numbers(values: Any) -> Any:
    """A buffer of float64, float32 or float16 of any array or nested sequence of numbers.

    Numbers of other formats (bfloat16, float8, integers) become float64, which holds them all, or
    float32 where that does.
    """
    if hasattr(values, "detach"):  # a tensor of PyTorch
        values = values.detach().cpu()
        if str(values.dtype) in ("torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2",
                                 "torch.float8_e8m0fnu"):
            values = values.float()
        values = values.contiguous().numpy()
    np = load_numpy()
    if np is not None and (isinstance(values, (list, tuple, np.generic)) or
                           hasattr(values, "__array__") or hasattr(values, "__dlpack__")):
        if np.ma.is_masked(values):
            raise ArgumentError("some of these numbers are masked, but an order adds all of its terms: "
                                "fill them first")
        try:
            given = as_numpy(np, values)
        except ValueError:
            raise ArgumentError("the rows have different lengths: give rows of one length") from None
        if given.dtype.char == "d" and isinstance(values, (list, tuple)):
            _same_integers(np.asarray(values, object).ravel(), given.ravel().tolist())
        if given.dtype.char in "dfe":
            return np.ascontiguousarray(given, given.dtype.newbyteorder("="))
        if given.dtype.kind not in "iub" and short_name(given.dtype) is None:
            if given.dtype.kind == "O":
                raise ArgumentError("these are not all floats or integers: convert them first")
            raise ArgumentError(f"an array of {given.dtype} does not contain numbers that could be added")
        wide = np.ascontiguousarray(given.astype(np.float64))
        if given.dtype.itemsize == 8:
            _same_integers(given.ravel().tolist(), wide.ravel().tolist())
        return wide
    try:
        view = memoryview(values)
    except TypeError:
        return _flat(values)
    if view.format.lstrip("@=<") not in ("d", "f", "e") or not view.c_contiguous:
        return _doubles(view.tolist())
    return view


def _same_integers(given: Any, wide: Any) -> None:
    """Refuses integers that became other numbers: NumPy and array round them silently."""
    if any(isinstance(a, Integral) and int(a) != b for a, b in zip(given, wide)):
        raise ArgumentError("some of these integers cannot be represented in float64: round them first")


def _doubles(given: list[Any]) -> array[float]:
    wide = array("d", given)
    _same_integers(given, wide)
    return wide


def _flat(values: Any) -> Any:
    rows = [list(row) if isinstance(row, Sequence) else row for row in values]
    if rows and all(isinstance(row, list) for row in rows):
        view = memoryview(_doubles([x for row in rows for x in row]))
        if len({len(row) for row in rows}) != 1:
            raise ArgumentError("the rows have different lengths: give rows of one length")
        return view.cast("B").cast("d", (len(rows), len(rows[0])))
    return _doubles(rows)


def picture(svg: str, words: str) -> str:
    """HTML of a picture no wider than its page: an image, so that its styles stay its own."""
    data = base64.b64encode(svg.encode()).decode()
    return (f'<img style="max-width:100%" alt="{html.escape(words)}" '
            f'src="data:image/svg+xml;base64,{data}">')


def pictures(*orders: Order) -> str:
    """HTML of the trees of orders, beside each other as far as the page goes."""
    drawn = [(order._repr_svg_(), order.pattern) for order in orders]
    return "".join(picture(svg, words) for svg, words in drawn if svg)


def figure(caption: str, content: str) -> str:
    """HTML of a caption, whose columns stay columns in every notebook, and what is below it."""
    return ('<figure style="margin:0"><figcaption><pre style="font-family:monospace">'
            f"{html.escape(caption)}</pre></figcaption>{content}</figure>")


@dataclasses.dataclass(frozen=True)
class Model:
    """The arithmetic of an order: what every addition computes, and on what.

    ``str(model)`` describes it in words; ``arithmetic`` contains all of it (doc/json.md). ``input`` and
    ``output`` are dtypes by name, ``term`` is "value", "product", "absolute" or "square", and
    ``fingerprint`` is that of order and arithmetic.
    """

    words: str
    fingerprint: str
    term: str
    input: str
    output: str
    arithmetic: dict[str, Any] = dataclasses.field(repr=False, compare=False, hash=False)

    def __str__(self) -> str:
        return self.words


class Order:
    """The order in which an implementation adds n terms, with its arithmetic and the evidence.

    It is made by `accord.reveal`, `Order.from_json`, `Order.from_text` and `accord.synthetic`, and
    never changes. Two orders are equal if the terms are added in the same order with the same
    arithmetic; if that is not known, they are equal if all recorded answers are. `accord.diff`
    describes differences.

    >>> import accord
    >>> order = Order.from_text("((0+1)+(2+3))")
    >>> order.n, order.text
    (4, '((0+1)+(2+3))')
    >>> order == accord.synthetic("pairwise", 4).order_alone()
    True
    """

    __slots__ = ("_record", "_question", "_fields", "_cache")

    def __init__(self, record: _accord.Record, question: Question | None = None) -> None:
        self._record = record
        self._question = question
        self._fields = record.fields()
        self._cache: dict[str, Any] = {}

    # ---- making ----

    @classmethod
    def from_json(cls, text: str | bytes) -> Order:
        """The order that `to_json` or ``accord reveal --json`` wrote."""
        return cls(_accord.read(text))

    @classmethod
    def from_text(cls, text: str) -> Order:
        """The order that brackets give, e.g. ``((0+1)+2)``; it has no arithmetic."""
        if text.lstrip().startswith("{"):
            raise ArgumentError("this is JSON: use Order.from_json")
        return cls(_accord.read(text))

    def order_alone(self) -> Order:
        """The same order without arithmetic, question and evidence."""
        return Order.from_text(self.text)

    def plain(self, dtype: Any = "float64", accumulator: Any = None, output: Any = None,
              products: bool = False) -> Order:
        """The same order with plain arithmetic: every addition to nearest even in `accumulator`
        (default: dtype), the result rounded to `output` (default: dtype).

        >>> Order.from_text("((0+1)+2)").plain("float32").replay([1, 2**-24, 2**-24])
        1.0
        """
        into = format_of(dtype)
        return Order(self._record.plain(into, format_of(accumulator or into),
                                        format_of(output or into), products))

    # ---- what it says ----

    def _made(self, name: str, make: Callable[[], _T]) -> _T:
        if name not in self._cache:
            self._cache[name] = make()
        made: _T = self._cache[name]
        return made

    @property
    def n(self) -> int:
        """The number of terms."""
        return self._record.leaves or int(self._fields["n"])

    @property
    def dtype(self) -> str | None:
        """The format of the terms, e.g. "float32"; None where that is not known."""
        short = short_name(self._fields["format"] or "")
        return dtype_name(short) if short else None

    @property
    def text(self) -> str:
        """The canonical brackets, e.g. ``((0+1)+2)``."""
        return self._record.write("text").strip()

    @property
    def parents(self) -> list[int | None]:
        """The parent of each leaf (0 … n-1) and inner node (from n on), None for the root."""
        found = self._record.parents()
        if found is None:
            raise ArgumentError("this target has no order; the verdict says why")
        return found

    @property
    def fingerprint(self) -> str | None:
        """32 hexadecimal digits that stand for the order; None where there is none."""
        return self._made("fingerprint", self._record.fingerprint)

    @property
    def model(self) -> Model | None:
        """The arithmetic, or None where it is not explained."""
        return self._made("model", self._model)

    def _model(self) -> Model | None:
        words, fingerprint = self._record.describe(), self._record.fingerprint(True)
        if words is None or fingerprint is None:
            return None
        found = json.loads(self.to_json())["arithmetic"]
        return Model(words, fingerprint, found["term"],
                     dtype_name(found["input"]), dtype_name(found["output"]), found)

    @property
    def alternatives(self) -> tuple[Order, ...]:
        """This order with each arithmetic that fits as well as `model`: no input was found on which the
        two give different bits.

        `to_c` and `replay` take them by number, from 1, or by their words.
        """
        return self._made("alternatives", lambda: tuple(
            Order(self._record.choose(str(i + 1)), self._question)
            for i in range(len(self._record.alternatives))))

    def alternative(self, which: int | str) -> Order:
        """One of `alternatives`, by its number from 1 (0: this order) or by the words in which the
        verdict names it, such as "times 0.1"."""
        return Order(self._record.choose(str(which)), self._question) if which != 0 else self

    @property
    def verdict(self) -> str | None:
        """What was found and how far it is confirmed, in a paragraph."""
        verdict: str | None = self._fields["verdict"]
        return verdict

    @property
    def proven(self) -> bool:
        """Whether probes confirm every inner node."""
        return bool(self._fields["proven"])

    @property
    def reason(self) -> str | None:
        """Why there is no order: "exact", "nondeterministic", …; None where there is one."""
        reason = self._fields["reason"]
        return None if reason in (None, "none") else reason

    @property
    def answers(self) -> Answers | None:
        """The target's answers, as far as they are recorded."""
        told = self._record.answers
        return Answers(*told) if told else None

    @property
    def counts(self) -> dict[str, int]:
        """How often the implementation was asked, and how much of it agreed."""
        names = ("discovery_calls", "certificate_calls", "arithmetic_calls", "nodes",
                 "nodes_confirmed", "repeats", "repeats_agreed", "replays", "replays_agreed")
        return {name: self._fields[name] for name in names}

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of the discovery, of the certificate, of the certificate those for random inputs,
        and of discovery and certificate those spent in the target."""
        return {name: self._fields[f"{name}_seconds"]
                for name in ("discovery", "certificate", "replay", "target")}

    @property
    def fields(self) -> dict[str, Any]:
        """Question, answer and evidence by the names of doc/json.md."""
        return dict(self._fields)

    @property
    def pattern(self) -> str:
        """The order in a few words: "sequential", "8 lanes, folded by halves", "31 additions,
        depth 7"."""
        return self._made("pattern", self._pattern)

    def _pattern(self) -> str:
        return self._record.order_words() or f"no order: {self.reason or 'not known'}"

    @property
    def notation(self) -> str | None:
        """The order in one line, exactly: "1000: lanes 8; halves" (doc/notation.md); None where
        there is no order. What is regular takes few words; what is not is written in brackets."""
        return self._made("notation", self._record.notation)

    @property
    def names(self) -> tuple[str, ...]:
        """All algorithms of collective operations that add in this order, if term i is that of rank
        i: ("recursive doubling or Rabenseifner", "binomial tree"). A name stands alone only if no
        other textbook algorithm fits; () if none does, and beyond 4096 terms."""
        return self._made("names", lambda: tuple(self._record.order_names().splitlines()))

    @property
    def line(self) -> str | None:
        """Order and arithmetic in one line: "1000: lanes 8; halves,terms=f32,fma"
        (doc/notation.md). None where the arithmetic is not known, or no line can say it."""
        return self._made("line", self._record.line)

    def words(self) -> str:
        """Order and arithmetic on one line."""
        if not self.fingerprint:
            return f"no fixed order: {self.reason or 'not known'}"
        return f"{self.pattern}; {self.model or 'arithmetic not explained'}"

    def summary(self) -> str:
        """The order, its arithmetic and how far both are confirmed, in a few lines."""
        f, model = self._fields, self.model
        lines = [f"{f['target'] or 'an order'}: {self.n} terms"
                 + (f" of {self.dtype}" if self.dtype else "")
                 + (f", shape {f['shape']}" if f["shape"] else "")
                 + (f", element {f['element']}" if f["element"] else ""), f"order        {self.pattern}"]
        if self.fingerprint:
            lines.append(f"arithmetic   {model or 'not explained'}")
            lines.append(f"fingerprint  {self.fingerprint}")
        if model:
            lines.append(f"with it      {model.fingerprint}")
        lines += [f"alternatives {i + 1}: {words}"
                  for i, words in enumerate(self._record.alternatives)]
        if f["nodes"]:
            lines.append(f"confirmed    {f['nodes_confirmed']} of {f['nodes']} nodes, "
                         f"{f['replays_agreed']} of {f['replays']} random inputs replayed")
        elif not self.fingerprint and self.verdict:
            lines.append(self.verdict)
        return "\n".join(lines)

    # ---- use ----

    @overload
    def replay(self, x: float | Sequence[float] | None, y: Any = ..., start: Any = ..., *,
               scale_x: Any = ..., scale_y: Any = ..., alternative: int | str = ...) -> float: ...

    @overload
    def replay(self, x: Sequence[Sequence[float]], y: Any = ..., start: Any = ..., *,
               scale_x: Any = ..., scale_y: Any = ..., alternative: int | str = ...
               ) -> numpy.ndarray[Any, Any] | list[float]: ...

    @overload
    def replay(self, x: Any, y: Any = ..., start: Any = ..., *, scale_x: Any = ...,
               scale_y: Any = ..., alternative: int | str = ...
               ) -> float | numpy.ndarray[Any, Any] | list[float]: ...

    def replay(self, x: Any, y: Any = None, start: Any = None, *, scale_x: Any = None,
               scale_y: Any = None, alternative: int | str = 0
               ) -> float | numpy.ndarray[Any, Any] | list[float]:
        """Computes what the implementation gives for x, bit for bit, without calling it.

        x: n numbers of the order's dtype, as an array or a sequence; or rows of them, shape (rows,
        n). y: the second factors of products, shaped like x; all are 1 if it is left out. start:
        the start value, one for each row (x and y then have n - 1 numbers in a row). Returns a
        float, which holds the result exactly whatever the format; for rows a NumPy array of the
        output's dtype (a list of floats without NumPy). Numbers that the dtype does not hold are an
        ArgumentError. scale_x, scale_y: where blocks of products share scales, those of x and of y,
        one for each block of each row; all are 1 if they are left out. alternative: which one of
        `alternatives` to use, by its number from 1 or its words.

        >>> import accord
        >>> accord.synthetic("pairwise", 4, dtype="float32").replay([1.0, 2.0, 3.0, 4.0])
        10.0
        """
        if alternative != 0:
            return self.alternative(alternative).replay(x, y, start, scale_x=scale_x,
                                                        scale_y=scale_y)

        def operand(values: Any) -> Any:
            return None if values is None else numbers(
                [values] if isinstance(values, (int, float)) else values)

        first = operand(x if x is not None else [])
        if memoryview(first).ndim > 2:
            raise ArgumentError("give rows as an array of two dimensions")
        results: Any = memoryview(self._record.replay(
            first, operand(y), operand(start), operand(scale_x), operand(scale_y))).cast("d")
        if memoryview(first).ndim < 2:
            if len(results) != 1:
                raise ArgumentError(f"these are {len(results)} sums of {self.n}: give rows as an "
                                    "array of two dimensions")
            only: float = results[0]
            return only
        np = load_numpy()
        found: numpy.ndarray[Any, Any] | list[float] = (
            results.tolist() if np is None else np.array(results))
        if np is None:
            return found
        try:
            found = np.asarray(found, numpy_dtype(np, self._record.output or "f64"))
        except _accord.UnsupportedError:  # ml_dtypes is not there; float64 holds it all
            pass
        return found

    def to_c(self, name: str = "sum", *, alternative: int | str = 0) -> str:
        """A C11 function that computes the same bits; doc/emit.md says what it promises.
        alternative: which one of `alternatives` to write, by its number from 1 or its words."""
        return self.alternative(alternative)._record.emit_c(name)

    def to_json(self) -> str:
        """All of it, as ``accord reveal --json`` writes it (doc/json.md)."""
        return self._record.write("json")

    def to_svg(self, expand: bool = False) -> str:
        """The tree as a picture. With more than 256 terms, parts that repeat are drawn once, unless
        expand."""
        return self._record.write("svg", expand=expand)

    def to_html(self, expand: bool = False) -> str:
        """A page that stands alone, to explore the tree in a browser, with all that is known."""
        return self._record.write("html", expand=expand)

    def to_dot(self) -> str:
        """The tree for Graphviz."""
        return self._record.write("dot")

    def report(self, columns: int = 80, color: bool = False, utf8: bool = True) -> str:
        """What ``accord reveal`` prints: the tree in lines, the arithmetic, the verdict."""
        return self._record.write("report", columns, color, utf8)

    # ---- as an object ----

    def _key(self) -> tuple[Any, ...]:
        model = self._record.fingerprint(True)
        if model:
            return self.n, model
        # Without a model there are the answers; without those an order is equal to itself alone.
        told = self._record.answers
        if told is None and self._fields["replays"] == 0 and self.fingerprint:
            return self.n, self.fingerprint, self._fields["accumulator"]
        own = told if told and told[1] == 0 else self.to_json()
        return self.n, self.fingerprint, self.reason, own

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Order) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        target = self._fields["target"]
        print_ = f", {self.fingerprint[:12]}" if self.fingerprint else ""
        return f"<accord.Order{' of ' + target if target else ''}, n={self.n}: {self.pattern}{print_}>"

    def __str__(self) -> str:
        return self.report()

    def __reduce__(self) -> Any:
        return Order.from_json, (self.to_json(),)

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if 0 < self._record.leaves <= _MOST_DRAWN else None

    def _repr_html_(self) -> str:
        return figure(self.summary(), pictures(self))


copyreg.pickle(_accord.Record, lambda record: (_accord.read, (record.write("json"),)))


class Answers(NamedTuple):
    """What a target gave on inputs that are the same for all records of a question (doc/json.md)."""

    inputs: int  #: how many, each asked twice
    varied: int  #: of them: inputs that gave other bits the second time
    digest: str  #: of the bits of all results


def synthetic(notation: str, n: int, dtype: Any = None, seed: int = 0) -> Order:
    """The true order of a synthetic target, e.g. "pairwise", "lanes:8", "hopper-f16".

    ``accord.info()["synthetic"]`` lists them. Its arithmetic is that of the target (``dtype``
    chooses a plain one).

    >>> synthetic("sequential", 4).text
    '(((0+1)+2)+3)'
    """
    order = Order(_accord.synthetic(f"synthetic:{notation.removeprefix('synthetic:')}", n, seed))
    return order if dtype is None else order.plain(dtype)
