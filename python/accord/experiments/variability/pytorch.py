"""PyTorch's operators, by the names that sweeps use.

Each function takes a source of seeded inputs and hyperparameters. It returns a call without
arguments, which computes the same thing each time that it is called and returns its results by
name: what the operator returns, and the gradients where it has a backward pass."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.nn import functional

from .sweep import hyperparameters_of

Call = Callable[[], dict[str, Any]]
OPERATORS: dict[str, Callable[..., Call]] = {}


class Draw:
    """Inputs from a seed: drawn on the CPU, so that they are the same on every device."""

    def __init__(self, seed: int, device: str, dtype: str) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.device, self.dtype = device, getattr(torch, dtype)

    def normal(self, *shape: int) -> Any:
        drawn = torch.randn(shape, generator=self.generator, dtype=torch.float64)
        return drawn.to(self.dtype).to(self.device)

    def index(self, below: int, *shape: int) -> Any:
        """Integers from 0, with duplicates."""
        return torch.randint(max(below, 1), shape, generator=self.generator).to(self.device)


def operator(make: Callable[..., Call]) -> Callable[..., Call]:
    OPERATORS[make.__name__] = make
    return make


def hyperparameters() -> dict[str, dict[str, bool]]:
    return hyperparameters_of(OPERATORS)


def forward(function: Callable[..., Any], *inputs: Any) -> Call:
    return lambda: {"result": function(*inputs)}


def backward(draw: Draw, function: Callable[..., Any], **inputs: Any) -> Call:
    """The result and the gradients of `inputs`, for the gradient of the result that is drawn."""
    leaves = [x.requires_grad_() for x in inputs.values()]
    seed = draw.normal(*function(*leaves).shape)

    def call() -> dict[str, Any]:
        result = function(*leaves)
        found = {"result": result.detach()}
        for name, gradient in zip(inputs, torch.autograd.grad(result, leaves, seed)):
            found[f"gradient of {name}"] = gradient
        return found

    return call


# ---- convolutions ----


def _convolution(name: str, dimensions: int) -> None:
    function = getattr(functional, name)

    def make(draw: Draw, size: int, batch: int = 1, channels: int = 6, kernel: int = 3, stride: int = 1,
             padding: int = 0, dilation: int = 1, groups: int = 1) -> Call:
        return backward(draw, lambda *inputs: function(*inputs, stride=stride, padding=padding,
                                                       dilation=dilation, groups=groups),
                        input=draw.normal(batch, channels, *[size] * dimensions),
                        weight=draw.normal(channels, channels // groups, *[kernel] * dimensions),
                        bias=draw.normal(channels))

    OPERATORS[name] = make


for _d in (1, 2, 3):
    _convolution(f"conv{_d}d", _d)
    _convolution(f"conv_transpose{_d}d", _d)


# ---- indexed reads and writes: n elements, or rows of `columns`, into `ratio` times as many ----


def _shape(n: int, columns: int) -> tuple[int, ...]:
    return (n, columns) if columns else (n,)


def _into(draw: Draw, n: int, columns: int, ratio: float) -> tuple[Any, Any, Any]:
    """What is written to, where each row goes, and the rows."""
    wide = max(round(n * ratio), 1)
    return draw.normal(*_shape(wide, columns)), draw.index(wide, n), draw.normal(*_shape(n, columns))


def _indexed(name: str, function: Callable[..., Any]) -> None:
    def make(draw: Draw, n: int, ratio: float, columns: int = 0) -> Call:
        return forward(function, *_into(draw, n, columns, ratio))

    OPERATORS[name] = make


_indexed("index_add", lambda y, index, x: y.index_add(0, index, x))
_indexed("index_copy", lambda y, index, x: y.index_copy(0, index, x))
_indexed("index_put", lambda y, index, x: y.index_put((index,), x))
_indexed("index_put_accumulate", lambda y, index, x: y.index_put((index,), x, accumulate=True))
_indexed("put_accumulate", lambda y, index, x: y.put(index, x, accumulate=True))


def _rows(index: Any, x: Any) -> Any:
    """An index for each element, as scatter and gather take them: that of its row."""
    return index if x.dim() == 1 else index[:, None].expand(len(index), x.shape[1])


_indexed("scatter", lambda y, index, x: y.scatter(0, _rows(index, x), x))
_indexed("scatter_add", lambda y, index, x: y.scatter_add(0, _rows(index, x), x))


@operator
def scatter_reduce(draw: Draw, n: int, ratio: float, columns: int = 0, reduce: str = "sum") -> Call:
    return forward(lambda y, index, x: y.scatter_reduce(0, _rows(index, x), x, reduce),
                   *_into(draw, n, columns, ratio))


def _read(name: str, function: Callable[..., Any]) -> None:
    def make(draw: Draw, n: int, ratio: float, columns: int = 0) -> Call:
        y, index, _ = _into(draw, n, columns, ratio)
        return backward(draw, lambda source: function(source, index), source=y)

    OPERATORS[name] = make


_read("index_select", lambda source, index: source.index_select(0, index))
_read("indexing", lambda source, index: source[index])
_read("gather", lambda source, index: source.gather(0, _rows(index, source)))
_read("embedding", lambda source, index: functional.embedding(index, source))


@operator
def embedding_bag(draw: Draw, n: int, ratio: float, columns: int = 16, bag: int = 8) -> Call:
    y, index, _ = _into(draw, n // bag * bag, columns, ratio)
    return backward(draw, lambda weight: functional.embedding_bag(index.view(-1, bag), weight, mode="sum"),
                    weight=y)


# ---- products ----


@operator
def bmm(draw: Draw, batch: int, n: int) -> Call:
    return forward(torch.bmm, draw.normal(batch, n, n), draw.normal(batch, n, n))


@operator
def matmul(draw: Draw, n: int) -> Call:
    return forward(torch.matmul, draw.normal(n, n), draw.normal(n, n))


@operator
def mv(draw: Draw, n: int) -> Call:
    return forward(torch.mv, draw.normal(n, n), draw.normal(n))


@operator
def dot(draw: Draw, n: int) -> Call:
    return forward(torch.dot, draw.normal(n), draw.normal(n))


@operator
def linear(draw: Draw, batch: int, inputs: int, outputs: int) -> Call:
    return backward(draw, functional.linear, input=draw.normal(batch, inputs),
                    weight=draw.normal(outputs, inputs), bias=draw.normal(outputs))


@operator
def attention(draw: Draw, batch: int, length: int, width: int = 64) -> Call:
    return backward(draw, functional.scaled_dot_product_attention,
                    **{name: draw.normal(batch, 4, length, width) for name in ("query", "key", "value")})


@operator
def sparse_mm(draw: Draw, n: int, density: float, columns: int = 32) -> Call:
    count = round(n * n * density)
    matrix = torch.sparse_coo_tensor(draw.index(n, 2, count), draw.normal(count), (n, n),
                                     check_invariants=False).coalesce()
    return forward(torch.sparse.mm, matrix, draw.normal(n, columns))


@operator
def solve(draw: Draw, n: int) -> Call:
    return forward(torch.linalg.solve, draw.normal(n, n), draw.normal(n))


# ---- reductions and scans ----


def _reduction(name: str, function: Callable[..., Any]) -> None:
    def make(draw: Draw, n: int) -> Call:
        return forward(function, draw.normal(n))

    OPERATORS[name] = make


_reduction("sum", torch.sum)
_reduction("mean", torch.mean)
_reduction("prod", lambda x: torch.prod(1 + x / 1024))  # near 1, so that it does not underflow
_reduction("norm", torch.linalg.vector_norm)
_reduction("var", torch.var)
_reduction("logsumexp", lambda x: torch.logsumexp(x, 0))
_reduction("softmax", lambda x: torch.softmax(x, 0))
_reduction("cumsum", lambda x: torch.cumsum(x, 0))
_reduction("histc", lambda x: torch.histc(x, 100, -4, 4))
_reduction("median", torch.median)
_reduction("kthvalue", lambda x: torch.kthvalue(x, len(x) // 3).values)
_reduction("fft", lambda x: torch.view_as_real(torch.fft.rfft(x)))


@operator
def bincount(draw: Draw, n: int, ratio: float) -> Call:
    wide = max(round(n * ratio), 1)
    return forward(lambda index, weights: torch.bincount(index, weights, wide), draw.index(wide, n),
                   draw.normal(n))


# ---- layers ----


def _windowed(name: str, dimensions: int, function: Callable[..., Any]) -> None:
    def make(draw: Draw, size: int, batch: int = 2, channels: int = 8) -> Call:
        return backward(draw, function, input=draw.normal(batch, channels, *[size] * dimensions))

    OPERATORS[name] = make


def _unpooled(dimensions: int) -> Callable[..., Any]:
    pool = getattr(functional, f"max_pool{dimensions}d")
    unpool = getattr(functional, f"max_unpool{dimensions}d")
    return lambda x: unpool(*pool(x, 2, return_indices=True), 2)


for _d in (1, 2, 3):
    for _kind in ("avg_pool", "max_pool"):
        _windowed(f"{_kind}{_d}d", _d, lambda x, f=getattr(functional, f"{_kind}{_d}d"): f(x, 3, 1))
    for _kind in ("adaptive_avg_pool", "adaptive_max_pool"):
        _windowed(f"{_kind}{_d}d", _d, lambda x, f=getattr(functional, f"{_kind}{_d}d"): f(x, 5))
    _windowed(f"max_unpool{_d}d", _d, _unpooled(_d))
    for _kind in ("reflect", "replicate"):
        _windowed(f"{_kind}_pad{_d}d", _d,
                  lambda x, mode=_kind, d=_d: functional.pad(x, [2] * 2 * d, mode))
    _windowed(f"interpolate{_d}d", _d,
              lambda x, mode=("linear", "bilinear", "trilinear")[_d - 1]:
              functional.interpolate(x, scale_factor=2, mode=mode, align_corners=False))


@operator
def grid_sample(draw: Draw, size: int, batch: int = 2, channels: int = 8) -> Call:
    return backward(draw, lambda x, grid: functional.grid_sample(x, grid, align_corners=False),
                    input=draw.normal(batch, channels, size, size), grid=draw.normal(batch, size, size, 2))


@operator
def layer_norm(draw: Draw, batch: int, width: int) -> Call:
    return backward(draw, lambda x, weight, bias: functional.layer_norm(x, (width,), weight, bias),
                    input=draw.normal(batch, width), weight=draw.normal(width), bias=draw.normal(width))


@operator
def batch_norm(draw: Draw, batch: int, width: int) -> Call:
    return backward(draw, lambda x, weight, bias: functional.batch_norm(x, None, None, weight, bias, True),
                    input=draw.normal(batch, width), weight=draw.normal(width), bias=draw.normal(width))


@operator
def group_norm(draw: Draw, batch: int, width: int, groups: int = 4) -> Call:
    return backward(draw, lambda x, weight, bias: functional.group_norm(x, groups, weight, bias),
                    input=draw.normal(batch, width, 64), weight=draw.normal(width), bias=draw.normal(width))


@operator
def cross_entropy(draw: Draw, batch: int, classes: int) -> Call:
    labels = draw.index(classes, batch)
    return backward(draw, lambda x: functional.cross_entropy(x, labels), input=draw.normal(batch, classes))
