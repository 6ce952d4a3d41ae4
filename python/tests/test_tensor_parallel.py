"""Sharded products over Gloo: what the number of ranks does to their order, and what pins it."""

from __future__ import annotations

import os
import pickle

import pytest

import accord

torch = pytest.importorskip("torch")
pytest.importorskip("torch.distributed")

OWN = """
import torch.distributed as dist

def disagree(x, w):
    y = x @ w
    dist.all_reduce(y)
    return y.flip(0) if dist.get_rank() == 1 else y

def rounded(x, w):  # the last row is another sum with two ranks
    y = x @ w
    dist.all_reduce(y)
    if dist.get_world_size() == 2:
        y[-1] *= 1 + 2**-20
    return y

def wrong(x, w):
    return (x @ w)[:, 1:]
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "own_layers.py").write_text(OWN)
    with pytest.MonkeyPatch.context() as patch:
        before = os.environ.get("PYTHONPATH")
        patch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{before}" if before else str(folder))
        yield


def of_ranks(order: accord.Order, size: int) -> str:
    """The order in which the parts of ranks are added, of an order of all terms."""
    each = order.n // size
    whole = order.text
    for rank in range(size):
        chain = str(rank * each)
        for k in range(rank * each + 1, (rank + 1) * each):
            chain = f"({chain}+{k})"
        assert chain in whole
        whole = whole.replace(chain, f"r{rank}")
    return whole.replace("r", "")


def test_an_all_reduce_depends_on_the_number_of_ranks():
    found = accord.tensor_parallel(shape=(32, 2, 16), sizes=(1, 2, 4), replays=20, inputs=5)
    assert not found and not found.same and found.verdict == "differs"
    assert list(found.orders) == [1, 2, 4] and found.groups == [[1], [2], [4]]
    assert found.orders[1].text == accord.synthetic("sequential", 16).text
    assert of_ranks(found.orders[2], 2) == "(0+1)"
    assert of_ranks(found.orders[4], 4) == "(0+(1+(2+3)))"  # Gloo's ring, at the first element
    assert set(found.other_inputs.values()) == {5}
    seen = found.differences[2].witness
    assert (seen.a, seen.b) == (seen.asked_a, seen.asked_b) and seen.a != seen.b
    assert "not the same: 1 | 2 | 4 ranks" in str(found) and "The first difference" in str(found)


PINNED = "(((0+1)+(2+3))+((4+5)+(6+7)))"


def test_fixed_chunks_have_one_order_for_any_number_of_ranks():
    found = accord.tensor_parallel("fixed_chunks", shape=(32, 2, 16), inputs=10, replays=20)
    assert found and found.groups == [[1, 2, 4, 8]], str(found)
    assert set(found.other_inputs) == {2, 4, 8} and not any(found.other_inputs.values())
    orders = list(found.orders.values())
    assert len({order.model.fingerprint for order in orders}) == 1
    assert of_ranks(orders[0], 8) == PINNED
    for order in orders:
        assert order.counts["nodes"] == order.counts["nodes_confirmed"] == 15
        assert order.counts["replays"] == order.counts["replays_agreed"] > 0
    assert "the same for all numbers of ranks" in str(found)


def test_fixed_chunks_of_bfloat16_have_the_same_bits():
    found = accord.tensor_parallel("fixed_chunks", shape=(32, 2, 16), dtype="bfloat16", inputs=10, certificate=False)
    assert {of_ranks(order, 8) for order in found.orders.values()} == {PINNED}
    assert set(found.other_inputs) == {2, 4, 8} and not any(found.other_inputs.values())
    with pytest.raises(accord.CannotTellError):  # orders without a certificate are no proof
        bool(found)


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_merged_accumulators_of_parts_are_exact(size):
    """The alternative that doc/collectives.md names: what ranks would send is pickled."""
    made = torch.Generator().manual_seed(1)
    x, w = (torch.randn(64, generator=made) * 10.0 ** torch.randint(-9, 9, (64,), generator=made) for _ in "xw")
    merged = accord.Accumulator(kind="dot")
    for a, b in zip(x.chunk(size), w.chunk(size)):
        merged.merge(pickle.loads(pickle.dumps(accord.Accumulator(a, b, kind="dot"))))
    assert merged.value(dtype="float32") == accord.dot(x, w)


def test_other_elements_count_too(own):
    found = accord.tensor_parallel("own_layers.rounded", shape=(2, 2, 16), sizes=(2, 4), certificate=False,
                                   element=(0, 1), inputs=4)
    assert not found.same and found.other_inputs == {4: 4}


@pytest.mark.parametrize("function, said", [
    ("disagree", "2 ranks: rank 1 of 2 holds another result than rank 0"),
    ("wrong", r"1 rank: rank 0: ValueError: .* shape \(2, 1\), not \(2, 2\)"),
])
def test_what_goes_wrong_names_the_rank(own, function, said):
    with pytest.raises(accord.TargetError, match=said):
        accord.tensor_parallel(f"own_layers.{function}", shape=(2, 2, 8), sizes=(1, 2))


@pytest.mark.parametrize("words, said", [
    ({"sizes": (1, 3)}, "3 ranks cannot share"),
    ({"sizes": (2, 2)}, "each once"),
    ({"shape": (2, 8)}, r"give \(m, n, k\)"),
    ({"layer": "ring"}, "choose all_reduce, fixed_chunks"),
    ({"layer": lambda x, w: x @ w}, "put it into a module"),
    ({"dtype": "float8_e4m3fn"}, "choose float32"),
])
def test_what_cannot_be_asked_says_why(words, said):
    with pytest.raises(accord.ArgumentError, match=said):
        accord.tensor_parallel(**{"shape": (2, 2, 8), **words})


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_fixed_chunks_without_ranks(dtype):
    x, w = torch.randn(2, 3, 32).to(dtype), torch.randn(32, 5).to(dtype)
    y = accord.fixed_chunks(x, w)
    assert y.shape == (2, 3, 5) and y.dtype == dtype
    torch.testing.assert_close(y, x @ w, rtol=2e-2, atol=6e-2 if dtype == torch.bfloat16 else 1e-4)
    strange = torch.empty(33 * 5, dtype=dtype)[1:161].reshape(32, 5).copy_(w)  # at another address
    assert torch.equal(accord.fixed_chunks(x, strange), y)


def test_fixed_chunks_refuses_what_it_cannot_cut():
    x, w = torch.ones(2, 12), torch.ones(12, 2)
    with pytest.raises(accord.ArgumentError, match="power of two"):
        accord.fixed_chunks(x, w, chunks=6)
    with pytest.raises(accord.ArgumentError, match="multiple of 8"):
        accord.fixed_chunks(x, w)
