#!/usr/bin/env python3
"""Do the all-reduce and the reduce of an MPI add along the textbook trees of their algorithms?

    bench/collectives_models.py build/accord openmpi allreduce 2-16
    bench/collectives_models.py build/accord openmpi reduce 2-16
    bench/collectives_models.py build/accord mpich ring 2-16 VENV/bin/mpirun     # MPICH 5

The trees are written out here, and not those of accord's synthetic targets. A row is a question: the
algorithm, ranks, length, position and rank, and whether the tree that accord finds is the due one.
"""
import json
import os
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


def ask(accord, family, launcher, operation, ranks, length, place, variables, due):
    at = "".join(f",{name}={value}" for name, value in zip(("position", "rank"), place))
    target = f"mpi:{operation}@{family},length={length},warm=1{at}" + (f",launcher={launcher}" if launcher else "")
    found = subprocess.run([accord, "reveal", target, "-n", str(ranks), "--json", "-q", "--budget", "400calls"],
                           capture_output=True, text=True, env={**os.environ, **variables})
    try:
        tree = json.loads(found.stdout)["tree"]
        seen = text_of_parents(tree)
    except (ValueError, KeyError):
        seen = found.stderr.strip()
    words = " ".join(f"{name.split('_')[-1]}={value}" for name, value in variables.items() if "dynamic" not in name)
    good = seen == text_of(due)[1]
    print("same" if good else "OTHER", operation, words, f"ranks={ranks} length={length}{at}", seen,
          "" if good else f"due {text_of(due)[1]}", flush=True)


def questions(what, ranks):
    """Operation, length, position and rank, variables, and the tree that is due."""
    dynamic = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    power = 1 << (ranks.bit_length() - 1)
    for length in (1, 2 * ranks + 3, 1000):
        places = [(0, 0)] if length == 1 else [(0, 0), (length // 2, ranks // 2), (length - 1, ranks - 1)]
        if what == "allreduce":
            plain = {"1": linear(ranks), "2": binary(ranks), "3": recursive_doubling(ranks),
                     "6": recursive_doubling(ranks) if length >= power else linear(ranks)}
            yield what, length, (0, 0), {}, recursive_doubling(ranks)
            for algorithm in "123456":
                variables = {**dynamic, "OMPI_MCA_coll_tuned_allreduce_algorithm": algorithm}
                for place in places if algorithm in "45" else places[:1]:
                    around = (ring(block_of(place[0], length, ranks), ranks) if length >= ranks
                              else recursive_doubling(ranks))
                    yield what, length, place, variables, plain.get(algorithm, around)
        elif what == "reduce":
            trees = {"2": chains(ranks, 4), "3": linear(ranks), "4": binary(ranks), "5": binomial(ranks)}
            for algorithm, tree in trees.items():
                yield what, length, (), {**dynamic, "OMPI_MCA_coll_tuned_reduce_algorithm": algorithm}, tree
        elif length > ranks:  # MPICH's blocks are of the same length but for the last
            for place in places:
                block = place[0] // -(-length // ranks)
                yield ("allreduce", length, place, {"MPIR_CVAR_DEVICE_COLLECTIVES": "none",
                                                    "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "ring"},
                       ring((block + 1) % ranks, ranks))


def main(accord, family, what, ranks, launcher=""):
    first, last = map(int, ranks.split("-"))
    for count in range(first, last + 1):
        for operation, length, place, variables, due in questions(what, count):
            ask(accord, family, launcher, operation, count, length, place, variables, due)


main(*sys.argv[1:])
