"""What noises that are added to the answer, at a scale of one's choice, have in common."""

import abc
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from statistics import mean
from typing import ClassVar, Final, Self

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sumsets import Sums
from dalenius.noise.losses import of_distance, of_widest
from dalenius.noise.noise import Noise
from dalenius.noise.sampling import float_up

DIGITS: Final = 11
"""Significant digits of a scale that is sought: the last bits of a leakage, which differ between processors, do not
reach them."""


class ScaledNoise(Noise, abc.ABC):
    """Each coordinate of the output is the answer's plus independent noise of a log-concave law with that scale.

    Its pure differential-privacy loss depends on the L1 distance of two answers only; more noise never leaks more.
    """

    leading: ClassVar[tuple[str, ...]] = ("scale",)
    additive: ClassVar[bool] = True
    log_concave: ClassVar[bool] = True

    @abc.abstractmethod
    def mean_move(self, step: Fraction) -> float:
        """E|output - answer| of a coordinate on a lattice of that step, in the query's unit."""

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return self.group_loss(sum(distances, Fraction(0)), len(distances))

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """The bound that the Lipschitz constant gives is attained."""
        if self.lipschitz == inf:
            return inf if distance else 0.0
        return of_distance(distance * Fraction(self.lipschitz), self.known_scale())

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        return of_widest(self.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        return False

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        return np.full(len(indices), self.mean_move(step) / float(step))

    def expected_error(self, lattice: Lattice) -> float:
        return mean(self.mean_move(step) for step in lattice.steps)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0) -> float:
        return float_up(distance * Fraction(self.lipschitz) / Fraction(epsilon))

    def with_scale(self, scale: float) -> Self:
        return type(self)(**{**dict(self), "scale": scale})
