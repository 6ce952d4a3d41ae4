"""A made graph of the shape of Cora: 2708 papers in 7 classes, 5278 citations in both directions,
1433 words of which each paper has about 18. Nothing is downloaded."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

NODES, EDGES, WORDS, CLASSES = 2708, 10556, 1433, 7
#: Papers of each class, as in Cora.
SIZES = (351, 217, 418, 818, 426, 298, 180)
WITHIN = 0.8  #: the share of citations within a class; 0.81 in Cora
TAUGHT = 20  #: papers of each class whose label the training knows


class Graph(NamedTuple):
    """Edges lead from `source` to `target`; both directions of each are there."""

    features: Any  #: float32 [nodes, words], rows that add up to 1
    labels: Any  #: int64 [nodes]
    source: Any  #: int64 [edges]
    target: Any  #: int64 [edges]
    taught: Any  #: bool [nodes]


def make(seed: int = 1, words: int = WORDS) -> Graph:
    """The same graph for the same seed and number of words."""
    draw = np.random.default_rng(seed)
    labels = draw.permutation(np.repeat(np.arange(CLASSES), SIZES))
    pairs = _pairs(draw, labels)
    source = np.concatenate([pairs[:, 0], pairs[:, 1]])
    target = np.concatenate([pairs[:, 1], pairs[:, 0]])
    shuffled = draw.permutation(EDGES)
    taught = np.zeros(NODES, bool)
    for label in range(CLASSES):
        taught[np.flatnonzero(labels == label)[:TAUGHT]] = True
    return Graph(_features(draw, labels, words), labels, source[shuffled], target[shuffled], taught)


def _pairs(draw: np.random.Generator, labels: Any) -> Any:
    """Different pairs of different nodes. Few nodes have many edges: in Cora the most has 168."""
    weight = draw.pareto(2.0, NODES) + 1
    known: dict[tuple[int, int], None] = {}
    everyone = np.arange(NODES)
    members = [np.flatnonzero(labels == label) for label in range(CLASSES)]
    share = [weight[m] / weight[m].sum() for m in members]
    whole = weight / weight.sum()
    while len(known) < EDGES // 2:
        for a in draw.choice(everyone, 256, p=whole):
            k = labels[a]
            b = (draw.choice(members[k], p=share[k]) if draw.random() < WITHIN
                 else draw.choice(everyone, p=whole))
            if a != b:
                known[min(int(a), int(b)), max(int(a), int(b))] = None
    return np.array(list(known)[:EDGES // 2], np.int64)


def _features(draw: np.random.Generator, labels: Any, words: int) -> Any:
    """Half of the words of a paper come from the share of the vocabulary that its class prefers."""
    features = np.zeros((NODES, words), np.float32)
    part = max(words // CLASSES, 1)
    for node, label in enumerate(labels):
        own = label * part % words + draw.integers(part, size=9)
        features[node, np.concatenate([own % words, draw.integers(words, size=9)])] = 1
    return features / features.sum(axis=1, keepdims=True)
