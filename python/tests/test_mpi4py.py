"""Accumulators over the ranks of mpi4py, with threads inside each rank."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "examples", "sum_mpi.py")


def runner():
    """The mpirun of the MPI that mpi4py uses; the test is skipped if there is none."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    asked = subprocess.run([sys.executable, "-c", "from mpi4py import MPI\nprint(MPI.Get_library_version())"],
                           capture_output=True, text=True)
    if asked.returncode:
        pytest.skip("mpi4py finds no MPI library")
    names = ("mpirun.openmpi", "mpirun") if "Open MPI" in asked.stdout else ("mpirun.mpich", "mpirun")
    found = next(filter(None, map(shutil.which, names)), None)
    return found or pytest.skip(f"there is no {names[0]}")


def test_the_bits_do_not_depend_on_ranks_and_threads():
    mpirun, results = runner(), set()
    for ranks, threads in (1, 1), (2, 3), (3, 2):
        done = subprocess.run([os.path.join(ROOT, "tools", "run-ranks"), mpirun, str(ranks),
                               sys.executable, EXAMPLE, str(threads)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        results.add(done.stdout)
    assert len(results) == 1 and results.pop().split()[2] == "100000"
