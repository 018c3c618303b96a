"""Connected components of a network: variable elimination, the laws of clusters, and messages between them.

Messages are in any transform's algebra, for all nodes at once (Theory §4). With the nodes in an order of elimination
the joint law is the product of Pr[node | the linked nodes that are summed out later] (Lauritzen & Spiegelhalter, J.
R. Statist. Soc. B 50(2), 1988). Every message is an expectation given the state of a boundary, weighted by such
conditional probabilities: only sums and products of non-negative numbers, no message is divided or subtracted, and
states of probability 0 have none. So the rarest state keeps its digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.joints.junction_tree import Cluster, Tree, eliminated, tree_of
from dalenius.joints.tree_limits import Bucket
from dalenius.laws.extended_range import Masses
from dalenius.laws.generating_function_algebra import Element, ElementTable, RowAlgebra, leave_one_out
from dalenius.progress import steps


def _cliques_of(
    buckets: Sequence[Bucket], conditional: Mapping[int, Masses]
) -> list[tuple[tuple[int, ...], Masses, int]]:
    """Returns each maximal clique's nodes, their law, and its neighbour towards the first (-1 for the first).

    The neighbour is an index. A node and its boundary are a clique; where the boundary is all of a clique that is
    there already, they take its place. conditional: from `conditionals`.
    """
    nodes: list[tuple[int, ...]] = []
    laws: list[Masses] = []
    parents: list[int] = []
    home: dict[int, int] = {}
    for bucket in reversed(buckets):
        scope = (*bucket.boundary, bucket.node)
        if not bucket.boundary:
            home[bucket.node] = 0
            nodes, laws, parents = [scope], [conditional[bucket.node]], [-1]
            continue
        near = home[bucket.boundary[-1]]
        law = conditional[bucket.node].times(_marginal(nodes[near], laws[near], bucket.boundary).with_last_axis())
        # The case of all of that clique and one node more: one clique, e.g. a household whose members are all linked.
        if set(bucket.boundary) == set(nodes[near]):
            home[bucket.node], nodes[near], laws[near] = near, scope, law
        else:
            home[bucket.node] = len(nodes)
            nodes.append(scope)
            laws.append(law)
            parents.append(near)
    return list(zip(nodes, laws, parents, strict=True))


Messages: TypeAlias = dict[int, ElementTable]
"""Messages by a cluster's node: a row per state of its boundary."""
Factors: TypeAlias = Mapping[int, ElementTable]
"""Factors by node: a row per value."""


def inward(
    rows: RowAlgebra[Element, ElementTable], clusters: Sequence[Cluster], factors: Factors[ElementTable]
) -> Messages[ElementTable]:
    """Returns E[ prod of factors of a node and of all nodes summed out through it | its boundary ].

    That of the root is the total.

    Args:
        rows: The algebra of the averages, on tables.
        clusters: The clusters in the order of elimination.
        factors: By node, a row per value.
    """
    messages: Messages[ElementTable] = {}
    for cluster in steps("messages inwards", clusters):
        inside = partial(_inside, rows, cluster, factors, messages)
        (messages[cluster.node],) = rows.averaged(inside, len(cluster.value), [cluster.up])
    return messages


def _inside(
    rows: RowAlgebra[Element, ElementTable],
    cluster: Cluster,
    factors: Factors[ElementTable],
    messages: Messages[ElementTable],
    some: slice,
) -> list[ElementTable]:
    """Returns the product of the node's own factor and all messages from below, in some states of the core."""
    own = rows.take(factors[cluster.node], cluster.value[some])
    if not cluster.children:
        return [own]
    below = [rows.take(messages[child.node], child.place[some]) for child in cluster.children]
    # Because children with isomorphic subtrees, as a doctor's hundred patients, are one message and its power.
    return [rows.product([own, *below], [1, *(child.count for child in cluster.children)])]


def outward(
    rows: RowAlgebra[Element, ElementTable],
    clusters: Sequence[Cluster],
    factors: Factors[ElementTable],
    inner: Messages[ElementTable],
) -> Messages[ElementTable]:
    """Returns E[ prod of factors of all nodes but a node and those summed out through it | its boundary ].

    The root has none. `rows`, `clusters` and `factors` are as for `inward`, and `inner` has its messages.
    """
    messages: Messages[ElementTable] = {}
    for cluster in steps("messages outwards", clusters[::-1]):
        # The case of a leaf, with nobody to send a message to.
        if not cluster.children:
            continue
        around = partial(_around, rows, cluster, factors, inner, messages)
        averages = [child.average for child in cluster.children]
        found = rows.averaged(around, len(cluster.value), averages)
        messages |= zip((child.node for child in cluster.children), found, strict=True)
    return messages


