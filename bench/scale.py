"""Calls and times of orders from ten to ten million terms, beside the original FPRev and the goals.

bench/run imports this as its table "scale". In a process for each family,

    scale.py FAMILY N ...

asks all methods in turn and prints a row of JSON for each n, and

    scale.py --plot ROWS.json STEM

draws STEM-calls.svg and STEM-seconds.svg. It needs the package accord and the libraries of the
family (or matplotlib); with FPREV_DIR (a folder with fprev.py and experiments/) the original
stands beside them, without it its cells are empty.
"""
import ctypes, json, math, os, statistics, subprocess, sys, time

#: What is asked of each family; products of n by n matrices, and those of a long time, end early.
COUNTS = (10, 64, 256, 1024, 4096, 8192, 16384, 10 ** 5, 10 ** 6, 10 ** 7)
MOST_PRODUCT = 1024
LONGEST = {"original": 150.0, "pairs": 15.0}  # seconds that a method may be expected to take
LIBRARY = "libopenblas.so.0"

# name, kind, kernel of OpenBLAS ("" is the default one)
FAMILIES = [("np.sum", "sum", None), ("np.dot", "dot", None), ("np.matmul", "product", None),
            ("torch.sum", "sum", None), ("torch.mm", "product", None),
            ("sdot", "dot", ""), ("sdot Haswell", "dot", "Haswell"), ("sdot Zen", "dot", "Zen"),
            ("sdot Nehalem", "dot", "Nehalem"), ("ddot", "dot", ""),
            ("lanes", "synthetic", None), ("blocks", "synthetic", None)]
SYNTHETIC = {"lanes": "synthetic:lanes:8", "blocks": "synthetic:numpy"}
METHODS = ("original", "pairs", "found", "proven")


# ---- goals ----


def goal_of_discovery(kind, n):
    """How many times faster than the original, from what n on; None: there is no such goal."""
    if n < 64:
        return None
    if kind == "product":
        return 2 if n == 64 else 20 if n >= 1024 else 1
    return 5 if n == 64 else (10 if kind == "dot" else 20) if n >= 1024 else 1


def goal_of_proof(n):
    return None if n < 256 else 4 if n >= 4096 else 1


def goal_in_seconds(n):
    """Of discovery below 64 terms; of discovery and proof above."""
    return {10: 1e-3, 8192: 10e-3, 10 ** 6: 3.0, 10 ** 7: 60.0}.get(n)


# ---- asking, in a process for a family ----


class Dot:
    """A dot product of OpenBLAS, as the original asks."""

    def __init__(self, n, double):
        import numpy
        self.n_summands = n
        real = numpy.float64 if double else numpy.float32
        self.data, self.ones = numpy.ones(n, real), numpy.ones(n, real)
        self.mask = 2.0 ** (1023 if double else 127)
        library = ctypes.CDLL(LIBRARY)
        self.call = library.cblas_ddot if double else library.cblas_sdot
        self.call.restype = ctypes.c_double if double else ctypes.c_float
        self.given = (ctypes.c_int(n), ctypes.c_void_p(self.data.ctypes.data), ctypes.c_int(1),
                      ctypes.c_void_p(self.ones.ctypes.data), ctypes.c_int(1))

    def set_mask(self, k, negative):
        self.data[k] = -self.mask if negative else self.mask

    def reset_mask(self, k):
        self.data[k] = 1

    def get_l(self):
        return self.n_summands - int(self.call(*self.given))


def question(name, n):
    """What is asked of accord: the target and how."""
    import accord, numpy
    if name in SYNTHETIC:
        return SYNTHETIC[name], {"n": n}
    if name.startswith(("sdot", "ddot")):
        return f"blas:{name[:4]}@{LIBRARY}", {"n": n, "no_fork": True}
    if name == "np.sum":
        return numpy.ndarray.sum, {"n": n, "array": "numpy"}  # as the original calls it
    if name == "np.dot":
        return accord.dot(numpy.dot), {"n": n}
    if name == "np.matmul":
        return accord.gemm(numpy.matmul), {"shape": (n, n, n)}
    import torch
    if name == "torch.sum":
        return torch.sum, {"n": n}
    return accord.gemm(torch.mm), {"shape": (n, n, n)}


def peer(name, n):
    """The original's object, or None."""
    from accord.experiments.operations import Original
    folder = os.environ.get("FPREV_DIR")
    if not folder or name in SYNTHETIC:
        return None, None
    original = Original(folder)
    if name.startswith(("sdot", "ddot")):
        return original, Dot(n, name == "ddot")
    library, operation = {"np": "numpy", "torch": "torch"}[name.split(".")[0]], name.split(".")[1]
    module = __import__(f"accumimpls.{library}", fromlist=["x"])
    kind = {"sum": "Sum", "dot": "Dot", "matmul": "GEMM", "mm": "GEMM"}[operation]
    return original, getattr(module, library.capitalize() + kind)(n)


