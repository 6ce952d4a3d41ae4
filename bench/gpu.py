#!/usr/bin/env python3
"""What accord finds on a GPU: sums, dots and matrix products of PyTorch, Triton and CuPy.

    bench/gpu.py [--device cuda] [--budget 20s] [--only WORD] [--json FILE]

Prints a Markdown table with a row for each case: the order in one line, the arithmetic, the verdict,
and what it took. Cases whose library or device is missing are rows that say so. `--device cpu` asks the same
callables of PyTorch on the CPU, to try the script. The results of a machine belong into doc/gpu.md.
"""
import argparse
import json
import platform
import sys
import time

import accord
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

TERMS = 1000
SHAPE = (64, 64, 256)  # of products: m, n, k
BATCHES = [1, 2, 3, 8, 64, 256]


class Missing(Exception):
    """A case whose library or device is not there."""


def need(module):
    try:
        return __import__(module, fromlist=["x"])
    except ImportError as missing:
        raise Missing(str(missing)) from None


# ---- PyTorch ----


def torch_sum(device, dtype):
    torch = need("torch")
    return lambda x: x.to(device).sum(), {"n": TERMS, "dtype": getattr(torch, dtype)}


def torch_dot(device, dtype):
    torch = need("torch")
    return (accord.dot(lambda x, y: torch.dot(x.to(device), y.to(device))),
            {"n": TERMS, "dtype": getattr(torch, dtype)})


def torch_product(device, dtype, tf32=False, reduced=True):
    torch = need("torch")

    def product(a, b):
        matmul = torch.backends.cuda.matmul
        matmul.allow_tf32 = tf32
        matmul.allow_fp16_reduced_precision_reduction = reduced
        matmul.allow_bf16_reduced_precision_reduction = reduced
        return a.to(device) @ b.to(device)
    return accord.gemm(product), {"shape": SHAPE, "dtype": getattr(torch, dtype)}


