"""Noise that differs by coordinate: every coordinate of the answer has its own, independent of the others'."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from math import fsum, inf, nextafter
from typing import ClassVar, Literal, final

from pydantic import Field, model_validator

from dalenius.bounds import Enclosure
from dalenius.errors import InputError, Meaningless
from dalenius.fields import Positive
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.noise.error_law import ErrorLaw
from dalenius.noise.exponential import AxesMechanism
from dalenius.noise.losses_between_neighbours import of_rates
from dalenius.noise.mechanism import AddedMechanism
from dalenius.noise.noise import AnyNoise, Noise, rate_of
from dalenius.noise.shape import Shape
from dalenius.sentences.sentence import Figure, Phrase, phrase, said, semicolons


def separate(parts: Sequence[Noise], units: Sequence[float] = ()) -> Noise:
    """Makes the noise whose coordinates have these `parts`; if all are the same at any scale, it is that part.

    `units` are those of `Separate`. InputError for noise on records beside any other.
    """
    # The case of questions with the same noise: it fits any number of coordinates, and has its own closed forms.
    if all(part == parts[0] for part in parts) and (len(set(units)) <= 1 or parts[0].shape.on_records):
        return parts[0]
    for part in parts:
        # Because it comes before all questions, there is one for all of them.
        if part.shape.on_records:
            raise InputError("noise.kind", part.kind, "noise on each record for all questions, and the same one")
    return Separate(parts=tuple(parts), units=tuple(units) or None)


@final
class SeparateMechanism(AxesMechanism):
    """Mechanism of coordinates whose noises are exponential, or none.

    One record's change has a known loss for noises of any kind.
    """

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        parts = self.noise.by_coordinate(self.lattice.axes)
        # The case of a matrix, or stairs, on one coordinate: only its distance is known.
        if not all(part.shape.by_distance for part in parts):
            return Enclosure(0.0, self.noise.privacy_loss(neighbours.reach))
        return of_rates(neighbours, self.lattice, [rate_of(part) for part in parts])

    def leaves_exact(self, answers: Sums | None) -> bool:
        return any(part.mechanism(self.lattice).leaves_exact(answers) for part in self.noise.by_coordinate(1))


@final
class Separate(Noise):
    """Noise with a part of its own for each coordinate of the answer.

    More noise never leaks more: a larger common scale makes every coordinate a post-processing of what it was.

    Args:
        parts: The noise of each coordinate.
        units: What a common `scale` is multiplied by for each coordinate; None for 1. A part that has no scale to
            choose stays as it is.
        scale: The common scale, in the query's unit; None where the parts have their own.

    A count at scale 2 and one at scale 1: a record that moves both by 1 leaks 1/2 + 1 nats, one that moves either leaks
    at most 1.

    >>> from dalenius import Laplace
    >>> both = Separate(parts=(Laplace(scale=2.0), Laplace(scale=1.0)))
    >>> round(both.privacy_loss([Fraction(1), Fraction(1)]), 6), both.group_loss(Fraction(1), 2)
    (1.5, 1.0)
    """

    _instead: ClassVar[str] = "a question with a scale: laplace, geometric or gaussian"

    kind: Literal["separate"] = "separate"
    parts: tuple[AnyNoise, ...] = Field(min_length=1)
    units: tuple[Positive, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Separate":
        if self.units is not None and len(self.units) != len(self.parts):
            raise ValueError(f"a unit for each of the {len(self.parts)} parts (there are {len(self.units)})")
        return self

    @property
    def shape(self) -> Shape:
        """The facts of all parts together; lipschitz: per unit of the common scale."""
        every = [part.shape for part in self.parts]
        return Shape(
            additive=all(each.additive for each in every),
            adds_nothing=all(each.adds_nothing for each in every),
            lipschitz=max(each.lipschitz / unit for each, unit in zip(every, self._units, strict=True)),
            light_tailed=any(each.light_tailed for each in every),
        )

    def mechanism(self, lattice: Lattice) -> AddedMechanism:
        # Because a Gaussian part has no closed form beside another, all are enclosed together.
        if lattice.axes > 1 and any(part.shape.light_tailed for part in self.parts):
            # So that other noises load nothing of it: imported here.
            from dalenius.noise.joint_mechanism import JointMechanism

            return JointMechanism(self, lattice)
        return SeparateMechanism(self, lattice)

    def error(self, step: Fraction) -> ErrorLaw:
        """Raises Meaningless (noise.kind), whatever the `step`: each coordinate has its own error."""
        raise Meaningless("noise.kind", self.kind, "the noise of one coordinate, for how far it moves the answer")

    def by_coordinate(self, count: int) -> tuple[Noise, ...]:
        return self.parts

    def on(self, axes: Sequence[int]) -> Noise:
        return separate([self.parts[axis] for axis in axes])

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        pairs = zip(self.parts, distances, strict=True)
        return nextafter(fsum(part.privacy_loss([distance]) for part, distance in pairs), inf)

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """Returns the loss of additive noise: all of the `distance` on the axis, of `axes`, with the least noise."""
        # Because other noise is bounded as for neighbours.
        if not all(part.shape.by_distance for part in self.parts):
            return self.privacy_loss([distance] * axes)
        return max(part.group_loss(distance, 1) for part in self.parts)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        """Returns the least common scale known to keep the promise, as `Noise.scale_for`; `axes` changes nothing.

        Where a part is not exponential, each coordinate is given an equal share of epsilon and delta, as any may be
        moved by all of the distance. Exponential ones are bounded all together.
        """
        chosen = [
            (part, unit) for part, unit in zip(self.parts, self._units, strict=True) if not part.shape.adds_nothing
        ]
        # The case in which every question has its exact answer: no scale makes that private.
        if not chosen:
            raise InputError("noise.kind", "none", self._instead)
        # Because a Gaussian count beside a Laplace one must each stand all of the distance by itself, at its share.
        count = 1 if all(part.shape.lipschitz < inf for part, _ in chosen) else len(chosen)
        found = (part.scale_for(distance, epsilon / count, delta / count) / unit for part, unit in chosen)
        return nextafter(max(found), inf)

    def with_scale(self, scale: float) -> "Separate":
        """Returns the noise with every part at the common scale times its unit."""
        parts = [
            part if part.shape.adds_nothing else part.with_scale(scale * unit)
            for part, unit in zip(self.parts, self._units, strict=True)
        ]
        # The case of parts that add nothing: they have no scale, as in `scale_for`.
        if all(part.shape.adds_nothing for part in parts):
            raise InputError("noise.kind", "none", self._instead)
        return Separate(parts=tuple(parts), units=self.units, scale=scale)

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """Draws each coordinate of `answer` on `lattice` by its own sampler."""
        every = zip(self.parts, answer, lattice.steps, strict=True)
        return tuple(part.draw([index], Lattice((step,)))[0] for part, index, step in every)

    @property
    def words(self) -> str:
        """The parts in words; adjacent coordinates with equal noise are named together."""
        found, first = list[Phrase](), 1
        for part, run in groupby(self.parts):
            last = first + len(list(run)) - 1
            words = phrase(part.words)
            # Because coordinates are counted from 1, and adjacent ones may have the same noise.
            one = Figure(f"{first}") if first == last else said("range", low=first, high=last)
            found.append(said("of_coordinates", which=one, noise=words))
            first = last + 1
        return semicolons(found)

    @property
    def _units(self) -> tuple[float, ...]:
        return self.units if self.units is not None else (1.0,) * len(self.parts)
