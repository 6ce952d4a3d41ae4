"""Several settings side by side, batches, features."""

from __future__ import annotations

import json
from functools import reduce  # sum() compensates from CPython 3.12 on
from operator import add

import accord
import numpy as np
import pytest


def test_sweep():
    found = accord.sweep(np.sum, n=[5, 9, 12], dtype=["float32", "float64"])
    assert [row.setting for row in found.rows] == [
        {"n": n, "dtype": d} for n in (5, 9, 12) for d in ("float32", "float64")]
    assert not found and len(found.groups) == 6
    assert found.group_of(n=9, dtype="float64").order.dtype == "float64"
    assert json.loads(found.to_json())["rows"][3]["setting"] == {"n": 9, "dtype": "float64"}
    assert "as" in str(found) or "pairwise" in str(found)
    assert accord.sweep(np.sum, n=[5, 9, 12])
    with pytest.raises(accord.ArgumentError):
        found.group_of(n=77)


def test_sweep_of_shapes():
    found = accord.sweep(accord.axis(np.sum, 0), shape=[(6, 3), (6, 40), (7, 3)])
    assert [row.group for row in found.rows] == ["A", "A", "B"]
    assert found and found.groups[1].n == 7


def test_settings_without_an_answer_are_rows():
    def odd(x):
        return np.nan if len(x) == 6 else np.sum(x)

    found = accord.sweep(odd, n=[5, 6])
    assert found.group_of(n=6).order is None
    assert isinstance(found.group_of(n=6).error, accord.NotFiniteError)
    assert "not-finite" in json.dumps(json.loads(found.to_json()))
    with pytest.raises(accord.TargetError, match="a str"):
        accord.sweep(lambda x: "no", n=[5, 6])
    with pytest.raises(accord.ArgumentError):
        accord.sweep(np.sum, n=[5, 0])
    with pytest.raises(ZeroDivisionError):
        accord.sweep(lambda x: 1 / 0, n=[5])


def test_sweep_of_environments(tmp_path, monkeypatch):
    (tmp_path / "moody.py").write_text(
        "import os\n"
        "def add(x):\n"
        "    print('this is no answer')\n"
        "    values = list(x)\n"
        "    if os.environ.get('MOOD') == 'backwards':\n"
        "        values.reverse()\n"
        "    if os.environ.get('MOOD') == 'fatal':\n"
        "        os._exit(3)\n"
        "    total = values[0]\n"
        "    for value in values[1:]:\n"
        "        total = total + value\n"
        "    return total\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:" + __import__("os").environ.get("PYTHONPATH",
                                                                                   ""))
    import moody

    found = accord.sweep(moody.add, n=6, env={"MOOD": [None, "backwards", "fatal"]})
    assert [row.group for row in found.rows] == ["A", "B", "C"]
    assert found.group_of(MOOD=None).order.pattern == "sequential"
    assert found.group_of(MOOD="backwards").order.pattern == "sequential from the last term"
    assert isinstance(found.group_of(MOOD="fatal").error, accord.TargetError)
    assert accord.sweep(moody.add, n=6, threads=[1, 2])
    with pytest.raises(accord.ArgumentError, match="cannot be found by name"):
        accord.sweep(lambda x: x.sum(), n=6, threads=[1, 2])


def test_sweep_of_an_adapter_elsewhere():
    found = accord.sweep(accord.axis(np.sum, 0), shape=(6, 5), threads=[1, 2])
    assert found and found.groups[0].order.text == "(((((0+1)+2)+3)+4)+5)"


def test_batches():
    def moody(a):
        return np.array([reduce(add, row[::-1] if len(a) > 3 else row) for row in a])

    found = accord.batch_invariant(accord.axis(moody, 1, None), range(1, 6), shape=(1, 7),
                                   dtype="float64")
    assert not found and [row.group for row in found.rows] == ["A", "A", "A", "B", "B"]
    assert accord.batch_invariant(accord.axis(moody, 1, None), [1, 3], shape=(1, 7),
                                  dtype="float64", element="last")
    assert accord.batch_invariant(accord.axis(np.sum, 0), [1, 20], shape=(7, 1))
    with pytest.raises(accord.ArgumentError, match="no batch"):
        accord.batch_invariant(np.sum, [1, 2], shape=(1, 8))


def test_features_of_a_machine():
    found = accord.features("synthetic:volta-f16")
    assert "volta-f16" in found.machines and found.replays == found.replays_agreed
    by_name = {f.name: f for f in found.machine}
    assert by_name["terms"].value == 4 and by_name["terms"].observable
    assert "volta-f16" in str(found)


