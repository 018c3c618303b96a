"""A mechanism for which only the part is known that a person's group adds to the answer (Result 9.6).

For ten thousand couples, only the part that one couple adds is computed. The full count leaks at most as much as that
part alone would leak under the same noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from dalenius.bounds import Enclosure
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.laplace_smoothing import PartLine, at_infinity
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.noise.copies_of_one_answer import CopiedMechanism
from dalenius.noise.exponential import exact_decay
from dalenius.noise.mechanism import Mechanism
from dalenius.noise.place_of_given_output import Answer
from dalenius.noise.shape import Shape


@final
@dataclass(frozen=True)
class BoundingMechanism(Mechanism):
    """Mechanism that bounds the leakage by that of one part of the answer.

    The rest of the answer is independent of the part. So the answer leaks at most what the noised part alone would, and
    suprema are at least what the limits of the outputs leak.

    Attributes:
        inner: The mechanism of the part that is known.
        ends: The least and the greatest answer on each axis, in the query's unit.
        refusal: The error raised where the likelihood of one output of the whole answer is wanted.
    """

    inner: Mechanism
    ends: tuple[tuple[float, float], ...]
    refusal: TooLarge | None = None

    @property
    def shape(self) -> Shape:
        return Shape(additive=True)

    def likelihood(self, law: Law) -> Law:
        """Returns the part's noised law, with the limits of the outputs. `law` is the part's.

        TooLarge for noise whose outputs far out are not known (`decays_far_out`).
        """
        decays = decays_far_out(self.inner)
        # The case of a matrix on so many groups: its outputs far out would need the whole law.
        if decays is None:
            raise TooLarge("the laws of the answer", "so wide a box", "give every question laplace or geometric noise")
        noised = self.inner.likelihood(law)
        hull, corners = replace(noised, line=None), at_infinity(law, decays, self.ends)
        return replace(hull, line=PartLine(hull, corners, noised))

    def serves(self, points: int, secrets: int) -> bool:
        return self.inner.serves(points, secrets)

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        if not isinstance(likelihood.line, PartLine):
            raise TypeError("the likelihood of another noise")
        return Enclosure(0.0, self.inner.integral(functional, likelihood.line.noised).upper)

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        raise self.refusal or TooLarge("the law of the answers", "a box of all of them", "ask about fewer people")

    def coordinates(self, point: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
        # Because one coordinate goes to infinity at a limit, the others may be anything: "any".
        return self.inner.coordinates(["any" if value != value else value for value in point])

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        return (0.0,) * self.lattice.axes

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        return self.inner.neighbour_loss(neighbours)


def decays_far_out(mechanism: Mechanism) -> list[Fraction | None] | None:
    """Returns, by axis of `mechanism`, the step over the scale of exponential noise.

    An axis has None under Gaussian noise and under none: there only the outermost answers have outputs far out. All
    of it is None for noise of which that is not known.
    """
    lattice = mechanism.lattice
    noise = mechanism.most.noise if isinstance(mechanism, CopiedMechanism) else mechanism.noise
    found: list[Fraction | None] = []
    for part, step in zip(noise.by_coordinate(lattice.axes), lattice.steps, strict=True):
        # The case of a matrix: its outputs are not ordered by distance.
        if not (part.shape.exponential or part.shape.gaussian or part.shape.adds_nothing):
            return None
        found.append(exact_decay(part, step) if part.shape.exponential else None)
    return found
