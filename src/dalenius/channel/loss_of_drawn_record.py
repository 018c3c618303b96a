"""The loss between data sets that differ in one record, where only a sample is asked and nobody knows who is in it.

Let q be the chance that the record is drawn, alone, and f(t) = log(1 - q + q e^t). One answer with noise of scale b
tells a score w from a smaller w' by f(w/b) - f(w'/b) at +∞, and by the mirror of that at -∞: the larger is the loss
(Result 23.2). For a bit, with q = .1 and b = 1, the loss is .159 nats. A household that is drawn as one adds what its
other members add as well: three others of score 1 make the loss of a bit f(4) - f(3).

>>> from dalenius.joints.joint import Inclusion
>>> bit, rates = np.array([[0], [1]]), np.array([1.0])
>>> found = [Inclusion(0.1, (part,)) for part in ({}, {0: 3})]
>>> [round(between_values(bit, rates, each, [bit]).upper, 3) for each in found]
[0.159, 0.782]
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import inf, log, log1p
from typing import Final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.limits import MOST_DRAWN_CASES
from dalenius.channel.sensitivity import Spread
from dalenius.joints.joint import Inclusion
from dalenius.noise import Mechanism
from dalenius.noise.noise import rate_of

_ROUNDED: Final = 64 * UNIT
"""Nats by which a few operations may be off, per nat of the numbers and at least once."""


def neighbour_loss(mechanism: Mechanism, spread: Spread) -> Enclosure:
    """Encloses the log-ratio of data sets that differ in one record, in nats; [0, ∞] where these are not known.

    Args:
        mechanism: The noise on the lattice of the answers.
        spread: The change of the record, and whether it is drawn.
    """
    if spread.neighbours is None:
        return Enclosure(0.0, inf)
    loss = mechanism.neighbour_loss(spread.neighbours)
    if not spread.sampled:
        return loss
    # Because an adversary who knows all other records still does not know who is in the sample, the noise's loss is a
    # bound.
    bound = Enclosure(0.0, loss.upper)
    drawn, axes = spread.inclusion, mechanism.lattice.axes
    parts = mechanism.noise.by_coordinate(axes)
    own = spread.neighbours.own
    # The case of noise of another shape, and of several copies of one answer.
    if drawn is None or own.shape[1] != axes or not all(part.shape.exponential for part in parts):
        return bound
    moves = [axis for axis in range(axes) if own[:, axis].any()]
    cases = len(own) ** 2 * 3 ** min(len(moves), 2 * _active(own))
    # Because others who are drawn with the record may move coordinates that it does not move itself.
    if cases > MOST_DRAWN_CASES or (axes > 1 and any(drawn.beside)):
        return bound
    rates = np.array([rate_of(part) * float(step) for part, step in zip(parts, mechanism.lattice.steps, strict=True)])
    found = between_values(own, rates, drawn, [rows for rows, _ in spread.neighbours.others])
    return Enclosure(found.lower, max(min(found.upper, loss.upper), found.lower))


def between_values(own: IntArray, rates: Array, drawn: Inclusion, others: Sequence[IntArray]) -> Enclosure:
    """Encloses the loss over all pairs of values of the record, in nats.

    Args:
        own: The record's scores (values, axes), in lattice steps.
        rates: The nats per lattice step of each coordinate (axes,).
        drawn: The chance of being drawn, and who is drawn with it; nobody where there are several coordinates.
        others: By stratum, the scores (values, axes) of the others.
    """
    lower = upper = deepest = 0.0
    for shift in _shifts(drawn.beside, others):
        exponents = (own + shift) * rates
        for one, other in combinations(exponents, 2):
            ends, grid = _largest(one, other, drawn.chance)
            lower, upper = max(lower, ends), max(upper, grid)
        deepest = max(deepest, float(np.max(np.sum(np.abs(exponents), axis=1))))
    slack = _ROUNDED * (1 + deepest - log(drawn.chance))
    return Enclosure(max(lower - slack, 0.0), upper + slack if upper else 0.0)


def _shifts(beside: Sequence[Mapping[int, int]], others: Sequence[IntArray]) -> list[IntArray]:
    """Returns what those who are drawn with the record may add, at the least and at the most."""
    found = [np.zeros(1, dtype=np.int64)]
    for mates in beside:
        for choose in (np.min, np.max):
            found.append(np.array([sum(int(choose(others[stratum])) * count for stratum, count in mates.items())]))
    return found if not any(beside) else found[1:]


def _largest(one: Array, other: Array, chance: float) -> tuple[float, float]:
    """Returns the largest log-ratio of two values at outputs beyond all answers, and anywhere.

    Anywhere it is at most that where the others add a constant, and then it is attained at 0 or at one of both scores,
    coordinate by coordinate. Beyond all answers it is attained whatever the others are.
    """
    ends = anywhere = 0.0
    moving = [axis for axis in range(len(one)) if one[axis] or other[axis]]
    knots = [sorted({0.0, float(one[axis]), float(other[axis])}) for axis in moving]
    for place in product(*knots):
        at = [
            _drawn(sum(abs(u) - abs(u - float(scores[axis])) for u, axis in zip(place, moving, strict=True)), chance)
            for scores in (one, other)
        ]
        told = abs(at[0] - at[1])
        anywhere = max(anywhere, told)
        if all(u in (each[0], each[-1]) for u, each in zip(place, knots, strict=True)):
            ends = max(ends, told)
    # Because of one coordinate no output tells more than those beyond all answers (Result 23.2).
    return (anywhere, anywhere) if len(moving) < 2 else (ends, anywhere)


def _drawn(exponent: float, chance: float) -> float:
    """Returns log(1 - q + q e^t)."""
    if chance == 1.0:
        return exponent
    return float(np.logaddexp(log1p(-chance), log(chance) + exponent))


def _active(own: IntArray) -> int:
    """Returns the most coordinates that one value moves."""
    return int(np.max(np.count_nonzero(own, axis=1), initial=0))
