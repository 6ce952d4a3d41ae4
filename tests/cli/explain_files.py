"""Inputs and results for test_cli_explain.sh, without NumPy: explain_files.py FOLDER."""

import random
import struct
import sys

ROWS, TERMS = 400, 24
folder = sys.argv[1] + "/"
draw = random.Random(1)


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def npy(name, values, shape, letter="f"):
    head = f"{{'descr': '<f{struct.calcsize(letter)}', 'fortran_order': False, 'shape': {shape}, }}"
    head = head.ljust(117) + "\n"
    with open(folder + name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(values)}{letter}", *values))


def by_sign(terms):
    sums = [0.0, 0.0]
    for term in terms:
        sums[term < 0] = f32(sums[term < 0] + term)
    return f32(sums[0] + sums[1])


x = [[f32(draw.gauss(0, 1)) for _ in range(TERMS)] for _ in range(ROWS)]
y = [[f32(draw.gauss(0, 1)) for _ in range(TERMS)] for _ in range(ROWS)]
flat = lambda rows: [value for row in rows for value in row]
products = [[f32(a * b) for a, b in zip(*rows)] for rows in zip(x, y)]
dots = [by_sign(row) for row in products]
sums = [by_sign(row) for row in x]
npy("x.npy", flat(x), (ROWS, TERMS))
npy("y.npy", flat(y), (ROWS, TERMS))
npy("xy.npy", flat(a + b for a, b in zip(x, y)), (ROWS, 2 * TERMS))
npy("short.npy", flat(y[:7]), (7, TERMS))
npy("dots.npy", dots, (ROWS,))
npy("wide.npy", dots, (ROWS,), "d")
npy("sums.npy", sums, (ROWS,))
npy("few.npy", sums[:7], (7,))
npy("last.npy", [by_sign(row[:-1]) for row in products], (ROWS,))
npy("one.npy", [s + (i == 17) for i, s in enumerate(dots)], (ROWS,))
open(folder + "x.csv", "w").write("\n".join(",".join(repr(value) for value in row) for row in x) + "\n")
open(folder + "sums.txt", "w").write("\n".join(f"{s:.9g}" for s in sums) + "\n")
open(folder + "x.bf16", "wb").write(b"".join(struct.pack("f", 1.5 + i % 7)[2:] for i in range(ROWS * TERMS)))
npy("bf16.npy", [sum(1.5 + i % 7 for i in range(r * TERMS, (r + 1) * TERMS)) for r in range(ROWS)], (ROWS,))
# The edges: one row, one term, equal rows, zeros, and numbers that are none.
npy("row.npy", x[0], (1, TERMS))
npy("row-sum.npy", sums[:1], (1,))
npy("terms.npy", [row[0] for row in x], (ROWS, 1))
npy("equal.npy", flat(x[:1] * ROWS), (ROWS, TERMS))
npy("equal-sums.npy", sums[:1] * ROWS, (ROWS,))
npy("zeros.npy", [0.0] * ROWS * TERMS, (ROWS, TERMS))
npy("zero-sums.npy", [0.0] * ROWS, (ROWS,))
npy("not-zero.npy", [0.0] * (ROWS - 1) + [1e-30], (ROWS,))
npy("nan.npy", [float("nan")] * ROWS * TERMS, (ROWS, TERMS))
npy("nan-sums.npy", [float("nan")] * ROWS, (ROWS,))
# Text: a row on each line, all in lines of five, a row that lent a number to the next, a row that lacks one.
text = lambda rows, gap=" ": "".join(gap.join(map(repr, row)) + "\n" for row in rows)
lent = x[:3] + [x[3][:-1], x[3][-1:] + x[4]] + x[5:]
open(folder + "x.txt", "w").write(text(x))
open(folder + "wrapped.txt", "w").write(text(flat(x)[i:i + 5] for i in range(0, ROWS * TERMS, 5)))
open(folder + "uneven.txt", "w").write(text(lent))
open(folder + "uneven.csv", "w").write(text(lent, ","))
open(folder + "short.txt", "w").write(text(x[:3] + [x[3][:-1]] + x[4:]))
holed = [list(row) for row in x]
holed[3][5], holed[4][6] = float("nan"), float("inf")
npy("holed.npy", flat(holed), (ROWS, TERMS))
npy("infinite.npy", sums[:-1] + [float("inf")], (ROWS,))
npy("nothing.npy", [], (0, TERMS))
# Matrices: A and B as they are stored, C0 that beta multiplies, and products of them.
M, N, K = 24, 20, 16
a, b, c0 = ([[f32(draw.gauss(0, 1)) for _ in range(j)] for _ in range(i)] for i, j in ((M, K), (K, N), (M, N)))
turned = lambda rows: [list(column) for column in zip(*rows)]


def product(a, b, alpha=1, beta=0):
    return [[by_sign([f32(alpha * f32(p * q)) for p, q in zip(row, column)] + [f32(beta * c0[i][j])])
             for j, column in enumerate(turned(b))] for i, row in enumerate(a)]


c = product(a, b)
npy("a.npy", flat(a), (M, K))
npy("a-turned.npy", flat(turned(a)), (K, M))
npy("b.npy", flat(b), (K, N))
npy("c0.npy", flat(c0), (M, N))
npy("c.npy", flat(c), (M, N))
npy("c-last.npy", flat(product([row[:-1] for row in a], b[:-1])), (M, N))
npy("c-row.npy", flat(c[:3] + product(a[4:5], b) + c[4:]), (M, N))
npy("c-beta.npy", flat(product(a, b, 1.5, .5)), (M, N))
npy("v.npy", [row[0] for row in b], (K,))
npy("av.npy", [row[0] for row in c], (M,))
