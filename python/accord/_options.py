"""The keywords of questions and their types, so that type checkers find misspelled ones."""

from __future__ import annotations

from typing import Any, Callable, TypedDict

Progress = Callable[[str, int, int], object]


class TargetOptions(TypedDict, total=False):
    """Of notations such as "blas:sgemm" (`accord help reveal` explains them)."""

    alpha: float
    beta: float
    timeout: float
    no_fork: bool
    python: str
    signature: str
    result: str
    transpose: str
    incx: int
    incy: int
    lda: int
    ldb: int
    ldc: int
    align: int
    scale_block: int
    scale: str


class AskOptions(TargetOptions, total=False):
    """Of `accord.reveal` besides the target, n, dtype, shape and element."""

    algorithm: str | None
    seed: int
    certificate: bool
    loose: bool
    replays: int | None
    budget: str | float | None
    proof: str | None
    error: float | None
    progress: Progress | bool | None
    array: Any
    copy: bool
    output: Any
    name: str | None


class RevealOptions(AskOptions, total=False):
    """Of `accord.reveal` besides the target, n and dtype."""

    shape: Any
    element: Any


class CheckOptions(RevealOptions, total=False):
    """Of `accord.reveal` besides the target."""

    n: int | None
    dtype: Any
