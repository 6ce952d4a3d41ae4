"""NumPy's operators, by the names that sweeps use; see pytorch.py. Inputs come from apart.Draw."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .array_operators import Call, Operators


def forward(function: Callable[..., Any], *inputs: Any) -> Call:
    return lambda: {"result": function(*inputs)}


OPERATORS = Operators(np, forward)
OPERATORS.of_vector("fft", lambda x: np.fft.rfft(x).view(np.float64))
OPERATORS.of_vector("histogram", lambda x: np.histogram(x, 100, (-4, 4), weights=x)[0])


@OPERATORS.enter
def einsum(draw: Any, n: int) -> Call:
    return forward(lambda a, b: np.einsum("ij,ij->i", a, b), draw.normal(n, n), draw.normal(n, n))


@OPERATORS.enter
def svd(draw: Any, n: int) -> Call:
    return forward(lambda a: np.linalg.svd(a, compute_uv=False), draw.normal(n, n))


@OPERATORS.enter
def lstsq(draw: Any, n: int, columns: int = 32) -> Call:
    return forward(lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], draw.normal(n, columns), draw.normal(n))


@OPERATORS.enter
def convolve(draw: Any, n: int, kernel: int = 65) -> Call:
    return forward(np.convolve, draw.normal(n), draw.normal(kernel))


@OPERATORS.enter
def bincount(draw: Any, n: int, ratio: float) -> Call:
    wide = max(round(n * ratio), 1)
    return forward(lambda index, weights: np.bincount(index, weights, wide), draw.index(wide, n),
                   draw.normal(n))


@OPERATORS.enter
def add_at(draw: Any, n: int, ratio: float) -> Call:
    wide = max(round(n * ratio), 1)
    index, values, begin = draw.index(wide, n), draw.normal(n), draw.normal(wide)

    def call() -> dict[str, Any]:
        result = begin.copy()
        np.add.at(result, index, values)
        return {"result": result}

    return call
