"""Variable elimination: Pr[node | the linked nodes that are summed out later], for every node of a network.

With the nodes in an order of elimination the joint law is the product of these (Lauritzen & Spiegelhalter, J. R.
Statist. Soc. B 50(2), 1988). Sums and products of non-negative numbers only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.joints.network.elimination import Bucket
from dalenius.laws.law import Array
from dalenius.laws.masses import Masses


@final
@dataclass(frozen=True)
class Potential:
    """A factor of the joint law: Pr[node | parents], restricted to evidence. One axis per node."""

    nodes: tuple[int, ...]
    table: Array

    def given(self, known: Mapping[int, int]) -> "Potential":
        """The potential restricted to these values of these nodes."""
        table = self.table[tuple(known.get(node, slice(None)) for node in self.nodes)]
        return Potential(tuple(node for node in self.nodes if node not in known), np.asarray(table))


def conditionals(
    buckets: Sequence[Bucket],
    potentials: Sequence[Potential],
    sizes: Mapping[int, int],
    weights: Mapping[int, Masses] | None = None,
) -> dict[int, Masses]:
    """Pr[node | boundary]: axes are the boundary's nodes in order, then the node; 0 where the boundary is impossible.

    buckets: of one connected component; sizes: how many values each node has; weights: of some nodes, what else their
    values (k,) are weighed with. The last table is 0 where no state is
    possible. The product of all is the joint law up to 2 roundings for each node and each potential: every sum divides
    one table and multiplies another, as the same rounded number, and cancels.
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
        rest = product.summed((-1,))
        found[bucket.node] = product.over(rest.with_last_axis())
        if bucket.boundary:
            waiting[bucket.boundary[-1]].append((bucket.boundary, rest))
    return found
