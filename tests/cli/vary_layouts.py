"""vary_layouts.py ACCORD: the files in the layouts of test_reduce, read back.

Every figure of accord vary --output csv is computed here once more, from the definitions in
accord/methods.h alone: the numbers by a Mersenne twister, the blocks, the last stages, and (result -
reference) / reference. Python's floats are the doubles of IEEE 754, so all of it must be the same to
the last digit. The orders of arrival are those that --mapping shows for the same seed."""
import csv
import json
import statistics
import subprocess
import sys
import time

ACCORD = sys.argv[1]
SEED = 0x1234567


def ask(*words):
    """What the command prints; 1 is its status if results differ."""
    done = subprocess.run([ACCORD, "vary", *words, "-q"], capture_output=True, text=True)
    assert done.returncode in (0, 1) and not done.stderr, (words, done.returncode, done.stderr)
    return done.stdout


def rows_of(*words):
    text = ask(*words, "--output", "csv")
    assert text.endswith("\n") and "\r" not in text and " " not in text
    return list(csv.reader(text.splitlines()))


def json_of(*words):
    return json.loads(ask(*words, "--json"))


# ---- inputs ----


def twister(seed):
    word = [seed]
    for i in range(1, 624):
        word.append((1812433253 * (word[-1] ^ word[-1] >> 30) + i) & 0xFFFFFFFF)
    while True:
        for i in range(624):
            y = word[i] & 0x80000000 | word[(i + 1) % 624] & 0x7FFFFFFF
            word[i] = word[(i + 397) % 624] ^ y >> 1 ^ (0x9908B0DF if y & 1 else 0)
        for y in word:
            y ^= y >> 11
            y ^= y << 7 & 0x9D2C5680
            y ^= y << 15 & 0xEFC60000
            yield y ^ y >> 18


def uniform(n, amplitude, center):
    words = twister(SEED)
    draw = lambda: ((next(words) >> 5 << 26 | next(words) >> 6) + 1) * 2.0 ** -53
    return [amplitude * (draw() - center) for _ in range(n)]


# ---- methods ----


def block_sum(x, block, first, step):
    """Of the threads of one block, which then add theirs pairwise."""
    own = [0.0] * block
    for start in range(first, len(x), step):
        for t in range(block):
            for i in (start + t, start + t + block):
                if i < len(x):
                    own[t] += x[i]
    offset = block // 2
    while offset:
        for t in range(offset):
            own[t] += own[t + offset]
        offset //= 2
    return own[0]


