"""Pairs of records of any model: what one record's value reveals of another's score, for dependence coefficients.

A record j counts here as the score it adds to the answer: D_j of DDP's Eq 14 is that number, and ΔD_j = ΔQ_j its range.
Pairs in different independent groups are independent and left out, as are records that are certain. In each form that a
group of records may have, `Relatives` are the laws of each other record's score given each value.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.channel import Release
from dalenius.channel.answer_laws import kinds_of
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint
from dalenius.joints.factor import Factor, group_rows
from dalenius.joints.identical_groups import Block, Exchangeable
from dalenius.joints.joint import Belief
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.pairs.law_of_two_records import PairsOfRecords
from dalenius.pairs.limits import MOST_LAW_ENTRIES
from dalenius.pairs.pairwise_channel import PairwiseWorld


@final
@dataclass(frozen=True)
class ScoreRanges:
    """The scores by slot of the joint law: their places among `points`, and how wide their records' ranges are."""

    points: Array
    place: IntArray
    move: Array


@final
@dataclass(frozen=True)
class Relatives:
    """One record i: its values' slots (s,); for each record j how many are alike, and the law of its score (s, v)."""

    slots: IntArray
    times: IntArray
    laws: Array


def laws_of_values(joint: Joint) -> Iterator[Relatives]:
    """Yields the law of each other record's value given each record's, in groups of two and more.

    The laws are over all slots.

    Args:
        joint: The joint law of all records.
    """
    starts = _starts(joint)
    slots = np.arange(int(starts[-1]))
    scores = ScoreRanges(slots.astype(np.float64), slots, np.ones(len(slots)))
    for factor in (each for each in joint.factors() if each.size > 1):
        yield from _pair_laws(factor, scores, every=True)


def _pair_laws(factor: Factor, scores: ScoreRanges, every: bool) -> Iterator[Relatives]:
    """Yields the relatives of each class of a group's records that can have two values.

    every: whether pairs so distant in a chain that they are independent to rounding are kept. TooLarge where they do
    not fit memory.
    """
    match factor:
        case MarkovChain():
            yield from _of_chain(factor, scores, every)
        case Exchangeable(block=block, slots=slots) if block.counts_suffice:
            yield from _of_counts(block, slots, scores)
        case _:
            yield from _of_rows(*group_rows(factor), scores)


def _of_counts(block: Block, slots: IntArray, scores: ScoreRanges) -> Iterator[Relatives]:
    """Yields one record of each class of a group of alike members, with the mean law of one other in each class."""
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    free = [member for member in block.members if len(member.slots) > 1]
    fixed = [member.slots[0] for member in block.members if len(member.slots) == 1 for _ in member.positions]
    certain = np.bincount(np.array(fixed, dtype=np.int64), minlength=starts[-1])
    for member in free:
        weights = np.exp(member.log_given)
        own = np.array(member.slots)
        times, laws = [], []
        for other in free:
            # Oneself is no other.
            many = len(other.positions) - (other is member)
            universe = np.arange(starts[other.stratum], starts[other.stratum + 1])
            counts = (block.counts - certain)[:, universe]
            if many:
                # The record's own count is taken out of its class.
                mine = (own[:, None] == universe) * (other is member)
                left = np.array([row @ (counts - one) for row, one in zip(weights, mine, strict=True)])
                law = np.zeros((len(own), len(scores.points)))
                np.add.at(law.T, scores.place[slots[universe]], np.maximum(left.T, 0.0) / many)
                times.append(many)
                laws.append(law / law.sum(axis=1, keepdims=True))
        found = np.array(laws).reshape(-1, len(own), len(scores.points))
        yield Relatives(slots[own], np.array(times, dtype=np.int64), found)


