"""Collective operations of torch.distributed, asked with real ranks over Gloo."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pathlib
import sys
import time

import pytest

import accord
from conftest import slow

# The process that asks imports no torch.
if not importlib.util.find_spec("torch"):
    pytest.skip("there is no torch", allow_module_level=True)

np = pytest.importorskip("numpy")

QUICK = {"replays": 32, "certificate": False}  # tries neither first calls nor late ranks

OWN = """
import os, signal, time
import torch.distributed as dist

calls = 0

def disagree(x):  # rank 1 adds from the other end
    parts = [x.new_empty(x.shape) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    if dist.get_rank() == 1:
        parts.reverse()
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total

def later():
    global calls
    calls += 1
    return calls > 5 and dist.get_rank() == 1

def die(x):
    if later():
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(x)

def hang(x):
    if later():
        time.sleep(100)
    dist.all_reduce(x)

def wrong(x):
    if later():
        raise ValueError("no sum today")
    dist.all_reduce(x)

def longer(x):
    return x.repeat(2)

def cold(x):  # another order in the first three calls
    global calls
    calls += 1
    parts = [x.new_empty(x.shape) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    order = list(reversed(parts)) if calls <= 3 else parts
    total = order[0]
    for part in order[1:]:
        total = total + part
    x.copy_(total)

def arrival(x):  # rank 0 adds what comes, in the order in which it comes
    if dist.get_rank():
        dist.send(x, 0)
    else:
        part = x.new_empty(x.shape)
        for _ in range(dist.get_world_size() - 1):
            dist.recv(part)
            x += part
    dist.broadcast(x, 0)
"""


@pytest.fixture(scope="module", autouse=True)
def own_ranks(tmp_path_factory):
    """The module is there for all, so that torch is imported once: ranks are forked for an environment."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_ranks.py").write_text(OWN)
    with pytest.MonkeyPatch.context() as patch:
        before = os.environ.get("PYTHONPATH")
        patch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{before}" if before else str(folder))
        yield


def strays() -> list[str]:
    """Conductors and ranks. They are forked from the process that imported torch for this environment,
    which no other process has that tests at the same time."""
    own = f"PYTHONPATH={os.environ['PYTHONPATH']}".encode()
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile, or is another user's
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if parent != os.getpid() and own in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
    return found


def nothing_is_left(tmp_path, others) -> bool:
    """No process but those that were there, once they had time to end, and no file."""
    for _ in range(50):
        if len(strays()) <= len(others):
            break
        time.sleep(0.1)
    return len(strays()) <= len(others) and not list(tmp_path.glob("accord-*"))


def ring(world: int, block: int) -> str:
    """Gloo's: a block begins at the rank before it and goes down to it."""
    text = str((block - 1) % world)
    for k in range(2, world + 1):
        text = f"({text}+{(block - k) % world})"
    return accord.Order.from_text(text).text


@pytest.mark.parametrize("world", [3, pytest.param(6, marks=slow)])
def test_one_element_is_added_from_the_last_rank(world):
    found = accord.collective("all_reduce", world, **QUICK)
    assert found.agree and found.uniform
    assert found.map.shape == (1, world)
    assert found.order(0, world - 1).text == ring(world, 0)


def test_the_blocks_of_gloos_ring_show():
    found = accord.collective("all_reduce", 4, length=20, **QUICK)
    assert {each.order.text for each in found.classes} == {ring(4, block) for block in range(4)}
    assert found.agree and not found.uniform
    assert found.order(0).text == ring(4, 0) != found.order(19).text
    assert "order 4:" in str(found) and "all ranks have the same" in str(found)


@pytest.mark.parametrize("dtype", ["bfloat16", pytest.param("float64", marks=slow)])
def test_each_hop_rounds(dtype):
    found = accord.collective("all_reduce", 3, dtype=dtype, replays=32, circumstances=False)
    order = found.order()
    assert order.text == ring(3, 0)
    assert order.model.words == {"bfloat16": "bf16 to nearest", "float64": "f64 to nearest"}[dtype]
    assert order.counts["replays"] and order.counts["replays"] == order.counts["replays_agreed"]


def test_only_the_root_of_a_reduce_has_a_result():
    found = accord.collective("reduce", 4, root=2, **QUICK)
    assert found.order().text == ring(4, 0)
    assert found.order(0, 2) == found.order()
    with pytest.raises(accord.ArgumentError, match="rank 2 has it"):
        found.order(0, 1)


def test_parts_of_a_reduce_scatter():
    found = accord.collective("reduce_scatter_tensor", 4, length=2, **QUICK)
    assert found.map.shape == (8, 1)
    assert [found.order(p, p // 2).text for p in range(8)] == [ring(4, p // 2) for p in range(8)]
    with pytest.raises(accord.ArgumentError, match="rank 3 has it"):
        found.order(7, 0)


@pytest.mark.parametrize("world, dtype, length, blocks", [
    (2, "float16", 1, [0]), (3, "bfloat16", 3, [0, 0, 1]), (8, "float64", 1, [0])])
def test_each_part_of_the_list_form_has_a_ring_of_its_own(world, dtype, length, blocks):
    """Gloo cuts each part into 2 × world segments of at least an element, two of them a block."""
    found = accord.collective("reduce_scatter", world, dtype=dtype, length=length, **QUICK)
    assert found.map.shape == (length * world, 1)
    assert [found.order(p).text for p in range(length * world)] == [ring(world, b) for b in blocks * world]


@pytest.mark.parametrize("world", [4, 5])
def test_short_parts_share_a_block_of_the_ring(world):
    """Here it is the whole vector that is cut."""
    found = accord.collective("reduce_scatter_tensor", world, **QUICK)
    assert [found.order(rank).text for rank in range(world)] == [ring(world, rank // 2) for rank in range(world)]


def test_first_calls_and_late_ranks_are_tried():
    found = accord.collective("reduce", 3, dtype="float16", replays=32)
    assert found.order().text == ring(3, 0)
    assert [held.partition(" (")[0] for held in found.circumstances] == [
        "in the first calls of a new run", "with ranks that come up to 2 ms late"]
    assert not found.warnings and "late (64 calls)" in str(found)


def test_another_order_of_the_first_calls_is_a_warning():
    found = accord.collective("own_ranks.cold", 3, length=4, circumstances=True, **QUICK)
    assert found.order().text == "((0+1)+2)"
    assert "does not hold in the first calls" in found.warnings[0] and found.warnings[0] in str(found)
    assert len(found.circumstances) == 1


def test_an_order_of_arrival_is_no_order():
    with pytest.raises(accord.NondeterministicError, match="depends on when the ranks arrive") as caught:
        accord.collective("own_ranks.arrival", 4, length=4, circumstances=True, **QUICK)
    assert caught.value.reason == "nondeterministic"


def test_ranks_that_disagree_are_named():
    found = accord.collective("own_ranks.disagree", 3, length=2, **QUICK)
    assert not found and not found.agree
    assert found.differing == {0: [1], 1: [1]}
    assert found.order(0, 0).text == "((0+1)+2)"
    assert found.order(0, 1).text == accord.Order.from_text("((2+1)+0)").text
    assert "not as rank 0: 1" in str(found)


@pytest.mark.parametrize("function, said", [
    ("die", r"rank 1 was ended by signal 9 \(SIGKILL\)"),
    ("hang", r"rank 1 gave no answer|ranks .*1.* gave no answer"),
    ("wrong", "rank 1: ValueError: no sum today"),
    ("longer", "rank 0 returned 2 numbers, not 1"),
])
def test_what_goes_wrong_names_the_rank(tmp_path, monkeypatch, function, said):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    others = strays()
    with pytest.raises(accord.TargetError, match=said):
        # Only what hangs waits for the limit, in which ranks have to start.
        accord.collective(f"own_ranks.{function}", 3, timeout=10 if function == "hang" else 120, **QUICK)
    assert nothing_is_left(tmp_path, others)


@pytest.mark.parametrize("words, said", [
    ({"backend": "none-such"}, "no backend none-such"),
    ({"root": 7}, "root 7 is not a rank"),
    ({"dtype": "float8_e4m3fn"}, "not e4m3"),
])
def test_what_cannot_start_says_why(words, said):
    with pytest.raises(accord.TargetError, match=said):
        accord.collective("reduce", 2, **{**QUICK, **words})


@slow  # it imports torch anew
def test_the_program_alone_is_a_target():
    own = f"command:{sys.executable} -m accord.serve_collective reduce --circumstances"
    assert accord.reveal(own, n=3, timeout=300, **QUICK).text == ring(3, 0)


@pytest.mark.parametrize("words, said", [
    ({"world": 1}, "at least 2"),
    ({"operation": "all_reduc"}, "no operation 'all_reduc': give all_reduce, reduce, "),
    ({"length": 0}, "length=0: give a number of positions of at least 1"),
    ({"length": 1.5}, "length=1.5"),
])
def test_wrong_arguments_start_nothing(words, said):
    with pytest.raises(accord.ArgumentError, match=said):
        accord.collective(**{"operation": "all_reduce", "world": 2, **words})
