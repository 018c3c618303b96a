"""What any function of a sum can say of a node of a network, at most: no node has two parents.

The rows of conditional probabilities lie in boxes: of a set of laws in wide ones, of one law in boxes that hold little
but its roundings. A message to a state x is m(x) = E[g(u + what is added beyond) | x], where log g changes by at most
`rate` per unit; of all such g, and all laws in the boxes, log m(x)/m(x') is bounded step by step along the branches
(Results 21.11 and 21.13).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array
from dalenius.ratios.boxes import Regions, after_step, before_step, closed, largest_mean, smallest_mean, tightened
from dalenius.ratios.chain_message_bounds import rounded_up

_OFF: Final = 32 * UNIT


@final
@dataclass(frozen=True, eq=False)
class IntervalNode:
    """parent: by its number; rows (2, values, k): lower and upper ends of the probabilities given each value of the
    parent, one row without a parent."""

    parent: int | None
    rows: Array

    @property
    def size(self) -> int:
        """How many values it has."""
        return int(self.rows.shape[2])


@final
@dataclass(frozen=True, eq=False)
class Net:
    """nodes: each row of each may be any in its box; order: the nodes' numbers, parents before children."""

    nodes: tuple[IntervalNode, ...]
    order: tuple[int, ...]

    @cached_property
    def children(self) -> list[list[int]]:
        """By node."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            if node.parent is not None:
                found[node.parent].append(number)
        return found

    @cached_property
    def roots(self) -> list[int]:
        """By node, the first one above it: its own number where it has no parent."""
        found = dict[int, int]()
        for number in self.order:
            above = self.nodes[number].parent
            found[number] = number if above is None else found[above]
        return [found[number] for number in range(len(self.nodes))]

    @cached_property
    def components(self) -> list[list[int]]:
        """The nodes with one root, which may all depend on each other; smallest number first."""
        found: dict[int, list[int]] = {}
        for number, root in enumerate(self.roots):
            found.setdefault(root, []).append(number)
        return list(found.values())

    @cached_property
    def sizes(self) -> Counter[int]:
        """By root, how many nodes may depend on each other."""
        return Counter(self.roots)

    def possible(self, number: int) -> list[int]:
        """Which values a node has under some law, by their indices."""
        return [int(i) for i in np.flatnonzero(self.priors[number][1] > 0)]

    def sums_together(self, spans: Sequence[float]) -> list[float]:
        """By node, the sum over all that may depend on it, and itself."""
        sums = {self.roots[part[0]]: sum(spans[i] for i in part) for part in self.components}
        return [sums[root] for root in self.roots]

    @cached_property
    def priors(self) -> list[Array]:
        """By node, a box (2, k) that holds its law; of equal ones one."""
        found, kept, same = dict[int, Array](), SharedArrays(), dict[tuple[int, int], Array]()
        for number in self.order:
            node = self.nodes[number]
            above = None if node.parent is None else found[node.parent]
            key = id(node.rows), id(above)
            if key not in same:
                same[key] = kept(_prior(node, above))
            found[number] = same[key]
        return [found[number] for number in range(len(self.nodes))]


def _prior(node: IntervalNode, above: Array | None) -> Array:
    """The box of a node's law, given that of its parent's, if it has one."""
    low, high = node.rows
    # A mean of rows over a law in a box is linear in both: each end by the best law, value by value.
    if above is not None:
        least, most = above
        low = smallest_mean(least, most, low.T) * (1 - _OFF)
        high = largest_mean(least, most, high.T) * (1 + _OFF)
    else:
        low, high = low[0], high[0]
    return np.stack(tightened(np.maximum(low, 0.0), np.minimum(high, 1.0)))


@final
class SharedArrays:
    """Of equal arrays the first."""

    def __init__(self) -> None:
        self._first: dict[bytes, Array] = {}

    def __call__(self, found: Array) -> Array:
        """The first array equal to this one; then `is` tells equal from other, for 10^5 alike nodes."""
        return self._first.setdefault(found.tobytes(), found)

    def above(self, found: Array) -> Array:
        """Of those that are rounded up alike."""
        # Far from the ends all messages are then one array, and their steps are computed once.
        return self(rounded_up(found, 36))


@final
class MessageBounds:
    """Bounds of log W(y|s) - log W(y|s') at all outputs and under all laws. points: by node, its values' scores (k,
    axes); rate: at which the log-density of the noise changes. Equal nodes with equal messages share one array of each.

    Ten days, each well one followed by an ill one with .02 to .06, counted with Laplace noise of scale 2: of the fifth
    day no law of these leaks more than 3.884195 nats.

    >>> import dalenius as dl
    >>> rows = [[[0.94, 0.98], [0.02, 0.06]], [0.1, 0.9]]
    >>> days = dl.Chain(n=10, initial=[0.8, 0.2], transition=rows).joints()[0]
    >>> found = MessageBounds(days.net, [np.array([[0.0], [1.0]])] * 10, 0.5)
    >>> f"{found.regions(4).ratio.max():.5f}"
    '3.88419'
    """

    def __init__(self, net: Net, points: Sequence[Array], rate: float) -> None:
        self.net, self._kept = net, SharedArrays()
        spans = {id(each): self._kept(rate * np.abs(each[:, None] - each[None]).sum(axis=2)) for each in points}
        self.own = [spans[id(each)] for each in points]
        """By node, how far its score moves the log-density of the noise between two values (k, k)."""
        moved = net.sums_together([float(each.max()) for each in self.own])
        self.moved = [each * (1 + _OFF * len(points)) for each in moved]
        """By node, how far all that may depend on it moves the log-density."""
        self._steps: dict[tuple[int, ...], Array] = {}
        self._ratios: dict[tuple[float, int, int, int], Array] = {}
        self._below = self._upwards()
        self._above = self._downwards()

    def ratio(self, number: int) -> Array:
        """Of one node (k, k); the same array where it is the same."""
        own, above = self.own[number], self._above[number]
        below = self._sum([self._below[child] for child in self.net.children[number]], len(own))
        key = self.moved[number], id(own), id(below), id(above)
        # Alike nodes with alike messages share one answer.
        if key not in self._ratios:
            # Whatever the law is, all that may depend on the record moved at once is a bound (Result 21.16).
            moved = own + (self.moved[number] - own.max()) * (1 - np.eye(len(own)))
            self._ratios[key] = self._kept(closed(np.minimum(moved, own + above + below)))
        return self._ratios[key]

    def classes(self, strata: Sequence[int]) -> list[int]:
        """The first node of every class of nodes of one stratum with the same bounds. strata: by node."""
        found: dict[tuple[int, int, int, float], int] = {}
        for number, stratum in enumerate(strata):
            key = stratum, id(self.net.priors[number]), id(self.ratio(number)), self.moved[number]
            found.setdefault(key, number)
        return sorted(found.values())

    def regions(self, number: int) -> Regions:
        """Of one node, and the values that it can have. (k, k) of its possible values only, in nats."""
        values = self.net.possible(number)
        low, high = self.net.priors[number][:, values]
        return Regions(low, high, self.ratio(number)[np.ix_(values, values)])

    def _upwards(self) -> dict[int, Array]:
        """By node, bounds of the message to its parent from it and all below it."""
        found = dict[int, Array]()
        for number in reversed(self.net.order):
            node = self.net.nodes[number]
            if node.parent is not None:
                below = self._sum([found[child] for child in self.net.children[number]], node.size)
                far = self._kept.above(self.own[number] + below)
                key = id(node.rows), id(far)
                if key not in self._steps:
                    self._steps[key] = self._kept.above(before_step(node.rows[0], node.rows[1], far))
                found[number] = self._steps[key]
        return found

    def _sum(self, messages: Sequence[Array], size: int) -> Array:
        # A chain has one message to pass on: no sum, and no rounding up.
        return messages[0] if len(messages) == 1 else self._kept.above(sum(messages, np.zeros((size, size))))

    def _downwards(self) -> dict[int, Array]:
        """By node, bounds of the message from its parent and all beyond that."""
        found, priors = dict[int, Array](), self.net.priors
        for parent in self.net.order:
            size, children = self.net.nodes[parent].size, self.net.children[parent]
            if self.net.nodes[parent].parent is None:
                found[parent] = self._kept(np.zeros((size, size)))
            for child, others in zip(children, _all_but_one([self._below[each] for each in children]), strict=True):
                far, rows = self._kept.above(self.own[parent] + found[parent] + sum(others)), self.net.nodes[child].rows
                key = id(rows), id(priors[parent]), id(far)
                if key not in self._steps:
                    low, high = priors[parent]
                    self._steps[key] = self._kept.above(after_step((low, high), rows[0], rows[1], far))
                found[child] = self._steps[key]
        return found


def _all_but_one(parts: Sequence[Array]) -> Iterator[list[Array]]:
    """Of each part all others, as two sums."""
    # Sums from either side, not the total less each: a difference of infinite ranges would be no number.
    after = [np.zeros(1)]
    for part in reversed(parts[1:]):
        after.append(after[-1] + part)
    before = np.zeros(1)
    for part, rest in zip(parts, reversed(after), strict=False):
        yield [before, rest]
        before = before + part
