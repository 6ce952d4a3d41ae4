"""The ranks of a layer whose inner dimension is cut over them, for accord.tensor_parallel.

The conductor gets both matrices whole, deals x by columns and w by rows, and gives back the result
once all ranks hold the same.
"""

from __future__ import annotations

import multiprocessing.connection
import os
import socket
import sys
from typing import Any, Callable, NamedTuple

from ._accord import Error
from ._ranks import Answer, Ranks, Stop, World
from .adapters import resolve


class Job(NamedTuple):
    layer: str  #: a name of LAYERS, or MODULE.FUNCTION
    product: str  #: MODULE.FUNCTION
    rows: int
    columns: int
    inner: int
    dtype: str
    world: World


def _all_reduce(dist: Any, product: Callable[[Any, Any], Any], x: Any, w: Any) -> Any:
    y = product(x, w)
    dist.all_reduce(y)
    return y


def _fixed_chunks(dist: Any, product: Callable[[Any, Any], Any], x: Any, w: Any) -> Any:
    from ._fixed_chunks import fixed_chunks

    return fixed_chunks(x, w, product=product)


LAYERS = {"all_reduce": _all_reduce, "fixed_chunks": _fixed_chunks}


def _work(job: Job) -> Callable[[Any, Any, int], Answer]:
    def begin(dist: Any, device: Any, rank: int) -> Answer:
        import torch

        dtype = getattr(torch, job.dtype)
        own = resolve(job.layer) if job.layer not in LAYERS else None
        product = resolve(job.product)
        part = job.inner // job.world.size
        split = job.rows * part * dtype.itemsize

        def tensor(data: bytes, *shape: int) -> Any:
            return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape).clone().to(device)

        def answer(message: bytes) -> bytes:
            x = tensor(message[:split], job.rows, part)
            w = tensor(message[split:], part, job.columns)
            y = own(x, w) if own else LAYERS[job.layer](dist, product, x, w)
            if tuple(y.shape) != (job.rows, job.columns):
                raise ValueError(f"the layer returned a tensor of shape {tuple(y.shape)}, not "
                                 f"{(job.rows, job.columns)}")
            name = str(y.dtype).removeprefix("torch.")
            data: bytes = y.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes()
            return name.encode() + b" " + data

        return answer

    return begin


def _same(a: bytes, b: bytes) -> bool:
    """Whether two ranks hold the same; one NaN is like another."""
    import torch

    if a == b:
        return True
    name, _, first = a.partition(b" ")
    other, _, second = b.partition(b" ")
    if name != other:
        return False
    x, y = (torch.frombuffer(bytearray(data), dtype=getattr(torch, name.decode())) for data in (first, second))
    bits = [each.view(getattr(torch, f"int{8 * each.itemsize}")) for each in (x, y)]
    return bool(((bits[0] == bits[1]) | (x.isnan() & y.isnan())).all())


def _deal(job: Job, message: bytes) -> list[bytes]:
    """What each rank is told: its columns of x and its rows of w."""
    import numpy as np

    size = len(message) // (job.inner * (job.rows + job.columns))
    split = job.rows * job.inner * size
    x = np.frombuffer(message[:split], np.uint8).reshape(job.rows, job.world.size, -1)
    w = np.frombuffer(message[split:], np.uint8).reshape(job.world.size, -1)
    return [x[:, rank].tobytes() + w[rank].tobytes() for rank in range(job.world.size)]


def conduct(connection: socket.socket, given: list[Any]) -> int:
    """Answers questions until the connection ends."""
    sys.path.insert(0, os.getcwd())
    *words, world = given
    job = Job._make([*words, World._make(world)])
    pipe = multiprocessing.connection.Connection(os.dup(connection.fileno()))
    ranks = None
    try:
        ranks = Ranks(job.world, _work(job), pipe.fileno())
        pipe.send_bytes(b"+")
        while True:
            answers = ranks.ask(_deal(job, pipe.recv_bytes()))
            for rank, answer in enumerate(answers):
                if not _same(answers[0], answer):
                    raise Stop(f"rank {rank} of {job.world.size} holds another result than rank 0")
            pipe.send_bytes(b"+" + answers[0])
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return 0
    except (Stop, Error, ImportError) as error:
        pipe.send_bytes(b"-" + str(error).encode())
        return 1
    finally:
        if ranks:
            ranks.end()
