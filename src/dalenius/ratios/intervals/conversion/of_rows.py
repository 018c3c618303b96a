"""What any pipeline can leak of records whose law is made of rows in boxes (Result 21.27)."""

import abc
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations
from typing import Final

import numpy as np

from dalenius.conversion.dependence import Dependence
from dalenius.conversion.unlisted import Unlisted, Whose, Worst
from dalenius.joints import Belief
from dalenius.laws.law import Array
from dalenius.ratios.intervals.trees.boxes import smallest_mean
from dalenius.ratios.intervals.trees.regions import Quantity, Regions, raised_of, ratio_of
from dalenius.schema import RecordValue

OFF: Final = 1e-12
LEAST: Final = 1e-300
"""Stands for a chance that may be 0 under some law: any above it is a bound too."""


class OfRows(Unlisted):
    """Records each of which may leak. Lower ends are those of laws at corners of the boxes, at δ′ = 0 alone."""

    law: Belief

    @property
    @abc.abstractmethod
    def people(self) -> int:
        """How many records there are."""

    @abc.abstractmethod
    def possible(self, place: int) -> Sequence[int]:
        """The values that a record may have, as numbers; place: from 0."""

    @abc.abstractmethod
    def values(self, place: int) -> tuple[RecordValue, ...]:
        """All values of a record."""

    @abc.abstractmethod
    def regions(self, nats: float) -> Iterator[tuple[int, Regions]]:
        """Of the records that may leak most, what mechanisms leak of which a change of a record moves the likelihood by
        so many nats at most."""

    @abc.abstractmethod
    def attaining(self, nats: float, place: int, quantity: Quantity) -> Iterator[float]:
        """What some of those mechanisms leak of a record, by several scores of the values, from below."""

    def pure_worst(self, nats: float) -> Worst:
        found = Worst(0, 0, 0, 0.0)
        for place, regions in self.regions(nats):
            one, other, most = self._leaked(regions)
            values, most = self.possible(place), min(most, nats * self.people)
            if not found.value or most > found.value * (1 + OFF):
                found = Worst(place, values[one], values[other], most)
        return found

    def attained(self, worst: Worst, nats: float) -> float:
        pairs = tuple(permutations(range(len(self.possible(worst.place))), 2))
        quantity = raised_of if self.information else partial(ratio_of, pairs)
        return max(self.attaining(nats, worst.place, quantity), default=0.0)

    def asked(self, worst: Worst) -> list[Dependence]:
        return []

    def whose(self, worst: Worst, asked: list[Dependence]) -> Whose:
        values, person = self.values(worst.place), worst.place + 1
        against = None if self.information else values[worst.other]
        return Whose(person, self.law.subject_of(person).who, values[worst.one], against)

    def _leaked(self, regions: Regions) -> tuple[int, int, float]:
        """The two values, and the most that leaks of them."""
        if self.information:
            with np.errstate(divide="ignore"):
                each = smallest_mean(regions.low[:, None], regions.high[:, None], np.exp(-regions.above)).min(axis=0)
            return int(np.argmin(each)), 0, regions.raised
        ratio = np.where(np.eye(len(regions.ratio), dtype=bool), -1.0, regions.ratio)
        one, other = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
        return int(one), int(other), float(ratio[one, other])


def least_of(low: Array, high: Array) -> Array:
    """Chances from below, 0 where impossible."""
    return np.asarray(np.where(high > 0, np.maximum(low, LEAST), 0.0))
