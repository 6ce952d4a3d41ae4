"""Columns of pandas, Arrow and Polars as arrays of NumPy, with a mask where values are missing.

A value is missing if its column says so: NA of a nullable column, None in a column of objects, NaT,
null of Arrow or Polars. A NaN in a column of plain floats is a number like any other.
"""

from __future__ import annotations

from typing import Any

from ._accord import ArgumentError, UnsupportedError


def library(x: Any) -> str:
    """The package that the type of an object comes from."""
    return (getattr(type(x), "__module__", None) or "").partition(".")[0]


def is_frame(x: Any) -> bool:
    """Is it a table with columns of their own types?"""
    return library(x) == "pandas" and getattr(x, "ndim", 1) == 2


def _masked(np: Any, data: Any, mask: Any) -> Any:
    return np.ma.array(data, mask=mask) if mask.any() else data


def _pandas(np: Any, x: Any) -> Any:
    dtype = x.dtype
    if isinstance(dtype, np.dtype):
        return without_missing(np, x.to_numpy())
    inner = getattr(dtype, "numpy_dtype", None)
    missing = np.asarray(x.isna())
    if inner is not None and inner.kind in "fiubc":
        return _masked(np, x.to_numpy(dtype=inner, na_value=inner.type(0)), missing)
    data = np.array(x, dtype=object)
    data[missing] = 0
    return _masked(np, data, missing)


def without_missing(np: Any, data: Any) -> Any:
    """The array, masked where an object is None or pandas' NA, and where a time is NaT."""
    if data.dtype.kind in "mM":
        return _masked(np, data, np.isnat(data))
    if data.dtype.kind != "O":
        return data
    missing = np.array([item is None or type(item).__name__ in ("NAType", "NaTType")
                        for item in data.ravel().tolist()], dtype=bool).reshape(data.shape)
    if not missing.any():
        return data
    held = data.copy()
    held[missing] = 0
    return _masked(np, held, missing)


def _arrow(np: Any, x: Any) -> Any:
    if not hasattr(x, "is_null") or not hasattr(x, "fill_null"):
        raise ArgumentError(f"a {type(x).__name__} of Arrow is not a column: give one of its columns")
    if not x.null_count:
        return _arrow_numbers(x)
    missing = _arrow_numbers(x.is_null())
    data = np.zeros(len(x), dtype=object)
    held = _arrow_numbers(x.drop_null())
    if held.dtype.kind != "O":
        data = np.zeros(len(x), dtype=held.dtype)
    data[~missing] = held
    return _masked(np, data, missing)


def _arrow_numbers(x: Any) -> Any:
    """An Array or a ChunkedArray without nulls; only the first may be without a copy."""
    return x.to_numpy() if hasattr(x, "chunks") else x.to_numpy(zero_copy_only=False)


def _polars(np: Any, x: Any) -> Any:
    if not hasattr(x, "is_null") or not hasattr(x, "null_count"):
        raise ArgumentError(f"a {type(x).__name__} of Polars is not a column: give one of its columns")
    if not x.null_count():
        return x.to_numpy()
    return _masked(np, x.fill_null(0).to_numpy(), x.is_null().to_numpy())


def column(np: Any, x: Any) -> Any:
    """An array, masked or not, where x is a column of one of these libraries; else x itself."""
    reader = {"pandas": _pandas, "pyarrow": _arrow, "polars": _polars}.get(library(x))
    if reader is None:
        return x
    if np is None:
        raise UnsupportedError(f"columns of {library(x)} need NumPy: pip install numpy")
    if is_frame(x):
        raise ArgumentError("this takes a column, not a table: give one of its columns")
    return reader(np, x)