def given_each_value(
    rows: RowAlgebra[Element, ElementTable],
    cluster: Cluster,
    factors: Factors[ElementTable],
    inner: Messages[ElementTable],
    outer: Messages[ElementTable],
) -> list[Element]:
    """Returns E[ prod of all factors | the cluster's node = value ], for each of its values.

    `rows` and `factors` are as for `inward`; `inner` and `outer` have the messages inwards and outwards.
    """
    # The case of a leaf: all nodes beyond it, and its own factor.
    if cluster.nearest is None:
        (found,) = rows.averaged(
            lambda some: [_beyond(rows, cluster, factors, outer, some)], len(cluster.value), [cluster.by_value]
        )
        return rows.elements(found)
    near = cluster.children[cluster.nearest]
    states = np.arange(len(near.average.starts))

    def total(some: slice) -> list[ElementTable]:
        return [rows.product([rows.take(each[near.node], states[some]) for each in (inner, outer)], [1, 1])]

    (found,) = rows.averaged(total, len(states), [cluster.by_value])
    return rows.elements(found)


def _beyond(
    rows: RowAlgebra[Element, ElementTable],
    cluster: Cluster,
    factors: Factors[ElementTable],
    outer: Messages[ElementTable],
    some: slice,
) -> ElementTable:
    """Returns E[ prod of factors of the node and of all not summed out through it | states of its core ]."""
    own = rows.take(factors[cluster.node], cluster.value[some])
    # The case of the root: no node is beyond it.
    if cluster.node not in outer:
        return own
    return rows.product([own, rows.mix(outer[cluster.node], cluster.down.of(some))], [1, 1])


def _around(
    rows: RowAlgebra[Element, ElementTable],
    cluster: Cluster,
    factors: Factors[ElementTable],
    inner: Messages[ElementTable],
    outer: Messages[ElementTable],
    some: slice,
) -> list[ElementTable]:
    """Returns, for each child, in `some` core states, the product of all beyond it with one factor fewer of it."""
    own = _beyond(rows, cluster, factors, outer, some)
    below = [rows.take(inner[child.node], child.place[some]) for child in cluster.children]
    counts = [child.count for child in cluster.children]
    # The case of a chain within a network: one child, and nothing else to leave out.
    if counts == [1]:
        return [own]
    if counts == [1, 1]:
        return [rows.product([own, other], [1, 1]) for other in reversed(below)]
    return leave_one_out(rows, [own, *below], [1, *counts])[1:]


def scope_of(bucket: Bucket) -> tuple[int, ...]:
    """Returns the nodes of the cluster of `bucket`, in the order of the axes of its law."""
    return (*bucket.boundary, bucket.node)


def _cluster_laws(buckets: Sequence[Bucket], conditional: Mapping[int, Masses]) -> dict[int, Masses]:
    """Returns the law of each node's cluster, an axis per node of `scope_of`. conditional: from `conditionals`.

    A cluster's law multiplies with the sum over another's, as the same rounded number: along any path the quotients
    of laws and of their sums have single roundings only.
    """
    scopes = {bucket.node: scope_of(bucket) for bucket in buckets}
    found: dict[int, Masses] = {}
    for bucket in reversed(buckets):
        law = conditional[bucket.node]
        if bucket.boundary:
            near = bucket.boundary[-1]
            law = law.times(_marginal(scopes[near], found[near], bucket.boundary).with_last_axis())
        found[bucket.node] = law
    return found


def _marginal(nodes: Sequence[int], law: Masses, kept: Sequence[int]) -> Masses:
    """Returns the marginal law of the nodes `kept`, which are in the same order."""
    outside = tuple(axis for axis, node in enumerate(nodes) if node not in kept)
    return law.summed(outside) if outside else law


@final
@dataclass(frozen=True)
class Potential:
    """A factor of the joint law: Pr[node | parents], restricted to evidence. One axis per node."""

    nodes: tuple[int, ...]
    table: Array

    def given(self, known: Mapping[int, int]) -> "Potential":
        """Returns the potential restricted to the `known` values of some nodes."""
        table = self.table[tuple(known.get(node, slice(None)) for node in self.nodes)]
        return Potential(tuple(node for node in self.nodes if node not in known), np.asarray(table))


