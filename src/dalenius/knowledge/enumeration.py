"""The worst over all background knowledge of other records, by enumeration of every known set."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import Leakage, Witness, pair_at, peak
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.knowledge.sets import KnownSets, UncertainPerson, known_sets, moved
from dalenius.laws.law import Array, IntArray, Law
from dalenius.noise import Noise
from dalenius.queries import Scores
from dalenius.schema import RecordValue

Pairs: TypeAlias = tuple[tuple[RecordValue, RecordValue], ...] | None
"""The pairs of values that must not be distinguished; None for all."""

MOST_CELLS: Final = 1 << 28
"""Of the laws given known sets, for all that other groups may add."""
MOST_AT_ONCE: Final = 1 << 22
"""Of these, sent through the noise at a time."""


@final
@dataclass(frozen=True)
class Separation:
    """A leakage between two values, as indices, and the set and output (a flat index) that attain it."""

    value: Enclosure
    secret: int
    against: int
    set: int
    output: int


def by_enumeration(
    joint: Joint, scores: Scores, noise: Noise, pairs: Pairs, asked: set[int], totals: IntArray | None = None
) -> Iterator[Leakage]:
    """One leakage for each person asked about. TooLarge where it would take too long. totals: where the noise depends
    on the answer, all that other groups may add to it, in lattice steps; else None."""
    known = known_sets(joint, scores)
    if known is None:
        return
    noise = noise.on(known.axes)
    for law, likelihood, whole in _likelihoods(known, noise, totals):
        for member in known.members:
            subject = joint.subject_of(member.person)
            # People who are exchangeable up to an error are so only without background knowledge.
            if member.person in asked and (subject.class_error > 0 or subject.person == member.person):
                alone = known.secrets_of(member)
                rows = _repeated(alone, len(known.sets), law.secrets // len(known.sets))
                read = _outermost if noise.light_tailed else largest_ratio
                for found in worst_sets(read, likelihood, rows, member.values, pairs):
                    own = replace(found, set=found.set % len(alone))
                    added = None if whole is None else int(whole[found.set // len(alone)])
                    yield _enumerated(known, member, subject, alone[own.set], own, noise, likelihood, added)


def _likelihoods(known: KnownSets, noise: Noise, totals: IntArray | None) -> Iterator[tuple[Law, Law, IntArray | None]]:
    """The law of the answer given each known set, and of the output; with totals of others, set by set for each."""
    if totals is None:
        yield known.law, known.law if noise.light_tailed else noise.likelihood(known.law, known.lattice), None
        return
    count, width = known.law.secrets, known.law.box[0]
    span = int(totals[-1] - totals[0]) + width
    if len(totals) * count * span > MOST_CELLS:
        size = f"{len(totals):,} sums of the other groups, {count:,} known sets of the own one"
        raise TooLarge("all background knowledge", size, "use a noise that is added, or make the groups smaller")
    at_once = max(1, MOST_AT_ONCE // (count * span))
    for first in range(0, len(totals), at_once):
        here = totals[first : first + at_once]
        logs = moved(known.law.log_mass(), here, -inf)
        start, box = known.law.start[0] + int(here[0]), logs.shape[2]
        law = Law((start,), np.zeros(box), logs.reshape(-1, box), known.law.error)
        yield law, noise.likelihood(law, known.lattice), here if len(totals) > 1 else None


def _repeated(rows: IntArray, sets: int, times: int) -> IntArray:
    """The rows of the same sets among laws that are there several times."""
    every = rows[None] + sets * np.arange(times)[:, None, None]
    return np.where(rows[None] >= 0, every, -1).reshape(-1, rows.shape[1])


def _enumerated(
    known: KnownSets,
    member: UncertainPerson,
    subject: Subject,
    row: IntArray,
    found: Separation,
    noise: Noise,
    likelihood: Law,
    added: int | None,
) -> Leakage:
    normal = noise.light_tailed
    index = _index(likelihood, found.output)
    witness = Witness(
        person=member.person,
        who=subject.who
        if not added
        else f"{subject.who}; all others known, who add {known.lattice.point([added])[0]:g}",
        secret=member.values[found.secret],
        against=member.values[found.against],
        output=known.lattice.point(index) if normal else noise.output(index, known.lattice),
        answers=known.names,
        known=known.known(int(row.max()), member),
    )
    attained = found.value.lower > 0 or found.value.upper == 0
    return Leakage(found.value.lower, found.value.upper, witness if attained or not normal else None)


def worst_sets(
    read: Callable[[Law, IntArray], Separation], law: Law, rows: IntArray, values: Sequence[RecordValue], pairs: Pairs
) -> Iterator[Separation]:
    """The worst of all sets, rows (sets, values), and outputs: for all values together, or for each pair."""
    place = {value: i for i, value in enumerate(values)}
    compared = [[place[a], place[b]] for a, b in pairs or () if a in place and b in place]
    for columns in [list(place.values())] if pairs is None else compared:
        sets = np.flatnonzero((rows[:, columns] >= 0).sum(axis=1) > 1)
        if len(sets):
            found = read(law, rows[sets][:, columns])
            secret, against = columns[found.secret], columns[found.against]
            yield replace(found, secret=secret, against=against, set=int(sets[found.set]))


def _outermost(law: Law, rows: IntArray) -> Separation:
    """Far out, the outermost answer decides: infinite where one value's lies further out than another's. Otherwise the
    leakage is at most that of the exact answer, of which the output is a post-processing."""
    points = np.arange(law.base.size)
    possible = law.relative.reshape(law.secrets, -1) > -inf
    lows, highs = np.argmax(possible, axis=1), points[-1] - np.argmax(possible[:, ::-1], axis=1)
    for ends, sign in ((lows, -1), (highs, 1)):
        own = np.where(rows >= 0, sign * ends[rows], -law.base.size)
        nearest = np.where(rows >= 0, own, law.base.size)
        apart = np.flatnonzero(own.max(axis=1) > nearest.min(axis=1))
        if len(apart):
            at = int(apart[0])
            outermost, inner = int(own[at].argmax()), int(nearest[at].argmin())
            return Separation(Enclosure(inf, inf), outermost, inner, at, int(ends[rows[at, outermost]]))
    exact = largest_ratio(law, rows)
    return replace(exact, value=Enclosure(0.0, exact.value.upper))


def largest_ratio(likelihood: Law, rows: IntArray) -> Separation:
    logs = likelihood.relative.reshape(likelihood.secrets, -1)
    high, low = _ends(logs, rows)
    possible = high > -inf
    deepest = float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))
    error = inf if likelihood.floor is not None else likelihood.error + (8 + 4 * deepest) * UNIT
    value, (place, _) = peak(np.where(possible, high, 0.0) - low, np.asarray(possible), 2 * error)
    there = np.flatnonzero(rows[place] >= 0)
    own = logs[rows[place, there]]
    secret, against, output = pair_at(own, np.max(own, axis=0) > -inf, error, value.lower)
    return Separation(value, int(there[secret]), int(there[against]), place, output)


def _ends(logs: Array, rows: IntArray) -> tuple[Array, Array]:
    """The largest and the least log-likelihood of each output, over the values that can occur: (sets, outputs)."""
    high = np.full((len(rows), logs.shape[1]), -inf)
    low = np.full(high.shape, inf)
    for own in rows.T:
        there = np.flatnonzero(own >= 0)
        high[there] = np.maximum(high[there], logs[own[there]])
        low[there] = np.minimum(low[there], logs[own[there]])
    return high, low


def _index(likelihood: Law, output: int) -> list[int]:
    """A flat index as a lattice index."""
    index = np.unravel_index(output, likelihood.box)
    return [int(i) + s for i, s in zip(index, likelihood.start, strict=True)]
