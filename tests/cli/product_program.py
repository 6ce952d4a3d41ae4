"""product_program.py [ROWS]: dot products from left to right, of f32 or f64, of a program that announces
products (version 2 of the protocol), and so many rows of results."""
import math
import struct
import sys

pipe, out = sys.stdin.buffer, open(1, "wb", 0)
words = pipe.readline().split()
n, code = int(words[2].split(b"=")[1]), "d" if words[3] == b"format=f64" else "f"
out.write(b"accord 2 binary rows=%s columns=1 share=none products test\n" % " ".join(sys.argv[1:] or "1").encode())


def rounded(x):
    try:
        return struct.unpack("<" + code, struct.pack("<" + code, x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


while head := pipe.read(24):
    _, sums, _, form, _ = struct.unpack("<4sIIId", head)
    assert form == 3
    answer = []
    for _ in range(sums):
        x, y = (struct.unpack("<%d%s" % (n, code), pipe.read(n * struct.calcsize(code))) for _ in range(2))
        total = 0.0
        for a, b in zip(x, y):
            total = rounded(total + rounded(a * b))
        answer.append(total)
    out.write(struct.pack("<4sI%dd" % sums, b"acca", sums, *answer))
