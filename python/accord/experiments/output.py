"""Tables, CSV and plots of what was measured."""

from __future__ import annotations

import contextlib
import csv
import math
import os
import sys
import tempfile
from typing import Any, Iterable, Iterator, Sequence

from .measure import Time


def write(folder: str, name: str, text: str, quiet: bool = False) -> str:
    """A file, whole or not at all; its path."""
    path = os.path.join(folder, name)
    with tempfile.NamedTemporaryFile("w", dir=folder, newline="", delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
    if not quiet:
        print(path, file=sys.stderr)
    return path


def write_csv(folder: str, name: str, head: Sequence[str], rows: Iterable[Sequence[Any]],
              quiet: bool = False) -> None:
    class Lines(list):
        def write(self, line: str) -> None:
            self.append(line)

    lines = Lines()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    write(folder, name, "".join(lines), quiet)


def write_times(folder: str, name: str, times: list[Time]) -> None:
    write_csv(folder, name, Time._fields, [[f"{v:.6g}" if isinstance(v, float) else v for v in t]
                                           for t in times])


def _unique(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def table(times: list[Time]) -> str:
    """Median seconds in Markdown: a table for each operation, n down, algorithms across."""
    text = []
    for operation in _unique(t.operation for t in times):
        own = [t for t in times if t.operation == operation]
        names = _unique(t.algorithm for t in own)
        seconds = {(t.n, t.algorithm): f"{t.median:.3g}" for t in own}
        text += [f"**{operation}**", "", f"| n | {' | '.join(names)} |",
                 f"|--:|{'--:|' * len(names)}"]
        text += [f"| {n} | " + " | ".join(seconds.get((n, name), "") for name in names) + " |"
                 for n in sorted({t.n for t in own})]
        text.append("")
    return "\n".join(text)


def cell(x: Any) -> str:
    if isinstance(x, float):
        return "-" if math.isnan(x) else f"{x:.4g}"
    return str(x)


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|---|{'--:|' * (len(head) - 1)}"]
    return "\n".join(lines + [f"| {' | '.join(map(cell, r))} |" for r in rows]) + "\n"


_STYLES = {"naive": ("tab:red", "^"), "basic": ("tab:green", "s"), "fprev": ("tab:blue", "o"),
           "accord": ("black", "D"), "accord, proven": ("0.5", "x")}


@contextlib.contextmanager
def drawing(folder: str, name: str, panels: int, sharey: bool = False,
            below: float = 0.16, width: float = 3.4, height: float = 3.2) -> Iterator[list[Any]]:
    """The axes of a figure with panels side by side, each of `width` by `height` inches, which is then
    written with one legend, for which the share `below` of its height is kept; no axes where
    matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed", file=sys.stderr)
        yield []
        return
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "accord", "font.size": 9})
    figure, axes = plt.subplots(1, panels, figsize=(width * panels, height),
                                sharey=sharey, squeeze=False)
    yield list(axes[0])
    labels: dict[str, Any] = {}
    for axis in axes[0]:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            labels.setdefault(label, handle)
    figure.legend(list(labels.values()), list(labels), loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, below, 1, 1))
    path = os.path.join(folder, name)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    print(path, file=sys.stderr)


def plot(folder: str, name: str, times: list[Time]) -> None:
    """The papers' figures: log-log, an operation a panel; left out where matplotlib is missing."""
    panels = _unique(t.operation for t in times)
    with drawing(folder, name, len(panels), True) as axes:
        for axis, operation in zip(axes, panels):
            _times(axis, operation, [t for t in times if t.operation == operation])
            axis.set_ylabel("seconds" if axis is axes[0] else "")


def _times(axis: Any, operation: str, times: list[Time]) -> None:
    for algorithm in _unique(t.algorithm for t in times):
        own = [t for t in times if t.algorithm == algorithm]
        color, marker = _STYLES[algorithm.removeprefix("original ")]
        axis.plot([t.n for t in own], [t.median for t in own], marker, color=color, markersize=3,
                  linestyle="--" if algorithm.startswith("original") else "-", linewidth=1,
                  label=algorithm)
    axis.set(yscale="log", title=operation, xlabel="terms")
    axis.set_xscale("log", base=2)
    axis.grid(True, linewidth=0.3)
