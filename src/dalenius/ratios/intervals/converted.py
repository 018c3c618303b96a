"""What any pipeline can leak of the records of chains and networks whose rows lie in boxes (Result 21.27).

Of a pure guarantee, what noise leaks that moves the likelihood by as many nats where a record changes. Of another all
records that depend on each other are changed one after the other; and a δ′ is at most what that ratio allows.

The questions about a set of laws: a new kind of set has one more line here.
"""

import abc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial, singledispatch
from itertools import permutations, product
from math import inf
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.conversion.bounded import Bounded, BoundedAtZero, Whose, Worst
from dalenius.conversion.profile import PrivacyProfile
from dalenius.joints import Belief
from dalenius.laws.law import Array
from dalenius.ratios.bounded import apart_delta, share_above
from dalenius.ratios.intervals.boxes import smallest_mean
from dalenius.ratios.intervals.chain import ChainMessages, CredalChain, corner_laws, rounding
from dalenius.ratios.intervals.converted_groups import any_group
from dalenius.ratios.intervals.groups_of_boxes import CredalGroups
from dalenius.ratios.intervals.network import CredalNetwork, NetworkBounds
from dalenius.ratios.intervals.regions import Quantity, Regions, raised_of, ratio_of
from dalenius.schema import RecordValue

OFF: Final = 1e-12
FEW: Final = 4
"""Values of which all splits in two are counted by some mechanism; of more, each alone."""


class RecordsInBoxes(BoundedAtZero):
    """Records each of which may leak. Lower ends are those of laws at corners of the boxes."""

    law: CredalChain | CredalNetwork
    information: bool

    @property
    @abc.abstractmethod
    def together(self) -> int:
        """How many records depend on each other at most."""

    @abc.abstractmethod
    def values(self, place: int) -> tuple[RecordValue, ...]:
        """All values of a record; place: from 0."""

    @abc.abstractmethod
    def regions(self, nats: float) -> Iterator[tuple[int, Regions]]:
        """Of the records that may leak most, what mechanisms leak of which a change of a record moves the likelihood by
        so many nats at most."""

    @abc.abstractmethod
    def attaining(self, nats: float, place: int, quantity: Quantity) -> Iterator[float]:
        """What some of those mechanisms leak of a record, by several scores of the values, from below."""

    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        worst = _worst(self, (profile.pure or 1.0) * steps)
        values, person = self.values(worst.place), worst.place + 1
        against = None if self.information else values[worst.other]
        return Whose(person, self.law.subject_of(person).who, values[worst.one], against)

    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        if profile.pure is None:
            return Enclosure(inf, inf)
        worst = _worst(self, nats := profile.pure * steps)
        pairs = tuple(permutations(range(len(self.law.possible(worst.place + 1))), 2))
        quantity = raised_of if self.information else partial(ratio_of, pairs)
        lower = max(self.attaining(nats, worst.place, quantity), default=0.0)
        return Enclosure(min(lower, worst.value), worst.value)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        if profile.pure is None:
            return profile.delta_of(self.together * steps, epsilon)
        ratio = _worst(self, profile.pure * steps).value
        return share_above(ratio, epsilon) if self.information else apart_delta(ratio, epsilon)


@lru_cache(maxsize=64)
def _worst(records: RecordsInBoxes, nats: float) -> Worst:
    """Where a change of a record moves the likelihood by so many nats at most, from above."""
    found = Worst(0, 0, 0, 0.0)
    for place, regions in records.regions(nats):
        one, other, most = _raised(regions) if records.information else _apart(regions)
        values, most = records.law.possible(place + 1), min(most, nats * records.together)
        if not found.value or most > found.value * (1 + OFF):
            found = Worst(place, values[one], values[other], most)
    return found


def _raised(regions: Regions) -> tuple[int, int, float]:
    """The value whose chance may grow most, and by how much."""
    with np.errstate(divide="ignore"):
        each = smallest_mean(regions.low[:, None], regions.high[:, None], np.exp(-regions.above)).min(axis=0)
    return int(np.argmin(each)), 0, regions.raised


