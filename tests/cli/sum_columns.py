#!/usr/bin/env python3
"""sum_columns.py ACCORD FOLDER: columns of .npy files of both orders, types and byte orders, in one
and several threads, from files and pipes, against math.fsum of NumPy's columns."""
import math
import subprocess
import sys

import numpy

accord, folder = sys.argv[1:]
draw = numpy.random.default_rng(1)


def total(column):
    return math.fsum(column.astype(float).tolist())


def ask(words, data=None):
    done = subprocess.run([accord, *words], input=data, capture_output=True)
    assert done.returncode == 0, (words, done.stderr)
    return float(done.stdout.split()[0])


def main():
    path = f"{folder}/columns.npy"
    for order in "CF":
        for shape in ((40, 3), (700_000, 2), (3, 5000), (1, 1)):
            for kind in ("<f8", ">f4", "<f2"):
                x = numpy.asarray(draw.standard_normal(shape).astype(kind), order=order)
                numpy.save(path, x)
                with open(path, "rb") as file:
                    data = file.read()
                for column in {1, min(2, shape[1]), shape[1]}:
                    due = total(x[:, column - 1])
                    for threads in "1", "3":
                        assert ask(["sum", path, "--column", str(column), "--threads", threads]) == due
                    assert ask(["sum", "-", "--column", str(column)], data) == due
    x, y = draw.integers(-99, 99, (500_000, 3)) * 1.0, draw.integers(-99, 99, (500_000, 2)) * 1.0
    numpy.save(path, x)
    numpy.save(f"{folder}/others.npy", numpy.asfortranarray(y))
    found = ask(["dot", path, f"{folder}/others.npy", "--column", "3", "--second-column", "2",
                 "--threads", "3"])
    assert found == float(x[:, 2] @ y[:, 1]), found


main()
