"""Conversion for chains and networks whose rows lie in boxes (Result 21.27), and for every belief without one law.

A pure guarantee leaks at most what noise does that moves the likelihood by as many nats where a record changes. For
another guarantee all records that depend on each other are changed one after the other; and a δ′ is at most what that
ratio allows. `bounded_of` finds the bounds of a belief: a new kind has one more line there.

Say the days of one person go through an ε-DP library, and how a day follows the day before is known to an interval. One
record moves the likelihood by ε nats at most, as noise of that rate does where any two values are one apart. Seven days
that depend on each other move it by no more than 7 ε, and by less where dependence fades.
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
    """The nodes of a network whose rows lie in boxes. Each node may leak."""

    law: CredalNetwork
    information: bool
    why: ClassVar[str] = EVERY_LAW_WITHIN

    @cached_property
    def together(self) -> int:
        return max(self.law.net.sizes.values())

    def found(self, nats: float) -> tuple[Whose, Enclosure]:
        # So that any two values are one apart (L1), each has a score of one half on an axis of its own.
        alike = {size: np.eye(size) / 2 for size in {node.size for node in self.law.net.nodes}}
        points = [alike[node.size] for node in self.law.net.nodes]
        bounds, worst = MessageBounds(self.law.net, points, float(np.nextafter(nats, np.inf))), Worst(0, 0, 0, 0.0)
        for place in bounds.classes(self.law.records.stratum):
            own = self.law.possible(place + 1)
            # Because a record that can have one value only has nothing to hide.
            if len(own) > 1:
                one, other, most = (_raised if self.information else _odds)(bounds.regions(place))
                # Because it is never more than all dependent records changed one after the other.
                most = min(most, nats * self.together)
                # So that roundings do not decide, the first of those that leak as much is taken.
                if not worst.value or most > worst.value * (1 + 1e-9):
                    worst = Worst(place, own[one], own[other], most)
        values, person = self.law.values(worst.place + 1), worst.place + 1
        against = None if self.information else values[worst.other]
        whose = Whose(person, self.law.subject_of(person).who, values[worst.one], against)
        return whose, by_itself(nats, worst.value, self.information)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """Returns an upper end of δ′ at ε′ = epsilon; profile and steps as in `Bounded`.

        For a pipeline that is not pure, all dependent records are changed in turn.
        """
        if profile.pure is None:
            return profile.delta_of(self.together * steps, epsilon)
        ratio = self.worst(profile.pure * steps)[1].upper
        return share_above(ratio, epsilon) if self.information else delta_of_log_ratio(ratio, epsilon)


def _raised(regions: Regions) -> tuple[int, int, float]:
    """Returns the value whose chance may grow most, and by how much."""
    with np.errstate(divide="ignore"):
        each = smallest_mean(regions.low, regions.high, np.exp(-regions.ratio))
    return int(np.argmin(each)), 0, regions.raised


def _odds(regions: Regions) -> tuple[int, int, float]:
    """Returns the two values whose odds may move most, and by how much."""
    ratio = np.where(np.eye(len(regions.ratio), dtype=bool), -1.0, regions.ratio)
    one, other = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return int(one), int(other), float(ratio[one, other])


@singledispatch
def bounded_of(belief: Belief, information: bool) -> tuple[Bounded, ...] | None:
    """Returns the bounds on everybody's records; None for a `belief` that is one law, or of another kind.

    information: whether bounds are on how much a chance grows, instead of odds.
    """
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
    """Returns the bounds of one person of each class that leaks most."""
    return tuple(PairsOnly(belief, around, information) for around in belief.widest())
