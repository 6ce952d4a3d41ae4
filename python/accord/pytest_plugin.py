"""For pytest: orders that must stay as they were recorded.

    def test_order(accord_snapshot):
        accord_snapshot(numpy.sum, n=[8, 100, 1000])

The records are in ``__accord__`` beside the file of the test, separate for each kind of machine
(``accord check __accord__`` reads them, too). ``pytest --accord-update`` writes them. If a record
is missing, the test fails in CI (when the variable CI is set) and with --accord-strict; otherwise
the record is written, and the summary says so.
"""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any, Iterator

import pytest

if TYPE_CHECKING:
    from ._order import Order

FOLDER = "__accord__"
_PROPERTY = "accord_recorded"
_USED = pytest.StashKey["list[tuple[str, Order, str, Snapshot]]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("accord", "recorded orders of additions")
    group.addoption("--accord-update", action="store_true",
                    help="record the orders that accord_snapshot finds now")
    group.addoption("--accord-strict", action="store_true",
                    help="a missing record of accord_snapshot fails, as it does where CI is set")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_USED] = []


def pytest_terminal_summary(terminalreporter: Any) -> None:
    written = sorted({value for reports in terminalreporter.stats.values() for report in reports
                      for name, value in getattr(report, "user_properties", ())
                      if name == _PROPERTY})
    if written:
        terminalreporter.section("accord")
        terminalreporter.write_line("recorded orders (commit them with the tests):")
        for path in written:
            terminalreporter.write_line(f"  {path}")


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false", "no")


def _mark(order: Order) -> str:
    """What the summary adds where no order, or no arithmetic, was recorded."""
    if not order.fingerprint:
        return f"  (no fixed order: {order.reason})"
    return "" if order.model else "  (the arithmetic is not explained)"


class Snapshot:
    """The value of the fixture `accord_snapshot`."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._config = request.config
        self.folder = pathlib.Path(request.node.path).parent / FOLDER
        self.update = bool(self._config.getoption("accord_update"))
        self.strict = bool(self._config.getoption("accord_strict")) or _in_ci()

    def __call__(self, target: Any, n: Any = None, dtype: Any = None, *, name: str | None = None,
                 **how: Any) -> None:
        """Compares the order of `target` with the recorded one.

        target, dtype and other arguments as for `accord.reveal`; n: a number of terms, or several.
        name: the name of the record, by default that of the test; a test that asks two callables
        of one name, such as lambdas, needs it.
        """
        __tracebackhide__ = True
        counts = list(n) if hasattr(n, "__iter__") else [n]
        problems = [problem for count in counts
                    if (problem := self._check(target, count, dtype, name, how))]
        if problems:
            pytest.fail("\n\n".join(problems), pytrace=False)

    def _check(self, target: Any, n: Any, dtype: Any, name: str | None,
               how: dict[str, Any]) -> str | None:
        from . import _records

        now = _records.ask(target, n=n, dtype=dtype, **how)
        folder = self.folder / self._name(name)
        self._claim(folder, now)
        path = folder / f"{_records.key_of(now)}.json"
        old = _records.find(path, now)
        if old is not None:
            found = _records.compare(old, now)
            if found.verdict in ("same", "same-on-inputs"):
                return None
            if not self.update:
                return self._changed(found, path)
        elif self.strict and not self.update:
            return self._missing(now, path)
        _records.store(path, now)
        self._request.node.user_properties.append((_PROPERTY, self._short(path) + _mark(now)))
        return None

    def _name(self, name: str | None) -> str:
        from ._records import folder_name

        node = self._request.node
        inner = name or ".".join(node.nodeid.split("::")[1:]) or node.name
        return folder_name(f"{pathlib.Path(node.path).stem}.{inner}")

    def _claim(self, folder: pathlib.Path, now: Order) -> None:
        """Refuses a second record of the same question under the same name, which would only be
        compared with the first."""
        from . import _records

        node = self._request.node.nodeid
        used = self._config.stash[_USED]
        for where, order, owner, snapshot in used:
            again = owner == node and snapshot is not self  # the test runs once more
            if where == str(folder) and not again and _records.same_question(order, now):
                raise pytest.UsageError(
                    f"accord_snapshot asks {now.fields['target']}, {now.n} terms, twice under the "
                    f"name {folder.name}" + (f" (also in {owner})" if owner != node else "")
                    + ": give one of them another name=...")
        used.append((str(folder), now, node, self))

    def _short(self, path: pathlib.Path) -> str:
        return os.path.relpath(path, self._config.invocation_params.dir)

    def _changed(self, found: Any, path: pathlib.Path) -> str:
        what = ("it cannot be determined whether the order is as recorded"
                if found.verdict == "cannot-tell" else "the order is not as recorded")
        lines = [f"{found.now.fields['target']}, {found.now.n} terms: {what}",
                 f"  recorded: {found.recorded.words()}", f"  now:      {found.now.words()}"]
        lines += [f"  {line}" for line in str(found.difference).splitlines()]
        lines += [f"  {name}: {then} when recorded, {now} now"
                  for name, (then, now) in found.circumstances.items()]
        lines.append(f"  A is the record {self._short(path)}, B the order found now. If the change "
                     "is intended, run: pytest --accord-update")
        return "\n".join(lines)

    def _missing(self, now: Order, path: pathlib.Path) -> str:
        others = sorted(each.stem for each in path.parent.glob("*.json"))
        return "\n".join([
            f"{now.fields['target']}, {now.n} terms: not recorded for this machine",
            f"  now: {now.words()}",
            f"  library: {now.fields['library_version']}",
            f"  CPU features: {now.fields['cpu_features']}",
            f"  key: {path.stem}" + (f"; recorded for {', '.join(others)}" if others else ""),
            f"  To write {self._short(path)}, run on such a machine: pytest --accord-update"])


@pytest.fixture
def accord_snapshot(request: pytest.FixtureRequest) -> Iterator[Snapshot]:
    """accord_snapshot(callable, n=[8, 100]): the orders must be as recorded."""
    yield Snapshot(request)
