"""grid_ring.py HOW: an all-reduce of 6 positions around a ring, in version 2 of the protocol, with
what HOW says planted:
    rows, none   nothing; rows of results may have terms of their own in a call, or not
    rank         rank 1 adds its own term last
    apart        rank 1 does so where the rows have terms of their own, and copies=columns is announced
    form         requests in which the rows have terms of their own are added backwards
    zeros        all but the first position add backwards where the first has a zero in its first term
    short        an answer has a number too few
    other        an answer is that of another number of sums
    dies         the program ends in the middle
    huge, zero   the greeting announces 10^9 x 2 results, or none
    word         it says share=columns
    turns        every other sum is added backwards
    runs         answers have runs of equal numbers, or, with these words, runs that are too long or too
                 short for the grid, of no length, or more of them than there are numbers:
                 runs-long, runs-short, runs-empty, runs-many
    fails        the fifth request is answered with the reason why there is no answer; with these words
                 the reason has no text, or too much: fails-empty, fails-long"""
import math
import struct
import sys

LENGTH, how = 6, sys.argv[1]
pipe, out = sys.stdin.buffer, open(1, "wb", 0)
n = int(pipe.readline().split()[2].split(b"=")[1])
rows = {"huge": 1000000000, "zero": 0}.get(how, LENGTH)
share = {"none": "none", "word": "columns"}.get(how, "rows")
copies = b"copies=columns " if how == "apart" else b""
out.write(b"accord 2 binary rows=%d columns=%d share=%s %stest\n" % (rows, n, share.encode(), copies))
requests = sums_so_far = 0


def single(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def add(terms):
    total = terms[0]
    for term in terms[1:]:
        total = single(total + term)
    return total


def results(row, position, first_row, own_rows):
    first = position * n // LENGTH + 1
    terms = [row[(first + k) % n] for k in range(n)]
    if how == "zeros" and position and first_row[0] == 0:
        terms = terms[::-1]
    if how == "turns" and sums_so_far % 2:
        terms = terms[::-1]
    if how == "form" and own_rows:
        terms = terms[::-1]
    all_ranks = [add(terms)] * n
    if how == "rank" or (how == "apart" and own_rows):
        all_ranks[1] = add([row[k] for k in range(n) if k != 1] + [row[1]])
    return all_ranks


def read_sums(sums, writes, form, fill):
    if form:
        for _ in range(sums):
            yield [struct.unpack("<%df" % n, pipe.read(4 * n)) for _ in range(LENGTH if form == 2 else 1)]
        return
    value = struct.unpack("<%dd" % writes, pipe.read(8 * writes))
    index = struct.unpack("<%dI" % writes, pipe.read(4 * writes))
    start = struct.unpack("<%dI" % (sums + 1), pipe.read(4 * sums + 4))
    terms = [fill] * n
    for a, b in zip(start, start[1:]):
        for w in range(a, b):
            terms[index[w]] = value[w]
        yield [tuple(terms)]


def runs_of(numbers):
    runs = []
    for number in numbers:
        if runs and struct.pack("<d", runs[-1][1]) == struct.pack("<d", number):
            runs[-1][0] += 1
        else:
            runs.append([1, number])
    if how == "runs-long":
        runs[-1][0] += 1
    if how == "runs-short":
        runs[-1][0] -= 1
        runs = runs if runs[-1][0] else runs[:-1]
    if how == "runs-empty":
        runs.insert(0, [0, 1.0])
    if how == "runs-many":
        runs = [[1, number] for number in numbers + [0.0]]
    return runs


while head := pipe.read(24):
    _, sums, writes, form, fill = struct.unpack("<4sIIId", head)
    answer = []
    for grid in read_sums(sums, writes, form, fill):
        sums_so_far += 1
        for position in range(LENGTH):
            answer += results(grid[position if form == 2 else 0], position, grid[0], form == 2)
    requests += 1
    if requests == 5 and how.startswith("fails"):
        why = {"fails": b"no memory is left", "fails-empty": b""}.get(how, b"x" * 1000)
        out.write(struct.pack("<4sI", b"acce", len(why)) + why)
        continue
    if requests == 5 and how == "dies":
        sys.exit(3)
    if how == "short":
        answer.pop()
    said = sums + 1 if how == "other" else sums
    if how.startswith("runs"):
        runs = runs_of(answer)
        lengths, values = [run[0] for run in runs], [run[1] for run in runs]
        out.write(struct.pack("<4sII%dI%dd" % (len(runs), len(runs)), b"accr", said, len(runs), *lengths, *values))
        continue
    out.write(struct.pack("<4sI%dd" % len(answer), b"acca", said, *answer))
    if how == "short":
        sys.exit(0)
