"""Callables that do what they should not: each is reported or bears no harm."""

from __future__ import annotations

import os
import signal
import threading
import traceback

import accord
import numpy as np
import pytest
from accord import _accord


class Trouble(Exception):
    pass


class AfterSomeCalls:
    """Adds well for so many calls, then does something else with x."""

    def __init__(self, calls, then):
        self.left, self.then = calls, then

    def __call__(self, x):
        self.left -= 1
        return self.then(x) if self.left < 0 else x.sum()


def raise_trouble(x):
    raise Trouble("here it is")


@pytest.mark.parametrize("calls", [0, 1, 40, 500, 1000])
def test_an_exception_comes_through(calls):
    with pytest.raises(Trouble, match="here it is") as caught:
        accord.reveal(AfterSomeCalls(calls, raise_trouble), n=50)
    names = [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert names[-1] == "raise_trouble" and "reveal" in names
    assert caught.value.__cause__ is None
    assert accord.reveal(np.sum, n=50).proven  # all is well afterwards


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, StopIteration, GeneratorExit,
                                  MemoryError, accord.TargetError])
def test_any_exception(kind):
    def add(x):
        raise kind("so")

    with pytest.raises(kind, match="so"):
        accord.reveal(AfterSomeCalls(60, add), n=20)


WRONG = {
    "the input": (lambda x: x, "shape \\(20,\\)"),
    "an array of one": (lambda x: x.sum(keepdims=True), "shape \\(1,\\)"),
    "a matrix of one": (lambda x: x.sum().reshape(1, 1), "shape \\(1, 1\\)"),
    "a list": (lambda x: [x.sum()], "a list"),
    "text": (lambda x: "3.5", "a str"),
    "bytes": (lambda x: b"3.5", "a bytes"),
    "nothing": (lambda x: None, "a NoneType"),
    "a complex number": (lambda x: complex(x.sum()), "a complex"),
    "a complex number of NumPy": (lambda x: np.complex64(x.sum()), "a complex64"),
    "a dict": (lambda x: {}, "a dict"),
    "too large a number": (lambda x: 10**400, "a int"),
    "a string of NumPy": (lambda x: np.str_("3.5"), "a str_"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("calls", [0, 30])
def test_what_is_no_number(name, calls):
    result, words = WRONG[name]
    with pytest.raises(accord.TargetError, match=f"returned {words}|returned .*{words}"):
        accord.reveal(AfterSomeCalls(calls, result), n=20)


def test_complex_matrices():
    product = accord.gemm(lambda a, b: (a @ b).astype(np.complex64))
    with pytest.raises(accord.TargetError, match="where an array of floats"):
        accord.reveal(product, shape=(2, 3, 8))


def test_coroutines():
    async def add(x):
        return x.sum()

    with pytest.warns(RuntimeWarning), pytest.raises(accord.TargetError, match="a coroutine"):
        accord.reveal(add, n=5)


@pytest.mark.parametrize("result", [np.nan, np.inf, -np.inf])
def test_no_finite_sum(result):
    with pytest.raises(accord.NotFiniteError):
        accord.reveal(lambda x: result, n=20)


@pytest.mark.parametrize("convert", [np.float32, np.float64, float, np.asarray,
                                     lambda s: np.array(s).reshape(())])
def test_numbers_of_many_kinds(convert):
    assert accord.reveal(lambda x: convert(np.sum(x)), n=20).text == accord.reveal(np.sum,
                                                                                   n=20).text


class Odd:
    def __float__(self):
        raise Trouble("no float today")


def test_a_result_that_raises():
    with pytest.raises(Trouble, match="no float today"):
        accord.reveal(lambda x: Odd(), n=5)


# ---- the input ----


def change_first(x):
    x[0] = 7
    return x.sum()


def scale(x):
    x *= 2
    return x.sum() / 2


def sort(x):
    x.sort()
    return x.sum()


@pytest.mark.parametrize("change", [change_first, scale, sort])
@pytest.mark.parametrize("calls", [0, 40, 700])
def test_changing_the_input_is_noticed(change, calls):
    with pytest.raises(accord.TargetError, match="changed its input .*copy=True"):
        accord.reveal(AfterSomeCalls(calls, change), n=100)


def test_changing_either_factor_is_noticed():
    def dot(x, y):
        y[3] = 0
        return x @ y

    with pytest.raises(accord.TargetError, match="changed its other input .number 3"):
        accord.reveal(accord.dot(dot), n=10)


def test_changing_a_matrix_is_noticed():
    def product(a, b):
        b[0, 0] += 1
        return a @ b

    with pytest.raises(accord.TargetError, match="changed its other input"):
        accord.reveal(accord.gemm(product), shape=(3, 4, 9))
    with pytest.raises(accord.TargetError, match="changed its input"):
        accord.map(accord.axis(lambda a: (a.sort(), a.sum(1))[1], 1, None), shape=(3, 9))


def test_a_copy_each_may_be_changed():
    def add(x):
        total = np.sum(x)
        x[:] = 99
        return total

    order = accord.reveal(add, n=50, copy=True)
    assert order.text == accord.reveal(np.sum, n=50).text


@pytest.mark.parametrize("part", [lambda x: x, lambda x: x[3:9], lambda x: x.reshape(5, -1),
                                  lambda x: x[::2].T, memoryview])
def test_what_is_kept_stays_as_it_was(part):
    kept = []

    def add(x):
        kept.append((part(x), np.array(part(x))))
        return np.sum(x)

    order = accord.reveal(add, n=50, certificate=False)
    assert order.text == accord.synthetic("numpy", 50).text
    assert len(kept) > 20
    for now, then in kept:
        assert np.array_equal(now, then)


def test_what_is_kept_now_and_then():
    kept = []

    def add(x):
        if len(x) % 7 == 0 or np.isnan(x[0]):
            return None
        if x[1] != x[2]:
            kept.append((x, x.copy()))
        return np.sum(x)

    order = accord.reveal(add, n=100, certificate=False)
    assert order.text == accord.synthetic("numpy", 100).text
    assert kept and all(np.array_equal(now, then) for now, then in kept)


def test_a_view_of_the_input_as_result():
    assert accord.reveal(lambda x: x.reshape(()), n=1).text == "0"
    assert accord.reveal(lambda x: x[0, ...], n=1).text == "0"
    with pytest.raises(accord.TargetError, match="shape \\(1,\\)"):
        accord.reveal(lambda x: x[:1], n=1)


# ---- time ----


def test_results_that_differ_from_run_to_run():
    draw = np.random.default_rng(1)

    def add(x):
        return np.sum(draw.permutation(x))

    with pytest.raises(accord.NondeterministicError):
        accord.reveal(add, n=30)


def test_results_that_differ_seldom():
    count = 0

    def add(x):
        nonlocal count
        count += 1
        total = np.sum(x)
        return np.nextafter(total, np.float32(np.inf)) if count % 40 == 0 else total

    with pytest.raises(accord.UnableError):
        accord.reveal(add, n=30)


def test_asking_within_a_call():
    inner = []

    def add(x):
        if len(inner) < 3:
            inner.append(accord.reveal(np.sum, n=9))
            with pytest.raises(Trouble):
                accord.reveal(raise_trouble, n=4)
        return np.sum(x)

    outer = accord.reveal(add, n=20)
    assert outer.text == accord.synthetic("numpy", 20).text
    assert {order.text for order in inner} == {accord.synthetic("numpy", 9).text}


@pytest.mark.parametrize("n", [0, -1, 2**31, 2**32 - 1, 2**32])
def test_counts_of_terms_that_no_sum_has(n):
    for target in np.sum, "synthetic:pairwise":
        with pytest.raises(accord.ArgumentError, match="1 to 2147483647"):
            accord.reveal(target, n=n)


def test_a_callable_that_asks_for_itself():
    depth = 0

    def add(x):
        nonlocal depth
        if depth < 2:
            depth += 1
            accord.reveal(add, n=5, certificate=False)
            depth -= 1
        return x.sum()

    assert accord.reveal(add, n=3, certificate=False).text == "((0+1)+2)"


def test_a_target_in_use():
    target = None

    def add(x):
        with pytest.raises(accord.ArgumentError, match="being asked already"):
            target.ask(np.ones(4))
        with pytest.raises(accord.ArgumentError, match="being asked already"):
            _accord.reveal(target)
        return np.sum(x)

    target = _accord.callable(add, 4, (((4,), True),),
                              lambda buffers: (np.frombuffer(buffers[0], np.float32),))
    assert target.ask(np.arange(4.0)) == [6.0]
    assert _accord.reveal(target).leaves == 4


def test_a_target_in_use_keeps_its_element():
    target = None

    def add(a):
        with pytest.raises(accord.ArgumentError, match="being asked already"):
            target.ask(np.ones(4), None, 1)
        with pytest.raises(accord.ArgumentError, match="being asked already"):
            target.output = "f64"
        return np.array([np.sum(a[0]), np.sum(a[1, ::-1])])

    target = _accord.callable(add, 4, (((2, 4), True),),
                              lambda b: (np.frombuffer(b[0], np.float32).reshape(2, 4),),
                              result=(2,), rows=2)
    for row, text in enumerate(["(((0+1)+2)+3)", "(((2+3)+1)+0)"]):
        assert target.rows == 2
        found = _accord.reveal(target, row=row)
        assert found.fields()["element"] == str(row)
        assert accord.Order(found).text == accord.Order.from_text(text).text


def test_threads():
    found, due = {}, accord.synthetic("numpy", 200).text

    def ask(i):
        found[i] = accord.reveal(np.sum, n=200, seed=i).text

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: due for i in range(6)}


def test_threads_share_an_order():
    """What it says, and its implementation, which each comparison asks anew."""
    order, other = accord.reveal(np.sum, n=50), accord.reveal(lambda x: np.sum(x[::-1]), n=50)
    x = np.random.default_rng(1).standard_normal(50).astype(np.float32)
    due, start, found = (order.replay(x), order.text), threading.Barrier(4), []

    def use():
        start.wait()
        for _ in range(5):
            witness = accord.diff(order, other).witness
            found.append(((order.replay(x), order.text), witness.asked_a == witness.a,
                          witness.asked_b == witness.b, order.pattern, order.model.words))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(due, True, True, "as NumPy's pairwise sum", "f32 to nearest")] * 20


