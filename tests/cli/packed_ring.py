"""A target that packs what it is asked for into one vector and adds that around a ring of ranks, as
an all-reduce does: element i, in block i * ranks / length, is added from the rank behind it on.
packed_ring.py LENGTH FROM: vectors of at most so many elements, and only requests of at least FROM
sums are packed (the others are vectors of one element). With "last" for LENGTH only the last sum of
such a request is added otherwise: from the back."""
import math
import struct
import sys

last = sys.argv[1] == "last"
length, least = 1 << 30 if last else int(sys.argv[1]), int(sys.argv[2])
pipe, out = sys.stdin.buffer, open(1, "wb", 0)
n = int(pipe.readline().split()[2].split(b"=")[1])
out.write(b"accord 1 binary\n")


def single(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def ring(terms, block):
    total = terms[(block + 1) % n]
    for k in range(2, n + 1):
        total = single(total + terms[(block + k) % n])
    return total


while head := pipe.read(24):
    _, sums, writes, rows, fill = struct.unpack("<4sIIId", head)
    each = []
    if rows:
        for _ in range(sums):
            each.append(struct.unpack("<%df" % n, pipe.read(4 * n)))
    else:
        value = struct.unpack("<%dd" % writes, pipe.read(8 * writes))
        index = struct.unpack("<%dI" % writes, pipe.read(4 * writes))
        start = struct.unpack("<%dI" % (sums + 1), pipe.read(4 * sums + 4))
        terms = [fill] * n
        for a, b in zip(start, start[1:]):
            for w in range(a, b):
                terms[index[w]] = value[w]
            each.append(tuple(terms))
    results = []
    for first in range(0, sums, length):
        part = each[first:first + length]
        for i, terms in enumerate(part):
            if last:
                results.append(ring(terms[::-1] if i == sums - 1 and sums >= least else terms, n - 1))
            else:
                results.append(ring(terms, i * n // len(part) if sums >= least else 0))
    out.write(struct.pack("<4sI%dd" % sums, b"acca", sums, *results))
