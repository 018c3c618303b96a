"""Models of the columns of a table: the likeliest tree (Chow and Liu 1968), which columns depend on which, and a normal
law.

Of 100 days 40 were rainy, on 36 of which the street was wet, as it was on 6 of the others. The two columns share 0.3552
nats, so that rain is the parent of wet in the tree, and 0.8902 is the smoothed chance of a wet street in the rain. The
test of independence has 63.05 with one degree of freedom: the two depend on each other. Of three columns the heaviest
pairs make the tree:

>>> spanning_forest(np.array([[0.0, 0.1, 0.4], [0.1, 0.0, 0.3], [0.4, 0.3, 0.0]]))
{0: None, 2: 0, 1: 2}
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations, compress
from math import log, pi, prod, sqrt
from typing import Any, final

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import xlogy

from dalenius.errors import InputError
from dalenius.fitting.fit import (
    Columns,
    Fit,
    Simultaneous,
    Statistic,
    as_values,
    benjamini_hochberg,
    check_rows,
    check_smoothing,
    chi_squared,
    coded,
    crossed,
    mutual_information,
    section_rows,
    simultaneous,
)
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class _Edge:
    """A child and its only parent; mutual_information: of the two columns, in nats."""

    parent: str
    child: str
    mutual_information: float

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


@final
@dataclass(frozen=True)
class NetworkFit(Fit):
    """model: the `network` section; edges: of the tree, parents first; observations: rows.

    Log-likelihoods are of the likeliest tables of each structure, in nats: independent columns, this tree, no structure
    at all. g: the tree against no structure; None where there are fewer than 5 rows for each cell of the whole table,
    so that it would not have the chi-squared law.
    """

    edges: tuple[_Edge, ...]
    log_likelihood: float
    independent_log_likelihood: float
    saturated_log_likelihood: float
    g: Statistic | None = field(metadata={"key": "tree_against_saturated"})


def fit_network(columns: Columns, smoothing: float = 1.0, confidence: float | None = None) -> NetworkFit:
    """A tree over all columns; its root is the first. smoothing: pseudo-counts of each row of a table in all.

    confidence: that all probabilities lie in the model's intervals, which then stand instead of points (Clopper and
    Pearson). It counts the tables of every column given every other, so it holds for the tree that the same rows
    chose.

    The hypothesis: rows are independent of each other, and of one law. InputError for fewer than two columns or rows,
    and for a column of one value or of more than 256.
    """
    check_smoothing(smoothing)
    rows = check_rows(columns, 2, 2)
    read = {name: coded(cells, f"column {name}") for name, cells in columns.items()}
    information = _pairwise_information(read)
    parents = spanning_forest(information)
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
    # Free probabilities of the tree: each column alone, and what an edge adds to that.
    free = sum(size - 1 for size in sizes.values())
    free += sum((sizes[edge.parent] - 1) * (sizes[edge.child] - 1) for edge in edges)
    # Ten columns of ten values have more cells than a table has rows: nothing has the chi-squared law then.
    g = Statistic(max(2 * (saturated - tree), 0.0), cells - 1 - free) if rows >= 5 * cells else None
    intervals = _intervals_of_any_tree(read, confidence)
    model = _network_section(read, parents, smoothing, intervals)
    return NetworkFit(model, rows, smoothing, edges, tree, independent, saturated, g, intervals=intervals)


Coded = tuple[tuple[RecordValue, ...], IntArray]
"""A column's values, and its cells as codes."""
_Read = Mapping[str, Coded]


def _table(rows: Coded, columns: Coded) -> IntArray:
    """How often each pair of values occurs."""
    return crossed(rows[1], columns[1], (len(rows[0]), len(columns[0])))


def _pairwise_information(read: _Read) -> Array:
    """The mutual information of each pair of columns, in nats; symmetric, with a zero diagonal."""
    columns = list(read.values())
    found = np.zeros((len(columns), len(columns)))
    for first, second in combinations(range(len(columns)), 2):
        found[first, second] = mutual_information(_table(columns[first], columns[second]))
    return found + found.T


