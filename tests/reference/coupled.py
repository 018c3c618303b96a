"""All joint laws of a record's neighbours with given pair laws, by their definitions (Theory §15)."""

from collections.abc import Callable, Sequence
from itertools import product
from math import exp, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from tests.reference.channel import Real, mp

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


def mixed(laws: Sequence[Array], draw: Callable[[int], Array]) -> Array:
    """A random joint law: vertices in random directions, mixed at random, some with the independent one."""
    vertices = [optimised(laws, draw(len(assignments(laws))) - 0.5) for _ in range(2)]
    vertices.append(
        np.array([np.prod([law[v] for law, v in zip(laws, row, strict=True)]) for row in assignments(laws)])
    )
    weights = draw(3) ** 4
    return np.asarray(np.tensordot(weights / weights.sum(), np.array(vertices), axes=1))


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


def convex_order(law: dict[int, Real], y: int, rate: Real) -> tuple[Real, Real]:
    """The largest and the least mean of e^{-rate·|y - S|} over laws of whole numbers below that law in convex order, by
    the words of Result 15.2 in mpmath; the least of its cuts is looked for at all there are."""
    points = sorted(law)
    mean = sum(p * x for x, p in law.items())
    largest = _moved(law, y, rate) if mean <= y else _moved({-x: p for x, p in law.items()}, -y, rate)
    falls = {x: mp.exp(-rate * abs(y - x)) for x in range(points[0] - 1, points[-1] + 2)}

    def line(x: Real) -> Real:
        low = min(max(int(mp.floor(x)), points[0]), points[-1])
        return falls[low] + (x - low) * (falls[low + 1] - falls[low])

    def cut(t: Real) -> Real:
        below, above, left, right = mp.mpf(0), mp.mpf(0), t, 1 - t
        for x in points:
            part = min(law[x], left)
            below, left = below + part * x, left - part
            above += (law[x] - part) * x
        return (t * line(below / t) if t > 0 else 0) + (right * line(above / right) if right > 0 else 0)

    return largest, min(cut(t) for t in _quantiles(law))


def _moved(law: dict[int, Real], y: int, rate: Real) -> Real:
    total, rest, far = mp.mpf(0), dict(law), sum(p * (x - y) for x, p in law.items())
    for x in sorted(law):
        # What lies below is left, until the mean of the rest is y.
        part = law[x] if x == max(law) and x <= y else min(law[x], -far / (y - x)) if x < y and far < 0 else mp.mpf(0)
        total += part * mp.exp(-rate * abs(y - x))
        far += part * (y - x)
        rest[x] -= part
    return total + sum(rest.values())


def _quantiles(law: dict[int, Real]) -> list[Real]:
    """Where an atom ends, or the mean below or above is a whole number."""
    found, below, moment, mean = [mp.mpf(0), mp.mpf(1)], mp.mpf(0), mp.mpf(0), sum(p * x for x, p in law.items())
    for x in sorted(law):
        for whole in range(min(law), max(law) + 1):
            if x != whole:
                found.append(below + (whole * below - moment) / (x - whole))
                found.append(below + (mean - moment - whole * (1 - below)) / (x - whole))
        below, moment = below + law[x], moment + law[x] * x
        found.append(below)
    return [min(max(t, mp.mpf(0)), mp.mpf(1)) for t in found]
