"""What is added to the answer before it goes out; and what one record's change can leak under any noise: the worst
log-ratio over neighbouring data sets, in nats.

A noise says four things: what its outputs are given an answer (`mechanism`), how far they are from it (`error`), what
it leaks between answers at a distance (`privacy_loss`), and what is drawn (`draw`). A count that one person moves by 1,
under Laplace noise of scale 2, leaks at most half a nat about each, and is off by 2 on average:

>>> from dalenius import Laplace
>>> noise = Laplace(scale=2.0)
>>> noise.privacy_loss([Fraction(1)]), noise.error(Fraction(1)).expected
(0.5, 2.0)

Of two bits the output 0 says a half nat as well: its likelihoods given the answers 0 and 1 are e^0.5 apart.

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
from statistics import mean
from typing import Annotated, ClassVar, Final, NamedTuple, Self, TypeAlias

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
from dalenius.plugins import Kinds

SCALE_DIGITS: Final = 11
"""Significant digits of a scale that is sought: the last bits of a leakage, which differ between processors, do not
reach them."""


class Shape(NamedTuple):
    """What holds of a noise at any scale.

    scaled: it has a scale to choose. additive: the output is the answer plus something that does not depend on it.
    adds_nothing: which is 0: the exact answer goes out. needs_lattice: it is defined for answers on a known lattice
    only.
    lipschitz: the Lipschitz constant of the output's log-probability as a function of the answer (L1), in nats per
    scale; inf where it has none. Where it has one, a scale gives pure differential privacy (Dwork et al. 2006, Prop 1).
    exponential: the output has density, or mass, proportional to e^{-|output - answer|/scale}. gaussian: the scale is
    the deviation of a normal law. log_concave: what is added has a positive, log-concave density or mass: the more
    distant two answers are, the easier they are to distinguish (Dong, Roth and Su 2022). light_tailed: its density
    falls faster than any exponential: at any scale, the log-ratios of the outermost answers grow without bound with the
    output, and suprema over outputs are not attained at the answers' lattice points. outcome: what goes out, in words.
    """

    scaled: bool = True
    additive: bool = False
    adds_nothing: bool = False
    needs_lattice: bool = True
    lipschitz: float = inf
    exponential: bool = False
    gaussian: bool = False
    log_concave: bool = False
    light_tailed: bool = False
    outcome: str = "noised answer"

    @property
    def by_distance(self) -> bool:
        """Whether what a coordinate leaks is a rate, which may be infinite, times how far it moves. Not of stairs,
        which are additive too: of these a smaller move may cross as many."""
        return self.additive and (self.adds_nothing or self.gaussian or self.lipschitz < inf)


@dataclass(frozen=True)
class Mechanism(abc.ABC):
    """A noise on a lattice: the law of what goes out given each exact answer there.

    noise: of every coordinate; lattice: of the exact answers, an axis for each. Whatever `likelihood` returns is
    what the other methods take under that name."""

    noise: "Noise"
    lattice: Lattice

    @property
    def shape(self) -> "Shape":
        """What holds of it at any scale: by default what holds of the noise."""
        return self.noise.shape

    @abc.abstractmethod
    def likelihood(self, law: Law) -> Law:
        """Pr[output | s] on the law's box, up to a factor common to all secrets.

        Outputs off the box or between its points have posteriors between those on it (Result 3.1), so every supremum of
        a convex function of the posterior is attained on the box.
        """

    @abc.abstractmethod
    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        """The sum of a functional of the likelihoods over all outputs, normalised to probabilities."""

    def serves(self, points: int, secrets: int) -> bool:
        """Whether a law of one answer of so many points, given each of so many secrets, has likelihoods that are
        computed within seconds: by default each has. `likelihood` refuses the others."""
        return True

    def limits(self, law: Law) -> Law | None:
        """The likelihoods of the two outputs at infinity alone, up to a factor common to all secrets, where those of
        all others take long; the same to `integral` as `likelihood`. None where not, and by default."""
        return None

    def outputs_of(self, likelihood: Law) -> Outputs:
        """How likely all outputs are, for the tails of what they leak. By default nothing is known of it."""
        return Unweighted()

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        """The likelihood at one output, also between the box's points and beyond its ends: a box of one point, whose
        base is such that all is log Pr[output | s], or a density per the query's unit. InputError (answers) for an
        output that cannot occur, which names the nearest that can; by default for a noise that does not say
        (noise.kind)."""
        wanted = "a noise that says how likely one output is: its mechanism lacks `at`"
        raise InputError("noise.kind", self.noise.kind, wanted)

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        """How likely the coordinates are at most, and at least, those of an output that can occur. None for one whose
        outputs have no order, and by default."""
        # Words such as "yes" and "no" are neither above nor below each other.
        return (None,) * len(output)

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        """What the output at an index of the likelihood's box is called: by default the lattice point."""
        return self.lattice.point(index)

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        """The index that `output` calls so; no whole number for an output between lattice points."""
        return tuple(float(value) / float(step) for value, step in zip(output, self.lattice.steps, strict=True))

    def coordinates(self, point: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
        """The whole output at a point of the box that is no lattice point; where one axis of the box has several
        coordinates, all of these."""
        return tuple(point)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """The worst log-ratio between data sets that differ in one record: ε of differential privacy, in nats. By
        default at most the loss between the most distant answers."""
        return Enclosure(0.0, self.noise.privacy_loss(neighbours.reach))

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Of one coordinate: whether one of these exact answers, in lattice steps, has a single output, and not all of
        them have that one. None: of any answers. By default it is assumed wherever some output may rule out one of two
        adjacent answers: where none does, all answers have the same outputs."""
        # A constant answer goes out exactly, and says nothing: there must be two.
        return (answers is None or len(answers) > 1) and self.noise.privacy_loss(self.lattice.steps) == inf

    def alike_beyond(self, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Two answers of the one coordinate, in lattice steps, such that no output is more than twice as likely given
        an answer beyond either as given any between that end and this answer; None where there are none: by default.
        extent: the least and the greatest answer. InputError where the noise knows nothing of one that can occur."""
        return None


class Noise(Frozen, abc.ABC):
    """Independent noise of one scale on every coordinate of the answer.

    scale: in the query's own unit; may be left open where it is what is asked for (calibrate, compare).
    """

    _instead: ClassVar[str] = "a noise with a scale: laplace, geometric or gaussian"
    # What the error asks for where a scale is to be chosen, and this noise has none to choose.

    kind: str
    scale: Positive | None = None

    @property
    def shape(self) -> Shape:
        """What holds of it at any scale: by default nothing is known."""
        return Shape()

    @abc.abstractmethod
    def mechanism(self, lattice: Lattice) -> Mechanism:
        """What goes out given each exact answer on that lattice."""

    @abc.abstractmethod
    def error(self, step: Fraction) -> ErrorLaw:
        """How far the output of one coordinate is from its exact answer, on a lattice of that step."""

    @abc.abstractmethod
    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """The worst log-ratio between answers within these distances on each coordinate, in nats: never below it."""

    @abc.abstractmethod
    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """One release of an answer given in lattice steps: exact integer arithmetic throughout."""

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """The worst log-ratio between answers of that many coordinates, at L1 distance at most `distance`, in nats:
        never below it. It is what composition adds. By default every coordinate may move that far."""
        return self.privacy_loss([distance] * axes)

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        """The least scale known to keep answers of so many coordinates, at that L1 distance in all, within epsilon and
        delta, rounded up. InputError for a noise that has no scale to choose."""
        raise InputError("noise.kind", self.kind, self._instead)

    def with_scale(self, scale: float) -> "Noise":
        """The same kind of noise at another scale. InputError for a noise that has no scale to choose."""
        raise InputError("noise.kind", self.kind, self._instead)

    def each(self, count: int) -> tuple["Noise", ...]:
        """The noise of every one of so many coordinates: by default the same."""
        return (self,) * count

    def on(self, axes: Sequence[int]) -> "Noise":
        """The noise of some of the answer's coordinates: by default the same."""
        return self

    @property
    def words(self) -> str:
        """The noise itself, in words."""
        return self.kind if self.scale is None else f"{self.kind}, scale {self.scale:.6g}"

    def known_scale(self) -> float:
        """The scale, where one is needed. InputError where it was left open."""
        if self.scale is None:
            raise InputError("noise.scale", "missing", "a finite number above 0 (dalenius calibrate finds it)")
        return self.scale


class ScaledNoise(Noise, abc.ABC):
    """Each coordinate of the output is the answer's plus independent noise of a log-concave law with that scale.

    Its pure differential-privacy loss depends on the L1 distance of two answers only; more noise never leaks more.
    """

    leading: ClassVar[tuple[str, ...]] = ("scale",)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        return self.group_loss(sum(distances, Fraction(0)), len(distances))

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """The bound that the Lipschitz constant gives is attained."""
        # Gaussian noise: pure privacy only where nothing moves.
        if self.shape.lipschitz == inf:
            return inf if distance else 0.0
        return of_distance(distance * Fraction(self.shape.lipschitz), self.known_scale())

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0, axes: int = 1) -> float:
        return float_up(distance * Fraction(self.shape.lipschitz) / Fraction(epsilon))

    def with_scale(self, scale: float) -> Self:
        return type(self)(**{**dict(self), "scale": scale})


