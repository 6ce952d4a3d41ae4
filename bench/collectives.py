#!/usr/bin/env python3
"""Which order do the collective operations of MPI and of Gloo have? Rows of a table.

    bench/collectives.py build/accord openmpi > table.md
    bench/collectives.py build/accord mpich --launcher VENV/bin/mpirun --ranks 2-16 > table.md
    bench/collectives.py build/accord mpich --ranks 6 --lengths 1,100000 --env NAME=VALUE > table.md
    bench/collectives.py build/accord openmpi --ranks 4 --lengths 10 --formats f16,bf16 > table.md
    bench/collectives.py gloo > table.md      # torch.distributed, by the Python package

The MPI is one that accord was built with; --launcher starts another version with its ABI. With
--ranks, only the all-reduce is asked, for these numbers of ranks; otherwise everything that PLAN
has. Every row is a question; what cannot be asked, or takes longer than --patience, is a row, too.
bench/collectives_summary.py makes the summary in doc/collectives.md of all rows.
"""
import argparse
import json
import os
import re
import subprocess

RANKS = [2, 3, 4, 5, 6, 7, 8]
LENGTHS = [1, 10, 1000]
PLAN = [("allreduce", RANKS, LENGTHS)] + [
    (operation, [4, 6, 8], [1]) for operation in ("reduce", "scan", "reduce_scatter_block")]
VARIABLES = {  # what is said to choose the algorithm
    "openmpi": [{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                 "OMPI_MCA_coll_tuned_allreduce_algorithm": str(i)} for i in range(1, 7)],
    "mpich": [{"MPIR_CVAR_DEVICE_COLLECTIVES": "none"}],
}
COLUMNS = ["MPI", "operation", "ranks", "length", "format", "variables", "order at position 0",
           "arithmetic", "ranks agree", "first calls", "late ranks"]


def ask(given, verb, target, ranks, format, environment):
    command = [given.accord, verb, target, "-n", str(ranks), "--format", format, "--json", "-q",
               "--timeout", str(given.patience)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=given.patience,
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return None, f"{verb}: no answer in {given.patience} s"
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


def arithmetic_of(record):
    found = re.search(r"with this arithmetic: (.*)\.$", record["answer"].get("verdict", ""))
    return found.group(1) if found else ""


def circumstances(record):
    evidence = record.get("evidence", {})
    held, warned = evidence.get("circumstances", []), evidence.get("warnings", [])
    first = ("differ" if any("first calls" in w for w in warned)
             else "same" if any("first calls" in h for h in held) else "")
    late = "same" if any("late" in h for h in held) else ""
    return first, late


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def version_of(record):
    """"Open MPI 4.1.4", from what the ranks say."""
    words = record["question"].get("library_version", "").split(";")[0]
    found = re.search(r"(Open MPI|MPICH|Intel\(R\) MPI).*?v?(\d+(?:\.\d+)+)", words)
    return f"{found.group(1).replace('(R)', '')} {found.group(2)}" if found else words


def question(given, operation, ranks, length, format, environment):
    tail = f",launcher={given.launcher}" if given.launcher else ""
    target = f"mpi:{operation}@{given.family},length={length}{tail}"
    words = " ".join(f"{k}={v}" for k, v in environment.items() if "dynamic" not in k)
    status, record = ask(given, "reveal", target, ranks, format, environment)
    if isinstance(record, str):
        row(given.title or given.family, operation, ranks, length, format, words, record,
            "", "", "", "")
        return
    agree = "no" if record["answer"].get("reason") == "copies" else "yes"
    first, late = circumstances(record)
    shown = order_of(record)
    if length > 1 and operation == "allreduce":
        status, answer = ask(given, "map", target, ranks, format, environment)
        if isinstance(answer, str):
            shown += f"; {answer}"
        else:
            classes = len(answer["classes"])
            shown += f"; {classes} orders in all" if classes > 1 else ""
            agree = "no" if status == 1 else agree
    row(given.title or version_of(record), operation, ranks, length, format, words, shown,
        arithmetic_of(record), agree, first, late)


def mpi(given):
    row(*COLUMNS)
    print("|" + "---|" * len(COLUMNS))
    if given.ranks:
        for format in given.formats:
            for ranks in given.ranks:
                for length in given.lengths:
                    question(given, "allreduce", ranks, length, format, dict(given.env))
        return
    for operation, some, lengths in PLAN:
        for ranks in some:
            for length in lengths:
                question(given, operation, ranks, length, "f32", {})
    for environment in VARIABLES[given.family]:
        for length in [1, 1000]:
            question(given, "allreduce", 6, length, "f32", environment)
    for format in ["f16", "bf16"]:
        question(given, "allreduce", 6, 10, format, {})


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


def numbers(text):
    """2-16 or 1,10,1000."""
    least, _, most = text.partition("-")
    return list(range(int(least), int(most) + 1)) if most else [int(x) for x in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("accord", help="the program accord, or gloo")
    parser.add_argument("family", nargs="?", choices=sorted(VARIABLES), help="the MPI")
    parser.add_argument("--title", help="its name in the rows, if not what the ranks say")
    parser.add_argument("--launcher", help="what starts the ranks of another version")
    parser.add_argument("--ranks", type=numbers, help="2-16 or 4,6,8")
    parser.add_argument("--lengths", type=numbers, default=LENGTHS)
    parser.add_argument("--formats", type=lambda text: text.split(","), default=["f32"])
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                        type=lambda text: tuple(text.split("=", 1)))
    parser.add_argument("--patience", type=int, default=60, help="seconds a question")
    given = parser.parse_args()
    if given.accord == "gloo":
        return gloo()
    if not given.family:
        parser.error("say which MPI: openmpi or mpich")
    mpi(given)


if __name__ == "__main__":
    main()
