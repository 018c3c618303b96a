"""The cliques of a network and their laws, from the root outwards."""

from collections.abc import Mapping, Sequence

from dalenius.joints.network.elimination import Bucket
from dalenius.laws.masses import Masses


def cliques_of(
    buckets: Sequence[Bucket], conditional: Mapping[int, Masses]
) -> list[tuple[tuple[int, ...], Masses, int]]:
    """Of one component: each maximal clique's nodes, their law, and the index of its neighbour on the way to the first,
    -1 of the first.

    A node and its boundary are a clique; where the boundary is all of a clique that is there already, they take its
    place. conditional: from `conditionals`.
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
        law = conditional[bucket.node].times(_onto(nodes[near], laws[near], bucket.boundary).with_last_axis())
        if set(bucket.boundary) == set(nodes[near]):
            home[bucket.node], nodes[near], laws[near] = near, scope, law
        else:
            home[bucket.node] = len(nodes)
            nodes.append(scope)
            laws.append(law)
            parents.append(near)
    return list(zip(nodes, laws, parents, strict=True))


def _onto(nodes: Sequence[int], law: Masses, kept: Sequence[int]) -> Masses:
    """The marginal of these nodes, which are in the same order."""
    outside = tuple(axis for axis, node in enumerate(nodes) if node not in kept)
    return law.summed(outside) if outside else law
