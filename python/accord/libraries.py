"""What the libraries of Python add: a table of their functions as questions.

`cases("torch")` lists the functions of a library that add; each makes a question for n terms of a
dtype. Functions whose sums lie behind other steps get an adapter here that exposes them by choosing
the other inputs, without changing a bit of the sum:

conv1d             one output of a long signal; input is zero outside its window
layer_norm         the mean that the native routine gives beside its result
attention          queries of zero: every weight is 1/n, the sum is that over the values
softmax            its terms are exponentials, which no input makes whole numbers, so that accord's
                   own probes cannot be sent; the rounding of 1 + u + u tells the order all the same

`tools/python-libraries` asks all of them and writes doc/python-libraries.md. The file is long because
it is a table: one function for each library lists its cases.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from typing import Any, Callable, Iterator, NamedTuple

from . import adapters
from ._denominator import Denominator
from ._library_row import row, unexplained
from ._order import Order
from ._reveal import reveal

dot, gemv, gemm, axis = adapters.Dot, adapters.gemv, adapters.gemm, adapters.axis
ROWS, COLUMNS = 4, 8  # of results, where there are many
COUNTS = (7, 10, 24, 64, 100, 1000)  # of terms, that every function is asked for
CHANNELS, AROUND = 4, 32  # of conv1d: channels, and what the signal has beyond the window
WHOLE = tuple(n for n in COUNTS if n % CHANNELS == 0)  # of terms, that the channels share


class Case(NamedTuple):
    """A function of a library."""

    library: str
    function: str
    dtypes: tuple[str, ...]
    ask: Callable[[int, str], tuple[Any, dict[str, Any]]]  #: n, dtype -> target, keywords of reveal
    about: str = ""  #: how the sum is exposed, where that is not plain
    counts: tuple[int, ...] = COUNTS
    why: Callable[[Order, Any, str], str] | None = None  #: why the arithmetic is not told

    def reveal(self, n: int, dtype: str, **how: Any) -> Order:
        """The order in which the function adds n terms of a dtype."""
        target, keywords = self.ask(n, dtype)
        if isinstance(target, Denominator):
            return target.reveal()
        return reveal(target, dtype=dtype, name=f"python:{self.library}.{self.function}",
                      **{"loose": True, **keywords, **how})


# ---- what a callable is asked ----


def _one(function: Any, **more: Any) -> Callable[[int, str], tuple[Any, dict[str, Any]]]:
    return lambda n, dtype: (function, {"n": n, **more})


def _pair(function: Any, **more: Any) -> Callable[[int, str], tuple[Any, dict[str, Any]]]:
    return lambda n, dtype: (dot(function), {"n": n, **more})


def _axis(function: Any, which: int, **more: Any) -> Callable[[int, str], tuple[Any, dict]]:
    def ask(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        shape = (COLUMNS, n) if which else (n, COLUMNS)
        return axis(function, which), {"shape": shape, **more}

    return ask


def _matrix_vector(function: Any, **more: Any) -> Callable[[int, str], tuple[Any, dict]]:
    return lambda n, dtype: (gemv(function), {"shape": (COLUMNS, n), **more})


def _matrices(function: Any, transpose: str = "NN", start: bool = False,
              **more: Any) -> Callable[[int, str], tuple[Any, dict[str, Any]]]:
    def ask(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        return gemm(function, transpose, start), {"shape": (ROWS, COLUMNS, n - start), **more}

    return ask


# ---- NumPy and SciPy ----


def _numpy() -> Iterator[Case]:
    import numpy as np

    every, wide = ("float32", "float64", "float16"), ("float32", "float64")

    def case(name: str, ask: Any, dtypes: tuple[str, ...] = every, about: str = "",
             counts: tuple[int, ...] = COUNTS) -> Case:
        return Case("numpy", name, dtypes, ask, about, counts)

    yield case("sum", _one(np.sum))
    yield case("sum(axis=0)", _axis(np.sum, 0), wide)
    yield case("sum(axis=1)", _axis(np.sum, 1), wide)
    yield case("mean", _one(np.mean))
    yield case("average", _one(np.average))
    yield case("mean(x * x)", _one(lambda x: np.mean(x * x)))
    yield case("sqrt(mean(x * x))", _one(lambda x: np.sqrt(np.mean(x * x))))
    yield case("mean(|x|)", _one(lambda x: np.mean(np.abs(x))))
    yield case("dot", _pair(np.dot))
    yield case("matmul", _matrices(np.matmul))
    yield case("matmul, a vector", _matrix_vector(np.matmul), wide)
    yield case("inner", _pair(np.inner), wide)
    yield case("vecdot", _pair(np.vecdot), wide)
    yield case("einsum i,i", _pair(lambda x, y: np.einsum("i,i", x, y)))
    yield case("einsum ij,jk->ik", _matrices(lambda a, b: np.einsum("ij,jk->ik", a, b)), wide)
    yield case("dot(x, x)", _one(lambda x: np.dot(x, x)))
    yield case("linalg.norm", _one(np.linalg.norm))
    yield case("cumsum, its last", _one(lambda x: np.cumsum(x)[-1]))
    yield case("add.reduceat", _one(lambda x: np.add.reduceat(x, [0])[0]))


def _scipy() -> Iterator[Case]:
    import numpy as np
    from scipy import integrate, linalg, ndimage, signal, sparse, special

    wide = ("float32", "float64")

    def case(name: str, ask: Any, dtypes: tuple[str, ...] = wide, about: str = "",
             why: Any = None) -> Case:
        return Case("scipy", name, dtypes, ask, about, why=why)

    def blas(stem: str) -> Callable[[str], Any]:
        return lambda dtype: getattr(linalg.blas, ("s" if dtype == "float32" else "d") + stem)

    def pair(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        return dot(blas("dot")(dtype)), {"n": n, "output": dtype}

    def vector(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        routine = blas("gemv")(dtype)
        return gemv(lambda a, x: routine(1, a, x)), {"shape": (COLUMNS, n)}

    def matrices(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        routine = blas("gemm")(dtype)
        return gemm(lambda a, b: routine(1, a, b)), {"shape": (ROWS, COLUMNS, n)}

    def norm(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        return blas("nrm2")(dtype), {"n": n, "output": dtype}

    def absolute(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        return blas("asum")(dtype), {"n": n, "output": dtype}

    def row(x: Any, y: Any) -> Any:
        n = len(x)
        return (sparse.csr_array((x, np.arange(n), [0, n]), shape=(1, n)) @ y)[0]

    yield case("linalg.blas.?dot", pair)
    yield case("linalg.blas.?gemv", vector)
    yield case("linalg.blas.?gemm", matrices)
    yield case("linalg.blas.?nrm2", norm)
    yield case("linalg.blas.?asum", absolute)
    yield case("linalg.norm", lambda n, dtype: (linalg.norm, {"n": n, "output": dtype}))
    yield case("sparse.csr_array @", _pair(row), about="a row without holes")
    yield case("signal.convolve", _pair(lambda x, y: signal.convolve(
        x, y[::-1], mode="valid", method="direct")[0]))
    yield case("signal.fftconvolve", _pair(lambda x, y: signal.fftconvolve(
        x, y[::-1], mode="valid")[0]), about="through Fourier transforms")
    yield case("ndimage.sum_labels", _one(ndimage.sum_labels))
    yield case("integrate.trapezoid", _one(integrate.trapezoid),
               about="the first and the last term count half")
    yield case("special.softmax", _softmax(lambda z, _: special.softmax(z).max()),
               **_EXPONENTIALS)


# ---- PyTorch ----

_TORCH = ("float32", "float64", "bfloat16", "float16")


def _torch() -> Iterator[Case]:
    import torch
    import torch.nn.functional as F

    def case(name: str, ask: Any, about: str = "", counts: tuple[int, ...] = COUNTS,
             why: Any = None) -> Case:
        return Case("torch", name, _TORCH, ask, about, counts, why)

    t = {"array": "torch"}

    def torch_axis(which: int) -> Any:
        def ask(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
            shape = (COLUMNS, n) if which else (n, COLUMNS)
            return adapters.Axis(torch.sum, which, "dim"), {"shape": shape, **t}

        return ask

    def batched(a: Any, b: Any) -> Any:
        return torch.bmm(a.unsqueeze(0), b.unsqueeze(0))[0]

    yield case("sum", _one(torch.sum, **t))
    yield case("sum(dim=0)", torch_axis(0))
    yield case("sum(dim=1)", torch_axis(1))
    yield case("mean", _one(torch.mean, **t))
    yield case("mean(x ** 2)", _one(lambda x: x.pow(2).mean(), **t))
    yield case("linalg.vector_norm", _one(torch.linalg.vector_norm, **t))
    yield case("nn.functional.avg_pool1d", _one(
        lambda x: F.avg_pool1d(x.reshape(1, 1, -1), x.shape[0])[0, 0, 0], **t), "one window")
    yield case("dot", _pair(torch.dot, **t))
    yield case("mv", _matrix_vector(torch.mv, **t))
    yield case("mm", _matrices(torch.mm, **t))
    yield case("bmm", _matrices(batched, **t))
    yield case("addmm", _matrices(lambda a, b, c: torch.addmm(c, a, b), start=True, **t),
               "the last term is what is added to")
    yield case("nn.functional.linear", _matrices(F.linear, "NT", **t))
    yield case("nn.functional.conv1d", lambda n, dtype: (
        dot(_convolution(torch, F.conv1d, n, getattr(torch, dtype))), {"n": n, **t}),
        f"{CHANNELS} channels, one output of {AROUND + 1}", WHOLE)
    yield case("nn.functional.layer_norm", _one(
        lambda x: torch.native_layer_norm(x, (x.shape[0],), None, None, 1e-5)[1][0], **t),
        "its mean, a running one")
    yield case("nn.functional.softmax", _softmax(lambda z, dtype: F.softmax(
        torch.from_numpy(z).to(getattr(torch, dtype)), 0).max().item()), **_EXPONENTIALS)
    yield case("nn.functional.scaled_dot_product_attention",
               lambda n, dtype: (_attention(torch, F.scaled_dot_product_attention, n,
                                            getattr(torch, dtype)), {"n": n, **t}),
               "the sum over values, weights 1/n",
               why=lambda order, target, dtype: unexplained(order, target, dtype) +
               _other_weight(torch, order, target, getattr(torch, dtype)))


def _convolution(torch: Any, conv1d: Any, n: int, dtype: Any) -> Callable[[Any, Any], Any]:
    """One output of a convolution over a long signal, of n = CHANNELS * width products."""
    width = n // CHANNELS
    if width * CHANNELS != n:
        raise ValueError(f"n must be a multiple of the {CHANNELS} channels")
    at = AROUND // 2
    signal = torch.zeros(1, CHANNELS, width + AROUND, dtype=dtype)
    weight = torch.zeros(COLUMNS, CHANNELS, width, dtype=dtype)

    def convolve(x: Any, y: Any) -> Any:
        signal[0, :, at:at + width] = x.reshape(CHANNELS, width)
        weight[1] = y.reshape(CHANNELS, width)
        return conv1d(signal, weight)[0, 1, at]

    return convolve


def _attention(torch: Any, attend: Any, n: int, dtype: Any) -> Callable[[Any], Any]:
    """The sum over the values of n keys. All queries are zero, so all scores are, and their
    exponentials are 1: every value is added with weight 1, or 1/n."""
    width = 16
    query = torch.zeros(1, 1, ROWS, width, dtype=dtype)
    key = torch.ones(1, 1, n, width, dtype=dtype)
    value = torch.zeros(1, 1, n, width, dtype=dtype)

    def attention(x: Any) -> Any:
        value[0, 0, :, 3] = x
        return attend(query, key, value)[0, 0, 1, 3]

    return attention


def _other_weight(torch: Any, order: Order, attend: Any, dtype: Any) -> str:
    """The weight that explains what 1/n does not: that of exponentials which are not quite 1."""
    import numpy as np

    fitted, fresh, n = 3000, 400, order.n
    x = torch.rand(fitted + fresh, n, generator=torch.Generator().manual_seed(n)).to(dtype)
    given = torch.stack([attend(row) for row in x])
    sums = np.float32(order.plain("float32").replay(x.float().numpy()))

    def agree(steps: int, part: slice) -> int:
        weight = np.float32((1 + steps * 2.0**-20) / n)
        return int((torch.from_numpy(sums[part] * weight).to(dtype) == given[part]).sum())

    found = [steps for steps in range(-500, 500) if agree(steps, slice(0, fitted)) == fitted]
    middle = found[len(found) // 2] if found else 0
    agreed = agree(middle, slice(fitted, None))
    if agreed < fresh or not middle:
        return ""
    return (f"; on {agreed} of {fresh} further inputs it is f32, times "
            f"{1 + middle * 2.0**-20:.5f} / {n}: the weights are not quite 1/n")


_EXPONENTIALS = {"about": "its denominator",
                 "why": lambda *_: "the terms are exponentials, which are not known to the bit"}


def _softmax(largest: Callable[[Any], float]) -> Callable[[int, str], tuple[Any, dict[str, Any]]]:
    """largest: logits as NumPy's array of a dtype -> the largest weight."""
    import numpy as np

    precision = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}

    def ask(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        # NumPy knows no bfloat16: the logits are numbers of any format
        wide = "float32" if dtype == "bfloat16" else dtype
        return Denominator(lambda logits: float(largest(np.array(logits, wide), dtype)), n,
                           precision[dtype]), {}

    return ask


# ---- JAX ----


def _jax() -> Iterator[Case]:
    import jax
    import jax.numpy as jnp
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    j = {"array": "jax"}

    def case(name: str, ask: Any, about: str = "", counts: tuple[int, ...] = COUNTS,
             why: Any = None) -> Case:
        return Case("jax", name, _TORCH, ask, about, counts, why)

    def linear(a: Any, b: Any) -> Any:
        return jnp.dot(a, b.T)

    def batched(a: Any, b: Any) -> Any:
        return jax.lax.batch_matmul(a[None], b[None])[0]

    def convolve(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        width, at = n // CHANNELS, AROUND // 2

        @jax.jit
        def one(x: Any, y: Any) -> Any:
            signal = jnp.zeros((1, CHANNELS, width + AROUND), x.dtype)
            signal = signal.at[0, :, at:at + width].set(x.reshape(CHANNELS, width))
            weight = jnp.zeros((COLUMNS, CHANNELS, width), x.dtype)
            weight = weight.at[1].set(y.reshape(CHANNELS, width))
            # the barrier: what is known to be zero must not be left out
            signal, weight = jax.lax.optimization_barrier((signal, weight))
            return jax.lax.conv_general_dilated(signal, weight, (1,), "VALID")[0, 1, at]

        return dot(one), {"n": n, **j}

    def attend(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
        width = 16
        query = jnp.zeros((1, ROWS, 1, width), dtype)
        key = jnp.ones((1, n, 1, width), dtype)

        @jax.jit
        def attention(x: Any) -> Any:
            value = jnp.zeros((1, n, 1, width), x.dtype).at[0, :, 0, 3].set(x)
            return jax.nn.dot_product_attention(query, key, value)[0, 1, 0, 3]

        return attention, {"n": n, **j}

    yield case("numpy.sum", _one(jnp.sum, **j))
    yield case("numpy.sum(axis=0)", _axis(jnp.sum, 0, **j))
    yield case("numpy.sum(axis=1)", _axis(jnp.sum, 1, **j))
    yield case("numpy.mean", _one(jnp.mean, **j))
    yield case("numpy.mean(x * x)", _one(lambda x: jnp.mean(x * x), **j))
    yield case("numpy.dot", _pair(jnp.dot, **j))
    yield case("numpy.matmul, a vector", _matrix_vector(jnp.matmul, **j))
    yield case("numpy.matmul", _matrices(jnp.matmul, **j))
    yield case("numpy.dot(x, w.T)", _matrices(linear, "NT", **j))
    yield case("lax.batch_matmul", _matrices(batched, **j))
    yield case("numpy.linalg.norm", _one(jnp.linalg.norm, **j))
    yield case("numpy.cumsum, its last", _one(lambda x: jnp.cumsum(x)[-1], **j))
    yield case("lax.conv_general_dilated", convolve,
               f"{CHANNELS} channels, one output of {AROUND + 1}", WHOLE)
    yield case("nn.softmax", _softmax(
        lambda z, dtype: np.max(jax.nn.softmax(jnp.asarray(z, dtype)))), **_EXPONENTIALS)
    yield case("nn.dot_product_attention", attend, "the sum over values, weights 1/n")


# ---- Python, and MKL ----


def _python() -> Iterator[Case]:
    def case(name: str, function: Any, ask: Any = _one) -> Case:
        return Case("python", name, ("float64",), ask(function, array="list"))

    yield case("builtins.sum", sum)
    yield case("math.fsum", math.fsum)
    if hasattr(math, "sumprod"):
        yield case("math.sumprod", math.sumprod, _pair)


def mkl_library() -> str | None:
    """The path of the MKL that a package of Python brought, or None."""
    import importlib.metadata

    try:
        files = importlib.metadata.files("mkl") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((str(f.locate().resolve()) for f in files if f.name.startswith("libmkl_rt.so")),
                None)


def _mkl() -> Iterator[Case]:
    library = mkl_library()
    if library is None:
        raise ImportError("the package mkl is not installed")

    def case(stem: str, shape: Callable[[int], dict[str, Any]]) -> Case:
        def ask(n: int, dtype: str) -> tuple[Any, dict[str, Any]]:
            letter = "s" if dtype == "float32" else "d"
            return f"blas:{letter}{stem}@{library}", shape(n)

        return Case("mkl", f"cblas_?{stem}", ("float32", "float64"), ask)

    yield case("dot", lambda n: {"n": n})
    yield case("asum", lambda n: {"n": n})
    yield case("nrm2", lambda n: {"n": n})
    yield case("gemv", lambda n: {"shape": (COLUMNS, n)})
    yield case("gemm", lambda n: {"shape": (ROWS, COLUMNS, n)})


_LIBRARIES: dict[str, Callable[[], Iterator[Case]]] = {
    "numpy": _numpy, "scipy": _scipy, "torch": _torch, "jax": _jax, "mkl": _mkl, "python": _python,
}


def cases(library: str) -> list[Case]:
    """The functions of a library that are asked; ImportError where it is not installed.

    >>> from accord import libraries
    >>> case = libraries.cases("numpy")[0]
    >>> case.function, case.reveal(7, "float32").text
    ('sum', '((((((0+1)+2)+3)+4)+5)+6)')
    """
    return list(_LIBRARIES[library]())


# ---- a child that answers one row after the other ----


def _head(case: Case) -> dict[str, Any]:
    """What a case is called and asked, without its functions."""
    return {name: value for name, value in case._asdict().items() if name not in ("ask", "why")}


def serve() -> None:
    """Reads lines of JSON (library, index, n, dtype and, optionally, budget in seconds) and answers
    each with a row or, where there is no index, with the library's version and cases. What
    libraries print goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        asked = json.loads(line)
        answer: dict[str, Any]
        try:
            listed = cases(asked["library"])
        except ImportError as error:
            answer = {"missing": str(error)}
        else:
            if "index" not in asked:
                answer = {"version": version(asked["library"]),
                          "cases": [_head(case) for case in listed]}
            else:
                answer = row(listed[asked["index"]], asked["n"], asked["dtype"],
                             budget=asked.get("budget"))
        print(json.dumps(answer), file=out, flush=True)


def version(library: str) -> str:
    """Version of a library, and of what it computes with."""
    import importlib.metadata
    import platform

    if library == "python":
        return platform.python_version()
    if library == "jax":
        return f"{importlib.metadata.version('jax')}, jaxlib {importlib.metadata.version('jaxlib')}"
    found = importlib.metadata.version(library)
    if library in ("numpy", "scipy"):
        try:
            built = sys.modules[library].show_config(mode="dicts")["Build Dependencies"]["blas"]
            return f"{found}, BLAS {built['name']} {built['version']}"
        except (KeyError, TypeError):
            return found
    if library == "torch":
        torch = sys.modules["torch"]
        blas = "MKL" if torch.backends.mkl.is_available() else "OpenBLAS"
        return (f"{found}, {blas}, {torch.backends.cpu.get_cpu_capability()}, "
                f"{torch.get_num_threads()} threads")
    return found


if __name__ == "__main__":
    serve()
