"""All joint laws of a record's neighbours with given pair laws, by their definitions (Theory §15)."""

from collections.abc import Sequence
from itertools import product
from math import exp, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Array: TypeAlias = NDArray[np.float64]
Assignment: TypeAlias = tuple[int, ...]


def assignments(laws: Sequence[Array]) -> list[Assignment]:
    """Of the neighbours' values, by their places. laws: of each neighbour (values,)."""
    return list(product(*(range(len(law)) for law in laws)))


def marginals(laws: Sequence[Array]) -> tuple[Array, Array]:
    """Equations A p = r of all joint laws p with these laws of each neighbour."""
    rows = assignments(laws)
    matrix = [[float(row[j] == v) for row in rows] for j, law in enumerate(laws) for v in range(len(law))]
    return np.array(matrix), np.concatenate(list(laws))


def optimised(laws: Sequence[Array], weights: Array) -> Array:
    """The joint law with the largest mean of the weights: a vertex."""
    matrix, right = marginals(laws)
    found = linprog(-weights, A_eq=matrix, b_eq=right, bounds=(0, None), method="highs")
    assert found.x is not None
    return np.asarray(np.maximum(found.x, 0.0))


def sums(points: Sequence[Array], laws: Sequence[Array]) -> Array:
    return np.array([sum(p[v] for p, v in zip(points, row, strict=True)) for row in assignments(laws)])


def leakage(answers: Sequence[Array], joint: Sequence[Array], scale: float) -> float:
    """sup over y and pairs of secrets of log W(y|s)/W(y|t) under Laplace noise; answers, joint: by secret."""
    worst = 0.0
    for y in np.unique(np.concatenate(list(answers))):
        densities = [
            sum(p * exp(-abs(y - a) / scale) for a, p in zip(*each, strict=True))
            for each in zip(answers, joint, strict=True)
        ]
        worst = max(worst, log(max(densities) / min(densities)))
    return worst


def largest_leakage(
    own: Sequence[float], points: Sequence[Array], laws: Sequence[Sequence[Array]], scale: float
) -> tuple[float, list[Array]]:
    """The same over all joint laws with those pairs, and laws that attain it. laws: by secret, of each neighbour."""
    answers = [score + sums(points, given) for score, given in zip(own, laws, strict=True)]
    best, found = 0.0, [optimised(given, np.zeros(len(answers[0]))) for given in laws]
    for y in np.unique(np.concatenate(answers)):
        weights = [np.exp(-np.abs(y - each) / scale) for each in answers]
        for s, t in ((0, 1), (1, 0)):
            high, low = optimised(laws[s], weights[s]), optimised(laws[t], -weights[t])
            ratio = log(float(high @ weights[s]) / float(low @ weights[t]))
            if ratio > best:
                best, found[s], found[t] = ratio, high, low
    return best, found
