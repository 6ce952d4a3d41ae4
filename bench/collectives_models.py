#!/usr/bin/env python3
"""Do the all-reduce and the reduce of an MPI add along the textbook trees of their algorithms?

    bench/collectives_models.py build/accord "Open MPI" allreduce 2-16 [VENV/bin/mpirun]
    bench/collectives_models.py build/accord MPICH reduce 2-16 [VENV/bin/mpirun] --lengths 1,1000

The trees are written out here, and not those of accord's synthetic targets. Questions and what was
found go to standard error, and a table to standard output: for each algorithm the tree that was due,
how many of those that accord found are the same, and all that are not.
"""
import argparse
import json
import os
import re
import subprocess
import sys


def chain(terms):
    tree = terms[0]
    for term in terms[1:]:
        tree = (tree, term)
    return tree


def chain_back(terms):
    tree = terms[-1]
    for term in terms[-2::-1]:
        tree = (term, tree)
    return tree


def linear(ranks):
    return chain_back(range(ranks))


def recursive_doubling(ranks):
    power = 1 << (ranks.bit_length() - 1)
    over = ranks - power
    trees = [(2 * i, 2 * i + 1) for i in range(over)] + list(range(2 * over, ranks))
    while len(trees) > 1:
        trees = list(zip(trees[::2], trees[1::2]))
    return trees[0]


def ring(start, ranks):
    return chain([(start + k) % ranks for k in range(ranks)])


def with_children(children, rank=0):
    return chain([rank] + [with_children(children, child) for child in children(rank)])


def binary(ranks):
    def children(rank):
        level = 1 << ((rank + 1).bit_length() - 1)
        return [child for child in (rank + level, rank + 2 * level) if child < ranks]
    return with_children(children)


def binomial(ranks):
    def children(rank):
        lowest = rank & -rank or ranks
        return [rank + (1 << k) for k in range(ranks.bit_length()) if 1 << k < lowest and rank + (1 << k) < ranks]
    return with_children(children)


def k_nomial(ranks, radix):
    """Of Intel MPI: a binomial tree has radix 2. Nearer children come first."""
    def children(rank):
        lowest = 1
        while rank and rank % (lowest * radix) == 0:
            lowest *= radix
        powers = [radix ** i for i in range(ranks.bit_length()) if radix ** i < (lowest if rank else ranks)]
        return [rank + k * power for power in powers for k in range(1, radix) if rank + k * power < ranks]
    return with_children(children)


def k_ary(ranks, count):
    def children(rank):
        return [child for child in range(count * rank + 1, count * rank + count + 1) if child < ranks]
    return with_children(children)


def in_order_binary(ranks, first=0):
    """The last rank is above two halves, the upper of which it takes first."""
    last = first + ranks - 1
    lower = ranks // 2 if ranks > 2 else 0
    parts = ([in_order_binary(ranks - 1 - lower, first + lower)] if ranks > 1 else []) + [last]
    upper = chain(parts)
    return (in_order_binary(lower, first), upper) if lower else upper


def chains(ranks, count):
    each, more = divmod(ranks - 1, count)
    parts, first = [0], 1
    for i in range(count):
        length = each + (i < more)
        parts += [chain_back(range(first, first + length))] if length else []
        first += length
    return chain(parts)


def block_of(position, length, ranks):
    """Open MPI's blocks of a ring: the first of them are one longer."""
    each, more = divmod(length, ranks)
    long = more * (each + 1)
    return position // (each + 1) if position < long else more + (position - long) // each


def text_of(tree):
    """Its least term, and brackets with the least term first."""
    if isinstance(tree, int):
        return tree, str(tree)
    parts = sorted(text_of(part) for part in tree)
    return parts[0][0], f"({'+'.join(part[1] for part in parts)})"


def text_of_parents(tree):
    below, texts = {}, {leaf: (leaf, str(leaf)) for leaf in range(tree["leaves"])}
    for node, parent in enumerate(tree["parents"]):
        below.setdefault(parent, []).append(node)
    for node in sorted(below):
        parts = sorted(texts[child] for child in below[node])
        texts[node] = parts[0][0], f"({'+'.join(part[1] for part in parts)})"
    return texts[max(texts)][1]


