"""Several answers, some with Gaussian noise, beside other noise or on sums that do not determine each other.

If two Gaussian answers are affine functions of one number, one answer says as much as both, and their mechanism is
another (`CopiedMechanism`). Here every quantity is enclosed: from above by columns whose mixtures are all likelihoods,
from below by outputs that are real, or known within intervals only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.errors import TooLarge
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.functionals_over_outputs import over_points
from dalenius.laws.law import Law, Line, Piece
from dalenius.laws.matrix_ratios import pushed
from dalenius.laws.same_law import SameLaw
from dalenius.noise.copied_answer import Copies, Copy
from dalenius.noise.limits import MOST_JOINT_OUTPUTS
from dalenius.noise.mechanism import AddedMechanism
from dalenius.noise.outputs_along_axis import Along, along
from dalenius.noise.place_of_given_output import Answer

_KEPT: Final = 128
"""Most laws of exact answers whose likelihoods are kept."""
_FEWEST: Final = 40
"""The fewest nodes of a noise on the reals that say anything."""
_MOST: Final = 4001
_DOUBLES: Final = 1e-11
"""Relative error of the probabilities in the tables of an axis, in nats."""


@final
@dataclass(frozen=True, eq=False)
class _Joint(Piece):
    """All outputs at once: there are no parts."""

    sampled: Law
    hull: Law

    def parts(self) -> Sequence[Piece]:
        return ()


@final
@dataclass(frozen=True, eq=False)
class JointLine(Line):
    """All outputs of several answers.

    Attributes:
        columns: The columns of which all likelihoods are mixtures.
        real: Which of them are those of an output.
    """

    columns: Law
    real: NDArray[np.bool_]

    @property
    def hull(self) -> Law:  # type: ignore[override]
        return self.columns

    def counting(self, error: float) -> "JointLine":
        return JointLine(replace(self.columns, error=self.columns.error + error), self.real)

    def pieces(self) -> Sequence[Piece]:
        known = self.columns
        assert known.points is not None
        sampled = replace(
            known, base=known.base[self.real], relative=known.relative[:, self.real], points=known.points[self.real]
        )
        return [_Joint(sampled, known)]

    def with_mixture(self, log_prior: Array) -> "JointLine":
        return JointLine(self.columns.with_mixture(log_prior), self.real)


@final
class JointMechanism(AddedMechanism):
    """Mechanism of several answers, each with Laplace, geometric, Gaussian or discrete Gaussian noise, or none.

    Its outputs are one axis, whatever the number of answers.

    A bit with Gaussian noise of σ = 1 beside another bit with Laplace noise of scale 1 has nine nodes or more between
    the answers, and 18 deviations of them in all:

    >>> import dalenius as dl
    >>> from dalenius.laws.lattice import Lattice
    >>> from dalenius.noise.separate_noise import separate
    >>> both = separate([dl.Gaussian(scale=1.0), dl.Laplace(scale=1.0)])
    >>> made = JointMechanism(both, Lattice((Fraction(1), Fraction(1))))
    >>> law = Law((0, 0), np.zeros((2, 2)), np.log([[[0.4, 0.1], [0.1, 0.4]], [[0.1, 0.4], [0.4, 0.1]]]), 0.0)
    >>> made.likelihood(law).points.shape[1]
    2
    """

    def likelihood(self, law: Law) -> Law:
        """Returns columns for the answers' `law`. The likelihoods of every output are a mixture of them.

        Suprema are read from the mechanism's line, which knows which columns are outputs. Raises InputError if a noise
        cannot stand beside others, and TooLarge if there are too many answers, or they are too far apart.
        """
        axes = self._axes(law)
        found = pushed(law, [each.more for each in axes])
        slack = sum(each.slack for each in axes) / 2 + _DOUBLES * len(axes)
        columns = prod(found.box)
        places = np.meshgrid(*(each.places for each in axes), indexing="ij")
        steps = [float(step) for step in self.lattice.steps]
        points = [(place.ravel() + start) * step for place, start, step in zip(places, law.start, steps, strict=True)]
        real = np.ones((), dtype=np.bool_)
        for each in axes:
            real = np.logical_and.outer(real, each.real)
        # Because what all secrets share is no difference between them, the largest of each output is taken out.
        logs = found.relative.reshape(law.secrets, columns) + found.base.ravel()
        heights = np.max(logs, axis=0)
        heights = np.where(heights > -np.inf, heights, 0.0)
        one_axis = Law((0,), heights, logs - heights, found.error + slack, points=np.stack(points, axis=1))
        return replace(one_axis, line=JointLine(one_axis, real.ravel()), answers=law)

    def integral(self, functional: Functional, likelihood: Law) -> Enclosure:
        found = over_points(functional, replace(likelihood, line=None))
        assert likelihood.answers is not None
        lower = over_points(functional, self._told_less(SameLaw(likelihood.answers))).lower
        return Enclosure(min(lower, found.upper), found.upper)

    @cached_property
    def _told_less(self):  # type: ignore[no-untyped-def]
        """The likelihoods of intervals of outputs, by the law of the exact answer: they are kept for the next ε."""

        @lru_cache(maxsize=_KEPT)
        def found(answers: SameLaw) -> Law:
            law = answers.law
            less = pushed(law, [each.less for each in self._axes(law)])
            return replace(less, error=less.error + _DOUBLES * len(law.box))

        return found

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        # Because the sum over exact answers is that of copies, each the only one of its axis.
        steps = self.lattice.steps
        copies = tuple(Copy(axis, Fraction(1), Fraction(0), step) for axis, step in enumerate(steps))
        assert likelihood.answers is not None
        return Copies(self.noise.by_coordinate(len(steps)), copies, self.lattice).likelihood(likelihood.answers, output)

    def _axes(self, law: Law) -> list[Along]:
        """Returns the outputs of each coordinate; TooLarge where all together are too many."""
        parts = self.noise.by_coordinate(self.lattice.axes)
        on_reals = [not (part.shape.needs_lattice or part.shape.adds_nothing) for part in parts]
        # So that all columns together are at most so many, those on the reals share what the others leave.
        fixed = [
            along(part, step, length, _FEWEST)
            for part, step, length in zip(parts, self.lattice.steps, law.box, strict=True)
        ]
        left = MOST_JOINT_OUTPUTS / (
            law.secrets * prod(len(a.places) for a, r in zip(fixed, on_reals, strict=True) if not r)
        )
        nodes = min(int(left ** (1 / max(sum(on_reals), 1))), _MOST)
        if nodes < max([_FEWEST, *(2 * n for n, r in zip(law.box, on_reals, strict=True) if r)]):
            size = f"{' x '.join(f'{length:,}' for length in law.box)} answers to {len(law.box)} questions"
            raise TooLarge("noise beside gaussian noise", size, "ask fewer of them together", MOST_JOINT_OUTPUTS)
        return [
            along(part, step, length, nodes) if real else known
            for part, step, length, real, known in zip(parts, self.lattice.steps, law.box, on_reals, fixed, strict=True)
        ]
