"""The base of mechanisms with finitely many outputs."""

import abc
from collections.abc import Sequence

from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.integrals.functionals_over_outputs import over_points
from dalenius.laws.laplace_smoothing import Along
from dalenius.laws.law import Law
from dalenius.laws.output_chances import AxesOutputs, Outputs
from dalenius.noise.mechanism import Mechanism
from dalenius.noise.place_of_given_output import Answer, at_point, sides_of_point


class FiniteMechanism(Mechanism, abc.ABC):
    """Mechanism that makes finitely many outputs of finitely many answers.

    The points of the box that `likelihood` makes are all outputs, or each stands for all that leak the same. By default
    an output is called by its place on the lattice. Sums over outputs are sums over the box. An output that no answer
    makes is refused with the nearest one that can occur.
    """

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        return over_points(functional, likelihood)

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        return at_point(likelihood, self.lattice, output)

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        return sides_of_point(likelihood, self.lattice, output, log_prior)

    def outputs_of(self, likelihood: Law) -> Outputs:
        return AxesOutputs(likelihood, [Along(None)] * len(likelihood.box))
