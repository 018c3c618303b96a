"""The noise that a release adds to the exact answer, and the mechanism that it makes on a lattice of answers.

A noise says four things: what goes out given an answer (`mechanism`), how far off that is (`error`), what it leaks
between answers at a distance (`privacy_loss`), and what is drawn (`draw`). One person moves a count by 1. Under
Laplace noise of scale 2 the count leaks at most half a nat about each, and is off by 2 on average:

>>> from dalenius import Laplace
>>> noise = Laplace(scale=2.0)
>>> noise.privacy_loss([Fraction(1)]), noise.error(Fraction(1)).expected
(0.5, 2.0)

The output 0 tells the exact answers 0 and 1 apart by half a nat: its likelihoods given these are e^0.5 apart.

>>> import numpy as np
>>> counted, surely = noise.mechanism(Lattice((Fraction(1),))), np.array([[0.0, -np.inf], [-np.inf, 0.0]])
>>> likelihood = counted.likelihood(Law((0,), np.zeros(2), surely, 0.0))
>>> (likelihood.relative[0] - likelihood.relative[1]).round(6).tolist(), counted.output([1])
([0.5, -0.5], (1.0,))
"""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Annotated, ClassVar, Final, Self, TypeAlias

from dalenius.arrays import Array
from dalenius.bounds import Enclosure, float_up
from dalenius.errors import InputError
from dalenius.fields import Positive, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.cumulative_probability import Sides
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.output_chances import Outputs, Unweighted
from dalenius.laws.sums import Sums
from dalenius.noise.error_law import ErrorLaw
from dalenius.noise.losses_between_neighbours import of_distance, of_widest
from dalenius.noise.place_of_given_output import Answer
from dalenius.noise.shape import Shape
from dalenius.plugins import Kinds

SCALE_DIGITS: Final = 11
"""Significant digits of a calibrated scale, so few that the last bits of a leakage, which differ between processors, do
not reach them."""


