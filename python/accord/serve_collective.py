"""python -m accord.serve_collective OPERATION: a collective operation of torch.distributed as a target of the command.

    accord map 'command:python3 -m accord.serve_collective all_reduce --length 1000' -n 4

The process that accord starts only conducts (_ranks.py): it hands each rank its terms, and puts what the ranks
answer into the grid of doc/command-protocol.md.
"""

from __future__ import annotations

import argparse
import os
import struct
import sys
from typing import Any, BinaryIO, Callable, NamedTuple

from ._accord import Error
from ._nursery import NONDETERMINISTIC
from ._ranks import Answer, Ranks, Stop, World
from .adapters import resolve
from .serve import _read

_DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}
_MOST_RANKS = 256


class Job(NamedTuple):
    """What each rank needs to know."""

    operation: str
    world: int
    backend: str
    dtype: str
    length: int  #: positions of the vector, or of the part of each rank
    root: int


# ---- the operations ----


class Operation(NamedTuple):
    """One row: what a rank does with its vector, how many positions a result has, and who has them."""

    run: Callable[[Any, Any, Job], Any]  #: torch.distributed, this rank's vector, job: its result
    holders: str  #: "all": every rank has the result; "root": one has; "parts": each has its part


def _all_reduce(dist: Any, x: Any, job: Job) -> Any:
    dist.all_reduce(x)
    return x


def _reduce(dist: Any, x: Any, job: Job) -> Any:
    dist.reduce(x, job.root)
    return x


def _reduce_scatter(dist: Any, x: Any, job: Job) -> Any:
    result = x.new_empty(job.length)
    dist.reduce_scatter(result, list(x.chunk(job.world)))
    return result


def _reduce_scatter_tensor(dist: Any, x: Any, job: Job) -> Any:
    result = x.new_empty(job.length)
    dist.reduce_scatter_tensor(result, x)
    return result


OPERATIONS = {
    "all_reduce": Operation(_all_reduce, "all"),
    "reduce": Operation(_reduce, "root"),
    "reduce_scatter": Operation(_reduce_scatter, "parts"),
    "reduce_scatter_tensor": Operation(_reduce_scatter_tensor, "parts"),
}


def _own(name: str) -> Operation:
    """A function of the user's, which gets the vector of a rank and returns its result, or None where it
    has put it into the vector."""
    function = resolve(name)

    def run(dist: Any, x: Any, job: Job) -> Any:
        result = function(x)
        return x if result is None else result

    return Operation(run, "all")


def _operation(name: str) -> Operation:
    return OPERATIONS.get(name) or _own(name)


def _rows(job: Job, operation: Operation) -> int:
    return job.length * (job.world if operation.holders == "parts" else 1)


# ---- a rank ----


def _calls(torch: Any, job: Job, device: Any, message: bytes) -> Any:
    """The vectors of this rank, one for each call. The message has a letter in front: "s" where all positions
    of a call hold the same term, "v" where each has its own."""
    values = torch.frombuffer(bytearray(message[1:]),
                              dtype=torch.float64 if job.dtype == "f64" else torch.float32)
    values = values.to(getattr(torch, _DTYPES[job.dtype])).to(device)
    rows = _rows(job, _operation(job.operation))
    if message[:1] == b"s":
        return (value.repeat(rows) for value in values)
    return iter(values.reshape(-1, rows))


def _work(job: Job) -> Callable[[Any, Any, int], Answer]:
    """What each rank does (Ranks)."""

    def begin(dist: Any, device: Any, rank: int) -> Answer:
        import torch

        operation = _operation(job.operation)

        def answer(message: bytes) -> bytes:
            results = [operation.run(dist, x, job).reshape(-1).double().cpu()
                       for x in _calls(torch, job, device, message)]
            found: bytes = torch.stack(results).numpy().tobytes()
            return found

        return answer

    return begin


# ---- the protocol ----


def _requests(pipe: BinaryIO, n: int, rows: int, size: int) -> Any:
    """For each request, the number of sums, and the terms as (sums, n), or for one sum as (rows,
    n)."""
    import numpy as np

    kind = "<f8" if size == 8 else "<f4"
    while head := pipe.read(24):
        _, sums, writes, form, fill = struct.unpack("<4sIIId", head + _read(pipe, 24 - len(head)))
        if form:
            count = rows if form == 2 else sums
            yield sums, form == 2, np.frombuffer(_read(pipe, size * n * count), kind).reshape(count, n)
            continue
        value = np.frombuffer(_read(pipe, 8 * writes), "<f8")
        index = np.frombuffer(_read(pipe, 4 * writes), "<u4")
        start = np.frombuffer(_read(pipe, 4 * sums + 4), "<u4").tolist()
        terms = np.empty((sums, n), kind)
        x = np.full(n, fill, kind)
        for i, (a, b) in enumerate(zip(start, start[1:])):
            x[index[a:b]] = value[a:b]
            terms[i] = x
        yield sums, False, terms


