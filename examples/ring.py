"""An all-reduce around a ring of ranks, as a target with a grid of results: one for each position of
the vector and each rank. accord map 'command:python3 examples/ring.py 12' -n 4"""
import struct, sys
import numpy as np

pipe, out, length = sys.stdin.buffer, open(1, "wb", 0), int(sys.argv[1])
ranks = int(pipe.readline().split()[2].split(b"=")[1])
out.write(b"accord 2 binary rows=%d columns=%d share=rows copies=columns NumPy\n" % (length, ranks))


def all_reduce(x):
    """x: positions x ranks. Each block of positions begins behind another rank."""
    result = np.empty(length, "f4")
    for block in range(ranks):
        part = slice(block * length // ranks, (block + 1) * length // ranks)
        for k in range(1, ranks + 1):
            term = x[part, (block + k) % ranks]
            result[part] = term if k == 1 else result[part] + term
    return np.repeat(result, ranks)  # every rank has the same


while head := pipe.read(24):
    _, sums, writes, form, fill = struct.unpack("<4sIIId", head)
    if form == 2:  # terms of their own in each position
        grids = [np.frombuffer(pipe.read(4 * length * ranks), "<f4").reshape(length, ranks)]
    elif form == 1:
        rows = np.frombuffer(pipe.read(4 * sums * ranks), "<f4").reshape(sums, ranks)
        grids = [np.broadcast_to(row, (length, ranks)) for row in rows]
    else:
        value = np.frombuffer(pipe.read(8 * writes), "<f8")
        index = np.frombuffer(pipe.read(4 * writes), "<u4")
        start = np.frombuffer(pipe.read(4 * sums + 4), "<u4")
        x, grids = np.full(ranks, fill, "f4"), []
        for a, b in zip(start, start[1:]):
            x[index[a:b]] = value[a:b]
            grids.append(np.tile(x, (length, 1)))
    with np.errstate(all="ignore"):
        results = np.concatenate([all_reduce(grid) for grid in grids]).astype("<f8")
    out.write(struct.pack("<4sI", b"acca", sums) + results.tobytes())
