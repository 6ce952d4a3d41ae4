"""python -m accord._elsewhere: reveals in a process of its own, for `accord.sweep`. It reads a
question in JSON from standard input, and writes the answer as the last line of standard output."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import accord
from accord.adapters import resolve


def _target(words: dict[str, Any]) -> Any:
    if "target" in words:
        return words["target"]
    function, kind = resolve(words["function"]), words["adapter"]
    if kind == "dot":
        return accord.dot(function)
    if kind == "gemv":
        return accord.gemv(function, words["transpose"])
    if kind == "gemm":
        return accord.gemm(function, words["transpose"], words["start"])
    if kind in ("rows", "columns"):
        return accord.axis(function, words["axis"], words["keyword"])
    return function


def main() -> None:
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)  # what the callable prints is no answer
        words = json.load(sys.stdin)
        try:
            order = accord.reveal(_target(words), **{"loose": True, **words["how"]})
            answer = {"class": None, "order": json.loads(order.to_json())}
        except accord.Error as error:
            found = getattr(error, "order", None)
            answer = {"class": type(error).__name__, "error": str(error),
                      "order": json.loads(found.to_json()) if found is not None else None}
        print("\n" + json.dumps(answer), end="", file=out)


if __name__ == "__main__":
    main()
