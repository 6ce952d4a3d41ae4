"""python -m accord.serve MODULE.ATTRIBUTE: a callable of one array for `accord reveal python:…`.

Speaks the protocol of doc/command-protocol.md over standard input and output. What the callable
itself prints goes to standard error.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import Any, BinaryIO

from . import _accord
from ._arrays import quiet
from ._question import Question
from .adapters import resolve


def _greet(pipe: BinaryIO, begun: bytes = b"") -> tuple[int, str]:
    words = (begun + pipe.readline()).decode().split()
    if words[:2] != ["accord", "1"]:
        raise SystemExit("accord.serve: this is started by `accord reveal python:…`")
    given = dict(word.split("=", 1) for word in words[2:] if "=" in word)
    return int(given["n"]), given["format"]


def _read(pipe: BinaryIO, length: int) -> bytes:
    data = pipe.read(length)
    if len(data) != length:
        raise SystemExit("accord.serve: a request was cut short")
    return data


def serve(function: Any, pipe: BinaryIO, out: BinaryIO) -> None:
    """Answers requests until `pipe` ends."""
    begun = b""
    while begun is not None:
        begun = _serve_count(function, pipe, out, begun)


def _serve_count(function: Any, pipe: BinaryIO, out: BinaryIO, begun: bytes) -> bytes | None:
    """Answers requests for one number of terms, until `pipe` ends (None) or another greeting
    begins, of which these bytes were read."""
    n, format_name = _greet(pipe, begun)
    question = Question(function, n, format_name)
    target, _, _ = question.open()
    version = question.version.replace("\n", " ")
    out.write(f"accord 1 binary {version}\n".encode())
    out.flush()
    size = 8 if format_name == "f64" else 4
    while head := pipe.read(4):
        if head == b"acco":
            return head
        _, probes, writes, rows, fill = struct.unpack("<4sIIId", head + _read(pipe, 20))
        if rows:
            table = memoryview(_read(pipe, size * n * probes)).cast("d" if size == 8 else "f")
            sums = struct.pack(f"<{probes}d", *target.ask(table))
        else:
            value, index = _read(pipe, 8 * writes), _read(pipe, 4 * writes)
            sums = target.write(probes, fill, value, index, _read(pipe, 4 * probes + 4))
        out.write(struct.pack("<4sI", b"acca", probes) + sums)
        out.flush()
    return None


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m accord.serve MODULE.ATTRIBUTE", file=sys.stderr)
        return 2
    sys.path.insert(0, os.getcwd())
    try:
        with os.fdopen(os.dup(1), "wb") as out:
            os.dup2(2, 1)
            function = resolve(arguments[0])
            with quiet():
                serve(function, sys.stdin.buffer, out)
    except (_accord.ArgumentError, _accord.UnsupportedError, ImportError) as error:
        print(f"accord.serve: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
