"""Which columns depend on which: chi-squared tests over all pairs (Theory §7, "Is D small?")."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, final

from dalenius.fitting.contingency import chi_squared, crossed
from dalenius.fitting.fit import WARNING, Statistic, check_smoothing
from dalenius.fitting.multiplicity import benjamini_hochberg
from dalenius.fitting.network import (
    intervals_of_any_tree,
    network_section,
    pairwise_information,
    spanning_forest,
)
from dalenius.fitting.regions import Simultaneous
from dalenius.fitting.values import Columns, check_rows, coded

FEWEST_ROWS: Final = 10


@final
@dataclass(frozen=True)
class PairTest:
    """The test that two columns are independent; dependent: rejected, all pairs considered."""

    first: str
    second: str
    chi_squared: Statistic
    dependent: bool


@final
@dataclass(frozen=True)
class IndependenceFit:
    """adjacency: the columns found dependent on each column, itself left out; components: of that graph.

    neighbourhood: D, the size of the largest closed neighbourhood. An edge that was not found is not proof of
    independence, and pairwise independence is not joint independence (Theory §11, E1).
    model: a `network` section, the likeliest tree of each component, components independent of each other.
    """

    model: Mapping[str, Any]
    observations: int
    smoothing: float
    level: float
    tests: tuple[PairTest, ...]
    adjacency: Mapping[str, tuple[str, ...]]
    components: tuple[tuple[str, ...], ...]
    neighbourhood: int
    intervals: Simultaneous | None = None
    warning: str = WARNING

    def section(self) -> dict[str, Any]:
        return dict(self.model)

    def goodness(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "tests": [
                {"columns": [each.first, each.second], **each.chi_squared.shown(), "dependent": each.dependent}
                for each in self.tests
            ],
            "adjacency": {name: list(others) for name, others in self.adjacency.items()},
            "components": [list(component) for component in self.components],
            "neighbourhood": self.neighbourhood,
            **({} if self.intervals is None else self.intervals.shown()),
        }


def fit_independence(
    columns: Columns,
    level: float = 0.05,
    smoothing: float = 1.0,
    confidence: float | None = None,
    credible: bool = False,
) -> IndependenceFit:
    """Rows are the observations. level: the false discovery rate, by Benjamini and Hochberg. confidence, credible: as
    of `fit_network`."""
    check_smoothing(smoothing)
    rows = check_rows(columns, 2, FEWEST_ROWS)
    read = {name: coded(cells, f"column {name}") for name, cells in columns.items()}
    names = list(read)
    pairs = list(combinations(names, 2))
    statistics = []
    for first, second in pairs:
        (left, a), (right, b) = read[first], read[second]
        statistics.append(chi_squared(crossed(a, b, (len(left), len(right)))))
    dependent = benjamini_hochberg([1.0 if s.p_value is None else s.p_value for s in statistics], level)
    tests = tuple(
        PairTest(first, second, statistic, found)
        for (first, second), statistic, found in zip(pairs, statistics, dependent, strict=True)
    )
    found = {frozenset((test.first, test.second)) for test in tests if test.dependent}
    adjacency = {
        name: tuple(other for other in names if frozenset((name, other)) in found and other != name) for name in names
    }
    components = _components(adjacency)
    parts = [[names.index(name) for name in component] for component in components]
    parents = spanning_forest(pairwise_information(read), parts)
    intervals = intervals_of_any_tree(read, confidence, smoothing if credible else None)
    return IndependenceFit(
        network_section(read, parents, smoothing, intervals),
        rows,
        smoothing,
        level,
        tests,
        adjacency,
        components,
        1 + max(len(others) for others in adjacency.values()),
        intervals,
    )


def _components(adjacency: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Each in the columns' order, by their first column."""
    waiting = list(adjacency)
    found = []
    while waiting:
        reached, fresh = set(), {waiting[0]}
        while fresh:
            reached |= fresh
            fresh = {other for name in fresh for other in adjacency[name]} - reached
        found.append(tuple(name for name in adjacency if name in reached))
        waiting = [name for name in waiting if name not in reached]
    return tuple(found)
