"""The laws of the answer given background knowledge, all of them side by side: what a mechanism is held to that depends
on the answer itself (Results 7.12 and 8.4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.channel import Release
from dalenius.channel.finite.answers import kinds_of
from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.knowledge.bounded import how_many, sets_of
from dalenius.knowledge.others import totals_beside
from dalenius.knowledge.sets import KnownSets, known_sets
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

MOST_CELLS: Final = 1 << 24
ALIKE: Final = 12
"""Digits to which laws are the same one."""


@final
@dataclass(frozen=True, eq=False)
class GivenLaws:
    """masses (laws, answers): Pr[answer | s, x_K], from lattice index `start` on; pairs (pairs, 2): the laws that must
    not be told apart, as the first is from the second. error: relative, of every mass."""

    start: int
    masses: Array
    pairs: IntArray
    error: float

    def distinct(self) -> "GivenLaws":
        """Laws that are the same up to rounding once, and no pairs of them."""
        _, first, place = np.unique(np.round(self.masses, ALIKE), axis=0, return_index=True, return_inverse=True)
        pairs = np.unique(place.reshape(-1)[self.pairs], axis=0)
        return GivenLaws(self.start, self.masses[first], pairs[pairs[:, 0] != pairs[:, 1]], self.error)


def given_anything(release: Release) -> Iterator[GivenLaws]:
    """Given any records of others, which may have any values: Bayesian privacy. TooLarge where there are too many."""
    for joint in release.joints:
        scores = release.query.scores(kinds_of(joint), release.lattice)
        places = range(len(joint.groups()))
        totals = [totals_beside(joint, scores, place) for place in places]
        whole = any(each is None for each in totals)
        for alone, added in [(joint, None)] if whole else [(joint.one_of(p), totals[p]) for p in places]:
            known = known_sets(alone, scores)
            if known is not None:
                yield _moved(_of_sets(release, joint, known, len(alone.people())), added)


def given_some(release: Release, fraction: float) -> Iterator[GivenLaws]:
    """Given at most that fraction of all records, with any values: noiseless privacy. TooLarge for too many."""
    for world in release.record_worlds:
        sets = sets_of(world)
        if sets is None:
            people = sum(stratum.people for stratum in world.joint.strata())
            raise TooLarge("all that may be known of the records", f"{people:,} people", "use method exact")
        yield _of_sets(release, world.joint, sets, how_many(world, fraction))


def _pairs_of(
    rows: IntArray, values: Sequence[RecordValue], asked: Sequence[tuple[RecordValue, RecordValue]] | None
) -> list[IntArray]:
    """rows (sets, values), -1 for impossible values: the ordered pairs of laws of two that both are possible."""
    place = {value: i for i, value in enumerate(values)}
    every = [(i, j) for i in range(len(values)) for j in range(i)]
    chosen = every if asked is None else [(place[a], place[b]) for a, b in asked if a in place and b in place]
    found = [rows[:, [i, j]] for one, other in chosen for i, j in ((one, other), (other, one))]
    return [each[(each >= 0).all(axis=1)] for each in found]


def _of_sets(release: Release, joint: Joint, sets: KnownSets, most: int) -> GivenLaws:
    """Of the sets of at most so many known records."""
    pairs = [np.empty((0, 2), dtype=np.int64)]
    firsts = release.secrets.firsts(joint)
    for member in sets.members:
        if firsts is None or joint.subject_of(member.person).person in firsts:
            rows = sets.secrets_of(member)
            few = np.array([len(sets.known(int(row.max()), member)) <= most for row in rows], dtype=np.bool_)
            pairs += _pairs_of(rows[few], member.values, release.secrets.pairs)
    with np.errstate(under="ignore"):
        masses = np.exp(sets.law.log_mass().reshape(len(sets.sets), -1))
    return GivenLaws(sets.law.start[0], masses, np.concatenate(pairs), sets.law.error).distinct()


def _moved(laws: GivenLaws, totals: IntArray | None) -> GivenLaws:
    """The same with each of these totals added to the answer."""
    if totals is None or not len(laws.pairs):
        return laws
    count, width = laws.masses.shape
    box = int(totals[-1] - totals[0]) + width
    if count * len(totals) * box > MOST_CELLS:
        size = f"{len(totals):,} sums of the other groups, {count:,} laws of the own one"
        raise TooLarge("all background knowledge", size, "use method exact")
    moved = np.zeros((len(totals), count, box))
    for place, offset in enumerate((totals - totals[0]).tolist()):
        moved[place, :, offset : offset + width] = laws.masses
    pairs = (laws.pairs[None] + count * np.arange(len(totals))[:, None, None]).reshape(-1, 2)
    return GivenLaws(laws.start + int(totals[0]), moved.reshape(-1, box), pairs, laws.error)