def _of_rows(slots: IntArray, logs: Array, scores: ScoreRanges) -> Iterator[Relatives]:
    """Yields each record that can have two values, against each other such, of a group written out row by row."""
    rows, size = slots.shape
    points = len(scores.points)
    hot = np.zeros((rows, size, points))
    hot[np.arange(rows)[:, None], np.arange(size), scores.place[slots]] = 1.0
    free = np.flatnonzero(np.ptp(slots, axis=0))
    for i in free:
        own, place = np.unique(slots[:, i], return_inverse=True)
        # Each value's rows on a scale of their own: the law given a value is one however rare the value is.
        mine = place.ravel() == np.arange(len(own))[:, None]
        top = np.max(np.where(mine, logs, -np.inf), axis=1)
        masses = np.exp(np.where(mine, logs, -np.inf) - top[:, None])
        sizes = masses.sum(axis=1)
        others = free[free != i]
        laws = np.tensordot(masses / sizes[:, None], hot[:, others], axes=1).swapaxes(0, 1)
        yield Relatives(own, np.ones(len(others), dtype=np.int64), laws)


def _of_chain(chain: MarkovChain, scores: ScoreRanges, every: bool) -> Iterator[Relatives]:
    """Yields the records of a chain, distance by distance, until pairs are independent to rounding; all if `every`."""
    possible, slots = chain.possible, chain.slots
    people, states = possible.shape
    likely = chain.log_marginals.argmax(axis=1)
    hot = np.zeros((people, states, len(scores.points)))
    hot[np.arange(people)[:, None], np.arange(states), scores.place[slots]] = 1.0
    steps, back = chain.steps.doubles(), chain.backward.doubles()
    ahead, behind, entries = steps, back, 0.0
    first, laws = [], []
    for distance in range(1, people):
        if distance > 1:
            # Laws given a value, either way, however rare it is: the mass they lose by underflow is negligible.
            ahead = steps[: people - distance] @ ahead[1:]
            behind = back[distance - 1 :] @ behind[:-1]
        forward = _filled(ahead, possible[:-distance], likely[:-distance])
        backward = _filled(behind, possible[distance:], likely[distance:])
        # A chain that forgets: from here on the coefficient adds nothing that a double would show.
        # Laws that differ by less, at all larger distances in a chain, are the same.
        if not every and max(float(np.ptp(each, axis=1).max()) for each in (forward, backward)) < 1e-14:
            break
        entries += 2.0 * len(forward) * states * len(scores.points)
        # All pairs of 10^5 days are 10^10 laws.
        if entries > allowed(MOST_LAW_ENTRIES):
            # As many at each distance, at most.
            needed = enough(2.0 * people * states * len(scores.points) * people, MOST_LAW_ENTRIES)
            instead = or_more("use the group method", needed)
            raise TooLarge("all pairs of records", f"{people} records of a chain", instead, MOST_LAW_ENTRIES)
        near, far = np.arange(people - distance), np.arange(distance, people)
        first += [near, far]
        laws += [forward @ hot[far], backward @ hot[near]]
    if not first:
        return
    order = np.argsort(np.concatenate(first), kind="stable")
    ends = np.cumsum(np.bincount(np.concatenate(first), minlength=people))[:-1]
    for i, law in enumerate(np.split(np.concatenate(laws)[order], ends)):
        own = np.flatnonzero(possible[i])
        if len(own) > 1:
            yield Relatives(slots[i, own], np.ones(len(law), dtype=np.int64), law[:, own])


def _filled(laws: Array, possible: NDArray[np.bool_], likely: IntArray) -> Array:
    """Gives values that cannot occur the law of the likeliest."""
    common = laws[np.arange(len(laws)), likely][:, None]
    return np.where(possible[:, :, None], laws, common)


