"""What was found about operators, as a table, sentences and heat maps."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..output import drawing, markdown

RUNS, THREADS = "run to run", "across threads"
DEFAULT, DETERMINISTIC = "default", "deterministic"


class Row(NamedTuple):
    """The answer to one question about one result of a configuration; without figures, and with a note,
    where PyTorch refused."""

    operator: str
    result: str
    parameters: str
    dtype: str
    device: str
    mode: str
    question: str
    threads: str
    runs: int
    unique: int
    vermv_mean: float
    vermv_std: float
    vc_mean: float
    vc_std: float
    seconds_mean: float
    seconds_std: float
    note: str = ""


def csv_row(row: Row) -> list[Any]:
    """The fields of a row in a file; what is not known is empty."""
    return ["" if isinstance(v, float) and math.isnan(v) else f"{v:.6g}" if isinstance(v, float) else v
            for v in row]


class Finding(NamedTuple):
    """A result of an operator, over all its configurations: the largest figures."""

    operator: str
    result: str
    rows: list[Row]

    @property
    def label(self) -> str:
        return f"{self.operator}: {self.result}" if self.result != "result" else self.operator

    def of(self, mode: str, question: str, threads: str = "") -> list[Row]:
        return [r for r in self.rows if r.mode == mode and r.question == question
                and (not threads or r.threads == threads)]

    def most(self, field: str, mode: str, question: str, threads: str = "") -> float:
        values = [getattr(r, field) for r in self.of(mode, question, threads)]
        return max((v for v in values if not math.isnan(v)), default=math.nan)

    def varies(self, question: str, mode: str = DEFAULT) -> bool:
        return self.most("unique", mode, question) > 1


def findings(rows: list[Row]) -> list[Finding]:
    """In the order of the sweep; types other than float32 are operators of their own."""
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.unique:
            name = row.operator if row.dtype == "float32" else f"{row.operator} {row.dtype}"
            grouped.setdefault((name, row.result), []).append(row)
    return [Finding(*key, own) for key, own in grouped.items()]


def _slowdown(found: Finding) -> float:
    """The time in deterministic mode, divided by that in default mode."""
    seconds = [sum(r.seconds_mean for r in found.of(mode, RUNS)) for mode in (DEFAULT, DETERMINISTIC)]
    return seconds[1] / seconds[0] if all(seconds) else math.nan


def _unique(found: Finding, mode: str, question: str, threads: str = "") -> str:
    """The most different results of one configuration, of how many."""
    most = found.most("unique", mode, question, threads)
    return "-" if math.isnan(most) else f"{most} of {found.most('runs', mode, question, threads)}"


def _repeated(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(r.threads for r in rows if r.question == RUNS))


def _with(threads: str) -> str:
    return f", {threads} threads" if threads else ""


def table(rows: list[Row]) -> str:
    """What varies from run to run and what changes with the number of threads, in Markdown."""
    several = _repeated(rows)
    head = ["operator: result", "configurations", *(f"{RUNS}{_with(t)}" for t in several), "Vermv", "Vc",
            THREADS, "Vermv", "Vc", *(f"{DETERMINISTIC}, {q}" for q in (RUNS, THREADS)),
            "deterministic / default, time"]
    lines = []
    for found in findings(rows):
        if not found.varies(RUNS) and not found.varies(THREADS):
            continue
        lines.append((found.label, len({(r.parameters, r.dtype) for r in found.rows}),
                      *(_unique(found, DEFAULT, RUNS, t) for t in several),
                      *(found.most(field, DEFAULT, RUNS) for field in ("vermv_mean", "vc_mean")),
                      _unique(found, DEFAULT, THREADS),
                      *(found.most(field, DEFAULT, THREADS) for field in ("vermv_mean", "vc_mean")),
                      *(_unique(found, DETERMINISTIC, q) for q in (RUNS, THREADS)), _slowdown(found)))
    return markdown(head, lines)


def summary(rows: list[Row]) -> list[str]:
    """The findings as sentences."""
    found = findings(rows)
    groups = (("Vary from run to run", [f for f in found if f.varies(RUNS)]),
              ("Change with the number of threads only",
               [f for f in found if f.varies(THREADS) and not f.varies(RUNS)]),
              ("Vary from run to run even in deterministic mode",
               [f for f in found if f.varies(RUNS, DETERMINISTIC)]),
              ("The same throughout", [f for f in found if not f.varies(RUNS) and not f.varies(THREADS)]))
    lines = [f"{name}: {', '.join(f.label for f in own) or 'none'}." for name, own in groups]
    notes: dict[str, set[str]] = {}
    for row in rows:
        if row.note:
            short = row.note if len(row.note) <= 100 else f"{row.note[:99]}…"
            notes.setdefault(f"{row.operator}, {row.mode} mode: {short}", set()).add(row.parameters)
    return lines + [f"{note} (in {len(where)} of the sweep)" for note, where in notes.items()]


# ---- pictures ----


def _cells(axis: Any, values: list[list[float]], texts: list[list[str]], rows: list[str],
           columns: list[str], logarithmic: bool) -> None:
    """A heat map; zeros stay white."""
    import numpy as np
    from matplotlib.colors import LogNorm, Normalize

    array = np.array(values, float)
    shown = np.ma.masked_where(~(array > 0), array)
    least, most = (float(shown.min()), float(shown.max())) if shown.count() else (1, 1)  # without NaN
    norm = (LogNorm(min(1e-9, least), max(1, most))
            if logarithmic else Normalize(0, 1))
    mesh = axis.pcolormesh(shown, norm=norm, cmap="YlOrRd", edgecolors="0.85", linewidth=0.3)
    for i, line in enumerate(texts):
        for k, text in enumerate(line):
            dark = shown[i, k] is not np.ma.masked and norm(array[i, k]) > 0.65
            axis.text(k + 0.5, i + 0.5, text, ha="center", va="center", fontsize=6,
                      color="white" if dark else "black")
    axis.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=60, ha="right", fontsize=7,
                    rotation_mode="anchor")
    axis.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=7)
    axis.invert_yaxis()
    axis.tick_params(length=0)
    bar = axis.figure.colorbar(mesh, ax=axis, shrink=0.6)
    bar.ax.tick_params(labelsize=7)


def plot(folder: str, name: str, rows: list[Row]) -> None:
    """Vermv and Vc of everything that differs, the largest over the configurations; the numbers are
    those of different results."""
    found = [f for f in findings(rows) if f.varies(RUNS) or f.varies(THREADS)]
    columns = [(mode, question, threads) for mode in (DEFAULT, DETERMINISTIC)
               for question, threads in [*((RUNS, t) for t in _repeated(rows)), (THREADS, "")]]
    columns = [c for c in columns if any(f.of(*c) for f in found)]
    if not found:
        return
    labels = [f"{mode},\n{question}{_with(threads)}" for mode, question, threads in columns]
    texts = [[f"{f.most('unique', *c):.0f}" if f.of(*c) else "" for c in columns] for f in found]
    with drawing(folder, name, 2, below=0, width=4.6, height=1.6 + 0.18 * len(found)) as axes:
        for axis, (field, title) in zip(axes, (("vermv_mean", "Vermv"), ("vc_mean", "Vc"))):
            _cells(axis, [[f.most(field, *c) if f.of(*c) else math.nan for c in columns] for f in found],
                   texts, [f.label for f in found] if axis is axes[0] else [""] * len(found), labels,
                   field == "vermv_mean")
            axis.set_title(title)


def _parameters(row: Row) -> dict[str, str]:
    return dict(word.split("=") for word in row.parameters.split())


def plot_parameters(folder: str, name: str, rows: list[Row]) -> None:
    """Vc from run to run over the number of elements and the ratio of output to input, with the most
    threads."""
    asked = [r for r in rows if r.question == RUNS and r.mode == DEFAULT and r.dtype == "float32"
             and set(_parameters(r)) == {"n", "ratio"}]
    if not asked:
        return
    varying = list(dict.fromkeys(r.operator for r in asked if r.unique > 1))
    own = [r for r in asked if r.threads == _repeated(rows)[-1]]
    if not varying:
        return
    with drawing(folder, name, len(varying), below=0, height=2.4) as axes:
        for axis, operator in zip(axes, varying):
            cells = {(_parameters(r)["n"], _parameters(r)["ratio"]): r for r in own
                     if r.operator == operator}
            down = sorted({n for n, _ in cells}, key=int)
            across = sorted({ratio for _, ratio in cells}, key=float)
            _cells(axis, [[cells[n, k].vc_mean if (n, k) in cells else math.nan for k in across]
                          for n in down],
                   [[str(cells[n, k].unique) if (n, k) in cells else "" for k in across] for n in down],
                   down, across, False)
            axis.set_title(f"{operator}: Vc", fontsize=8)
            axis.set_xlabel("ratio of output to input", fontsize=7)
            if axis is axes[0]:
                axis.set_ylabel("elements", fontsize=7)
