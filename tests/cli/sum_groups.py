#!/usr/bin/env python3
"""sum_groups.py ACCORD FOLDER: many keys, whose sums are compared with those of whole numbers,
in every number of threads; zeros, numbers far apart and numbers that are not finite; and the memory of
a key."""
import csv
import json
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import trials  # noqa: E402

accord, folder = sys.argv[1:]
random.seed(trials.SEED)


def run(*words):
    done = subprocess.run([accord, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


# A process begins with the memory of the one that starts it as its maximum, so a small one starts it.
MEASURE = """import os, resource, sys
status = os.spawnv(os.P_WAIT, sys.argv[1], sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)"""


def memory(*words):
    """The kilobytes that the command needs at most."""
    done = subprocess.run([sys.executable, "-IS", "-c", MEASURE, accord, *words, "-o", os.devnull],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return int(done.stdout)


def number():
    kind = random.random()
    if kind < 0.1:
        return random.choice(["0", "-0.0"])
    if kind < 0.2:
        return repr(random.uniform(-1, 1) * 10.0 ** random.randint(-300, 300))
    if kind < 0.21:
        return random.choice(["inf", "-inf", "nan"])
    return f"{random.uniform(-999, 999):.2f}"


def sign_of_zero(items):
    return -0.0 if all(math.copysign(1, v) < 0 for v in items) else 0.0


LEAST = 1074  # every f64 is a whole multiple of 2^-LEAST


def multiple(value):
    above, below = value.as_integer_ratio()
    return above << LEAST + 1 - below.bit_length()


def due_of(items, times=1):
    """The sum of the items, each of them so often; division of whole numbers rounds to nearest."""
    odd = [v for v in items if not math.isfinite(v)]
    if odd:
        return math.nan if len(set(map(str, odd))) > 1 else odd[0]
    exact = times * sum(map(multiple, items))
    return exact / (1 << LEAST) if exact else sign_of_zero(items)


def check_sums():
    path, terms = f"{folder}/groups.csv", {}
    with open(path, "w", encoding="utf-8") as file:
        for i in range(trials.trials(150_000)):
            key, text = f"k{random.randrange(trials.trials(20_000))}", number()
            terms.setdefault(key, []).append(float(text))
            file.write(f"{key},{text}\n")
    due = {key: due_of(items) for key, items in terms.items()}
    first = None
    for threads in "1", "2", "7":
        out = run("sum", path, "--column", "2", "--group-by", "1", "--threads", threads, "--json")
        first = first or out
        assert out == first, threads
    groups = json.loads(first)["groups"]
    assert [g["key"] for g in groups] == sorted(due)
    for g in groups:
        expected = due[g["key"]]
        assert g["terms"] == len(terms[g["key"]]), g
        found = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.get(g["sum_hex"])
        found = float.fromhex(g["sum_hex"]) if found is None else found
        assert str(found) == str(expected), (g, expected)
    out = run("sum", path, path, "--column", "2", "--group-by", "1", "--threads", "3", "-O", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [r["key"] for r in rows] == sorted(due)
    for r in rows:
        assert r["sum"] == "nan" and math.isnan(due[r["key"]]) or float(r["sum"]) == due_of(
            terms[r["key"]], 2), r


def check_saved():
    """Parts saved by key have the bytes of the whole; what is damaged is refused."""
    lines = [f"k{random.randrange(300)},{number()}\n" for _ in range(3000)]

    def save(name, rows, *more):
        path = f"{folder}/{name}"
        with open(path + ".csv", "w", encoding="utf-8") as file:
            file.writelines(rows)
        run("sum", path + ".csv", "--column", "2", "--group-by", "1", "--save", path, "-q", *more)
        return path

    whole = save("whole", lines)
    parts = [save("first", lines[1000:], "--threads", "1"), save("second", lines[:1000][::-1])]
    out = run("sum", "--merge", *parts, "--save", f"{folder}/merged", "--json")
    with open(whole, "rb") as a, open(f"{folder}/merged", "rb") as b:
        data = a.read()
        assert data == b.read()
    assert out == run("sum", f"{folder}/whole.csv", "--column", "2", "--group-by", "1", "--json")
    small = save("small", ["a,1\n", "b,-0.0\n", "b,1e300\n"])
    with open(small, "rb") as file:
        data = file.read()
    wrong = [data[:k] for k in range(12, len(data))] + [data + b"0"]
    wrong += [data[:k] + bytes([data[k] ^ 1 << random.randrange(8)]) + data[k + 1:]
              for k in range(8, len(data))]
    for broken in trials.of_table(wrong):
        with open(small, "wb") as file:
            file.write(broken)
        done = subprocess.run([accord, "sum", "--merge", small], capture_output=True, text=True)
        wanted = 3 if broken[8:12] != data[8:12] else 2  # another version
        assert done.returncode == wanted and not done.stdout and "small" in done.stderr, (broken, done)


def check_memory():
    """At most 200 bytes a key, whatever the number of threads and the form of the output."""
    path, keys = f"{folder}/keys.csv", 100_000
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(2):
            file.writelines(f"key{k:07},{number()}\n" for k in range(keys))
    with open(f"{folder}/few.csv", "w", encoding="utf-8") as file:
        file.writelines(f"key{k % 3},{k}\n" for k in range(2 * keys))
    for more in [], ["--threads", "8"], ["--json"], ["-O", "csv"]:
        options = ["--column", "2", "--group-by", "1", *more]
        few = memory("sum", f"{folder}/few.csv", *options)
        each = 1024 * (memory("sum", path, *options) - few) / keys
        assert each <= 200, (more, each)


check_sums()
check_saved()
if "asan" not in os.environ.get("ACCORD_BUILD", "") and "ASAN_OPTIONS" not in os.environ \
        and "TSAN_OPTIONS" not in os.environ:
    check_memory()