def ask(accord, launcher, family, question):
    """What was asked, and which of the trees that are due was found; else the tree."""
    target = f"mpi:{question['operation']}@{family},length={question['length']},warm={question.get('warm', 1)}"
    if "at" in question:
        target += ",position=%d,rank=%d" % question["at"]
    target += f",launcher={launcher}" if launcher else ""
    found = subprocess.run([accord, "reveal", target, "-n", str(question["ranks"]), "--json", "-q",
                            "--budget", "400calls"],
                           capture_output=True, text=True, env={**os.environ, **question["variables"]})
    try:
        answer = json.loads(found.stdout)
        question["version"] = re.search(r"\d+(\.\d+)+", answer["question"]["library_version"])[0]
        seen = text_of_parents(answer["tree"])
    except (ValueError, KeyError):
        seen = found.stderr.strip().splitlines()[-1:]
    for name, tree in question["due"].items():
        if seen == text_of(tree)[1]:
            return name, None
    return None, seen


def ring_of(blocks_begin, block, ranks):
    return {"ring": ring((block + blocks_begin) % ranks, ranks)}


def of_open_mpi(operation, ranks, length, places, _):
    power = 1 << (ranks.bit_length() - 1)
    doubling = {"recursive doubling or Rabenseifner": recursive_doubling(ranks)}
    last = {"linear from the last rank": linear(ranks)}
    longer = doubling if length >= power else last
    trees = {
        "allreduce": {"": doubling, "1": last, "2": {"binary tree": binary(ranks)},
                      "3": doubling, "4": None, "5": None, "6": longer},
        "reduce": {"1": last, "2": {"4 chains of ranks": chains(ranks, 4)}, "3": last,
                   "4": {"binary tree": binary(ranks)}, "5": {"binomial tree": binomial(ranks)},
                   "6": {"in-order binary tree": in_order_binary(ranks)}, "7": longer},
    }[operation]  # None: a ring
    for algorithm, due in trees.items():
        variables = {f"OMPI_MCA_coll_tuned_{operation}_algorithm": algorithm} if algorithm else {}
        for place in places if due is None and length >= ranks else places[:1]:
            around = ring_of(0, block_of(place[0], length, ranks), ranks) if length >= ranks else doubling
            yield {"variables": variables, "at": place, "due": around if due is None else due}


