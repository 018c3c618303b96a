"""The worst over sets of at most so many other records, on average over their values (see `knowledge.average`).

Two ways, both exact: *groups*, where the answer is a sum and the records are independent groups given as tables, by
how many records of each are known (`knowledge.groups.averages`), with any noise; and *every set*, where people are few,
with any dependence and any answer. Anything else is refused: an active adversary's leakage is a bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Largest, Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.errors import TooLarge
from dalenius.knowledge.average import Average, Weighed
from dalenius.knowledge.bounded import few_sets, view_of
from dalenius.knowledge.groups.averages import averages
from dalenius.knowledge.sets import KnownSets, Member, known_sets
from dalenius.knowledge.view import Reading
from dalenius.knowledge.worst import is_asked
from dalenius.laws.law import IntArray


@final
@dataclass(frozen=True)
class WorstAverage:
    """The worst, and the first average that may have it; None where the answer reveals nothing."""

    value: Enclosure
    average: Average | None


def worst_average(release: Release, world: RecordWorld, known: int, reading: Reading) -> WorstAverage:
    """TooLarge where neither way serves."""
    found = Largest[Average]()
    for average in _averages(release, world, known):
        found.add(reading.at(average, found.lower), average)
    return WorstAverage(Enclosure(found.lower, found.upper), found.first)


def _averages(release: Release, world: RecordWorld, known: int) -> Iterator[Average]:
    try:
        by_groups = averages(release, world, known) if world.scores.additive else None
        if by_groups is not None:
            return by_groups
    except TooLarge:
        pass
    if few_sets(world):
        sets = _sets_of(world)
        return iter(()) if sets is None else _listed(release, world, sets, known)
    people = sum(stratum.people for stratum in world.joint.strata())
    raise TooLarge("an average over known records", f"{people:,} people", 'use adversary = "active": no less')


@lru_cache(maxsize=4)
def _sets_of(world: RecordWorld) -> KnownSets | None:
    return known_sets(world.joint, world.scores)


def _listed(release: Release, world: RecordWorld, sets: KnownSets, known: int) -> Iterator[Average]:
    for member in sets.members:
        if not is_asked(release, world, member.person):
            continue
        by_people: dict[tuple[int, ...], list[Weighed]] = {}
        every = list(sets.secrets_of(member))
        alone = next(rows for rows in every if not sets.known(int(rows.max()), member))
        for rows in every:
            others = tuple(sets.known(int(rows.max()), member))
            if len(others) <= known:
                by_people.setdefault(others, []).append(_weighed(release, world, sets, member, rows, alone))
        for people, weighed in by_people.items():
            depth = float(np.max(np.abs(sets.log_masses)))
            yield Average(weighed, len(people), 2 * sets.law.error + (8 + 8 * depth) * UNIT)


def _weighed(
    release: Release, world: RecordWorld, sets: KnownSets, member: Member, rows: IntArray, alone: IntArray
) -> Weighed:
    view = view_of(release, world, sets, member.person, member.values, rows)
    logs = {
        member.values[i]: float(sets.log_masses[rows[i]] - sets.log_masses[alone[i]]) for i in np.flatnonzero(rows >= 0)
    }
    return Weighed(view, logs)
