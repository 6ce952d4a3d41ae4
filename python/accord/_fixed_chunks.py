"""A product whose inner dimension is cut over ranks, with the same bits for any number of ranks.

The inner dimension is cut into a fixed number of chunks, a power of two. Each chunk's product is
computed in one way, whichever rank has it, and the partial products are added along one balanced tree
over the chunks. The ranks of a group hold chunks that are neighbors, so each adds a whole subtree by
itself and sends one partial sum: no more is sent than for an all-reduce. What is sent has 32 bits or
more, since a partial sum that is rounded when it is sent would depend on which ones are.
"""

from __future__ import annotations

from typing import Any, Callable

from ._accord import ArgumentError


def _pairs(parts: list[Any]) -> Any:
    """The sum along a balanced tree of a power of two of leaves."""
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2])]
    return parts[0]


def _placed(part: Any) -> Any:
    """The same numbers where a kernel finds them alike, however they were cut: one after another, from
    a multiple of 64 bytes."""
    part = part.contiguous()
    return part if part.data_ptr() % 64 == 0 else part.clone()


def _add_ranks(dist: Any, part: Any, size: int, group: Any) -> Any:
    """The sum of what all ranks hold, by pairs of neighbors: each rank adds a slice, and all get it."""
    flat = part.reshape(-1)
    slice_length = -(-flat.numel() // size)
    sent = flat.new_zeros(slice_length * size)
    sent[:flat.numel()] = flat
    got = sent.new_empty(sent.shape)
    dist.all_to_all_single(got, sent, group=group)
    mine = _pairs(list(got.chunk(size)))
    dist.all_to_all_single(got, mine.repeat(size), group=group)
    return got[:flat.numel()].reshape(part.shape)


def fixed_chunks(x: Any, w: Any, *, chunks: int = 8, group: Any = None,
                 product: Callable[[Any, Any], Any] | None = None) -> Any:
    """x @ w over ranks of torch.distributed, of which each holds a part of the inner dimension; the same
    bits for any number of ranks that divides `chunks`. It replaces

        y = x @ w
        torch.distributed.all_reduce(y)

    x, w
        Tensors of shape (…, k) and (k, n), where k is this rank's share of the inner dimension: rank
        r holds the r-th one. The layout of w in memory must not depend on the number of ranks.
    chunks
        In how many products the inner dimension is computed: a power of two that the number of ranks
        divides.
    group
        The ranks, as for torch.distributed; without an initialized torch.distributed there is one.
    product
        What computes the product of a chunk, by default torch.matmul. It must always use the same
        number of threads.

    Returns a tensor of shape (…, n), the same on all ranks. Partial products have the dtype of x, their
    sums float32 (float64 for float64), rounded to that of x at the end. Gradients do not flow through
    the exchange. `accord.tensor_parallel("fixed_chunks", …)` shows and proves the order.
    """
    import torch
    import torch.distributed as dist

    size = dist.get_world_size(group) if dist.is_available() and dist.is_initialized() else 1
    if chunks < 1 or chunks & (chunks - 1):
        raise ArgumentError(f"chunks={chunks}: give a power of two")
    if chunks % size:
        raise ArgumentError(f"{chunks} chunks cannot be dealt to {size} ranks: the number of ranks must "
                            "divide that of chunks, a power of two")
    own, k = chunks // size, x.shape[-1]
    if k % own or w.shape[0] != k:
        raise ArgumentError(f"x has {k} columns and w {w.shape[0]} rows: both need the same number, a "
                            f"multiple of {own}, for this rank computes {own} of the {chunks} chunks")
    rows, step = x.reshape(-1, k), k // own
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    parts = [(product or torch.matmul)(_placed(rows[:, a:a + step]), _placed(w[a:a + step])).to(wide)
             for a in range(0, k, step)]
    total = _pairs(parts)
    if size > 1:
        total = _add_ranks(dist, total, size, group)
    return total.to(x.dtype).reshape(*x.shape[:-1], total.shape[-1])
