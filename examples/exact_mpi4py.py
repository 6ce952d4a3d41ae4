#!/usr/bin/env python3
"""Exact sums with mpi4py: ranks add accumulators, and the bits are the same on any number of ranks.

    mpirun -n 3 python3 exact_mpi4py.py"""
import sys

import accord
import numpy
from mpi4py import MPI


def exact_sum(comm, mine):
    return comm.allreduce(accord.Accumulator(mine), op=MPI.SUM).value()


def main():
    comm = MPI.COMM_WORLD
    random = numpy.random.default_rng(1)
    numbers = random.standard_normal(100000) * 10.0 ** random.integers(-12, 12, 100000)
    mine = numbers[comm.rank::comm.size]
    plain, exact = comm.allreduce(float(mine.sum()), op=MPI.SUM), exact_sum(comm, mine)
    if comm.rank == 0:
        print(f"sum {plain!r}, exact {exact!r}")
    return exact != accord.sum(numbers)


if __name__ == "__main__":
    sys.exit(main())
