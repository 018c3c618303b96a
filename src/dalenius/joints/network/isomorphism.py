"""Isomorphic subtrees of a network: their nodes are exchangeable, and one message serves all (Result 4.3)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import final

from dalenius.joints.network.elimination import Bucket
from dalenius.laws.masses import Masses


@final
class Subtrees:
    """The subtree of each node: it and all nodes summed out through it. Its parent is the node of its boundary that is
    summed out first.

    Two are isomorphic if they have the same conditional probabilities, digit for digit, of nodes of the same kind.
    """

    def __init__(
        self, buckets: Sequence[Bucket], conditional: Mapping[int, Masses], kind: Mapping[int, object]
    ) -> None:
        self._size = {bucket.node: 1 for bucket in buckets}
        self._children: dict[int, list[Bucket]] = {bucket.node: [] for bucket in buckets}
        self._shape: dict[int, int] = {}
        known: dict[object, int] = {}
        for bucket in buckets:
            node, table = bucket.node, conditional[bucket.node]
            own = tuple(sorted(self._key(bucket, child) for child in self._children[node]))
            numbers = table.mantissa.shape, table.mantissa.tobytes(), table.exponent.tobytes()
            self._shape[node] = known.setdefault((kind[node], numbers, own), len(known))
            if bucket.boundary:
                self._children[bucket.boundary[-1]].append(bucket)
                self._size[bucket.boundary[-1]] += self._size[node]

    def _key(self, parent: Bucket, child: Bucket) -> tuple[int, tuple[int, ...]]:
        """The isomorphism class of the child's subtree, and its boundary's places in the parent's cluster."""
        scope = (*parent.boundary, parent.node)
        return self._shape[child.node], tuple(scope.index(node) for node in child.boundary)

    def classes(self, bucket: Bucket) -> list[list[Bucket]]:
        """Its children, grouped by isomorphic subtrees; small subtrees first."""
        groups: dict[object, list[Bucket]] = {}
        for child in sorted(self._children[bucket.node], key=lambda child: (self._size[child.node], child.node)):
            groups.setdefault(self._key(bucket, child), []).append(child)
        return list(groups.values())

    def within(self, bucket: Bucket) -> Iterator[int]:
        """The nodes of a subtree, in an order that is the same for isomorphic subtrees."""
        waiting = [bucket]
        while waiting:
            here = waiting.pop()
            yield here.node
            waiting += sorted(self._children[here.node], key=lambda child: self._key(here, child))
