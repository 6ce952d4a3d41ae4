"""sum_forms.py ACCORD FOLDER: sums and dot products of random numbers in every form, on several
threads, from files and pipes, against exact fractions. Prints the first that differ; status 1."""
import json
import math
import os
import random
import struct
import subprocess
import sys
import time
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import trials  # noqa: E402

accord, folder = sys.argv[1:]
folder = os.path.join(folder, "forms")
os.mkdir(folder)
seed = int(os.environ.get("ACCORD_TEST_SEED", time.time()))
print(f"ACCORD_TEST_SEED={seed}")
random.seed(seed)
bad = 0


def npy(type_, values):
    header = f"{{'descr': '{type_}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def pack(code, values):
    return struct.pack(code[0] + str(len(values)) + code[1], *values)


def bf16(values, order):
    bits = [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in values]
    return pack(order + "H", bits)


def held(code, values):
    """The values as the format holds them."""
    if code == "b":
        return [struct.unpack("<f", struct.pack("<HH", 0, b))[0]
                for b, in struct.iter_unpack("<H", bf16(values, "<"))]
    return list(struct.unpack(f"<{len(values)}{code}", pack("<" + code, values)))


def rounded(exact):
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.copysign(math.inf, exact)


def run(words, stdin=None):
    done = subprocess.run([accord] + words + ["--json", "-q"], input=stdin, capture_output=True)
    if done.returncode:
        return done.stderr.decode()
    return float.fromhex(json.loads(done.stdout)["sum_hex"])


def expect(what, words, wanted, stdin=None):
    global bad
    found = run(words, stdin)
    if found != wanted:
        bad += 1
        print(f"{what}: {' '.join(words)}: found {found}, wanted {wanted}")


def uniform(limit):
    return random.uniform(-limit, limit)


def wide(limit):
    return math.ldexp(uniform(1), random.randint(-14, int(math.log2(limit))))


def cancelling(limit):
    return random.choice([limit, -limit, uniform(1), uniform(1e-3)])


LIMITS = {"d": 1e300, "f": 1e30, "e": 60000.0, "b": 1e30}
NAMES = {"d": "f64", "f": "f32", "e": "f16", "b": "bf16"}
NPY = {"d": "f8", "f": "f4", "e": "f2", "b": "V2"}


def write(name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def raw_files(code, values):
    """(name, bytes, options) of all binary forms."""
    for order, endian in (("<", []), (">", ["--big-endian"])):
        data = bf16(values, order) if code == "b" else pack(order + code, values)
        yield f"x.{NAMES[code]}", data, endian
        if code != "b" or order == "<":
            yield "x.npy", npy(order + NPY[code], values) + data, ["--type", "bf16"] * (code == "b")


def text_files(values):
    """(name, text, options, a line that is wrong there)"""
    yield "x.txt", "\n".join(map(repr, values)) + "\n", [], "1 x"
    yield "x.txt", " ".join(f"{x:.25g}" for x in values), [], "0xg "
    yield "x.txt", ",\n".join(x.hex() for x in values), [], "1,,2,"
    yield "x.txt", "".join(f"k{i % 3} {x!r} # {x!r}\n" for i, x in enumerate(values)), \
        ["--column", "2"], "k"
    yield "x.csv", "k,v\r\n" + "".join(f'"k ""{i % 3}""",{x!r}\r\n' for i, x in enumerate(values)), \
        ["--column", "v"], 'k,"1'
    yield "x.csv", "".join(f"{i};{x!r}\n" for i, x in enumerate(values)), ["--column", "2"], "1;2;3"


def both_ways(name, data, words, wanted):
    path = write(name, data)
    for threads in ("1", "3"):
        expect("file", ["sum", path, "--threads", threads] + words, wanted)
    if not name.endswith((".csv", ".npy")):
        words = words + (["--type", name[2:]] if name != "x.txt" else [])
        expect("pipe", ["sum", "-"] + words, wanted, data)


for code, limit in LIMITS.items():
    for fill in (uniform, wide, cancelling):
        values = held(code, [fill(limit) for _ in range(random.choice([1, 2, 7, 1000, 3001]))])
        wanted = rounded(sum(map(Fraction, values)))
        for name, data, words in raw_files(code, values):
            both_ways(name, data, words, wanted)
        if code == "d":
            for name, text, words, _ in text_files(values):
                both_ways(name, text.encode(), words, wanted)
            others = [fill(1e5) for _ in values]
            dot = rounded(sum(Fraction(x) * Fraction(y) for x, y in zip(values, others)))
            first = write("a.f64", pack("<d", values))
            second = write("b.txt", "\n".join(map(repr, others)).encode())
            expect("dot", ["dot", first, second], dot)

# Long enough for several threads; math.fsum is correctly rounded where nothing overflows.
LONG = 1600000 if trials.SCALE >= 1 else 400000
values = [wide(1e15) for _ in range(LONG)]
wanted = math.fsum(values)
path = write("long.f64", pack("<d", values))
for threads in ("1", "2", "5"):
    expect("long", ["sum", path, "--threads", threads], wanted)
whole = [random.randint(-2**26, 2**26) for _ in range(LONG)]
values = [x * 2.0**-20 for x in whole]
path = write("other.f64", pack("<d", values))
for threads in ("1", "3"):
    expect("long dot", ["dot", path, path, "--threads", threads], sum(x * x for x in whole) / 2**40)
values = values[:LONG // 8]
wanted = math.fsum(values)
for name, text, words, wrong in text_files(values):
    path = write(name, text.encode())
    for threads in ("1", "2", "5"):
        expect("long text", ["sum", path, "--threads", threads] + words, wanted)
    at = text.find("\n", random.randrange(len(text)))
    path = write("broken" + name, (text[:at] + "\n" + wrong + text[at:]).encode())
    said = [run(["sum", path, "--threads", threads] + words) for threads in ("1", "5")]
    if said[0] != said[1] or ": line " not in str(said[0]):
        bad += 1
        print(f"no error, or one that depends on threads: {said}")
sys.exit(bad > 0)
