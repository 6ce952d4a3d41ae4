"""Operators of NumPy and of JAX, in processes of their own: one for each number of threads, which these
libraries take from the environment when they begin.

`main` reads configurations from standard input and writes what they gave, both pickled; `answers` starts
a process with it, and reads that."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np

import accord

from ..._survey import THREADS
from .spread import Results
from .sweep import Configuration, hyperparameters_of

#: What sets the number of threads. JAX's pool for the CPU has as many as NPROC says.
VARIABLES = {"numpy": tuple(THREADS), "jax": ("NPROC",)}
SEED = 1
SWEEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sweeps")


class Draw:
    """Inputs from a seed."""

    def __init__(self, dtype: str) -> None:
        self.generator, self.dtype = np.random.default_rng(SEED), np.dtype(dtype)

    def normal(self, *shape: int) -> Any:
        return self.generator.standard_normal(shape).astype(self.dtype)

    def index(self, below: int, *shape: int) -> Any:
        """Integers from 0, with duplicates."""
        return self.generator.integers(max(below, 1), size=shape)


class Answer(NamedTuple):
    """What one configuration gave."""

    results: dict[str, Results]
    seconds: list[float]
    note: str  #: why there are none


def is_there(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def operators_of(library: str) -> dict[str, Any]:
    module = importlib.import_module(f".{library}_operators", __package__)
    return module.OPERATORS


def known(library: str) -> dict[str, dict[str, bool]]:
    return hyperparameters_of(operators_of(library))


def answers(library: str, configurations: list[Configuration], count: int,
            runs: int) -> tuple[list[Answer], int]:
    """Asks with so many threads. What each configuration gave, and how many threads the process had."""
    around = os.environ | {name: str(count) for name in VARIABLES[library]}
    if library == "jax":
        around.setdefault("JAX_PLATFORMS", "cpu")
    begin = f"from {__name__} import main; main()"  # not as __main__, whose classes are others
    done = subprocess.run([sys.executable, "-c", begin, library], env=around, stdout=subprocess.PIPE,
                          input=pickle.dumps((configurations, runs)))
    if done.returncode:
        raise accord.TargetError(f"the process with {library} and {count} threads ended with status "
                                 f"{done.returncode}")
    return pickle.loads(done.stdout)


def _ask(make: Any, configuration: Configuration, runs: int) -> Answer:
    answer = Answer({}, [], "")
    try:
        call = make(Draw(configuration.dtype), **configuration.parameters)
        call()  # the first call of all may be slow
        for _ in range(runs):
            began = time.perf_counter()
            found = call()
            answer.seconds.append(time.perf_counter() - began)
            for name, array in found.items():
                answer.results.setdefault(name, Results()).add(np.asarray(array))
    except (RuntimeError, ValueError, TypeError) as error:
        return Answer({}, [], f"refused: {(str(error).splitlines() or [type(error).__name__])[0]}")
    return answer


def _tasks() -> int:
    """Threads of this process; 0 where the system does not list them."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


def main() -> None:
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    configurations, runs = pickle.load(sys.stdin.buffer)
    operators = operators_of(sys.argv[1])
    found = [_ask(operators[c.operator], c, runs) for c in configurations]
    pickle.dump((found, _tasks()), out)