def _messages(job: Job, each: bool, terms: Any) -> list[bytes]:
    """What each rank is told."""
    letter = b"v" if each else b"s"
    return [letter + terms[:, k].tobytes() for k in range(job.world)]


def _grid(job: Job, operation: Operation, sums: int, answers: list[bytes]) -> bytes:
    """The results of each sum, row by row and rank by rank."""
    import numpy as np

    of_ranks = [np.frombuffer(answer, "<f8").reshape(sums, -1) for answer in answers]
    rows = _rows(job, operation)
    if operation.holders == "root":
        of_ranks = [of_ranks[job.root]]
    if operation.holders == "parts":
        of_ranks = [np.concatenate(of_ranks, axis=1)]
    for rank, found in enumerate(of_ranks):
        if found.shape[1] != rows:
            raise Stop(f"rank {rank} returned {found.shape[1]} numbers, not {rows}")
    return np.stack(of_ranks, axis=2).tobytes()


# ---- circumstances ----

_FIRST, _WARM, _LATE = 5, 8, 64  # calls
_DELAY = 2000  # microseconds at most


def _draw(job: Job, rows: int, calls: int, seed: int) -> list[list[bytes]]:
    """Sums that nearly every other order changes, others at each position: a large term and its negative among
    small ones, where what is left is the number of terms that are added outside the smallest subtree
    with both; and numbers that cancel but for rounding errors."""
    import numpy as np

    draw = np.random.default_rng(seed)
    kind = "<f8" if job.dtype == "f64" else "<f4"
    large = {"f16": 2.0**15, "f64": 2.0**70}.get(job.dtype, 2.0**40)
    made = []
    for call in range(calls):
        if job.world > 2 and call % 2 == 0:
            terms = np.ones((rows, job.world), kind)
            for row in terms:
                row[draw.choice(job.world, 2, replace=False)] = large, -large
        else:
            terms = np.ldexp(draw.standard_normal((rows, job.world)),
                             draw.integers(-4, 5, (rows, job.world))).astype(kind)
            last = draw.integers(job.world)
            terms[:, last] = 0
            terms[:, last] = -terms.sum(axis=1)
        made.append(_messages(job, True, terms))
    return made


