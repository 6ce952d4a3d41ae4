"""Operators: do results vary from run to run, and do they change with the number of threads?

These are two questions. In the first, one call is repeated with the same inputs and the same number
of threads; in the second, its results with 1, 2, 3, 4 and 8 threads are compared. Both are asked in
PyTorch's default mode and in its deterministic one. The first result is always the reference. Those of
NumPy and JAX are asked in processes of their own (apart.py)."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import time
from typing import Any, Iterator, NamedTuple

import torch

import accord

from ..measure import say
from ..output import write_csv
from . import apart, pytorch
from .findings import (DEFAULT, DETERMINISTIC, RUNS, THREADS, Row, csv_row, plot, plot_parameters,
                       summary, table)
from .spread import Results, Spread, mean_and_deviation
from .sweep import Configuration, read_sweep

SWEEPS = apart.SWEEPS
SEED = 1


# ---- threads ----


def _tasks() -> int | None:
    """Threads of this process, where the system lists them."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return None


def _tasks_with(count: int) -> int | None:
    torch.set_num_threads(count)
    torch.neg(torch.ones(1 << 20))
    return _tasks()


def require_threads(counts: tuple[int, ...]) -> None:
    """Makes sure that PyTorch starts as many threads as it is told to, which an environment variable
    can prevent (OMP_THREAD_LIMIT): its pool must grow from 2 threads to the most that are wanted."""
    most, started = max(3, *counts), 0
    for _ in range(50):  # threads that are not needed any more take a while to end
        before, after = _tasks_with(2), _tasks_with(most)
        if before is None or after is None or after - before >= most - 2:
            return
        started = after - before + 2
        time.sleep(0.02)
    raise accord.TargetError(f"PyTorch was told to use {most} threads and started no more than "
                             f"{started}: unset OMP_THREAD_LIMIT, or ask for fewer with --threads")


#: Computes until the process ends that started it.
_SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(100000))"


@contextlib.contextmanager
def load(wanted: bool) -> Iterator[None]:
    """Keeps as many processes busy as there are processors, so that threads wait for their turn."""
    processes = [subprocess.Popen([sys.executable, "-c", _SPIN])
                 for _ in range((os.cpu_count() or 1) if wanted else 0)]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
            process.wait()


# ---- one configuration ----


class Asked(NamedTuple):
    """How to ask."""

    runs: int
    device: str
    threads: tuple[int, ...]  #: (0,) on a GPU, where the device decides

    @property
    def repeated(self) -> tuple[int, ...]:
        """The numbers of threads with which calls are repeated: 2 and the most."""
        several = [count for count in self.threads if count > 1]
        return tuple(sorted({*several[:1], *several[-1:]})) or self.threads


def _arrays(results: dict[str, torch.Tensor]) -> dict[str, Any]:
    """NumPy has no bfloat16; as float32 its values are the same."""
    return {name: (x.float() if x.dtype == torch.bfloat16 else x).detach().cpu().numpy()
            for name, x in results.items()}


def _timed(call: pytorch.Call, device: str) -> tuple[float, dict[str, Any]]:
    if device == "cuda":
        torch.cuda.synchronize()
    began = time.perf_counter()
    results = call()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began, _arrays(results)


class Question:
    """Results and times that answer one question."""

    def __init__(self, name: str, threads: str) -> None:
        self.name, self.threads = name, threads
        self.results: dict[str, Results] = {}
        self.seconds: list[float] = []

    def add(self, seconds: float, arrays: dict[str, Any]) -> None:
        self.seconds.append(seconds)
        for name, array in arrays.items():
            self.results.setdefault(name, Results()).add(array)


def _ask(call: pytorch.Call, asked: Asked) -> list[Question]:
    """Calls with every number of threads, and again and again with some of them."""
    across = Question(THREADS, " ".join(map(str, asked.threads)))
    questions = []
    for count in asked.threads:
        if count:
            torch.set_num_threads(count)
        repeated = Question(RUNS, str(count) if count else "")
        _timed(call, asked.device)  # the first call of all may be slow
        for run in range(asked.runs if count in asked.repeated else 1):
            found = _timed(call, asked.device)
            repeated.add(*found)
            if run == 0:
                across.add(*found)
        if count in asked.repeated:
            questions.append(repeated)
    return questions + [across] * (len(asked.threads) > 1)


def ask(configuration: Configuration, asked: Asked) -> list[Row]:
    """Both questions in both modes."""
    rows: list[Row] = []
    own = (configuration.text, configuration.dtype, asked.device)

    def refused(mode: str, error: Exception) -> Row:
        note = f"refused: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        return Row(configuration.operator, "", *own, mode, "", "", 0, 0, *[math.nan] * 6, note)

    draw = pytorch.Draw(SEED, asked.device, configuration.dtype)
    try:
        call = pytorch.OPERATORS[configuration.operator](draw, **configuration.parameters)
    except (RuntimeError, ValueError, TypeError, AttributeError) as error:
        return [refused(DEFAULT, error)]  # such as a kernel that is larger than its input
    for mode in (DEFAULT, DETERMINISTIC):
        torch.use_deterministic_algorithms(mode == DETERMINISTIC)
        try:
            questions = _ask(call, asked)
        except (RuntimeError, ValueError) as error:
            rows.append(refused(mode, error))
            continue
        finally:
            torch.use_deterministic_algorithms(False)
        rows += [_row(configuration, result, own, mode, question, results.spread())
                 for question in questions for result, results in question.results.items()]
    return rows


