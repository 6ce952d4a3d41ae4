"""Docstrings and documents run; stubs say what is there."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import pkgutil

import accord
import pytest
from accord import _accord

HERE = os.path.dirname(os.path.abspath(accord.__file__))
MODULES = ["accord"] + [f"accord.{m.name}" for m in pkgutil.iter_modules(accord.__path__)
                        if m.name not in ("_accord", "_elsewhere")]


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_public_name_has_a_docstring_that_runs():
    for name in ("reveal", "map", "sweep", "batch_invariant", "features", "diff", "check", "sum",
                 "dot", "fsum", "bound", "synthetic", "gemv", "gemm", "axis"):
        assert ">>>" in getattr(accord, name).__doc__, name
    for name in accord.__all__:
        assert getattr(accord, name).__doc__, name


def test_stubs_say_what_is_there():
    path = os.path.join(HERE, "_accord.pyi")
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    said = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    is_there = {name for name in dir(_accord) if not name.startswith("__")}
    assert said == is_there
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.endswith("Error"):
            members = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            members |= {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            thing = getattr(_accord, node.name)
            own = {name for name in vars(thing) if not name.startswith("__")}
            assert own == {m for m in members if not m.startswith("__")}, node.name
    assert os.path.exists(os.path.join(HERE, "py.typed"))


def test_exceptions():
    statuses = {"OutOfMemoryError": MemoryError, "ArgumentError": ValueError,
                "ParseError": ValueError, "FileError": OSError, "TargetError": RuntimeError,
                "UnsupportedError": NotImplementedError}
    for name, beside in statuses.items():
        kind = getattr(accord, name)
        assert issubclass(kind, accord.Error) and issubclass(kind, beside) and kind.__doc__
        assert kind.__module__ == "accord" and kind.status
    reasons = [getattr(accord, name) for name in accord.__all__
               if inspect.isclass(getattr(accord, name))
               and issubclass(getattr(accord, name), accord.UnableError)]
    assert len(reasons) == 13 and len({kind.reason for kind in reasons}) == 12
    assert accord.NotASumError.reason is None  # told by each exception
    assert all(kind.status == "unable" for kind in reasons)
    assert str(accord.FileError("text")) == "text"


def test_info():
    info = accord.info()
    assert info["version"] == accord.__version__
    assert {"f64", "bf16", "e4m3"} <= set(info["formats"]) and "auto" in info["algorithms"]
    assert "pairwise" in info["synthetic"] and "hopper-f16" in info["machines"]
    assert {"written", "contract", "paren", "fast-expand"} <= set(info["models"])
    assert {"blas", "so", "command", "python"} <= set(info["kinds"])


DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc")
PAGE = os.path.join(DOC, "python.md")


@pytest.mark.parametrize("page, examples", [("python.md", 20), ("exact.md", 3), ("databases.md", 2), ("gpu.md", 8)])
def test_the_page_runs(page, examples):
    if page == "gpu.md":
        pytest.importorskip("torch")
    path = os.path.abspath(os.path.join(DOC, page))
    found = doctest.testfile(path, module_relative=False, encoding="utf-8")
    assert found.attempted > examples and found.failed == 0


def test_the_page_names_every_exception():
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()
    for name in accord.__all__:
        if name.endswith("Error"):
            assert name in text