def all_pairs(name: str, release: Release, every: bool = False) -> list[PairsOfRecords]:
    """Returns the pairs of every type of group, in every law of the model; InputError unless the answer is one sum.

    Args:
        name: The method's name, for errors.
        release: The model, the query and the noise.
        every: Whether pairs of one group that are independent to rounding are kept.
    """
    if release.lattice.axes > 1 or not release.scores.additive:
        raise InputError("method", name, "an answer that is one sum of the records' scores")
    # Model pairwise has its pairs already; other models' are read from their joint laws.
    worlds = list(release.worlds)
    known = [world for world in worlds if isinstance(world, PairwiseWorld)]
    found = [each for world in known for each in _of_people(world, _scores(release, world.law))]
    if len(known) == len(worlds):
        return found
    return [
        *found,
        *(each for joint in release.worlds.joints for each in _of_joint(joint, _scores(release, joint), every)),
    ]


def _scores(release: Release, belief: Belief) -> ScoreRanges:
    """Returns what each value adds to the answer, by its place among all such numbers, and each record's range."""
    indices = release.query.scores(kinds_of(belief), release.lattice).indices[:, 0]
    points, place = np.unique(indices, return_inverse=True)
    step = float(release.lattice.steps[0])
    starts = _starts(belief)
    move = np.concatenate([np.full(j - i, np.ptp(indices[i:j]) * step) for i, j in pairwise(starts)])
    return ScoreRanges(np.asarray(points * step, dtype=np.float64), place.ravel(), move)


def _starts(belief: Belief) -> IntArray:
    """Returns the first slot of each stratum, and the end."""
    return np.cumsum([0, *(len(stratum.values) for stratum in belief.strata())])


def _of_people(world: PairwiseWorld, scores: ScoreRanges) -> Iterator[PairsOfRecords]:
    """Yields the pairs of one person of each class that has neighbours, of model pairwise."""
    starts, found = _starts(world.law), list[Relatives]()
    for around in (each for each in world.classes if each.neighbours):
        own = np.flatnonzero(world.law.possible(around.prior))
        laws = np.zeros((len(around.neighbours), len(own), len(scores.points)))
        for law, (kind, stratum, _) in zip(laws, around.neighbours, strict=True):
            place = scores.place[starts[stratum] : starts[stratum + 1]]
            np.add.at(law.T, place, world.law.directed[kind].forward[own].T)
        times = np.array([many for *_, many in around.neighbours], dtype=np.int64)
        found.append(Relatives(starts[around.stratum] + own, times, laws))
    if found:
        yield _together(found, scores)


def _of_joint(joint: Joint, scores: ScoreRanges, every: bool) -> Iterator[PairsOfRecords]:
    """Yields the pairs, group by group of two or more: a person who is alone has no pairs."""
    for factor in (each for each in joint.factors() if each.size > 1):
        found = list(_pair_laws(factor, scores, every))
        if found:
            yield _together(found, scores)


def _together(records: list[Relatives], scores: ScoreRanges) -> PairsOfRecords:
    """Returns one table for all records of a group; rows of those with fewer values are padded with their first."""
    width = max(len(record.slots) for record in records)
    entries = sum(len(record.times) for record in records) * width * len(scores.points)
    if entries > allowed(MOST_LAW_ENTRIES):
        instead = or_more("use the group method", enough(entries, MOST_LAW_ENTRIES))
        shown = f"{len(records)} records of {width} values"
        raise TooLarge("all pairs of records", shown, instead, MOST_LAW_ENTRIES)

    def wide(laws: Array) -> Array:
        return np.concatenate([laws, np.repeat(laws[:, :1], width - laws.shape[1], axis=1)], axis=1)

    slots = [np.append(each.slots, np.full(width - len(each.slots), each.slots[0])) for each in records]
    own = [record.slots[0] for record in records]
    return PairsOfRecords(
        points=scores.points,
        scores=np.array([scores.points[scores.place[each]] for each in slots]),
        move=scores.move[own],
        first=np.repeat(np.arange(len(records)), [len(record.times) for record in records]),
        times=np.concatenate([record.times for record in records]).astype(np.float64),
        laws=np.concatenate([wide(record.laws) for record in records]),
    )
