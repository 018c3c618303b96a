"""Likelihood ratios at the outermost outputs, ±∞, and bounds of all ratios in between.

`Ends` is the base of the parts (chains, networks) whose sums are served by limits.
"""

import abc
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.joints.factor import Numbering
from dalenius.joints.repeating_chain import RepeatingChain


@final
@dataclass(frozen=True)
class Outermost:
    """The limits and bounds of every record, under one noise.

    Args:
        ends: log W(y|s) as y → -∞ and as y → ∞ (2, n, k), up to a constant of each record and end, 0 where s is
            impossible.
        error: A bound of the error of the difference of two of one record and end, in nats.
        most: A bound of log W(y|s)/W(y|s') at any y (n, k, k), at (s, s'), all errors counted; 0 where either is
            impossible.
    """

    ends: Array
    error: float
    most: Array


@dataclass(frozen=True, eq=False)
class Ends(abc.ABC):
    """Records of up to k values each that depend on each other and on no others, with their scores for one sum.

    people (n,): their numbers in the joint law; stratum (n,); scores (n, k): in lattice steps. Records with fewer
    values have impossible ones behind them.
    """

    what: ClassVar[str]
    """The records in words, such as "a chain"."""

    people: range
    stratum: IntArray
    scores: IntArray

    def __len__(self) -> int:
        """Returns how many records there are."""
        return len(self.people)

    @property
    @abc.abstractmethod
    def log_marginals(self) -> Array:
        """The logs of every record's law (n, k): -inf where a value cannot occur."""

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """The values that each record can have (n, k)."""
        return np.asarray(self.log_marginals > -np.inf)

    @cached_property
    def both(self) -> NDArray[np.bool_]:
        """The pairs of different values that each record can have (n, k, k)."""
        each = self.possible
        return np.asarray(each[:, :, None] & each[:, None, :] & ~np.eye(each.shape[1], dtype=np.bool_))

    @property
    @abc.abstractmethod
    def longest(self) -> int:
        """The most records that depend on each other."""

    @property
    @abc.abstractmethod
    def free(self) -> bool:
        """Whether every record can have any of its values whatever all others have."""

    def by_law(self, answers: int) -> bool:
        """Says whether the law of the sum, with so many `answers`, is better. Never by default.

        Networks of some shapes have laws that are quick and ranges that are not.
        """
        return False

    @property
    def repeating(self) -> RepeatingChain | None:
        """The records as a chain whose windows of laws can be computed; None where they are none, as by default."""
        return None

    def outermost(self, rate: float) -> Outermost:
        """Returns the limits and bounds for exponential noise of `rate` nats per lattice step.

        For Laplace noise of scale b over steps of length c the rate is c/b.
        """
        # Because the likelihood e^{-|y - S|/b} is e^{-y/b} e^{S/b} as y → ∞: a law tilted by the noise's own rate. As y
        # → -∞ it is the other way.
        found = [self.tilted(sign * rate) for sign in (-1, 1)]
        ends, error = np.stack([each for each, _ in found]), max(each for _, each in found)
        return Outermost(ends, error, np.where(self.both, self.bounded(rate), 0.0))

    @abc.abstractmethod
    def tilted(self, tilt: float) -> tuple[Array, float]:
        """Returns log E[e^{tilt · S} | X_t = s] (n, k), S the sum of all scores, and the error of differences.

        It is up to a constant of each record.
        """

    @abc.abstractmethod
    def bounded(self, rate: float) -> Array:
        """Bounds any output's log W(y|s)/W(y|s') (n, k, k) by messages, for noise of `rate` nats per step."""

    def exactly(self) -> Outermost:
        """Returns the limits without noise, or with noise that falls faster than any exponential.

        Where records are free, the least and the greatest possible sum have all records at their own ends: for a
        record with one value there all others are ruled out. Nothing else that such outputs say is computed.
        """
        # Because two values may share the extreme score, as 'ill' and 'dead' where both count: such an output does not
        # tell them apart.
        lowest, highest = (self.scores == end(self.scores, axis=1, keepdims=True) for end in (np.min, np.max))
        ends = np.zeros((2, *self.scores.shape))
        for side, extreme in zip(ends, (lowest & self.possible, highest & self.possible), strict=True):
            # Because the largest sum need not have everybody at their own end where some histories are impossible.
            if self.free:
                side[(extreme.sum(axis=1) == 1)[:, None] & ~extreme & self.possible] = -inf
        # Because an exact answer may rule any value out, the upper end is infinite.
        return Outermost(ends, 0.0, np.where(self.both, inf, 0.0))

    def within(self, numbering: Numbering) -> Self:
        """Returns the records as a part of a larger law, by its `numbering`."""
        people = range(self.people.start + numbering.before, self.people.stop + numbering.before)
        return replace(self, people=people, stratum=numbering.strata[self.stratum])