def _row(configuration: Configuration, result: str, own: tuple[str, ...], mode: str,
         question: Question, spread: Spread) -> Row:
    return Row(configuration.operator, result, *own, mode, question.name, question.threads, *spread,
               *mean_and_deviation(question.seconds))


# ---- other libraries ----


def ask_apart(library: str, configurations: list[Configuration], asked: Asked) -> list[Row]:
    """Both questions of NumPy or JAX, which have no other mode, in a process for each number of threads."""
    runs = {count: asked.runs if count in asked.repeated else 1 for count in asked.threads}
    found = {}
    for count in asked.threads:
        say(f"{library}, {count} threads: {len(configurations)} configurations")
        found[count], tasks = apart.answers(library, configurations, count, runs[count])
        say(f"{library}, told to use {count} threads: the process had {tasks}", True)
    return [row for i, configuration in enumerate(configurations)
            for row in _rows_apart(library, configuration, {t: found[t][i] for t in found}, asked)]


def _rows_apart(library: str, configuration: Configuration, answers: dict[int, apart.Answer],
                asked: Asked) -> Iterator[Row]:
    named = configuration._replace(operator=f"{library}.{configuration.operator}")
    own = (configuration.text, configuration.dtype, asked.device)
    for note in {answer.note for answer in answers.values() if answer.note}:
        yield Row(named.operator, "", *own, DEFAULT, "", "", 0, 0, *[math.nan] * 6, note)
        return
    across = Question(THREADS, " ".join(map(str, asked.threads)))
    for count, answer in answers.items():
        across.add(answer.seconds[0], {name: each.first for name, each in answer.results.items()})
        if count in asked.repeated:
            repeated = Question(RUNS, str(count))
            repeated.seconds = answer.seconds
            for name, results in answer.results.items():
                yield _row(named, name, own, DEFAULT, repeated, results.spread())
    for name, results in across.results.items() if len(answers) > 1 else ():
        yield _row(named, name, own, DEFAULT, across, results.spread())


# ---- all of it ----


def _of_libraries(args: Any) -> Iterator[tuple[str, list[Configuration]]]:
    """What is asked of each library. With --sweep, or on a GPU, that is PyTorch alone."""
    alone = args.sweep or args.device != "cpu"
    chosen = args.library or (("torch",) if alone else ("torch", "numpy", "jax"))
    if alone and len(chosen) > 1 or args.device != "cpu" and chosen != ("torch",):
        raise accord.ArgumentError("--sweep is of one library, and --device cuda is of PyTorch: name one "
                                   "with --library")
    for library in chosen:
        torch_s = library == "torch"
        own = ",".join(name.removeprefix(f"{library}.") for name in args.only.split(",") if name and
                       (name.partition(".")[0] if "." in name else "torch") == library)
        if args.only and not own:
            continue
        if not torch_s and not apart.is_there(library):
            print(f"{library} is not installed: its rows are left out", file=sys.stderr)
            continue
        built_in = ("quick.toml" if args.quick else "full.toml") if torch_s else f"{library}.toml"
        yield library, read_sweep(args.sweep or os.path.join(SWEEPS, built_in),
                                  pytorch.hyperparameters() if torch_s else apart.known(library), own)


def _ask_all(configurations: list[Configuration], asked: Asked, folder: str) -> list[Row]:
    """What is known so far is in operators.csv, and is reported if the rest is interrupted."""
    rows: list[Row] = []
    k = 0
    try:
        for k, configuration in enumerate(configurations):
            say(f"{k + 1} of {len(configurations)}: {configuration.operator} {configuration.text}")
            rows += ask(configuration, asked)
            if k + 1 == len(configurations) or configurations[k + 1].operator != configuration.operator:
                say(f"{configuration.operator}: done", True)
                write_csv(folder, "operators.csv", Row._fields, map(csv_row, rows), quiet=True)
    except KeyboardInterrupt:
        print(f"interrupted after {k} of {len(configurations)} configurations", file=sys.stderr)
    return rows


def measure(args: Any, machine: str) -> None:
    """Asks for everything in a sweep."""
    libraries = dict(_of_libraries(args))
    asked = Asked(args.runs, args.device, args.threads if args.device == "cpu" else (0,))
    rows: list[Row] = []
    with load(args.load):
        for library, configurations in libraries.items():
            if library != "torch":
                rows += ask_apart(library, configurations, asked)
                continue
            if args.device == "cpu":
                require_threads(asked.threads)
            rows += _ask_all(configurations, asked, args.output)
    write_csv(args.output, "operators.csv", Row._fields, map(csv_row, rows))
    plot(args.output, "operators.svg", rows)
    plot_parameters(args.output, "operators-ratio.svg", rows)
    busy = ", all processors kept busy" if args.load else ""
    counts = ", ".join(f"{len(own)} configurations of {library}" for library, own in libraries.items())
    print(f"operators: {counts}, {args.runs} runs, {args.device}{busy}; {machine}\n\n{table(rows)}\n" +
          "\n\n".join(summary(rows)))
