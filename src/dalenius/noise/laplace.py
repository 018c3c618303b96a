"""Laplace noise: density (1/2b) e^{-|x|/b} on the reals."""

from collections.abc import Sequence
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING, ClassVar, Final, Literal, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.drawing import given_axes
from dalenius.errors import InputError
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import between_knots, over_reals
from dalenius.laws.integrals.sides import Sides, of_reals, sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, Law
from dalenius.laws.noised.along import Along
from dalenius.laws.noised.exponential import smoothed
from dalenius.laws.sumsets import Sums
from dalenius.laws.tails.outputs import Outputs, Reals
from dalenius.noise.beyond import laplace_beyond
from dalenius.noise.drawn import draw_density
from dalenius.noise.intervals import around_output, laplace_reach, missed
from dalenius.noise.output import Answer, positions
from dalenius.noise.rounded import on_fine_lattice, rounded_laplace, rounded_law
from dalenius.noise.scaled import ScaledNoise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAINTEST: Final = 10**6


@final
class Laplace(ScaledNoise):
    """Adds to each answer a number of density e^{-|x|/scale}/(2 scale); what goes out is rounded to a fine lattice.

    More noise never leaks more: Lap(b₂) is Lap(b₁) plus an independent variable that is 0 with probability
    b₁²/b₂² and Lap(b₂) otherwise, so the channel at b₂ > b₁ is a post-processing of the one at b₁.
    """

    lipschitz: ClassVar[float] = 1.0
    exponential: ClassVar[bool] = True
    needs_lattice: ClassVar[bool] = False

    kind: Literal["laplace"] = "laplace"

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        return smoothed(law, exact_decays(lattice, self.known_scale()))

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return over_reals(functional, likelihood, decays(lattice, self.known_scale()))

    def along(self, step: Fraction) -> Along:
        return Along(exact_decays(Lattice((step,)), self.known_scale())[0], real=True)

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        places, steps = positions(output, likelihood, lattice), decays(lattice, self.known_scale())
        return between_knots(likelihood, places, steps, -lattice.axes * log(2 * self.known_scale()))

    def sides(
        self, likelihood: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array
    ) -> tuple[Sides | None, ...]:
        places, steps = positions(output, likelihood, lattice), decays(lattice, self.known_scale())
        along = list(zip(likelihood.box, steps, map(float, places), strict=True))
        depth = max(decay * (abs(place) + length) for length, decay, place in along)
        return sides(likelihood, log_prior, [of_reals(*each) for each in along], min(depth, 1e3))

    def outputs_of(self, likelihood: Law, lattice: Lattice) -> Outputs:
        """Rounded outputs leak much with the probability that those of the reals leak as much, to within the law's
        error: tails need not obey data processing."""
        return Reals(rounded_law(likelihood, lattice.axes), decays(lattice, self.known_scale()))

    def mean_move(self, step: Fraction) -> float:
        return self.known_scale()

    def interval(self, output: Fraction | str, confidence: float, step: Fraction) -> Enclosure | None:
        return around_output(output, laplace_reach(step, self.known_scale(), missed(confidence)))

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        """Of the reals, and as it is rounded."""
        return laplace_beyond(distance, self.known_scale())

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """The density of what is added, to six scales."""
        axes, scale = given_axes(ax), self.known_scale()
        places = np.linspace(-6 * scale, 6 * scale, 601)
        draw_density(axes, places, np.exp(-np.abs(places) / scale) / (2 * scale), self.words)
        return axes

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        """Laplace noise, rounded to a lattice that contains the answers' own: every leakage of what goes out is at most
        that over the reals (Result 3.6)."""
        return on_fine_lattice(answer, lattice.steps, self.known_scale(), rounded_laplace)


def exact_decays(lattice: Lattice, scale: float) -> list[Fraction]:
    """Each axis's step over the scale. InputError for a scale that is negligible next to the step."""
    steps = [step / Fraction(scale) for step in lattice.steps]
    if max(steps) > FAINTEST:
        least = float(max(lattice.steps) / FAINTEST)
        raise InputError("noise.scale", scale, f"at least {least:g} on this lattice (or kind = none)")
    return steps


def decays(lattice: Lattice, scale: float) -> tuple[float, ...]:
    """Each axis's step over the scale: the most a log-likelihood can change from one lattice point to the next."""
    return tuple(float(step / Fraction(scale)) for step in lattice.steps)
