"""Exact sums on a device other than this CPU."""

from __future__ import annotations

import os
import threading
from typing import Any

from . import _accord
from ._accord import ArgumentError
from ._arrays import load_numpy
from ._exact_operands import is_complex, operand_of
from ._exact_rows import rounding_of
from ._formats import format_of

# To open a device takes longer than most sums. A process after a fork needs one of its own.
_devices: dict[tuple[int, str], Any] = {}
_lock = threading.Lock()  # a device is for one thread at a time


def _device(name: Any) -> Any:
    if not isinstance(name, str):
        raise ArgumentError(f"device={name!r} is not a name: write device=\"opencl\"")
    key = os.getpid(), name
    if key not in _devices:
        _devices[key] = _accord.exact_device(name)
    return _devices[key]


def floats_for_device(x: Any, others: dict[str, Any]) -> Any:
    """The numbers as a buffer in one piece; `others` are arguments that do not go with a device."""
    for name, given in others.items():
        if given:
            raise ArgumentError(f"a device adds all numbers at once, with threads of its own: leave "
                                f"{name} out")
    if hasattr(x, "__next__") or is_complex(x):
        raise ArgumentError("a device adds float64 or float32 in memory: give an array of these")
    operand, name = operand_of(x)
    np = load_numpy() if hasattr(operand, "dtype") else None
    if isinstance(operand, list) or name or memoryview(operand).format.lstrip("@=") not in ("d", "f"):
        raise ArgumentError("a device adds float64 or float32: convert the numbers first, as in "
                            "x.astype(\"float64\")")
    return operand if np is None else np.ascontiguousarray(operand)


def sum_on(device: str, x: Any, dtype: Any, rounding: str, others: dict[str, Any]) -> float:
    operand, code = floats_for_device(x, others), rounding_of(rounding)
    short = None if dtype is None else format_of(dtype)
    with _lock:
        return _accord.device_sum(_device(device), operand, short, code)


def dot_on(device: str, x: Any, y: Any, rounding: str, others: dict[str, Any]) -> float:
    first, second = floats_for_device(x, others), floats_for_device(y, others)
    code = rounding_of(rounding)
    if memoryview(first).ndim != 1 or memoryview(second).ndim != 1:
        raise ArgumentError("an exact dot product takes two vectors")
    with _lock:
        return _accord.device_dot(_device(device), first, second, code)
