#!/usr/bin/env python3
"""discovery_calls.py: how many sums discovery asks PyTorch and JAX for, and NumPy in f16; rows for
bench/results/discovery-calls.md.

Each cell is the most of five seeds, calibration included; a dash where an order is not proven. It needs the
package accord, and PyTorch and JAX; accord-discovery-calls does the same for BLAS."""
import accord
import jax
import jax.numpy as jnp
import numpy
import torch

COUNTS = (997, 1003, 1024)
SEEDS = 5
GOAL = {"float16": 3000, "bfloat16": 10 ** 9}  # else 300; bfloat16 has none


def calls(target, question):
    most = 0
    for seed in range(1, SEEDS + 1):
        try:
            order = accord.reveal(target, seed=seed, loose=True, **question)
        except accord.Error:
            return "–"
        if not order.proven:
            return "–"
        most = max(most, order.counts["discovery_calls"])
    goal = GOAL.get(question["dtype"], 300)
    return f"{most:,}" if most <= goal else f"**{most:,}**"


def row(library, name, dtype, target, question):
    cells = [calls(target, {**question(n), "dtype": dtype}) for n in COUNTS]
    print(f"| {library} | {name}, {dtype} | {' | '.join(cells)} |", flush=True)


def main():
    torch.set_num_threads(1)
    jax.config.update("jax_enable_x64", True)
    pytorch = "PyTorch " + torch.__version__.split("+")[0]
    for dtype in ("float32", "float64"):
        row(pytorch, "torch.sum", dtype, torch.sum, lambda n: {"n": n})
        row(pytorch, "torch.dot", dtype, accord.dot(torch.dot), lambda n: {"n": n})
        row(pytorch, "torch.mm 4xKx4", dtype, accord.gemm(torch.mm), lambda n: {"shape": (4, 4, n)})
        row("JAX " + jax.__version__, "jnp.sum", dtype, jnp.sum, lambda n: {"n": n})
        row("JAX " + jax.__version__, "jnp.dot", dtype, accord.dot(jnp.dot), lambda n: {"n": n})
    for dtype in ("float16", "bfloat16"):
        half = {"array": "torch"}
        row(pytorch, "torch.sum", dtype, torch.sum, lambda n: {"n": n, **half})
        row(pytorch, "torch.dot", dtype, accord.dot(torch.dot), lambda n: {"n": n, **half})
        for rows in (1, 16):
            row(pytorch + " (oneDNN)", f"torch.mm {rows}xKx16", dtype, accord.gemm(torch.mm),
                lambda n, m=rows: {"shape": (m, 16, n), **half})
    for dtype in GOAL:
        for name in ("mean", "linalg.vector_norm"):
            target = torch.mean if name == "mean" else torch.linalg.vector_norm
            row(pytorch, "torch." + name, dtype, target, lambda n: {"n": n, "array": "torch"})
    for dtype in ("float32", "float64", "float16"):
        row("NumPy " + numpy.__version__, "np.linalg.norm", dtype, numpy.linalg.norm, lambda n: {"n": n})
        row("NumPy " + numpy.__version__, "np.mean", dtype, numpy.mean, lambda n: {"n": n})
    row("NumPy " + numpy.__version__, "np.sum", "float16", numpy.sum, lambda n: {"n": n})
    row("NumPy " + numpy.__version__, "np.dot", "float16", accord.dot(numpy.dot),
        lambda n: {"n": n})


if __name__ == "__main__":
    main()