def torch_scaled(device, dtype):
    torch = need("torch")
    one = torch.ones((), device=device)

    def product(a, b):
        return torch._scaled_mm(a.to(device), b.to(device).t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    return accord.gemm(product, "NT"), {"shape": SHAPE, "dtype": getattr(torch, dtype)}


def torch_rows(device, dtype):
    torch = need("torch")
    return (accord.axis(lambda a, axis: a.to(device).sum(dim=axis), 1),
            {"shape": (1, TERMS), "dtype": getattr(torch, dtype), "batches": BATCHES})


def torch_products(device, dtype):
    torch = need("torch")
    return (accord.gemm(lambda a, b: a.to(device) @ b.to(device)),
            {"shape": (1, *SHAPE[1:]), "dtype": getattr(torch, dtype), "batches": BATCHES})


# ---- Triton ----


if triton:
    @triton.jit
    def sum_kernel(x, out, n, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out, tl.sum(tl.load(x + at, mask=at < n, other=0.0).to(tl.float32), axis=0))

    @triton.jit
    def product_kernel(a, b, out, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
        row, column, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
        so_far = tl.zeros((M, N), dtype=tl.float32)
        for at in range(0, k, K):
            x = tl.load(a + row[:, None] * k + (at + inner)[None, :])
            y = tl.load(b + (at + inner)[:, None] * N + column[None, :])
            so_far = tl.dot(x, y, so_far)
        tl.store(out + row[:, None] * N + column[None, :], so_far)


def triton_sum(device, dtype):
    torch = need("torch")
    need("triton")

    def total(x):
        out = torch.empty(1, dtype=torch.float32, device=device)
        sum_kernel[(1,)](x.to(device), out, x.numel(), BLOCK=1024)
        return out[0]
    return total, {"n": TERMS, "dtype": getattr(torch, dtype)}


def triton_product(device, dtype):
    torch = need("torch")
    need("triton")
    m, n, k = 16, 16, SHAPE[2]

    def product(a, b):
        out = torch.empty((m, n), dtype=torch.float32, device=device)
        product_kernel[(1,)](a.to(device), b.to(device), out, k, M=m, N=n, K=64)
        return out
    return accord.gemm(product), {"shape": (m, n, k), "dtype": getattr(torch, dtype)}


# ---- CuPy ----


def cupy_sum(device, dtype):
    cupy = need("cupy")
    return lambda x: float(cupy.asarray(x).sum()), {"n": TERMS, "dtype": dtype, "output": dtype}


def cupy_dot(device, dtype):
    cupy = need("cupy")
    return (accord.dot(lambda x, y: float(cupy.dot(cupy.asarray(x), cupy.asarray(y)))),
            {"n": TERMS, "dtype": dtype, "output": dtype})


def cupy_product(device, dtype):
    cupy = need("cupy")
    return (accord.gemm(lambda a, b: cupy.asnumpy(cupy.matmul(cupy.asarray(a), cupy.asarray(b)))),
            {"shape": SHAPE, "dtype": dtype})


# ---- all of them ----

FLOATS = ("float32", "float64", "float16", "bfloat16")
CASES = ([(f"torch.sum {d}", torch_sum, d, {}) for d in FLOATS]
         + [(f"torch.dot {d}", torch_dot, d, {}) for d in FLOATS]
         + [(f"torch.mm {d}", torch_product, d, {}) for d in FLOATS]
         + [("torch.mm float32, tf32 allowed", torch_product, "float32", {"tf32": True})]
         + [(f"torch.mm {d}, reductions not reduced", torch_product, d, {"reduced": False})
            for d in ("float16", "bfloat16")]
         + [(f"torch._scaled_mm {d}", torch_scaled, d, {}) for d in ("float8_e4m3fn", "float8_e5m2")]
         + [(f"batches of rows of torch.sum, {d}", torch_rows, d, {}) for d in ("float32", "bfloat16")]
         + [(f"batches of rows of torch.mm, {d}", torch_products, d, {}) for d in ("float32", "bfloat16")]
         + [(f"triton sum {d}", triton_sum, d, {}) for d in ("float32", "float16")]
         + [(f"triton dot {d}", triton_product, d, {}) for d in ("float32", "float16", "bfloat16")]
         + [(f"cupy.sum {d}", cupy_sum, d, {}) for d in FLOATS[:3]]
         + [(f"cupy.dot {d}", cupy_dot, d, {}) for d in FLOATS[:3]]
         + [(f"cupy.matmul {d}", cupy_product, d, {}) for d in FLOATS[:3]])


def ask(make, device, dtype, more, budget):
    """The row of one case."""
    start = time.monotonic()
    row = {"order": "", "arithmetic": "", "calls": None}
    try:
        target, how = make(device, dtype, **more)
        batches = how.pop("batches", None)
        if batches:
            found = accord.batch_invariant(target, batches, budget=budget, **how)
            row["verdict"] = "the same for all batches" if found.same else "depends on the batch"
            row["order"] = "; ".join(line.strip() for line in str(found).splitlines()[1:])
        else:
            found = accord.reveal(target, loose=True, budget=budget, **how)
            row.update(order=found.notation, arithmetic=str(found.model or "not explained"),
                       verdict="proven" if found.proven else found.verdict[found.verdict.find("not proven"):],
                       calls=sum(n for name, n in found.counts.items() if name.endswith("_calls")))
    except Missing as missing:
        row["verdict"] = f"skipped: {missing}"
    except (accord.UnableError, accord.CannotTellError) as unable:
        row["verdict"] = f"unable: {unable}"
    except Exception as error:  # what one case does must not end the others
        row["verdict"] = f"failed: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    row["seconds"] = round(time.monotonic() - start, 1)
    return row


def machine(device):
    names = [f"accord {accord.__version__}", platform.processor() or platform.machine()]
    try:
        torch = need("torch")
        names.append(f"PyTorch {torch.__version__}")
        if device == "cuda":
            names += [torch.cuda.get_device_name(), f"CUDA {torch.version.cuda}"]
    except (Missing, RuntimeError, AssertionError) as missing:
        names.append(str(missing).splitlines()[0])
    return ", ".join(names)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--device", default="cuda", help="of PyTorch and Triton (default: cuda)")
    arguments.add_argument("--budget", default="20s", help="for each question (default: 20s)")
    arguments.add_argument("--only", default="", help="cases whose name contains this")
    arguments.add_argument("--json", help="also write the rows to this file, one in each line")
    given = arguments.parse_args()
    chosen = [case for case in CASES if given.only in case[0]]
    if not chosen:
        return "no case has that in its name"
    print(f"{machine(given.device)}, {time.strftime('%Y-%m-%d')}\n")
    print("| case | order | arithmetic | verdict | calls | s |\n|---|---|---|---|--:|--:|", flush=True)
    rows = []
    for name, make, dtype, more in chosen:
        row = ask(make, given.device, dtype, more, given.budget)
        rows.append({"case": name, **row})
        print("| " + " | ".join(str(v if v is not None else "") for v in
              (name, f"`{row['order']}`" if row["order"] else "", row["arithmetic"], row["verdict"], row["calls"],
               row["seconds"])) + " |", flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
