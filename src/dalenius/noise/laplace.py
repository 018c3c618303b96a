"""Laplace noise: density (1/2b) e^{-|x|/b} on the reals."""

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Final, Literal, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.errors import InputError
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import over_reals
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.noised.exponential import smoothed
from dalenius.laws.sumsets import Sums
from dalenius.noise.losses import of_distance, of_widest
from dalenius.noise.noise import Noise
from dalenius.noise.sampling import float_up, on_fine_lattice, with_discrete_laplace

FAINTEST: Final = 10**6


@final
class Laplace(Noise):
    """More noise never leaks more: Lap(b₂) is Lap(b₁) plus an independent variable that is 0 with probability
    b₁²/b₂² and Lap(b₂) otherwise, so the channel at b₂ > b₁ is a post-processing of the one at b₁."""

    additive: ClassVar[bool] = True

    kind: Literal["laplace"] = "laplace"

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        return smoothed(law, exact_decays(lattice, self.known_scale()))

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return over_reals(functional, likelihood, decays(lattice, self.known_scale()))

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return of_distance(sum(distances, Fraction(0)), self.known_scale())

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return self.privacy_loss([distance])

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        return of_widest(self.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        return False

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        return np.full(len(indices), self.known_scale() / float(step))

    @property
    def outcome(self) -> str:
        return "noised answer"

    def scale_for(self, distance: Fraction, epsilon: float) -> float:
        return float_up(distance / Fraction(epsilon))

    def expected_error(self, lattice: Lattice) -> float:
        return self.known_scale()

    def with_scale(self, scale: float) -> "Laplace":
        return Laplace(scale=scale)

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Drawn on a lattice at least 512 times finer than b that contains the answers' own. Its likelihoods are
        those of the density at its points, so no log-ratio is larger than over the reals."""
        return on_fine_lattice(answer, lattice.steps, self.known_scale(), with_discrete_laplace)


def exact_decays(lattice: Lattice, scale: float) -> list[Fraction]:
    """Each axis's step over the scale. InputError for a scale that is no noise at all next to the step."""
    steps = [step / Fraction(scale) for step in lattice.steps]
    if max(steps) > FAINTEST:
        least = float(max(lattice.steps) / FAINTEST)
        raise InputError("noise.scale", scale, f"at least {least:g} on this lattice (or kind = none)")
    return steps


def decays(lattice: Lattice, scale: float) -> tuple[float, ...]:
    """Each axis's step over the scale: what a log-likelihood can change from one lattice point to the next."""
    return tuple(float(step / Fraction(scale)) for step in lattice.steps)
