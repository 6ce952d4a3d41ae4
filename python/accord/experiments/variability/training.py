"""A graph network, trained again and again from the same initialization: how far do weights and
outputs drift from those of the first run, epoch by epoch, and which operators are at fault?

Two SAGE layers: each node adds up what its neighbors hold (index_add_ of h[source]), divides by their
number, and combines that with its own. The network is that of Shanmugavelu et al., who train it on
Cora; here it is trained on a made graph of the same shape, and the initialization is seeded."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np
import torch

import accord

from ..measure import say
from ..output import drawing, markdown, write_csv
from . import graph
from .spread import digest, vc, vermv

EPOCHS = 10
RATE = 0.01
SEED = 1
FEW = 3  # runs of a setting that answers only whether runs are equal
SHORT = 2  # its epochs: where the runs differ, they do so after the first step

HEAD = ("setting", "run", "epoch", "weights_vermv", "weights_vc", "outputs_vermv", "outputs_vc",
        "changed_predictions", "weights_digest", "seconds")
INFERENCE_HEAD = ("setting", "run", "outputs_vermv", "outputs_vc", "changed_predictions",
                  "outputs_digest", "seconds")
FAULTS_HEAD = ("operator", "runs", "unique_if_only_it_is_deterministic", "unique_if_only_it_is_not",
               "at_fault")


@contextlib.contextmanager
def deterministic(wanted: bool) -> Iterator[None]:
    """Algorithms that PyTorch promises to be deterministic, or its defaults."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(wanted)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


class _Apart(torch.autograd.Function):
    """An operator whose forward and backward run in a mode of their own."""

    @staticmethod
    def forward(context: Any, operator: Any, wanted: bool, *inputs: Any) -> Any:
        context.wanted = wanted
        context.inputs = [x.detach().requires_grad_(x.requires_grad) for x in inputs]
        with torch.enable_grad(), deterministic(wanted):
            context.result = operator(*context.inputs)
        return context.result.detach()

    @staticmethod
    def backward(context: Any, *gradients: Any) -> Any:
        asked = [x for x in context.inputs if x.requires_grad]
        with deterministic(context.wanted):
            found = iter(torch.autograd.grad(context.result, asked, gradients))
        return None, None, *(next(found) if x.requires_grad else None for x in context.inputs)


class Setting(NamedTuple):
    """What a run does: which operators are deterministic, how h[source] is written, and whether the
    edges are permuted with the number of the run as the seed."""

    name: str
    deterministic: frozenset[str] = frozenset()
    index_select: bool = False
    permuted: bool = False


OPERATORS = ("h[source]", "index_add_", "linear", "relu", "cross_entropy", "Adam")
LIVE = Setting("live")
SELECTED = Setting("live, index_select", index_select=True)
FIXED = Setting("deterministic", frozenset(OPERATORS))
PERMUTED = Setting("edges permuted", frozenset(OPERATORS), permuted=True)


