"""What a benchmark of degree distributions runs."""

from time import perf_counter

import numpy as np

from dalenius.dependent.graphs import Edges, clean_edges, degrees
from dalenius.dependent.learning import DegreeDistribution, degree_accuracy

EPSILON = 0.9


def released(people: int, pairs: int, **asked: object) -> tuple[float, float, int]:
    """Seconds of a release of the degrees of a random graph, how near it is, and how many edges there are."""
    edges = _graph(people, pairs)
    # The sampler's library takes a second to import.
    DegreeDistribution(EPSILON).fit([1, 1])
    start = perf_counter()
    found = DegreeDistribution(EPSILON, **asked).fit(edges)  # type: ignore[arg-type]
    seconds = perf_counter() - start
    return seconds, degree_accuracy(np.bincount(degrees(edges)), found.counts_), len(edges)


def _graph(people: int, pairs: int) -> Edges:
    """Degrees fall as a power of the rank."""
    weights = np.arange(1, people + 1) ** -0.6
    ends = np.random.default_rng(1).choice(people, size=(pairs, 2), p=weights / weights.sum())
    return clean_edges(people, ends)[0]
