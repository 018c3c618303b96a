"""A network's junction tree: a tree of clusters, with the weights by which messages between them are averaged.

Nodes are summed out one after another, the one that links fewest new pairs first. A *cluster* is a node with its
*boundary*: the nodes summed out after it that it is linked to. The boundary lies in one other cluster, its parent.
Isomorphic subtrees below one parent have exchangeable nodes, and are kept once, with their number (Result 4.3): one
stands for a hundred patients of one doctor.
"""

import heapq
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.joints.tree_limits import Bucket, check_messages, check_tables, fit_messages, is_hopeless
from dalenius.laws.extended_range import Masses
from dalenius.laws.generating_function_algebra import Average


def connected_parts(families: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Returns the nodes of each connected component, in order; components in the order of their first nodes.

    families: nodes that share a conditional probability table; every node is in one.
    """
    adjacent = _linked(families)
    visited: set[int] = set()
    found = []
    for first in sorted(adjacent):
        if first not in visited:
            component, waiting = {first}, [first]
            while waiting:
                fresh = adjacent[waiting.pop()] - component
                component |= fresh
                waiting += fresh
            visited |= component
            found.append(tuple(sorted(component)))
    return tuple(found)


def eliminated(families: Sequence[Sequence[int]], sizes: Mapping[int, int]) -> tuple[Bucket, ...]:
    """Returns the buckets of one connected component's nodes, in the order of elimination; the last has no boundary.

    families: as for `connected_parts`; sizes: how many values each node has. TooLarge where the cliques' tables would
    not fit memory, before any of them is made.

    A parent of two nodes, and a fourth node with these two as parents: 0 goes first and links 1 and 2.

    >>> for each in eliminated([(0,), (0, 1), (0, 2), (1, 2, 3)], dict.fromkeys(range(4), 2)):
    ...     print(each.node, each.boundary)
    0 (2, 1)
    1 (3, 2)
    2 (3,)
    3 ()
    """
    adjacent = _linked(families)
    found = []
    for bucket in _in_order(adjacent, sizes):
        found.append(bucket)
        # Because one clique past any machine is enough; ordering so dense a graph would take long.
        if is_hopeless(bucket, sizes):
            break
    check_tables(found, sizes)
    place = {bucket.node: i for i, bucket in enumerate(found)}
    return tuple(Bucket(b.node, tuple(sorted(b.boundary, key=place.__getitem__, reverse=True))) for b in found)


def _linked(families: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """Returns the moral graph: members of a family are linked to each other."""
    adjacent: dict[int, set[int]] = {node: set() for family in families for node in family}
    for family in families:
        for node in family:
            adjacent[node].update(family)
    for node, around in adjacent.items():
        around.discard(node)
    return adjacent


def _in_order(adjacent: dict[int, set[int]], sizes: Mapping[int, int]) -> Iterator[Bucket]:
    """Yields trees from their leaves inwards, then the node that links fewest new pairs; ties: fewest states."""
    left = set(adjacent)
    # So that trees, which most networks of households and contacts are, cost no heap; only cycles are left.
    leaves = deque(node for node in sorted(left) if len(adjacent[node]) <= 1)
    while leaves:
        node = leaves.popleft()
        if node in left:
            left.remove(node)
            yield Bucket(node, tuple(adjacent[node]))
            for other in adjacent[node]:
                adjacent[other].discard(node)
                if len(adjacent[other]) <= 1:
                    leaves.append(other)
    cost = {node: _cost(node, adjacent, sizes) for node in left}
    waiting = [(each, node) for node, each in cost.items()]
    heapq.heapify(waiting)
    while waiting:
        known, node = heapq.heappop(waiting)
        # Because the heap has no other way to lower a key, a node is queued anew whenever its cost changes.
        if cost.get(node) == known:  # else it was queued again, or is summed out
            del cost[node]
            yield Bucket(node, tuple(adjacent[node]))
            for other in _without(node, adjacent):
                cost[other] = _cost(other, adjacent, sizes)
                heapq.heappush(waiting, (cost[other], other))


def _cost(node: int, adjacent: Mapping[int, set[int]], sizes: Mapping[int, int]) -> tuple[int, int]:
    # The cost is twice the pairs of neighbours that are not linked yet, then the states of the clique.
    around = adjacent[node]
    linked = sum(len(around & adjacent[other]) for other in around)
    return len(around) * (len(around) - 1) - linked, sizes[node] * prod(sizes[other] for other in around)


def _without(node: int, adjacent: Mapping[int, set[int]]) -> set[int]:
    """Removes a node and links its neighbours; returns the nodes whose cost changes."""
    around = adjacent[node]
    changed = set(around)
    for other in around:
        adjacent[other].discard(node)
    for one, other in combinations(around, 2):
        if other not in adjacent[one]:
            changed |= adjacent[one] & adjacent[other]
            adjacent[one].add(other)
            adjacent[other].add(one)
    return changed


@final
class Subtrees:
    """The subtree of each node: it and all nodes summed out through it.

    Its parent is the node of its boundary that is summed out first. Two are isomorphic if they have the same
    conditional probabilities, digit for digit, of nodes of the same kind.
    """

    def __init__(
        self, buckets: Sequence[Bucket], conditional: Mapping[int, Masses], kind: Mapping[int, object]
    ) -> None:
        """Goes from the leaves inwards, so that a node's subtree has its class when its parent is reached."""
        # By node: the size of its subtree, its children, and the number of its isomorphism class.
        self._size = {bucket.node: 1 for bucket in buckets}
        self._children: dict[int, list[Bucket]] = {bucket.node: [] for bucket in buckets}
        self._shape: dict[int, int] = {}
        known: dict[object, int] = {}
        for bucket in buckets:
            node, table = bucket.node, conditional[bucket.node]
            own = tuple(sorted(self._key(bucket, child) for child in self._children[node]))
            # Because two subtrees that are alike up to rounding may stay two, at a cost of time and not of correctness:
            # numbers are compared digit for digit.
            numbers = table.mantissa.shape, table.mantissa.tobytes(), table.exponent.tobytes()
            self._shape[node] = known.setdefault((kind[node], numbers, own), len(known))
            if bucket.boundary:
                self._children[bucket.boundary[-1]].append(bucket)
                self._size[bucket.boundary[-1]] += self._size[node]

    def _key(self, parent: Bucket, child: Bucket) -> tuple[int, tuple[int, ...]]:
        """Returns the isomorphism class of the child's subtree, and its boundary's places in the parent's cluster."""
        scope = (*parent.boundary, parent.node)
        return self._shape[child.node], tuple(scope.index(node) for node in child.boundary)

    def classes(self, bucket: Bucket) -> list[list[Bucket]]:
        """Returns the children of `bucket`, grouped by isomorphic subtrees; small subtrees first."""
        groups: dict[object, list[Bucket]] = {}
        for child in sorted(self._children[bucket.node], key=lambda child: (self._size[child.node], child.node)):
            groups.setdefault(self._key(bucket, child), []).append(child)
        return list(groups.values())

    def within(self, bucket: Bucket) -> Iterator[int]:
        """Yields the nodes of the subtree of `bucket`, in an order that is the same for isomorphic subtrees."""
        waiting = [bucket]
        while waiting:
            here = waiting.pop()
            yield here.node
            waiting += sorted(self._children[here.node], key=lambda child: self._key(here, child))


@final
@dataclass(frozen=True)
class _Child:
    """Children of a cluster with isomorphic subtrees.

    Args:
        node: The node of one of them.
        count: How many there are.
        place: The state of the child's boundary in each state of the core (core states,).
        average: The average over the core's states, by the boundary's.
    """

    node: int
    count: int
    place: IntArray
    average: Average


@final
@dataclass(frozen=True)
class Cluster:
    """A cluster; its *core* is its node with all its children's boundaries, in the states of positive probability.

    Args:
        node: The number of its node in the network.
        value: The node's value (core states,).
        up: Averages over the core, by the boundary's states.
        down: Averages over the boundary, by the core's states.
        children: The clusters below it, with how many are alike.
        secrets: The node's values of positive probability.
        log_prior: The log-probabilities of these values, in the same order.
        nearest: An index of a child; None without children.
        by_value: Averages over the boundary of the nearest child (without children, over the core), by the node's
            values.
        summed: The most terms that any of these probabilities is a sum of.
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
    """Makes the clusters of one connected component.

    TooLarge where messages between the clusters would take too long or not fit memory.

    Args:
        buckets: The component's nodes in the order of elimination.
        conditional: Pr[node | boundary] by node, from `conditionals`.
        kind: Each node's kind; nodes of different kinds are not exchangeable.
    """
    root = buckets[-1].node
    # The case of known records that contradict each other: the caller names them.
    if not len(conditional[root].possible):
        return Tree((), {})
    subtrees = Subtrees(buckets, conditional, kind)
    boundary = {root: _Marginal((), Masses.of(np.ones(())))}
    like = {bucket.node: bucket.node for bucket in buckets}
    states = boundaries = 0
    found = []
    for bucket in reversed(buckets):
        # The case of a subtree that another one stands for: no cluster is made.
        if bucket.node not in boundary:
            continue
        states += len(conditional[bucket.node].possible)
        boundaries += len(boundary[bucket.node].weights.possible)
        if not fit_messages(len(buckets), states, boundaries):
            shapes = {each.node: conditional[each.node].mantissa.shape for each in buckets}
            check_messages(buckets, shapes, sum(len(conditional[each.node].possible) for each in buckets))
        groups = subtrees.classes(bucket)
        for one, *others in groups:
            for other in others:
                like.update(zip(subtrees.within(other), subtrees.within(one), strict=True))
        found.append(_cluster(bucket, conditional[bucket.node], groups, boundary))
    for node in like:
        # Because a node's representative may itself lie in a subtree that is represented by another.
        while like[node] not in boundary:
            like[node] = like[like[node]]
    return Tree(tuple(reversed(found)), like)


def _cluster(
    bucket: Bucket, conditional: Masses, groups: Sequence[Sequence[Bucket]], boundary: dict[int, "_Marginal"]
) -> Cluster:
    """Makes one cluster.

    groups: its children, grouped by isomorphic subtrees. boundary: the marginals of boundaries by node; those of its
    children's are added.
    """
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


def _average_by(joint: "_Marginal", part: "_Marginal") -> Average:
    """Averages over the states of `joint`, by those of its marginal `part`."""
    places = joint.places(part)
    return _average(places, np.arange(len(places)), joint.given(part))


def _average(by: IntArray, states: IntArray, logs: Array) -> Average:
    """Averages over states with log-probabilities; by (states,): the number of the state that each is averaged for."""
    order = np.argsort(by, kind="stable")
    ends = np.cumsum(np.bincount(by))
    return Average(states[order], logs[order], np.concatenate([[0], ends[:-1]]))


@final
@dataclass(frozen=True)
class _Marginal:
    """The probabilities of some nodes' states, with an axis for each node.

    States of positive probability are numbered in order.
    """

    nodes: tuple[int, ...]
    weights: Masses

    @property
    def size(self) -> int:
        return self.weights.mantissa.size

    def onto(self, nodes: Collection[int]) -> "_Marginal":
        """Returns the marginal of these nodes, in the same order."""
        outside = tuple(axis for axis, node in enumerate(self.nodes) if node not in nodes)
        kept = tuple(node for node in self.nodes if node in nodes)
        return _Marginal(kept, self.weights.summed(outside)) if outside else self

    def coordinates(self) -> dict[int, IntArray]:
        """Returns each node's value in each state (states,)."""
        values = np.unravel_index(self.weights.possible, self.weights.mantissa.shape)
        return dict(zip(self.nodes, values, strict=True))

    def places(self, other: "_Marginal") -> IntArray:
        """Returns the number of the state of `other`, a marginal of this one, in each state (states,)."""
        if other is self:
            return np.arange(len(self.weights.possible))
        own = self.coordinates()
        flat = np.zeros(len(self.weights.possible), dtype=np.int64)
        for node, size in zip(other.nodes, other.weights.mantissa.shape, strict=True):
            flat = flat * size + own[node]
        return np.searchsorted(other.weights.possible, flat)

    def given(self, other: "_Marginal") -> Array:
        """Returns the log-probability of each state given its state in `other`, a marginal of this one (states,)."""
        rest = other.weights.at(other.weights.possible).at(self.places(other))
        return np.minimum(self.weights.at(self.weights.possible).over(rest).logs(), 0.0)
