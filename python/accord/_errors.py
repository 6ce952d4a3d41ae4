"""What exceptions do beyond being raised: they compare by what they say, and are shown in notebooks.

They pickle and copy with all that they hold, orders included (the records in them know how).
"""

from __future__ import annotations

import html
from typing import Any

from ._accord import Error


class CannotTellError(Error, ValueError):
    """Nothing shows whether two results are the same; the message says why."""


CannotTellError.__module__ = "accord"


def _key(error: Error) -> tuple[Any, ...]:
    return type(error), error.args, getattr(error, "order", None)


def _equal(self: Error, other: object) -> bool:
    return _key(self) == _key(other) if isinstance(other, Error) else NotImplemented


def _hash(self: Error) -> int:
    return hash((type(self), str(self)))


def _html(self: Error) -> str:
    order = getattr(self, "order", None)
    below = order._repr_html_() if order is not None else ""
    return f"<p><b>{type(self).__name__}</b>: {html.escape(str(self))}</p>{below}"


for _name, _method in (("__eq__", _equal), ("__hash__", _hash), ("_repr_html_", _html)):
    setattr(Error, _name, _method)
