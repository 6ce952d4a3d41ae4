"""What is found pickles, copies, compares and is shown in notebooks; types tell misspelled options."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import accord
import numpy as np
import pytest


def raised(ask):
    with pytest.raises(accord.Error) as caught:
        ask()
    return caught.value


def last_of_cumsum(x):
    return np.cumsum(x)[-1]


FOUND = {
    "bound": lambda: accord.bound("a*b + c", a=.1, b=3, c=(-1, .5), model="paren"),
    "order": lambda: accord.reveal(np.sum, n=9),
    "map": lambda: accord.map(accord.gemm(np.matmul), shape=(3, 4, 24)),
    "survey": lambda: accord.sweep(np.sum, n=[8, 9]),
    "survey of refusals": lambda: accord.sweep(np.max, n=[8, 9]),
    "difference": lambda: accord.diff(accord.reveal(np.sum, n=9),
                                      accord.reveal(last_of_cumsum, n=9)),
    "features": lambda: accord.features("synthetic:hopper-f16"),
    "check": lambda: accord.check(accord.reveal(np.sum, n=9), last_of_cumsum),
    "refusal": lambda: raised(lambda: accord.reveal(np.max, n=9)),
    "wrong argument": lambda: raised(lambda: accord.sum([None])),
}


@pytest.mark.parametrize("name", FOUND)
def test_it_is_a_value(name):
    found = FOUND[name]()
    for other in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found),
                  FOUND[name]()):
        assert type(other) is type(found) and other == found and hash(other) == hash(found)
        assert str(other) == str(found) or name in ("order", "map", "check", "refusal")
    assert found != FOUND["order" if name != "order" else "features"]()
    assert found._repr_html_().startswith("<") and len(repr(found)) < 300
    if name == "refusal":
        assert pickle.loads(pickle.dumps(found)).order == found.order
        assert found.reason == pickle.loads(pickle.dumps(found)).reason


TYPED = """
import accord, numpy as np
order = accord.reveal(np.sum, n=8, seed=3)
accord.reveal("blas:sgemm", shape=(2, 2, 8), alpha=1.5, transpose="NT")
accord.sweep(np.sum, n=[8, 9], certificate=True)
width: float = accord.bound("a*b + c", {"a": 1}, b=(1, 2), c=3.0, model="contract").width
lows: list[float] = [o.low for o in accord.bound_program("ray.c", run=[1]).outputs]
inside: int = accord.sweep_program(["ray.c"]).models()["contract"].inside
total: float = order.replay([1.0] * 8)
"""
MISSPELLED = ["accord.reveal('blas:sgemm', n=8, alhpa=1.5)", "accord.reveal(np.sum, n=8, sed=1)",
            "accord.map('blas:sgemm', shape=(2, 2, 8), bta=1.0)",
            "accord.features('blas:sdot', n=8, incz=2)", "accord.sweep(np.sum, n=8, algoritm='auto')",
            "accord.batch_invariant('blas:sgemm', shape=(1, 2, 8), transpos='NT')",
            "accord.check(order, np.sum, sede=1)", "order.replay([1.0] * 8, z=3)",
            "text: str = order.replay([1.0] * 8)"]


# The types of these are in no call here, and take four times as long to read as all others.
UNREAD = "[mypy]\n" + "".join(f"[mypy-{name}.*]\nfollow_imports = skip\n"
                              for name in ("torch", "jax", "pandas"))


def test_types_tell_misspelled_options(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "mypy.ini").write_text(UNREAD)
    (tmp_path / "typed.py").write_text(TYPED + "\n".join(MISSPELLED) + "\n")
    said = subprocess.run([sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir",
                           os.devnull, "typed.py"], cwd=tmp_path, capture_output=True, text=True)
    lines = [line for line in said.stdout.splitlines() if ": error:" in line]
    first = TYPED.count("\n") + 1
    told = {int(line.split(":")[1]) for line in lines}
    assert told == set(range(first, first + len(MISSPELLED))), said.stdout + said.stderr


def test_a_plain_order_is_not_called_a_machine():
    assert "f32 to nearest" in repr(accord.features("synthetic:pairwise", n=8))
