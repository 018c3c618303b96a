"""What any pipeline can leak of the records of chains and networks whose rows lie in boxes (Result 21.27).

Of a pure guarantee, what noise leaks that moves the likelihood by as many nats where a record changes. Of another all
records that depend on each other are changed one after the other; and a δ′ is at most what that ratio allows.

The questions about a set of laws: a new kind of set has one more line here.

The days of one person go through an ε-DP library, and how a day follows the day before is known to an interval. One
record moves the likelihood by ε nats at most, as noise of that rate does where any two values are one apart; seven days
that depend on each other by no more than 7 ε, and by less where dependence fades.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, singledispatch
from itertools import permutations, product
from math import inf
from typing import final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import delta_of_log_ratio, share_above
from dalenius.conversion.bounded_records import Bounded, BoundedAtZero, Whose, Worst
from dalenius.conversion.profile import PrivacyProfile
from dalenius.joints import Belief
from dalenius.laws.law import Array
from dalenius.ratios.boxes import Quantity, Regions, raised_of, ratio_of, smallest_mean
from dalenius.ratios.corner_laws import CornerLaws, Enclosed
from dalenius.ratios.credal_group_conversion import any_group
from dalenius.ratios.credal_network import CredalNetwork
from dalenius.ratios.groups_of_boxes import CredalGroups


@final
@dataclass(frozen=True, eq=False)
class RecordsInBoxes(BoundedAtZero):
    """The nodes of a network, each of which may leak. Lower ends are those of laws at corners of the boxes."""

    law: CredalNetwork
    information: bool

    @cached_property
    def together(self) -> int:
        """How many records depend on each other at most."""
        return max(self.law.net.sizes.values())

    def regions(self, nats: float) -> Iterator[tuple[int, Regions]]:
        """Of the records that may leak most, what mechanisms leak of which a change of a record moves the likelihood by
        so many nats at most."""
        # Scores of one half on an axis of each value's own: any two values are one apart, whatever they are (L1).
        alike = {size: np.eye(size) / 2 for size in {node.size for node in self.law.net.nodes}}
        points = [alike[node.size] for node in self.law.net.nodes]
        enclosed = Enclosed(self.law, points, float(np.nextafter(nats, np.inf)))
        for place in enclosed.classes:
            # A record that can have one value only has nothing to hide.
            if len(self.law.possible(place + 1)) > 1:
                yield place, enclosed.regions(place)

    def attaining(self, nats: float, place: int, quantity: Quantity) -> Iterator[float]:
        """What some of those mechanisms leak of a record, from below: they count the records that have some values, or
        of every other one those that have not."""
        net = self.law.net
        for high in _splits(max(node.size for node in net.nodes)):
            scores = [nats * _of_few(high, node.size) for node in net.nodes]
            # Mechanisms that count the same values in every generation of the tree, or turn from one to the next, as
            # alternating chains ask for.
            for sign, turns in product((1, -1), repeat=2):
                tilts = [sign * turns**depth * each for depth, each in zip(net.depth, scores, strict=True)]
                yield CornerLaws(self.law, tilts).attained(place, quantity)

    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        """The record that any pipeline may leak most about, and of which values."""
        # Without a pure ε any will do to choose whom to name: 1 nat.
        worst = _worst(self, (profile.pure or 1.0) * steps)
        values, person = self.law.values(worst.place + 1), worst.place + 1
        against = None if self.information else values[worst.other]
        return Whose(person, self.law.subject_of(person).who, values[worst.one], against)

    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        """The least ε′ at δ′ = 0, in nats, of any pure pipeline; both ends infinite where the pipeline is not pure."""
        if profile.pure is None:
            return Enclosure(inf, inf)
        worst = _worst(self, nats := profile.pure * steps)
        pairs = tuple(permutations(range(len(self.law.possible(worst.place + 1))), 2))
        quantity = raised_of if self.information else partial(ratio_of, pairs)
        lower = max(self.attaining(nats, worst.place, quantity), default=0.0)
        return Enclosure(min(lower, worst.value), worst.value)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """An upper end of δ′ at ε′ = epsilon; of a pipeline that is not pure by changing all dependent records in
        turn."""
        if profile.pure is None:
            return profile.delta_of(self.together * steps, epsilon)
        ratio = _worst(self, profile.pure * steps).value
        return share_above(ratio, epsilon) if self.information else delta_of_log_ratio(ratio, epsilon)


def _splits(size: int) -> Iterator[Array]:
    """Scores (size,) of 0 and 1, no two the same or turned."""
    # Values of which all splits in two are counted by some mechanism; of more, each alone.
    if size > 4:
        yield from np.eye(size)
        return
    for each in product((0.0, 1.0), repeat=size - 1):
        if any(each):
            yield np.array([0.0, *each])


def _of_few(scores: Array, size: int) -> Array:
    """Of a node of so many values; the last one where it has none of those that count."""
    return scores[:size] if scores[:size].any() else np.eye(size)[-1]


@lru_cache(maxsize=64)
def _worst(records: RecordsInBoxes, nats: float) -> Worst:
    """Where a change of a record moves the likelihood by so many nats at most, from above."""
    found = Worst(0, 0, 0, 0.0)
    for place, regions in records.regions(nats):
        one, other, most = _raised(regions) if records.information else _odds(regions)
        # Never more than all dependent records changed one after the other.
        values, most = records.law.possible(place + 1), min(most, nats * records.together)
        # The first of those that leak as much but for roundings.
        if not found.value or most > found.value * (1 + 1e-9):
            found = Worst(place, values[one], values[other], most)
    return found


def _raised(regions: Regions) -> tuple[int, int, float]:
    """The value whose chance may grow most, and by how much."""
    with np.errstate(divide="ignore"):
        each = smallest_mean(regions.low, regions.high, np.exp(-regions.ratio))
    return int(np.argmin(each)), 0, regions.raised


def _odds(regions: Regions) -> tuple[int, int, float]:
    """The two values whose odds may move most, and by how much."""
    ratio = np.where(np.eye(len(regions.ratio), dtype=bool), -1.0, regions.ratio)
    one, other = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return int(one), int(other), float(ratio[one, other])


@singledispatch
def networks_of(belief: Belief, information: bool) -> tuple[Bounded, ...] | None:
    """What bounds everybody's records; information: how much a chance grows. None for a belief that is no set."""
    return None


@networks_of.register
def _groups(belief: CredalGroups, information: bool) -> tuple[Bounded, ...]:
    found = any_group(belief, information)
    return () if found is None else (found,)


@networks_of.register
def _network(belief: CredalNetwork, information: bool) -> tuple[Bounded, ...]:
    secret = any(len(belief.possible(place + 1)) > 1 for place in range(belief.people))
    return (RecordsInBoxes(belief, information),) if secret else ()