def parts_of(x, block, grid=None):
    count = -(-len(x) // (2 * block))
    count = min(grid, count) if grid else count
    return [block_sum(x, block, 2 * block * b, 2 * block * count) for b in range(count)]


def pairwise(x, block, grid=None):
    """SPTR, the reference: the parts as the terms of one block."""
    part = parts_of(x, block, grid)
    return block_sum(part, block, 0, 2 * block)


def one_by_one(part, arrival):
    total = 0.0
    for i in arrival:
        total += part[i]
    return total


def figure(result, reference):
    return "%.16e" % (0.0 if result == reference else (result - reference) / reference)


# ---- the layouts ----


def turns_of(method, n, runs, block, *words):
    """The rows of --mapping, each of them all parts; they are the same as JSON."""
    words = ("--mapping", "--method", method, "-n", str(n), "--block", str(block), "--runs",
             str(runs), "--device", "simulation", "--seed", hex(SEED), *words)
    turns = [[int(cell) for cell in row] for row in rows_of(*words)]
    found = json_of(*words)
    assert found["turns"] == turns and len(turns) == runs and found["n"] == n
    assert all(sorted(row) == list(range(found["parts"])) for row in turns)
    return turns


def wanted_row(head, method, x, runs, block, *words, grid=None):
    part = x if method == "AO" else parts_of(x, block, grid)
    reference = pairwise(x, block, grid)
    turns = turns_of(method, len(x), runs, block, *words)
    results = [one_by_one(part, arrival) for arrival in turns]
    return [str(head), *(figure(each, reference) for each in results)], results, reference


def check_json(row, results, reference):
    assert [float.fromhex(each) for each in row["results"]] == results
    assert [float.fromhex(each) for each in row["reference"]] == [reference]
    assert row["max_vs"] == max(abs(1 - abs(each / reference)) for each in results)
    assert row["distinct"] == len(set(results))


def lengths(method, block, amplitude, center, *words):
    """N,%.16e,...: a row for each length."""
    x = uniform(2000, amplitude, center)
    asked = ("--method", method, "-S", "30", "--min_reduction_size", "10", "--max_reduction_size",
             "2000", "--distribution_amplitude", str(amplitude), "--distribution_center", str(center), "-r", hex(SEED),
             "--block", str(block), *words)
    draw = ("--distribution_amplitude", str(amplitude), "--distribution_center", str(center))
    found, said = rows_of(*asked), json_of(*asked)
    assert [row["n"] for row in said["rows"]] == [10, 100, 1000, 2000] and len(found) == 4
    for row, one in zip(found, said["rows"]):
        wanted, results, reference = wanted_row(one["n"], method, x[:one["n"]], 30, block, *draw, *words)
        assert row == wanted, (row, wanted)
        check_json(one, results, reference)
    assert len({cell for row in found for cell in row[1:]}) > 1  # some results differ


def grids():
    """One length and several grids: a row for each number of atomic additions."""
    x, sizes = uniform(6000, 10, 0), (1, 3, 8, 47, 60)
    asked = ("--method", "SPA", "-n", "6000", "--block", "64", "--grid", ",".join(map(str, sizes)),
             "--runs", "25", "--seed", hex(SEED))
    found, said = rows_of(*asked), json_of(*asked)["rows"]
    assert [row[0] for row in found] == ["1", "3", "8", "47", "47"]  # 47 blocks suffice
    for grid, row, one in zip(sizes, found, said):
        wanted, results, reference = wanted_row(row[0], "SPA", x, 25, 64, "--grid", str(grid), grid=grid)
        assert row == wanted and one["parts"] == int(row[0]), (row, wanted)
        check_json(one, results, reference)


def several_arrays(path):
    """Run s is one of array s modulo the number of arrays; fixed orders give zeros."""
    x = uniform(900, 10, .5)
    with open(path, "w") as file:
        file.writelines(",".join(map(repr, x[i:i + 300])) + "\n" for i in (0, 300, 600))
    asked = ("--method", "TPRC", "--inputs", path, "--runs", "7")
    (row,), (one,) = rows_of(*asked), json_of(*asked)["rows"]
    arrays = [x[i:i + 300] for i in (0, 300, 600)]
    results = [one_by_one(part, range(len(part))) for part in (parts_of(each, 64) for each in arrays)]
    references = [pairwise(each, 64) for each in arrays]
    assert row == ["300", *(figure(results[s % 3], references[s % 3]) for s in range(7))]
    assert [float.fromhex(each) for each in one["results"]] == [results[s % 3] for s in range(7)]
    assert [float.fromhex(each) for each in one["reference"]] == references


def times():
    """name,block,grid,mean,deviation; times of two runs differ, so that the figures of JSON are
    checked by its times, and those of the file by the time that all of it took."""
    asked = ("--performance", "--method", "SPTR,SPA,AO", "-n", "20000", "--block", "64,128", "--grid",
             "4,16", "--runs", "5", "--arrays", "3", "--threads", "2")
    begin = time.monotonic()
    found = rows_of(*asked)
    elapsed = time.monotonic() - begin
    names = {"SPTR": "single_pass_gpu_shared", "SPA": "single_pass_gpu_shared_atomic", "AO": "atomic_only"}
    said = json_of(*asked)["rows"]
    assert [row[:3] for row in found] == [
        [names[one["method"]], str(one["block"]), str(one["grid"])] for one in said]
    assert len(found) == 2 * 2 * 2 + 1  # atomic_only has no blocks
    for row in found:
        assert all(len(cell.partition(".")[2]) == 15 for cell in row[3:]) and len(row) == 5
        assert float(row[3]) > 0 and float(row[4]) <= float(row[3]) * 5 ** .5
    assert sum(5 * float(row[3]) for row in found) < elapsed
    fastest = min(one["seconds"] for one in said)
    for one in said:
        near = lambda a, b: abs(a - b) <= 1e-9 * abs(b) + 1e-15
        assert len(one["times"]) == 5 and near(one["seconds"], statistics.fmean(one["times"]))
        assert near(one["deviation"], statistics.stdev(one["times"]))
        assert near(one["penalty_percent"], 100 * (one["seconds"] / fastest - 1))


def once():
    """One repeat has no deviation."""
    (row,) = rows_of("--performance", "--method", "SPTR", "-n", "100", "--block", "64", "--grid", "1",
                     "--runs", "1", "--threads", "1")
    assert row[4] == "0.000000000000000" and float(row[3]) > 0


lengths("AO", 64, 10.0, 0.0)
lengths("SPA", 128, 3.0, 0.5)
lengths("SPA", 64, 10.0, 0.0, "--schedule", "waves:5,2")
grids()
several_arrays("rows.csv")
times()
once()
