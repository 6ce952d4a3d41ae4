"""accord.family: rules of callables, and what is said of each n."""
import json

import accord
import pytest


def _lanes(x):
    """Four lanes over whole fours, folded in turn, then the rest."""
    whole = len(x) - len(x) % 4
    lanes = [0.0] * 4
    for i in range(whole):
        lanes[i % 4] = x[i] if i < 4 else lanes[i % 4] + x[i]
    rest = list(x[whole:])
    items = (lanes if whole else []) + rest
    total = items[0]
    for item in items[1:]:
        total = total + item
    return total


def test_callable():
    found = accord.family(_lanes, (1, 60), "float64", array="list", seed=1)
    assert found.complete and len(found.asked) == 60
    assert found.notation(61) is None and found.state(61) == "unknown"
    for n in (1, 7, 24, 59):
        order = accord.reveal(_lanes, n, "float64", array="list")
        assert accord.diff(order, accord.synthetic(found.notation(n), n)).same_order


def test_notation():
    found = accord.family("synthetic:lanes:8", range(1, 901), seed=2)
    assert found.complete and found.checks == 200
    assert [found.state(n) for n in (1, 900)] == ["asked", "asked"]
    predicted = [n for n in range(1, 901) if found.state(n) == "predicted"]
    assert len(predicted) + len(found.asked) == 900
    assert sum(rule.predicted for rule in found.rules) == len(predicted)
    assert json.loads(found.json)["question"]["target"] == "synthetic:lanes:8"


def test_failures():
    with pytest.raises(accord.UnableError):
        accord.family("synthetic:kahan", (60, 90))
    with pytest.raises(accord.ArgumentError):
        accord.family("synthetic:numpy", range(0, 9))
    with pytest.raises(accord.ArgumentError):
        accord.family("synthetic:numpy", range(1, 9, 2))
    with pytest.raises(ZeroDivisionError):
        accord.family(lambda x: 1 / 0, (1, 9), array="list")