def spanning_forest(weights: Array, parts: Sequence[Collection[int]] | None = None) -> dict[int, int | None]:
    """Each column's parent in the heaviest tree of its part (of the whole, without parts); None for a part's first.

    Prim's algorithm; parents come before their children.
    """
    parents: dict[int, int | None] = {}
    # Columns that were found independent of each other are in parts of their own, with a tree each.
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


def _intervals_of_any_tree(read: _Read, confidence: float | None) -> Simultaneous | None:
    """Of every column alone and given every other, so that they hold whichever tree is chosen."""
    sizes = [len(universe) for universe, _ in read.values()]
    rows = [1 + sum(sizes) - size for size in sizes]
    return simultaneous(confidence, [size for size, many in zip(sizes, rows, strict=True) for _ in range(many)])


def _network_section(
    read: _Read, parents: Mapping[int, int | None], smoothing: float, intervals: Simultaneous | None = None
) -> dict[str, Any]:
    """Nodes with name, values, parents and probabilities, a row per value of the parent: as the spec's model network
    reads them."""
    columns = list(read.items())
    nodes = []
    for child, parent in parents.items():
        name, (universe, codes) = columns[child]
        # The first column of a part of the graph depends on none.
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
    """The log-likelihood of counts under their own frequencies, in nats."""
    return float(xlogy(counts, counts / counts.sum()).sum())


@final
@dataclass(frozen=True)
class IndependenceTest:
    """The test that two columns are independent; dependent: rejected, all pairs considered. chi_squared: Pearson's."""

    first: str
    second: str
    chi_squared: Statistic
    dependent: bool

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"columns": [self.first, self.second], **self.chi_squared.shown(), "dependent": self.dependent}


@final
@dataclass(frozen=True)
class IndependenceFit(Fit):
    """adjacency: the columns found dependent on each column, itself left out; components: of that graph.

    neighbourhood: D, the size of the largest closed neighbourhood. An edge that was not found is not proof of
    independence, and pairwise independence is not joint independence (Theory §11, E1).
    model: a `network` section, the likeliest tree of each component, components independent of each other.
    """

    level: float
    tests: tuple[IndependenceTest, ...]
    adjacency: Mapping[str, tuple[str, ...]]
    components: tuple[tuple[str, ...], ...]
    neighbourhood: int


def fit_independence(
    columns: Columns,
    level: float = 0.05,
    smoothing: float = 1.0,
    confidence: float | None = None,
) -> IndependenceFit:
    """Which columns depend on which, by a test of each pair, and the likeliest tree of each component.

    Rows are the observations, independent of each other. level: the false discovery rate, by Benjamini and Hochberg: of
    the edges that are found, the share that is wrong is at most that in expectation. confidence: as of `fit_network`.
    InputError for fewer than 2 columns or 10 rows.
    """
    check_smoothing(smoothing)
    rows = check_rows(columns, 2, 10)
    read = {name: coded(cells, f"column {name}") for name, cells in columns.items()}
    names, codes = list(read), list(read.values())
    pairs = list(combinations(range(len(names)), 2))
    statistics = [chi_squared(_table(codes[one], codes[other])) for one, other in pairs]
    # A test without degrees of freedom has no p-value, and is no evidence of anything.
    dependent = benjamini_hochberg([1.0 if s.p_value is None else s.p_value for s in statistics], level)
    # An edge for each pair that the test rejects; a column without edges is a component of its own.
    tests, near = [], np.zeros((len(names), len(names)), dtype=bool)
    for (one, other), statistic, found in zip(pairs, statistics, dependent, strict=True):
        tests.append(IndependenceTest(names[one], names[other], statistic, found))
        near[one, other] = near[other, one] = found
    adjacency = {name: tuple(compress(names, row)) for name, row in zip(names, near, strict=True)}
    count, component = connected_components(near, directed=False)
    parts = [np.flatnonzero(component == part).tolist() for part in range(count)]
    components = tuple(tuple(names[place] for place in part) for part in parts)
    parents = spanning_forest(_pairwise_information(read), parts)
    intervals = _intervals_of_any_tree(read, confidence)
    return IndependenceFit(
        _network_section(read, parents, smoothing, intervals),
        rows,
        smoothing,
        level,
        tuple(tests),
        adjacency,
        components,
        1 + max(len(others) for others in adjacency.values()),
        intervals=intervals,
    )


