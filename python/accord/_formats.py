"""Number formats by the names of NumPy and ml_dtypes, and by accord's own."""

from __future__ import annotations

import functools
from typing import Any

from ._accord import ArgumentError

#: accord's name: the name of NumPy or ml_dtypes, bytes of storage
_FORMATS = {
    "f64": ("float64", 8),
    "f32": ("float32", 4),
    "f16": ("float16", 2),
    "bf16": ("bfloat16", 2),
    "tf32": ("tfloat32", 4),
    "e4m3": ("float8_e4m3fn", 1),
    "e5m2": ("float8_e5m2", 1),
    "e3m2": ("float6_e3m2fn", 1),
    "e2m3": ("float6_e2m3fn", 1),
    "e2m1": ("float4_e2m1fn", 1),
    "e8m0": ("float8_e8m0fnu", 1),
    "ue4m3": ("float8_e4m3fn", 1),  # whose numbers that are not negative have the same bits
}
#: What sums are made of: the others are elements and scales of block formats.
SUMS = ("f64", "f32", "f16", "bf16", "tf32", "e4m3", "e5m2")
_NAMES = {name: short for short, (name, _) in _FORMATS.items() if short != "ue4m3"}
_NAMES.update((short, short) for short in _FORMATS)
_NAMES.update(
    {"double": "f64", "float": "f64", "d": "f64", "f8": "f64", "single": "f32", "f": "f32",
     "f4": "f32", "half": "f16", "e": "f16", "f2": "f16", "tensorfloat32": "tf32",
     "float8_e4m3": "e4m3"})


def short_name(dtype: Any) -> str | None:
    """accord's name of a dtype of any library, None where it is not a floating-point format."""
    if isinstance(dtype, str):
        return _NAMES.get(dtype.removeprefix("torch.").lstrip("<=@"))
    inner = None if isinstance(dtype, type) else getattr(dtype, "dtype", None)
    return _short_name_of(dtype) if inner is None else short_name(inner)


@functools.lru_cache(64)
def _short_name_of(dtype: Any) -> str | None:
    return short_name(str(
        getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)))


def format_of(dtype: Any) -> str:
    """accord's name of a dtype, e.g. "f32" for "float32", numpy.float32 or torch.float32.

    >>> format_of("bfloat16"), format_of(float)
    ('bf16', 'f64')
    """
    short = short_name(dtype)
    if short is None:
        raise ArgumentError(
            f"there is no number format {dtype!r}: choose {', '.join(dtype_name(n) for n in SUMS)}, or with block scales (accord.scaled_dot) "
            "float8_e4m3fn, float8_e5m2, float6_e3m2fn, float6_e2m3fn, float4_e2m1fn")
    return short


def dtype_name(short: str) -> str:
    """The name of NumPy or ml_dtypes, e.g. "float32" for "f32"."""
    return _FORMATS[short][0]