class AddedMechanism(Mechanism, abc.ABC):
    """Of noise that is added: the most distant two answers are the easiest to tell apart, and no output says which
    answer it was."""

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        return of_widest(self.noise.privacy_loss(neighbours.distances))

    def leaves_exact(self, answers: Sums | None) -> bool:
        return False


def is_complete(noise: Noise) -> bool:
    """Whether nothing is left to be chosen: every coordinate's noise has its scale, or needs none."""
    return all(part.scale is not None or not part.shape.scaled for part in noise.each(1))


def rate_of(noise: Noise) -> float:
    """By how many nats the log-probability of an output changes at most per unit of the answer; inf where that has no
    bound."""
    return inf if noise.shape.lipschitz == inf else noise.shape.lipschitz / noise.known_scale()


def gaussian_deviation(noise: Noise) -> float:
    """σ where the noise is Gaussian, in the query's unit; 0 elsewhere."""
    return noise.known_scale() if noise.shape.gaussian else 0.0


def mean_error(noise: Noise, lattice: Lattice) -> float:
    """E|output - answer|, averaged over the coordinates, in the query's own unit; nan, or the worst, where it depends
    on the answer (see `ErrorLaw.expected`)."""
    parts = zip(noise.each(lattice.axes), lattice.steps, strict=True)
    return mean(part.error(step).expected for part, step in parts)


NOISES: Final = Kinds("noise", "dalenius.noise.noise:Noise", "dalenius.noises")

AnyNoise: TypeAlias = Annotated[Noise, NOISES]
"""A noise of any kind, as a section of a spec."""