class Network:
    """The network on a graph. Everything that is drawn is drawn on the CPU, from seeds."""

    def __init__(self, made: graph.Graph, hidden: int, device: str) -> None:
        self.device = device
        self.made = made
        self.features = torch.from_numpy(made.features).to(device)
        self.labels = torch.from_numpy(made.labels).to(device)
        self.taught = torch.from_numpy(np.flatnonzero(made.taught)).to(device)
        counts = np.maximum(np.bincount(made.target, minlength=len(made.labels)), 1)
        self.neighbors = torch.from_numpy(counts.astype(np.float32)).to(device)[:, None]
        draw = torch.Generator().manual_seed(SEED)
        self.start = []
        for wide, narrow in ((made.features.shape[1], hidden), (hidden, graph.CLASSES)):
            bound = wide**-0.5
            for shape in ((narrow, wide), (narrow, wide), (narrow,)):
                self.start.append((torch.rand(shape, generator=draw) * 2 - 1) * bound)

    def edges(self, setting: Setting, run: int) -> tuple[Any, Any]:
        order = slice(None)
        if setting.permuted:
            order = np.random.default_rng([SEED, run]).permutation(len(self.made.source))
        return tuple(torch.from_numpy(np.ascontiguousarray(side[order])).to(self.device)
                     for side in (self.made.source, self.made.target))

    def outputs(self, weights: list[Any], edges: tuple[Any, Any], setting: Setting) -> Any:
        source, target = edges

        def do(name: str, operator: Callable[..., Any], *inputs: Any) -> Any:
            return _Apart.apply(operator, name in setting.deterministic, *inputs)

        def gather(h: Any) -> Any:
            return h.index_select(0, source) if setting.index_select else h[source]

        def aggregate(h: Any, gathered: Any) -> Any:
            return torch.zeros_like(h).index_add_(0, target, gathered)

        def layer(h: Any, own: Any, other: Any, bias: Any) -> Any:
            mean = do("index_add_", lambda g: aggregate(h.detach(), g), do("h[source]", gather, h))
            mean = mean / self.neighbors
            return (do("linear", torch.nn.functional.linear, h, own, bias)
                    + do("linear", torch.nn.functional.linear, mean, other))

        hidden = do("relu", torch.relu, layer(self.features, *weights[:3]))
        return layer(hidden, *weights[3:])

    def train(self, setting: Setting, run: int, epochs: int) -> Iterator[tuple[Any, Any]]:
        """The weights and the outputs after each epoch, as arrays."""
        weights = [w.clone().to(self.device).requires_grad_() for w in self.start]
        edges = self.edges(setting, run)
        steps = torch.optim.Adam(weights, RATE)
        for _ in range(epochs):
            steps.zero_grad()
            outputs = self.outputs(weights, edges, setting)
            loss = _Apart.apply(
                lambda y: torch.nn.functional.cross_entropy(y[self.taught], self.labels[self.taught]),
                "cross_entropy" in setting.deterministic, outputs)
            loss.backward()
            with deterministic("Adam" in setting.deterministic):
                steps.step()
            yield _flat(weights), outputs.detach().cpu().numpy()

    def infer(self, weights: Any, setting: Setting, run: int) -> Any:
        """The outputs of a network with these weights."""
        cut = np.split(weights, np.cumsum([w.numel() for w in self.start])[:-1])
        whole = [torch.from_numpy(w.reshape(s.shape)).to(self.device)
                 for w, s in zip(cut, self.start)]
        with torch.no_grad():
            return self.outputs(whole, self.edges(setting, run), setting).cpu().numpy()


def _flat(weights: list[Any]) -> Any:
    return np.concatenate([w.detach().cpu().numpy().ravel() for w in weights])


def _changed(outputs: Any, first: Any) -> int:
    """Predictions that are others."""
    return int((outputs.argmax(axis=1) != first.argmax(axis=1)).sum())


# ---- drift ----


class Drift(NamedTuple):
    """The runs of a setting: a row for each run and epoch, and the first run's last weights."""

    setting: Setting
    rows: list[tuple[Any, ...]]
    weights: Any
    outputs: Any

    @property
    def unique(self) -> int:
        last = max(row[2] for row in self.rows)
        return len({row[8] for row in self.rows if row[2] == last})

    @property
    def runs(self) -> int:
        return 1 + max(row[1] for row in self.rows)


def drift(network: Network, setting: Setting, runs: int, epochs: int = EPOCHS) -> Drift:
    """Every run against the first one, after each epoch."""
    first: list[tuple[Any, Any]] = []
    rows: list[tuple[Any, ...]] = []
    for run in range(runs):
        began = time.perf_counter()
        for epoch, (weights, outputs) in enumerate(network.train(setting, run, epochs)):
            if run == 0:
                first.append((weights, outputs))
            before, answer = first[epoch]
            rows.append((setting.name, run, epoch + 1, vermv(weights, before), vc(weights, before),
                         vermv(outputs, answer), vc(outputs, answer), _changed(outputs, answer),
                         digest(weights).hex()[:12], time.perf_counter() - began))
        say(f"{setting.name}: run {run + 1} of {runs}, {time.perf_counter() - began:.1f} s")
    say(f"{setting.name}: {runs} runs, the last of {rows[-1][-1]:.1f} s", True)
    return Drift(setting, rows, *first[-1])


def inference(network: Network, weights: Any, setting: Setting, runs: int) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    first = None
    for run in range(runs):
        began = time.perf_counter()
        outputs = network.infer(weights, setting, run)
        seconds = time.perf_counter() - began
        first = outputs if first is None else first
        rows.append((setting.name, run, vermv(outputs, first), vc(outputs, first),
                     _changed(outputs, first), digest(outputs).hex()[:12], seconds))
    return rows


def faults(network: Network, runs: int) -> list[tuple[Any, ...]]:
    """Each operator made deterministic alone, and left as it is alone. An operator is at fault if runs
    differ where all others are deterministic."""
    rows = []
    everything = frozenset(OPERATORS)
    for operator in OPERATORS:
        alone = drift(network, Setting(f"only {operator} deterministic", frozenset({operator})), runs,
                      SHORT)
        left = drift(network, Setting(f"only {operator} live", everything - {operator}), runs, SHORT)
        rows.append((operator, runs, alone.unique, left.unique, "yes" if left.unique > 1 else "no"))
    return rows