def conditionals(
    buckets: Sequence[Bucket],
    potentials: Sequence[Potential],
    sizes: Mapping[int, int],
    weights: Mapping[int, Masses] | None = None,
) -> dict[int, Masses]:
    """Returns Pr[node | boundary], 0 where the boundary is impossible.

    Axes are the boundary's nodes in order, then the node. The last table is 0 where no state is possible. The product
    of all is the joint law up to 2 roundings for each node and each potential: every sum divides one table and
    multiplies another, as the same rounded number, and cancels.

    Rain with probability 1/2, and an umbrella that somebody has with .1 if it is dry and .8 if not. The rain is
    summed out first: without an umbrella it is dry with .45/.55.

    >>> tables = [Potential((0,), np.array([0.5, 0.5])), Potential((0, 1), np.array([[0.9, 0.1], [0.2, 0.8]]))]
    >>> found = conditionals(eliminated([(0,), (0, 1)], {0: 2, 1: 2}), tables, {0: 2, 1: 2})
    >>> found[0].doubles().round(4).tolist(), found[1].doubles().round(4).tolist()
    ([[0.8182, 0.1818], [0.1111, 0.8889]], [0.55, 0.45])

    Args:
        buckets: The nodes of one connected component in the order of elimination.
        potentials: The factors of the law.
        sizes: How many values each node has.
        weights: Further weights of some nodes' values (k,); None: none.
    """
    place = {bucket.node: i for i, bucket in enumerate(buckets)}
    waiting: dict[int, list[tuple[tuple[int, ...], Masses]]] = {bucket.node: [] for bucket in buckets}
    for potential in potentials:
        axes = sorted(range(len(potential.nodes)), key=lambda i: -place[potential.nodes[i]])
        nodes = tuple(potential.nodes[i] for i in axes)
        waiting[nodes[-1]].append((nodes, Masses.of(potential.table.transpose(axes))))
    found = {}
    for bucket in buckets:
        scope = (*bucket.boundary, bucket.node)
        product = Masses.of(np.ones(tuple(sizes[node] for node in scope)))
        for nodes, factor in waiting.pop(bucket.node):
            product = product.times(factor.reshaped(tuple(sizes[n] if n in nodes else 1 for n in scope)))
        if weights is not None and bucket.node in weights:
            product = product.times(weights[bucket.node])
        # Because impossible boundaries have a sum of 0 over this node's values, and a quotient of 0 (`Masses.over`).
        rest = product.summed((-1,))
        # Because the divisor of the node's table multiplies the table of the node that is summed out next: one rounded
        # number, twice.
        found[bucket.node] = product.over(rest.with_last_axis())
        if bucket.boundary:
            waiting[bucket.boundary[-1]].append((bucket.boundary, rest))
    return found


_MANY: Final = 2.0**200
"""Number of assignments that is more than any use."""


