"""Two-sided geometric noise: mass proportional to e^{-|x|/b} on the answer's own lattice."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log, sinh, tanh
from typing import TYPE_CHECKING, ClassVar, Literal, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.drawing import given_axes
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import over_lattice
from dalenius.laws.integrals.sides import Sides, of_lattice, sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, Law
from dalenius.laws.noised.along import Along
from dalenius.laws.noised.exponential import smoothed
from dalenius.laws.sumsets import Sums
from dalenius.laws.tails.outputs import Outputs, Points, lattice_log_weights
from dalenius.noise.beyond import geometric_beyond, whole_steps
from dalenius.noise.drawn import ADDED, draw_masses
from dalenius.noise.intervals import around_output, geometric_reach, missed
from dalenius.noise.laplace import decays, exact_decays
from dalenius.noise.output import Answer, at_index, on_lattice
from dalenius.noise.sampling import float_up, with_discrete_laplace
from dalenius.noise.scaled import ScaledNoise

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
class Geometric(ScaledNoise):
    """Adds to each answer k steps of its lattice, with probability proportional to e^{-|k| step/scale}, k any whole
    number.

    More noise never leaks more: with a = e^{-step/b}, the generating function of the noise at a₂ over the one at
    a₁ < a₂ is a constant times a₁/a₂ + (a₂-a₁)(1-a₁a₂)/a₂ / ((1-a₂z)(1-a₂/z)): a mixture of 0 and the noise at a₂.
    """

    lipschitz: ClassVar[float] = 1.0
    exponential: ClassVar[bool] = True

    kind: Literal["geometric"] = "geometric"

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        return smoothed(law, exact_decays(lattice, self.known_scale()))

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return over_lattice(functional, likelihood, decays(lattice, self.known_scale()))

    def along(self, step: Fraction) -> Along:
        return Along(exact_decays(Lattice((step,)), self.known_scale())[0])

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        """Beyond the box every likelihood falls by the same factor a step."""
        index, lift = [], 0.0
        for place, length, decay in self._places(likelihood, lattice, output):
            index.append(min(max(place, 0), length - 1))
            lift += log(tanh(decay / 2)) - decay * abs(place - index[-1])
        return at_index(likelihood, index, lift)

    def sides(
        self, likelihood: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array
    ) -> tuple[Sides | None, ...]:
        places = self._places(likelihood, lattice, output)
        weights = [of_lattice(length, decay, place) for place, length, decay in places]
        depth = max(decay * (abs(place) + length) for place, length, decay in places)
        return sides(likelihood, log_prior, weights, min(depth, 1e3))

    def _places(self, law: Law, lattice: Lattice, output: Sequence[Answer]) -> list[tuple[int, int, float]]:
        """By axis the output's place from the box's start, the box's length and the decay."""
        found = on_lattice(output, lattice, [None] * lattice.axes)
        places = [index - start for index, start in zip(found, law.start, strict=True)]
        return list(zip(places, law.box, decays(lattice, self.known_scale()), strict=True))

    def outputs_of(self, likelihood: Law, lattice: Lattice) -> Outputs:
        steps = zip(likelihood.box, decays(lattice, self.known_scale()), strict=True)
        return Points(likelihood, [lattice_log_weights(length, decay) for length, decay in steps])

    def mean_move(self, step: Fraction) -> float:
        # E|k| = 2a/(1-a²) = 1/sinh(step/b) steps; past 700 it is 0 to every digit.
        return float(step) / sinh(min(float(step / Fraction(self.known_scale())), 700.0))

    def interval(self, output: Fraction | str, confidence: float, step: Fraction) -> Enclosure | None:
        drawn = float_up(Fraction(self.known_scale()) / step)
        return around_output(output, geometric_reach(drawn, missed(confidence)) * step)

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        return geometric_beyond(whole_steps(distance, step), step / Fraction(self.known_scale()))

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """The probability of each whole number that may be added, to six scales."""
        axes, decay = given_axes(ax), 1 / self.known_scale()
        far = max(3, ceil(6 * self.known_scale()))
        places = np.unique(np.linspace(-far, far, min(2 * far + 1, 2001)).round())
        words = f"{self.words}, of whole answers"
        draw_masses(axes, places, tanh(decay / 2) * np.exp(-decay * np.abs(places)), words, ADDED)
        return axes

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        return tuple(
            with_discrete_laplace([index], Fraction(self.known_scale()) / step)[0] * step
            for index, step in zip(answer, lattice.steps, strict=True)
        )
