"""No noise: the exact answer goes out."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Literal, final

from pydantic import model_validator

from dalenius.bounds import Enclosure
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.noise.error_law import NEVER, AddedError
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.losses_between_neighbours import of_widest
from dalenius.noise.noise import Noise
from dalenius.noise.shape import Shape
from dalenius.sentences.sentence import said


@final
class ExactMechanism(FiniteMechanism):
    """Mechanism without noise: the output is the answer."""

    def likelihood(self, law: Law) -> Law:
        return law

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        return of_widest(self.noise.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return answers is None or len(answers) > 1


@final
class NoNoise(Noise):
    """Publishes the exact answer.

    Every pure-ε promise fails, unless the data themselves are the noise (Theory §7).

    Args:
        scale: None, always: there is no scale to choose.

    Example:
        >>> import dalenius as dl
        >>> dl.NoNoise().privacy_loss([Fraction(1)]), dl.NoNoise().words
        (inf, 'no noise')
    """

    kind: Literal["none"] = "none"

    @model_validator(mode="after")
    def _check(self) -> "NoNoise":
        if self.scale is not None:
            raise ValueError("no scale beside kind = none")
        return self

    @property
    def shape(self) -> Shape:
        return Shape(scaled=False, additive=True, adds_nothing=True, needs_lattice=False, outcome="exact answer")

    def mechanism(self, lattice: Lattice) -> ExactMechanism:
        return ExactMechanism(self, lattice)

    def error(self, step: Fraction) -> AddedError:
        return AddedError(step, 0.0, lambda _: Fraction(0), lambda _: NEVER)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        # Because every move is seen.
        return inf if any(distances) else 0.0

    def group_loss(self, distance: Fraction, axes: int) -> float:
        return self.privacy_loss([distance])

    @property
    def words(self) -> str:
        return said("no_noise")

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction, ...]:
        return tuple(index * step for index, step in zip(answer, lattice.steps, strict=True))
