"""A connected component of a network, and its variable elimination."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.network.cliques import cliques_of
from dalenius.joints.network.conditionals import Potential, conditionals
from dalenius.joints.network.elimination import Bucket, eliminated
from dalenius.joints.network.junction_tree import Tree, tree_of
from dalenius.joints.network.marginals import cluster_laws, marginal, scope_of
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses

MANY: Final = 2.0**200
"""More assignments than any use."""


@final
class Component:
    """nodes: in order; kind: nodes of different kinds are not exchangeable. Results are cached.

    TooLarge from every member that sums out nodes, where the tables would not fit memory.
    """

    def __init__(self, nodes: tuple[int, ...], potentials: Sequence[Potential], kind: Mapping[int, int]) -> None:
        self.nodes = nodes
        self.potentials = tuple(potentials)
        self._kind = {node: kind[node] for node in nodes}
        self.sizes = {n: size for each in potentials for n, size in zip(each.nodes, each.table.shape, strict=True)}

    @property
    def signature(self) -> object:
        """Equal for components that are the same up to their nodes' numbers."""
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
        """An error bound for log Pr[remaining nodes | a node's value] and log Pr[the value] together.

        Both are quotients of sums of products of the tables' entries, which have two roundings each. With p
        potentials, b nodes, f = p + b factors and t terms the first has 2f + 6b + t of its own and the second
        2f + 4b + 2t, since a divisor and the factor it cancels are the same rounded number (see `conditionals`).
        """
        terms = sum(self.sizes.values()) + sum(cluster.summed for cluster in self.tree.clusters)
        return float(UNIT * (12 * len(self.potentials) + 15 * len(self.nodes) + 3 * terms))

    @cached_property
    def cliques(self) -> tuple[tuple[tuple[int, ...], ...], tuple[Masses, ...], IntArray, float]:
        """The places in `nodes` of each clique's nodes, their laws, each clique's neighbour on the way to the first, -1
        of the first, and the relative error of the laws, which are sums of products of the tables' entries."""
        place = {node: i for i, node in enumerate(self.nodes)}
        found = cliques_of(self.buckets, self._conditionals)
        cells = sum(law.mantissa.size for _, law, _ in found) + sum(self.sizes.values())
        error = UNIT * (16 * len(self.potentials) + 16 * len(self.nodes) + 8 * cells)
        records = tuple(tuple(place[node] for node in nodes) for nodes, _, _ in found)
        return records, tuple(law for _, law, _ in found), np.array([parent for *_, parent in found]), float(error)

    @cached_property
    def buckets(self) -> tuple[Bucket, ...]:
        """Its nodes in the order of elimination."""
        return eliminated([potential.nodes for potential in self.potentials], self.sizes)

    @cached_property
    def _conditionals(self) -> dict[int, Masses]:
        return conditionals(self.buckets, self.potentials, self.sizes)

    @property
    def possible(self) -> bool:
        """Whether any state is."""
        return bool(len(self._conditionals[self.buckets[-1].node].possible))

    @cached_property
    def laws(self) -> dict[int, Masses]:
        """See `cluster_laws`; all 0 where no state is possible."""
        return cluster_laws(self.buckets, self._conditionals)

    @cached_property
    def marginals(self) -> dict[int, Masses]:
        """By node its law."""
        return self._marginals(self.laws)

    def tilted(self, weights: Mapping[int, Masses]) -> dict[int, Masses]:
        """By node its law where some nodes' values are weighed (k,)."""
        found = conditionals(self.buckets, self.potentials, self.sizes, weights)
        return self._marginals(cluster_laws(self.buckets, found))

    def _marginals(self, laws: Mapping[int, Masses]) -> dict[int, Masses]:
        return {each.node: marginal(scope_of(each), laws[each.node], (each.node,)) for each in self.buckets}

    @property
    def law_error(self) -> float:
        """Of the laws of clusters, relatively: see `cliques`."""
        cells = sum(prod(self.sizes[n] for n in scope_of(each)) for each in self.buckets)
        return float(UNIT * (16 * len(self.potentials) + 16 * len(self.nodes) + 8 * cells))

    def outcome_count(self) -> float:
        """How many assignments have positive probability, or MANY."""
        ways: dict[int, Array] = {}
        for cluster in self.tree.clusters:
            rows = np.ones(len(cluster.value))
            for child in cluster.children:
                with np.errstate(over="ignore"):
                    rows = np.minimum(rows * ways[child.node][child.place] ** child.count, MANY)
            ways[cluster.node] = np.array([min(rows[states].sum(), MANY) for states in cluster.up.states])
        return float(ways[self.root][0])

    def outcomes(self) -> tuple[IntArray, Array]:
        """These assignments: values (rows, nodes) and log-probabilities; the node summed out last varies slowest."""
        values: dict[int, IntArray] = {}
        logs = np.zeros(1)
        conditional = self._conditionals
        for bucket in reversed(self.buckets):
            chances = conditional[bucket.node].logs()[tuple(values[node] for node in bucket.boundary)]
            row, value = np.nonzero(np.atleast_2d(chances) > -np.inf)
            values = {node: column[row] for node, column in values.items()} | {bucket.node: value}
            logs = logs[row] + np.atleast_2d(chances)[row, value]
        return np.stack([values[node] for node in self.nodes], axis=1), logs
