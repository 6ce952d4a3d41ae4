#!/usr/bin/env python3
"""What the rows of bench/collectives.py say about each implementation, as a table for a document.

    bench/collectives_summary.py build/accord            writes the table into doc/collectives.md
    bench/collectives_summary.py build/accord --check    fails if the document has another table

The rows are those of bench/results/collectives.md. accord gives the textbook names of their orders,
since a row shows only the first two. The table stands between two marks in the document. It says
nothing beyond the rows: where only some numbers of ranks or lengths were asked, they are named.
"""
import argparse
import difflib
import functools
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = os.path.join(ROOT, "bench/results/collectives.md")
DOCUMENT = os.path.join(ROOT, "doc/collectives.md")
BEGIN = "<!-- Made by bench/collectives_summary.py; do not edit. -->\n"
END = "<!-- End of what bench/collectives_summary.py made. -->\n"
GLOO = {"implementation": "Gloo, by torch 2.13.0", "float32": "f32", "float64": "f64",
        "float16": "f16", "bfloat16": "bf16"}
HEADER = ["implementation", "order", "another with the length?", "with the number of ranks?",
          "in the first calls?", "with late ranks?", "all ranks agree?",
          "f16 and bf16 are rounded", "one order at all lengths asked with"]


def tables(text):
    """The rows of all tables, as dictionaries."""
    header = None
    for line in text.splitlines():
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        if header is None:
            header = cells
        elif set(line) != set("|-"):
            yield dict(zip(header, cells))


def fact(row):
    """A row of either table of orders, in the same words; None if it is about something else."""
    if row.get("operation") not in ("allreduce", "all_reduce") or "order at position 0" not in row:
        return None
    order = re.match(r"`([^`]*)`", row["order at position 0"])
    several = re.search(r"(\d+) orders in all", row["order at position 0"])
    first, _, late = row.get("first calls, late ranks", "").partition(", ")
    return {
        "implementation": row.get("MPI") or GLOO["implementation"],
        "ranks": int(row["ranks"]), "length": int(row["length"]),
        "format": row.get("format") or GLOO[row["dtype"]], "variables": row.get("variables", ""),
        "order": order and order.group(1),
        "unanswered": None if order else row["order at position 0"],
        "orders": int(row.get("orders in all") or (several.group(1) if several else 1)),
        "arithmetic": row["arithmetic"], "agree": row["ranks agree"],
        "first": row.get("first calls", first), "late": row.get("late ranks", late),
    }


@functools.lru_cache(maxsize=None)
def names(accord, order):
    """All textbook names of an order in brackets or in one line."""
    where = ["-"] if order.startswith("(") else [order]
    said = subprocess.run([accord, "show", "--json", *where], input=order, capture_output=True,
                          text=True, check=True)
    return tuple(json.loads(said.stdout)["tree"].get("names") or ())


def spans(numbers):
    """2 to 16; 1, 10 and 1000."""
    numbers = sorted(set(numbers))
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return " and ".join([", ".join(map(str, numbers[:-1])), str(numbers[-1])][len(numbers) < 2:])


def grouped(facts, *keys):
    groups = {}
    for one in facts:
        groups.setdefault(tuple(one[key] for key in keys), []).append(one)
    return groups


def answered(facts):
    return [one for one in facts if one["order"]]


def where_asked(part, whole):
    """", with 3 ranks", if not all numbers of ranks were asked; likewise for lengths."""
    words = ""
    for key, before, after in [("ranks", "with ", " ranks"), ("length", "at length ", "")]:
        some = {one[key] for one in part}
        if some != {one[key] for one in whole}:
            words += f", {before}{spans(some)}{after}"
    return words


def yes_where(facts, bad, good):
    """no, or yes with the ranks and lengths; only for those that were asked."""
    wrong, right = [f for f in facts if bad(f)], [f for f in facts if good(f)]
    if wrong:
        return "**yes**" + where_asked(wrong, facts)
    return "no" + where_asked(right, facts) if right else "not asked"


def at(name, ranks):
    """As accord calls it with so few ranks: one is the root, so 4 have 3 children at most."""
    name = re.sub(r"(\d+)(?= chains of ranks| children a rank|-nomial tree)",
                  lambda found: str(min(int(found.group(1)), ranks - 1)), name)
    return "binomial tree" if name == "2-nomial tree" else name


def shared_names(accord, facts):
    """The names that fit every number of ranks. With 2 ranks there is but one order."""
    known = [(one["ranks"], names(accord, one["order"])) for one in facts if one["ranks"] > 2]
    most = max(known, default=(0, ()))[1]
    return [name for name in most if all(at(name, ranks) in fit for ranks, fit in known)]


