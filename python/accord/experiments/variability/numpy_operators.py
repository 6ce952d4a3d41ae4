"""NumPy's operators, by the names that sweeps use; see pytorch.py. Inputs come from apart.Draw."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

Call = Callable[[], dict[str, Any]]
OPERATORS: dict[str, Callable[..., Call]] = {}


def operator(make: Callable[..., Call]) -> Callable[..., Call]:
    OPERATORS[make.__name__] = make
    return make


def forward(function: Callable[..., Any], *inputs: Any) -> Call:
    return lambda: {"result": function(*inputs)}


def _of_vector(name: str, function: Callable[..., Any]) -> None:
    def make(draw: Any, n: int) -> Call:
        return forward(function, draw.normal(n))

    OPERATORS[name] = make


_of_vector("sum", np.sum)
_of_vector("mean", np.mean)
_of_vector("prod", lambda x: np.prod(1 + x / 1024))
_of_vector("var", np.var)
_of_vector("norm", np.linalg.norm)
_of_vector("cumsum", np.cumsum)
_of_vector("fft", lambda x: np.fft.rfft(x).view(np.float64))
_of_vector("histogram", lambda x: np.histogram(x, 100, (-4, 4), weights=x)[0])


@operator
def dot(draw: Any, n: int) -> Call:
    return forward(np.dot, draw.normal(n), draw.normal(n))


@operator
def matmul(draw: Any, n: int, rows: int = 0) -> Call:
    return forward(np.matmul, draw.normal(rows or n, n), draw.normal(n, n))


@operator
def mv(draw: Any, n: int) -> Call:
    return forward(np.matmul, draw.normal(n, n), draw.normal(n))


@operator
def einsum(draw: Any, n: int) -> Call:
    return forward(lambda a, b: np.einsum("ij,ij->i", a, b), draw.normal(n, n), draw.normal(n, n))


@operator
def solve(draw: Any, n: int) -> Call:
    return forward(np.linalg.solve, draw.normal(n, n), draw.normal(n))


@operator
def svd(draw: Any, n: int) -> Call:
    return forward(lambda a: np.linalg.svd(a, compute_uv=False), draw.normal(n, n))


@operator
def lstsq(draw: Any, n: int, columns: int = 32) -> Call:
    return forward(lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], draw.normal(n, columns), draw.normal(n))


@operator
def convolve(draw: Any, n: int, kernel: int = 65) -> Call:
    return forward(np.convolve, draw.normal(n), draw.normal(kernel))


@operator
def bincount(draw: Any, n: int, ratio: float) -> Call:
    wide = max(round(n * ratio), 1)
    return forward(lambda index, weights: np.bincount(index, weights, wide), draw.index(wide, n),
                   draw.normal(n))


@operator
def add_at(draw: Any, n: int, ratio: float) -> Call:
    wide = max(round(n * ratio), 1)
    index, values, begin = draw.index(wide, n), draw.normal(n), draw.normal(wide)

    def call() -> dict[str, Any]:
        result = begin.copy()
        np.add.at(result, index, values)
        return {"result": result}

    return call
