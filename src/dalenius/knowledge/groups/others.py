"""What groups beside the own one add to an answer that is a sum, given values of some of their records."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.channel.finite.records import RecordWorld
from dalenius.errors import TooLarge
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
    """What is left of a group with some pattern: its source's number, None for a constant."""

    source: int | None
    shift: Shift


@final
class Others:
    """The laws of what other groups add are made once for each number of sources left."""

    def __init__(self, world: RecordWorld, kinds: Sequence[GroupKind]) -> None:
        self._world, self._kinds = world, kinds
        self._start = tuple(int(i) for i in constant_part(world.joint, world.scores.indices))
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

    def values(self, own: int, chosen: Chosen) -> dict[Values, None]:
        """All that the known records of other groups can be."""
        found: dict[Values, None] = {((), self._start): None}
        left = {place: kind.groups - (place == own) for place, kind in enumerate(self._kinds)}
        for place, _, count in chosen:
            left[place] -= count
        plain = [(place, frozenset[int](), count) for place, count in left.items()]
        for place, positions, count in (*plain, *chosen):
            if count:
                found = self._beside(found, self._several(self._parts_of(place, positions), count))
        return found

    def _beside(self, found: Mapping[Values, None], more: Mapping[Values, None]) -> dict[Values, None]:
        if len(found) * len(more) > MOST_VALUES:
            raise too_many(len(found) * len(more))
        joined: dict[Values, None] = {}
        for (one, first), (other, second) in product(found, more):
            powers = Counter(dict(one)) + Counter(dict(other))
            values = tuple(sorted(powers.items())), tuple(a + b for a, b in zip(first, second, strict=True))
            joined[values] = None
        return joined

    def _several(self, parts: Sequence[_Part], count: int) -> dict[Values, None]:
        """So many independent groups, each with one of the parts."""
        found: dict[Values, None] = {}
        ways = 1.0
        for i in range(len(parts) - 1):
            ways *= (count + 1 + i) / (i + 1)
        if ways > MOST_VALUES:
            raise too_many(int(ways))
        for counts in _compositions(count, len(parts)):
            powers, shift = Counter[int](), np.zeros(len(parts[0].shift), dtype=int)
            for part, n in zip(parts, counts, strict=True):
                shift = shift + n * np.array(part.shift)
                if part.source is not None and n:
                    powers[part.source] += n
            values = tuple(sorted(powers.items())), tuple(int(s) for s in shift)
            found[values] = None
        return found

    def _parts_of(self, place: int, positions: frozenset[int]) -> list[_Part]:
        if (place, positions) not in self._parts:
            kind = self._kinds[place]
            left = [self._left(kind, pattern) for pattern in kind.patterns if set(pattern.known) == positions]
            self._parts[place, positions] = [_Part(*each) for each in dict.fromkeys(left)]
        return self._parts[place, positions]

    def _left(self, kind: GroupKind, pattern: Pattern) -> tuple[int | None, Shift]:
        """The number of what the unknown records of such a group add, and by how much it is shifted."""
        source = kind.source(pattern)
        totals = source.totals(self._world.scores.indices)
        least = totals.min(axis=0)
        key = (totals - least).tobytes() + source.log_weights.tobytes()
        if not np.ptp(totals, axis=0).any():
            return None, tuple(int(i) for i in least)
        if key not in self._numbers:
            self._numbers[key] = len(self._sources), tuple(int(i) for i in least)
            self._sources.append(source)
        number, first = self._numbers[key]
        return number, tuple(int(a) - b for a, b in zip(least, first, strict=True))

    def rest(self, powers: tuple[tuple[int, int], ...], shift: Shift) -> Rest:
        """The law of what they add."""
        if powers not in self._rests:
            sources = [self._sources[number] for number, _ in powers]
            self._rests[powers] = rest_of(sources, [power for _, power in powers], self._world.scores.indices)
        rest = self._rests[powers]
        return replace(rest, start=tuple(a + b for a, b in zip(rest.start, shift, strict=True)))


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
        "what may be known of the records",
        f"{count:,} or more sets and values of theirs",
        "use method exact with additive noise",
    )
