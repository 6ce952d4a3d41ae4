"""The operations of the papers, as accord's questions and as the original's classes.

The original asks for element 0 of x @ ones[n, n], and element 0, 0 of A @ ones[n, n]; so does accord.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Callable, NamedTuple

import accord
from accord import _accord, adapters


class Operation(NamedTuple):
    """A function of a library on a device."""

    library: str
    name: str  #: Sum, Dot, GEMV, GEMM, F16GEMM
    target: Any
    keywords: Callable[[int], dict[str, Any]]
    gpu: bool = False

    @property
    def label(self) -> str:
        return f"{self.library} {self.name}{' on GPU' if self.gpu else ''}"

    def reveal(self, n: int, **how: Any) -> accord.Order:
        return accord.reveal(self.target, name=f"python:{self.label}", **{"loose": True, **self.keywords(n), **how})


def _of(library: str, array: Any, total: Any, product: Any, gpu: bool = False) -> list[Operation]:
    given = {"array": array}
    return [
        Operation(library, "Sum", total, lambda n: {"n": n, **given}, gpu),
        Operation(library, "Dot", adapters.Dot(product), lambda n: {"n": n, **given}, gpu),
        Operation(library, "GEMV", adapters.Gemv(lambda a, x: product(x, a), "T"),
                  lambda n: {"shape": (n, n), **given}, gpu),
        Operation(library, "GEMM", adapters.Gemm(product), lambda n: {"shape": (n, n, n), **given},
                  gpu),
    ]


def _numpy() -> list[Operation]:
    import numpy as np

    return _of("NumPy", "numpy", np.sum, np.matmul)


def _torch() -> list[Operation]:
    import torch

    return _of("PyTorch", "torch", torch.sum, torch.matmul)


def _torch_gpu() -> list[Operation]:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("PyTorch finds no GPU")

    def there(array: Any) -> Any:
        return torch.from_numpy(array).cuda()

    found = _of("PyTorch", there, torch.sum, torch.matmul, True)
    half = Operation("PyTorch", "F16GEMM", adapters.Gemm(torch.matmul),
                     lambda n: {"shape": (n, n, n), "array": there, "dtype": "float16"}, True)
    return [*found, half]


def _jax() -> list[Operation]:
    import jax.numpy as jnp

    # NumPy's arrays, as the original gives: JAX takes them in itself.
    return _of("JAX", "numpy", jnp.sum, jnp.dot)


_MAKERS = {"NumPy": _numpy, "PyTorch": _torch, "JAX": _jax, "PyTorch on GPU": _torch_gpu}
LIBRARIES = ("NumPy", "PyTorch", "JAX")


def operations(library: str, names: tuple[str, ...]) -> list[Operation]:
    """Those named of a library, or none, with a word on standard error, where it is missing."""
    try:
        found = _MAKERS[library]()
    except ImportError as error:
        print(f"skipped: {library}: {error}", file=sys.stderr)
        return []
    return [operation for operation in found if operation.name in names]


# ---- the original beside it ----

_CLASSES = {"NumPy": "Numpy", "PyTorch": "Torch", "JAX": "Jax"}


class Original:
    """The original FPRev in a folder: fprev.py, and its operations in experiments/."""

    def __init__(self, folder: str) -> None:
        for path in (folder, os.path.join(folder, "experiments")):
            if path not in sys.path:
                sys.path.insert(0, path)
        self.module = importlib.import_module("fprev")
        self.algorithms = {"naive": self.module.naive_sol, "basic": self.module.basic_fprev,
                           "fprev": self.module.fprev}

    def operation(self, operation: Operation, n: int) -> Any | None:
        """The original's object of an operation; None where it has none."""
        stem = _CLASSES[operation.library]
        module = importlib.import_module(f"accumimpls.{stem.lower()}")
        made = getattr(module, stem + operation.name, None)
        if made is None:
            return None
        return made(n) if stem == "Numpy" else made(n, operation.gpu)

    def order(self, drawn: Any, n: int) -> accord.Order:
        """The tree that it drew."""
        above: dict[int, int] = {}
        for line in drawn.source.split("\n"):
            child, arrow, parent = line.partition("->")
            if arrow:
                above[int(child)] = int(parent)
        below: dict[int, list[int]] = {}
        for child, parent in above.items():
            below.setdefault(parent, []).append(child)
        # from the root down, then numbered the other way round: children before their parents
        found = [node for node in below if node not in above]
        for node in found:
            found += [child for child in below[node] if child >= n]
        number = {node: n + len(found) - 1 - k for k, node in enumerate(found)}
        parents: list[int | None] = [None] * (n + len(found))
        for child, parent in above.items():
            parents[number.get(child, child)] = number[parent]
        return accord.Order(_accord.from_parents(n, parents))


def original() -> Original | None:
    """The original that FPREV_DIR names, or None, with a word on standard error."""
    folder = os.environ.get("FPREV_DIR")
    if not folder:
        print("the original FPRev is not measured: FPREV_DIR names no copy of it", file=sys.stderr)
        return None
    try:
        return Original(folder)
    except ImportError as error:
        print(f"skipped: the original FPRev in {folder}: {error}", file=sys.stderr)
        return None
