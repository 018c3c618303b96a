"""Averages over what is known of independent groups: every set of known records, and all their values, by how likely.

The answer is a sum, of which the own group and each other one have their part. Of exchangeable members which are known
does not matter, only how many; of groups alike only how many have each such set. For groups other than one's own more
knowledge is never worth less (their records are independent of the own group's, and a divergence is jointly convex): as
many of their records are known as may be. Where noise shifts with the answer, so does the output with what known
records add, and only the law of what is left matters.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import lgamma
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.errors import TooLarge
from dalenius.joints.groups.block import Block, Member
from dalenius.joints.groups.conditioning import conditioned
from dalenius.knowledge.average import Average, Weighed
from dalenius.knowledge.groups.groups import Own
from dalenius.knowledge.groups.patterns import GroupKind, Pattern, constant_part, group_kinds
from dalenius.knowledge.groups.rest import Rest, Source, rest_of
from dalenius.knowledge.worst import is_asked

MOST_VALUES: Final = 1 << 13
"""Values of one set of known records."""

MOST_IN_ALL: Final = 1 << 14
MOST_CELLS: Final = 1 << 25
"""Likelihoods given all of these."""

Shift: TypeAlias = tuple[int, ...]
Values: TypeAlias = tuple[tuple[tuple[int, int], ...], Shift]
"""How many groups are left with each source, by its number, and what the known records and constants add."""
Chosen: TypeAlias = tuple[tuple[int, frozenset[int], int], ...]
"""Of which kind of group, which positions are known, and of how many groups."""


def averages(release: Release, world: RecordWorld, known: int) -> Iterator[Average] | None:
    """One for each person asked about and set of at most `known` other records that may be the worst; None where the
    records are no product of groups given as tables. TooLarge where there are too many."""
    kinds = group_kinds(world.joint, world.scores.indices, known)
    return None if kinds is None else _Averages(release, world, kinds, known).every()


@final
@dataclass(frozen=True)
class _Part:
    """A group with this pattern: its probability, in logs; what is left: its source's number, None for a constant."""

    log_probability: float
    source: int | None
    shift: Shift


