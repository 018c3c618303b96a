"""What noises with finitely many outputs have in common, which those that are added to the answer have not."""

import abc
from collections.abc import Sequence
from math import inf

from dalenius.bounds import Enclosure
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import over_points
from dalenius.laws.integrals.sides import Sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, Law
from dalenius.laws.tails.outputs import Outputs, Points
from dalenius.noise.noise import Noise
from dalenius.noise.output import Answer, at_point, sides_of_point


class FiniteNoise(Noise, abc.ABC):
    """Of finitely many answers it makes finitely many outputs: the points of the box that `likelihood` makes are all of
    them, or each stands for all that leak the same. Nothing is left to be chosen.

    By default an output is called by its place on the lattice.
    """

    @property
    def is_complete(self) -> bool:
        return True

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        if likelihood.error == inf:
            return Enclosure(0.0, functional.most)
        return over_points(functional, likelihood)

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        return at_point(likelihood, lattice, output)

    def sides(
        self, likelihood: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array
    ) -> tuple[Sides | None, ...]:
        return sides_of_point(likelihood, lattice, output, log_prior)

    def outputs_of(self, likelihood: Law, lattice: Lattice) -> Outputs:
        return Points(likelihood)