def shown_order(accord, facts):
    """For each length one name that fits all numbers of ranks, or the longest order."""
    of_length = {}
    for (length,), some in sorted(grouped(facts, "length").items()):
        shared = shared_names(accord, some)
        most = max(some, key=lambda one: one["ranks"])
        several = " (of other positions other orders)" if any(f["orders"] > 1 for f in some) else ""
        what = shared[0] if shared else f"`{most['order']}`"
        what = "one addition" if most["ranks"] == 2 else what
        of_length.setdefault(what + several, []).append(length)
    if len(of_length) == 1:
        return next(iter(of_length))
    return "; ".join(f"{what} at {spans(lengths)}" for what, lengths in of_length.items())


def changes_with_length(facts):
    changed = []
    several = grouped(facts, "ranks")
    for some in several.values():
        if len({one["order"] for one in some}) > 1 or any(one["orders"] > 1 for one in some):
            changed.append(some[0]["ranks"])
    if not changed:
        return "no"
    return "**yes**" + (f", with {spans(changed)} ranks" if set(changed) != {
        ranks for (ranks,) in several} else "")


def changes_with_ranks(accord, facts):
    without = [length for (length,), some in grouped(facts, "length").items()
               if len({one["ranks"] for one in some}) > 1 and not shared_names(accord, some)]
    return f"no name fits all at {spans(without)}" if without else "no, one rule"


def rounded(facts):
    """At each hop if the nodes add in the format of the terms."""
    found = []
    for format in ["f16", "bf16"]:
        some = {one["arithmetic"] for one in facts if one["format"] == format} - {"", "not asked"}
        found.append("not asked" if not some else
                     "at each hop" if some == {f"{format} to nearest"} else "; ".join(sorted(some)))
    return found[0] if found[0] == found[1] else f"f16: {found[0]}; bf16: {found[1]}"


def is_pinned(facts):
    """Whether all lengths have one order, warm and cold, for each number of ranks asked."""
    return (all(f["order"] and f["orders"] == 1 and f["agree"] == "yes" and f["first"] == "same"
                and f["late"] == "same" for f in facts) and len({f["length"] for f in facts}) > 1
            and all(len({f["order"] for f in some}) == 1
                    for some in grouped(facts, "ranks").values()))


def pinning(accord, facts):
    found, asked = {}, 0
    for (variables,), some in grouped(facts, "variables").items():
        if variables:
            asked += 1
            some = answered(some)
            if is_pinned(some):
                ranks, lengths = ({one[key] for one in some} for key in ("ranks", "length"))
                where = f"({spans(ranks)} ranks, lengths {spans(lengths)})"
                order = shown_order(accord, some)
                found.setdefault((order, where), []).append(f"`{variables}`")
    if not asked:
        return "no variable was asked"
    return "; ".join(f"{' or '.join(words)}: {order} {where}"
                     for (order, where), words in found.items()) or (
        f"none of {asked} settings asked")


def summary_row(accord, implementation, facts):
    default = [one for one in facts if not one["variables"] and one["format"] == "f32"]
    known = answered(default)
    asked = f"{spans(f['ranks'] for f in known)} ranks, lengths {spans(f['length'] for f in known)}"
    open_ones = [one for one in default if not one["order"]]
    if open_ones:
        asked += "; " + "; ".join(f"no order with {one['ranks']} ranks at {one['length']}: "
                                  f"{one['unanswered']}" for one in open_ones)
    return [f"{implementation} ({asked})", shown_order(accord, known), changes_with_length(known),
            changes_with_ranks(accord, known),
            yes_where(known, lambda f: f["first"] == "differ", lambda f: f["first"] == "same"),
            yes_where(default, lambda f: f["unanswered"] == "nondeterministic",
                      lambda f: f["late"] == "same"),
            "yes" if all(f["agree"] == "yes" for f in known) else "**no**", rounded(facts),
            pinning(accord, facts)]


def summary(accord):
    with open(ROWS, encoding="utf-8") as file:
        facts = [one for one in map(fact, tables(file.read())) if one]
    rows = [HEADER, ["---"] * len(HEADER)]
    rows += [summary_row(accord, name, some)
             for (name,), some in sorted(grouped(facts, "implementation").items())]
    return "\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("accord", help="the program accord")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    given = parser.parse_args()
    with open(DOCUMENT, encoding="utf-8") as file:
        old = file.read()
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{DOCUMENT} lacks the lines that the table stands between:\n{BEGIN}{END}")
    new = before + begin + summary(given.accord) + end + after
    if given.check and new != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                                   "doc/collectives.md", "from the rows"))
        sys.exit("run bench/collectives_summary.py build/accord")
    if not given.check:
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write(new)


if __name__ == "__main__":
    main()
