"""Products of MXFP4, 32 of which share a pair of scales, as a target:
accord features 'command:python3 examples/scaled.py' --format e2m1 -n 96"""
import struct, sys
import numpy as np

BLOCK = 32
pipe, out = sys.stdin.buffer, open(1, "wb", 0)
n = int(pipe.readline().split()[2].split(b"=")[1])
out.write(b"accord 2 binary rows=1 columns=1 share=none block=%d scales=e8m0 NumPy\n" % BLOCK)


def dot(a, scale_a, b, scale_b):
    """Each block is added exactly, scaled, and rounded to f32, and so is the sum of the blocks."""
    total = np.float32(0)
    for k, (x, y) in enumerate(zip(np.split(a, n // BLOCK), np.split(b, n // BLOCK))):
        block = np.dot(x.astype("f8"), y.astype("f8"))
        total += np.float32(block * np.float64(scale_a[k]) * np.float64(scale_b[k]))
    return total


def read(size):
    data = pipe.read(size)
    if len(data) != size:
        sys.exit("a request was cut short")
    return data


if n % BLOCK:
    sys.exit(f"give a multiple of {BLOCK} products")
record = np.dtype([("a", "<f4", n), ("scale_a", "<f4", n // BLOCK),
                   ("b", "<f4", n), ("scale_b", "<f4", n // BLOCK)])
while head := pipe.read(24):
    _, sums, _, form, _ = struct.unpack("<4sIIId", head)
    assert form == 3  # all sums are asked for so when blocks have scales
    table = np.frombuffer(read(record.itemsize * sums), record)
    with np.errstate(all="ignore"):
        results = [dot(*row) for row in table]
    out.write(struct.pack("<4sI%dd" % sums, b"acca", sums, *results))
