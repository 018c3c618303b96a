"""How far outputs can tell a node's values apart, seen from the clusters near it alone (Results 20.26 and 20.36).

Given the states of what the near clusters share with those beyond, all that lies beyond is a function of the near
nodes' sum whose logarithm changes by `rate` per unit at most. Of branches that are left open the range is added.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log10, prod
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.chain.lipschitz import most_apart
from dalenius.joints.network.bounded import Bounded
from dalenius.joints.network.elimination import Bucket
from dalenius.joints.network.marginals import scope_of
from dalenius.laws.law import Array, IntArray

SIZES: Final = (8, 32, 64)
"""Clusters that are looked at together."""
MOST_FIXED: Final = 128
"""States of what near clusters share with those beyond, of which each is looked at."""
MOST_CELLS: Final = 1 << 17
WIDEST: Final = 600.0
"""Nats by which a function may change over the near nodes, so that a double holds it."""
DEEPEST: Final = -280
"""Powers of ten: chances below may leave the doubles."""

Factor: TypeAlias = tuple[tuple[int, ...], Array]
"""Nodes, and masses by their values and by what other nodes add, on the last axis."""


@final
@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """bounded: of the whole component; scores: by node what its values add (k,), the least of them 0; rate: nats per
    unit."""

    bounded: Bounded
    scores: Mapping[int, IntArray]
    rate: float

    def bound(self, node: int, size: int, least: Array) -> Array | None:
        """At least log W(y|s)/W(y|s') at any output (k, k), from so many clusters; infinite where nothing is known or
        wanted. None where it would take too long, or no double would hold it. least: lower bounds, and infinite where
        none is wanted."""
        near = self._near(node, size)
        return None if near is None else self._bound(node, near, least)

    @cached_property
    def _buckets(self) -> dict[int, Bucket]:
        return {bucket.node: bucket for bucket in self.bounded.buckets}

    @cached_property
    def _place(self) -> dict[int, int]:
        return {bucket.node: place for place, bucket in enumerate(self.bounded.buckets)}

    def _near(self, node: int, size: int) -> list[int] | None:
        """The clusters of the node, and those nearest to them; None where the node's alone are more than the most."""
        found, waiting = {node}, [node]
        while waiting:
            for child in self.bounded.children[waiting.pop()]:
                if node in child.boundary:
                    found.add(child.node)
                    waiting.append(child.node)
                    if len(found) > SIZES[-1]:
                        return None
        ring = sorted(found)
        while ring and len(found) < size:
            ring = sorted({other for each in ring for other in self._around(each)} - found)
            ring = sorted(ring, key=lambda each: (-self._range(each, found), each))[: size - len(found)]
            found.update(ring)
        return sorted(found, key=self._place.__getitem__)

    def _around(self, node: int) -> list[int]:
        boundary = self._buckets[node].boundary
        return [*boundary[-1:], *(child.node for child in self.bounded.children[node])]

    def _range(self, node: int, inside: set[int]) -> float:
        """How far the messages from that cluster, outside of those, can be apart, rounded so that order is sure."""
        boundary = self._buckets[node].boundary
        if boundary and boundary[-1] in inside:
            return round(float(np.max(self.bounded.inner[node])), 6)
        below = (child.node for child in self.bounded.children[node] if child.node in inside)
        return round(max((float(np.max(self.bounded.outer[each])) for each in below), default=0.0), 6)

    def _bound(self, node: int, near: Sequence[int], least: Array) -> Array | None:
        """None where it would take too long, or no double would hold it."""
        fixed, left = self._cut(near)
        kept = [node, *sorted(fixed)]
        law = self._law(near, kept)
        if law is None or self.rate * law[1].shape[-1] > WIDEST:
            return None
        nodes, masses = law
        laid = masses.transpose([*(nodes.index(each) for each in kept), masses.ndim - 1])
        whole = laid.reshape(laid.shape[0], -1, laid.shape[-1])
        points = whole.shape[2] + int(self.scores[node].max())
        given = np.zeros((len(whole), whole.shape[1], points))
        for value, score in enumerate(self.scores[node].tolist()):
            total = float(whole[value].sum())
            given[value, :, score : score + whole.shape[2]] = whole[value] / total if total > 0 else 0.0
        laws = np.moveaxis(given, 2, 0)
        # Of each cluster the sum over its node and two products, of as many terms as there are sums.
        rounded = 2 * UNIT * sum(prod(self.bounded.laws[each].mantissa.shape) + points + 16 for each in near)
        rounded += 2 * UNIT * whole.size
        pairs = [(s, t) for s, t in np.argwhere(np.isfinite(least)).tolist() if s != t]
        there = [np.flatnonzero(laws[:, s].any(axis=0)) for s, _ in pairs]
        above = np.concatenate([laws[:, s, own] for (s, _), own in zip(pairs, there, strict=True)], axis=1)
        below = np.concatenate([laws[:, t, own] for (_, t), own in zip(pairs, there, strict=True)], axis=1)
        start = np.concatenate([np.full(len(own), least[pair]) for pair, own in zip(pairs, there, strict=True)])
        tops = most_apart(above, below, self.rate, start)
        ends = np.cumsum([0, *map(len, there)])
        found = np.full(least.shape, np.inf)
        for pair, first, last in zip(pairs, ends[:-1], ends[1:], strict=True):
            found[pair] = (tops[first:last].max() + left) * (1 + 4 * UNIT) + rounded
        return found

    def _cut(self, near: Sequence[int]) -> tuple[set[int], float]:
        """The nodes whose values are fixed, and the range of all that is left open."""
        inside = set(near)
        cuts = []
        for each in near:
            bucket = self._buckets[each]
            if bucket.boundary and bucket.boundary[-1] not in inside:
                cuts.append((bucket.boundary, float(np.max(self.bounded.outer[each]))))
            for child in self.bounded.children[each]:
                if child.node not in inside:
                    cuts.append((child.boundary, float(np.max(self.bounded.inner[child.node]))))
        fixed, left = set[int](), 0.0
        for nodes, apart in sorted(cuts, key=lambda cut: (-round(cut[1], 6), cut[0])):
            wider = fixed | set(nodes)
            if prod(self.bounded.sizes[node] for node in wider) <= MOST_FIXED:
                fixed = wider
            else:
                left += apart
        return fixed, left * (1 + len(cuts) * UNIT)

    def _law(self, near: Sequence[int], kept: Sequence[int]) -> Factor | None:
        """Pr[the kept nodes' values, what the others of these clusters add]."""
        factors = list[Factor]()
        depth = 0.0
        for each in near:
            bucket = self._buckets[each]
            law = self.bounded.laws[each]
            if bucket.boundary and bucket.boundary[-1] in near:
                law = law.over(law.summed((-1,)).with_last_axis())
            numbers = law.doubles()
            if np.any(law.solid & (numbers == 0)):
                return None
            depth += log10(float(np.min(numbers, where=law.solid, initial=1.0)))
            factors.append((scope_of(bucket), numbers[..., None]))
        if depth < DEEPEST:
            return None
        for node in (*near, *reversed(self._buckets[near[-1]].boundary)):
            if node not in kept:
                touching = [factor for factor in factors if node in factor[0]]
                merged = self._product(touching)
                if merged is None:
                    return None
                factors = [factor for factor in factors if node not in factor[0]] + [self._summed(merged, node)]
        return self._product(factors)

    def _product(self, factors: Sequence[Factor]) -> Factor | None:
        """None where it has too many cells."""
        nodes = tuple(dict.fromkeys(node for own, _ in factors for node in own))
        found = np.ones((1,) * len(nodes) + (1,))
        for own, masses in sorted(factors, key=lambda each: each[1].shape[-1]):
            order = sorted(range(len(own)), key=lambda axis: nodes.index(own[axis]))
            shape = [self.bounded.sizes[node] if node in own else 1 for node in nodes]
            laid = masses.transpose([*order, masses.ndim - 1]).reshape(*shape, masses.shape[-1])
            wide = [max(a, b) for a, b in zip(found.shape[:-1], shape, strict=True)]
            points = found.shape[-1] + laid.shape[-1] - 1
            if prod(wide) * points > MOST_CELLS:
                return None
            short, long = sorted((found, laid), key=lambda each: each.shape[-1])
            found = np.zeros((*wide, points))
            for point in range(short.shape[-1]):
                found[..., point : point + long.shape[-1]] += short[..., point, None] * long
        return nodes, found

    def _summed(self, factor: Factor, node: int) -> Factor:
        """Over the values of that node, which adds its score."""
        nodes, masses = factor
        axis, scores = nodes.index(node), self.scores[node]
        laid = np.moveaxis(masses, axis, 0)
        points = laid.shape[-1]
        found = np.zeros((*laid.shape[1:-1], points + int(scores.max())))
        for part, score in zip(laid, scores.tolist(), strict=True):
            found[..., score : score + points] += part
        return tuple(each for each in nodes if each != node), found