def of_mpich(operation, ranks, length, places, mpich5):
    doubling = {"recursive doubling or Rabenseifner": recursive_doubling(ranks)}
    none = {"MPIR_CVAR_DEVICE_COLLECTIVES": "none"} if mpich5 else {}
    yield {"variables": none, "at": places[0], "due": doubling}
    if not mpich5 or operation != "allreduce":
        return
    children = 4 if length < 1000 else 2
    yield {"variables": {}, "at": places[0], "warm": 8,
           "due": {f"tree of {children} children a rank": k_ary(ranks, children)}}
    ring_due = {**none, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "ring"}
    for place in places if length > ranks else []:  # blocks of the same length but for the last
        yield {"variables": ring_due, "at": place,
               "due": ring_of(1, place[0] // -(-length // ranks), ranks)}
    yield {"variables": {**none, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "reduce_scatter_allgather"},
           "at": places[0], "due": doubling}


def of_intel_mpi(operation, ranks, length, places, _):
    doubling = {"recursive doubling or Rabenseifner": recursive_doubling(ranks)}
    yield {"variables": {"I_MPI_CBWR": "1"}, "at": places[0], "due": doubling}
    # Its choice depends on the processor: first what an AMD EPYC has.
    radices = {f"{radix}-nomial tree": k_nomial(ranks, radix) for radix in (4, 3, *range(5, ranks + 1))}
    two = {"binomial tree": binomial(ranks)}
    yield {"variables": {}, "at": places[0],
           "due": {**radices, **two, **doubling} if length < 1000 else {**two, **doubling, **radices}}


IMPLEMENTATIONS = {"Open MPI": ("openmpi", of_open_mpi), "MPICH": ("mpich", of_mpich),
                   "Intel MPI": ("mpich", of_intel_mpi)}


def questions(which, operation, ranks, lengths, mpich5):
    for text in lengths:
        length = 2 * ranks + 3 if text == "2r+3" else int(text)
        places = [(0, 0)] if length == 1 else [(0, 0), (length // 2, ranks // 2), (length - 1, ranks - 1)]
        if operation == "reduce":
            places = [(place, 0) for place, _ in places]
        for question in IMPLEMENTATIONS[which][1](operation, ranks, length, places, mpich5):
            variables = dict(question["variables"])
            if any(name.startswith("OMPI_MCA_coll_tuned") for name in variables):
                variables["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1"
            yield {**question, "operation": operation, "ranks": ranks, "length": length, "lengths": text,
                   "shown": " ".join(f"{name}={value}" for name, value in question["variables"].items()),
                   "variables": variables}


def spans(numbers):
    numbers, text = sorted(set(numbers)), []
    while numbers:
        last = max(n for n in numbers if set(range(numbers[0], n + 1)) <= set(numbers))
        text.append(str(numbers[0]) if last == numbers[0] else f"{numbers[0]} to {last}")
        numbers = [n for n in numbers if n > last]
    return ", ".join(text)


def where(rows):
    ranks = spans(question["ranks"] for question in rows)
    lengths = list(dict.fromkeys(question["lengths"] for question in rows))
    return f"{ranks} ranks, length{'s' * (len(lengths) > 1)} {', '.join(lengths)}"


def table_row(which, asked, shown):
    rows = [question for question in asked if question["shown"] == shown]
    same = [question for question in rows if question["name"]]
    names = {name: [question for question in same if question["name"] == name]
             for name in dict.fromkeys(question["name"] for question in same)}
    others = [f"{question['ranks']} ranks, length {question['length']}: `{question['seen']}`"
              for question in rows if not question["name"]]
    tree = "; ".join(name if len(names) == 1 else f"{name} ({where(found)})" for name, found in names.items())
    version = next((question["version"] for question in rows if "version" in question), "of unknown version")
    cells = [f"{which} {version}", rows[0]["operation"], f"`{shown}`" if shown else "default", where(rows), tree,
             f"{len(same)} of {len(rows)}", "; ".join(others) or "none"]
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("accord")
    parser.add_argument("which", choices=list(IMPLEMENTATIONS))
    parser.add_argument("operation", choices=["allreduce", "reduce"])
    parser.add_argument("ranks", help="such as 2-16")
    parser.add_argument("launcher", nargs="?", default="")
    parser.add_argument("--lengths", default="1,2r+3,1000", help="of the vector, such as 1,2r+3,1000")
    options = parser.parse_args()
    said = subprocess.run([*(options.launcher or f"mpirun.{IMPLEMENTATIONS[options.which][0]}").split(), "--version"],
                          capture_output=True, text=True).stdout
    mpich5 = bool(re.search(r"HYDRA build details:\s+Version:\s+5\.", said))
    first, last = map(int, options.ranks.split("-"))
    asked = []
    for ranks in range(first, last + 1):
        for question in questions(options.which, options.operation, ranks, options.lengths.split(","), mpich5):
            question["name"], question["seen"] = ask(options.accord, options.launcher,
                                                     IMPLEMENTATIONS[options.which][0], question)
            asked.append(question)
            print("same" if question["name"] else "OTHER", question["operation"], question["shown"] or "default",
                  f"{ranks} ranks, length {question['length']}, at {question['at']}:",
                  question["name"] or f"{question['seen']} and not {list(question['due'])}",
                  file=sys.stderr, flush=True)
    print("| MPI | operation | variables | ranks and lengths | tree | the same | others |")
    print("|---|---|---|---|---|---|---|")
    for shown in dict.fromkeys(question["shown"] for question in asked):
        print(table_row(options.which, asked, shown))


main()