def _apart(regions: Regions) -> tuple[int, int, float]:
    """The two values whose odds may move most, and by how much."""
    ratio = np.where(np.eye(len(regions.ratio), dtype=bool), -1.0, regions.ratio)
    one, other = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return int(one), int(other), float(ratio[one, other])


@final
@dataclass(frozen=True, eq=False)
class AnyChain(RecordsInBoxes):
    """The records of a chain."""

    law: CredalChain
    information: bool

    @property
    def together(self) -> int:
        return len(self.law.boxes)

    def values(self, place: int) -> tuple[RecordValue, ...]:
        return self.law.values

    def regions(self, nats: float) -> Iterator[tuple[int, Regions]]:
        alike = [np.eye(self.law.boxes.size) / 2] * len(self.law.strata())
        messages = ChainMessages(self.law, alike, float(np.nextafter(nats, np.inf)))
        for place in messages.places:
            if len(values := self.law.possible(place + 1)) > 1:
                yield place, messages.regions(place, values)

    def attaining(self, nats: float, place: int, quantity: Quantity) -> Iterator[float]:
        boxes, values = self.law.boxes, self.law.possible(place + 1)
        for scores in _splits(boxes.size):
            for signs in np.resize([1, 1], self.together), np.resize([1, -1], self.together):
                tilts = nats * np.where(signs[:, None] > 0, scores, 1 - scores)
                for each in tilts, -tilts:
                    prior, logs = corner_laws(boxes, each, place)
                    value = float(quantity(prior[:, values], logs[:, values]).max())
                    yield value - 2 * rounding(boxes) * (1 + abs(value))


def _splits(size: int) -> Iterator[Array]:
    """Scores (size,) of 0 and 1, no two the same or turned."""
    if size > FEW:
        yield from np.eye(size)
        return
    for each in product((0.0, 1.0), repeat=size - 1):
        if any(each):
            yield np.array([0.0, *each])


@final
@dataclass(frozen=True, eq=False)
class AnyNetwork(RecordsInBoxes):
    """The nodes of a network."""

    law: CredalNetwork
    information: bool

    @property
    def together(self) -> int:
        return max(1 + len(self.law.net.dependent(place)) for place in range(self.law.people))

    def values(self, place: int) -> tuple[RecordValue, ...]:
        return self.law.values(place + 1)

    def regions(self, nats: float) -> Iterator[tuple[int, Regions]]:
        bounds = self._bounds(nats, [np.eye(node.size) / 2 for node in self.law.net.nodes])
        for place in range(self.law.people):
            if len(values := self.law.possible(place + 1)) > 1:
                low, high = self.law.net.priors[place]
                above = bounds.ratios[place][np.ix_(values, values)]
                yield place, Regions(low[None, values], high[None, values], above[None])

    def attaining(self, nats: float, place: int, quantity: Quantity) -> Iterator[float]:
        """By scores of 0 and 1 of all nodes: the values from each one on."""
        sizes = [node.size for node in self.law.net.nodes]
        for first in range(1, max(sizes)):
            scores = [(np.arange(size) >= min(first, size - 1)).astype(float)[:, None] for size in sizes]
            yield self._bounds(nats, scores).attained(place + 1, self.law.possible(place + 1), quantity)

    def _bounds(self, nats: float, scores: list[Array]) -> NetworkBounds:
        return NetworkBounds(self.law, scores, float(np.nextafter(nats, np.inf)))


@singledispatch
def sets_of(belief: Belief, information: bool) -> tuple[Bounded, ...] | None:
    """What bounds everybody's records; information: how much a chance grows. None for a belief that is no set."""
    return None


@sets_of.register
def _groups(belief: CredalGroups, information: bool) -> tuple[Bounded, ...]:
    found = any_group(belief, information)
    return () if found is None else (found,)


@sets_of.register
def _chain(belief: CredalChain, information: bool) -> tuple[Bounded, ...]:
    secret = any(len(belief.possible(place + 1)) > 1 for place in range(len(belief.boxes)))
    return (AnyChain(belief, information),) if secret else ()


@sets_of.register
def _network(belief: CredalNetwork, information: bool) -> tuple[Bounded, ...]:
    secret = any(len(belief.possible(place + 1)) > 1 for place in range(belief.people))
    return (AnyNetwork(belief, information),) if secret else ()
