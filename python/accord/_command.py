"""The command `accord`, as it comes with the package."""

from __future__ import annotations

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "accord-command")


def main() -> None:
    """Becomes the command; `python:` targets are asked by this interpreter unless told otherwise."""
    os.environ.setdefault("ACCORD_PYTHON", sys.executable)
    try:
        os.execv(PROGRAM, ["accord", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"accord: {PROGRAM}: {error.strerror}; install the package again")