class Counted:
    """The original's object, with its calls counted."""

    def __init__(self, asked):
        self.asked, self.calls, self.n_summands = asked, 0, asked.n_summands
        self.set_mask, self.reset_mask = asked.set_mask, asked.reset_mask

    def get_l(self):
        self.calls += 1
        return self.asked.get_l()


def methods(name, n):
    """By name, what runs it and gives (calls, certificate's calls, seconds of parts, tree)."""
    import accord
    target, how = question(name, n)

    def ours(**more):
        def run():
            order = accord.reveal(target, loose=True, **how, **more)
            t, c = order.timings, order.counts
            return {"calls": c["discovery_calls"], "certificate": c["certificate_calls"],
                    "replay": t["replay"], "own": t["discovery"] - t["target"],
                    "parts": t["discovery"] + t["certificate"] - t["replay"],
                    "proven": order.proven, "tree": order.fingerprint}
        return run

    original, asked = peer(name, n)

    def theirs():
        counted = Counted(asked)
        drawn = original.algorithms["fprev"](counted)
        return {"calls": counted.calls, "drawn": drawn}

    found = {"pairs": ours(algorithm="basic", certificate=False), "found": ours(certificate=False),
             "proven": ours()}
    return original, ({"original": theirs} if asked is not None else {}) | found


def growth(method, kind):
    """By how much the time of a method may grow with n."""
    return {"original": 2.1, "pairs": 3.1}.get(method, 1.3) + (1 if kind == "product" else 0)


def once(run):
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def take_turns(able, runs, times, got):
    """Runs methods in turn, at most so often and for ten seconds. What is quick is run once more
    before, so that none pays for the caches that another one filled."""
    quick = 0.1
    while runs and able:
        for m, run in able.items():
            if times[m] and times[m][-1][0] < quick:
                run()
            seconds, got[m] = once(run)
            times[m].append((seconds, got[m].get("parts", seconds), got[m].get("own", 0),
                             got[m].get("replay", 0)))
        spent = sum(times[m][-1][0] for m in able)
        runs = min(runs - 1, max(0, int(10 / spent)))


def ask(name, counts):
    kind = dict((f[0], f[1]) for f in FAMILIES)[name]
    last = {}  # method: (n, seconds)
    for n in counts:
        if kind == "product" and n > MOST_PRODUCT:
            break
        original, able = methods(name, n)
        able = {m: run for m, run in able.items() if m not in last or
                last[m][1] * (n / last[m][0]) ** growth(m, kind) < LONGEST.get(m, math.inf)}
        row = {"family": name, "n": n, "methods": {}}
        for run in able.values():
            if n <= 4096:
                run()  # once unmeasured: libraries choose kernels, memory is touched
        times, got = {m: [] for m in able}, {}
        for group in ([m for m in able if m != "pairs"], [m for m in able if m == "pairs"]):
            take_turns({m: able[m] for m in group}, 1 if n > 10 ** 5 else 15, times, got)
        for m, took in times.items():
            medians = [statistics.median(c) for c in zip(*took)]
            last[m] = n, medians[0]
            row["methods"][m] = {"calls": got[m]["calls"], "seconds": medians[0],
                                 "parts": medians[1], "own": medians[2], "replay": medians[3],
                                 "certificate": got[m].get("certificate", 0),
                                 "proven": got[m].get("proven", False), "runs": len(took)}
        trees = {got[m]["tree"] for m in got if m != "original"}
        if "original" in got and n <= 4096:
            trees.add(original.order(got["original"]["drawn"], n).fingerprint)
        row["trees"] = len(trees)
        print(json.dumps(row), flush=True)


# ---- the table ----


def ask_all(python, families, counts, say):
    """The rows of all families; a family that fails is told, and left out."""
    rows = []
    for name, _, kernel in families:
        around = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                               "MKL_NUM_THREADS": "1"}
        around.pop("OPENBLAS_CORETYPE", None)
        if kernel:
            around["OPENBLAS_CORETYPE"] = kernel
        process = subprocess.Popen([python, __file__, name, *map(str, counts)], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=around)
        for line in process.stdout:
            rows.append(json.loads(line))
            say(f"{name}, n = {rows[-1]['n']}")
        why = process.stderr.read().strip()
        if process.wait():
            say(f"{name} ended: {why.splitlines()[-1] if why else process.returncode}")
    return rows


def short(seconds):
    return "–" if seconds is None else f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def held(ratio, goal):
    if ratio is None:
        return "–"
    mark = "" if goal is None or ratio >= goal else " **no**"
    return f"{ratio:.1f}" + (f" (≥ {goal}){mark}" if goal else "")