@pytest.mark.parametrize("n", [100000, 30])
def test_ctrl_c(n):
    """A signal during calls of C code, and between them."""
    calls = 0

    def add(x):
        nonlocal calls
        calls += 1
        if calls == 20:
            os.kill(os.getpid(), signal.SIGINT)
        return np.sum(x)

    with pytest.raises(KeyboardInterrupt):
        accord.reveal(add, n=n)
    assert calls < 25


def test_ctrl_c_while_python_is_not_needed():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:  # in whatever it is then
                accord.reveal("synthetic:lanes:4", n=30000)
    finally:
        timer.join()


def test_progress_that_raises():
    def stop(stage, done, total):
        raise Trouble("enough")

    with pytest.raises(Trouble, match="enough"):
        accord.reveal(np.sum, n=4000, progress=stop)


def test_errors_of_accord_within_a_call():
    with pytest.raises(accord.ParseError):
        accord.reveal(lambda x: accord.Order.from_text("((0+1"), n=5)


def test_collecting_what_cannot_be_collected():
    with pytest.raises(accord.TargetError, match="array of floats of shape \\(3, 4\\)"):
        accord.reveal(accord.gemm(lambda a, b: (a @ b).T), shape=(3, 4, 9))
    with pytest.raises(accord.TargetError, match="returned a ndarray of shape \\(3,\\)"):
        accord.reveal(accord.gemm(lambda a, b: (a @ b)[:, 0]), shape=(3, 4, 9))
    with pytest.raises((accord.TargetError, ValueError)):
        accord.reveal(accord.gemm(lambda a, b: "no"), shape=(3, 4, 9))
    with pytest.raises(Trouble):
        accord.map(accord.gemv(lambda a, x: raise_trouble(x)), shape=(3, 9))
