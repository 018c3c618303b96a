"""The worst over all background knowledge of other records: by enumeration, or along a Markov chain."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import Leakage, worst
from dalenius.channel.peak import pair_at, peak
from dalenius.channel.witness import Witness
from dalenius.joints import Joint, Subject
from dalenius.knowledge.chain.windows import Batch, Segments
from dalenius.knowledge.others import check_cells, shifted
from dalenius.knowledge.sets import KnownSets, Member, known_sets
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, IntArray, Law
from dalenius.noise import Noise
from dalenius.queries import Scores
from dalenius.schema import RecordValue

Pairs: TypeAlias = tuple[tuple[RecordValue, RecordValue], ...] | None
"""The pairs of values that must not be distinguished; None for all."""

MOST_CELLS: Final = 1 << 28
"""Of the laws given known sets, for all that other groups may add."""


@final
@dataclass(frozen=True)
class _Found:
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
                rows = _moved(alone, len(known.sets), law.secrets // len(known.sets))
                worst_of = _gaussian_worst if noise.light_tailed else _worst_of
                for found in _worst_sets(worst_of, likelihood, rows, member.values, pairs):
                    own = replace(found, set=found.set % len(alone))
                    added = None if whole is None else int(whole[found.set // len(alone)])
                    yield _enumerated(known, member, subject, alone[own.set], own, noise, likelihood, added)


def _likelihoods(known: KnownSets, noise: Noise, totals: IntArray | None) -> Iterator[tuple[Law, Law, IntArray | None]]:
    """The law of the answer given each known set, and of the output; with totals of others, set by set for each."""
    if totals is None:
        yield known.law, known.law if noise.light_tailed else noise.likelihood(known.law, known.lattice), None
        return
    check_cells(known.law, totals, MOST_CELLS)
    for first, law in shifted(known.law, totals):
        here = totals[first : first + law.secrets // len(known.sets)]
        yield law, noise.likelihood(law, known.lattice), here if len(totals) > 1 else None


def _moved(rows: IntArray, sets: int, times: int) -> IntArray:
    """The rows of the same sets among laws that are there several times."""
    every = rows[None] + sets * np.arange(times)[:, None, None]
    return np.where(rows[None] >= 0, every, -1).reshape(-1, rows.shape[1])


def _enumerated(
    known: KnownSets,
    member: Member,
    subject: Subject,
    row: IntArray,
    found: _Found,
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


def along_a_chain(joint: Joint, scores: Scores, noise: Noise, pairs: Pairs) -> Leakage | None:
    """The worst record of a homogeneous chain with positive transition probabilities; None for any other."""
    axes = np.flatnonzero(np.ptp(scores.indices, axis=0))
    chain = joint.chain
    if chain is None or chain.even is None or len(axes) != 1 or noise.light_tailed:
        return None
    initial, step = chain.even
    if not (step > 0).all():
        return None
    own = scores.indices[:, axes[0]]
    segments = Segments(len(chain), initial, step, own)
    if segments.reach < 1:
        return None
    lattice = scores.lattice.restricted(axes.tolist())
    values = joint.strata()[0].values
    lower, upper, near = 0.0, 0.0, list[Leakage]()
    for batch in segments.batches():
        likelihood = noise.on(axes.tolist()).likelihood(batch.law, lattice)
        for found in _worst_sets(_worst_of, likelihood, batch.rows, values, pairs):
            lower, upper = max(lower, found.value.lower), max(upper, found.value.upper)
            if found.value.upper >= lower:
                witness = _witness(joint, segments, batch, found, values, own, lattice)
                near.append(Leakage(found.value.lower, found.value.upper, witness))
    return Leakage(lower, upper + segments.beyond, worst(near).witness)


def _witness(
    joint: Joint,
    segments: Segments,
    batch: Batch,
    found: _Found,
    values: Sequence[RecordValue],
    scores: IntArray,
    lattice: Lattice,
) -> Witness:
    """The output is the sum from the known record on the left to the one on the right, or to the chain's ends."""
    left, right = batch.left, batch.rights[found.set]
    place = segments.place(left, right)
    ends = {place - left.reach: left.known, place + right.reach: right.known}
    known = {at: state for at, state in ends.items() if state is not None}
    least = int(scores.min()) * (left.unknown + 1 + right.unknown)
    total = found.output + least + sum(int(scores[state]) for state in known.values())
    return Witness(
        person=place + 1,
        who=joint.subject_of(place + 1).who,
        secret=values[found.secret],
        against=values[found.against],
        output=lattice.point([total]),
        known={at + 1: values[state] for at, state in known.items()},
    )


def _worst_sets(
    worst_of: Callable[[Law, IntArray], _Found], law: Law, rows: IntArray, values: Sequence[RecordValue], pairs: Pairs
) -> Iterator[_Found]:
    """The worst of all sets, rows (sets, values), and outputs: for all values together, or for each pair."""
    place = {value: i for i, value in enumerate(values)}
    compared = [[place[a], place[b]] for a, b in pairs or () if a in place and b in place]
    for columns in [list(place.values())] if pairs is None else compared:
        sets = np.flatnonzero((rows[:, columns] >= 0).sum(axis=1) > 1)
        if len(sets):
            found = worst_of(law, rows[sets][:, columns])
            secret, against = columns[found.secret], columns[found.against]
            yield replace(found, secret=secret, against=against, set=int(sets[found.set]))


def _gaussian_worst(law: Law, rows: IntArray) -> _Found:
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
            return _Found(Enclosure(inf, inf), outermost, inner, at, int(ends[rows[at, outermost]]))
    exact = _worst_of(law, rows)
    return replace(exact, value=Enclosure(0.0, exact.value.upper))


def _worst_of(likelihood: Law, rows: IntArray) -> _Found:
    logs = likelihood.relative.reshape(likelihood.secrets, -1)
    high, low = _ends(logs, rows)
    possible = high > -inf
    deepest = float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))
    error = inf if likelihood.floor is not None else likelihood.error + (8 + 4 * deepest) * UNIT
    value, (place, _) = peak(np.where(possible, high, 0.0) - low, np.asarray(possible), 2 * error)
    there = np.flatnonzero(rows[place] >= 0)
    own = logs[rows[place, there]]
    secret, against, output = pair_at(own, np.max(own, axis=0) > -inf, error, value.lower)
    return _Found(value, int(there[secret]), int(there[against]), place, output)


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