def _circumstances(job: Job, ranks: Ranks) -> None:
    """Whether the first calls and late ranks change the sums. The ranks have not been called yet.
    The findings go to standard error; raises Stop if results depend on arrival."""
    operation = _operation(job.operation)
    rows = _rows(job, operation)

    def ask(messages: list[bytes], late: dict[int, int] | None = None) -> bytes:
        return _grid(job, operation, 1, ranks.ask(messages, late))

    drawn = _draw(job, rows, _FIRST, 1)
    first = [ask(messages) for messages in drawn]
    for messages in _draw(job, rows, _WARM, 2):
        ask(messages)
    differ = sum(ask(messages) != was for messages, was in zip(drawn, first))
    if differ:
        _say(f"the order does not hold in the first calls of a new run, where {differ} of {_FIRST} "
             "calls had other bits")
    else:
        _say(f"holds also in the first calls of a new run ({_FIRST} calls)")
    drawn = _draw(job, rows, _LATE // 4, 3)
    prompt = [ask(messages) for messages in drawn]
    late = _late_ranks(job.world)
    differ = sum(ask(drawn[i % len(drawn)], {rank: delay}) != prompt[i % len(drawn)]
                 for i, (rank, delay) in enumerate(late))
    if differ:
        raise Stop(f"{NONDETERMINISTIC} the result depends on when the ranks arrive: {differ} of {_LATE} "
                   f"calls had other bits with a rank that came up to {_DELAY / 1000:g} ms late")
    _say(f"holds also with ranks that come up to {_DELAY / 1000:g} ms late ({_LATE} calls)")


def _late_ranks(world: int) -> list[tuple[int, int]]:
    """Which rank is late in each call, and by how many microseconds."""
    import random

    draw = random.Random(4)
    return [(draw.randrange(world), draw.randrange(_DELAY // 4, _DELAY + 1)) for _ in range(_LATE)]


def _say(text: str) -> None:
    print(f"accord.serve_collective: {text}", file=sys.stderr, flush=True)


# ---- serving ----


def _job(given: argparse.Namespace, n: int, dtype: str) -> Job:
    if dtype not in _DTYPES:
        raise Stop(f"ranks of torch.distributed add {', '.join(_DTYPES)}, not {dtype}")
    if n > _MOST_RANKS:
        raise Stop(f"each of the {n} terms is a rank, and there may be {_MOST_RANKS} of them")
    if not 0 <= given.root < n:
        raise Stop(f"root {given.root} is not a rank: there are {n}, counted from 0")
    return Job(given.operation, n, given.backend, dtype, given.length, given.root)


def _begin(given: argparse.Namespace, job: Job, watched: int | None) -> Ranks:
    """The ranks, once a call has shown that the backend has the operation."""
    import numpy as np

    operation = _operation(job.operation)
    ranks = Ranks(World(job.world, job.backend, given.timeout, job.operation), _work(job), watched)
    try:
        if given.circumstances:
            _circumstances(job, ranks)
        zeros = np.zeros((1, job.world), "<f8" if job.dtype == "f64" else "<f4")
        _grid(job, operation, 1, ranks.ask(_messages(job, False, zeros)))
    except BaseException:
        ranks.end()
        raise
    return ranks


def _serve(given: argparse.Namespace, pipe: BinaryIO, out: BinaryIO, watched: int | None) -> int:
    words = pipe.readline().decode().split()
    if words[:2] != ["accord", "1"]:
        _say("this is started by accord")
        return 2
    told = dict(word.split("=", 1) for word in words[2:] if "=" in word)
    try:
        job = _job(given, int(told["n"]), told["format"])
        ranks = _begin(given, job, watched)
    except (Stop, Error, ImportError) as error:
        out.write(f"accord 1 refused {' '.join(str(error).split())[:300]}\n".encode())
        out.flush()
        return 0
    try:
        _answer(job, ranks, pipe, out)
    except Stop as error:
        _say(str(error))
        return 1
    finally:
        ranks.end()
    return 0


def _answer(job: Job, ranks: Ranks, pipe: BinaryIO, out: BinaryIO) -> None:
    """Answers requests until they end."""
    import torch

    operation = _operation(job.operation)
    rows, columns = _rows(job, operation), job.world if operation.holders == "all" else 1
    copies = "copies=columns " if columns > 1 else ""
    out.write(f"accord 2 binary rows={rows} columns={columns} share=rows {copies}"
              f"torch {torch.__version__}, {job.backend}\n".encode())
    out.flush()
    for sums, each, terms in _requests(pipe, job.world, rows, 8 if job.dtype == "f64" else 4):
        results = _grid(job, operation, sums, ranks.ask(_messages(job, each, terms)))
        out.write(struct.pack("<4sI", b"acca", sums) + results)
        out.flush()


def _options() -> argparse.ArgumentParser:
    def count(text: str) -> int:
        if not text.isdigit() or not 0 < int(text) < 2**24:
            raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
        return int(text)

    options = argparse.ArgumentParser(prog="python -m accord.serve_collective", description=(
        "A collective operation of torch.distributed as a target of accord; its ranks are the terms (-n)."))
    options.add_argument("operation", help=f"{', '.join(OPERATIONS)}, or MODULE.FUNCTION of your own, which "
                         "gets the vector of a rank")
    options.add_argument("--backend", default="gloo", help="gloo (default) or nccl")
    options.add_argument("--length", type=count, default=1, help="positions of the vector, for reduce_scatter of the part of each rank "
                         "(default: 1)")
    options.add_argument("--root", type=int, default=0, help="the rank that gets the result of reduce (default: 0)")
    options.add_argument("--circumstances", action="store_true", help="first compare the sums of the first calls, "
                         "and of calls in which a rank is late, with those of others")
    options.add_argument("--timeout", type=float, default=20, help="seconds that a call may take (default: 20)")
    return options


def main(arguments: list[str], watched: int | None = None) -> int:
    """watched: a file whose end says that accord has ended."""
    given = _options().parse_args(arguments)
    sys.path.insert(0, os.getcwd())
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what torch and the user's function print is no answer
        return _serve(given, sys.stdin.buffer, out, watched)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
