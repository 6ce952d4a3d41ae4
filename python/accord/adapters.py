"""Adapters: how a callable of arrays becomes sums.

`accord.reveal(numpy.sum, n=32)` asks a callable of one array. A callable of two arrays, or one that
gives many sums at once, is wrapped in an adapter, which says how its operands are laid out:

======================  ==========================================  =======================
adapter                 the callable                                shape
======================  ==========================================  =======================
``dot(f)``              f(x, y) -> number; x, y of shape (n,)       n
``gemv(f)``             f(A, x) -> (m,); A (m, k), x (k,)           (m, k)
``gemm(f)``             f(A, B) -> (m, n); A (m, k), B (k, n)       (m, n, k)
``axis(f, 1)``          f(A) -> (m,); A (m, n)                      (m, n)
``axis(f, 0)``          f(A) -> (m,); A (n, m)                      (n, m)
``scaled_dot(f, 32)``   f(x, y, scale_x, scale_y) -> number         n
======================  ==========================================  =======================

If there are many results, elements that add in the same way answer different probes in one call.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from typing import Any, Callable, NamedTuple, Sequence

from ._accord import ArgumentError
from ._arrays import library_of
from ._formats import dtype_name, format_of


class Layout(NamedTuple):
    """A question, as _accord.callable takes it."""

    n: int
    operands: tuple[tuple[tuple[int, ...], bool], ...]
    result: tuple[int, ...] = ()
    rows: int = 1
    columns: int = 1
    products: bool = False
    start: bool = False
    shape: str | None = None
    scale_block: int = 0
    scale: str | None = None


def resolve(name: str) -> Any:
    """The object that "numpy.sum", "package.module.attribute" or "package.module:a.b" names."""
    head, colon, tail = name.partition(":")
    parts = head.split(".")
    if not all(part.isidentifier() for part in parts):
        raise ArgumentError(f"{name!r} is not the name of a callable: write MODULE.ATTRIBUTE, e.g. numpy.sum")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        try:
            thing = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise  # the module is there, but what it needs is not
            if length == 1:
                raise ArgumentError(f"{name}: there is no module {module}") from None
            continue
        rest = parts[length:] + (tail.split(".") if colon else [])
        for attribute in rest:
            try:
                thing = getattr(thing, attribute)
            except AttributeError:
                raise ArgumentError(f"{name}: {module} has no {'.'.join(rest)}") from None
        return thing
    raise AssertionError("the loop ends by itself")


def name_of(function: Any) -> str:
    """A name by which a callable can be found again, where it has one."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if name is None:
        function = type(function)
        name = function.__qualname__
    owner = getattr(function, "__self__", None)
    last, library = name.rpartition(".")[2], library_of(function)
    module = getattr(function, "__module__", None)
    for top, rest in ((library, last), (module, name),
                      (library, f"{getattr(owner, '__name__', '')}.{last}")):
        package, _, path = f"{top}.{rest}".partition(".")
        found: Any = sys.modules.get(package)
        for part in path.split(".") if found is not None else ():
            found = getattr(found, part, None)
        try:
            if found is function or (type(found) is type(function) and found == function):
                return f"{top}.{rest}"
        except ValueError:  # an array, which cannot be compared as a whole
            pass
    return f"{module or library}.{name}" if module or library else str(name)


def _positive(shape: Sequence[int], names: str) -> tuple[int, ...]:
    letters = names.split(", ")
    extents = tuple(shape)
    if len(extents) != len(letters) or not all(isinstance(d, int) and d >= 1 for d in extents):
        raise ArgumentError(f"shape={shape!r} is not ({names}): give whole numbers of at least 1")
    return extents


class Adapter:
    """A callable of one array that returns one sum; the base of all adapters."""

    signature = "sum"
    transpose: str | None = None

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise ArgumentError(f"{function!r} cannot be called: give a function of arrays")
        self.function = function
        self.name = name_of(function)

    def __repr__(self) -> str:
        return self.name if type(self) is Adapter else f"accord.{self.signature}({self.name})"

    def layout(self, n: int | None, shape: Any) -> Layout:
        """Operands and result for n terms, or for a shape."""
        if shape is not None:
            raise ArgumentError(f"{self.name} returns one sum: give n, and leave shape out")
        if n is None:
            raise ArgumentError("the number of terms is missing; give it, e.g. n=32")
        return Layout(n, (((n,), True),))

    def call(self) -> Callable[..., Any]:
        """What is called with the operands."""
        return self.function


