"""np.sum as a target: accord reveal 'command:python3 examples/sum.py' -n 64"""
import struct, sys
import numpy as np

pipe, out = sys.stdin.buffer, open(1, "wb", 0)
n, form = (word.split(b"=")[1] for word in pipe.readline().split()[2:4])
x = np.zeros(int(n), "f%d" % (int(form[1:]) // 8))
out.write(b"accord 1 binary NumPy %s\n" % np.__version__.encode())
while head := pipe.read(24):
    _, probes, writes, rows, fill = struct.unpack("<4sIIId", head)
    if rows:
        table = np.empty((probes, x.size), "<f8" if form == b"f64" else "<f4")
        pipe.readinto(table)
        sums = [row.sum() for row in table.astype(x.dtype, copy=False)]
    else:
        value = np.frombuffer(pipe.read(8 * writes), "<f8").astype(x.dtype)
        index = np.frombuffer(pipe.read(4 * writes), "<u4").astype(int)
        start = np.frombuffer(pipe.read(4 * probes + 4), "<u4").tolist()
        x[:], sums = fill, []
        for a, b in zip(start, start[1:]):
            x[index[a:b]] = value[a:b]
            sums.append(x.sum())
    out.write(struct.pack("<4sI%dd" % probes, b"acca", probes, *sums))
