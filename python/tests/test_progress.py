"""Bars: on a terminal and in a notebook, nowhere else, and gone when the question is answered."""

from __future__ import annotations

import os
import subprocess
import sys

import accord
import numpy as np
import pytest
from accord import _progress

SLOW = """
import accord, numpy as np, time
from accord import _progress
_progress._SOON = _progress._EVERY = 0.0
def slow(x):
    time.sleep(1e-4)
    return np.sum(x)
print(accord.reveal(slow, n=8{}).pattern)
"""


def run(code, terminal):
    """stdout and stderr of a Python, whose standard error is a terminal or a pipe."""
    if not terminal:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs,
                          text=True) as child:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            said += part
        out = child.stdout.read()
    os.close(ours)
    assert child.returncode == 0, said
    return out, said.decode()


def test_on_a_terminal():
    out, said = run(SLOW.format(""), True)
    assert out == "pairwise by halves\n" and "replaying" in said
    assert said.endswith("\r\x1b[K")  # the line has gone


@pytest.mark.parametrize("terminal, how", [(True, ", progress=False"), (False, "")])
def test_nowhere_else(terminal, how):
    out, said = run(SLOW.format(how), terminal)
    assert out == "pairwise by halves\n" and said == ""


def test_words():
    bar = _progress.Line()
    assert bar._words(bar.counted_from + 10, 5, 20) == "5 of 20, 30 s left"
    assert bar._words(bar.counted_from + 65, 5, 0) == "5, 1:05 so far"
    bar("first", 100, 400)
    bar("second", 160, 400)  # another stage of the same count
    assert bar.first == 100 and bar._words(bar.counted_from + 6, 160, 400) == "160 of 400, 24 s left"
    bar("third", 0, 10)  # a count of its own
    assert bar.first == 0


def test_callbacks_are_called_as_before():
    seen = []
    accord.reveal(np.sum, n=40, progress=lambda stage, done, total: seen.append(stage))
    assert seen and all(isinstance(stage, str) for stage in seen)
