"""A network's junction tree: a tree of clusters, with the weights by which messages between them are averaged.

A *cluster* is a node with its boundary: the nodes summed out after it that it is linked to. The boundary lies in one
other cluster, its parent. Isomorphic subtrees below one parent are kept once, with their number.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.joints.network.elimination import Bucket, check_messages
from dalenius.joints.network.isomorphism import Subtrees
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses


@final
@dataclass(frozen=True)
class Average:
    """For each state of some nodes, the compatible states of other nodes and their log-probabilities given it."""

    states: tuple[IntArray, ...]
    log_weights: tuple[Array, ...]


@final
@dataclass(frozen=True)
class _Child:
    """A cluster's children with isomorphic subtrees: the node of one of them, and how many there are.

    place (core states,): the state of the child's boundary in each state of the core; average: over the core's states,
    by the boundary's.
    """

    node: int
    count: int
    place: IntArray
    average: Average


@final
@dataclass(frozen=True)
class Cluster:
    """The *core* of a cluster is its node with all its children's boundaries, in the states of positive probability.

    value (core states,): the node's value; up: over the core, by the boundary's states; down: over the boundary, by
    the core's. secrets: the node's values of positive probability, with log_prior. by_value: over the boundary of the
    `nearest` child (an index; without children, over the core), by the node's values. summed: the most terms that any
    of these probabilities is a sum of.
    """

    node: int
    value: IntArray
    up: Average
    down: Average
    children: tuple[_Child, ...]
    secrets: tuple[int, ...]
    log_prior: Array
    nearest: int | None
    by_value: Average
    summed: int


@final
@dataclass(frozen=True)
class Tree:
    """The clusters in the order of elimination, the last is the root; none where no state is possible.

    like: for every node, its class representative: an exchangeable node with a cluster.
    """

    clusters: tuple[Cluster, ...]
    like: Mapping[int, int]


def tree_of(buckets: Sequence[Bucket], conditional: Mapping[int, Masses], kind: Mapping[int, object]) -> Tree:
    """One connected component's clusters.

    conditional: from `conditionals`; kind: nodes of different kinds are not exchangeable. TooLarge where messages
    between the clusters would take too long or not fit memory.
    """
    root = buckets[-1].node
    if not len(conditional[root].possible):
        return Tree((), {})
    subtrees = Subtrees(buckets, conditional, kind)
    boundary = {root: _Marginal((), Masses.of(np.ones(())))}
    like = {bucket.node: bucket.node for bucket in buckets}
    states = boundaries = 0
    found = []
    for bucket in reversed(buckets):
        if bucket.node not in boundary:
            continue
        states += len(conditional[bucket.node].possible)
        boundaries += len(boundary[bucket.node].weights.possible)
        check_messages(len(bucket.boundary), len(buckets), states, boundaries)
        groups = subtrees.classes(bucket)
        for one, *others in groups:
            for other in others:
                like.update(zip(subtrees.within(other), subtrees.within(one), strict=True))
        found.append(_cluster(bucket, conditional[bucket.node], groups, boundary))
    for node in like:
        while like[node] not in boundary:
            like[node] = like[like[node]]
    return Tree(tuple(reversed(found)), like)


def _cluster(
    bucket: Bucket, conditional: Masses, groups: Sequence[Sequence[Bucket]], boundary: dict[int, "_Marginal"]
) -> Cluster:
    """groups: its children, grouped by isomorphic subtrees. boundary: the marginals of boundaries by node; those of
    its children's are added."""
    outside = boundary[bucket.node]
    clique = _Marginal((*bucket.boundary, bucket.node), conditional.times(outside.weights.with_last_axis()))
    core = clique.onto({bucket.node}.union(*(one.boundary for one, *_ in groups)))
    boundary |= {one.node: core.onto(one.boundary) for one, *_ in groups}
    below = [boundary[one.node] for one, *_ in groups]
    nearest = min(range(len(below)), key=lambda i: len(below[i].weights.possible), default=None)
    near = core if nearest is None else below[nearest]
    own = near.onto([bucket.node])
    of_core, of_outside = clique.places(core), clique.places(outside)
    given = np.minimum(conditional.at(clique.weights.possible).logs(), 0.0)
    return Cluster(
        node=bucket.node,
        value=core.coordinates()[bucket.node],
        up=_average(of_outside, of_core, given),
        down=_average(of_core, of_outside, clique.given(core)),
        children=tuple(
            _Child(group[0].node, len(group), core.places(one), _average_by(core, one))
            for group, one in zip(groups, below, strict=True)
        ),
        secrets=tuple(int(value) for value in own.weights.possible),
        log_prior=own.given(own.onto([])),
        nearest=nearest,
        by_value=_average_by(near, own),
        summed=clique.size // min(each.size for each in (own, *below)),
    )


def _average_by(whole: "_Marginal", part: "_Marginal") -> Average:
    """Over the states of `whole`, by those of its marginal `part`."""
    places = whole.places(part)
    return _average(places, np.arange(len(places)), whole.given(part))


def _average(by: IntArray, states: IntArray, logs: Array) -> Average:
    """Over states with log-probabilities; by (states,): the number of the state that each is averaged for."""
    order = np.argsort(by, kind="stable")
    ends = np.cumsum(np.bincount(by))[:-1]
    return Average(tuple(np.split(states[order], ends)), tuple(np.split(logs[order], ends)))


@final
@dataclass(frozen=True)
class _Marginal:
    """Probabilities of some nodes' states, an axis per node; states of positive probability are numbered in order."""

    nodes: tuple[int, ...]
    weights: Masses

    @property
    def size(self) -> int:
        return self.weights.mantissa.size

    def onto(self, nodes: Collection[int]) -> "_Marginal":
        """The marginal of these nodes, in the same order."""
        outside = tuple(axis for axis, node in enumerate(self.nodes) if node not in nodes)
        kept = tuple(node for node in self.nodes if node in nodes)
        return _Marginal(kept, self.weights.summed(outside)) if outside else self

    def coordinates(self) -> dict[int, IntArray]:
        """Each node's value in each state (states,)."""
        values = np.unravel_index(self.weights.possible, self.weights.mantissa.shape)
        return dict(zip(self.nodes, values, strict=True))

    def places(self, other: "_Marginal") -> IntArray:
        """The number of the state of a marginal of this one, in each state (states,)."""
        if other is self:
            return np.arange(len(self.weights.possible))
        own = self.coordinates()
        flat = np.zeros(len(self.weights.possible), dtype=np.int64)
        for node, size in zip(other.nodes, other.weights.mantissa.shape, strict=True):
            flat = flat * size + own[node]
        return np.searchsorted(other.weights.possible, flat)

    def given(self, other: "_Marginal") -> Array:
        """The log-probability of each state given its state in a marginal of this one (states,)."""
        rest = other.weights.at(other.weights.possible).at(self.places(other))
        return np.minimum(self.weights.at(self.weights.possible).over(rest).logs(), 0.0)
