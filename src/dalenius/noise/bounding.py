"""The noise of an answer of which only the part that a person's group adds is known (Result 9.6)."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, final

from dalenius.bounds import Enclosure
from dalenius.errors import TooLarge
from dalenius.laws.corners import part_line
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law
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
        """law: of the part. TooLarge for noise that is not exponential on every axis."""
        axes = [part.along(step) for part, step in zip(self.inner.each_axis(lattice.axes), lattice.steps, strict=True)]
        known = [axis for axis in axes if axis is not None and axis.decay is not None]
        if len(known) < len(axes):
            raise TooLarge("the laws of the answer", "so wide a box", "give every question laplace or geometric noise")
        hull = self.inner.likelihood(law, lattice)
        return replace(hull, line=part_line(hull, known, self.ends))

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return Enclosure(0.0, self.inner.integral(functional, replace(likelihood, line=None), lattice).upper)

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