class Dot(Adapter):
    """A callable of two vectors that returns one sum of products."""

    signature = "dot"

    def layout(self, n: int | None, shape: Any) -> Layout:
        plain = super().layout(n, shape)
        return plain._replace(operands=plain.operands * 2, products=True)


class ScaledDot(Adapter):
    """A callable of two vectors and their scales that returns one sum of products."""

    signature = "scaled-dot"

    def __init__(self, function: Callable[..., Any], block: int, scale: Any) -> None:
        super().__init__(function)
        if isinstance(block, bool) or not isinstance(block, int) or block < 2:
            raise ArgumentError(f"block={block!r}: give how many products share scales, at least 2")
        short = {"float8_e4m3fn": "ue4m3", "e4m3": "ue4m3"}.get(
            dtype_name(format_of(scale)), format_of(scale))
        if short not in ("e8m0", "ue4m3"):
            raise ArgumentError(f"scale={scale!r}: scales are of e8m0 or ue4m3")
        self.block, self.scale = block, short

    def __repr__(self) -> str:
        return f"accord.scaled_dot({self.name}, {self.block}, {self.scale!r})"

    def layout(self, n: int | None, shape: Any) -> Layout:
        plain = super().layout(n, shape)
        scales = (((-(-plain.n // self.block),), True),)
        return plain._replace(operands=plain.operands * 2 + scales * 2, products=True,
                              scale_block=self.block, scale=self.scale)


class Gemv(Adapter):
    """A callable of a matrix and a vector."""

    signature = "gemv"

    def __init__(self, function: Callable[..., Any], transpose: str = "N") -> None:
        super().__init__(function)
        if transpose not in ("N", "T"):
            raise ArgumentError(f"transpose={transpose!r} is not N or T")
        self.transpose = transpose

    def layout(self, n: int | None, shape: Any) -> Layout:
        m, k = _positive(shape or (n or 0, n or 0), "m, k")
        if n not in (None, k):
            raise ArgumentError(f"shape={shape!r} adds {k} terms, but n is {n}")
        straight = self.transpose == "N"
        return Layout(k, (((m, k) if straight else (k, m), straight), ((k,), True)), (m,), m, 1,
                      True, shape=f"{m}x{k}")


class Gemm(Adapter):
    """A callable of two matrices, and with `start` of a third one, that is added to the product."""

    signature = "gemm"

    def __init__(self, function: Callable[..., Any], transpose: str = "NN",
                 start: bool = False) -> None:
        super().__init__(function)
        if transpose not in ("NN", "NT", "TN", "TT"):
            raise ArgumentError(f"transpose={transpose!r} is not one of NN, NT, TN, TT")
        self.transpose = transpose
        self.start = start

    def layout(self, n: int | None, shape: Any) -> Layout:
        inner = (n or 0) - self.start
        m, columns, k = _positive(shape or (inner, inner, inner), "m, n, k")
        if n not in (None, k + self.start):
            raise ArgumentError(f"shape={shape!r} adds {k + self.start} terms, but n is {n}")
        transpose = self.transpose or "NN"
        down, across = transpose[0] == "N", transpose[1] == "T"
        operands = [((m, k) if down else (k, m), down),
                    ((columns, k) if across else (k, columns), across)]
        if self.start:
            operands.append(((m, columns), True))
        return Layout(k + self.start, tuple(operands), (m, columns), m, columns, True, self.start,
                      f"{m}x{columns}x{k}")


class Axis(Adapter):
    """A callable that adds along one axis of a matrix."""

    def __init__(self, function: Callable[..., Any], axis: int = -1,
                 keyword: str | None = "auto") -> None:
        super().__init__(function)
        if axis not in (0, 1, -1, -2):
            raise ArgumentError(f"axis={axis!r} is not 0 or 1")
        self.axis = axis % 2
        self.signature = "rows" if self.axis else "columns"
        self.keyword = _axis_keyword(function) if keyword == "auto" else keyword

    def __repr__(self) -> str:
        return f"accord.axis({self.name}, {self.axis})"

    def layout(self, n: int | None, shape: Any) -> Layout:
        extents = _positive(shape or (n or 0, n or 0), "m, n" if self.axis else "n, m")
        terms, sums = extents[self.axis], extents[1 - self.axis]
        if n not in (None, terms):
            raise ArgumentError(f"shape={shape!r} adds {terms} terms along axis {self.axis}, but n "
                                f"is {n}")
        return Layout(terms, ((extents, self.axis == 1),), (sums,), sums, 1,
                      shape=f"{sums}x{terms}")

    def call(self) -> Callable[..., Any]:
        if self.keyword is None:
            return self.function
        function, chosen = self.function, {self.keyword: self.axis}
        return lambda array: function(array, **chosen)


def _axis_keyword(function: Any) -> str | None:
    try:
        names = inspect.signature(function).parameters
    except (TypeError, ValueError):
        # Built-in functions of PyTorch say nothing of themselves, and take dim.
        return "dim" if library_of(function) == "torch" else None
    return next((name for name in ("axis", "dim") if name in names), None)


def scaled_dot(function: Callable[..., Any], block: int = 32, scale: Any = "e8m0") -> ScaledDot:
    """f(x, y, scale_x, scale_y): two vectors of elements of 8, 6 or 4 bits (dtype="float8_e4m3fn",
    "float8_e5m2", "float6_e3m2fn", "float6_e2m3fn" or "float4_e2m1fn"), each `block` of which share
    a scale, one number. x and y have the shape (n,), their scales (n / block,); these are
    "e8m0" (MXFP8, MXFP6, MXFP4) or "ue4m3" (NVFP4, an array of float8_e4m3fn without negative
    numbers). PyTorch holds two elements of 4 bits in a byte, so x and y then have n / 2 numbers.

    >>> import accord, numpy
    >>> def mxfp8(x, y, scale_x, scale_y):
    ...     products = x.astype("f8") * y.astype("f8")
    ...     blocks = products.reshape(-1, 32).sum(axis=1)
    ...     return numpy.float32(blocks * scale_x.astype("f8") * scale_y.astype("f8")).sum()
    >>> order = accord.reveal(accord.scaled_dot(mxfp8), 128, "float8_e4m3fn", output="float32")
    >>> order.notation
    '128: fuse in 32s; chain'
    """
    return ScaledDot(function, block, scale)


def gemv(function: Callable[..., Any], transpose: str = "N") -> Gemv:
    """f(A, x): A of shape (m, k), or (k, m) with transpose "T"; x (k,); the result (m,).

    >>> import accord, numpy
    >>> order = accord.reveal(accord.gemv(numpy.matmul), shape=(4, 24), element=1)
    >>> order.n
    24
    """
    return Gemv(function, transpose)


def gemm(function: Callable[..., Any], transpose: str = "NN", start: bool = False) -> Gemm:
    """f(A, B): A of shape (m, k), or (k, m) with "T" first; B (k, n), or (n, k) with "T" second; the
    result (m, n). With `start` f(A, B, C), which adds C of shape (m, n): the last term.

    >>> import accord, numpy
    >>> order = accord.reveal(accord.gemm(numpy.matmul), shape=(4, 5, 24), element=(0, 1))
    >>> order.n
    24
    """
    return Gemm(function, transpose, start)


def axis(function: Callable[..., Any], axis: int = -1, keyword: str | None = "auto") -> Axis:
    """f(A): sums along an axis of A, whose shape is (m, n) for axis 1 (or -1), (n, m) for axis 0; the
    result (m,). The axis is passed to f as `keyword`, by default "axis" or "dim" if f has such a
    parameter; with None it is not passed.

    >>> import accord, numpy
    >>> accord.reveal(accord.axis(numpy.sum, 0), shape=(10, 4)).text
    '(((((((((0+1)+2)+3)+4)+5)+6)+7)+8)+9)'
    """
    return Axis(function, axis, keyword)
