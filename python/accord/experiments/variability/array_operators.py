"""Operators that NumPy and JAX both have, under the same names, and how the others are entered beside
them; see pytorch.py. Inputs come from apart.Draw."""

from __future__ import annotations

from typing import Any, Callable

Call = Callable[[], dict[str, Any]]


class Operators(dict[str, Callable[..., Call]]):
    """By name. `library` is numpy or jax.numpy, and `forward` makes a call of a function and its inputs."""

    def __init__(self, library: Any, forward: Callable[..., Call]) -> None:
        super().__init__()
        self.forward = forward
        for name in ("sum", "mean", "var", "cumsum"):
            self.of_vector(name, getattr(library, name))
        self.of_vector("prod", lambda x: library.prod(1 + x / 1024))
        self.of_vector("norm", library.linalg.norm)

        def dot(draw: Any, n: int) -> Call:
            return forward(library.dot, draw.normal(n), draw.normal(n))

        def matmul(draw: Any, n: int, rows: int = 0) -> Call:
            return forward(library.matmul, draw.normal(rows or n, n), draw.normal(n, n))

        def mv(draw: Any, n: int) -> Call:
            return forward(library.matmul, draw.normal(n, n), draw.normal(n))

        def solve(draw: Any, n: int) -> Call:
            return forward(library.linalg.solve, draw.normal(n, n), draw.normal(n))

        for make in (dot, matmul, mv, solve):
            self.enter(make)

    def enter(self, make: Callable[..., Call]) -> Callable[..., Call]:
        """As a decorator: under the name of the function."""
        self[make.__name__] = make
        return make

    def of_vector(self, name: str, function: Callable[..., Any]) -> None:
        self[name] = lambda draw, n: self.forward(function, draw.normal(n))
