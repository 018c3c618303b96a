"""The laws of a network's clusters: each node with its boundary, from the last summed out to the first."""

from collections.abc import Mapping, Sequence

from dalenius.joints.network.elimination import Bucket
from dalenius.laws.masses import Masses


def scope_of(bucket: Bucket) -> tuple[int, ...]:
    """The cluster's nodes, in the order of the axes of its law."""
    return (*bucket.boundary, bucket.node)


def cluster_laws(buckets: Sequence[Bucket], conditional: Mapping[int, Masses]) -> dict[int, Masses]:
    """By node, the law of its cluster, an axis per node of `scope_of`. conditional: from `conditionals`.

    What a cluster's law multiplies with is the sum over another's, as the same rounded number: along any path the
    quotients of laws and of their sums have single roundings only.
    """
    scopes = {bucket.node: scope_of(bucket) for bucket in buckets}
    found: dict[int, Masses] = {}
    for bucket in reversed(buckets):
        law = conditional[bucket.node]
        if bucket.boundary:
            near = bucket.boundary[-1]
            law = law.times(marginal(scopes[near], found[near], bucket.boundary).with_last_axis())
        found[bucket.node] = law
    return found


def marginal(nodes: Sequence[int], law: Masses, kept: Sequence[int]) -> Masses:
    """Of these of the nodes, which are in the same order."""
    outside = tuple(axis for axis, node in enumerate(nodes) if node not in kept)
    return law.summed(outside) if outside else law