# ---- pictures and tables ----


def _median(found: Drift, column: int, epoch: int) -> tuple[float, float, float]:
    """Least, median and greatest over the runs but the first."""
    values = [row[column] for row in found.rows if row[2] == epoch and row[1] > 0]
    return float(min(values)), float(np.median(values)), float(max(values))


def plot(folder: str, name: str, found: list[Drift]) -> None:
    """Medians over the runs at each epoch, between the least and the greatest."""
    panels = ((3, "weights: Vermv", "log"), (4, "weights: Vc", "linear"), (5, "outputs: Vermv", "log"))
    with drawing(folder, name, len(panels), below=0.1) as axes:
        for axis, (column, title, scale) in zip(axes, panels):
            for spread, color, marker in zip(found, ("tab:red", "tab:blue", "black", "0.6"), "osDx"):
                epochs = sorted({row[2] for row in spread.rows})
                low, middle, high = zip(*(_median(spread, column, e) for e in epochs))
                if scale == "log":  # which has no place for 0
                    middle = [x or np.nan for x in middle]
                if max(high) == 0 and scale == "log":
                    continue  # nothing differs: named by the table and the legend of the next panel
                axis.fill_between(epochs, low, high, color=color, alpha=0.2, linewidth=0)
                axis.plot(epochs, middle, marker, color=color, markersize=3, linestyle="-",
                          linewidth=1, label=spread.setting.name)
            axis.set(title=title, xlabel="epoch", yscale=scale)
            axis.grid(True, linewidth=0.3)


def _summary(found: Drift) -> tuple[Any, ...]:
    last = [row for row in found.rows if row[2] == max(r[2] for r in found.rows) and row[1] > 0]
    seconds = [row[9] for row in found.rows if row[2] == max(r[2] for r in found.rows)]
    return (found.setting.name, found.runs, found.unique,
            *(max(row[column] for row in last) for column in (3, 4, 5, 6, 7)),
            float(np.median(seconds)))


def _infer(network: Network, found: Drift, runs: int) -> list[tuple[Any, ...]]:
    return [row for setting in (LIVE, FIXED, PERMUTED)
            for row in inference(network, found.weights, setting, runs)]


def measure(args: Any, machine: str) -> None:
    """All of it; --quick takes a network of 64 units in its hidden layer and 256 words, and 5 runs."""
    hidden, words = (64, 256) if args.quick else (1024, graph.WORDS)
    runs = args.runs or (5 if args.quick else 20)
    few = min(runs, FEW)
    if runs < 2:
        raise accord.ArgumentError("training compares runs: --runs must be at least 2")
    torch.set_num_threads(max(2, torch.get_num_threads()))
    network = Network(graph.make(words=words), hidden, args.device)
    found: list[Drift] = []
    for setting, count in ((LIVE, runs), (PERMUTED, runs), (SELECTED, few), (FIXED, few)):
        found.append(drift(network, setting, count))
        write_csv(args.output, "training.csv", HEAD, [row for f in found for row in f.rows],
                  quiet=setting != FIXED)
    plot(args.output, "training.svg", found)
    inferred = _infer(network, found[3], runs)
    write_csv(args.output, "training-inference.csv", INFERENCE_HEAD, inferred)
    at_fault = faults(network, few)
    write_csv(args.output, "training-operators.csv", FAULTS_HEAD, at_fault)
    print(f"training{' --quick' if args.quick else ''}: {graph.NODES} nodes, {graph.EDGES} edges, "
          f"{words} words, {hidden} hidden units, {EPOCHS} epochs, {args.device}, "
          f"{torch.get_num_threads()} threads; {machine}\n")
    print(markdown(("setting", "runs", "unique", "weights: Vermv", "Vc", "outputs: Vermv", "Vc",
                    "changed predictions", "seconds"), map(_summary, found)))
    live, fixed = found[0], found[3]
    print(f"The first live run and the deterministic one: Vermv of the weights "
          f"{vermv(live.weights, fixed.weights):.3g}, Vc {vc(live.weights, fixed.weights):.3g}; "
          f"{_changed(live.outputs, fixed.outputs)} predictions differ.\n")
    print(markdown(("inference alone", "runs", "unique", "outputs: Vermv", "Vc",
                    "changed predictions"), _inferred(inferred)))
    print(markdown(("operator", "runs", "unique if only it is deterministic",
                    "unique if only it is live", "at fault"), at_fault))


def _inferred(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    table = []
    for name in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == name]
        table.append((name, len(own), len({row[5] for row in own}),
                      *(max(row[column] for row in own) for column in (2, 3, 4))))
    return table
