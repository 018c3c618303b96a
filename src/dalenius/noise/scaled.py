"""What noises that are added to the answer, at a scale of one's choice, have in common; and what one record's change
can leak under any noise: the worst log-ratio over neighbouring data sets, in nats."""

import abc
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import fsum, inf
from typing import ClassVar, Final, Self

import numpy as np

from dalenius.bounds import UNIT, ZERO, Enclosure, around
from dalenius.laws.lattice import Lattice, Sums
from dalenius.laws.law import IntArray
from dalenius.laws.neighbouring_data import ANYWHERE, Neighbours
from dalenius.noise.noise import Mechanism, Noise
from dalenius.noise.sampling import float_up

PairLoss = Callable[[IntArray, Fraction], Enclosure]
"""The loss over pairs of exact answers (pairs, 2) in lattice steps, and the step."""
SCALE_DIGITS: Final = 11
"""Significant digits of a scale that is sought: the last bits of a leakage, which differ between processors, do not
reach them."""


def of_distance(distance: Fraction, scale: float) -> float:
    """distance / scale, rounded up."""
    try:
        return float_up(distance / Fraction(scale))
    # A distance of more scales than a double can say: nothing is hidden.
    except OverflowError:
        return inf


def of_logs(value: float, deepest: float) -> Enclosure:
    """A difference of logs that are at most `deepest`, each a sum of three or fewer, between rows that sum to 1 to
    2^-52."""
    return around(value, (16 * deepest + 64) * UNIT).clipped(0.0)


def of_widest(loss: float) -> Enclosure:
    """For additive noise: the two most distant answers have the largest log-ratio, and it is attained."""
    return around(loss, 4 * UNIT * loss).clipped(0.0)


def of_pairs(
    neighbours: Neighbours,
    lattice: Lattice,
    loss_of: PairLoss,
    most: float,
    window: Callable[[Fraction], tuple[int, int]] = lambda step: (-ANYWHERE, ANYWHERE),
) -> Enclosure:
    """Over the pairs of answers between which one record's change can move.

    most: a bound over any answers at such distances; window: answers beyond its ends are treated like them. Where
    several coordinates move at once, the loss is at least each one's alone, and at most their sum.
    """
    moving = [axis for axis, reach in enumerate(neighbours.reach) if reach]
    each = []
    for axis in moving:
        step = lattice.steps[axis]
        pairs = neighbours.pairs(axis, *window(step))
        # Pairs are None where there are too many to list: the bound over any answers remains.
        each.append(Enclosure(0.0, inf) if pairs is None else loss_of(pairs, step) if len(pairs) else ZERO)
    lower = max((found.lower for found in each), default=0.0)
    upper = sum(found.upper for found in each)
    # Two histograms of one person: what is learned of both is at most the sum.
    return Enclosure(lower, min(upper if len(each) < 2 else upper * (1 + 64 * UNIT), max(most, lower)))


def of_rates(neighbours: Neighbours, lattice: Lattice, rates: Sequence[float]) -> Enclosure:
    """For additive noise whose log-density falls by at most rates[axis] nats per unit, a bound that is attained: the
    worst pair of values of the record, or, of extremes and of very many values, the two bounds that are known of it."""
    moved = [distance > 0 for distance in neighbours.reach]
    # A coordinate that goes out exactly and that a record moves shows the record.
    if any(rate == inf and moves for rate, moves in zip(rates, moved, strict=True)):
        return Enclosure(inf, inf)
    finite = [rate if moves else 0.0 for rate, moves in zip(rates, moved, strict=True)]
    # Values of a record whose pairs are compared one by one.
    if len(neighbours.own) > 2000 or any(how != "sum" for how in neighbours.combine):
        low, high = (
            fsum(float(distance) * rate for distance, rate in zip(each, finite, strict=True))
            for each in (neighbours.distances, neighbours.reach)
        )
        return Enclosure(low * (1 - 16 * UNIT), high * (1 + 16 * UNIT))
    weighed = neighbours.own * (np.array(finite) * [float(step) for step in lattice.steps])
    most = max(float(np.max(np.sum(np.abs(weighed - row), axis=1))) for row in weighed)
    deep = float(np.sum(np.max(np.abs(weighed), axis=0)))
    return around(most, 16 * UNIT * (most + deep)).clipped(0.0)


class ScaledNoise(Noise, abc.ABC):
    """Each coordinate of the output is the answer's plus independent noise of a log-concave law with that scale.

    Its pure differential-privacy loss depends on the L1 distance of two answers only; more noise never leaks more.
    """

    leading: ClassVar[tuple[str, ...]] = ("scale",)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return self.group_loss(sum(distances, Fraction(0)), len(distances))

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """The bound that the Lipschitz constant gives is attained."""
        # Gaussian noise: pure privacy only where nothing moves.
        if self.shape.lipschitz == inf:
            return inf if distance else 0.0
        return of_distance(distance * Fraction(self.shape.lipschitz), self.known_scale())

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0) -> float:
        return float_up(distance * Fraction(self.shape.lipschitz) / Fraction(epsilon))

    def with_scale(self, scale: float) -> Self:
        return type(self)(**{**dict(self), "scale": scale})


class AddedMechanism(Mechanism, abc.ABC):
    """Of noise that is added: the most distant two answers are the easiest to tell apart, and no output says which
    answer it was."""

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        return of_widest(self.noise.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return False
