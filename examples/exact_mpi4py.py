#!/usr/bin/env python3
"""The mean and the deviation of numbers that are spread over the ranks of an MPI program and the threads
of each rank. The bits are the same on any number of ranks and threads:

    mpirun -n 3 python3 exact_mpi4py.py 4"""
import sys
from concurrent.futures import ThreadPoolExecutor

import accord
import numpy
from mpi4py import MPI

threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
world = MPI.COMM_WORLD

numbers = numpy.sin(numpy.arange(100_000.0)) * 10.0 ** (numpy.arange(100_000) % 40 - 20)
mine = numpy.array_split(numbers, world.size)[world.rank]

total = accord.Accumulator(kind="moments")
with ThreadPoolExecutor(threads) as pool:
    list(pool.map(total.add, numpy.array_split(mine, 4 * threads)))
total = world.allreduce(total)  # the sum of the ranks' accumulators, by +

if world.rank == 0:
    print(total.mean().hex(), total.std(ddof=1).hex(), total.terms)
