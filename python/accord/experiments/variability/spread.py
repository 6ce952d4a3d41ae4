"""Measures of how far results differ, as include/accord/vary.h defines them.

Two elements are the same if their bits are; zeros of different signs are not, and NaN is one value.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from typing import Any, NamedTuple

import numpy as np


def vs(value: float, reference: float) -> float:
    """Vs, the scalar variability: 1 - |value / reference|. NaN where it is not defined: the reference is
    0, infinite or NaN and the value is another, or the value is NaN."""
    if _same(np.float64(value), np.float64(reference)) or value == reference == 0:
        return 0.0
    if reference == 0 or not math.isfinite(reference) or math.isnan(value):
        return math.nan
    with np.errstate(over="ignore"):
        return float(1 - abs(np.float64(value) / np.float64(reference)))


def vermv(value: Any, reference: Any) -> float:
    """Vermv, the mean of |reference - value| / |reference|. Elements that are the same, or are both
    zeros, count as 0. Elements for which the quotient is not defined are left out; NaN if none is
    left."""
    a, b = np.asarray(reference, np.float64), np.asarray(value, np.float64)
    same = _same(a, b) | ((a == 0) & (b == 0))
    defined = same | ((a != 0) & np.isfinite(a) & ~np.isnan(b))
    if not defined.any():
        return math.nan
    with np.errstate(all="ignore"):
        quotients = np.abs(a - b) / np.abs(a)
    return float(np.where(same, 0.0, quotients)[defined].mean())


def vc(value: Any, reference: Any) -> float:
    """Vc, the share of elements that are not the same; NaN of none."""
    a, b = np.asarray(reference, np.float64), np.asarray(value, np.float64)
    return float(1 - _same(a, b).mean()) if a.size else math.nan


def _same(a: Any, b: Any) -> Any:
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def digest(array: Any) -> bytes:
    """Equal for arrays that are the same."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "f" and np.isnan(array).any():
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return hashlib.blake2b(array.tobytes(), digest_size=16).digest()


class Spread(NamedTuple):
    """Results in relation to the first of them: means and standard deviations over the others."""

    runs: int
    unique: int
    vermv: float
    vermv_deviation: float
    vc: float
    vc_deviation: float


class Results:
    """Results of one computation as they come; only the first one is kept."""

    def __init__(self) -> None:
        self.first: Any = None
        self.digests: list[bytes] = []
        self.vermv: list[float] = []
        self.vc: list[float] = []

    def add(self, array: Any) -> None:
        self.digests.append(digest(array))
        if self.first is None:
            self.first = np.array(array)
            return
        if array.shape != self.first.shape:
            raise ValueError(f"results of shapes {self.first.shape} and {array.shape}")
        differs = self.digests[-1] != self.digests[0]
        self.vermv.append(vermv(array, self.first) if differs else 0.0)
        self.vc.append(vc(array, self.first) if differs else 0.0)

    def spread(self) -> Spread:
        if not self.digests:
            raise ValueError("there are no results to compare")
        return Spread(len(self.digests), len(set(self.digests)), *mean_and_deviation(self.vermv),
                      *mean_and_deviation(self.vc))


def mean_and_deviation(values: list[float]) -> tuple[float, float]:
    """Of what is defined; 0 of nothing, the deviation 0 of one."""
    known = [x for x in values if not math.isnan(x)]
    if not known:
        return (math.nan if values else 0.0), 0.0
    return statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else 0.0
