"""What exact sums and dot products take: buffers, arrays, tensors and lists of numbers."""

from __future__ import annotations

import numbers
from typing import Any

from ._accord import ArgumentError
from ._arrays import as_numpy, load_numpy
from ._exact_columns import column
from ._exact_rows import of_tensor, rounding_of, widened
from ._formats import short_name
from ._rational import flat, floats, number


def checked(rounding: str) -> str:
    rounding_of(rounding)
    return rounding


def unmasked(np: Any, x: Any, mask: Any = None) -> Any:
    """An array; of a masked one, the elements that its mask (or `mask`) does not hide."""
    if not np.ma.isMaskedArray(x):
        return as_numpy(np, x)
    hidden = np.ma.getmaskarray(x) if mask is None else mask
    return np.ma.getdata(x)[~hidden] if hidden.any() else np.ma.getdata(x)


def operand_of(x: Any) -> tuple[Any, str | None]:
    """A buffer, and accord's name of its format if the buffer does not state it; or a list of
    numbers, some of which are not floats."""
    if isinstance(x, (bytes, bytearray)):
        raise ArgumentError("bytes do not state the format of their numbers: give, for example, "
                            "memoryview(x).cast('d')")
    if isinstance(x, str):
        raise ArgumentError("x is a string: convert it to numbers first")
    if isinstance(x, numbers.Number):
        x = [x]
    if hasattr(x, "detach"):  # a tensor of PyTorch
        x, short = of_tensor(x)
        if short == "bf16":
            return x, short
    x = column(load_numpy(), x)
    np = load_numpy() if hasattr(x, "__array__") or hasattr(x, "__dlpack__") else None
    if np is not None:
        x = unmasked(np, x)
        if short_name(x.dtype) == "bf16":
            return x.view(np.uint16), "bf16"
        x = widened(np, x)
        if x.dtype.kind == "O":
            return [number(item) for item in x.ravel().tolist()], None
        if x.dtype.char not in "dfe" and x.dtype.kind not in "iub":
            raise ArgumentError("exact sums take float64, float32, float16, bfloat16 and integers, "
                                f"not {x.dtype}: convert first")
        return x, None
    try:
        memoryview(x)
    except TypeError:
        items = flat(x)
        held = floats(items)
        return ([number(item) for item in items] if held is None else held), None
    return x, None


def is_complex(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(isinstance(item, complex) or isinstance(item, (list, tuple)) and is_complex(item)
                   for item in x)
    dtype = getattr(x, "dtype", None)
    return getattr(dtype, "kind", "") == "c" or getattr(dtype, "is_complex", False)
