#!/usr/bin/env python3
"""notation_lengths.py BUILD [WORD...]: the rows of bench/results/notation-lengths.md.

Each row reveals one routine with many numbers of terms and tells how long the longest notation is. Rows of BLAS libraries, MPI's textbook orders and machines come from
BUILD/bench/accord-notation-lengths; those of PyTorch, JAX and NumPy need the package accord in this
Python, and are left out where a library is missing. With WORDs only rows that contain one of them
are made. Debian's packages of the BLAS libraries, and MKL's of PyPI, are used where they are."""
import glob
import importlib.util
import os
import subprocess
import sys

COUNTS = ["1-70/3", "71-4096/113", "1000", "1023", "1024", "2047", "2048", "4095", "4096"]
FEW = ["1-70/5", "72-4096/397", "384", "385", "1024", "1028", "2048", "2049", "4095"]
THREADED = ["10001-40000/2999", "16384", "32768"]
LIBRARY = "/usr/lib/x86_64-linux-gnu/"
VECTORS = [(kind + name, "f32" if kind == "s" else "f64")
           for name in ("dot", "asum", "nrm2") for kind in "sd"]
CORES = ["Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", "Cooperlake",
         "SapphireRapids"]
BLIS = {"3": "haswell", "4": "sandybridge", "5": "penryn", "7": "zen2", "9": "excavator"}  # BLIS_ARCH_TYPE of BLIS 0.9.0
MATRICES = [("sgemv", "f32", "5x", "3"), ("sgemm", "f32", "7x9x", "6,8"),
            ("dgemm", "f64", "7x9x", "6,8")]
MPI = ["recursive-doubling", "recursive-halving", "ring", "ring-down", "chain:4", "binary",
       "in-order-binary", "binomial", "k-ary:4", "nccl-tree", "nccl-second-tree",
       "hierarchical:8", "hierarchical-cyclic:8"]
MACHINES = ["volta-f16", "hopper-f16", "blackwell-bf16", "cdna1-f16", "cdna2-bf16-1k",
            "tdpbf16ps", "vdpbf16ps"]
PYTHON_COUNTS = [*range(1, 65, 3), *range(65, 4097, 331), 256, 1000, 1024, 2048, 4096]


class Table:
    def __init__(self, build, words):
        self.program = os.path.join(build, "bench", "accord-notation-lengths")
        self.words = words

    def wants(self, *names):
        return not self.words or any(w in " ".join(names) for w in self.words)

    def row(self, library, routine, numbers, text):
        print("|", library, "|", routine, "|", " | ".join(str(n) for n in numbers), "|",
              f"`{text}` |", flush=True)

    def ask(self, library, routine, target, form, shape="-", element="-", counts=None, **around):
        """A row of the program, whose first two cells are the target and the shape."""
        counts = counts or (COUNTS if shape == "-" else FEW)
        name = routine if shape == "-" else f"{routine} {shape}K ({element})"
        if not self.wants(library, name):
            return
        done = subprocess.run([self.program, target, form, shape, element, *counts], text=True,
                              stdout=subprocess.PIPE, check=False, env={**os.environ, **around})
        cells = done.stdout.strip().strip("|").split(" | ")
        if len(cells) < 8:
            raise SystemExit(f"{library}, {name}: {done.stdout}")
        self.row(library, name, cells[2:7], " | ".join(cells[7:]).strip().strip("`"))

    def blas(self, library, path, routines, matrices, counts=None, **around):
        if not os.path.exists(path):
            return
        for routine, form in routines:
            self.ask(library, routine, f"blas:{routine}@{path}", form, counts=counts, **around)
        for routine, form, shape, element in matrices:
            self.ask(library, routine, f"blas:{routine}@{path}", form, shape, element, **around)

    def python(self, library, routine, target, question, **settings):
        """A row of a Python function; question(n) are the arguments of accord.reveal."""
        if not self.wants(library, routine):
            return
        import accord
        orders = failed = over = brackets = 0
        longest = ""
        for n in PYTHON_COUNTS:
            try:
                order = accord.reveal(target, certificate=False, **question(n), **settings)
            except accord.Error:
                failed += 1
                continue
            text = str(order.notation)
            orders += 1
            over += len(text) > 120
            brackets += "tree (" in text
            longest = max(longest, text, key=len)
        self.row(library, routine, (orders, failed, len(longest), over, brackets), longest)


def has(module):
    return importlib.util.find_spec(module) is not None