@final
class Component:
    """A connected component: its conditional laws and the messages' tree, each made when first needed.

    nodes: in order; kind: nodes of different kinds are not exchangeable. Results are cached. TooLarge from every
    member that sums out nodes, where the tables would not fit memory.
    """

    def __init__(self, nodes: tuple[int, ...], potentials: Sequence[Potential], kind: Mapping[int, int]) -> None:
        self.nodes = nodes
        self.potentials = tuple(potentials)
        self._kind = {node: kind[node] for node in nodes}
        self.sizes = {n: size for each in potentials for n, size in zip(each.nodes, each.table.shape, strict=True)}

    @property
    def signature(self) -> object:
        """A key that is equal for components that are the same up to their nodes' numbers."""
        place = {node: i for i, node in enumerate(self.nodes)}
        tables = ((tuple(place[n] for n in p.nodes), p.table.shape, p.table.tobytes()) for p in self.potentials)
        return tuple(self._kind.values()), tuple(tables)

    @cached_property
    def tree(self) -> Tree:
        """The junction tree; without clusters where no state is possible."""
        return tree_of(self.buckets, self._conditionals, self._kind)

    @property
    def root(self) -> int:
        """The node whose inward message is of all nodes."""
        return self.tree.clusters[-1].node

    @cached_property
    def error(self) -> float:
        """A bound on the errors of log Pr[remaining nodes | a node's value] and log Pr[the value] together.

        Both are quotients of sums of products of the tables' entries, which have two roundings each. With p
        potentials, b nodes, f = p + b factors and t terms the first has 2f + 6b + t of its own and the second 2f + 4b
        + 2t, since a divisor and the factor it cancels are the same rounded number (see `conditionals`).
        """
        terms = sum(self.sizes.values()) + sum(cluster.summed for cluster in self.tree.clusters)
        return float(UNIT * (12 * len(self.potentials) + 15 * len(self.nodes) + 3 * terms))

    @cached_property
    def cliques(self) -> tuple[tuple[tuple[int, ...], ...], tuple[Masses, ...], IntArray, float]:
        """The cliques: places in `nodes`, laws, each one's neighbour towards the first, and the laws' error.

        The neighbour of the first is -1. The laws are sums of products of the tables' entries; the error is relative.
        """
        place = {node: i for i, node in enumerate(self.nodes)}
        found = _cliques_of(self.buckets, self._conditionals)
        cells = sum(law.mantissa.size for _, law, _ in found) + sum(self.sizes.values())
        error = UNIT * (16 * len(self.potentials) + 16 * len(self.nodes) + 8 * cells)
        records = tuple(tuple(place[node] for node in nodes) for nodes, _, _ in found)
        return records, tuple(law for _, law, _ in found), np.array([parent for *_, parent in found]), float(error)

    @cached_property
    def buckets(self) -> tuple[Bucket, ...]:
        """The nodes in the order of elimination."""
        return eliminated([potential.nodes for potential in self.potentials], self.sizes)

    @cached_property
    def _conditionals(self) -> dict[int, Masses]:
        return conditionals(self.buckets, self.potentials, self.sizes)

    @property
    def possible(self) -> bool:
        """Whether any state is possible."""
        return bool(len(self._conditionals[self.buckets[-1].node].possible))

    @cached_property
    def laws(self) -> dict[int, Masses]:
        """The laws of clusters by node (see `_cluster_laws`); all 0 where no state is possible."""
        return _cluster_laws(self.buckets, self._conditionals)

    @cached_property
    def marginals(self) -> dict[int, Masses]:
        """The law of each node, by node."""
        return self._marginals(self.laws)

    def tilted(self, weights: Mapping[int, Masses]) -> dict[int, Masses]:
        """Returns the law of each node where the values of some are weighed by `weights` (k,), by node."""
        found = conditionals(self.buckets, self.potentials, self.sizes, weights)
        return self._marginals(_cluster_laws(self.buckets, found))

    def _marginals(self, laws: Mapping[int, Masses]) -> dict[int, Masses]:
        return {each.node: _marginal(scope_of(each), laws[each.node], (each.node,)) for each in self.buckets}

    @cached_property
    def law_error(self) -> float:
        """The relative error of the laws of clusters: see `cliques`."""
        cells = sum(prod(self.sizes[n] for n in scope_of(each)) for each in self.buckets)
        return float(UNIT * (16 * len(self.potentials) + 16 * len(self.nodes) + 8 * cells))

    def outcome_count(self) -> float:
        """Returns how many assignments have positive probability, or MANY."""
        ways: dict[int, Array] = {}
        for cluster in self.tree.clusters:
            rows = np.ones(len(cluster.value))
            for child in cluster.children:
                # Because the power of a hundred children alike may overflow to infinity, which the cap takes for MANY.
                with np.errstate(over="ignore"):
                    rows = np.minimum(rows * ways[child.node][child.place] ** child.count, _MANY)
            ways[cluster.node] = np.minimum(np.add.reduceat(rows[cluster.up.states], cluster.up.starts), _MANY)
        return float(ways[self.root][0])

    def outcomes(self) -> tuple[IntArray, Array]:
        """Returns these assignments: values (rows, nodes) and logs (rows,); the node summed out last varies slowest."""
        values: dict[int, IntArray] = {}
        logs = np.zeros(1)
        conditional = self._conditionals
        for bucket in reversed(self.buckets):
            chances = conditional[bucket.node].logs()[tuple(values[node] for node in bucket.boundary)]
            # Because the root has no boundary, its chances are one row. Impossible values are dropped as soon as they
            # are met.
            row, value = np.nonzero(np.atleast_2d(chances) > -np.inf)
            values = {node: column[row] for node, column in values.items()} | {bucket.node: value}
            logs = logs[row] + np.atleast_2d(chances)[row, value]
        return np.stack([values[node] for node in self.nodes], axis=1), logs
