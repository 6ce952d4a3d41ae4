"""Exact sums on OpenCL devices: the bits of the CPU. Skipped where there is no device."""

from __future__ import annotations

import array
import math
import os
import re
import subprocess
import sys
import threading

import accord
import numpy as np
import pytest

LIBRARY = "src/opencl/libaccord_opencl.so.1"  # where the tests of a build run
if "ACCORD_OPENCL_LIBRARY" not in os.environ and os.path.exists(LIBRARY):
    os.environ["ACCORD_OPENCL_LIBRARY"] = os.path.abspath(LIBRARY)


@pytest.fixture
def device():
    try:
        accord.sum([1.0], device="opencl")
    except accord.UnsupportedError as why:
        pytest.skip(str(why))
    return "opencl"


def same(a, b):
    return math.isnan(a) and math.isnan(b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_of_the_cpu(device, dtype):
    generator = np.random.default_rng(7)
    span = 150 if dtype == "float64" else 15
    for n in (0, 1, 2, 63, 1000, 4097, 100000):
        x, y = (generator.standard_normal(n) * 10.0 ** generator.uniform(-span, span, n)
                for _ in range(2))
        x, y = x.astype(dtype), y.astype(dtype)
        for rounding in ("nearest", "zero", "down", "up", "away"):
            assert same(accord.sum(x, device=device, rounding=rounding),
                        accord.sum(x, rounding=rounding))
            assert same(accord.dot(x, y, device=device, rounding=rounding),
                        accord.dot(x, y, rounding=rounding))
        assert accord.sum(x, device=device, dtype="float32") == accord.sum(x, dtype="float32")


@pytest.mark.parametrize("x", [[1e308, 1e308, -1e308], [math.inf, 1.0], [math.inf, -math.inf],
                               [math.nan, 1.0], [-0.0, -0.0], [0.0, -0.0], [5e-324, 5e-324], []])
def test_special_values(device, x):
    assert same(accord.sum(x, device=device), accord.sum(x))


def test_any_layout(device):
    x = np.random.default_rng(3).standard_normal((30, 50)) * 1e20
    for view in (x, x.T, x[::2, ::-3], np.ma.array(x, mask=x > 1e20), x.ravel().tolist(),
                 array.array("d", x.ravel().tolist())):
        assert accord.sum(view, device=device) == accord.sum(view)
    assert accord.dot(x[:, 1], x[:, 2], device=device) == accord.dot(x[:, 1], x[:, 2])


def test_threads_take_turns(device):
    x, found = np.random.default_rng(5).standard_normal(20000) * 1e30, []
    workers = [threading.Thread(target=lambda: found.append(accord.sum(x, device=device)))
               for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [accord.sum(x)] * 4


def test_refused(device):
    with pytest.raises(accord.ArgumentError, match="no OpenCL device 77.*0 is "):
        accord.sum([1.0], device="opencl:77")
    for x in (np.ones(3, "float16"), np.ones(3, "int32"), [2**60 + 1], [1j], iter([1.0])):
        with pytest.raises(accord.ArgumentError, match="float64 or float32"):
            accord.sum(x, device=device)
    with pytest.raises(accord.ArgumentError, match="leave axis out"):
        accord.sum([[1.0]], axis=0, device=device)
    with pytest.raises(accord.ArgumentError, match="leave threads out"):
        accord.sum([1.0], threads=2, device=device)
    with pytest.raises(accord.ArgumentError, match="equally many"):
        accord.dot([1.0], [1.0, 2.0], device=device)
    with pytest.raises(accord.ArgumentError, match="equally many"):
        accord.dot(np.ones(2, "float32"), np.ones(2), device=device)
    with pytest.raises(accord.ArgumentError, match="float32, float16"):
        accord.sum([1.0], dtype="int32", device=device)


def test_names():
    for name in ("gpu", "opencl:", "openclx"):
        with pytest.raises(accord.ArgumentError, match="no device"):
            accord.sum([1.0], device=name)
    with pytest.raises(accord.ArgumentError, match="is not a name"):
        accord.sum([1.0], device=3)


@pytest.mark.parametrize("around, text", [
    ({"ACCORD_OPENCL_LIBRARY": "/no/such/library.so"}, "cannot be opened"),
    ({"OCL_ICD_VENDORS": "/no/such/folder"}, "OpenCL finds no device|there is no lib")])
def test_nothing_there(around, text):
    program = ("import accord, sys\n"
               "try:\n    accord.sum([1.0], device='opencl')\n"
               "except accord.UnsupportedError as why:\n    sys.exit(f'refused: {why}')\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, **around})
    assert done.returncode == 1
    assert re.search("refused: .*(" + text + ")", done.stderr), done.stderr
