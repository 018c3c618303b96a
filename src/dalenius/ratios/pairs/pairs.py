"""What one record's value reveals of another's score, pair by pair: all that dependence coefficients use.

A record j counts here as the score it adds to the answer: D_j of DDP's Eq 14 is that number, and ΔD_j = ΔQ_j its range.
Pairs in different independent groups are independent and left out, as are records that are certain.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from dalenius.channel import Release
from dalenius.channel.finite.answers import kinds_of
from dalenius.channel.pairs import Pairs
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint
from dalenius.laws.law import Array
from dalenius.ratios.pairs.pair_laws import MOST_ENTRIES, Relatives, ScoreRanges, pair_laws


def all_pairs(name: str, release: Release, every: bool = False) -> list[Pairs]:
    """Of every type of group, in every law of the model. InputError unless the answer is one sum.

    every: also pairs of one group that are independent to rounding.
    """
    if release.lattice.axes > 1 or not release.scores.additive:
        raise InputError("method", name, "an answer that is one sum of the records' scores")
    given = [(world, world.pairs()) for world in release.worlds]
    found = [each for _, known in given for each in known or ()]
    if all(known is not None for _, known in given):
        return found
    return [*found, *(each for joint in release.joints for each in _of_joint(joint, _scores(release, joint), every))]


def _scores(release: Release, joint: Joint) -> ScoreRanges:
    indices = release.query.scores(kinds_of(joint), release.lattice).indices[:, 0]
    points, place = np.unique(indices, return_inverse=True)
    step = float(release.lattice.steps[0])
    starts = np.cumsum([0, *(len(stratum.values) for stratum in joint.strata())])
    own = [indices[i:j] * step for i, j in pairwise(starts)]
    low = np.concatenate([np.full(len(each), each.min()) for each in own])
    high = np.concatenate([np.full(len(each), each.max()) for each in own])
    return ScoreRanges(np.asarray(points * step, dtype=np.float64), place.ravel(), low, high)


def _of_joint(joint: Joint, scores: ScoreRanges, every: bool) -> Iterator[Pairs]:
    for factor in (each for each in joint.factors() if each.size > 1):
        found = list(pair_laws(factor, scores, every))
        if found:
            yield _together(found, scores)


def _together(records: list[Relatives], scores: ScoreRanges) -> Pairs:
    width = max(len(record.slots) for record in records)
    if sum(len(record.times) for record in records) * width * len(scores.points) > MOST_ENTRIES:
        raise TooLarge("all pairs of records", f"{len(records)} records of {width} values", "use the group method")

    def wide(laws: Array) -> Array:
        return np.concatenate([laws, np.repeat(laws[:, :1], width - laws.shape[1], axis=1)], axis=1)

    others = np.concatenate([record.others for record in records])
    slots = [np.append(each.slots, np.full(width - len(each.slots), each.slots[0])) for each in records]
    own = [record.slots[0] for record in records]
    return Pairs(
        points=scores.points,
        prior=np.array([np.pad(record.prior, (0, width - len(record.prior))) for record in records]),
        scores=np.array([scores.points[scores.place[each]] for each in slots]),
        move=scores.high[own] - scores.low[own],
        first=np.repeat(np.arange(len(records)), [len(record.times) for record in records]),
        times=np.concatenate([record.times for record in records]).astype(np.float64),
        laws=np.concatenate([wide(record.laws) for record in records]),
        low=scores.low[others],
        high=scores.high[others],
    )
