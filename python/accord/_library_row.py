"""One row of the table of libraries: what was found for a case, and its order in one line."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from ._accord import Error, UnableError
from ._denominator import Denominator
from ._order import Order

if TYPE_CHECKING:
    from .libraries import Case
# ---- one row of the table ----


def row(case: Case, n: int, dtype: str, **how: Any) -> dict[str, Any]:
    """What is found, as a row: order, arithmetic, verdict, probes and seconds. `reason`: why there
    is no order, or no arithmetic."""
    start = time.perf_counter()
    order, reason, verdict, target = None, None, "refused", None
    try:
        target, keywords = case.ask(n, dtype)
        order = case._replace(ask=lambda n, dtype: (target, keywords)).reveal(n, dtype, **how)
    except UnableError as error:
        order, reason = getattr(error, "order", None), str(error)
    except Error as error:
        reason, verdict = f"{type(error).__name__}: {error}", "failed"
    except (ValueError, TypeError, RuntimeError) as error:  # the library's own
        reason, verdict = f"{type(error).__name__}: {error}", "not offered"
    found = {"function": case.function, "dtype": dtype, "n": n, "about": case.about,
             "seconds": time.perf_counter() - start, "probes": 0, "order": "", "arithmetic": "",
             "verdict": verdict, "reason": reason, "fingerprint": None}
    if order is not None:
        counts = order.counts
        found["probes"] = sum(counts[name] for name in counts if name.endswith("_calls"))
    proven = (order is not None and counts["nodes"] > 0
              and counts["nodes_confirmed"] == counts["nodes"])
    if isinstance(target, Denominator):
        found["probes"], proven = target.calls, target.confirmed == n - 1
    if order is not None and order.fingerprint and reason is None:
        agreed = counts["replays"] > 0 and counts["replays"] == counts["replays_agreed"]
        found.update(order=one_line(order), fingerprint=order.fingerprint,
                     arithmetic=str(order.model or ""),
                     verdict="replayed" if order.model and agreed else
                     "order proven" if proven else "order found")
        if found["verdict"] != "replayed":
            found["reason"] = (case.why or unexplained)(order, target, dtype)
    return found


def unexplained(order: Order, target: Any, dtype: str) -> str:
    """What the best arithmetic does not explain."""
    if dtype == "float64" and callable(target) and "squares" in (order.verdict or ""):
        rows = 200
        if _extended_norms(order, target, rows) == rows:
            return (f"on {rows} of {rows} further inputs it is that of x87, with 64 bits of "
                    "significand, wider than any format of accord")
    agreed, of = order.counts["replays_agreed"], order.counts["replays"]
    if order.fields.get("left_out"):
        return f"the time was spent before these were done: {', '.join(order.fields['left_out'])}"
    best = re.search(r"The best model \((.*?)\) gives", order.verdict or "")
    nearest = f"; the best model is {best.group(1)}" if best else ""
    return f"by this order {agreed} of {of} random inputs give the library's bits{nearest}"


def _extended_norms(order: Order, norm: Any, rows: int) -> int:
    """On how many random inputs the root of the sum of squares has the bits of that order in the
    80-bit numbers of x87; 0 where NumPy has none."""
    import numpy as np

    if np.finfo(np.longdouble).nmant != 63:
        return 0
    try:
        norm(np.ones(order.n))
    except TypeError:  # it takes the arrays of another library, none of which computes in x87
        return 0
    n, parents, agreed = order.n, order.parents, 0
    generator = np.random.default_rng(n)
    for _ in range(rows):
        x = generator.standard_normal(n)
        value = [term * term for term in x.astype(np.longdouble)] + [None] * (len(parents) - n)
        for node, parent in enumerate(parents[:-1]):
            value[parent] = value[node] if value[parent] is None else value[parent] + value[node]
        agreed += float(np.sqrt(value[-1])) == float(norm(x))
    return agreed


# ---- an order in one line ----


def one_line(order: Order, width: int = 120) -> str:
    """The order in one line: its words, or its lanes and how they are joined, or its brackets.

    >>> from accord import Order
    >>> one_line(Order.from_text("((((0+3)+1)+(2+5))+4)"))
    '5 additions, depth 4: ((((0+3)+1)+(2+5))+4)'
    """
    found = _words(order)
    return found if len(found) <= width else f"{found[:width - 1]}…"


def _words(order: Order) -> str:
    known = order.pattern
    if "fused sum" in known or not known[:1].isdigit() or " lane" in known:
        return known
    for lanes in (64, 32, 16, 8, 4, 2):
        joined = _lanes(order, lanes)
        if joined is not None:
            return f"{lanes} lanes of {order.n // lanes}, joined {joined}"
    return f"{known}: {_chains(order.text)}"


def _chains(text: str) -> str:
    """Brackets with terms of equal steps that are added one by one as [first,second..last].

    >>> _chains("(((((0+8)+16)+24)+(((1+9)+17)+25))+2)")
    '(([0,8..24]+[1,9..25])+2)'
    """
    stack: list[tuple[str, list[int]]] = []  # words, and the terms where they are such a chain

    def words(part: tuple[str, list[int]]) -> str:
        terms = part[1]
        return part[0] if len(terms) < 3 else f"[{terms[0]},{terms[1]}..{terms[-1]}]"

    for token in re.findall(r"\d+|\)", text):
        if token != ")":
            stack.append((token, [int(token)]))
            continue
        right, left = stack.pop(), stack.pop()
        terms = left[1] + right[1] if left[1] and len(right[1]) == 1 else []
        if len(terms) > 2 and terms[-1] - terms[-2] != terms[1] - terms[0]:
            terms = []
        stack.append((f"({words(left)}+{words(right)})", terms))
    return words(stack[-1])


def _lanes(order: Order, lanes: int) -> str | None:
    """How lanes of equal length, each added one by one, are joined; None where there are none."""
    n = order.n
    if n % lanes or n // lanes < 2:
        return None
    text = {}
    for lane in range(lanes):
        chain = str(lane)
        for k in range(lane + lanes, n, lanes):
            chain = f"({chain}+{k})"
        text[lane] = chain
    whole = order.text
    for lane, chain in text.items():
        if whole.count(chain) != 1:
            return None
        whole = whole.replace(chain, f"<{lane}>")
    return _chains(whole.replace("<", "").replace(">", ""))
