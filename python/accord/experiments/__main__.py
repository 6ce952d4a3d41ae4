"""python -m accord.experiments NAME [--output DIR] [--runs N] [--most N]; see the package."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from typing import Any, Callable

import accord
from accord import libraries
from accord._library_row import one_line

from . import __doc__ as about
from . import volatile
from .measure import disagreements, measure, methods, once, say
from .operations import LIBRARIES, Operation, operations, original
from .output import plot, table, write, write_csv, write_times

ORDERS = ("library", "operation", "n", "order", "arithmetic", "verdict", "fingerprint")
CASES = (4, 5, 6, 7, 8, 16, 32, 64, 128, 256, 512)


def machine() -> str:
    """CPU and versions, for the head of what is printed."""
    import importlib.metadata

    words = [f"accord {accord.__version__}", f"Python {platform.python_version()}"]
    for name in ("numpy", "torch", "jax"):
        try:
            words.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    return f"{', '.join(words)}; {accord.info()['cpu']}, {os.cpu_count()} CPUs"


# ---- times ----


def timed(name: str, asked: list[Operation], algorithms: tuple[str, ...], args: Any) -> None:
    found = measure(asked, methods(algorithms, original()), args.runs, args.most)
    if not found:
        sys.exit(f"{name}: nothing could be measured")
    write_times(args.output, f"{name}.csv", found)
    plot(args.output, f"{name}.svg", found)
    print(f"{name}: median seconds of {args.runs} runs; {machine()}\n\n{table(found)}")
    differing = disagreements(found)
    print("\n".join(["Methods that found other trees:", *differing]) if differing else
          "All methods found the same trees.")


def rq1(args: Any) -> None:
    asked = [o for library in LIBRARIES for o in operations(library, ("Sum",))]
    timed("rq1", asked, ("naive", "basic", "fprev"), args)


def rq2(args: Any) -> None:
    timed("rq2", operations("NumPy", ("Dot", "GEMV", "GEMM")), ("basic", "fprev"), args)


def rq3(args: Any) -> None:
    asked = operations("PyTorch", ("GEMM",)) + operations("PyTorch on GPU", ("GEMM",))
    timed("rq3", asked, ("basic", "fprev"), args)


def tables(args: Any) -> None:
    asked = [o for name in ("Dot", "GEMV") for library in LIBRARIES
             for o in operations(library, (name,))]
    timed("table3", asked, ("basic", "fprev"), args)
    asked = operations("PyTorch", ("GEMM",)) + operations("PyTorch on GPU", ("GEMM",))
    timed("table4", asked, ("basic", "fprev"), args)


# ---- orders ----


def _row(operation: Operation, n: int) -> tuple[tuple[Any, ...], accord.Order | None]:
    try:
        order = operation.reveal(n)
    except accord.Error as error:
        found = getattr(error, "order", None)
        return (operation.library, operation.name, n, "", "", str(error), ""), found
    verdict = "replayed" if order.model else "order proven" if order.proven else "order found"
    return (operation.library, operation.name, n, one_line(order),
            str(order.model or "not explained"), verdict, order.fingerprint[:12]), order


def orders(name: str, asked: list[Operation], counts: tuple[int, ...], args: Any,
           pictures: Callable[[int], bool] = lambda n: False) -> None:
    rows = []
    for operation in asked:
        for n in counts:
            say(f"{operation.label}, n = {n}")
            row, order = _row(operation, n)
            rows.append(row)
            if order is not None and order.fingerprint and pictures(n):
                file = f"{name}-{operation.label.replace(' ', '-')}-{n}.svg"
                write(args.output, file, order.to_svg())
        say(f"{operation.label}: n to {counts[-1]}", True)
    write_csv(args.output, f"{name}.csv", ORDERS, rows)
    print(f"{name}; {machine()}\n\n| {' | '.join(ORDERS)} |\n|{'---|' * len(ORDERS)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")


def casestudy(args: Any) -> None:
    asked = operations("NumPy", ("Sum", "Dot", "GEMV", "GEMM"))
    there = operations("PyTorch on GPU", ("Sum", "Dot", "GEMV", "GEMM", "F16GEMM"))
    if not there:
        print("skipped: half-precision GEMM on Tensor Cores: it needs a GPU; PyTorch is asked on "
              "CPU instead", file=sys.stderr)
        there = operations("PyTorch", ("Sum", "Dot", "GEMV", "GEMM"))
    orders("casestudy", asked + there, tuple(n for n in CASES if n <= args.most), args,
           lambda n: n <= 64)


def rq4(args: Any) -> None:
    asked = [o for library in LIBRARIES for o in operations(library, ("Sum",))]
    counts = (4, 7, 8, 16, 31, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048)
    orders("rq4", asked, tuple(n for n in counts if n <= args.most), args, lambda n: n == 64)


#: What stands for a GPU that is not there: accord's models of the papers' three.
_MODELS = {"V100": "volta-f16", "A100": "ampere-f16", "H100": "hopper-f16"}


def rq5(args: Any) -> None:
    asked = operations("PyTorch on GPU", ("F16GEMM",))
    if not asked:
        print("skipped: half-precision GEMM on a GPU; accord's models of the papers' GPUs are asked "
              "in its place", file=sys.stderr)
        asked = [Operation("model", gpu, f"synthetic:{notation}", lambda n: {"n": n})
                 for gpu, notation in _MODELS.items()]
    counts = tuple(n for n in (16, 32, 64, 128, 256, 512, 1024, 2048) if n <= args.most)
    orders("rq5", asked, counts, args, lambda n: n == 32)


# ---- what discovery costs ----


def _alone(operation: Operation, n: int, dtype: str, calls: int) -> float:
    """Seconds of as many calls of the callable alone, on memory that stays."""
    import numpy as np

    x = np.ones(n, dtype)
    function = getattr(operation.target, "function", operation.target)
    given = (x,) if operation.name == "Sum" else (x, x)

    def run() -> None:
        for _ in range(calls):
            function(*given)

    return once(run)[0]


def _share(operation: Operation, n: int, dtype: str, algorithm: str, runs: int) -> tuple[Any, ...]:
    """Compares the time of discovery with the time in the callable, and with as many calls alone."""
    inside, alone, own = [], [], []
    for _ in range(runs):
        seconds, order = once(lambda: operation.reveal(n, dtype=dtype, algorithm=algorithm,
                                                       certificate=False))
        calls = order.counts["discovery_calls"]
        inside.append(seconds / order.timings["target"])
        alone.append(seconds / _alone(operation, n, dtype, calls))
        own.append(seconds)
    return ("discovery / callable", f"{operation.label} {dtype}, {algorithm}", n,
            f"{statistics.median(inside):.3f}",
            f"{calls} calls, {statistics.median(own):.4g} s; compared with the calls alone: "
            f"{statistics.median(alone):.3f}")


def speed(args: Any) -> None:
    """Medians of pairs, one after the other in one process."""
    asked = {o.name: o for o in operations("NumPy", ("Sum", "Dot", "GEMM"))}
    n, rows = min(4096, args.most), []
    for name, dtype in (("Sum", "float32"), ("Sum", "float64"), ("Dot", "float32")):
        for algorithm in ("wide", "auto"):
            rows.append(_share(asked[name], n, dtype, algorithm, args.runs))
            say(f"{rows[-1][1]}: {rows[-1][3]}, {rows[-1][4]}", True)
    peer = original()
    for name, count in (("Sum", n), ("Dot", n), ("GEMM", min(1024, args.most))) if peer else ():
        operation, ratios, times = asked[name], [], []
        solve, theirs = peer.algorithms["fprev"], peer.operation(operation, count)
        for _ in range(1 if name == "GEMM" else args.runs):
            own, order = once(lambda: operation.reveal(count, certificate=False))
            other, drawn = once(lambda: solve(theirs))
            ratios.append(other / own)
            times.append((own, other))
        same = peer.order(drawn, count).fingerprint == order.fingerprint
        rows.append(("original / accord", operation.label, count, f"{statistics.median(ratios):.1f}",
                     f"accord {statistics.median(t[0] for t in times):.4g} s, original "
                     f"{statistics.median(t[1] for t in times):.4g} s; "
                     f"{'the same tree' if same else 'ANOTHER TREE'}"))
        say(f"{operation.label}, n = {count}: {rows[-1][3]} times, {rows[-1][4]}", True)
    head = ("what", "operation", "n", "ratio", "note")
    write_csv(args.output, "speed.csv", head, rows)
    print(f"speed: medians of {args.runs} pairs; {machine()}\n\n| {' | '.join(head)} |\n|---|---|--:|"
          "--:|---|")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")


# ---- bounds ----


def bound(args: Any) -> None:
    volatile.measure(args, machine())


# ---- variability ----


def _needs_torch(args: Any) -> None:
    try:
        import torch
    except ImportError as error:
        raise accord.TargetError(f"{args.experiment} asks PyTorch, which is missing ({error}): "
                                 "pip install torch") from None
    if args.device == "cuda":
        if not torch.cuda.is_available():
            raise accord.TargetError("PyTorch finds no GPU: leave out --device cuda to ask the CPU")
        # without it cuBLAS refuses to be deterministic
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def operators(args: Any) -> None:
    _needs_torch(args)
    from .variability import operators as experiment

    experiment.measure(args, machine())


def training(args: Any) -> None:
    _needs_torch(args)
    from .variability import training as experiment

    experiment.measure(args, machine())


EXPERIMENTS = {"casestudy": casestudy, "rq1": rq1, "rq2": rq2, "rq3": rq3, "tables": tables,
               "rq4": rq4, "rq5": rq5, "bound": bound, "speed": speed, "operators": operators,
               "training": training}


def _counts(text: str) -> tuple[int, ...]:
    counts = tuple(int(word) for word in text.split(","))
    if min(counts) < 1:
        raise ValueError
    return counts


def _libraries(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    if not set(names) <= {"torch", "numpy", "jax"}:
        raise ValueError
    return names


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m accord.experiments", description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("--output", default=".", metavar="DIR", help="where files go (default: here)")
    parser.add_argument("--runs", type=int,
                        help="of each measurement (10; training: 20, with --quick 5)")
    parser.add_argument("--most", type=int, default=1 << 16, metavar="N", help="the most terms")
    parser.add_argument("--quick", action="store_true",
                        help="bound, operators, training: only what takes a few minutes")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="bound: builds, and runs of a program, at the same time (1)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu",
                        help="operators, training: where PyTorch computes (cpu)")
    parser.add_argument("--threads", type=_counts, default=(1, 2, 3, 4, 8), metavar="N,...",
                        help="operators: the numbers of threads that are compared (1,2,3,4,8)")
    parser.add_argument("--library", type=_libraries, metavar="NAME,...",
                        help="operators: torch, numpy, jax (all that are installed; with --sweep, torch)")
    parser.add_argument("--sweep", metavar="FILE",
                        help="operators: another list of operators and hyperparameters (TOML)")
    parser.add_argument("--only", default="", metavar="NAME,...",
                        help="operators: only these of the lists, such as sum,numpy.matmul,jax.sum")
    parser.add_argument("--load", action="store_true",
                        help="operators: keep all processors busy meanwhile, which changes schedules")
    args = parser.parse_args(arguments)
    if args.runs is None and args.experiment != "training":
        args.runs = 10
    if (args.runs or 1) < 1 or args.most < 4 or args.jobs < 1:
        parser.error("--runs and --jobs must be at least 1, and --most at least 4")
    try:
        os.makedirs(args.output, exist_ok=True)
        EXPERIMENTS[args.experiment](args)
    except (OSError, accord.Error) as error:
        print(f"accord.experiments: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
