"""Folders of recorded orders, FOLDER/NAME/KEY.json, as ``accord check FOLDER`` has them.

KEY stands for where an answer holds: the CPU features and the version of the library. So the
machines of one CI, which differ in both, never compare themselves with one another, and never write
the same file.
"""

from __future__ import annotations

import hashlib
import pathlib
import re
from typing import Any

from . import _accord
from ._accord import ParseError, UnableError
from ._difference import diff
from ._files import write_whole
from ._order import Order
from ._reveal import Check, circumstances, reveal

_LONGEST = 100


def key_of(order: Order) -> str:
    """Twelve digits of the SHA-256 of cpu_features, a newline and library_version."""
    return _accord.key(order._record)


def same_question(a: Order, b: Order) -> bool:
    """Were both asked the same?"""
    return _accord.same_question(a._record, b._record)


def folder_name(text: str) -> str:
    """The name of a folder; different texts give different names."""
    name = re.sub(r"[^A-Za-z0-9_.,=+\[\]-]", "-", text)[:_LONGEST]
    name = re.sub(r"^\.", "-", name)
    if name == text:
        return name
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def load(path: pathlib.Path) -> list[Order]:
    """The orders of a file FOLDER/NAME/KEY.json; [] where there is none."""
    try:
        return [Order(record) for record in
                _accord.load(str(path.parent.parent), path.parent.name, path.stem)]
    except ParseError as error:
        raise ParseError(f"{error}; delete the file and record it again") from None


def find(path: pathlib.Path, order: Order) -> Order | None:
    """The recorded answer to the question of `order`."""
    return next((old for old in load(path) if same_question(old, order)), None)


def store(path: pathlib.Path, order: Order) -> None:
    """Adds the order to the file, which is replaced as a whole or not at all."""
    others = [old for old in load(path) if not same_question(old, order)]
    text = "[\n" + ",\n".join(each.to_json() for each in [*others, order]) + "]\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())


def ask(target: Any, **how: Any) -> Order:
    """The order of `target`, or the answer that it has none."""
    try:
        return reveal(target, **{"loose": True, **how})
    except UnableError as error:
        found: Order | None = getattr(error, "order", None)
        if found is None or not _accord.has_answer(found._record):
            raise
        return found


def compare(old: Order, now: Order) -> Check:
    """A record beside what is found now."""
    return Check(old, now, diff(old, now), circumstances(old, now))
