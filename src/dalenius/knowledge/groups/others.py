"""What groups beside the own one add to an answer that is a sum, given values of some of their records."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import lgamma
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.channel.finite.records import RecordWorld
from dalenius.errors import TooLarge
from dalenius.joints.groups.block import Block
from dalenius.joints.groups.conditioning import conditioned
from dalenius.knowledge.groups.patterns import GroupKind, Pattern, constant_part
from dalenius.knowledge.groups.rest import Rest, Source, rest_of

MOST_VALUES: Final = 1 << 13
"""Values of one set of known records."""

Shift: TypeAlias = tuple[int, ...]
Values: TypeAlias = tuple[tuple[tuple[int, int], ...], Shift]
"""How many groups are left with each source, by its number, and what the known records and constants add."""
Chosen: TypeAlias = tuple[tuple[int, frozenset[int], int], ...]
"""Of which kind of group, which positions are known, and of how many groups."""


@final
@dataclass(frozen=True)
class _Part:
    """A group with this pattern: its probability, in logs; what is left: its source's number, None for a constant."""

    log_probability: float
    source: int | None
    shift: Shift


@final
class Others:
    """The laws of what other groups add are made once for each number of sources left. shifts: whether what known
    records add does not matter, as the output shifts with it."""

    def __init__(self, world: RecordWorld, kinds: Sequence[GroupKind], shifts: bool) -> None:
        self._world, self._kinds, self._shifts = world, kinds, shifts
        constant = constant_part(world.joint, world.scores.indices)
        self._start = tuple(0 if shifts else int(i) for i in constant)
        self._sources: list[Source] = []
        self._numbers: dict[bytes, tuple[int, Shift]] = {}
        self._parts: dict[tuple[int, frozenset[int]], list[_Part]] = {}
        self._rests: dict[tuple[tuple[int, int], ...], Rest] = {}

    def allocations(self, own: int, budget: int) -> Iterator[Chosen]:
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

    def values(self, own: int, chosen: Chosen) -> dict[Values, float]:
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
            raise too_many(len(found) * len(more))
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
            raise too_many(int(ways))
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
                    logs.setdefault(left, []).append(log_probability(kind.patterns[0].block, pattern))
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

    def rest(self, powers: tuple[tuple[int, int], ...], shift: Shift) -> Rest:
        """The law of what they add."""
        if powers not in self._rests:
            sources = [self._sources[number] for number, _ in powers]
            self._rests[powers] = rest_of(sources, [power for _, power in powers], self._world.scores.indices)
        rest = self._rests[powers]
        return replace(rest, start=tuple(a + b for a, b in zip(rest.start, shift, strict=True)))


def log_probability(block: Block, pattern: Pattern) -> float:
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


def too_many(count: int) -> TooLarge:
    return TooLarge(
        "an average over known records",
        f"{count:,} or more sets and values of theirs",
        'use adversary = "active": no less',
    )
