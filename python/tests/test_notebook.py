"""An order, a fused one and a map in a notebook that runs without a screen."""

from __future__ import annotations

import base64
from xml.etree import ElementTree

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = ["import accord, numpy as np\naccord.reveal(np.sum, n=32)",
         "accord.synthetic('volta-f16', 32)",
         "accord.map(accord.axis(np.sum, 1), shape=(3, 40))",
         "accord.sweep(np.sum, n=[8, 9])",
         "accord.diff(accord.reveal(np.sum, n=9), accord.synthetic('pairwise', 9, 'float32'))",
         "accord.features('synthetic:hopper-f16')",
         "accord.check(accord.reveal(np.sum, n=9), np.sum)"]


def test_a_notebook(tmp_path):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client = nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": tmp_path}})
    client.execute()
    for cell in book.cells:
        # Where the machine is busy, progress is shown before the result.
        data = next(part.data for part in cell.outputs if part.output_type == "execute_result")
        assert data["text/plain"].startswith("<accord.")
        picture = data["text/html"].partition("base64,")[2].partition('"')[0]
        assert ElementTree.fromstring(base64.b64decode(picture)).tag.endswith("svg")
