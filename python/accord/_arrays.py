"""What a callable is given: arrays of its library over memory of the extension, without copies.

`Arrays` says how: `make` turns Buffers into arguments, `mode` is when it is called (see _accord.c),
and the collectors turn a result into what a number, or a buffer, can be had from.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from array import array
from typing import Any, Callable, NamedTuple

from ._accord import ArgumentError, UnsupportedError
from ._formats import dtype_name, format_of, short_name

SHARED, CONVERTED, FRESH = 0, 1, 2


class Arrays(NamedTuple):
    make: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    mode: int
    number: Callable[[Any], Any] | None  # of one result; None: it converts to a float itself
    numbers: Callable[[Any], Any] | None  # of many results; None: they are a buffer


def load_numpy() -> Any:
    """NumPy, or None where it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def quiet() -> Any:
    """A context without NumPy's warnings: masks and random inputs overflow on purpose."""
    np = sys.modules.get("numpy")
    return np.errstate(all="ignore") if np is not None else contextlib.nullcontext()


def numpy_dtype(np: Any, short: str) -> Any:
    """The dtype of NumPy or ml_dtypes with accord's name `short`."""
    if short in ("f64", "f32", "f16", "tf32"):
        return np.dtype(dtype_name("f32" if short == "tf32" else short))
    try:
        import ml_dtypes
    except ImportError:
        raise UnsupportedError(
            f"arrays of {dtype_name(short)} need the package ml_dtypes: pip install ml_dtypes"
        ) from None
    return np.dtype(getattr(ml_dtypes, dtype_name(short)))


def _plain_only(short: str, what: str) -> None:
    if short not in ("f64", "f32", "tf32"):
        raise UnsupportedError(f"{what} of {dtype_name(short)} need NumPy: pip install numpy")


def as_numpy(np: Any, thing: Any) -> Any:
    """A NumPy array over the same memory if `thing` has a buffer, has __array__ or supports DLPack,
    else a new one."""
    if hasattr(thing, "__dlpack__") and not hasattr(thing, "__array__"):
        return np.from_dlpack(thing)
    return np.asarray(thing)


class Doubles(NamedTuple):
    buffer: Any  #: of float64, in C order
    shape: tuple[int, ...]
    dtype: str | None  #: accord's name of the format that they had; None: they were lists


def doubles(thing: Any) -> Doubles:
    """The numbers of an array of any library, or of lists, as float64, which holds them exactly."""
    short = short_name(thing.dtype) if hasattr(thing, "dtype") else None
    if hasattr(thing, "detach"):  # a tensor of PyTorch, whose bfloat16 NumPy does not know
        thing = thing.detach().cpu().double().numpy()
    np = load_numpy()
    if np is None:
        view = memoryview(_nested(thing))
        if view.format != "d":
            raise UnsupportedError("arrays of other numbers than float64 need NumPy: pip install numpy")
        return Doubles(view, tuple(view.shape or ()), short)
    try:
        given = as_numpy(np, thing)
        if given.dtype.kind == "c" or any(each is None for each in given.flat if given.dtype == object):
            raise ValueError
        array = np.ascontiguousarray(given, dtype=np.float64)
    except (ValueError, TypeError) as error:  # such as lists of different lengths
        raise ArgumentError(f"{type(thing).__name__}: no array of real numbers can be made of this; give "
                            "numbers, or rows of one length") from error
    if given.dtype.kind in "iu" or given.dtype == np.longdouble:
        wide = given.astype(np.longdouble)
        if not np.array_equal(array.astype(np.longdouble), wide, equal_nan=True):
            raise ArgumentError(f"some of these numbers of {given.dtype} are none of float64")
    return Doubles(array, array.shape, short)


def _float_array(np: Any, result: Any) -> Any:
    array = as_numpy(np, result)
    return array if array.dtype.char in "dfe" or array.dtype.kind == "c" else array.astype(np.float64)


