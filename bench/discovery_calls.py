#!/usr/bin/env python3
"""discovery_calls.py: how many sums discovery asks PyTorch and JAX for; rows for
bench/results/discovery-calls.md.

Each cell is the most of five seeds, calibration included. Every order must be proven. It needs the
package accord, and PyTorch and JAX; accord-discovery-calls does the same for BLAS."""
import accord
import jax
import jax.numpy as jnp
import torch

COUNTS = (997, 1003, 1024)
SEEDS = 5
GOAL = 300


def calls(target, question):
    most = 0
    for seed in range(1, SEEDS + 1):
        order = accord.reveal(target, seed=seed, loose=True, **question)
        if not order.proven:
            raise SystemExit(f"seed {seed}: not proven: {question}")
        most = max(most, order.counts["discovery_calls"])
    return f"{most:,}" if most <= GOAL else f"**{most:,}**"


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


if __name__ == "__main__":
    main()
