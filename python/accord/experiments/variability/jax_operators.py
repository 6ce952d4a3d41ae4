"""JAX's operators, by the names that sweeps use; see pytorch.py. Each is compiled (jax.jit). Inputs
come from apart.Draw."""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp

from .array_operators import Call, Operators


def forward(function: Callable[..., Any], *inputs: Any) -> Call:
    compiled, held = jax.jit(function), [jnp.asarray(x) for x in inputs]
    return lambda: {"result": jax.block_until_ready(compiled(*held))}


def backward(draw: Any, function: Callable[..., Any], *fixed: Any, **inputs: Any) -> Call:
    """The result and the gradients of `inputs`, for the gradient of the result that is drawn. Nothing
    is a constant of what is compiled, since constants would be computed with there."""
    held, others = ([jnp.asarray(x) for x in each] for each in (inputs.values(), fixed))
    seed = jnp.asarray(draw.normal(*jax.eval_shape(function, *held, *others).shape))

    def both(seed: Any, others: Any, *leaves: Any) -> Any:
        result, back = jax.vjp(lambda *each: function(*each, *others), *leaves)
        return result, back(seed)

    compiled = jax.jit(both)

    def call() -> dict[str, Any]:
        result, gradients = jax.block_until_ready(compiled(seed, others, *held))
        return {"result": result} | {f"gradient of {k}": g for k, g in zip(inputs, gradients)}

    return call


OPERATORS = Operators(jnp, forward)
OPERATORS.of_vector("logsumexp", jax.nn.logsumexp)
OPERATORS.of_vector("softmax", jax.nn.softmax)
OPERATORS.of_vector("fft", lambda x: jnp.stack([jnp.fft.rfft(x).real, jnp.fft.rfft(x).imag]))


@OPERATORS.enter
def linear(draw: Any, batch: int, inputs: int, outputs: int) -> Call:
    return backward(draw, lambda x, w: x @ w.T, input=draw.normal(batch, inputs),
                    weight=draw.normal(outputs, inputs))


@OPERATORS.enter
def conv2d(draw: Any, size: int, batch: int = 2, channels: int = 6, kernel: int = 3) -> Call:
    return backward(draw, lambda x, w: jax.lax.conv(x, w, (1, 1), "VALID"),
                    input=draw.normal(batch, channels, size, size),
                    weight=draw.normal(channels, channels, kernel, kernel))


def _indexed(name: str, function: Callable[..., Any]) -> None:
    def make(draw: Any, n: int, ratio: float) -> Call:
        wide = max(round(n * ratio), 1)
        return forward(function, draw.normal(wide), draw.index(wide, n), draw.normal(n))

    OPERATORS[name] = make


_indexed("at_add", lambda y, index, x: y.at[index].add(x))
_indexed("at_multiply", lambda y, index, x: y.at[index].multiply(1 + x / 1024))
_indexed("at_set", lambda y, index, x: y.at[index].set(x))
_indexed("segment_sum", lambda y, index, x: jax.ops.segment_sum(x, index, len(y)))


@OPERATORS.enter
def indexing(draw: Any, n: int, ratio: float, columns: int = 16) -> Call:
    wide = max(round(n * ratio), 1)
    return backward(draw, lambda source, index: source[index], draw.index(wide, n),
                    source=draw.normal(wide, columns))
