"""Questions: what is to be asked, opened as targets of the extension."""

from __future__ import annotations

import copy
import os
import platform
import sys
from array import array
from typing import Any

from . import _accord
from ._accord import ArgumentError
from ._arrays import arrays_for, library_of, quiet
from ._formats import SUMS, format_of, short_name
from .adapters import Adapter

#: Options of targets that a notation names, in the words of the command, and of the extension.
_OPTIONS = {
    "alpha": "alpha", "beta": "beta", "timeout": "timeout", "no_fork": "no_fork",
    "python": "python",
    "signature": "signature", "result": "result", "transpose": "transpose", "incx": "incx", "incy": "incy",
    "lda": "lda", "ldb": "ldb", "ldc": "ldc", "align": "alignment",
    "scale_block": "scale_block", "scale": "scale",
}


def _element(element: Any) -> tuple[int, int]:
    """(row, column) of 3, (3,), (0, 5), "0,5"."""
    parts = element.split(",") if isinstance(element, str) else element
    try:
        pair = tuple(int(i) for i in parts) if not isinstance(parts, int) else (parts,)
    except (TypeError, ValueError):
        pair = ()
    if len(pair) not in (1, 2):
        raise ArgumentError(f"element={element!r} is not a row, or a row and a column")
    return (pair[0], pair[1] if len(pair) == 2 else 0)


def _of_library(name: str) -> tuple[str | None, str]:
    """Path and version of the package that a callable comes from."""
    module = sys.modules.get(name)
    version = getattr(module, "__version__", None)
    path = getattr(module, "__file__", None)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (os.path.abspath(path) if path else None,
            f"{name} {version}, {python}" if isinstance(version, str) else python)


class Question:
    """What to ask, and how. `open` makes a target for the extension to ask: one for each use, so
    threads may share a question."""

    def __init__(self, target: Any, n: int | None = None, dtype: Any = None, *, shape: Any = None,
                 element: Any = None, array: Any = "auto", copy: bool = False, output: Any = None,
                 name: str | None = None, seed: int = 0, given: Any = None, **options: Any) -> None:
        if n is not None and (isinstance(n, bool) or not hasattr(n, "__index__")):
            raise ArgumentError(f"n={n!r} is not a number of terms")
        self.n = None if n is None else n.__index__()
        self.dtype, self.shape, self.element = dtype, shape, element
        self.array, self.copy, self.output, self.seed = array, copy, output, seed
        self.given = given  # an array of the user's, of whose library their functions get arrays
        self.options = options
        #: a notation, or what is called
        self.asked: str | Adapter = (target if isinstance(target, (str, Adapter))
                                     else Adapter(target))
        own = self.asked if isinstance(self.asked, str) else f"python:{self.asked.name}"
        self.name = name or own
        foreign = isinstance(self.asked, str)
        unknown = [word for word in options if not foreign or word not in _OPTIONS]
        if unknown:
            raise TypeError(f"{unknown[0]} is not an option of {self.name}")
        self.version = ""

    def like(self, **changes: Any) -> Question:
        """The same question but for some settings."""
        other = copy.copy(self)
        for name, value in changes.items():
            setattr(other, name, value)
        return other

    # ---- opening ----

    def open(self) -> tuple[_accord.Target, int, int]:
        """The target, and row and column of the element that is meant (row -1: there is one)."""
        return (self._open_notation(self.asked) if isinstance(self.asked, str) else
                self._open_callable(self.asked))

    def _open_notation(self, notation: str) -> tuple[_accord.Target, int, int]:
        shape = self.shape
        if shape is not None and not isinstance(shape, str):
            shape = "x".join(str(extent) for extent in shape)
        n = self.n
        if n is None and shape:
            n = int(shape.rpartition("x")[2]) + bool(self.options.get("beta"))
        if n is None:
            raise ArgumentError("the number of terms is missing; give it, e.g. n=32")
        row, column = _element(self.element) if self.element is not None else (0, 0)
        words = {_OPTIONS[name]: value for name, value in self.options.items()}
        words.setdefault("python", os.environ.get("ACCORD_PYTHON") or sys.executable)
        if self.element is not None:
            words["element"] = (self.element if isinstance(self.element, str) else
                                f"{row},{column}" if shape and shape.count("x") == 2 or column
                                else str(row))
        target = _accord.open(notation, n,
                              format=format_of(self.dtype) if self.dtype is not None else None,
                              seed=self.seed, shape=shape, **words)
        return target, row if target.many else -1, column

    def _open_callable(self, adapter: Adapter) -> tuple[_accord.Target, int, int]:
        dtype = "float32" if self.dtype is None else self.dtype
        layout = adapter.layout(self.n, self.shape)
        arrays = arrays_for(adapter.function, self.array, dtype, self.copy, self.given, layout.scale)
        path, self.version = _of_library(library_of(adapter.function) or "builtins")
        output = format_of(dtype)
        if layout.scale or output not in SUMS:
            output = "f32"
        target = _accord.callable(
            adapter.call(), layout.n, layout.operands, arrays.make, format=format_of(dtype),
            output=output, products=layout.products, mode=arrays.mode,
            collect=arrays.numbers if layout.result else arrays.number, result=layout.result,
            rows=layout.rows, columns=layout.columns, start=layout.start, notation=self.name,
            library=path, version=self.version, signature=adapter.signature, shape=layout.shape,
            transpose=adapter.transpose, scale_block=layout.scale_block, scale=layout.scale)
        try:
            target.output = self._output(target, format_of(dtype))
        except (AttributeError, TypeError) as error:
            self._advise(error, layout.operands)
            raise
        if not layout.result:
            if self.element is not None:
                raise ArgumentError(f"{self.name} returns one sum: leave element out")
            return target, -1, 0
        row, column = _element((0, 0) if self.element is None else self.element)
        return target, row, column

    def _advise(self, error: Exception, operands: Any) -> None:
        """Adds to the exception of the first call how other operands may mend it."""
        if hasattr(error, "add_note"):
            shapes = ", ".join(str(shape) for shape, _ in operands)
            error.add_note(
                f"accord called {self.name} with arrays of the shapes {shapes}. array=\"torch\" gives "
                "it tensors, \"jax\" arrays of JAX and \"list\" lists; accord.dot, gemv, gemm and "
                "axis call functions of other operands.")

    def _output(self, target: _accord.Target, dtype: str) -> str:
        """The format of results: as they say, or for plain numbers of Python float64."""
        if self.output is not None:
            return format_of(self.output)
        result = target.sample()
        short = short_name(getattr(result, "dtype", type(result)))
        if short is None and isinstance(result, array):
            short = short_name(result.typecode)
        elif short is None and isinstance(result, memoryview):
            short = short_name(result.format)
        return "tf32" if short == "f32" and dtype == "tf32" else short or "f64"

    # ---- asking ----

    def ask(self, x: list[float], y: list[float]) -> float | None:
        """What the target gives for one input; None where it cannot be given that."""
        target, row, column = self.open()
        if len(x) != target.n or (not target.products and any(factor != 1 for factor in y)):
            return None
        try:
            second = array("d", y) if target.products else None
            with quiet():
                return target.ask(array("d", x), second, max(row, 0), column)[0]
        except _accord.Error:
            return None
