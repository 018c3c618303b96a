"""The likeliest tree over columns (Chow & Liu, IEEE Trans. Inf. Theory 14, 1968), as a `network` section."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, final

import numpy as np
from scipy.special import xlogy

from dalenius.fitting.contingency import crossed, mutual_information
from dalenius.fitting.fit import WARNING, Statistic, check_smoothing
from dalenius.fitting.regions import Simultaneous, simultaneous
from dalenius.fitting.values import Columns, check_rows, coded, smoothed
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class Edge:
    """A child and its only parent; information: the mutual information of the two columns, in nats."""

    parent: str
    child: str
    information: float


@final
@dataclass(frozen=True)
class NetworkFit:
    """model: the `network` section; edges: of the tree, parents first; observations: rows.

    Log-likelihoods are of the likeliest tables of each structure, in nats: independent columns, this tree, no structure
    at all. g: the tree against no structure; None where there are fewer than 5 rows for each cell of the whole table,
    so that it would not have the chi-squared law. intervals: how the model's were found; None where it is of points.
    """

    model: Mapping[str, Any]
    edges: tuple[Edge, ...]
    observations: int
    smoothing: float
    log_likelihood: float
    independent_log_likelihood: float
    saturated_log_likelihood: float
    g: Statistic | None
    intervals: Simultaneous | None = None
    warning: str = WARNING

    def section(self) -> dict[str, Any]:
        return dict(self.model)

    def goodness(self) -> dict[str, Any]:
        return {
            "edges": [
                {"parent": each.parent, "child": each.child, "mutual_information": each.information}
                for each in self.edges
            ],
            "log_likelihood": self.log_likelihood,
            "independent_log_likelihood": self.independent_log_likelihood,
            "saturated_log_likelihood": self.saturated_log_likelihood,
            "tree_against_saturated": None if self.g is None else self.g.shown(),
            **({} if self.intervals is None else self.intervals.shown()),
        }


def fit_network(
    columns: Columns, smoothing: float = 1.0, confidence: float | None = None, credible: bool = False
) -> NetworkFit:
    """A tree over all columns; its root is the first. smoothing: pseudo-counts of each row of a table in all.

    confidence: that all probabilities lie in the model's intervals, which then stand instead of points (Clopper and
    Pearson); credible: under a Dirichlet prior of those pseudo-counts (fitting.regions). It counts the tables of every
    column given every other, so it holds for the tree that the same rows chose.
    """
    check_smoothing(smoothing)
    rows = check_rows(columns, 2, 2)
    read = {name: coded(cells, f"column {name}") for name, cells in columns.items()}
    information = pairwise_information(read)
    parents = spanning_forest(information)
    names = list(read)
    edges = tuple(
        Edge(names[parent], names[child], float(information[parent, child]))
        for child, parent in parents.items()
        if parent is not None
    )
    alone = sum(_maximum(np.bincount(codes)) for _, codes in read.values())
    tree = alone + rows * sum(edge.information for edge in edges)
    together = np.unique(np.stack([codes for _, codes in read.values()]), axis=1, return_counts=True)[1]
    saturated = _maximum(together)
    sizes = {name: len(universe) for name, (universe, _) in read.items()}
    cells = prod(sizes.values())
    free = sum(size - 1 for size in sizes.values())
    free += sum((sizes[edge.parent] - 1) * (sizes[edge.child] - 1) for edge in edges)
    g = Statistic(max(2 * (saturated - tree), 0.0), cells - 1 - free) if rows >= 5 * cells else None
    intervals = intervals_of_any_tree(read, confidence, smoothing if credible else None)
    model = network_section(read, parents, smoothing, intervals)
    return NetworkFit(model, edges, rows, smoothing, tree, alone, saturated, g, intervals)


Read = Mapping[str, tuple[tuple[RecordValue, ...], IntArray]]
"""Each column's values, and its cells as codes."""


def pairwise_information(read: Read) -> Array:
    """The mutual information of each pair of columns, in nats; symmetric, with a zero diagonal."""
    columns = list(read.values())
    found = np.zeros((len(columns), len(columns)))
    for second in range(len(columns)):
        for first in range(second):
            (left, a), (right, b) = columns[first], columns[second]
            found[first, second] = mutual_information(crossed(a, b, (len(left), len(right))))
    return found + found.T


def spanning_forest(weights: Array, parts: Sequence[Collection[int]] | None = None) -> dict[int, int | None]:
    """Each column's parent in the heaviest tree of its part (of the whole, without parts); None for a part's first.

    Prim's algorithm; parents come before their children.
    """
    parents: dict[int, int | None] = {}
    for part in [range(len(weights))] if parts is None else parts:
        root, *waiting = sorted(part)
        parents[root] = None
        inside = [root]
        while waiting:
            parent, child = max(((i, j) for i in inside for j in waiting), key=lambda edge: weights[edge])
            parents[child] = parent
            inside.append(child)
            waiting.remove(child)
    return parents


def intervals_of_any_tree(read: Read, confidence: float | None, credible: float | None) -> Simultaneous | None:
    """Of every column alone and given every other, so that they hold whichever tree is chosen."""
    sizes = [len(universe) for universe, _ in read.values()]
    rows = [1 + sum(sizes) - size for size in sizes]
    return simultaneous(
        confidence, credible, [size for size, many in zip(sizes, rows, strict=True) for _ in range(many)]
    )


def network_section(
    read: Read, parents: Mapping[int, int | None], smoothing: float, intervals: Simultaneous | None = None
) -> dict[str, Any]:
    """Nodes with name, values, parents and probabilities, a row per value of the parent."""
    columns = list(read.items())
    nodes = []
    for child, parent in parents.items():
        name, (universe, codes) = columns[child]
        if parent is None:
            counts = np.bincount(codes, minlength=len(universe))[None, :]
        else:
            above, given = columns[parent][1]
            counts = crossed(given, codes, (len(above), len(universe)))
        nodes.append(
            {
                "name": name,
                "values": list(universe),
                "parents": [] if parent is None else [columns[parent][0]],
                "probabilities": _shown(counts, smoothing, intervals),
            }
        )
    level = {} if intervals is None else {"confidence": intervals.confidence}
    return {"kind": "network", **level, "nodes": nodes}


def _shown(counts: IntArray, smoothing: float, intervals: Simultaneous | None) -> list[Any]:
    """Rows of points, or of intervals."""
    if intervals is None:
        return list(smoothed(counts, smoothing).tolist())
    return [[list(ends) for ends in row] for row in intervals.rows(counts)]


def _maximum(counts: IntArray) -> float:
    """The log-likelihood of counts under their own frequencies, in nats."""
    return float(xlogy(counts, counts / counts.sum()).sum())