def _numpy(short: str, scale: str | None = None) -> Arrays:
    np = load_numpy()
    if np is None:
        raise UnsupportedError("NumPy is not installed: pip install numpy, or array=\"memoryview\"")
    dtypes, new = {name: numpy_dtype(np, name) for name in (short, scale) if name}, np.ndarray

    def make(buffers: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(new(b.shape, dtypes[b.format], buffer=b) for b in buffers)

    return Arrays(make, SHARED, None, functools.partial(_float_array, np))


def _memoryview(short: str, scale: str | None = None) -> Arrays:
    _plain_only(short, "memoryviews")
    return Arrays(lambda buffers: tuple(memoryview(b) for b in buffers), SHARED, None, _nested)


def _list(short: str, scale: str | None = None) -> Arrays:
    _plain_only(short, "lists")
    return Arrays(lambda buffers: tuple(memoryview(b).tolist() for b in buffers), CONVERTED, None,
                  _nested)


def _nested(result: Any) -> Any:
    """Lists of floats, or lists of such lists, as a buffer; what has a buffer stays as it is."""
    if not isinstance(result, (list, tuple)):
        return result
    if not (result and isinstance(result[0], (list, tuple))):
        return array("d", result)
    if len({len(row) for row in result}) != 1:
        raise ArgumentError("the callable returned lists of different lengths")
    flat = memoryview(array("d", [x for row in result for x in row]))
    return flat.cast("B").cast("d", (len(result), len(result[0])))


def _torch(short: str, scale: str | None = None) -> Arrays:
    import torch

    def find(name: str) -> Any:
        word = dtype_name("f32" if name == "tf32" else name)
        dtype = getattr(torch, "float4_e2m1fn_x2" if name == "e2m1" else word, None)
        if dtype is None:
            raise UnsupportedError(f"this version of PyTorch has no {word}")
        return dtype

    dtypes = {name: find(name) for name in (short, scale) if name}

    def tensor(buffer: Any) -> Any:
        if buffer.format != "e2m1":
            return torch.frombuffer(buffer, dtype=dtypes[buffer.format]).reshape(buffer.shape)
        codes = torch.frombuffer(buffer, dtype=torch.uint8)
        return (codes[0::2] | codes[1::2] << 4).view(dtypes["e2m1"])  # two in a byte, the first low

    def make(buffers: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(tensor(b) for b in buffers)

    def numbers(result: Any) -> Any:
        if not isinstance(result, torch.Tensor):
            return result
        held = result.detach().cpu()
        wide = held if held.dtype in (torch.float64, torch.float32) else held.to(torch.float32)
        return wide.numpy()

    return Arrays(make, CONVERTED if short == "e2m1" else SHARED, None, numbers)


def _jax(short: str, scale: str | None = None) -> Arrays:
    import jax
    import jax.numpy as jnp
    import numpy as np

    dtypes, new = {name: numpy_dtype(np, name) for name in (short, scale) if name}, np.ndarray
    if short == "f64" and not jax.config.jax_enable_x64:
        raise UnsupportedError(
            f"JAX does not make {dtype_name(short)} unless jax.config.update(\"jax_enable_x64\", True)")

    def make(buffers: tuple[Any, ...]) -> tuple[Any, ...]:
        # What JAX holds never changes, so it gets copies: memory that is written to again must not
        # be its own.
        return tuple(jnp.array(new(b.shape, dtypes[b.format], buffer=b), copy=True) for b in buffers)

    return Arrays(make, CONVERTED, None, functools.partial(_float_array, np))


_LIBRARIES: dict[str, Callable[[str, str | None], Arrays]] = {
    "numpy": _numpy,
    "memoryview": _memoryview,
    "list": _list,
    "torch": _torch,
    "jax": _jax,
}


def library_of(function: Any) -> str | None:
    """The top package that a callable comes from, if its attributes name one."""
    while isinstance(function, functools.partial):
        function = function.func
    owner = getattr(function, "__self__", None)
    for thing in (function, owner, type(owner), type(function)):
        module = getattr(thing, "__module__", None)
        if isinstance(module, str) and module not in ("builtins", "functools"):
            return module.partition(".")[0]
    return None


def _known_library(thing: Any) -> str | None:
    """"numpy", "torch" or "jax", if a function, an array or a dtype is of one of these."""
    library = library_of(thing)
    library = {"jaxlib": "jax"}.get(library or "", library)
    return library if library in ("numpy", "torch", "jax") and library in sys.modules else None


def _automatic(function: Any, dtype: Any, like: Any) -> str:
    """The library of the function; or, of a function of the user's own, that of its inputs or of
    the dtype that was named."""
    own = _known_library(function)
    for thing in (like, dtype) if own is None else ():
        own = own or (None if thing is None or isinstance(thing, str) else _known_library(thing))
    return own or ("numpy" if load_numpy() else "memoryview")


def arrays_for(function: Any, choice: Any, dtype: Any, copy: bool, like: Any = None,
               scale: str | None = None) -> Arrays:
    """How `function` is given its operands; `choice` is the user's: the name of a library, a function
    that converts, or "auto". `like`: an array of the user's. `scale`: the format of block scales."""
    short = format_of(dtype)
    if choice == "auto":
        choice = _automatic(function, dtype, like)
    if callable(choice):
        base = _numpy(short, scale) if load_numpy() else _memoryview(short)
        convert, inner = choice, base.make
        arrays = base._replace(make=lambda b: tuple(convert(x) for x in inner(b)), mode=CONVERTED)
    elif choice in _LIBRARIES:
        arrays = _LIBRARIES[choice](short, scale)
    else:
        raise ArgumentError(
            f"array={choice!r} is unknown: choose auto, {', '.join(_LIBRARIES)}, or a function "
            "that converts an array")
    return arrays._replace(mode=FRESH) if copy else arrays
