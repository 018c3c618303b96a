"""Every coordinate of the answer has a noise of its own, independent of the others'."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from math import fsum, inf, log, nextafter, tanh
from statistics import mean
from typing import Annotated, ClassVar, Final, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import Enclosure
from dalenius.errors import InputError
from dalenius.kinds import Kinds
from dalenius.laws.integrals.axes import over_axes
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import between_knots
from dalenius.laws.integrals.sides import Sides, sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.noised.along import Along
from dalenius.laws.noised.exponential import smoothed
from dalenius.laws.sumsets import Sums
from dalenius.laws.tails.axes import AxesOutputs
from dalenius.laws.tails.outputs import Outputs
from dalenius.noise.losses import of_rates
from dalenius.noise.noise import Noise
from dalenius.noise.output import Answer, cannot_occur, is_possible, on_lattice, positions
from dalenius.noise.rounded import rounded_law
from dalenius.schema import Positive

AnyPart = Annotated[Noise, Kinds("noise", "dalenius.noise.noise:Noise", "dalenius.noises", inner=True)]


BOUNDED: Final = "what they leak together at a delta is bounded by `compose`, and so released"


def separate(parts: Sequence[Noise], units: Sequence[float] = ()) -> Noise:
    """The noise whose coordinates have these: one that is the same for all, at any scale, is that one. units: see
    `Separate`."""
    if all(part == parts[0] for part in parts) and len(set(units)) <= 1:
        return parts[0]
    return Separate(parts=tuple(parts), units=tuple(units) or None)


@final
class Separate(Noise):
    """parts: by coordinate of the answer. units: by coordinate what a common `scale` is multiplied by, 1 where None; a
    part that has no scale to choose stays as it is.

    More noise never leaks more: a larger common scale makes every coordinate a post-processing of what it was.
    """

    instead: ClassVar[str] = "a question with a scale: laplace, geometric or gaussian"

    kind: Literal["separate"] = "separate"
    parts: tuple[AnyPart, ...] = Field(min_length=1)
    units: tuple[Positive, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Separate":
        if self.units is not None and len(self.units) != len(self.parts):
            raise ValueError(f"a unit for each of the {len(self.parts)} parts (there are {len(self.units)})")
        return self

    @property
    def additive(self) -> bool:
        return all(part.additive for part in self.parts)

    @property
    def lipschitz(self) -> float:
        """Per unit of the common scale."""
        return max(part.lipschitz / unit for part, unit in zip(self.parts, self._units, strict=True))

    @property
    def light_tailed(self) -> bool:
        return any(part.light_tailed for part in self.parts)

    @property
    def is_complete(self) -> bool:
        return all(part.is_complete for part in self.parts)

    @property
    def adds_nothing(self) -> bool:
        return all(part.adds_nothing for part in self.parts)

    def on(self, axes: Sequence[int]) -> Noise:
        chosen = [self.parts[axis] for axis in axes]
        return chosen[0] if all(part == chosen[0] for part in chosen) else Separate(parts=tuple(chosen))

    def each(self, count: int) -> tuple[Noise, ...]:
        return self.parts

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        return smoothed(law, [axis.decay for axis in self._axes(lattice)])

    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        return over_axes(functional, likelihood, self._axes(lattice))

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        """Where outputs are lattice points that one is taken, or the end of the box that stands for it."""
        axes = self._axes(lattice)
        ends = [
            (start, start + length - 1) if axis.decay is None else None
            for axis, start, length in zip(axes, likelihood.start, likelihood.box, strict=True)
        ]
        discrete = [place for place, axis in enumerate(axes) if not axis.real]
        real = [place for place, axis in enumerate(axes) if axis.real]
        given = lattice.restricted(discrete)
        found = on_lattice([output[place] for place in discrete], given, [ends[place] for place in discrete])
        index = [slice(None)] * len(axes)
        lift = 0.0
        for place, each in zip(discrete, found, strict=True):
            inside = min(max(each - likelihood.start[place], 0), likelihood.box[place] - 1)
            index[place] = slice(inside, inside + 1)
            if axes[place].decay is not None:
                beyond = abs(each - likelihood.start[place] - inside)
                lift += log(tanh(axes[place].rate / 2)) - axes[place].rate * beyond
        lift -= fsum(log(2 * self.parts[place].known_scale()) for place in real)
        places = positions([output[place] for place in real], _of(likelihood, real, index), lattice.restricted(real))
        there = between_knots(_of(likelihood, real, index), places, [axes[place].rate for place in real], lift)
        if not is_possible(there):
            raise cannot_occur(output, lattice.point(_first(likelihood)))
        return there

    def sides(
        self, likelihood: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array
    ) -> tuple[Sides | None, ...]:
        axes = self._axes(lattice)
        along = list(zip(axes, likelihood.box, positions(output, likelihood, lattice), strict=True))
        depth = max(axis.rate * (abs(float(place)) + length) for axis, length, place in along)
        return sides(likelihood, log_prior, [axis.sides(length, at) for axis, length, at in along], min(depth, 1e3))

    def outputs_of(self, likelihood: Law, lattice: Lattice) -> Outputs:
        axes = self._axes(lattice)
        return AxesOutputs(rounded_law(likelihood, sum(axis.real for axis in axes)), axes)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        pairs = zip(self.parts, distances, strict=True)
        return nextafter(fsum(part.privacy_loss([distance]) for part, distance in pairs), inf)

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """Additive noise: all of the distance on the coordinate with the least noise."""
        if not self.additive:
            return self.privacy_loss([distance] * axes)
        return max(part.group_loss(distance, 1) for part in self.parts)

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        if not self.additive:
            return Enclosure(0.0, self.privacy_loss(neighbours.reach))
        return of_rates(neighbours, lattice, [part.rate for part in self.parts])

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        return any(part.leaves_exact(answers, step) for part in self.parts)

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        """Averaged over the coordinates."""
        return np.asarray(np.mean([part.mean_moves(indices, step) for part in self.parts], axis=0))

    def expected_error(self, lattice: Lattice) -> float:
        pairs = zip(self.parts, lattice.steps, strict=True)
        return mean(part.expected_error(Lattice((step,))) for part, step in pairs)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0) -> float:
        """Where one is not exponential each coordinate is given an equal share of epsilon and delta, as any may be
        moved by all of the distance; exponential ones are bounded all together."""
        chosen = [(part, unit) for part, unit in zip(self.parts, self._units, strict=True) if not part.adds_nothing]
        if not chosen:
            raise InputError("noise.kind", "none", self.instead)
        count = 1 if all(part.lipschitz < inf for part, _ in chosen) else len(chosen)
        found = (part.scale_for(distance, epsilon / count, delta / count) / unit for part, unit in chosen)
        return nextafter(max(found), inf)

    def with_scale(self, scale: float) -> "Separate":
        """Every part at the common scale times its unit."""
        parts = [
            part if part.adds_nothing else part.with_scale(scale * unit)
            for part, unit in zip(self.parts, self._units, strict=True)
        ]
        if all(part.adds_nothing for part in parts):
            raise InputError("noise.kind", "none", self.instead)
        return Separate(parts=tuple(parts), units=self.units, scale=scale)

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """Each coordinate by its own sampler."""
        every = zip(self.parts, answer, lattice.steps, strict=True)
        return tuple(part.draw([index], Lattice((step,)))[0] for part, index, step in every)

    @property
    def words(self) -> str:
        """Adjacent coordinates with equal noise together."""
        found, first = [], 1
        for part, run in groupby(self.parts):
            last = first + len(list(run)) - 1
            found.append(f"{first if first == last else f'{first} to {last}'}: {part.words}")
            first = last + 1
        return "; ".join(found)

    @property
    def _units(self) -> tuple[float, ...]:
        return self.units if self.units is not None else (1.0,) * len(self.parts)

    def _axes(self, lattice: Lattice) -> list[Along]:
        """InputError for a part that cannot be beside another."""
        found = []
        for part, step in zip(self.parts, lattice.steps, strict=True):
            along = part.along(step)
            if along is None:
                wanted = "laplace, geometric or none beside another noise on answers about the same people; " + BOUNDED
                raise InputError("noise.kind", part.kind, wanted)
            found.append(along)
        return found


def _of(law: Law, axes: Sequence[int], index: Sequence[slice]) -> Law:
    """The law on some axes, at single points of the others."""
    box = tuple(law.box[axis] for axis in axes)
    relative = law.relative[(slice(None), *index)].reshape(law.secrets, *box)
    return Law(tuple(law.start[axis] for axis in axes), law.base[tuple(index)].reshape(box), relative, law.error)


def _first(law: Law) -> list[int]:
    """The lattice index of the first possible point of the box."""
    index = np.unravel_index(int(np.argmax(np.max(law.relative, axis=0) > -inf)), law.box)
    return [int(i) + start for i, start in zip(index, law.start, strict=True)]
