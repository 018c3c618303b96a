"""The worst over background knowledge of independent groups: a pattern of one's own, an allocation to the others.

The answer is a sum and noise shifts with it: other groups' known records shift the output, and their unknown ones add
an independent sum, whichever the person's own group.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.joints.groups.block import Member
from dalenius.knowledge.groups.allocation import SAME, Powers, Search, rough
from dalenius.knowledge.groups.patterns import GroupKind, Pattern, group_kinds
from dalenius.knowledge.groups.rest import Rest, beside, rest_of
from dalenius.knowledge.view import Reading, View
from dalenius.knowledge.worst import NOBODY, Worst, WorstOf, channel_of, is_asked
from dalenius.laws.law import IntArray
from dalenius.noise import Noise
from dalenius.schema import RecordValue

MOST_CELLS: Final = 2e7
"""Evaluations times outputs."""
LOOKS: Final = (24, 2000)
"""Evaluations: at least for each candidate that is searched, at most in all."""
NONE: Final = Enclosure(0.0, 0.0)


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
        self._kinds = sorted(kinds, key=lambda kind: -rough(_variance(kind, indices) / _price(kind)))
        self._rests: dict[Powers, Rest] = {}
        self._views: dict[object, View] = {}
        self._noise: Noise | None = None

    def worst(self, release: Release, reading: Reading) -> Worst:
        """First a bound for every pattern of the own group, with the fewest sources in all others; those of the highest
        bounds are searched, until the best found is above the rest. The view is the first that may be the worst."""
        if release.noise != self._noise:
            self._noise, self._views = release.noise, {}
        owns = list(self._owns(release))
        if not owns:
            return NOBODY
        all_one_less = [kind.buyable(max(kind.groups - 1, 0)) for kind in self._kinds]
        fewest = Search(all_one_less, self._known, lambda powers: NONE, 0.0, 1).fewest()
        bounds = [reading.at(self._seen(release, own, fewest)).upper for own in owns]
        looks, lower, upper, found = self._looks(), 0.0, 0.0, dict[int, Worst]()
        order = sorted(range(len(owns)), key=lambda place: (-rough(bounds[place]), place))
        for turn, place in enumerate(order):
            if found and bounds[place] <= lower * (1 + SAME):
                upper = max(upper, *(bounds[left] for left in order[turn:]))
                break
            share = max(LOOKS[0], looks // (len(order) - turn))
            inside, used = self._within(release, reading, owns[place], lower, share)
            looks -= used
            upper = max(upper, min(bounds[place], inside.upper))
            if inside.lower > 0 or not found:  # values up to the best so far were not searched
                found[place] = inside
            lower = max(lower, inside.lower)
        exact = upper <= lower * (1 + 1e-6) + 1e-12
        rule = "exact: the worst allocation of what may be known" if exact else "a bound: allocations left unseen"
        return Worst(lower, max(lower, upper), _first_of(found), rule)

    def _looks(self) -> int:
        indices = self._world.scores.indices
        widths = [np.ptp(kind.source(kind.patterns[0]).totals(indices), axis=0) * kind.groups for kind in self._kinds]
        points = float(np.prod(np.sum(widths, axis=0) + 1.0))
        return int(np.clip(MOST_CELLS / points, *LOOKS))

    def _owns(self, release: Release) -> Iterator[Own]:
        for place, kind in enumerate(self._kinds):
            for pattern in kind.patterns:
                for member in pattern.block.members:
                    own = Own(place, kind, pattern, member)
                    if len(member.slots) > 1 and own.people and is_asked(release, self._world, own.people[0]):
                        yield own

    def _within(self, release: Release, reading: Reading, own: Own, beaten: float, looks: int) -> tuple[Worst, int]:
        """The worst allocation to the other groups given a pattern of the own one; and the number of evaluations."""
        types = [kind.buyable(kind.groups - (at == own.place)) for at, kind in enumerate(self._kinds)]

        def look(powers: Powers) -> Enclosure:
            return reading.at(self._seen(release, own, powers), beaten)

        search = Search(types, self._known - own.pattern.cost, look, beaten, looks)
        best = search.worst()
        powers = tuple(each.sources(n) for each, n in zip(types, best.bought, strict=True))
        others = sum(each.paid(row) for each, row in zip(types, best.bought, strict=True))
        said = f"; {others:,} records of other groups known" if others else ""
        seen = replace(self._seen(release, own, powers), said=said)
        return Worst(best.value.lower, best.upper, seen, ""), search.looked

    def _seen(self, release: Release, own: Own, powers: Powers) -> View:
        key = powers, own.place, tuple(own.pattern.known.items()), own.member.positions
        if key not in self._views:
            self._views[key] = self._view(release, own, powers)
        return self._views[key]

    def _view(self, release: Release, own: Own, powers: Powers) -> View:
        indices = self._world.scores.indices
        if powers not in self._rests:
            sources = [each.source(p) for each in self._kinds for p in (each.patterns[0], *each.options)]
            self._rests[powers] = rest_of(sources, [n for row in powers for n in row], indices)
        return own.beside(release, self._world, self._rests[powers])


def _first_of(found: Mapping[int, Worst]) -> View | None:
    first = WorstOf()
    for _, worst in sorted(found.items()):
        first.add(worst)
    return first.worst.view


def _variance(kind: GroupKind, indices: IntArray) -> float:
    source = kind.source(kind.patterns[0])
    weights, totals = np.exp(source.log_weights), source.totals(indices).astype(np.float64)
    return float(np.sum(weights @ (totals - weights @ totals) ** 2))


def _price(kind: GroupKind) -> int:
    dead = [option.cost for option, dead in zip(kind.options, kind.dead, strict=True) if dead]
    return dead[0] if dead else 1_000_000
