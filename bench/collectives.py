#!/usr/bin/env python3
"""Which order do the collective operations of MPI and of Gloo have? Tables for doc/collectives.md.

    bench/collectives.py build/accord openmpi mpich mpich=MPICH-5=/opt/mpich5/start > table.md
    bench/collectives.py build/accord mpich=MPICH-5=/opt/mpich5/bin/mpirun=2-16 > table.md
    bench/collectives.py build/accord mpich=MPICH-5=/opt/mpich5/bin/mpirun=2-16=NAME=VALUE > table.md
    bench/collectives.py gloo > table.md      # torch.distributed, by the Python package

An argument is an MPI that accord was built with, or such an MPI, a title, and a launcher of another
version that has its ABI. With numbers of ranks behind it, only its all-reduce is asked, for these,
with a variable of the environment if one follows.
Every row is a question; what cannot be asked, or takes longer than PATIENCE, is a row, too.
"""
import json
import os
import subprocess
import sys

OPERATIONS = ["allreduce", "reduce", "scan", "reduce_scatter_block"]
RANKS = [2, 3, 4, 5, 6, 7, 8]
LENGTHS = [1, 10, 1000]
PATIENCE = 60  # seconds a question
VARIABLES = {  # what is said to choose the algorithm
    "openmpi": [{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                 "OMPI_MCA_coll_tuned_allreduce_algorithm": str(i)} for i in range(1, 7)],
    "mpich": [{"MPIR_CVAR_DEVICE_COLLECTIVES": "none"}],
}


def ask(accord, verb, target, ranks, *options, environment=None):
    command = [accord, verb, target, "-n", str(ranks), "--json", "-q", "--timeout", str(PATIENCE)]
    try:
        said = subprocess.run([*command, *options], capture_output=True, text=True,
                              timeout=PATIENCE, env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired:
        return None, f"{verb}: no answer in {PATIENCE} s"
    try:
        return said.returncode, json.loads(said.stdout)
    except ValueError:
        lines = said.stderr.strip().splitlines()
        return said.returncode, lines[-1].removeprefix("accord: ") if lines else "no answer"


def brackets(tree):
    """((0+1)+2), from the parent of each node; leaves come first, and children keep their order."""
    words = [str(leaf) for leaf in range(tree["leaves"])] + [""] * tree["inner"]
    below = {}
    for node, parent in enumerate(tree["parents"]):
        below.setdefault(parent, []).append(node)
    for node in sorted(below):
        children = sorted(below[node], key=lambda child: int(words[child].strip("(").split("+")[0]))
        words[node] = f"({'+'.join(words[child] for child in children)})"
    return words[-1]


def order_of(record):
    tree = record.get("tree")
    if not tree:
        return record["answer"].get("reason", "no order")
    names = tree.get("names") or []
    shown = dict.fromkeys([tree.get("notation") or "", brackets(tree) if tree["leaves"] <= 8 else ""])
    trees = " = ".join(f"`{text}`" for text in shown if text) or f"`{brackets(tree)}`"
    return trees + (f" ({'; '.join(names[:2])})" if names else "")


def circumstances(record):
    evidence = record.get("evidence", {})
    held, warned = evidence.get("circumstances", []), evidence.get("warnings", [])
    first = ("differ" if any("first calls" in w for w in warned)
             else "same" if any("first calls" in h for h in held) else "")
    late = "same" if any("late" in h for h in held) else ""
    return first, late


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def question(accord, title, target, operation, ranks, length, words="", environment=None):
    status, record = ask(accord, "reveal", target, ranks, environment=environment)
    if isinstance(record, str):
        row(title, operation, ranks, length, words, record, "", "", "")
        return
    agree = "no" if record["answer"].get("reason") == "copies" else "yes"
    first, late = circumstances(record)
    shown = order_of(record)
    if length > 1 and operation == "allreduce":
        status, answer = ask(accord, "map", target, ranks, environment=environment)
        if isinstance(answer, str):
            shown += f"; {answer}"
        else:
            classes = len(answer["classes"])
            shown += f"; {classes} orders in all" if classes > 1 else ""
            agree = "no" if status == 1 else agree
    row(title, operation, ranks, length, words, shown, agree, first, late)


GLOO = ["all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor"]
DTYPES = ["float32", "float64", "float16", "bfloat16"]


def gloo_question(operation, ranks, length, dtype, whole):
    import accord

    try:
        found = accord.collective(operation, ranks, "gloo", dtype, length, certificate=whole,
                                  replays=64, timeout=60)
    except accord.Error as error:
        row(operation, ranks, length, dtype, str(error), "", "", "", "")
        return
    order = found.order()
    late = [held for held in found.circumstances if "late" in held]
    first = [held for held in found.circumstances if "first" in held]
    row(operation, ranks, length, dtype, f"`{order.text}`", len(found.classes),
        "one has it" if operation != "all_reduce" else "yes" if found.agree else "no",
        order.model or "not asked",
        f"{'same' if first else 'differ' if found.warnings else 'not asked'}, "
        f"{'same' if late else 'not asked'}")


def gloo():
    row("operation", "ranks", "length", "dtype", "order at position 0", "orders in all",
        "ranks agree", "arithmetic", "first calls, late ranks")
    print("|" + "---|" * 9)
    for operation in GLOO:
        for ranks in RANKS:
            for length in [1, 16, 1000]:
                gloo_question(operation, ranks, length, "float32", whole=False)
            for dtype in DTYPES[1:]:
                gloo_question(operation, ranks, 16, dtype, whole=False)
        for dtype in DTYPES:
            gloo_question(operation, 3, 1, dtype, whole=True)


def main():
    accord, *mpis = sys.argv[1:]
    if accord == "gloo":
        return gloo()
    row("MPI", "operation", "ranks", "length", "variables", "order at position 0", "ranks agree",
        "first calls", "late ranks")
    print("|" + "---|" * 9)
    for mpi in mpis:
        family, title, launcher, some, words = (mpi.split("=", 4) + [""] * 4)[:5]
        tail = f",launcher={launcher}" if launcher else ""
        if some:
            least, most = map(int, some.split("-"))
            for ranks in range(least, most + 1):
                for length in LENGTHS:
                    question(accord, title, f"mpi:allreduce@{family},length={length}{tail}",
                             "allreduce", ranks, length, words,
                             dict([words.split("=", 1)]) if words else None)
            continue
        for operation in OPERATIONS:
            for ranks in RANKS if operation == "allreduce" else [4, 6, 8]:
                for length in LENGTHS if operation == "allreduce" else [1]:
                    target = f"mpi:{operation}@{family},length={length}{tail}"
                    question(accord, title or family, target, operation, ranks, length)
        for variables in VARIABLES[family]:
            words = " ".join(f"{k}={v}" for k, v in variables.items() if "dynamic" not in k)
            for length in [1, 1000]:
                question(accord, title or family, f"mpi:allreduce@{family},length={length}{tail}",
                         "allreduce", 6, length, words, variables)


if __name__ == "__main__":
    main()
