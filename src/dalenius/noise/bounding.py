"""The noise of an answer of which only the part that a person's group adds is known (Result 9.6)."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, final

from dalenius.bounds import Enclosure
from dalenius.errors import TooLarge
from dalenius.laws.corners import PartLine
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.limits import at_infinity
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sumsets import Sums
from dalenius.noise.noise import Noise
from dalenius.noise.output import Answer
from dalenius.noise.separate import AnyPart
from dalenius.schema import RecordValue


@final
class Bounding(Noise):
    """inner: the noise; ends: the least and the greatest answer on each axis, in the query's unit.

    The rest of the answer is independent of the part: what leaks is at most what the noised part alone would, and
    suprema are at least what the limits of the outputs leak.
    """

    kind: Literal["bounding"] = "bounding"
    inner: AnyPart
    ends: tuple[tuple[float, float], ...]

    @property
    def additive(self) -> bool:
        return True

    @property
    def is_complete(self) -> bool:
        return True

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        """law: of the part. TooLarge for noise whose outputs far out are not known (`decays_far_out`)."""
        decays = decays_far_out(self.inner.each_axis(lattice.axes), lattice)
        if decays is None:
            raise TooLarge("the laws of the answer", "so wide a box", "give every question laplace or geometric noise")
        noised = self.inner.likelihood(law, lattice)
        hull, corners = replace(noised, line=None), at_infinity(law, decays, self.ends)
        return replace(hull, line=PartLine(hull, corners, noised))

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        if not isinstance(likelihood.line, PartLine):
            raise TypeError("the likelihood of another noise")
        return Enclosure(0.0, self.inner.integral(functional, likelihood.line.noised, lattice).upper)

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        raise TooLarge("the law of the answers", "a box of all of them", "ask about fewer answers at once")

    def coordinates(self, point: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
        return self.inner.coordinates(["any" if value != value else value for value in point])

    def index(self, output: Sequence[RecordValue], lattice: Lattice) -> tuple[float, ...]:
        return (0.0,) * lattice.axes

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return self.inner.privacy_loss(distances)

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        return self.inner.neighbour_loss(neighbours, lattice)

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        return self.inner.mean_moves(indices, step)

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        return self.inner.beyond(distance, step, answers)

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        return self.inner.draw(answer, lattice)


def decays_far_out(parts: Sequence[Noise], lattice: Lattice) -> list[Fraction | None] | None:
    """By axis the step over the scale of exponential noise; None for Gaussian noise and for none, under which only the
    outermost answers have outputs far out. None for noise of which that is not known. parts: one for each axis."""
    found: list[Fraction | None] = []
    for part, step in zip(parts, lattice.steps, strict=True):
        along = part.along(step)
        if along is None and not part.gaussian_deviation > 0:
            return None
        found.append(None if along is None else along.decay)
    return found