@final
class _Averages:
    """The laws of what other groups add are made once for each number of sources left."""

    def __init__(self, release: Release, world: RecordWorld, kinds: Sequence[GroupKind], known: int) -> None:
        self._release, self._world, self._kinds, self._known = release, world, kinds, known
        self._looked = 0
        self._shifts = release.noise.additive
        constant = constant_part(world.joint, world.scores.indices)
        self._start = tuple(0 if self._shifts else int(i) for i in constant)
        self._sources: list[Source] = []
        self._numbers: dict[bytes, tuple[int, Shift]] = {}
        self._parts: dict[tuple[int, frozenset[int]], list[_Part]] = {}
        self._rests: dict[tuple[tuple[int, int], ...], Rest] = {}

    def every(self) -> Iterator[Average]:
        for place, kind in enumerate(self._kinds):
            for positions in dict.fromkeys(frozenset(pattern.known) for pattern in kind.patterns):
                patterns = [pattern for pattern in kind.patterns if set(pattern.known) == positions]
                for whose in dict.fromkeys(m.positions for p in patterns for m in p.block.members):
                    owns = [own for own in self._owns(place, patterns, whose) if len(own.member.slots) > 1]
                    if owns and owns[0].people and is_asked(self._release, self._world, owns[0].people[0]):
                        yield from self._of_all(owns, len(positions))

    def _of_all(self, owns: Sequence[Own], own_known: int) -> Iterator[Average]:
        """Of every allocation of what else may be known to other groups."""
        chosen = list(islice(self._allocations(owns[0].place, self._known - own_known), MOST_IN_ALL))
        for each in chosen if self._looked + len(chosen) < MOST_IN_ALL else ():
            average = self._average(owns, each, own_known)
            self._looked += len(average.every)
            yield average
        if self._looked + len(chosen) >= MOST_IN_ALL:
            raise _too_many(self._looked + len(chosen))

    def _owns(self, place: int, patterns: Sequence[Pattern], whose: tuple[int, ...]) -> Iterator[Own]:
        for pattern in patterns:
            for member in pattern.block.members:
                if member.positions == whose:
                    yield Own(place, self._kinds[place], pattern, member)

    def _average(self, owns: Sequence[Own], chosen: Chosen, own_known: int) -> Average:
        others = self._values(owns[0].place, chosen)
        if len(owns) * len(others) > MOST_VALUES:
            raise _too_many(len(owns) * len(others))
        every = []
        for own in owns:
            log_pattern = _log_probability(own.kind.patterns[0].block, own.pattern)
            before = dict(zip(*_prior(own.kind.patterns[0].block, own.member), strict=True))
            given = dict(zip(own.member.slots, own.member.log_prior.tolist(), strict=True))
            weights = [log_pattern + given[slot] - before[slot] for slot in own.member.slots]
            for (powers, shift), log_weight in others.items():
                view = own.beside(self._release, self._world, self._rest(powers, shift))
                if view.channel.likelihood.relative.size * len(owns) * len(others) > MOST_CELLS:
                    raise _too_many(len(owns) * len(others))
                every.append(Weighed(view, {s: w + log_weight for s, w in zip(own.secrets, weights, strict=True)}))
        depth = max(abs(weight) for each in every for weight in each.log_weights.values())
        groups = sum(kind.groups for kind in self._kinds)
        error = (256 + 16 * depth + 32 * (abs(lgamma(groups + 1.0)) + 1)) * UNIT
        return Average(every, own_known + sum(len(positions) * n for _, positions, n in chosen), error)

    def _allocations(self, own: int, budget: int) -> Iterator[Chosen]:
        """As many known records of other groups as the budget allows."""
        options = [
            (place, positions, kind.groups - (place == own))
            for place, kind in enumerate(self._kinds)
            for positions in dict.fromkeys(frozenset(p.known) for p in kind.patterns)
            if positions
        ]
        people = sum(
            (kind.groups - (place == own)) * max(len(p.known) for p in kind.patterns)
            for place, kind in enumerate(self._kinds)
        )
        yield from _spent(options, dict.fromkeys(range(len(self._kinds)), 0), min(budget, people))

    def _values(self, own: int, chosen: Chosen) -> dict[Values, float]:
        """All that the known records of other groups can be, in logs."""
        found: dict[Values, list[float]] = {((), self._start): [0.0]}
        left = {place: kind.groups - (place == own) for place, kind in enumerate(self._kinds)}
        for place, _, count in chosen:
            left[place] -= count
        plain = [(place, frozenset[int](), count) for place, count in left.items()]
        for place, positions, count in (*plain, *chosen):
            if count:
                found = self._beside(found, self._several(self._parts_of(place, positions), count))
        return {values: float(np.logaddexp.reduce(logs)) for values, logs in found.items()}

    def _beside(
        self, found: Mapping[Values, list[float]], more: Mapping[Values, list[float]]
    ) -> dict[Values, list[float]]:
        if len(found) * len(more) > MOST_VALUES:
            raise _too_many(len(found) * len(more))
        joined: dict[Values, list[float]] = {}
        for ((one, first), logs), ((other, second), others) in product(found.items(), more.items()):
            powers = Counter(dict(one)) + Counter(dict(other))
            values = tuple(sorted(powers.items())), tuple(a + b for a, b in zip(first, second, strict=True))
            together = float(np.logaddexp.reduce(logs)) + float(np.logaddexp.reduce(others))
            joined.setdefault(values, []).append(together)
        return joined

    def _several(self, parts: Sequence[_Part], count: int) -> dict[Values, list[float]]:
        """So many independent groups, each with one of the parts."""
        found: dict[Values, list[float]] = {}
        ways = 1.0
        for i in range(len(parts) - 1):
            ways *= (count + 1 + i) / (i + 1)
        if ways > MOST_VALUES:
            raise _too_many(int(ways))
        for counts in _compositions(count, len(parts)):
            log_weight, powers, shift = lgamma(count + 1.0), Counter[int](), np.zeros(len(parts[0].shift), dtype=int)
            for part, n in zip(parts, counts, strict=True):
                log_weight += n * part.log_probability - lgamma(n + 1.0) if n else 0.0
                shift = shift + n * np.array(part.shift)
                if part.source is not None and n:
                    powers[part.source] += n
            values = tuple(sorted(powers.items())), tuple(int(s) for s in shift)
            found.setdefault(values, []).append(log_weight)
        return found

    def _parts_of(self, place: int, positions: frozenset[int]) -> list[_Part]:
        if (place, positions) not in self._parts:
            kind = self._kinds[place]
            logs: dict[tuple[int | None, Shift], list[float]] = {}
            for pattern in kind.patterns:
                if set(pattern.known) == positions:
                    left = self._left(kind, pattern)
                    logs.setdefault(left, []).append(_log_probability(kind.patterns[0].block, pattern))
            self._parts[place, positions] = [
                _Part(float(np.logaddexp.reduce(own)), *left) for left, own in logs.items()
            ]
        return self._parts[place, positions]

    def _left(self, kind: GroupKind, pattern: Pattern) -> tuple[int | None, Shift]:
        """The number of what the unknown records of such a group add, and by how much it is shifted."""
        source = kind.source(pattern)
        totals = source.totals(self._world.scores.indices)
        least = totals.min(axis=0)
        key = (totals - least).tobytes() + source.log_weights.tobytes()
        nothing = (0,) * totals.shape[1]
        if not np.ptp(totals, axis=0).any():
            return None, nothing if self._shifts else tuple(int(i) for i in least)
        if key not in self._numbers:
            self._numbers[key] = len(self._sources), tuple(int(i) for i in least)
            self._sources.append(source)
        number, first = self._numbers[key]
        return number, nothing if self._shifts else tuple(int(a) - b for a, b in zip(least, first, strict=True))

    def _rest(self, powers: tuple[tuple[int, int], ...], shift: Shift) -> Rest:
        if powers not in self._rests:
            sources = [self._sources[number] for number, _ in powers]
            self._rests[powers] = rest_of(sources, [power for _, power in powers], self._world.scores.indices)
        rest = self._rests[powers]
        return replace(rest, start=tuple(a + b for a, b in zip(rest.start, shift, strict=True)))


