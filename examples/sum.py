"""np.sum as a target: accord reveal 'command:python3 examples/sum.py' -n 64"""
import struct, sys
import numpy as np

pipe, out = sys.stdin.buffer, open(1, "wb", 0)
n, form = (word.split(b"=")[1] for word in pipe.readline().split()[2:4])
x = np.zeros(int(n), "f%d" % (int(form[1:]) // 8))
out.write(b"accord 1 binary NumPy %s\n" % np.__version__.encode())
while head := pipe.read(24):
    _, probes, writes, _, fill = struct.unpack("<4sIIId", head)
    body, sums, x[:] = pipe.read(12 * writes + 4 * probes + 4), [], fill
    value = np.frombuffer(body, "<f8", writes).astype(x.dtype)
    index, start = np.split(np.frombuffer(body[8 * writes :], "<u4").astype(int), [writes])
    for a, b in zip(start.tolist(), start[1:].tolist()):
        x[index[a:b]] = value[a:b]
        sums.append(np.sum(x))
    out.write(struct.pack("<4sI", b"acca", probes) + np.array(sums, "<f8").tobytes())
