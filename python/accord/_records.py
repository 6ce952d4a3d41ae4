"""Folders of recorded orders, FOLDER/NAME/KEY.json, as ``accord check FOLDER`` has them.

KEY stands for where an answer holds: the CPU features and the version of the library. So the
machines of one CI, which differ in both, never compare themselves with one another, and never write
the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import tempfile
from typing import Any

from ._accord import Error, ParseError, UnableError
from ._order import Order, diff
from ._reveal import CIRCUMSTANCES, Check, reveal

_QUESTION = ("target", "n", "format", "shape", "element", "transpose", "strides", "signature",
             "alpha", "beta")
_LONGEST = 100


def key_of(order: Order) -> str:
    """Twelve digits of the SHA-256 of cpu_features, a newline and library_version."""
    told = (order.fields["cpu_features"] or "", order.fields["library_version"] or "")
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]


def question_of(order: Order) -> tuple[Any, ...]:
    """What was asked; equal for equal questions."""
    return (*(order.fields[name] for name in _QUESTION), max(order.fields["alignment"], 0))


def folder_name(text: str) -> str:
    """A name for a folder, another one for every other text."""
    name = re.sub(r"[^A-Za-z0-9_.,=+\[\]-]", "-", text)[:_LONGEST]
    name = re.sub(r"^\.", "-", name)
    if name == text:
        return name
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def load(path: pathlib.Path) -> list[Order]:
    """The orders of a file; [] where there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    try:
        found = json.loads(text)
        return [Order.from_json(json.dumps(record))
                for record in (found if isinstance(found, list) else [found])]
    except (ValueError, Error) as error:
        raise ParseError(f"{path}: {error}; delete it and record anew") from None


def find(path: pathlib.Path, order: Order) -> Order | None:
    """The recorded answer to the question of `order`."""
    return next((old for old in load(path) if question_of(old) == question_of(order)), None)


def store(path: pathlib.Path, order: Order) -> None:
    """Puts it into the file, which is there whole or not at all."""
    others = [old for old in load(path) if question_of(old) != question_of(order)]
    text = "[\n" + ",\n".join(each.to_json() for each in [*others, order]) + "]\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        mask = os.umask(0)
        os.umask(mask)
        with open(handle, "w", encoding="utf-8") as out:
            out.write(text)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def ask(target: Any, **how: Any) -> Order:
    """The order of `target`, or the answer that it has none."""
    try:
        return reveal(target, **{"loose": True, **how})
    except UnableError as error:
        found: Order | None = getattr(error, "order", None)
        if found is None or error.reason == "out-of-range":
            raise
        return found


def compare(old: Order, now: Order) -> Check:
    """A record beside what is found now."""
    moved = {name: (old.fields[name], now.fields[name]) for name in CIRCUMSTANCES
             if old.fields[name] != now.fields[name]}
    return Check(old, now, diff(old, now), moved)