def _log_probability(block: Block, pattern: Pattern) -> float:
    """log Pr of the pattern's values, in any order within a class of exchangeable members; by the chain rule."""
    total, known = 0.0, dict[int, int]()
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    for position, value in pattern.known.items():
        now = conditioned(block, known) if known else block
        assert now is not None
        member = next(each for each in now.members if position in each.positions)
        total += float(member.log_prior[member.slots.index(int(starts[member.stratum]) + value)])
        known[position] = value
    for member in block.members:
        own = Counter(pattern.known[position] for position in member.positions if position in pattern.known)
        total += lgamma(own.total() + 1.0) - sum(lgamma(n + 1.0) for n in own.values())
    return total


def _prior(block: Block, member: Member) -> tuple[Sequence[int], Sequence[float]]:
    """The slots and log-probabilities of that member where nothing is known."""
    plain = next(each for each in block.members if member.positions[0] in each.positions)
    return plain.slots, plain.log_prior.tolist()


def _spent(
    options: Sequence[tuple[int, frozenset[int], int]], taken: Mapping[int, int], budget: int
) -> Iterator[Chosen]:
    """Every way to spend the whole budget; options: kind, positions and how many groups there are of the kind."""
    if not options:
        if budget == 0:
            yield ()
        return
    (place, positions, groups), *others = options
    if sum(len(own) * (there - taken[at]) for at, own, there in options) < budget:
        return
    for count in range(min(groups - taken[place], budget // len(positions)), -1, -1):
        own = ((place, positions, count),) if count else ()
        for rest in _spent(others, {**taken, place: taken[place] + count}, budget - count * len(positions)):
            yield own + rest


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for others in _compositions(total - first, parts - 1):
            yield (first, *others)


def _too_many(count: int) -> TooLarge:
    return TooLarge(
        "an average over known records",
        f"{count:,} or more sets and values of theirs",
        'use adversary = "active": no less',
    )
