"""The table of functions of libraries, and a few rows of it, each where its library is there."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

import accord
from accord import _library_row, libraries
from conftest import of_table

np = pytest.importorskip("numpy")


def case_of(library: str, function: str) -> libraries.Case:
    pytest.importorskip(library)
    return next(case for case in libraries.cases(library) if case.function == function)


def replays(case: libraries.Case, n: int, dtype: str = "float32") -> accord.Order:
    order = case.reveal(n, dtype)
    counts = order.counts
    assert order.proven and order.model
    assert counts["replays"] > 0 and counts["replays_agreed"] == counts["replays"]
    return order


@pytest.mark.parametrize("function", ["sum", "sum(axis=0)", "sum(axis=1)", "mean", "dot", "matmul",
                                      "inner", "einsum i,i", "cumsum, its last", "add.reduceat"])
def test_numpy_is_replayed(function):
    replays(case_of("numpy", function), 24)


def test_what_is_replayed_is_numpys_own():
    order = replays(case_of("numpy", "sum"), 200)
    x = np.random.default_rng(5).standard_normal((100, 200)).astype(np.float32)
    assert all(order.replay(row) == np.sum(row) for row in x)
    assert order.replay(x[0]) != order.replay(x[1])


def test_scipys_blas_is_replayed():
    replays(case_of("scipy", "linalg.blas.?gemv"), 24)


@pytest.mark.parametrize("function", ["sum", "nn.functional.linear",
                                      "nn.functional.scaled_dot_product_attention"])
def test_torch_is_replayed(function):
    replays(case_of("torch", function), 16)


def test_a_convolution_is_the_one_that_torch_computes():
    torch = pytest.importorskip("torch")
    order = replays(case_of("torch", "nn.functional.conv1d"), 16)
    x, y = torch.randn(2, 16, generator=torch.Generator().manual_seed(3))
    convolve = libraries._convolution(torch, torch.nn.functional.conv1d, 16, torch.float32)
    assert order.replay(x, y) == convolve(x, y).item()
    assert abs(order.replay(x, y) - torch.dot(x.double(), y.double()).item()) < 1e-5


def test_a_layer_norms_mean_is_refused_with_its_reason():
    found = libraries.row(case_of("torch", "nn.functional.layer_norm"), 64, "float32")
    assert found["verdict"] == "refused" and not found["fingerprint"]
    assert "rounded" not in found["reason"] and "compensated" not in found["reason"]


@pytest.mark.parametrize("function", ["numpy.sum", "numpy.matmul"])
def test_jax_is_replayed(function):
    replays(case_of("jax", function), 16)


def test_fsum_is_refused_as_exact():
    fsum = next(case for case in libraries.cases("python") if case.function == "math.fsum")
    found = libraries.row(fsum, 24, "float64")
    assert found["verdict"] == "refused" and "exact" in found["reason"]
    assert found["probes"] > 0


@pytest.mark.parametrize("library", of_table(["numpy", "scipy", "torch", "jax", "python"]))
def test_a_child_lists_its_cases_and_answers_rows(library):
    pytest.importorskip(library if library != "python" else "accord")
    asked = [{"library": library},
             {"library": library, "index": 0, "n": 8, "dtype": "float64"}]
    done = subprocess.run([sys.executable, "-m", "accord.libraries"], check=True,
                          input="".join(json.dumps(line) + "\n" for line in asked),
                          capture_output=True, text=True)
    head, found = map(json.loads, done.stdout.splitlines())
    assert head["version"] and [case["function"] for case in head["cases"]] == [
        case.function for case in libraries.cases(library)]
    assert found["verdict"] == "replayed"


def test_a_library_that_is_missing_is_an_import_error(monkeypatch):
    monkeypatch.setattr(libraries, "mkl_library", lambda: None)
    with pytest.raises(ImportError, match="mkl"):
        libraries.cases("mkl")


def test_a_norm_that_fuses_its_squares_is_replayed():
    replays(case_of("numpy", "linalg.norm"), 32, "float64")


def test_a_row_of_a_callable_that_fails_tells_why():
    def broken(x):
        raise RuntimeError("no sums today")

    case = libraries.Case("numpy", "broken", ("float32",), lambda n, dtype: (broken, {"n": n}))
    found = libraries.row(case, 8, "float32")
    assert found["verdict"] == "not offered" and "no sums today" in found["reason"]


# ---- an order in one line ----


def brackets(nodes: list[str], fold: str) -> str:
    while len(nodes) > 1:
        if fold == "sequential":
            nodes = [f"({nodes[0]}+{nodes[1]})", *nodes[2:]]
        else:
            nodes = [f"({a}+{b})" for a, b in zip(nodes[::2], nodes[1::2])]
    return nodes[0]


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("length", [2, 3, 5])
def test_lanes_joined_in_any_way_are_seen(lanes, length):
    names = list(range(lanes))
    random.Random(lanes * length).shuffle(names)
    chains = [brackets([str(lane + lanes * k) for k in range(length)], "sequential")
              for lane in names]
    order = accord.Order.from_text(brackets(chains, "neighbors"))
    found = _library_row.one_line(order, 200)
    if order.pattern[:1].isdigit() and " lane" not in order.pattern:
        joined = accord.Order.from_text(brackets([str(lane) for lane in names], "neighbors")).text
        assert found == f"{lanes} lanes of {length}, joined {joined}"
    else:
        assert found == order.pattern


def test_other_orders_are_given_in_brackets_cut_short():
    order = accord.Order.from_text("((((0+3)+1)+(2+5))+4)")
    assert _library_row.one_line(order) == f"5 additions, depth 4: {order.text}"
    order = accord.Order.from_text("((((0+3)+6)+9)+(((1+4)+7)+((2+5)+8)))")
    assert _library_row._chains(order.text) == "([0,3..9]+([1,4..7]+[2,5..8]))"
    assert _library_row.one_line(order, 9).endswith("…")


# ---- softmax ----


def softmax(tree: object, dtype: type, accumulator: type):
    """The largest weight of a softmax that adds along a tree of pairs."""

    def largest(z, _=None):
        terms = np.exp(z - z.max()).astype(accumulator)

        def add(node):
            return terms[node] if isinstance(node, int) else add(node[0]) + add(node[1])

        with np.errstate(all="ignore"):
            return dtype(1 / add(tree))

    return largest


def random_tree(generator: random.Random, terms: list[int]):
    if len(terms) == 1:
        return terms[0]
    at = generator.randrange(1, len(terms))
    return random_tree(generator, terms[:at]), random_tree(generator, terms[at:])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("n", [3, 4, 17, 40])
def test_the_order_of_a_softmaxs_denominator_is_found(n, dtype):
    generator = random.Random(n)
    terms = list(range(n))
    generator.shuffle(terms)
    tree = random_tree(generator, terms)
    kind = getattr(np, dtype)
    ask = libraries._softmax(softmax(tree, kind, kind))
    case = libraries.Case("numpy", "softmax", (dtype,), ask, why=lambda *_: "exponentials")
    found = libraries.row(case, n, dtype)
    due = accord.Order.from_text(str(tree).replace(", ", "+"))
    assert found["verdict"] == "order proven" and found["reason"] == "exponentials"
    assert found["fingerprint"] == due.fingerprint and found["probes"] > n


def test_a_denominator_wider_than_the_weights_is_refused():
    ask = libraries._softmax(softmax((((0, 1), 2), (3, 4)), np.float32, np.float64))
    case = libraries.Case("numpy", "softmax", ("float32",), ask)
    found = libraries.row(case, 5, "float32")
    assert found["verdict"] == "refused" and "more bits than the weights have" in found["reason"]


def test_a_denominator_narrower_than_the_weights_is_refused():
    ask = libraries._softmax(softmax((((0, 1), 2), (3, 4)), np.float64, np.float32))
    case = libraries.Case("numpy", "softmax", ("float64",), ask)
    found = libraries.row(case, 5, "float64")
    assert found["verdict"] == "refused" and "fewer bits" in found["reason"]


def test_a_denominator_in_changing_order_is_refused():
    calls = []

    def largest(z, _=None):
        calls.append(0)
        tree = (0, (1, (2, 3))) if len(calls) % 3 else (3, (2, (1, 0)))
        return softmax(tree, np.float64, np.float64)(z)

    case = libraries.Case("numpy", "softmax", ("float64",), libraries._softmax(largest))
    assert libraries.row(case, 4, "float64")["verdict"] == "refused"


# ---- attention ----


@pytest.mark.parametrize("weight, told", [(1.00004, "times 1.00004 / 16"), (1, "")])
def test_a_weight_that_is_not_quite_one_over_n_is_told(weight, told):
    torch = pytest.importorskip("torch")

    def attend(x):
        total = torch.zeros((), dtype=torch.float32)
        for term in x:
            total = total + term
        return (total * torch.tensor(weight / 16, dtype=torch.float32)).to(x.dtype)

    order = accord.Order.from_text("".join(["(" * 15, "0", *(f"+{k})" for k in range(1, 16))]))
    found = libraries._other_weight(torch, order, attend, torch.float16)
    assert told in found if told else found == ""


# ---- norms ----


def test_a_norm_in_80_bits_is_told_as_such():
    if np.finfo(np.longdouble).nmant != 63:
        pytest.skip("long double is not that of x87")

    def norm(x):
        total = np.longdouble(0)
        for term in x.astype(np.longdouble):
            total += term * term
        return float(np.sqrt(total))

    case = libraries.Case("numpy", "norm", ("float64",), lambda n, dtype: (norm, {"n": n}))
    found = libraries.row(case, 24, "float64")
    assert found["verdict"] == "replayed"
    order = case.reveal(24, "float64")
    assert "x87" in order.verdict
    assert _library_row._extended_norms(order, lambda x: float(np.sqrt((x * x).sum())), 200) < 200