def test_features_of_numpy():
    found = accord.features(np.sum, n=40)
    assert found.machine is None and found.order.model.words == "f32 to nearest"
    assert found.specials["nan"] == "yes" and found.specials["infinities_clash"] == "yes"
    matrix = accord.features(accord.gemm(np.matmul), shape=(3, 4, 16), element=(1, 2))
    assert matrix.order.n == 16 and matrix.specials["infinity"] == "yes"


def first_of_softmax(x):
    powers = np.exp(x - x.max())
    return float((powers / powers.sum())[0])


def layer_norm(a):
    mean = a.mean(axis=1, keepdims=True)
    return ((a - mean) / np.sqrt(a.var(axis=1, keepdims=True) + 1e-5)).sum(axis=1)


def weighted(a):
    """A weighted sum, whose order depends on the batch."""
    total = np.zeros(a.shape[0], np.float32)
    terms = range(a.shape[1])
    for k in terms if a.shape[0] < 4 else reversed(terms):
        total += a[:, k] * np.float32(0.37 * (k + 1))
    return total


# Seeded: noise too rare for the few hundred calls of some batches would be seen by chance only.
NOISE = np.random.default_rng(5)


def noisy(a):
    return a.sum(axis=1) + NOISE.random(a.shape[0], np.float32)


def rarely_noisy(a):
    return a.sum(axis=1) + np.float32(NOISE.random() < 0.05)


def batches(function):
    return accord.batch_invariant(accord.axis(function, 1, None), [1, 2, 3, 4, 7], shape=(1, 12))


def test_what_is_not_explained_is_compared_by_its_answers():
    found = batches(layer_norm)
    assert found.verdict == "same-on-inputs" and found.same and "1000 inputs" in str(found)
    found = batches(weighted)
    assert found.verdict == "differs" and not found
    assert [row.group for row in found.rows] == ["A", "A", "A", "B", "B"]
    assert json.loads(found.to_json())["same"] is False


@pytest.mark.parametrize("function", [noisy, rarely_noisy])
def test_what_varies_is_never_the_same(function):
    found = batches(function)
    assert found.verdict == "cannot-tell"
    for ask in (lambda: bool(found), lambda: found.same):
        with pytest.raises(accord.CannotTellError, match="cannot be determined"):
            ask()
    assert json.loads(found.to_json())["same"] is None and "cannot be determined" in str(found)
    with pytest.raises(AssertionError):
        accord.testing.assert_batch_invariant(accord.axis(function, 1, None), [1, 2], shape=(1, 12))


def test_one_setting_alone_agrees_on_nothing_that_was_not_revealed():
    assert accord.sweep(first_of_softmax, n=[8, 9]).verdict == "same-on-inputs"
    assert accord.sweep(lambda x: float(np.random.rand()), n=[8, 9]).verdict == "cannot-tell"
    assert accord.sweep(np.sum, n=[8, 9]).verdict == "same"


def refusal(function, **how):
    with pytest.raises(accord.UnableError) as caught:
        accord.reveal(function, **how)
    return caught.value.order


def test_refusals_are_compared_by_their_answers():
    one, again = refusal(first_of_softmax, n=12), refusal(first_of_softmax, n=12)
    assert accord.diff(one, again).sameness == "same-on-inputs" and one == again
    other = refusal(lambda x: float(np.exp(x[1] - x.max())), n=12)
    found = accord.diff(one, other)
    assert found.sameness == "differs" and found and one != other
    assert found.witness.a != found.witness.b
    assert found.witness.a == first_of_softmax(np.array(found.witness.x, np.float32))
    noise = refusal(lambda x: float(np.random.rand()), n=12)
    for a, b in ((noise, noise), (noise, one)):
        with pytest.raises(accord.CannotTellError):
            bool(accord.diff(a, b))
    assert accord.diff(one, noise).sameness == "differs"  # it did not vary, and does now


def test_records_without_answers():
    def without_answers(order):
        fields = json.loads(order.to_json())
        del fields["answers"]
        return accord.Order.from_json(json.dumps(fields))

    old = without_answers(refusal(first_of_softmax, n=12))
    check = accord.check(old, first_of_softmax)
    assert check.verdict == "cannot-tell" and "record it again" in str(check)
    with pytest.raises(accord.CannotTellError):
        bool(check)
    explained = without_answers(accord.reveal(np.sum, n=12))
    assert explained.answers is None and accord.check(explained, np.sum).verdict == "same"
