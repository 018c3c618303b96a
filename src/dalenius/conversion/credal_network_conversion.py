"""What any pipeline can leak of the records of chains and networks whose rows lie in boxes (Result 21.27).

Of a pure guarantee, what noise leaks that moves the likelihood by as many nats where a record changes. Of another all
records that depend on each other are changed one after the other; and a δ′ is at most what that ratio allows.

The questions about a set of laws, or where only pairs are known: a new kind of such beliefs has one more line here.

The days of one person go through an ε-DP library, and how a day follows the day before is known to an interval. One
record moves the likelihood by ε nats at most, as noise of that rate does where any two values are one apart; seven days
that depend on each other by no more than 7 ε, and by less where dependence fades.
"""

from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import ClassVar, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel.large.boxes import Regions, smallest_mean
from dalenius.channel.large.message_bounds import MessageBounds
from dalenius.channel.leakage import delta_of_log_ratio, share_above
from dalenius.conversion.bounds_for_large_groups import EVERY_LAW_WITHIN, Bounded, Whose, Worst, by_itself
from dalenius.conversion.credal_group_conversion import any_group
from dalenius.conversion.pairwise_conversion import PairsOnly
from dalenius.conversion.profile import PrivacyProfile
from dalenius.intervals.credal_network import CredalNetwork
from dalenius.intervals.groups_with_intervals import CredalGroups
from dalenius.joints import Belief
from dalenius.pairs.pairwise_belief import PairwiseLaw


@final
@dataclass(frozen=True, eq=False)
class RecordsInBoxes(Bounded):
    """The nodes of a network, each of which may leak."""

    law: CredalNetwork
    information: bool
    why: ClassVar[str] = EVERY_LAW_WITHIN

    @cached_property
    def together(self) -> int:
        return max(self.law.net.sizes.values())

    def found(self, nats: float) -> tuple[Whose, Enclosure]:
        # Scores of one half on an axis of each value's own: any two values are one apart, whatever they are (L1).
        alike = {size: np.eye(size) / 2 for size in {node.size for node in self.law.net.nodes}}
        points = [alike[node.size] for node in self.law.net.nodes]
        bounds, worst = MessageBounds(self.law.net, points, float(np.nextafter(nats, np.inf))), Worst(0, 0, 0, 0.0)
        for place in bounds.classes(self.law.records.stratum):
            own = self.law.possible(place + 1)
            # A record that can have one value only has nothing to hide.
            if len(own) > 1:
                one, other, most = (_raised if self.information else _odds)(bounds.regions(place))
                # Never more than all dependent records changed one after the other.
                most = min(most, nats * self.together)
                # The first of those that leak as much but for roundings.
                if not worst.value or most > worst.value * (1 + 1e-9):
                    worst = Worst(place, own[one], own[other], most)
        values, person = self.law.values(worst.place + 1), worst.place + 1
        against = None if self.information else values[worst.other]
        whose = Whose(person, self.law.subject_of(person).who, values[worst.one], against)
        return whose, by_itself(nats, worst.value, self.information)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """An upper end of δ′ at ε′ = epsilon; of a pipeline that is not pure by changing all dependent records in
        turn."""
        if profile.pure is None:
            return profile.delta_of(self.together * steps, epsilon)
        ratio = self.worst(profile.pure * steps)[1].upper
        return share_above(ratio, epsilon) if self.information else delta_of_log_ratio(ratio, epsilon)


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
def bounded_of(belief: Belief, information: bool) -> tuple[Bounded, ...] | None:
    """What bounds everybody's records where there is no one law of all; information: how much a chance grows. None for
    a belief that is one law, or of another kind."""
    return None


@bounded_of.register
def _groups(belief: CredalGroups, information: bool) -> tuple[Bounded, ...]:
    found = any_group(belief, information)
    return () if found is None else (found,)


@bounded_of.register
def _network(belief: CredalNetwork, information: bool) -> tuple[Bounded, ...]:
    secret = any(len(belief.possible(place + 1)) > 1 for place in range(belief.people))
    return (RecordsInBoxes(belief, information),) if secret else ()


@bounded_of.register
def _pairs(belief: PairwiseLaw, information: bool) -> tuple[Bounded, ...]:
    """One person of each class that leaks most."""
    return tuple(PairsOnly(belief, around, information) for around in belief.widest())
