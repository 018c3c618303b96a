"""The law of what an output leaks, where part of the outputs' probability is left out."""

from dataclasses import dataclass
from math import inf, log
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Array
from dalenius.laws.tails.tail import Tail

WIDENED = 1e-13
"""Nats by which what is left out may move the likelihoods of an output that is not counted as unknown."""


@final
@dataclass(frozen=True)
class PartialTail(Tail):
    """inner: the tail of what is left in, with losses known as well as those of all are where an output is not unknown;
    unknown: the probability of unknown outputs, at most, of what is left in and of all; ceiling: no loss is above it.
    """

    inner: Tail
    unknown: float
    ceiling: float

    @property
    def most(self) -> float:
        return self.ceiling if self.unknown > 0 else self.inner.most

    def log_above(self, levels: Array) -> tuple[Array, Array]:
        lower, upper = self.inner.log_above(levels)
        if self.unknown == 0:
            return lower, upper
        unknown = log(self.unknown)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.where(lower > unknown, lower + np.log(-np.expm1(np.minimum(unknown - lower, 0.0))), -inf)
        more = np.minimum(np.logaddexp(upper, unknown) + 8 * UNIT * (1 + abs(unknown)), 0.0)
        return left - 8 * UNIT * (1 + np.where(left > -inf, np.abs(left), 0.0)), np.where(
            levels >= self.ceiling, -inf, more
        )

    def mean(self) -> Enclosure:
        found = self.inner.mean()
        moved = 2 * self.unknown * self.ceiling if self.unknown > 0 else 0.0
        return Enclosure(max(found.lower - moved, 0.0), found.upper + moved)