def line(row, kind):
    n, found = row["n"], row["methods"]
    calls = [f"{found[m]['calls']:,}" if m in found else "–" for m in METHODS[:3]]
    times = [short(found[m]["seconds"] if m in found else None) for m in METHODS[:3]]
    proven, original = found.get("proven"), found.get("original")
    ratio = original["seconds"] / found["found"]["seconds"] if original else None
    proof = original["seconds"] / proven["parts"] if original and proven else None
    most = goal_in_seconds(n)
    within = found["found"]["seconds"] if n < 64 else proven["parts"]
    kept = "" if most is None or kind == "product" else \
        f" (< {short(most)})" + ("" if within < most else " **no**")
    return [row["family"], f"{n:,}", calls[0], times[0], calls[1], times[1], calls[2],
            times[2] + (kept if n < 64 else ""), short(found["found"]["own"]),
            f"{proven['certificate']:,}", short(proven["parts"]) + ("" if n < 64 else kept),
            short(proven["replay"]), held(ratio, goal_of_discovery(kind, n)),
            held(proof, goal_of_proof(n)),
            ("yes" if proven["proven"] else "**no**") + ("" if row["trees"] == 1 else
                                                        ", **trees differ**")]


HEAD = ("family", "n", "original: calls", "time", "all pairs: calls", "time", "accord: calls",
        "time", "own", "certificate: calls", "found and proven", "replays",
        "original / accord", "original / proven", "proven")
ABOUT = """### Orders from ten to ten million terms

All in one process for each family, on one thread; original, found and proven in turn, all pairs
after them; medians of up to 15 runs (of one run from 10^6 terms on, or if it takes longer than some
seconds), each of less than 0.1 s after an unmeasured one of the same method. original: FPRev, in Python, the
calls that it makes. all pairs: accord's algorithm `basic`, discovery with nothing guessed. accord:
discovery, the whole call of accord.reveal without a certificate; own: what of the discovery was not
spent in the target. found and proven: discovery and certificate (proof of the order, and of the
arithmetic), without the replays of random inputs and the answers, whose time is listed apart. sdot
and ddot are OpenBLAS's, called in the process; lanes and blocks are `{lanes}` and `{blocks}`. A goal
stands in brackets; **no**: it was missed.
"""


def table(rows):
    kinds = {f[0]: f[1] for f in FAMILIES}
    text = [ABOUT.format(**SYNTHETIC), f"| {' | '.join(HEAD)} |",
            "|---|" + "--:|" * (len(HEAD) - 2) + "---|"]
    return "\n".join(text + [f"| {' | '.join(line(r, kinds[r['family']]))} |" for r in rows]) + "\n\n"


# ---- the plot ----


STYLE = {"original": ("tab:blue", "s", "original FPRev"), "pairs": ("tab:green", "^", "all pairs"),
         "found": ("black", "o", "accord: found"), "proven": ("tab:red", "D", "accord: proven")}


def value_of(method, data, what):
    if what == "calls":
        return data["calls"] + (data["certificate"] if method == "proven" else 0)
    return data["parts"] if method == "proven" else data["seconds"]


def mark_goals(axis, rows, kind):
    """Where a curve of accord should be, at the most."""
    for method, color, goal in (("found", "black", lambda n: goal_of_discovery(kind, n)),
                                ("proven", "tab:red", goal_of_proof)):
        marks = [(r["n"], r["methods"]["original"]["seconds"] / goal(r["n"])) for r in rows
                 if "original" in r["methods"] and goal(r["n"])]
        if method == "proven" and kind != "product":
            marks += [(r["n"], goal_in_seconds(r["n"])) for r in rows
                      if r["n"] > 64 and goal_in_seconds(r["n"])]
        axis.plot(*zip(*marks) if marks else ([], []), "_", color=color, markersize=13,
                  markeredgewidth=1.4, label=f"goal: {'found' if method == 'found' else 'proven'}")


def plot(rows, path, what):
    """A panel for each family: calls or seconds against terms."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "accord", "font.size": 8}
    import matplotlib.pyplot as plt
    families = [f for f in FAMILIES if any(r["family"] == f[0] for r in rows)]
    across = 4
    down = -(-len(families) // across)
    figure, axes = plt.subplots(down, across, figsize=(3 * across, 2.5 * down), sharex=True,
                                sharey=True, squeeze=False)
    for axis in list(axes.flat)[len(families):]:
        axis.axis("off")
    for axis, (name, kind, _) in zip(axes.flat, families):
        own = [r for r in rows if r["family"] == name]
        for method, (color, marker, label) in STYLE.items():
            at = [(r["n"], value_of(method, r["methods"][method], what)) for r in own
                  if method in r["methods"]]
            axis.plot(*zip(*at) if at else ([], []), marker=marker, color=color, label=label,
                      markersize=3, linewidth=1.1, linestyle="-" if "accord" in label else "--")
        if what == "seconds":
            mark_goals(axis, own, kind)
        axis.set(xscale="log", yscale="log", title=name)
        axis.grid(True, linewidth=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("terms")
    for axis in axes[:, 0]:
        axis.set_ylabel("calls" if what == "calls" else "seconds")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncols=6,
                  frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--plot":
        with open(sys.argv[2], encoding="utf-8") as file:
            found = json.load(file)
        for quantity in "calls", "seconds":
            plot(found, f"{sys.argv[3]}-{quantity}.svg", quantity)
        sys.exit()
    ask(sys.argv[1], [int(word) for word in sys.argv[2:]])
