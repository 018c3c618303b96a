"""What outputs can say of every node of a network at most: ranges of messages, up to the root and down again.

A message is m(γ) = E[g(u + what is added beyond) | γ] (Result 20.35). Of several messages to one state the ranges add
up.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.network.elimination import Bucket
from dalenius.joints.network.marginals import scope_of
from dalenius.laws.law import Array
from dalenius.laws.masses import Masses
from dalenius.ratios.large.ranges import most_apart

MOST_PAIRS: Final = 1 << 14
"""Of states of one cluster."""
FAINT: Final = 1e-300


def narrow(buckets: Sequence[Bucket], sizes: Mapping[int, int]) -> bool:
    """Whether no cluster has too many states for the ranges between all of them."""
    return all(prod(sizes[node] for node in scope_of(bucket)) ** 2 <= MOST_PAIRS for bucket in buckets)


@final
@dataclass(frozen=True, eq=False)
class Ranges:
    """buckets: of a network; sizes: how many values each node has; laws: of the clusters (`cluster_laws`); weights: by
    node what each value adds to the log of a function that changes as fast as it may (k,)."""

    buckets: Sequence[Bucket]
    sizes: Mapping[int, int]
    laws: Mapping[int, Masses]
    weights: Mapping[int, Array]

    @cached_property
    def _inner(self) -> dict[int, Array]:
        """By node the range, over its boundary's states, of the message of it and all nodes summed out through it."""
        found: dict[int, Array] = {}
        for bucket in self.buckets:
            if bucket.boundary:
                found[bucket.node] = self._carried(bucket, bucket.boundary, self._below(bucket, found))
        return found

    @cached_property
    def _outer(self) -> dict[int, Array]:
        """The range over its boundary's states of the message of all other nodes but the boundary."""
        found: dict[int, Array] = {}
        for bucket in reversed(self.buckets):
            beyond = self._beyond(bucket, found)
            children = self._children[bucket.node]
            for child, others in zip(children, _but_one(self._below(bucket, self._inner)), strict=True):
                found[child.node] = self._carried(bucket, child.boundary, [*beyond, *others])
        return found

    def nodes(self) -> dict[int, Array]:
        """By node, at least log W(y|s)/W(y|s') at any output (k, k); infinite where nothing is known."""
        found = {}
        for bucket in self.buckets:
            parts = [*self._beyond(bucket, self._outer), *self._below(bucket, self._inner)]
            found[bucket.node] = self._carried(bucket, (bucket.node,), parts, own=True)
        return found

    def _beyond(self, bucket: Bucket, outer: Mapping[int, Array]) -> list[Array]:
        return [self._laid(bucket, bucket.boundary, outer[bucket.node])] if bucket.boundary else []

    @cached_property
    def _children(self) -> dict[int, list[Bucket]]:
        """By node the clusters whose boundaries lie in its cluster."""
        found: dict[int, list[Bucket]] = {bucket.node: [] for bucket in self.buckets}
        for bucket in self.buckets:
            if bucket.boundary:
                found[bucket.boundary[-1]].append(bucket)
        return found

    def _below(self, bucket: Bucket, inner: Mapping[int, Array]) -> list[Array]:
        """The ranges of the messages from the cluster's children."""
        return [self._laid(bucket, child.boundary, inner[child.node]) for child in self._children[bucket.node]]

    def _laid(self, bucket: Bucket, nodes: tuple[int, ...], apart: Array) -> Array:
        """A range over the states of some nodes of the cluster, with an axis for each of its nodes, twice."""
        return apart.reshape([self.sizes[node] if node in nodes else 1 for node in scope_of(bucket)] * 2)

    def _carried(self, bucket: Bucket, to: tuple[int, ...], parts: Sequence[Array], own: bool = False) -> Array:
        """The range over the states of these nodes of the cluster, of the parts and of what the cluster's other nodes
        add; own: and of what they themselves add."""
        scope = scope_of(bucket)
        apart = sum(parts, start=np.zeros((1,) * (2 * len(scope))))
        for node in scope:
            if own or node not in to:
                weights = self.weights[node]
                apart = apart + self._laid(bucket, (node,), np.abs(weights[:, None] - weights))
        order = sorted(range(len(scope)), key=lambda axis: scope[axis] not in to)
        shape = [self.sizes[scope[axis]] for axis in order]
        states = prod(shape[: len(to)])
        kernel = _kernel(self.laws[bucket.node], order, states)
        if kernel is None:
            return np.where(np.eye(states, dtype=np.bool_), 0.0, np.inf)
        whole = apart.transpose([*order, *(len(scope) + axis for axis in order)])
        widened = np.broadcast_to(whole, shape * 2) * (1 + UNIT * (len(parts) + len(scope) + 2))
        return _carried(kernel, widened.reshape(*kernel.shape, *kernel.shape))


def _kernel(law: Masses, order: Sequence[int], states: int) -> Array | None:
    """Pr[the nodes of the other axes | those of the first], (states, others), uniform where these are impossible; None
    where no double holds a chance."""
    laid = Masses(law.mantissa.transpose(order), law.exponent.transpose(order)).reshaped((states, -1))
    total = laid.summed((-1,)).with_last_axis()
    found = laid.over(total).filled(total.solid, 1 / laid.mantissa.shape[1])
    numbers = found.doubles()
    return None if np.any(found.solid & (numbers < FAINT)) else numbers


def _but_one(parts: Sequence[Array]) -> Iterator[list[Array]]:
    """Of each part all others, as two sums."""
    after = [np.zeros(1)]
    for part in reversed(parts[1:]):
        after.append(after[-1] + part)
    before = np.zeros(1)
    for part, rest in zip(parts, reversed(after), strict=False):
        yield [before, rest]
        before = before + part


def _carried(kernel: Array, apart: Array) -> Array:
    """The range (g, g) of Σ_r kernel[γ, r] w(γ, r), where w(γ, r) <= e^{apart[γ, r, γ', r']} w(γ', r'); upper bounds,
    roundings included; 0 on the diagonal. kernel (g, r): rows sum to 1.

    The weights of one row are exchanged for those of the other first, and then the rows, or the other way round.
    """
    states, rest = kernel.shape
    one, other = (np.repeat(np.arange(states), states), np.tile(np.arange(states), states))
    found = apart[one, :, other, :]
    moved = np.diagonal(found, axis1=1, axis2=2).max(axis=1)
    if rest > 1:
        above, below = kernel[one], kernel[other]
        stepped = most_apart(above, below, apart[other, :, other, :])
        if np.any(moved):
            stepped = np.minimum(stepped, most_apart(above, below, apart[one, :, one, :]))
        moved = moved + stepped
    return np.asarray(np.where(one == other, 0.0, moved * (1 + 2 * UNIT)).reshape(states, states))
