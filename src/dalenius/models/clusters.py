"""A network summed out node by node: the probabilities by which messages between its cliques are weighted.

With the nodes in an order of elimination, the joint law is the product of Pr[node | boundary] (a perfect elimination
order of a chordal graph; Lauritzen & Spiegelhalter 1988). All numbers here are sums and products of non-negative ones,
with exponents of their own, so that the rarest state keeps its relative accuracy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.laws.scaled import NOTHING
from dalenius.models.elimination import Bucket, check_messages


@final
@dataclass(frozen=True)
class Family:
    """A node, its parents, and Pr[node | parents]: one axis per parent in order, the node's own last."""

    parents: tuple[int, ...]
    node: int
    table: Array

    @property
    def members(self) -> tuple[int, ...]:
        return (*self.parents, self.node)


@final
@dataclass(frozen=True)
class Split:
    """States of a clique sorted by what they say of some of its nodes.

    part (states,): which part each state is in; states, per part: its states; log_weights: their log-probabilities
    given the part.
    """

    part: IntArray
    states: tuple[IntArray, ...]
    log_weights: tuple[Array, ...]


@final
@dataclass(frozen=True)
class Cluster:
    """A node with its boundary, in the states of positive probability.

    value (states,): the node's value; by_boundary: one part per state of the boundary (without one: one part).
    children: the clusters summed out into this one; by_child: one part per state of each child's boundary.
    values: the node's values of positive probability, with log_prior.
    nearest: the child in whose boundary's states (without children: in this cluster's) by_value sorts by `values`.
    """

    node: int
    value: IntArray
    by_boundary: Split
    children: tuple[int, ...]
    by_child: tuple[Split, ...]
    values: tuple[int, ...]
    log_prior: Array
    nearest: int | None
    by_value: Split


def clusters_of(buckets: Sequence[Bucket], families: Sequence[Family], sizes: Mapping[int, int]) -> tuple[Cluster, ...]:
    """One connected component's clusters in the order of elimination; the last is the root.

    families: those of its nodes; sizes: how many values each has. TooLarge where messages between the clusters would not
    fit time or memory.
    """
    children: dict[int, list[Bucket]] = {bucket.node: [] for bucket in buckets}
    below = {bucket.node: 1 for bucket in buckets}
    for bucket in buckets[:-1]:
        children[bucket.boundary[-1]].append(bucket)
        below[bucket.boundary[-1]] += below[bucket.node]
    conditional = _conditionals(buckets, families, sizes)
    _check(buckets, conditional)
    boundary = {buckets[-1].node: _Wide.of(np.ones(()))}
    found = []
    for bucket in reversed(buckets):
        clique = conditional.pop(bucket.node).times(boundary[bucket.node].widened())
        # The first of the children of fewest states is read for the node's own law: the cheapest to put together.
        children[bucket.node].sort(key=lambda child: below[child.node])
        for child in children[bucket.node]:
            boundary[child.node] = clique.summed(_axes_outside(bucket, child))
        found.append(_cluster(bucket, children[bucket.node], clique, boundary))
    return tuple(reversed(found))


def _conditionals(
    buckets: Sequence[Bucket], families: Sequence[Family], sizes: Mapping[int, int]
) -> dict[int, "_Wide"]:
    """Pr[node | boundary] of every node: axes are the boundary's nodes in order, then the node."""
    place = {bucket.node: i for i, bucket in enumerate(buckets)}
    factors: dict[int, list[tuple[tuple[int, ...], _Wide]]] = {bucket.node: [] for bucket in buckets}
    for family in families:
        axes = sorted(range(len(family.members)), key=lambda i: -place[family.members[i]])
        nodes = tuple(family.members[i] for i in axes)
        factors[nodes[-1]].append((nodes, _Wide.of(family.table.transpose(axes))))
    found = {}
    for bucket in buckets:
        scope = (*bucket.boundary, bucket.node)
        product = _Wide.of(np.ones(tuple(sizes[node] for node in scope)))
        for nodes, factor in factors.pop(bucket.node):
            product = product.times(factor.reshaped(tuple(sizes[n] if n in nodes else 1 for n in scope)))
        rest = product.summed((-1,))
        found[bucket.node] = product.over(rest.widened())
        if bucket.boundary:
            factors[bucket.boundary[-1]].append((bucket.boundary, rest))
    return found


def _check(buckets: Sequence[Bucket], conditional: Mapping[int, "_Wide"]) -> None:
    # Where Pr[node | boundary] is all 0, so is what it was divided by.
    states = sum(np.count_nonzero(each.mantissa) for each in conditional.values())
    boundaries = sum(np.count_nonzero(each.mantissa.any(axis=-1)) for each in conditional.values())
    check_messages(max(len(bucket.boundary) for bucket in buckets), len(buckets), int(states), int(boundaries))


