"""Products that share block scales: callables, functions in shared objects, features and replays."""

from __future__ import annotations

import os
import shutil
import subprocess

import accord
import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes")

EXAMPLE = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "scaled_dot.c")
FORMATS = [("float8_e4m3fn", 32, "e8m0"), ("float8_e5m2", 32, "float8_e8m0fnu"),
           ("float6_e3m2fn", 32, "e8m0"), ("float6_e2m3fn", 32, "e8m0"),
           ("float4_e2m1fn", 32, "e8m0"), ("float4_e2m1fn", 16, "ue4m3")]


def blocks_in_turn(share, fold=lambda sums: sum(sums[1:], sums[0])):
    """Each block is added exactly, scaled and rounded to float32, and so is each sum of blocks."""
    def scaled(x, y, scale_x, scale_y):
        blocks = (x.astype("f8") * y.astype("f8")).reshape(-1, share).sum(axis=1)
        return np.float32(fold((blocks * scale_x.astype("f8") * scale_y.astype("f8")).astype("f4")))
    return scaled


def draw(rng, dtype, share, scale, n):
    """Any finite elements, and scales that are powers of two."""
    small = rng.integers(0, 256, (2, n), dtype=np.uint8)
    bits = {"float6_e3m2fn": 6, "float6_e2m3fn": 6, "float4_e2m1fn": 4}.get(dtype, 8)
    elements = (small & (1 << bits) - 1).view(getattr(ml_dtypes, dtype))
    elements[~np.isfinite(elements.astype("f4"))] = 1
    powers = np.exp2(rng.integers(-6, 8, (2, n // share)))
    kind = ml_dtypes.float8_e4m3fn if scale == "ue4m3" else ml_dtypes.float8_e8m0fnu
    return *elements, *powers.astype(kind)


@pytest.mark.parametrize("dtype, share, scale", FORMATS)
def test_order_and_replay(dtype, share, scale):
    function = blocks_in_turn(share)
    order = accord.reveal(accord.scaled_dot(function, share, scale), 128, dtype)
    assert order.notation == f"128: fuse in {share}s; chain"
    assert not order.proven and order.model.input == dtype
    rng = np.random.default_rng(0)
    rows = [draw(rng, dtype, share, scale, 128) for _ in range(100)]
    x, y, scale_x, scale_y = (np.array(each) for each in zip(*rows))
    due = [function(*row) for row in rows]
    again = accord.Order.from_json(order.to_json())
    assert np.array_equal(again.replay(x, y, scale_x=scale_x, scale_y=scale_y), due)
    assert again.replay(x[0], y[0], scale_x=scale_x[0], scale_y=scale_y[0]) == due[0]
    ones = np.ones_like(scale_x)
    assert np.array_equal(again.replay(x, y, scale_y=scale_y),
                          again.replay(x, y, scale_x=ones, scale_y=scale_y))


def test_another_order_is_found():
    def halves(sums):
        return sums[0] if len(sums) == 1 else halves(sums[:len(sums) // 2] + sums[len(sums) // 2:])

    order = accord.reveal(accord.scaled_dot(blocks_in_turn(32, halves)), 256, "float4_e2m1fn")
    assert order.notation == "256: fuse in 32s; halves"


@pytest.mark.parametrize("machine, dtype, share, scale, n", [
    ("blackwell-mxe4m3", "e4m3", 32, "e8m0", 96), ("blackwell-nvf4", "e2m1", 16, "ue4m3", 128)])
def test_features(machine, dtype, share, scale, n):
    """A machine in Python is found blind."""
    inside = accord.synthetic(machine, n)

    def dot(x, y, scale_x, scale_y):
        return inside.replay(x, y, scale_x=scale_x, scale_y=scale_y)

    found = accord.features(accord.scaled_dot(dot, share, scale), n, dtype, output="float32")
    assert machine in found.machines
    values = {each.name: each.value for each in found.machine}
    assert (values["scale"], values["scale_block"]) == (scale, share)


def test_what_does_not_fit():
    function = blocks_in_turn(32)
    with pytest.raises(accord.ArgumentError, match="share no scales: choose e4m3"):
        accord.reveal(accord.scaled_dot(function), 64)
    with pytest.raises(accord.ArgumentError, match="at least 2"):
        accord.scaled_dot(function, 1)
    with pytest.raises(accord.ArgumentError, match="e8m0 or ue4m3"):
        accord.scaled_dot(function, 32, "float32")
    with pytest.raises(accord.ArgumentError, match="2 to 16 products may share scales, not 32"):
        accord.reveal(accord.scaled_dot(function), 16, "e2m1")
    with pytest.raises(accord.ArgumentError, match="a multiple of 32"):
        accord.reveal(accord.scaled_dot(lambda *operands: np.float32(0)), 48, "e2m1")
    with pytest.raises(accord.ArgumentError, match="scales that they share"):
        accord.reveal(np.sum, 32, "e2m1")
    with pytest.raises(accord.UnsupportedError, match="need NumPy"):
        accord.reveal(accord.scaled_dot(function), 64, "e2m1", array="list")


def test_scales_of_replays():
    order = accord.synthetic("blackwell-mxe2m1", 64)
    ones = np.ones(64)
    assert order.replay(ones, ones, scale_x=[1, 2], scale_y=[4, 8]) == 32 * (4 + 16)
    with pytest.raises(accord.ArgumentError, match="scale_x has 3 numbers, but there are 2 blocks"):
        order.replay(ones, ones, scale_x=[1, 2, 4])
    with pytest.raises(accord.ArgumentError, match="number 1 of scale_y, 3, is not one of e8m0"):
        order.replay(ones, ones, scale_y=[1, 3])
    with pytest.raises(accord.ArgumentError, match="share no scales: leave scale_x out"):
        accord.synthetic("hopper-f16", 64).replay(ones, ones, scale_x=[1, 2])


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_function_in_a_shared_object(tmp_path):
    library = tmp_path / "scaled_dot.so"
    subprocess.run(["cc", "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", library, EXAMPLE,
                    "-lm"], check=True)
    target = f"so:{library}:scaled_dot"
    order = accord.reveal(target, 128, "e4m3", signature="scaled-dot:encoded", scale_block=32,
                          scale="e8m0")
    assert order.notation == "128: fuse in 32s; halves"
    with pytest.raises(accord.ArgumentError, match="e8m0 or ue4m3, not of f32"):
        accord.reveal(target, 128, "e4m3", signature="scaled-dot:encoded", scale_block=32,
                      scale="f32")
    with pytest.raises(accord.ArgumentError, match="may share scales, not 0"):
        accord.reveal(target, 128, "e4m3", signature="scaled-dot:encoded")


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float4_e2m1fn"])
def test_tensors(dtype):
    """Of PyTorch, which holds two elements of 4 bits in a byte."""
    torch = pytest.importorskip("torch")
    values = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6, 0, -.5, -1, -1.5, -2, -3, -4, -6])

    def wide(x):
        if x.dtype == torch.float8_e4m3fn:
            return x.double()
        codes = x.view(torch.uint8).int()
        return values[torch.stack([codes & 15, codes >> 4], -1).flatten()].double()

    def dot(x, y, scale_x, scale_y):
        blocks = (wide(x) * wide(y)).reshape(-1, 32).sum(1) * scale_x.double() * scale_y.double()
        rounded = blocks.float()
        return sum(rounded[1:], rounded[0])

    order = accord.reveal(accord.scaled_dot(dot), 96, dtype, array="torch")
    assert order.notation == "96: fuse in 32s; chain"