def torch_rows(table):
    import accord
    import torch
    name = "PyTorch " + torch.__version__.split("+", maxsplit=1)[0]
    torch.set_num_threads(1)
    for dtype in ("float32", "float64"):
        table.python(name, f"torch.sum {dtype}", torch.sum, lambda n: {"n": n}, dtype=dtype)
        table.python(name, f"torch.dot {dtype}", accord.dot(torch.dot), lambda n: {"n": n},
                     dtype=dtype)
    for dtype in ("float32", "bfloat16", "float16"):
        library = name if dtype == "float32" else name + " (oneDNN)"
        for rows in (1, 16):
            shape = lambda n, m=rows: {"shape": (m, 16, n)}
            table.python(library, f"torch.mm {dtype} {rows}x16xK",
                         accord.gemm(torch.mm, "NN"), shape, dtype=dtype, array="torch")
            table.python(library, f"linear {dtype} {rows}x16xK",
                         accord.gemm(torch.nn.functional.linear, "NT"), shape, dtype=dtype,
                         array="torch")
    for threads in (2, 4, 8):
        torch.set_num_threads(threads)
        table.python(f"{name}, {threads} threads", "torch.sum float32", torch.sum,
                     lambda n: {"n": n + 33000}, dtype="float32")
    torch.set_num_threads(1)


def jax_rows(table):
    import accord
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    name = "JAX " + jax.__version__
    for dtype in ("float32", "float64"):
        table.python(name, f"jnp.sum {dtype}", jnp.sum, lambda n: {"n": n}, dtype=dtype)
        table.python(name, f"jnp.dot {dtype}", accord.dot(jnp.dot), lambda n: {"n": n},
                     dtype=dtype)
        table.python(name, f"jnp.matmul {dtype} 4x4xK", accord.gemm(jnp.matmul, "NN"),
                     lambda n: {"shape": (4, 4, n)}, dtype=dtype)


def numpy_rows(table):
    import accord
    import numpy as np
    name = "NumPy " + np.__version__
    for dtype in ("float32", "float64", "float16"):
        table.python(name, f"np.sum {dtype}", np.sum, lambda n: {"n": n}, dtype=dtype)
    table.python(name, "np.add.accumulate backward", lambda x: np.add.accumulate(x[::-1])[-1],
                 lambda n: {"n": n}, dtype="float32")
    for threads in (2, 4, 8):
        if not has("threadpoolctl"):
            return
        import threadpoolctl
        with threadpoolctl.threadpool_limits(threads):
            around = f"{name} (OpenBLAS), {threads} threads"
            table.python(around, "np.dot float64", accord.dot(np.dot), lambda n: {"n": n + 16000},
                         dtype="float64")
            table.python(around, "np.matmul float32 64x64xK", accord.gemm(np.matmul, "NN"),
                         lambda n: {"shape": (64, 64, n)}, dtype="float32")


def blas_rows(table):
    openblas = LIBRARY + "openblas-serial/libopenblas.so.0"
    for core in CORES:
        table.blas("OpenBLAS " + core, openblas, VECTORS, MATRICES, OPENBLAS_CORETYPE=core)
    for arch, name in BLIS.items():  # its other vector routines are chains
        table.blas("BLIS " + name, LIBRARY + "blis-serial/libblis.so.4", VECTORS[:3], MATRICES,
                   BLIS_ARCH_TYPE=arch)
    table.blas("GSL", LIBRARY + "libgslcblas.so.0", VECTORS[:4], MATRICES)  # its norms are scaled
    for name, path in (("ATLAS", "atlas/libblas.so.3"), ("reference", "blas/libblas.so.3")):
        table.blas(name, LIBRARY + path, VECTORS, MATRICES)
    openblas = LIBRARY + "openblas-pthread/libopenblas.so.0"
    for core in ("Haswell", "SkylakeX"):  # as many threads as processors at most, as here
        around = {"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": "2"}
        name = f"OpenBLAS {core}, 2 threads"
        table.blas(name, openblas, [("ddot", "f64")], [], THREADED, **around)
        table.blas(name, openblas, [], MATRICES[:2], **around)


def mkl_rows(table):
    folder = os.path.join(sys.prefix, "lib")
    mkl = sorted(glob.glob(os.path.join(folder, "libmkl_rt.so.*")))
    if not mkl:
        return
    table.blas("MKL", mkl[0], VECTORS, MATRICES, MKL_THREADING_LAYER="SEQUENTIAL")
    for threads in ("2", "4", "8"):
        around = {"MKL_NUM_THREADS": threads, "MKL_DYNAMIC": "FALSE", "LD_LIBRARY_PATH": folder}
        name = f"MKL, {threads} threads"
        table.blas(name, mkl[0], [("sdot", "f32"), ("ddot", "f64")], [], THREADED, **around)
        table.blas(name, mkl[0], [], MATRICES[:2], **around)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    table = Table(sys.argv[1], sys.argv[2:])
    print("| library | routine | orders | failed | longest | over 120 | with brackets | "
          "the longest one |\n|---|---|--:|--:|--:|--:|--:|---|", flush=True)
    blas_rows(table)
    mkl_rows(table)
    for order in MPI:
        table.ask("MPI", order, "synthetic:" + order, "f32")
    for machine in MACHINES:
        table.ask("machine", machine, "synthetic:" + machine, "-")
    for module, rows in (("numpy", numpy_rows), ("torch", torch_rows), ("jax", jax_rows)):
        if has(module) and has("accord"):
            rows(table)


if __name__ == "__main__":
    main()
