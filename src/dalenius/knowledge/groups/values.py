"""All laws of the answer given the values of records of independent groups that may be known: where what others' known
records add does more than shift the output, every value counts (Result 7.12)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.errors import TooLarge
from dalenius.knowledge.groups.groups import Own
from dalenius.knowledge.groups.others import Others, Values
from dalenius.knowledge.groups.patterns import group_kinds
from dalenius.knowledge.groups.rest import Rest
from dalenius.knowledge.worst import is_asked
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

MOST_ALLOCATIONS: Final = 1 << 10
MOST_LAWS: Final = 1 << 14
"""Of what the other groups add, for one number of known records."""
MOST_CELLS: Final = 1 << 24


@final
@dataclass(frozen=True, eq=False)
class Given:
    """own: whose record is the secret, and what is known of the group; rests: the laws of what the others add, given
    what is known of them; masses (rests · secrets, answers): Pr[answer | s] beside each, from `start` on; error:
    relative."""

    own: Own
    rests: tuple[Rest, ...]
    start: int
    masses: Array
    error: float

    def pairs(self, asked: Sequence[tuple[RecordValue, RecordValue]] | None) -> IntArray:
        """The laws (pairs, 2) of two values that must not be distinguished, both ways; asked: None for all values."""
        rows = np.arange(len(self.masses)).reshape(-1, len(self.own.secrets))
        return np.concatenate([np.empty((0, 2), dtype=np.int64), *pairs_of(rows, self.own.secrets, asked)])


def pairs_of(
    rows: IntArray, values: Sequence[RecordValue], asked: Sequence[tuple[RecordValue, RecordValue]] | None
) -> list[IntArray]:
    """rows (sets, values), -1 for impossible values: the ordered pairs of laws of two that both are possible."""
    place = {value: i for i, value in enumerate(values)}
    every = [(i, j) for i in range(len(values)) for j in range(i)]
    chosen = every if asked is None else [(place[a], place[b]) for a, b in asked if a in place and b in place]
    found = [rows[:, [i, j]] for one, other in chosen for i, j in ((one, other), (other, one))]
    return [each[(each >= 0).all(axis=1)] for each in found]


def given_values(release: Release, world: RecordWorld, known: int) -> tuple[Given, ...] | None:
    """Of every pattern of the own group and at most `known` records in all. None where the records are no product of
    groups given as tables. TooLarge where there are too many."""
    every = _every(world, known)
    asked = None if every is None else [each for each in every if is_asked(release, world, each.own.people[0])]
    return None if asked is None else tuple(asked)


@lru_cache(maxsize=4)
def _every(world: RecordWorld, known: int) -> tuple[Given, ...] | None:
    kinds = group_kinds(world.joint, world.scores.indices, known)
    if kinds is None:
        return None
    others = Others(world, kinds)
    found: list[Given] = []
    made: dict[tuple[int, int], tuple[Rest, ...]] = {}
    cells = 0
    for place, kind in enumerate(kinds):
        for pattern in kind.patterns:
            owns = [Own(place, kind, pattern, member) for member in pattern.block.members]
            owns = [own for own in owns if len(own.member.slots) > 1 and own.people]
            left = place, known - pattern.cost
            if owns and left not in made:
                made[left] = _rests(others, *left)
            for own in owns:
                found.append(_beside(world, own, made[left]))
                cells += found[-1].masses.size
                if cells > MOST_CELLS:
                    raise _too_many(cells // found[-1].masses.shape[1])
    return tuple(found)


def _rests(others: Others, place: int, budget: int) -> tuple[Rest, ...]:
    """Of what else is known of others: as much as may be (Result 7.11)."""
    values: dict[Values, None] = {}
    for number, chosen in enumerate(others.allocations(place, budget)):
        values |= others.values(place, chosen)
        if len(values) > MOST_LAWS or number > MOST_ALLOCATIONS:
            raise _too_many(len(values))
    return tuple(others.rest(powers, shift) for powers, shift in values)


def _beside(world: RecordWorld, own: Own, rests: tuple[Rest, ...]) -> Given:
    totals = own.kind.source(own.pattern).totals(world.scores.indices)[:, 0]
    given = np.exp(own.member.log_given)
    low = min(rest.start[0] for rest in rests)
    width = max(rest.start[0] + rest.logs.shape[0] for rest in rests) - low
    others = np.zeros((len(rests), width))
    for row, rest in zip(others, rests, strict=True):
        row[rest.start[0] - low :][: rest.logs.shape[0]] = np.exp(rest.logs)
    box = width + int(np.ptp(totals))
    if len(rests) * len(given) * box > MOST_CELLS:
        raise _too_many(len(rests))
    masses = np.zeros((len(rests), len(given), box))
    for total in np.unique(totals).tolist():
        offset = total - int(totals.min())
        weights = given[:, totals == total].sum(axis=1)
        masses[:, :, offset : offset + width] += weights[None, :, None] * others[:, None, :]
    error = max(rest.error + rest.missing for rest in rests) + (8 * len(totals) + 64) * UNIT
    return Given(own, rests, low + int(totals.min()), masses.reshape(-1, box), error)


def _too_many(count: int) -> TooLarge:
    return TooLarge(
        "what may be known of the records", f"{count:,} or more laws", "use method exact with additive noise"
    )
