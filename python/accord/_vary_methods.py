"""Parallel reductions of the literature: how far their results spread."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any, Iterable

from . import _accord
from ._accord import ArgumentError
from ._arrays import doubles, quiet


@dataclasses.dataclass(frozen=True, repr=False)
class VariedMethod:
    """The runs of one method on one array. It is true if all of them gave the same bits."""

    method: str
    n: int
    parts: int  #: what the last stage adds; of AO and SPA the number of atomic additions
    distinct: int
    spread: float  #: of the results, in units in the last place
    deviation: float  #: likewise
    max_vs: float  #: the largest |Vs|, from the reference; NaN if it is defined for no result
    undefined: int  #: results for which Vs is not defined
    reference: float  #: the sum by SPTR
    exact: float  #: the correctly rounded sum
    bound: float  #: no order is further from the exact sum
    predicted: float  #: the deviation if all orders of arrival are equally likely; 0 if it is fixed
    results: list[float]  #: of each run

    def __bool__(self) -> bool:
        return self.distinct == 1

    def __hash__(self) -> int:
        return hash((self.method, self.n, tuple(self.results)))

    def __repr__(self) -> str:
        return (f"<accord.VariedMethod {self.method}, n = {self.n}: {self.distinct} distinct "
                f"result{'s' * (self.distinct != 1)} in {len(self.results)} runs>")


def vary_methods(methods: str | Iterable[str] = "SPA", n: int | Iterable[int] | None = None, *,
                 runs: int = 1000, block: int = 64, grid: int = 0, device: str = "simulation",
                 schedule: str = "permutation", threads: int = 0, seed: int = 0xa238abdf,
                 inputs: Any = None, distribution: str = "uniform", amplitude: float = 10,
                 center: float = 0, standard_deviation: float = .5) -> list[VariedMethod]:
    """Runs parallel reductions whose last additions may happen in any order: a `VariedMethod` for
    each method and length, with the results that `accord vary --method` has for the same seed
    (doc/vary.md describes the methods).

    methods
        "AO", "SPA", "SPTR", "SPRG", "TPRC", with "-kahan" and "-shuffle"; one or several.
    n
        Lengths; by default 1000, or that of the inputs.
    block, grid
        Threads in a block, a power of two up to 1024; and the greatest number of blocks, 0 for as
        many as there are terms for.
    device, schedule, threads
        "simulation", with orders of arrival from the seed ("permutation", or
        "waves:WORKERS,BURST"), "threads" (64 by default) or "opencl"; of several OpenCL devices
        "opencl:1" or "opencl:NAME" names one.
    inputs
        An array, of which n numbers are added. Otherwise they are drawn from the seed:
        distribution "uniform" is amplitude * (x - center) with x in (0, 1], "normal" has this
        center and standard deviation, "log-uniform" lies between 1 / amplitude and amplitude.

    >>> import accord
    >>> for row in accord.vary_methods(["AO", "SPTR"], n=1000, runs=100):
    ...     print(row.method, row.distinct > 1, row.deviation > 0, row.predicted > 0)
    AO True True True
    SPTR False False False
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    given = None
    if inputs is not None:
        held = doubles(inputs)
        if len(held.shape) != 1:
            raise ArgumentError("inputs are one array of terms")
        given = held.buffer
        n = held.shape[0] if n is None else n
    lengths = [1000] if n is None else list(n) if isinstance(n, Iterable) else [operator.index(n)]
    if not 0 <= seed < 2**32:
        raise ArgumentError(f"seed={seed}: the generator takes a seed below 2**32")
    if standard_deviation == 0 or amplitude == 0:
        raise ArgumentError("with an amplitude or a standard deviation of 0 all numbers are equal; "
                            "give another, or inputs")
    for name, value, most in ("block", block, 2**32 - 1), ("grid", grid, 2**32 - 1), (
            "threads", threads, 1024):
        if not 0 <= value <= most:
            raise ArgumentError(f"{name}={value}: give a number from 0 to {most}")
    with quiet():
        return [VariedMethod(**_accord.vary_method(
            name, length, given, runs=runs, block=block, grid=grid, threads=threads, seed=seed,
            device=device, schedule=schedule, distribution=distribution, amplitude=amplitude,
            center=center, deviation=standard_deviation)) for name in names for length in lengths]
