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
>>> from dalenius.laws.law import Law
>>> counted, surely = noise.mechanism(Lattice((Fraction(1),))), np.array([[0.0, -np.inf], [-np.inf, 0.0]])
>>> likelihood = counted.likelihood(Law((0,), np.zeros(2), surely, 0.0))
>>> (likelihood.relative[0] - likelihood.relative[1]).round(6).tolist(), counted.output([1])
([0.5, -0.5], (1.0,))
"""

import abc
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Self, TypeAlias

from dalenius.bounds import float_up
from dalenius.errors import InputError
from dalenius.fields import Positive, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.laws.lattice import Lattice
from dalenius.noise.error_law import ErrorLaw
from dalenius.noise.losses_between_neighbours import of_distance
from dalenius.noise.mechanism import Mechanism
from dalenius.noise.shape import Shape
from dalenius.plugins import Kinds
from dalenius.sentences.sentence import Figure, kind_name, said

if TYPE_CHECKING:
    from dalenius.noise.reports import Reports
    from dalenius.noise.rule import RuleRows

SCALE_DIGITS: Final = 11
"""Significant digits of a calibrated scale, so few that the last bits of a leakage, which differ between processors, do
not reach them."""


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
    answers_exactly: ClassVar[bool] = True
    # Whether the answer without any noise is an answer to the same question.

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

    def loss_of_group(self, moved: tuple[Fraction, int], axes: int) -> float:
        """Bounds the worst log-ratio between two data sets in which a group of people differs.

        Args:
            moved: The most that the group moves the answer (L1), in the query's unit, and how many people it has.
            axes: The number of coordinates.

        Returns:
            Nats, never below the worst log-ratio. By default it is that between two answers so far apart.
        """
        return self.group_loss(moved[0], axes)

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
        """The noise that is left without what its scale chooses; None, by default: the exact answer."""
        return None

    def scale_for_group(self, moved: tuple[Fraction, int], epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        """Returns the least scale known to hide a group of people, rounded up.

        Args:
            moved: The most that the group moves the answer (L1), in the query's unit, and how many people it has.
            epsilon: The promised log-ratio, in nats.
            delta: The promised δ, a probability; 0 for a pure promise.
            axes: The number of coordinates.

        Returns:
            The scale. By default it is that which hides answers so far apart.

        Raises:
            InputError: The noise has no scale to choose.
        """
        return self.scale_for(moved[0], epsilon, delta, axes)

    def with_scale(self, scale: float) -> "Noise":
        """Returns the same kind of noise at another scale.

        Args:
            scale: The new scale, in the query's unit.

        Raises:
            InputError: The noise has no scale to choose.
        """
        raise InputError("noise.kind", self.kind, self._instead)

    def reports(self, values: Sequence[RecordValue]) -> "Reports | None":
        """Returns the reports that records become before the query is asked.

        Args:
            values: The values that such a record can have.

        Returns:
            The reports, with their probabilities. None, by default, where noise comes after the answer.
        """
        return None

    @property
    def by_people(self) -> "RuleRows | None":
        """The rule that moves each set of people once, by their keys; None, by default: every answer has its draw."""
        return None

    def among(self, universes: Sequence[Sequence[RecordValue]]) -> "Noise":
        """Returns the noise for records of these universes: by default itself.

        Args:
            universes: The values that records of each stratum can have.

        Raises:
            InputError: The noise does not fit these records.
        """
        return self

    @property
    def amount(self) -> float:
        """A number that grows with the noise, to choose the more of two of a kind: by default the scale."""
        return self.scale or 0.0

    def by_coordinate(self, count: int) -> tuple["Noise", ...]:
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
        named = kind_name("noise", self.kind)
        return named if self.scale is None else said("with_scale", noise=named, scale=Figure(f"{self.scale:.6g}"))

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


def is_complete(noise: Noise) -> bool:
    """Says whether nothing is left to be chosen: every coordinate's noise has its scale, or needs none."""
    return all(part.scale is not None or not part.shape.scaled for part in noise.by_coordinate(1))


def rate_of(noise: Noise) -> float:
    """Returns the most nats by which `noise` changes an output's log-probability per unit of the answer, or inf."""
    return inf if noise.shape.lipschitz == inf else noise.shape.lipschitz / noise.known_scale()


def gaussian_deviation(noise: Noise) -> float:
    """Returns σ where the noise is Gaussian, in the query's unit; 0 for other noise."""
    return noise.known_scale() if noise.shape.gaussian else 0.0


NOISES: Final = Kinds("noise", "dalenius.noise.noise:Noise", "dalenius.noises")

AnyNoise: TypeAlias = Annotated[Noise, NOISES]
"""A noise of any kind, as a section of a spec."""
