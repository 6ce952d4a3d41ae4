"""A layer whose inner dimension is cut over ranks: does the number of ranks change its bits?"""

from __future__ import annotations

import multiprocessing.connection
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

from . import _accord, _nursery
from ._accord import ArgumentError, UnableError
from ._difference import Difference, diff, is_same
from ._layer_ranks import LAYERS, Job
from ._order import Order, figure, pictures
from ._ranks import World
from ._reveal import reveal
from .adapters import Adapter, gemm, resolve

if TYPE_CHECKING:
    from typing import Unpack

    from ._options import AskOptions

_DTYPES = ("float32", "float64", "float16", "bfloat16")


class TensorParallel:
    """What `accord.tensor_parallel` found. The truth value is `same`."""

    def __init__(self, words: str, orders: dict[int, Order], errors: dict[int, UnableError],
                 inputs: int, other_inputs: dict[int, int]) -> None:
        self._words = words
        #: the order of the element that was asked, by the number of ranks; where a result has no
        #: order, the evidence of that
        self.orders = orders
        #: why there is no order, by the number of ranks; `accord.ExactError`: the sum is exact
        self.errors = errors
        #: how many random inputs were given to all numbers of ranks
        self.inputs = inputs
        #: with how many of them some element of the result differs from that of the first number of
        #: ranks, by the number of ranks
        self.other_inputs = other_inputs
        first = next(iter(orders))
        #: how the order of each further number of ranks differs from that of the first
        self.differences: dict[int, Difference] = {
            size: diff(orders[first], order) for size, order in orders.items() if size != first}
        survey = _accord.survey()
        groups: dict[int, list[int]] = {}
        for size, order in orders.items():
            error = errors.get(size)
            why = (error.status, error.reason, str(error)) if error is not None else ()
            groups.setdefault(survey.add(order.n, order._record, *why), []).append(size)
        #: the numbers of ranks, those with the same order and arithmetic together
        self.groups = list(groups.values())
        self.verdict, self.reason = survey.verdict()  #: as of `accord.Survey`
        if any(other_inputs.values()):
            self.verdict, self.reason = "differs", "results differ on random inputs"

    @property
    def same(self) -> bool:
        """Whether all numbers of ranks give the same bits: the element that was asked has one order and
        arithmetic, and whole results were the same on all random inputs."""
        return is_same(self.verdict, self.reason)

    @property
    def proven(self) -> bool:
        """Whether every order is proven."""
        return all(order.proven for order in self.orders.values())

    def __bool__(self) -> bool:
        return self.same

    def __repr__(self) -> str:
        return f"<accord.TensorParallel {self._words}: {self.verdict}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        shown = [self.orders[group[0]] for group in self.groups]
        return figure(str(self), pictures(*(order for order in shown if order.fingerprint)))

    def _lines(self) -> Iterator[str]:
        yield self._words
        for size, order in self.orders.items():
            proven = "" if size in self.errors else ", proven" if order.proven else ", not proven"
            found = (str(self.errors[size]) if size in self.errors else
                     f"{order.notation}; {order.model or 'arithmetic not explained'}")
            yield f"{_ranks(size)}: {found}{proven}"
        yield from self._conclusion()

    def _conclusion(self) -> Iterator[str]:
        if self.verdict == "cannot-tell":
            yield f"it cannot be determined whether they are the same: {self.reason}"
            return
        words = [" and ".join(map(str, group)) for group in self.groups]
        if self.verdict != "differs":
            yield (f"the same for all numbers of ranks{': ' * bool(self.reason)}{self.reason}; "
                   f"whole results were the same on {self.inputs} of {self.inputs} random inputs")
            return
        yield f"not the same: {' | '.join(words)} ranks"
        for size, count in self.other_inputs.items():
            if count:
                yield (f"  {_ranks(size)}: on {count} of {self.inputs} random inputs other bits than "
                       f"with {_ranks(next(iter(self.orders)))}")
        for size, difference in self.differences.items():
            if difference.sameness == "differs":
                yield f"{_ranks(next(iter(self.orders)))} (A) and {_ranks(size)} (B):"
                yield from (f"  {line}" for line in str(difference).splitlines())
                return


def _ranks(count: int) -> str:
    return f"{count} rank{'s'[:count != 1]}"