@dataclass(frozen=True)
class Mechanism(abc.ABC):
    """A noise on a lattice: the law of what goes out given each exact answer there.

    `likelihood` makes the law that the other methods take under that name.

    Attributes:
        noise: The noise of every coordinate.
        lattice: The lattice of the exact answers, an axis for each.
    """

    noise: "Noise"
    lattice: Lattice

    @property
    def shape(self) -> "Shape":
        """The facts that hold of the mechanism at any scale: by default those of the noise."""
        return self.noise.shape

    @abc.abstractmethod
    def likelihood(self, law: Law) -> Law:
        """Returns Pr[output | s] on the box of `law`, up to a factor common to all secrets.

        Outputs off the box or between its points have posteriors between those on it (Result 3.1), so every supremum
        of a convex function of the posterior is attained on the box.
        """

    @abc.abstractmethod
    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        """Encloses the sum of a `functional` of the likelihoods over all outputs, normalised to probabilities.

        `likelihood` is a law that the method of that name made.
        """

    def serves(self, points: int, secrets: int) -> bool:
        """Says whether the likelihoods of a law of one answer are computed within seconds: by default always.

        `likelihood` refuses the other laws. The law has so many `points`, given each of so many `secrets`.
        """
        return True

    def limits(self, law: Law) -> Law | None:
        """Returns the likelihoods of the two outputs at infinity alone, up to a factor common to all secrets.

        `integral` takes them as it takes those of `likelihood`, which would take long for this `law`. None where they
        are not known, and by default.
        """
        return None

    def outputs_of(self, likelihood: Law) -> Outputs:
        """Returns the probabilities of all outputs, from `likelihood`, for the tails of losses. Unknown by default."""
        return Unweighted()

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        """Returns the likelihood at one `output`, also between the box's points and beyond its ends.

        It is a box of one point, whose base is such that all is log Pr[output | s], or a density per the query's
        unit; `likelihood` is a law that the method of that name made. InputError (answers) for an output that cannot
        occur names the nearest that can. By default InputError (noise.kind), for a noise without likelihoods of
        single outputs.
        """
        wanted = "a noise that says how likely one output is: its mechanism lacks `at`"
        raise InputError("noise.kind", self.noise.kind, wanted)

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        """Returns the probabilities that coordinates are at most, and at least, those of an `output` that can occur.

        They are over the mixture of `likelihood` by `log_prior` (secrets,). None for a coordinate whose outputs have
        no order, and by default.
        """
        # Because words such as "yes" and "no" are neither above nor below each other.
        return (None,) * len(output)

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        """Returns the name of the output at an `index` of the likelihood's box: by default the lattice point."""
        return self.lattice.point(index)

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        """Returns the index of the output called `output`; no whole number between lattice points."""
        return tuple(float(value) / float(step) for value, step in zip(output, self.lattice.steps, strict=True))

    def coordinates(self, point: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
        """Returns the full output at a `point` of the box that is no lattice point.

        Where one axis of the box has several coordinates, all of these are there.
        """
        return tuple(point)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the worst log-ratio of data sets that differ in one record, in nats: ε of differential privacy.

        `neighbours` has the answers of such data sets. By default it is at most the loss between the most distant
        answers.
        """
        return Enclosure(0.0, self.noise.privacy_loss(neighbours.reach))

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says of one coordinate whether an exact answer has a single output that not all of the answers have.

        The answers are in lattice steps; None stands for any. By default it is assumed wherever an output may rule out
        one of two adjacent answers. Where no output does, all answers have the same outputs.
        """
        # Because a constant answer goes out exactly and says nothing, there must be two.
        return (answers is None or len(answers) > 1) and self.noise.privacy_loss(self.lattice.steps) == inf

    def alike_beyond(self, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Returns two answers of the one coordinate, in lattice steps, beyond which all answers have similar outputs.

        No output is more than twice as likely given an answer beyond either end as given any answer between that end
        and this one. None where there are no such ends, and by default. `extent` is the least and the greatest answer.
        InputError where the noise knows nothing of one that can occur.
        """
        return None


class Noise(Frozen, abc.ABC):
    """Independent noise on every coordinate of the answer: the base of every noise.

    Args:
        scale: The scale, a finite number above 0 in the query's unit. None (the default) leaves it open, for
            `calibrate` and `compare` to choose; some kinds have no scale.

    Notes:
        docs/how-to/extend.md shows how to write a noise.
    """

    _instead: ClassVar[str] = "a noise with a scale: laplace, geometric or gaussian"
    # The error's advice where a scale must be chosen, and this noise has none to choose.

    kind: str
    scale: Positive | None = None

    @property
    def shape(self) -> Shape:
        """The facts that hold of the noise at any scale: by default nothing is known."""
        return Shape()

    @abc.abstractmethod
    def mechanism(self, lattice: Lattice) -> Mechanism:
        """Makes the law of what goes out given each exact answer on a lattice.

        Args:
            lattice: The lattice of the exact answers, one axis for each coordinate.

        Returns:
            The mechanism, from which channels are made.

        Raises:
            InputError: The noise does not fit that lattice.
        """

    @abc.abstractmethod
    def error(self, step: Fraction) -> ErrorLaw:
        """Returns how far the output of one coordinate is from its exact answer.

        Args:
            step: The step of the coordinate's lattice, in the query's unit.

        Returns:
            The law of the distance, with its mean, its tails and its confidence intervals.
        """

    @abc.abstractmethod
    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Bounds the worst log-ratio between two answers by how far each coordinate moves.

        Args:
            distances: The most that each coordinate moves, in the query's unit, one number for each coordinate.

        Returns:
            Nats, never below the worst log-ratio; inf where some output can tell the answers apart for certain.

        Raises:
            InputError: The scale was left open.
        """

    @abc.abstractmethod
    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """Draws one release of an exact answer, by exact integer arithmetic throughout.

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One output for each coordinate, in the query's unit, or a word.

        Raises:
            InputError: The scale was left open, or the noise does not fit the answer.
        """

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """Bounds the worst log-ratio between two answers by their L1 distance. Composition adds up these losses.

        Args:
            distance: The L1 distance over all coordinates at most, in the query's unit.
            axes: The number of coordinates.

        Returns:
            Nats, never below the worst log-ratio. By default every coordinate may move by all of the distance.
        """
        return self.privacy_loss([distance] * axes)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        """Returns the least scale known to hide answers at an L1 distance, rounded up.

        Args:
            distance: The L1 distance over all coordinates, in the query's unit.
            epsilon: The promised log-ratio, in nats.
            delta: The promised δ, a probability; 0 for a pure promise.
            axes: The number of coordinates.

        Returns:
            The scale, in the query's unit, that keeps the answers within epsilon and delta.

        Raises:
            InputError: The noise has no scale to choose.
        """
        raise InputError("noise.kind", self.kind, self._instead)

    @property
    def bare(self) -> "Noise | None":
        """The noise without what its scale chooses, by default none at all; None if that answers another question."""
        from dalenius.noise.no_noise import NoNoise  # which derives from this class

        return NoNoise()

    def with_scale(self, scale: float) -> "Noise":
        """Returns the same kind of noise at another scale.

        Args:
            scale: The new scale, in the query's unit.

        Raises:
            InputError: The noise has no scale to choose.
        """
        raise InputError("noise.kind", self.kind, self._instead)

    def each(self, count: int) -> tuple["Noise", ...]:
        """Returns the noise of each coordinate: by default the same for all.

        Args:
            count: The number of coordinates.
        """
        return (self,) * count

    def on(self, axes: Sequence[int]) -> "Noise":
        """Returns the noise of some of the answer's coordinates: by default the same.

        Args:
            axes: The places of these coordinates, from 0.
        """
        return self

    def in_folder(self, folder: Path) -> "Noise":
        """Returns the noise as in a spec in a folder.

        Args:
            folder: The folder that the paths of the noise's files are relative to.
        """
        return self

    def self_contained(self) -> "Noise":
        """Returns the noise with the contents of its files written out, as in a certificate that outlives them."""
        return self

    @property
    def words(self) -> str:
        """The noise in words, with its scale."""
        return self.kind if self.scale is None else f"{self.kind}, scale {self.scale:.6g}"

    def known_scale(self) -> float:
        """Returns the scale, in the query's unit.

        Raises:
            InputError: The scale was left open.
        """
        if self.scale is None:
            raise InputError("noise.scale", "missing", "a finite number above 0 (dalenius calibrate finds it)")
        return self.scale


class ScaledNoise(Noise, abc.ABC):
    """Noise with a scale: each coordinate gets an independent draw of one log-concave law.

    Its pure differential-privacy loss depends on the L1 distance of two answers only. More noise never leaks more.
    """

    leading: ClassVar[tuple[str, ...]] = ("scale",)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return self.group_loss(sum(distances, Fraction(0)), len(distances))

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """Returns the worst log-ratio between two answers at an L1 distance; it is attained.

        Args:
            distance: The L1 distance over all coordinates, in the query's unit.
            axes: The number of coordinates, on which it does not depend.

        Returns:
            Nats; inf for Gaussian noise, unless nothing moves.
        """
        # Because Gaussian noise has pure privacy only where nothing moves.
        if self.shape.lipschitz == inf:
            return inf if distance else 0.0
        return of_distance(distance * Fraction(self.shape.lipschitz), self.known_scale())

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        return float_up(distance * Fraction(self.shape.lipschitz) / Fraction(epsilon))

    def with_scale(self, scale: float) -> Self:
        return type(self)(**{**dict(self), "scale": scale})


class AddedMechanism(Mechanism, abc.ABC):
    """Mechanism of noise that is added to the answer.

    The most distant two answers are the easiest to distinguish, and no output tells which answer it was.
    """

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        return of_widest(self.noise.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return False


def is_complete(noise: Noise) -> bool:
    """Says whether nothing is left to be chosen: every coordinate's noise has its scale, or needs none."""
    return all(part.scale is not None or not part.shape.scaled for part in noise.each(1))


def rate_of(noise: Noise) -> float:
    """Returns the most nats by which `noise` changes an output's log-probability per unit of the answer, or inf."""
    return inf if noise.shape.lipschitz == inf else noise.shape.lipschitz / noise.known_scale()


def gaussian_deviation(noise: Noise) -> float:
    """Returns σ where the noise is Gaussian, in the query's unit; 0 for other noise."""
    return noise.known_scale() if noise.shape.gaussian else 0.0


NOISES: Final = Kinds("noise", "dalenius.noise.noise:Noise", "dalenius.noises")

AnyNoise: TypeAlias = Annotated[Noise, NOISES]
"""A noise of any kind, as a section of a spec."""
