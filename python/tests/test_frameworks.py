"""The examples that spread exact sums over Dask, Spark and MPI: the same bits for all partitions and
numbers of workers, and an error, not a sum, when a worker is killed. What is missing is skipped."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
RUN_RANKS = os.path.join(EXAMPLES, "..", "tools", "run-ranks")


def need(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is missing (pip install {module})")


def run(*command: str, seconds: int = 300) -> subprocess.CompletedProcess[str]:
    # workers use the interpreter that runs this, and find nothing of the checkout
    around = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=seconds, env=around, cwd=EXAMPLES)


def example(name: str) -> str:
    done = run(sys.executable, name)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ends_with_an_error(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode != 0 and "sum is" not in done.stdout, done.stdout
    assert done.stderr.strip()


def test_dask() -> None:
    need("dask.array" if importlib.util.find_spec("dask") else "dask")
    assert "exact: 1," in example("exact_dask.py")


KILLED_DASK = """
import os, signal
import accord, dask
def part(i):
    if i == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return accord.Accumulator([float(i)])
if __name__ == "__main__":
    total = dask.delayed(lambda parts: sum(parts, accord.Accumulator()).value())
    parts = [dask.delayed(part)(i) for i in range(8)]
    print("the sum is", total(parts).compute(scheduler="processes", num_workers=2))
"""


def test_dask_with_a_worker_that_is_killed(tmp_path: os.PathLike[str]) -> None:
    need("dask")
    program = os.path.join(tmp_path, "killed.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(KILLED_DASK)
    ends_with_an_error(run(sys.executable, program))


def need_spark() -> None:
    need("pyspark")
    if not shutil.which("java"):
        pytest.skip("Spark needs Java (Debian: default-jre-headless)")


def test_spark() -> None:
    need_spark()
    assert "exact: 1," in example("exact_spark.py")


KILLED_SPARK = """
import operator, os, signal
import accord
from pyspark import SparkConf, SparkContext
def part(numbers):
    numbers = list(numbers)
    if 3.0 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return [accord.Accumulator(numbers)]
with SparkContext("local[2]", conf=SparkConf().set("spark.ui.enabled", "false")) as spark:
    parts = spark.parallelize([float(i) for i in range(8)], 4).mapPartitions(part)
    print("the sum is", parts.treeReduce(operator.add).value())
"""


def test_spark_with_a_worker_that_is_killed() -> None:
    need_spark()
    ends_with_an_error(run(sys.executable, "-c", KILLED_SPARK))


def runner() -> str:
    """The mpirun of the MPI that mpi4py uses here."""
    need("mpi4py")
    said = run(sys.executable, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())")
    if said.returncode:
        pytest.skip("mpi4py finds no MPI (Debian: openmpi-bin or mpich)")
    name = "openmpi" if "Open MPI" in said.stdout else "mpich"
    found = shutil.which(f"mpirun.{name}") or shutil.which("mpirun")
    if not found:
        pytest.skip(f"mpirun of {name} is missing")
    return found


def test_mpi4py() -> None:
    mpirun, results = runner(), set()
    for ranks, threads in (1, 1), (2, 3), (5, 2):
        done = run("sh", RUN_RANKS, mpirun, str(ranks), sys.executable, "exact_mpi4py.py", str(threads))
        assert done.returncode == 0, done.stdout + done.stderr
        results.add(done.stdout)
    assert len(results) == 1 and results.pop().split()[2] == "100000"


KILLED_RANK = """
import os, signal
import accord
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
print("the sum is", comm.allreduce(accord.Accumulator([1.0]), op=MPI.SUM).value())
"""


def test_mpi4py_with_a_rank_that_is_killed() -> None:
    ends_with_an_error(run("sh", RUN_RANKS, runner(), "3", sys.executable, "-c", KILLED_RANK))