@final
@dataclass(frozen=True)
class GaussianFit(Fit):
    """model: the `gaussian` section, in the order of `columns`; the covariance's divisor is observations - 1.

    skewness: Mardia's, chi-squared under normality. kurtosis: Mardia's, as squares of a standard normal (1 degree).
    log_likelihood: of the rows under the model, in nats.
    """

    columns: tuple[str, ...]
    log_likelihood: float
    skewness: Statistic
    kurtosis: Statistic


def fit_gaussian(columns: Columns) -> GaussianFit:
    """The normal law with the columns' means and covariances, and Mardia's two tests of whether rows are normal at all.

    Of a column 1, 2, 3, 4, 6 the mean is 3.2 and the variance 3.7. InputError where a column holds texts or one value
    only, or is determined by the others, and for fewer rows than two more than columns.
    """
    rows = check_rows(columns, 1, len(columns) + 2)
    data = np.stack([_numbers(name, cells) for name, cells in columns.items()], axis=1)
    mean = data.mean(axis=0)
    covariance = np.atleast_2d(np.cov(data, rowvar=False))
    scale = np.sqrt(np.diag(covariance))
    # A sum beside its parts, or one column twice in other units: the law has no density.
    if np.linalg.eigvalsh(covariance / np.outer(scale, scale))[0] < 1e-10:
        raise InputError("columns", ", ".join(columns), "columns none of which is determined by the others")
    model = {"kind": "gaussian", "mean": mean.tolist(), "covariance": covariance.tolist()}
    score = _log_likelihood(data - mean, covariance)
    return GaussianFit(model, rows, None, tuple(columns), score, *_mardia((data - mean) / scale))


def _numbers(name: str, cells: Any) -> Array:
    """The column as doubles. InputError for a text, and for a column that does not vary."""
    values = as_values(cells, f"column {name}")
    text = next((value for value in values if isinstance(value, str)), None)
    if text is not None:
        raise InputError(f"column {name}", text, "a number in every row")
    # A constant has no variance, and no normal law with a density.
    if len(set(values)) < 2:
        raise InputError(f"column {name}", values[0], "at least two different values")
    return np.array(values, dtype=np.float64)


def _log_likelihood(centred: Array, covariance: Array) -> float:
    """Of rows (n, columns) whose means were taken off, under the normal law with that covariance, in nats."""
    factor = np.linalg.cholesky(covariance)
    white = np.linalg.solve(factor, centred.T)
    per_row = centred.shape[1] * log(2 * pi) / 2 + float(np.log(np.diag(factor)).sum())
    return float(-len(centred) * per_row - (white**2).sum() / 2)


def _mardia(centred: Array) -> tuple[Statistic, Statistic]:
    """Mardia's skewness and kurtosis of rows (n, columns), whitened by the covariance with divisor n (Biometrika 57,
    1970). Under normality, and many rows, both have the chi-squared law."""
    rows, width = centred.shape
    white = np.linalg.solve(np.linalg.cholesky(centred.T @ centred / rows), centred.T).T
    # Σ over triples of columns of (mean of z_a z_b z_c)², which is Mardia's double sum over rows.
    skew = sum(float((((white * white[:, [a]]).T @ white / rows) ** 2).sum()) for a in range(width))
    kurt = float(((white**2).sum(axis=1) ** 2).mean())
    deviation = (kurt - width * (width + 2)) / sqrt(8 * width * (width + 2) / rows)
    return Statistic(rows * skew / 6, width * (width + 1) * (width + 2) // 6), Statistic(deviation**2, 1)
