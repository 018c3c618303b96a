"""What is added to the answer before it goes out.

A noise says three things: what its outputs are given an answer (`likelihood`, and whatever is summed over outputs),
what it leaks about one record of anybody's (`privacy_loss`, `neighbour_loss`), and what is drawn (`draw`). A count that
one person moves by 1, under Laplace noise of scale 2, leaks at most half a nat about each:

>>> from dalenius import Laplace
>>> Laplace(scale=2.0).privacy_loss([Fraction(1)])
0.5
"""

import abc
from collections.abc import Sequence
from fractions import Fraction
from math import inf, nan
from statistics import mean
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, TypeAlias

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.errors import InputError, Meaningless
from dalenius.kinds import Kinds
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.one_sided_tails import Sides
from dalenius.laws.laplace_smoothing import Along
from dalenius.laws.lattice import Lattice, Sums
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.neighbouring_data import Neighbours
from dalenius.laws.output_probabilities import Outputs, Unweighted
from dalenius.noise.output import Answer
from dalenius.schema import Frozen, Positive, RecordValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Noise(Frozen, abc.ABC):
    """Independent noise of one scale on every coordinate of the answer.

    scale: in the query's own unit; may be left open where it is what is asked for (calibrate, compare).
    """

    offers: ClassVar[tuple[str, ...] | None] = (
        "words",
        "with_scale",
        "interval",
        "expected_error",
        "privacy_loss",
        "plot",
    )

    @property
    def additive(self) -> bool:
        """Whether the output is the answer plus something that does not depend on it."""
        return False

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant of the output's log-probability as a function of the answer (L1), in nats per scale;
        inf where it has none. Where it has one, a scale gives pure differential privacy (Dwork et al. 2006, Prop 1)."""
        return inf

    @property
    def exponential(self) -> bool:
        """Whether the output has density, or mass, proportional to e^{-|output - answer|/scale}."""
        return False

    @property
    def log_concave(self) -> bool:
        """Whether what is added has a positive, log-concave density or mass: the more distant two answers are, the
        easier they are to distinguish (Dong, Roth and Su 2022)."""
        return False

    @property
    def light_tailed(self) -> bool:
        """Whether the density falls faster than any exponential: at any scale, the log-ratios of the outermost answers
        grow without bound with the output, and suprema over outputs are not attained at the answers' lattice points."""
        return False

    @property
    def needs_lattice(self) -> bool:
        """Whether it is defined for answers on a known lattice only."""
        return True

    instead: ClassVar[str] = "a noise with a scale: laplace, geometric or gaussian"
    """What the error asks for where a scale is to be chosen, and this noise has none to choose."""

    kind: str
    scale: Positive | None = None

    @abc.abstractmethod
    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        """Pr[output | s] on the law's box, up to a factor common to all secrets.

        Outputs off the box or between its points have posteriors between those on it (Result 3.1), so every supremum of
        a convex function of the posterior is attained on the box.
        """

    @abc.abstractmethod
    def integral(self, functional: Functional, likelihood: Law, lattice: Lattice) -> Enclosure:
        """The sum of a functional of the likelihoods over all outputs, normalised to probabilities."""

    @abc.abstractmethod
    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """The worst log-ratio between answers within these distances on each coordinate, in nats: never below it."""

    @abc.abstractmethod
    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        """E|output - answer| given each of these answers of a coordinate, both in lattice steps; nan where outputs are
        words."""

    @abc.abstractmethod
    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """One release of an answer given in lattice steps: exact integer arithmetic throughout."""

    def simulated(
        self, answer: Sequence[int], lattice: Lattice, generator: np.random.Generator
    ) -> tuple[float | str, ...]:
        """One output for experiments, by a generator with a seed: doubles, and never for a release, which `draw` is
        for. By default of noise that is `along` its coordinates; Meaningless for another that does not say."""
        found: list[float | str] = []
        for part, index, step in zip(self.each(len(answer)), answer, lattice.steps, strict=True):
            along = part.along(step)
            # Gaussian and matrix noise have no decay along a coordinate: they say `simulated` themselves.
            if along is None:
                raise Meaningless(
                    "noise.kind", self.kind, "laplace, geometric, gaussian, kernel or none for simulation"
                )
            found.append((index + along.simulated(generator)) * float(step))
        return tuple(found)

    def group_loss(self, distance: Fraction, axes: int) -> float:
        """The worst log-ratio between answers of that many coordinates, at L1 distance at most `distance`, in nats:
        never below it. It is what composition adds. By default every coordinate may move that far."""
        return self.privacy_loss([distance] * axes)

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        """The worst log-ratio between data sets that differ in one record: ε of differential privacy, in nats. By
        default at most the loss between the most distant answers."""
        return Enclosure(0.0, self.privacy_loss(neighbours.reach))

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        """Whether one of these exact answers of a coordinate, in lattice steps, has a single output, and not all of
        them have that one. None: of any answers. By default it is assumed wherever some output may rule out one of two
        adjacent answers: where none does, all answers have the same outputs."""
        # A constant answer goes out exactly, and says nothing: there must be two.
        return (answers is None or len(answers) > 1) and self.privacy_loss([step]) == inf

    def expected_error(self, lattice: Lattice) -> float:
        """E|output - answer|, averaged over the coordinates, in the query's own unit; where it depends on the answer,
        no number or the worst (see `mean_moves`)."""
        if not self.additive:
            # A matrix moves each answer by its own: it has no one error, unless it says so.
            return nan
        return mean(float(self.mean_moves(np.zeros(1, np.int64), step)[0]) * float(step) for step in lattice.steps)

    def interval(self, output: Fraction | str, confidence: float, step: Fraction) -> Enclosure | None:
        """Where the exact answer of a coordinate lies, in the query's unit, given its output: whatever the answer, the
        output is one whose interval holds it with at least that probability. An end is infinite where no output could
        tell. None where the noise does not say: by default. InputError for a confidence that is none."""
        return None

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        """log Pr[|output - answer| >= distance] of a coordinate on a lattice of that step, distance > 0 in the query's
        unit, given the exact answer for which it is largest: one of these, in lattice steps; None: of any. None where
        outputs are words, or the noise does not say: by default."""
        return None

    def alike_beyond(self, step: Fraction, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Two answers of a coordinate, in lattice steps, such that no output is more than twice as likely given an
        answer beyond either as given any between that end and this answer; None where there are none: by default.
        extent: the least and the greatest answer. InputError where the noise knows nothing of one that can occur."""
        return None

    @property
    def outcome(self) -> str:
        """What goes out, in words."""
        return "noised answer"

    def scale_for(self, distance: Fraction, epsilon: float, delta: float = 0.0) -> float:
        """The least scale known to keep answers at that L1 distance within epsilon and delta, rounded up. InputError
        for a noise that has no scale to choose."""
        raise InputError("noise.kind", self.kind, self.instead)

    def with_scale(self, scale: float) -> "Noise":
        """The same kind of noise at another scale. InputError for a noise that has no scale to choose."""
        raise InputError("noise.kind", self.kind, self.instead)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """A picture of what is added to an answer, or of its output given the answer; where answers lie on a lattice,
        on the whole numbers. Meaningless (noise.kind) for a noise that is no one thing: by default."""
        raise Meaningless("noise.kind", self.kind, "a noise of one scale, or a kernel, for a picture")

    def output(self, index: Sequence[int], lattice: Lattice) -> tuple[RecordValue, ...]:
        """What the output at an index of the likelihood's box is called: by default the lattice point."""
        return lattice.point(index)

    def coordinates(self, point: Sequence[RecordValue]) -> tuple[RecordValue, ...]:
        """The whole output at a point of the box that is no lattice point; where one axis of the box has several
        coordinates, all of these."""
        return tuple(point)

    def on(self, axes: Sequence[int]) -> "Noise":
        """The noise of some of the answer's coordinates: by default every one has the same."""
        return self

    def along(self, step: Fraction) -> Along | None:
        """What it does along one coordinate of a lattice of that step, where coordinates may have noises of their own;
        None where it cannot be beside another noise: by default."""
        return None

    def each(self, count: int) -> tuple["Noise", ...]:
        """The noise of every one of so many coordinates: by default the same."""
        return (self,) * count

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        """The likelihood at one output, also between the box's points and beyond its ends: a box of one point, whose
        base is such that all is log Pr[output | s], or a density per the query's unit. likelihood: what `likelihood`
        made. InputError (answers) for an output that cannot occur, which names the nearest that can; by default for a
        noise that does not say (noise.kind)."""
        raise InputError("noise.kind", self.kind, "a noise that says how likely one output is: its class lacks `at`")

    def sides(
        self, likelihood: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array
    ) -> tuple[Sides | None, ...]:
        """How likely the coordinates are at most, and at least, those of an output that can occur. None for one whose
        outputs have no order, and by default."""
        # Words such as "yes" and "no" are neither above nor below each other.
        return (None,) * len(output)

    def index(self, output: Sequence[RecordValue], lattice: Lattice) -> tuple[float, ...]:
        """The index that `output` calls so; no whole number for an output between lattice points."""
        return tuple(float(value) / float(step) for value, step in zip(output, lattice.steps, strict=True))

    def outputs_of(self, likelihood: Law, lattice: Lattice) -> Outputs:
        """How likely all outputs are, for the tails of what they leak. By default nothing is known of it."""
        return Unweighted()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be chosen: the noise has its scale, or needs none."""
        return self.scale is not None

    @property
    def adds_nothing(self) -> bool:
        """Whether its kind states that the exact answer goes out."""
        return False

    @property
    def rate(self) -> float:
        """By how many nats the log-probability of an output changes at most per unit of the answer; inf where that has
        no bound."""
        return inf if self.lipschitz == inf else self.lipschitz / self.known_scale()

    @property
    def gaussian_deviation(self) -> float:
        """σ where the noise is Gaussian, in the query's unit; 0 elsewhere."""
        return 0.0

    @property
    def words(self) -> str:
        """The noise itself, in words."""
        return self.kind if self.scale is None else f"{self.kind}, scale {self.scale:.6g}"

    def known_scale(self) -> float:
        """The scale, where one is needed. InputError where it was left open."""
        if self.scale is None:
            raise InputError("noise.scale", "missing", "a finite number above 0 (dalenius calibrate finds it)")
        return self.scale


NOISES: Final = Kinds("noise", "dalenius.noise.noise:Noise", "dalenius.noises")

AnyNoise: TypeAlias = Annotated[Noise, NOISES]
"""A noise of any kind, as a section of a spec."""
