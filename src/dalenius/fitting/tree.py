"""Fits the likeliest tree to the columns of a table (Chow and Liu 1968).

Let 40 of 100 days be rainy. The street was wet on 36 of these days, and on 6 of the others. The two columns share
0.3552 nats, so that rain is the parent of wet in the tree, and 0.8902 is the smoothed chance of a wet street in the
rain. The heaviest pairs of three columns make the tree:

>>> spanning_tree(np.array([[0.0, 0.1, 0.4], [0.1, 0.0, 0.3], [0.4, 0.3, 0.0]]))
{0: None, 2: 0, 1: 2}
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import combinations
from math import prod
from typing import Any, final

import numpy as np
from scipy.special import xlogy

from dalenius.arrays import Array, IntArray
from dalenius.fields import RecordValue
from dalenius.fitting.fit import (
    Columns,
    Fit,
    Statistic,
    check_rows,
    check_smoothing,
    coded,
    crossed,
    judged,
    mutual_information,
    section_rows,
)
from dalenius.fitting.simultaneous_intervals import Simultaneous, simultaneous


@final
@dataclass(frozen=True)
class _Edge:
    """A child and its only parent; mutual_information: of the two columns, in nats."""

    parent: str
    child: str
    mutual_information: float

    def shown(self) -> dict[str, Any]:
        """Returns the edge, ready for JSON."""
        return asdict(self)


@final
@dataclass(frozen=True)
class NetworkFit(Fit):
    """A fitted network that is a tree; observations are rows.

    Log-likelihoods are of the likeliest tables of each structure, in nats: independent columns, this tree, no structure
    at all.

    Attributes:
        edges: The edges of the tree, parents first.
        log_likelihood: That of the tree.
        independent_log_likelihood: That of independent columns.
        saturated_log_likelihood: That without any structure.
        g: The tree against no structure; None where there are fewer than 5 rows for each cell of the whole table, so
            that it would not have the chi-squared law.
    """

    edges: tuple[_Edge, ...]
    log_likelihood: float
    independent_log_likelihood: float
    saturated_log_likelihood: float
    g: Statistic | None = field(metadata={"key": "tree_against_saturated"})

    @property
    def in_words(self) -> str:
        if self.g is None:
            return "the rows are too few for a test of the tree: fewer than 5 for each combination of values"
        return judged(
            self.g,
            "the tree fits: no dependence beyond it is seen",
            "the tree hardly fits: columns seem to depend on each other beyond it",
            "the tree does not fit: columns depend on each other beyond it",
        )


def fit_network(columns: Columns, smoothing: float = 1.0, confidence: float | None = None) -> NetworkFit:
    """Fits a tree over all columns, whose root is the first.

    The hypothesis is that rows are independent of each other, and of one law.

    Args:
        columns: The cells by column.
        smoothing: Pseudo-counts of each row of a table in all.
        confidence: The confidence that all probabilities lie in the model's intervals, which then stand instead of
            points (Clopper and Pearson). It counts the tables of every column given every other, so it holds for the
            tree that the same rows chose. None for points.

    Raises:
        InputError: For fewer than two columns or rows, and for a column of one value or of more than 256.
    """
    check_smoothing(smoothing)
    rows = check_rows(columns, 2, 2)
    read = {name: coded(cells, f"column {name}") for name, cells in columns.items()}
    information = _pairwise_information(read)
    parents = spanning_tree(information)
    names = list(read)
    edges = tuple(
        _Edge(names[parent], names[child], float(information[parent, child]))
        for child, parent in parents.items()
        if parent is not None
    )
    independent = sum(_maximum(np.bincount(codes)) for _, codes in read.values())
    tree = independent + rows * sum(edge.mutual_information for edge in edges)
    together = np.unique(np.stack([codes for _, codes in read.values()]), axis=1, return_counts=True)[1]
    saturated = _maximum(together)
    sizes = {name: len(universe) for name, (universe, _) in read.items()}
    cells = prod(sizes.values())
    # The free probabilities of the tree are those of each column alone, and what an edge adds to that.
    free = sum(size - 1 for size in sizes.values())
    free += sum((sizes[edge.parent] - 1) * (sizes[edge.child] - 1) for edge in edges)
    # Because ten columns of ten values have more cells than a table has rows: nothing has the chi-squared law then.
    g = Statistic(max(2 * (saturated - tree), 0.0), cells - 1 - free) if rows >= 5 * cells else None
    intervals = _intervals_of_any_tree(read, confidence)
    model = _network_section(read, parents, smoothing, intervals)
    return NetworkFit(model, rows, smoothing, edges, tree, independent, saturated, g, intervals=intervals)


Coded = tuple[tuple[RecordValue, ...], IntArray]
"""The values of a column, and its cells as codes."""
_Read = Mapping[str, Coded]


def _table(rows: Coded, columns: Coded) -> IntArray:
    """Returns how often each pair of values occurs."""
    return crossed(rows[1], columns[1], (len(rows[0]), len(columns[0])))


def _pairwise_information(read: _Read) -> Array:
    """Returns the mutual information of each pair of columns, in nats; symmetric, with a zero diagonal."""
    columns = list(read.values())
    found = np.zeros((len(columns), len(columns)))
    for first, second in combinations(range(len(columns)), 2):
        found[first, second] = mutual_information(_table(columns[first], columns[second]))
    return found + found.T


def spanning_tree(weights: Array) -> dict[int, int | None]:
    """Returns each column's parent in the heaviest tree by `weights` (n, n); None for the first.

    By Prim's algorithm parents come before their children.
    """
    parents: dict[int, int | None] = {0: None}
    waiting = list(range(1, len(weights)))
    while waiting:
        parent, child = max(((i, j) for i in parents for j in waiting), key=lambda edge: weights[edge])
        parents[child] = parent
        waiting.remove(child)
    return parents


def _intervals_of_any_tree(read: _Read, confidence: float | None) -> Simultaneous | None:
    """Returns intervals of every column alone and given every other, so that they hold whichever tree is chosen."""
    sizes = [len(universe) for universe, _ in read.values()]
    rows = [1 + sum(sizes) - size for size in sizes]
    return simultaneous(confidence, [size for size, many in zip(sizes, rows, strict=True) for _ in range(many)])


def _network_section(
    read: _Read, parents: Mapping[int, int | None], smoothing: float, intervals: Simultaneous | None
) -> dict[str, Any]:
    """Returns nodes with name, values, parents and probabilities, as the spec's model network reads them.

    There is a row of probabilities for each value of the parent.
    """
    columns = list(read.items())
    nodes = []
    for child, parent in parents.items():
        name, (universe, codes) = columns[child]
        # Because the root depends on none.
        if parent is None:
            counts = np.bincount(codes, minlength=len(universe))[None, :]
        else:
            counts = _table(columns[parent][1], (universe, codes))
        nodes.append(
            {
                "name": name,
                "values": list(universe),
                "parents": [] if parent is None else [columns[parent][0]],
                "probabilities": section_rows(counts, smoothing, intervals),
            }
        )
    level = {} if intervals is None else {"confidence": intervals.confidence}
    return {"kind": "network", **level, "nodes": nodes}


def _maximum(counts: IntArray) -> float:
    """Returns the log-likelihood of counts under their own frequencies, in nats."""
    return float(xlogy(counts, counts / counts.sum()).sum())
