"""A noise on a lattice: the law of what goes out given each exact answer there.

A count under geometric noise of scale 1, of which it is known that it is 0 or 1: what each output says of the two.

>>> from fractions import Fraction
>>> from dalenius import Geometric
>>> surely = Law((0,), np.zeros(2), np.log([[1 - 1e-12, 1e-12], [1e-12, 1 - 1e-12]]), 0.0)
>>> counted = Geometric(scale=1.0).mechanism(Lattice((Fraction(1),)))
>>> likelihood = counted.likelihood(surely)
>>> (likelihood.relative[0] - likelihood.relative[1]).round(6).tolist(), counted.output([1])
([1.0, -1.0], (1.0,))
"""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.errors import InputError, Meaningless
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.one_sided_tails import Sides
from dalenius.laws.lattice import Lattice, Sums
from dalenius.laws.law import Array, Law
from dalenius.laws.neighbouring_data import Neighbours
from dalenius.laws.output_probabilities import Outputs, Unweighted
from dalenius.noise.output import Answer
from dalenius.schema import RecordValue

if TYPE_CHECKING:
    from dalenius.noise.noise import Noise, Shape


@dataclass(frozen=True)
class Mechanism(abc.ABC):
    """noise: of every coordinate; lattice: of the exact answers, an axis for each. Whatever `likelihood` returns is
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

    def simulated(self, answer: Sequence[int], generator: np.random.Generator) -> tuple[float | str, ...]:
        """One output for experiments, of an answer in lattice steps, by a generator with a seed: doubles, and never for
        a release, which `Noise.draw` is for. Meaningless for a noise that does not say: by default."""
        wanted = "laplace, geometric, gaussian, kernel or none for simulation"
        raise Meaningless("noise.kind", self.noise.kind, wanted)
