"""The command `accord`, as it comes with the package."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Becomes the command; `python:` targets are asked by this interpreter unless told otherwise."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "accord-command")
    os.environ.setdefault("ACCORD_PYTHON", sys.executable)
    try:
        os.execv(program, ["accord", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"accord: {program}: {error.strerror}; install the package again")
