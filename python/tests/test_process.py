"""Other processes: the command of the package, python -m accord.serve, a Python without NumPy."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys

import accord
import numpy as np
import pytest

HERE = os.path.dirname(accord.__file__)
COMMAND = os.path.join(HERE, "accord-command")
AROUND = {**os.environ, "ACCORD_PYTHON": sys.executable,
          "PYTHONPATH": os.pathsep.join([os.path.dirname(HERE), os.environ.get("PYTHONPATH", "")])}


def run(*words, **how):
    return subprocess.run(words, capture_output=True, text=True, env=AROUND, **how)


def serve(requests, *words, format_name="f32", n=4):
    hello = f"accord 1 n={n} format={format_name} later=1\n".encode()
    return subprocess.run([sys.executable, "-m", "accord.serve", *words],
                          input=hello + b"".join(requests), capture_output=True, env=AROUND)


def test_serve():
    writes = struct.pack("<4sIIId", b"accq", 2, 3, 0, 1.0) + struct.pack(
        "<3d3I3I", 5.0, 6.0, -1.0, 0, 3, 0, 0, 2, 3)
    rows = struct.pack("<4sIIId", b"accq", 2, 0, 1, 0.0) + struct.pack("<8f", *range(8))
    said = serve([writes, rows], "numpy.sum")
    greeting, _, answers = said.stdout.partition(b"\n")
    assert greeting.startswith(b"accord 1 binary numpy ")
    assert answers == (struct.pack("<4sI2d", b"acca", 2, 13, 7) +
                       struct.pack("<4sI2d", b"acca", 2, 6, 22))
    assert said.returncode == 0 and said.stderr == b""


@pytest.mark.parametrize("program", ["accord", "accord.serve", "accord.serve_collective"])
def test_import_accord_imports_no_program(program):
    """Python warns, on standard error, of a program that the package has imported before it runs."""
    said = subprocess.run([sys.executable, "-m", program, "--help"], capture_output=True, env=AROUND)
    assert b"RuntimeWarning" not in said.stderr


@pytest.mark.parametrize("name, words", [("numpy.nothing", "has no nothing"),
                                         ("nowhere.sum", "no module nowhere"), ("", "is not the name of a callable"),
                                         ("numpy.pi", "cannot be called"),
                                         ("numpy", "cannot be called")])
def test_serve_of_nothing(name, words):
    said = serve([], name)
    assert said.returncode == 1 and words in said.stderr.decode() and said.stdout == b""


def test_serve_of_a_format_that_is_not_there():
    said = serve([], "numpy.sum", format_name="e4m3")
    assert (said.returncode == 0) == ("ml_dtypes" in sys.modules or _has("ml_dtypes"))


def _has(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None


def test_serve_of_what_raises(tmp_path):
    (tmp_path / "bad.py").write_text(
        "def add(x):\n    print('hello', flush=True)\n    return 1 // 0\n")
    hello = b"accord 1 n=4 format=f32\n"
    said = subprocess.run([sys.executable, "-m", "accord.serve", "bad:add"], input=hello,
                          capture_output=True, env=AROUND, cwd=tmp_path)
    assert said.returncode == 1 and said.stdout == b""
    assert b"ZeroDivisionError" in said.stderr and b"hello" in said.stderr


def test_serve_is_not_for_hands():
    said = subprocess.run([sys.executable, "-m", "accord.serve", "numpy.sum"], input=b"hello\n",
                          capture_output=True, env=AROUND)
    assert said.returncode == 1 and b"accord reveal python:" in said.stderr


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not beside the package")
def test_the_command():
    said = run(COMMAND, "reveal", "python:numpy.sum", "-n", "32", "--json")
    assert said.returncode == 0, said.stderr
    order = accord.Order.from_json(said.stdout)
    assert order.text == accord.synthetic("numpy", 32).text
    assert order.fields["target"] == "python:numpy.sum"
    assert order.fields["library_version"].startswith(f"numpy {np.__version__}")
    assert order == accord.reveal(np.sum, n=32)
    half = run(COMMAND, "reveal", "python:numpy.sum", "-n", "9", "--format", "f16", "-O", "text")
    assert half.stdout.strip() == accord.reveal(np.sum, n=9, dtype="float16").text


def test_notations_of_python_are_asked_by_this_interpreter(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere:/usr/bin:/bin")
    monkeypatch.delenv("ACCORD_PYTHON", raising=False)
    monkeypatch.setenv("PYTHONPATH", AROUND["PYTHONPATH"])
    assert accord.reveal("python:numpy.sum", n=32) == accord.reveal(np.sum, n=32)
    with pytest.raises(accord.TargetError, match="/no/such/python"):
        accord.reveal("python:numpy.sum", n=8, python="/no/such/python")


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not beside the package")
def test_the_command_checks_records_of_python(tmp_path):
    record = tmp_path / "sum.json"
    record.write_text(accord.reveal(np.sum, n=50).to_json())
    said = run(COMMAND, "check", "python:numpy.sum", str(record))
    assert said.returncode == 0, said.stderr
    said = run(COMMAND, "check", "python:numpy.prod", str(record))
    assert said.returncode in (1, 3)


@pytest.mark.skipif(not os.path.exists(COMMAND), reason="the command is not beside the package")
@pytest.mark.parametrize("words, status, text", [
    (["python:numpy.nothing", "-n", "8"], 4, "has no nothing"),
    (["python:numpy.sum", "-n", "8", "--python", "/no/such/python"], 4, "/no/such/python"),
    (["python:", "-n", "8"], 2, "python:MODULE.ATTR"),
    (["python:numpy.sum;rm", "-n", "8"], 2, "python:numpy.sum;rm"),
    (["python:numpy.sum", "-n", "8", "--shape", "2x8"], 2, "shape"),
    (["python:math.fsum", "-n", "8", "--format", "f64"], 3, "exact"),
])
def test_the_command_says_what_is_wrong(words, status, text):
    said = run(COMMAND, "reveal", *words)
    assert said.returncode == status and text in said.stderr + said.stdout


def test_foreign_functions():
    order = accord.reveal("synthetic:pairwise", n=8)
    assert order.proven
    try:
        found = accord.reveal("blas:sdot", n=8)
    except accord.TargetError as error:
        pytest.skip(str(error))
    assert found.model.term == "product"


WITHOUT = """
import sys
sys.modules["numpy"] = None
import accord
from functools import reduce  # sum() compensates from CPython 3.12 on
from operator import add
order = accord.reveal(lambda x: reduce(add, x), n=6)
assert order.text == "(((((0+1)+2)+3)+4)+5)", order.text
assert order.replay([1.0] * 6) == 6.0 and order.replay([[1.0] * 6] * 2) == [6.0, 6.0]
assert accord.sum([0.1] * 10) == 1.0 and accord.dot([1.0], [2.0]) == 2.0
assert accord.fsum([0.1] * 10) == 1.0
found = accord.map(accord.axis(lambda a: [r[0] + r[1] for r in a.tolist()], 1, None), shape=(2, 2))
assert found.class_of == [[0], [0]]
product = accord.gemm(lambda a, b: [[reduce(add, (x * y for x, y in zip(r, c)))
                                        for c in zip(*b)] for r in a])