class _Layer:
    """The layer on a number of ranks: a function of both whole matrices."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.connection = _nursery.connect(["layer", job])
        self.pipe = multiprocessing.connection.Connection(self.connection.fileno())
        self._hear()

    def _hear(self) -> bytes:
        try:
            said = self.pipe.recv_bytes()
        except (EOFError, OSError):
            said = b"-the process that conducts the ranks ended"
        if said[:1] == b"-":
            raise _accord.TargetError(f"{_ranks(self.job.world.size)}: {said[1:].decode()}")
        return said[1:]

    def __call__(self, a: Any, b: Any) -> Any:
        import torch

        data = b"".join(each.contiguous().view(torch.uint8).numpy().tobytes() for each in (a, b))
        self.pipe.send_bytes(data)
        name, _, result = self._hear().partition(b" ")
        return torch.frombuffer(bytearray(result), dtype=getattr(torch, name.decode())).reshape(
            self.job.rows, self.job.columns)

    def end(self) -> None:
        self.connection.detach()
        self.pipe.close()


def _name(function: Any) -> str:
    """The name by which ranks find a function."""
    if isinstance(function, str):
        return function
    name = Adapter(function).name
    try:
        if resolve(name) is function:
            return name
    except (ArgumentError, ImportError):
        pass
    raise ArgumentError(f"{name} cannot be found by name in the processes of the ranks: put it into a "
                        "module")


def _jobs(layer: Any, shape: Sequence[int], sizes: Sequence[int], dtype: Any, product: Any, backend: str,
          timeout: float) -> list[Job]:
    name, dtype = _name(layer), str(dtype).removeprefix("torch.")
    if name not in LAYERS and "." not in name:
        raise ArgumentError(f"layer={layer!r}: choose {', '.join(LAYERS)}, or give a function of a module")
    if dtype not in _DTYPES:
        raise ArgumentError(f"dtype={dtype}: choose {', '.join(_DTYPES)}")
    if len(shape) != 3 or not all(isinstance(extent, int) and extent > 0 for extent in shape):
        raise ArgumentError(f"shape={shape!r}: give (m, n, k), for x of m x k and w of k x n")
    rows, columns, inner = shape
    if not sizes or len(set(sizes)) < len(sizes):
        raise ArgumentError(f"sizes={sizes!r}: give the numbers of ranks, each once")
    for size in sizes:
        if not isinstance(size, int) or size < 1 or inner % size:
            raise ArgumentError(f"{size} ranks cannot share an inner dimension of {inner} evenly: choose "
                                "numbers that divide it")
    return [Job(name, _name(product), rows, columns, inner, dtype,
                World(size, backend, timeout, name)) for size in sizes]


def _compare(layers: dict[int, _Layer], job: Job, inputs: int, seed: int) -> dict[int, int]:
    """The number of random inputs for which the result of each further layer differs from that of
    the first."""
    import torch

    made = torch.Generator().manual_seed(seed)
    kind = getattr(torch, job.dtype)
    first, *others = layers
    differ = dict.fromkeys(others, 0)
    for _ in range(inputs):
        a = torch.randn(job.rows, job.inner, generator=made, dtype=torch.float64).to(kind)
        b = torch.randn(job.inner, job.columns, generator=made, dtype=torch.float64).to(kind)
        given = layers[first](a, b)
        for size in others:
            result = layers[size](a, b)
            differ[size] += (result.dtype != given.dtype or
                             not torch.equal(result.view(torch.uint8), given.view(torch.uint8)))
    return differ


def _reveal_all(layers: dict[int, _Layer], shape: Sequence[int], dtype: Any, how: dict[str, Any]
                ) -> tuple[dict[int, Order], dict[int, UnableError]]:
    orders: dict[int, Order] = {}
    errors: dict[int, UnableError] = {}
    for size, layer in layers.items():
        name = f"{layer.job.layer} on {_ranks(size)}"
        try:
            orders[size] = reveal(gemm(layer), shape=tuple(shape), dtype=dtype, array="torch",
                                  **{"name": name, "loose": True, **how})
        except UnableError as error:
            if error.order is None:
                raise
            orders[size], errors[size] = error.order, error
    return orders, errors


def tensor_parallel(layer: str | Callable[..., Any] = "all_reduce", *, shape: Sequence[int],
                    sizes: Sequence[int] = (1, 2, 4, 8), dtype: Any = "float32",
                    product: str | Callable[..., Any] = "torch.matmul", element: Any = None,
                    inputs: int = 20, backend: str = "gloo", **how: Unpack[AskOptions]) -> TensorParallel:
    """Does a layer x @ w give the same bits for any number of ranks that share its inner dimension?

    accord starts the ranks with torch.distributed on this machine, for each number of them, deals x by
    columns and w by rows, reveals in which order one element of the result is added, and compares
    the orders. (Where w is dealt by columns, no sum is cut.)

    layer
        What each rank computes of its parts: "all_reduce", the product and torch.distributed's
        all_reduce of it; "fixed_chunks", which is `accord.fixed_chunks`, and has the same order for any
        number of ranks that divides 8; or a function (x, w) of a module that ranks can import.
    shape
        (m, n, k): x is m x k, w is k x n. Products often have another order for m = 1.
    sizes
        The numbers of ranks; each divides k.
    dtype
        float32, float64, float16 or bfloat16.
    product
        What computes the product of each rank, for "all_reduce" and "fixed_chunks".
    element
        (row, column) of the element whose order is revealed, by default the first.
    inputs
        How many random inputs are given to all numbers of ranks; their whole results are compared.
    backend, timeout
        As for `accord.collective`. Each rank uses one thread.

    Other arguments as for `accord.reveal`. If ranks hold different results, die or hang, TargetError
    says which.
    """
    options: dict[str, Any] = {"element": element, **how}
    jobs = _jobs(layer, shape, tuple(sizes), dtype, product, backend, options.pop("timeout", 20.0))
    layers: dict[int, _Layer] = {}
    words = (f"{jobs[0].layer} of {jobs[0].product}, {' x '.join(map(str, shape))} (m x n x k), "
             f"{jobs[0].dtype}, {backend}")
    try:
        for job in jobs:
            layers[job.world.size] = _Layer(job)
        differ = _compare(layers, jobs[0], inputs, options.get("seed", 0))
        orders, errors = _reveal_all(layers, shape, jobs[0].dtype, options)
        return TensorParallel(words, orders, errors, inputs, differ)
    finally:
        for each in layers.values():
            each.end()
