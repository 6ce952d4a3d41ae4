"""The table of a GPU (bench/gpu.py), tried on the CPU."""

import json
import os
import subprocess
import sys

import pytest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "gpu.py")


def test_rows_say_what_was_found_and_what_is_missing(tmp_path):
    pytest.importorskip("torch")
    rows = tmp_path / "rows.json"
    run = subprocess.run([sys.executable, SCRIPT, "--device", "cpu", "--only", "sum float32", "--json", str(rows)],
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    found = {row["case"]: row for row in map(json.loads, rows.read_text().splitlines())}
    assert found["torch.sum float32"]["verdict"] == "proven"
    assert found["torch.sum float32"]["order"].startswith("1000: ")
    assert "torch.sum float32" in run.stdout
    for name, library in (("triton sum float32", "triton"), ("cupy.sum float32", "cupy")):
        try:
            __import__(library)
        except ImportError:
            assert found[name]["verdict"].startswith("skipped: ")


def test_a_name_that_no_case_has():
    run = subprocess.run([sys.executable, SCRIPT, "--device", "cpu", "--only", "nothing"],
                         capture_output=True, text=True)
    assert run.returncode == 1 and "no case" in run.stderr
