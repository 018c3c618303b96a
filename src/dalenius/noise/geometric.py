"""Two-sided geometric noise: mass proportional to e^{-|x|/b} on the answer's own lattice."""

from collections.abc import Sequence
from fractions import Fraction
from math import sinh
from typing import ClassVar, Literal, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import over_lattice
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.noised.exponential import smoothed
from dalenius.laws.sumsets import Sums
from dalenius.noise.laplace import decays, exact_decays
from dalenius.noise.losses import of_distance, of_widest
from dalenius.noise.noise import Noise
from dalenius.noise.sampling import float_up, with_discrete_laplace


@final
class Geometric(Noise):
    """More noise never leaks more: with a = e^{-step/b}, the generating function of the noise at a₂ over the one at
    a₁ < a₂ is a constant times a₁/a₂ + (a₂-a₁)(1-a₁a₂)/a₂ / ((1-a₂z)(1-a₂/z)): a mixture of 0 and the noise at a₂."""

    additive: ClassVar[bool] = True

    kind: Literal["geometric"] = "geometric"

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        return smoothed(law, exact_decays(lattice, self.known_scale()))

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return over_lattice(functional, likelihood, decays(lattice, self.known_scale()))

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return of_distance(sum(distances, Fraction(0)), self.known_scale())

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return self.privacy_loss([distance])

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        return of_widest(self.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        return False

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        # E|k| = 2a/(1-a²) = 1/sinh(step/b); past 700 it is 0 to every digit.
        return np.full(len(indices), 1 / sinh(min(float(step / Fraction(self.known_scale())), 700.0)))

    @property
    def outcome(self) -> str:
        return "noised answer"

    def scale_for(self, distance: Fraction, epsilon: float) -> float:
        return float_up(distance / Fraction(epsilon))

    def expected_error(self, lattice: Lattice) -> float:
        # E|k| = 2a/(1-a²) = 1/sinh(step/b) steps; past 700 it is 0 to every digit.
        steps = zip(lattice.steps, decays(lattice, self.known_scale()), strict=True)
        return sum(float(step) / sinh(min(decay, 700.0)) for step, decay in steps) / lattice.axes

    def with_scale(self, scale: float) -> "Geometric":
        return Geometric(scale=scale)

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        return tuple(
            with_discrete_laplace([index], Fraction(self.known_scale()) / step)[0] * step
            for index, step in zip(answer, lattice.steps, strict=True)
        )
