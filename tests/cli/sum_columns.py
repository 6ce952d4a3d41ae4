#!/usr/bin/env python3
"""sum_columns.py ACCORD FOLDER: columns of .npy files of both orders, types and byte orders, and fields
of records, in one and several threads, from files and pipes, against math.fsum of NumPy's columns."""
import itertools
import math
import os
import subprocess
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import trials  # noqa: E402

accord, folder = sys.argv[1:]
draw = numpy.random.default_rng(1)
MANY = 700_000 if trials.SCALE >= 1 else 280_000


def total(column):
    return math.fsum(column.astype(float).tolist())


def ask(words, data=None):
    done = subprocess.run([accord, *words], input=data, capture_output=True)
    assert done.returncode == 0, (words, done.stderr)
    return float(done.stdout.split()[0])


def fields(path):
    """Records with gaps, strings, fields of several values, and names that are keys of the header."""
    kinds = [("a", "i1"), ("shape", ">f4"), ("it's", "<f8"), ("k", "U3"), ("m", "u2", (2, 3)),
             ("n", ">i4"), ("t", "M8[us]"), ("h", "<f2"), ("last", ">i8")]
    for align in False, True:
        for count in 1, MANY // 10:
            x = numpy.zeros(count, dtype=numpy.dtype(kinds, align=align))
            for name in "a", "shape", "it's", "n", "h", "last":
                x[name] = 100 * draw.standard_normal(count)
            x["k"], x["t"] = "'),", 1
            numpy.save(path, x)
            with open(path, "rb") as file:
                data = file.read()
            for number, name in (1, "a"), (2, "shape"), (6, "n"), (8, "h"), (9, "last"):
                due = total(x[name])
                assert ask(["sum", path, "--column", name, "--threads", "3"]) == due, name
                assert ask(["sum", "-", "--column", str(number)], data) == due, name
            found = ask(["dot", path, path, "--column", "n", "--second-column", "a"])
            assert found == sum(int(n) * int(a) for n, a in zip(x["n"], x["a"]))
    for words, problem in ((["--column", "m"], "several values"), (["--column", "k"], "none of f2"),
                           (["--column", "x"], "no such field"), (["--column", "10"], "no such field"),
                           ([], "choose one of their fields")):
        done = subprocess.run([accord, "sum", path, *words], capture_output=True, text=True)
        assert done.returncode == 2 and problem in done.stderr, done.stderr


def main():
    path = f"{folder}/columns.npy"
    kinds = itertools.cycle(("<f8", ">i8", ">f4", "<i2", "u1", "<f2", ">u4", "?"))
    for order in "CF":
        for shape in ((40, 3), (MANY, 2), (3, 5000), (1, 1)):
            for kind in itertools.islice(kinds, 3):
                scale = 100 if "i" in kind or "u" in kind else 1
                x = numpy.asarray((scale * abs(draw.standard_normal(shape))).astype(kind), order=order)
                if "i" in kind:
                    x = -x
                numpy.save(path, x)
                with open(path, "rb") as file:
                    data = file.read()
                for column in {1, min(2, shape[1]), shape[1]}:
                    due = total(x[:, column - 1])
                    for threads in "1", "3":
                        assert ask(["sum", path, "--column", str(column), "--threads", threads]) == due
                    assert ask(["sum", "-", "--column", str(column)], data) == due
                assert ask(["sum", path]) == total(x.ravel())
    fields(path)
    x, y = draw.integers(-99, 99, (500_000, 3)) * 1.0, draw.integers(-99, 99, (500_000, 2)) * 1.0
    numpy.save(path, x)
    numpy.save(f"{folder}/others.npy", numpy.asfortranarray(y))
    found = ask(["dot", path, f"{folder}/others.npy", "--column", "3", "--second-column", "2",
                 "--threads", "3"])
    assert found == float(x[:, 2] @ y[:, 1]), found


main()
