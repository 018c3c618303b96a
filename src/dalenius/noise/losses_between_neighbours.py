"""The worst log-ratio of two neighbouring answers' outputs, over a record's change, in nats.

Laplace noise of scale 2 between answers that are 3 apart leaks 3/2 nats, rounded up and never down:

>>> of_distance(Fraction(3), 2.0), of_widest(1.5).lower <= 1.5 <= of_widest(1.5).upper
(1.5, True)
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import fsum, inf

import numpy as np

from dalenius.arrays import IntArray
from dalenius.bounds import UNIT, ZERO, Enclosure, around, float_up
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbours import ANYWHERE, Neighbours
from dalenius.noise.limits import MOST_PAIRED_VALUES

PairLoss = Callable[[IntArray, Fraction], Enclosure]
"""Returns the loss over pairs of exact answers (pairs, 2), in lattice steps of the given size."""


def of_distance(distance: Fraction, scale: float) -> float:
    """Returns distance / scale, rounded up: the loss of Laplace noise, in nats."""
    try:
        return float_up(distance / Fraction(scale))
    # The case of a distance of more scales than a double can hold: nothing is hidden.
    except OverflowError:
        return inf


def of_logs(value: float, deepest: float) -> Enclosure:
    """Encloses a difference of logs, `value`, whose parts are at most `deepest` nats.

    Each is a sum of three or fewer, between rows that sum to 1 to 2^-52.
    """
    return around(value, (16 * deepest + 64) * UNIT).clipped(0.0)


def of_widest(loss: float) -> Enclosure:
    """Encloses the loss of additive noise: the two most distant answers have the largest log-ratio, and attain it."""
    return around(loss, 4 * UNIT * loss).clipped(0.0)


def of_pairs(
    neighbours: Neighbours,
    lattice: Lattice,
    loss_of: PairLoss,
    most: float,
    window: Callable[[Fraction], tuple[int, ...]] = lambda step: (-ANYWHERE, ANYWHERE),
) -> Enclosure:
    """Encloses the loss over the pairs of answers between which one record's change can move.

    Where several coordinates move at once, the loss is at least each one's alone, and at most their sum.

    Args:
        neighbours: The answers between which one record's change can move.
        lattice: The lattice of the answers.
        loss_of: The loss over pairs of answers, by their lattice indices and the step, in nats.
        most: A bound over any answers at such distances, in nats.
        window: By step, the lattice indices beyond whose ends answers are treated like the ends; or, with a period
            beside them, like those a multiple of it away.
    """
    moving = [axis for axis, reach in enumerate(neighbours.reach) if reach]
    each = []
    for axis in moving:
        step = lattice.steps[axis]
        pairs = neighbours.pairs(axis, *window(step))
        # Because pairs are None where there are too many to list: the bound over any answers remains.
        each.append(Enclosure(0.0, inf) if pairs is None else loss_of(pairs, step) if len(pairs) else ZERO)
    lower = max((found.lower for found in each), default=0.0)
    upper = sum(found.upper for found in each)
    # The case of two histograms of one person: the loss of both is at most the sum.
    return Enclosure(lower, min(upper if len(each) < 2 else upper * (1 + 64 * UNIT), max(most, lower)))


def of_rates(neighbours: Neighbours, lattice: Lattice, rates: Sequence[float]) -> Enclosure:
    """Encloses the loss of additive noise whose log-density falls by at most rates[axis] nats per unit.

    The bound is attained by the worst pair of values of the record. For extremes, and for very many values, both ends
    are bounds.

    Args:
        neighbours: The answers between which one record's change can move.
        lattice: The lattice of the answers.
        rates: One rate for each coordinate, in nats per the query's unit; inf where the answer goes out exactly.
    """
    moved = [distance > 0 for distance in neighbours.reach]
    # Because a coordinate that goes out exactly and that a record moves shows the record.
    if any(rate == inf and moves for rate, moves in zip(rates, moved, strict=True)):
        return Enclosure(inf, inf)
    finite = [rate if moves else 0.0 for rate, moves in zip(rates, moved, strict=True)]
    if len(neighbours.own) > MOST_PAIRED_VALUES or any(how != "sum" for how in neighbours.combine):
        low, high = (
            fsum(float(distance) * rate for distance, rate in zip(each, finite, strict=True))
            for each in (neighbours.distances, neighbours.reach)
        )
        return Enclosure(low * (1 - 16 * UNIT), high * (1 + 16 * UNIT))
    weighed = neighbours.own * (np.array(finite) * [float(step) for step in lattice.steps])
    most = max(float(np.max(np.sum(np.abs(weighed - row), axis=1))) for row in weighed)
    deep = float(np.sum(np.max(np.abs(weighed), axis=0)))
    return around(most, 16 * UNIT * (most + deep)).clipped(0.0)