order = accord.reveal(product, shape=(2, 3, 4), dtype="float64", array="list")
print(order.pattern)
for dtype in ("float16", "bfloat16"):
    try:
        accord.reveal(sum, n=3, dtype=dtype)
    except accord.UnsupportedError as error:
        assert "pip install numpy" in str(error)
    else:
        raise AssertionError(dtype)
"""


def test_without_numpy():
    said = run(sys.executable, "-c", WITHOUT)
    assert said.returncode == 0, said.stderr
    assert said.stdout.strip() == "sequential"


def test_numpy_is_not_imported_before_it_is_needed():
    said = run(sys.executable, "-c", "import sys, accord; print('numpy' in sys.modules)")
    assert said.stdout.strip() == "False", said.stderr


def test_importing_twice():
    """The module has no state of its own that outlives it."""
    code = ("import sys, accord\n"
            "for name in [m for m in sys.modules if m.startswith('accord')]: del sys.modules[name]\n"
            "import accord as again\n"
            "assert again.reveal('synthetic:pairwise', n=4).text == '((0+1)+(2+3))'\n"
            "try: again.reveal('x', n=4)\n"
            "except again.ArgumentError: print('fine')\n")
    assert run(sys.executable, "-c", code).stdout == "fine\n"


# ---- workers that come along ----


@pytest.mark.skipif(not any(name.startswith("accord-mpi-worker") for name in os.listdir(HERE)),
                    reason="the package was built without MPI")
def test_ranks_of_mpi():
    assert accord.reveal("mpi:allreduce", 2).text == "(0+1)"


@pytest.mark.skipif(not os.path.exists(os.path.join(HERE, "accord-opencl-worker")),
                    reason="the package was built without OpenCL's headers")
def test_kernel_of_opencl(tmp_path):
    kernel = tmp_path / "sum.cl"
    kernel.write_text("""__kernel void sum(__global const float *x, uint n, __global float *out)
{
    float s = 0;
    for (uint i = 0; i < n; i++)
        s += x[i];
    out[0] = s;
}
""")
    try:
        order = accord.reveal(f"opencl:{kernel}:sum", 9)
    except (accord.UnsupportedError, accord.TargetError) as error:
        if "finds no device" not in str(error) and "libOpenCL" not in str(error):
            raise
        pytest.skip(str(error))
    assert order.pattern == "sequential"
