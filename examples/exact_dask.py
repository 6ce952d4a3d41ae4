#!/usr/bin/env python3
"""Exact sums with Dask: each chunk gives an accumulator, and accumulators are added. The result has
the same bits for all sizes of chunks, schedulers and numbers of workers (needs dask[array])."""
import sys

import accord
import dask
import dask.array
import numpy


def exact_sum(x):
    parts = [dask.delayed(accord.Accumulator)(chunk) for chunk in x.to_delayed().ravel()]
    return dask.delayed(lambda sums: sum(sums, accord.Accumulator()).value())(parts)


def main():
    random = numpy.random.default_rng(1)
    numbers = random.standard_normal(200000) * 10.0 ** random.integers(-12, 12, 200000)
    plain, exact = set(), set()
    for scheduler, workers, chunks in (("threads", 1, 200000), ("threads", 2, 3001),
                                       ("threads", 4, 50000), ("processes", 2, 70000)):
        x = dask.array.from_array(numbers, chunks=chunks)
        with dask.config.set(scheduler=scheduler, num_workers=workers):
            plain.add(float(x.sum().compute()))
            exact.add(exact_sum(x).compute())
    print(f"x.sum(): {len(plain)} results, exact: {len(exact)}, {exact}")
    return len(exact) != 1 or exact != {accord.sum(numbers)}


if __name__ == "__main__":
    sys.exit(main())
