"""Several answers about people if only pairs are known: what a record and those it depends on add to each of them.

Take a bar chart of two bars and a friend who is like the person with .9 or .8. The coefficient of DDP Eq 14 counts L1
distances over the bars: another value of the friend moves two of them.

>>> bars, laws = np.eye(2), np.array([[0.9, 0.1], [0.2, 0.8]])
>>> f"{vector_coefficient(bars, laws, 2.0):.4f}"
'0.7063'
"""

from collections.abc import Iterator
from itertools import product
from math import prod

import numpy as np

from dalenius.arrays import Array
from dalenius.channel import Release
from dalenius.channel.answer_laws import kinds_of
from dalenius.errors import InputError, TooLarge
from dalenius.pairs.limits import MOST_COEFFICIENT_TERMS
from dalenius.pairs.other_record_score_laws import laws_of_values
from dalenius.pairs.pairwise_channel import PairwiseWorld, Vectors


def vectors_of(name: str, release: Release) -> list[Vectors]:
    """Returns what records add to the answers, of one person of each kind who depends on others.

    Args:
        name: The method's name, for errors.
        release: The model, the query and the noise.

    Raises:
        InputError: If the answers are no sums of the records' scores.
    """
    if not release.scores.additive:
        raise InputError("method", name, "answers that are sums of the records' scores")
    return list(_each(release))


def _each(release: Release) -> Iterator[Vectors]:
    worlds = list(release.worlds)
    known = [world for world in worlds if isinstance(world, PairwiseWorld)]
    for world in known:
        yield from world.vectors
    # Model pairwise has its pairs already; other models' are read from their joint laws.
    for joint in () if len(known) == len(worlds) else release.worlds.joints:
        indices = release.query.scores(kinds_of(joint), release.lattice).indices
        points = indices * np.array([float(step) for step in release.lattice.steps])
        for one in laws_of_values(joint):
            # Values that the other record cannot have are left out: their distances say nothing.
            near = ((laws, laws.any(axis=0)) for laws in one.laws)
            rows = tuple((points[kept], laws[:, kept]) for laws, kept in near)
            each = zip(one.times.tolist(), rows, strict=True)
            yield Vectors(points[one.slots], tuple((int(times), *row) for times, row in each))


def dependent_nats(around: Vectors, scale: float) -> float:
    """Returns DS_i/σ of DDP Eq 23 in nats, its coefficients those of Eq 14 (L1 over the answers).

    Args:
        around: What the record and its neighbours add to the answers.
        scale: The noise's scale σ, in the query's unit.
    """
    own = float(np.abs(around.own[:, None] - around.own).sum(axis=2).max()) / scale
    return own + sum(times * vector_coefficient(points, laws, scale) for times, points, laws in around.neighbours)


def vector_coefficient(points: Array, laws: Array, scale: float) -> float:
    """Returns ρ_ij ΔQ_j/σ of DDP Eq 14, in nats, for a record j that moves several answers.

    The supremum over outputs is at the grid of the points' coordinates (Result 3.1).

    Args:
        points: What the record adds to each answer by its value (v, axes), in the query's unit.
        laws: The law of its value given each value of X_i (s, v).
        scale: σ, the noise scale in that unit.

    Raises:
        TooLarge: If there are more outputs than memory holds.
    """
    axes = [np.unique(column) for column in points.T]
    outputs = prod(len(each) for each in axes)
    if outputs * laws.size > MOST_COEFFICIENT_TERMS:
        shown = f"{outputs} outputs of {len(points)} values"
        instead = "use fewer answers, or the group method"
        raise TooLarge("dependence coefficients", shown, instead, MOST_COEFFICIENT_TERMS)
    grid = np.array(list(product(*axes)))
    falls = -np.abs(grid[:, None] - points).sum(axis=2) / scale
    with np.errstate(divide="ignore"):
        noisy = np.logaddexp.reduce(np.log(laws)[:, None] + falls, axis=2)
    return float((noisy.max(axis=0) - noisy.min(axis=0)).max())
