"""The bar of long questions: on a terminal a line that goes away, in a notebook a widget without
dependencies. Questions that are answered soon show nothing, and neither do scripts whose standard
error is not a terminal."""

from __future__ import annotations

import contextlib
import html
import importlib
import sys
import time
from typing import Any, Iterator

from ._options import Progress

_SOON, _EVERY = 1.0, 0.1  # seconds: before a bar is shown, between two pictures of it
_WIDTH = 24


def clock(seconds: float) -> str:
    """Seconds as people read them.

    >>> clock(7.2), clock(83), clock(7200)
    ('7 s', '1:23', '2:00:00')
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


class Bar:
    """A progress callback; `_draw` and `_clear` are the place's own."""

    def __init__(self) -> None:
        self.began = self.counted_from = self.drawn = time.monotonic()
        self.stage, self.shown = "", False
        self.first = self.seen = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if done < self.seen or not self.stage:  # some work counts each of its stages from 0
            self.counted_from, self.first = now, done
        self.stage, self.seen = stage, done
        if now - self.began < _SOON or now - self.drawn < _EVERY:
            return
        self.drawn, self.shown = now, True
        self._draw(stage, done, total, self._words(now, done, total))

    def _words(self, now: float, done: int, total: int) -> str:
        spent = now - self.counted_from
        if not total:
            return f"{done}, {clock(spent)} so far"
        words = f"{done} of {total}"
        if self.first < done <= total and spent > 0.5:
            words += f", {clock(spent * (total - done) / (done - self.first))} left"
        return words

    def close(self) -> None:
        if self.shown:
            self._clear()

    def _draw(self, stage: str, done: int, total: int, words: str) -> None:
        raise NotImplementedError

    def _clear(self) -> None:
        raise NotImplementedError


class Line(Bar):
    """On a terminal."""

    def _draw(self, stage: str, done: int, total: int, words: str) -> None:
        full = round(_WIDTH * min(done / total, 1)) if total else 0
        bar = f" [{'#' * full}{'-' * (_WIDTH - full)}]" if total else ""
        sys.stderr.write(f"\r\033[K{stage}{bar} {words}")
        sys.stderr.flush()

    def _clear(self) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class Cell(Bar):
    """In a notebook."""

    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = None

    def _draw(self, stage: str, done: int, total: int, words: str) -> None:
        value = f' value="{done}" max="{total}"' if total else ""
        self._show(f"<progress{value}></progress> {html.escape(stage)}, {html.escape(words)}")

    def _clear(self) -> None:
        self._show("")

    def _show(self, content: str) -> None:
        display: Any = importlib.import_module("IPython.display")
        if self.handle is None:
            self.handle = display.display(display.HTML(content), display_id=True)
        else:
            self.handle.update(display.HTML(content))


def _place() -> Bar | None:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):
        return Cell()
    try:
        return Line() if sys.stderr.isatty() else None
    except (AttributeError, ValueError):  # it is closed, or none
        return None


@contextlib.contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """The callback to pass on: the one given; a bar for None or True, where there is a place for
    it; none for False."""
    if progress is not None and not isinstance(progress, bool):
        yield progress
        return
    bar = None if progress is False else _place()
    try:
        yield bar
    finally:
        if bar is not None:
            bar.close()
