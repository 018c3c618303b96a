"""Two-sided geometric noise: mass proportional to e^{-|x|/b} on the answer's own lattice."""

from collections.abc import Sequence
from fractions import Fraction
from math import sinh
from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import over_lattice
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.noised.exponential import smoothed
from dalenius.laws.tails.outputs import Outputs, Points, lattice_log_weights
from dalenius.noise.laplace import decays, exact_decays
from dalenius.noise.sampling import with_discrete_laplace
from dalenius.noise.scaled import ScaledNoise


@final
class Geometric(ScaledNoise):
    """More noise never leaks more: with a = e^{-step/b}, the generating function of the noise at a₂ over the one at
    a₁ < a₂ is a constant times a₁/a₂ + (a₂-a₁)(1-a₁a₂)/a₂ / ((1-a₂z)(1-a₂/z)): a mixture of 0 and the noise at a₂."""

    lipschitz: ClassVar[float] = 1.0
    exponential: ClassVar[bool] = True

    kind: Literal["geometric"] = "geometric"

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        return smoothed(law, exact_decays(lattice, self.known_scale()))

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return over_lattice(functional, likelihood, decays(lattice, self.known_scale()))

    def outputs_of(self, likelihood: Law, lattice: Lattice) -> Outputs:
        steps = zip(likelihood.box, decays(lattice, self.known_scale()), strict=True)
        return Points(likelihood, [lattice_log_weights(length, decay) for length, decay in steps])

    def mean_move(self, step: Fraction) -> float:
        # E|k| = 2a/(1-a²) = 1/sinh(step/b) steps; past 700 it is 0 to every digit.
        return float(step) / sinh(min(float(step / Fraction(self.known_scale())), 700.0))

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        return tuple(
            with_discrete_laplace([index], Fraction(self.known_scale()) / step)[0] * step
            for index, step in zip(answer, lattice.steps, strict=True)
        )
