"""The worst over background knowledge of independent groups: a pattern of one's own, and known records elsewhere.

The answer is a sum and noise shifts with it: other groups' known records shift the output, and their unknown ones add
an independent sum, whichever the person's own group. A sum with one more independent group is a post-processing of the
sum without it, so that fewer unknown groups leak more: that every group of which a record may be known is wholly known
is a bound, over all numbers of them of each kind; and it is attained by groups of one record (Result 7.6).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.joints.groups.block import Member
from dalenius.knowledge.groups.patterns import GroupKind, Pattern, group_kinds
from dalenius.knowledge.groups.rest import Rest, beside, rest_of
from dalenius.knowledge.view import Reading, View
from dalenius.knowledge.worst import NOBODY, Worst, WorstOf, channel_of, is_asked
from dalenius.laws.law import IntArray
from dalenius.noise import Noise
from dalenius.schema import RecordValue

FOR_NOTHING: Final = 1_000_000
"""What a group costs that cannot be wholly known."""
MOST_WAYS: Final = 256
Left: TypeAlias = tuple[int, ...]
"""How many groups of each kind nothing is known of."""


@lru_cache(maxsize=8)
def groups_of(world: RecordWorld, known: int) -> "_KnownGroups | None":
    """None where the records are no product of groups given as tables."""
    kinds = group_kinds(world.joint, world.scores.indices, known)
    return None if kinds is None else _KnownGroups(world, kinds, known)


@final
@dataclass(frozen=True)
class Own:
    """Whose record is the secret: a member of a group of this kind (the kind's index: place), with a known pattern."""

    place: int
    kind: GroupKind
    pattern: Pattern
    member: Member

    @property
    def people(self) -> list[int]:
        """The members' people whose records are unknown, in the first group of the kind."""
        return [self.kind.people[at] for at in self.member.positions if at not in self.pattern.known]

    @property
    def secrets(self) -> tuple[RecordValue, ...]:
        alphabet = self.pattern.block.alphabet
        first = sum(len(values) for _, values in alphabet[: self.member.stratum])
        return tuple(alphabet[self.member.stratum][1][slot - first] for slot in self.member.slots)

    def beside(self, release: Release, world: RecordWorld, rest: Rest) -> View:
        """The channel of the first of `people`; rest: of what other groups add to the answer."""
        scores = world.scores
        law = beside(rest, self.kind.source(self.pattern).totals(scores.indices), self.member.log_given)
        person = self.people[0]
        alone = world.joint.subject_of(person)
        subject = replace(alone, person=person, secrets=self.secrets, log_prior=self.member.log_prior)
        channel = channel_of(release, world, subject, law, scores.lattice, scores.names)
        return View(channel, self.kind.known_records(self.pattern), missing=rest.missing)


@final
class _KnownGroups:
    """Independent groups; the laws of the others' sums are cached, as they do not depend on the noise."""

    def __init__(self, world: RecordWorld, kinds: list[GroupKind], known: int) -> None:
        self._world, self._known = world, known
        indices = world.scores.indices
        # Groups of large variance per record known come first.
        self._kinds = sorted(kinds, key=lambda kind: -_rough(_variance(kind, indices) / (kind.whole or FOR_NOTHING)))
        self._rests: dict[Left, Rest] = {}
        self._views: dict[object, View] = {}
        self._noise: Noise | None = None

    def worst(self, release: Release, reading: Reading) -> Worst:
        """The view is the first that may be the worst."""
        if release.noise != self._noise:
            self._noise, self._views = release.noise, {}
        found, most = WorstOf(), 0.0
        for own in self._owns(release):
            bought, ways = self._bought(own), self._ways(own)
            for left in dict.fromkeys((bought, *ways)):
                view = self._view(release, own, left)
                value = reading.at(view, found.lower)
                if left in ways:
                    most = max(most, value.upper)
                if left == bought or self._attained(own, left):
                    found.add(Worst(value.lower, value.upper, replace(view, said=self._said(own, left)), ""))
        if (seen := found.worst).view is None:
            return NOBODY
        exact = most <= seen.lower * (1 + 1e-6) + 1e-12
        rule = "exact: as many groups as may be are known" if exact else "a bound: groups with a known record are known"
        return Worst(seen.lower, max(seen.lower, most), seen.view, rule)

    def _owns(self, release: Release) -> Iterator[Own]:
        for place, kind in enumerate(self._kinds):
            for pattern in kind.patterns:
                for member in pattern.block.members:
                    own = Own(place, kind, pattern, member)
                    if len(member.slots) > 1 and own.people and is_asked(release, self._world, own.people[0]):
                        yield own

    def _others(self, own: Own) -> list[int]:
        return [kind.groups - (place == own.place) for place, kind in enumerate(self._kinds)]

    def _ways(self, own: Own) -> list[Left]:
        """Of how many groups of each kind nothing is known, for all numbers of those of which a record is; where there
        are too many ways, the fewest of each kind."""
        spare, groups = self._known - own.pattern.cost, self._others(own)
        spare = min(spare, sum(groups))
        ways: list[Left] = [()]
        for place, there in enumerate(groups):
            before, after = sum(groups[:place]), sum(groups[place + 1 :])
            rests = [spare - before + sum(way) for way in ways]
            numbers = [range(max(rest - after, 0), min(there, rest) + 1) for rest in rests]
            ways = [(*way, there - n) for way, known in zip(ways, numbers, strict=True) for n in known]
            if len(ways) > MOST_WAYS:
                return [tuple(max(each - spare, 0) for each in groups)]
        return ways

    def _attained(self, own: Own, left: Left) -> bool:
        """Whether those of which a record is known are wholly known by it."""
        kinds = zip(self._kinds, self._others(own), left, strict=True)
        taken = [(kind.whole, groups - kept) for kind, groups, kept in kinds if kept < groups]
        return sum(n for _, n in taken) <= self._known - own.pattern.cost and all(whole == 1 for whole, _ in taken)

    def _bought(self, own: Own) -> Left:
        """Groups that are wholly known, in the order of kinds, as far as the number of known records goes."""
        spare, left = self._known - own.pattern.cost, []
        for kind, groups in zip(self._kinds, self._others(own), strict=True):
            taken = min(groups, spare // kind.whole) if kind.whole else 0
            spare -= taken * (kind.whole or 0)
            left.append(groups - taken)
        return tuple(left)

    def _said(self, own: Own, left: Left) -> str:
        bought = zip(self._kinds, self._others(own), left, strict=True)
        others = sum((kind.whole or 0) * (groups - kept) for kind, groups, kept in bought)
        return f"; {others:,} records of other groups known" if others else ""

    def _view(self, release: Release, own: Own, left: Left) -> View:
        key = left, own.place, tuple(own.pattern.known.items()), own.member.positions
        if left not in self._rests:
            sources = [kind.source(kind.patterns[0]) for kind in self._kinds]
            self._rests[left] = rest_of(sources, left, self._world.scores.indices)
        if key not in self._views:
            self._views[key] = own.beside(release, self._world, self._rests[left])
        return self._views[key]


def _variance(kind: GroupKind, indices: IntArray) -> float:
    source = kind.source(kind.patterns[0])
    weights, totals = np.exp(source.log_weights), source.totals(indices).astype(np.float64)
    return float(np.sum(weights @ (totals - weights @ totals) ** 2))


def _rough(value: float) -> float:
    """A sorting key: six digits, so that values equal up to rounding keep their order."""
    return float(f"{value:.6g}")
