"""The ranges of a tree's messages, level by level, where all its nodes have equally many values (Result 20.35)."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.network.elimination import Bucket
from dalenius.joints.network.ranges import most_apart
from dalenius.laws.law import Array, IntArray
from dalenius.laws.numbers.masses import Masses

FAINT: Final = 1e-300


def is_plain(buckets: Sequence[Bucket], sizes: Mapping[int, int]) -> bool:
    """Whether it is such a tree."""
    return len({sizes[each.node] for each in buckets}) == 1 and all(len(each.boundary) <= 1 for each in buckets)


def levelled(
    buckets: Sequence[Bucket], laws: Mapping[int, Masses], weights: Mapping[int, Array]
) -> tuple[dict[int, Array], dict[int, Array], dict[int, Array]] | None:
    """By node: the range of the message of its subtree to its parent, and of that of all others, both over the parent's
    values (none of the root's); and what outputs can say of the node itself at most. None where no double holds a
    chance. Arguments as of `Bounded`."""
    order = list(reversed(buckets))
    place = {bucket.node: i for i, bucket in enumerate(order)}
    parents = np.array([place[each.boundary[0]] if each.boundary else -1 for each in order], dtype=np.int64)
    down, up = _kernels([laws[each.node] for each in order[1:]])
    if down is None or up is None:
        return None
    states = len(weights[order[0].node])
    added = np.stack([np.abs(weights[each.node][:, None] - weights[each.node]) for each in order])
    levels = _levels(parents)
    inner, above, below = (np.zeros((len(order), states, states)) for _ in range(3))
    children = np.bincount(parents[1:], minlength=len(order))
    # Of sums of ranges, one rounding a term; and once more where one is taken out again.
    slack = (1 + 4 * UNIT * (children + 4))[:, None, None]
    for level in reversed(levels[1:]):
        inner[level] = _carried(down[level - 1], (added[level] + below[level]) * slack[level])
        np.add.at(below, parents[level], inner[level])
    outer = np.zeros_like(inner)
    for level in levels[1:]:
        near = parents[level]
        with np.errstate(invalid="ignore"):
            others = np.maximum(below[near] * slack[near] - inner[level], 0.0)
        outer[level] = (above[near] + np.where(np.isfinite(inner[level]), others, np.inf)) * (1 + 2 * UNIT)
        above[level] = _carried(up[level - 1], (added[near] + outer[level]) * (1 + 2 * UNIT))
    own = (above + below * slack + added) * (1 + 4 * UNIT)
    rest = [each.node for each in order[1:]]
    return (
        dict(zip(rest, inner[1:], strict=True)),
        dict(zip(rest, outer[1:], strict=True)),
        {each.node: found for each, found in zip(order, own, strict=True)},
    )


def _levels(parents: IntArray) -> list[IntArray]:
    """The places at each distance from the root; parents come before their children."""
    depth = np.zeros(len(parents), dtype=np.int64)
    for place, parent in enumerate(parents.tolist()):
        depth[place] = depth[parent] + 1 if parent >= 0 else 0
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)


def _kernels(laws: Sequence[Masses]) -> tuple[Array | None, Array | None]:
    """Of each node but the root, Pr[node | parent] and Pr[parent | node], by rows; uniform where these are impossible;
    None where no double holds a chance."""
    if not laws:
        empty = np.zeros((0, 1, 1))
        return empty, empty
    both = Masses(np.stack([law.mantissa for law in laws]), np.stack([law.exponent for law in laws]))
    return _rows(both), _rows(both.turned())


def _rows(laws: Masses) -> Array | None:
    total = laws.summed((-1,)).with_last_axis()
    found = laws.over(total).filled(total.solid, 1 / laws.mantissa.shape[-1])
    numbers = found.doubles()
    return None if np.any(found.solid & (numbers < FAINT)) else numbers


def _carried(kernels: Array, apart: Array) -> Array:
    """Of each, the range (m, k, k) over the rows of its kernel (m, k, k), for weights this far apart (m, k, k)."""
    count, states, rest = kernels.shape
    one, other = np.repeat(np.arange(states), states), np.tile(np.arange(states), states)
    above, below = kernels[:, one].reshape(-1, rest), kernels[:, other].reshape(-1, rest)
    found = most_apart(above, below, np.repeat(apart, states**2, axis=0)).reshape(count, states, states)
    found[:, np.arange(states), np.arange(states)] = 0.0
    return found