def _axes_outside(bucket: Bucket, child: Bucket) -> tuple[int, ...]:
    return tuple(i for i, node in enumerate((*bucket.boundary, bucket.node)) if node not in child.boundary)


def _cluster(bucket: Bucket, children: Sequence[Bucket], clique: "_Wide", boundary: dict[int, "_Wide"]) -> Cluster:
    scope = (*bucket.boundary, bucket.node)
    shape = clique.mantissa.shape
    states = np.flatnonzero(clique.mantissa)
    coordinates = dict(zip(scope, np.unravel_index(states, shape), strict=True))
    size = dict(zip(scope, shape, strict=True))

    def split(nodes: tuple[int, ...], marginal: _Wide) -> Split:
        flat = _flat([coordinates[node] for node in nodes], [size[node] for node in nodes], len(states))
        return _split(flat, clique.at(states), marginal)

    by_child = tuple(split(child.boundary, boundary[child.node]) for child in children)
    nearest = min(range(len(children)), key=lambda i: len(by_child[i].states), default=None)
    near, nodes = (clique, scope) if nearest is None else (boundary[children[nearest].node], children[nearest].boundary)
    marginal = near.summed(tuple(i for i, node in enumerate(nodes) if node != bucket.node))
    possible = np.flatnonzero(near.mantissa)
    own = np.unravel_index(possible, near.mantissa.shape)[nodes.index(bucket.node)]
    values = np.flatnonzero(marginal.mantissa)
    return Cluster(
        node=bucket.node,
        value=coordinates[bucket.node],
        by_boundary=split(bucket.boundary, boundary[bucket.node]),
        children=tuple(child.node for child in children),
        by_child=by_child,
        values=tuple(int(value) for value in values),
        log_prior=marginal.over(marginal.summed((-1,))).logs()[values],
        nearest=None if nearest is None else children[nearest].node,
        by_value=_split(own, near.at(possible), marginal),
    )


def _flat(coordinates: Sequence[IntArray], shape: Sequence[int], count: int) -> IntArray:
    flat = np.zeros(count, dtype=np.int64)
    for coordinate, size in zip(coordinates, shape, strict=True):
        flat = flat * size + coordinate
    return flat


def _split(flat: IntArray, weights: "_Wide", marginal: "_Wide") -> Split:
    """States with these weights, by their place in the marginal."""
    parts, part = np.unique(flat, return_inverse=True)
    logs = weights.over(marginal.at(parts).at(part)).logs()
    order = np.argsort(part, kind="stable")
    states = np.split(order, np.cumsum(np.bincount(part))[:-1])
    return Split(part, tuple(states), tuple(np.minimum(logs[each], 0.0) for each in states))


@final
@dataclass(frozen=True)
class _Wide:
    """Non-negative numbers of unlimited range: mantissa · 2^exponent, mantissas 0 or in [1/2, 1)."""

    mantissa: Array
    exponent: IntArray

    @staticmethod
    def of(numbers: Array, exponent: IntArray | int = 0) -> "_Wide":
        fraction, shift = np.frexp(numbers)
        return _Wide(np.asarray(fraction), np.asarray(np.where(fraction > 0, shift + np.int64(exponent), NOTHING)))

    def times(self, other: "_Wide") -> "_Wide":
        return _Wide.of(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def over(self, other: "_Wide") -> "_Wide":
        """The quotient; 0 where the numerator is."""
        quotient = np.divide(self.mantissa, other.mantissa, out=np.zeros(self.mantissa.shape), where=self.mantissa > 0)
        return _Wide.of(quotient, self.exponent - other.exponent)

    def summed(self, axes: tuple[int, ...]) -> "_Wide":
        top = self.exponent.max(axis=axes, keepdims=True)
        # Differences past 2^-1100 vanish next to a mantissa of at least 1/2 whatever their number.
        lowered = np.ldexp(self.mantissa, np.maximum(self.exponent - top, -1100).astype(np.int32))
        return _Wide.of(lowered.sum(axis=axes), top.squeeze(axis=axes))

    def widened(self) -> "_Wide":
        """One more axis at the end."""
        return _Wide(self.mantissa[..., None], self.exponent[..., None])

    def reshaped(self, shape: tuple[int, ...]) -> "_Wide":
        return _Wide(self.mantissa.reshape(shape), self.exponent.reshape(shape))

    def at(self, flat: IntArray) -> "_Wide":
        return _Wide(self.mantissa.ravel()[flat], self.exponent.ravel()[flat])

    def logs(self) -> Array:
        with np.errstate(divide="ignore"):
            logs: Array = np.log(self.mantissa) + np.log(2.0) * self.exponent
        return logs
