"""What any function of a sum can say of a record of a chain, or of a node of a network, at most.

A message to a state x is m(x) = E[g(u + what is added beyond) | x], where log g changes by at most `rate` per unit. Of
all such g the range of the ratios is kept, D[x, x'] >= log m(x)/m(x'). One step makes of it what the furthest two
mixtures are of weights in that range (`largest_log_ratio`, Result 20.23). `ranges` carries it along a chain, from
record to record; `Ranges` through the clusters of a network, up to the root and down again, where the ranges of several
messages to one state add up (Result 20.35).

As the range of one day follows from that of the day before in the same way on each of 10^5 alike days, it settles, and
is kept once: a chain of 100,001 days with one kernel has some thirty ranges in memory, one of weeks seven times these.

>>> kernel, day = np.array([[[0.9, 0.1], [0.2, 0.8]]]), np.array([[0.0, 1.0], [1.0, 0.0]])
>>> found = ranges(kernel, np.zeros(100_000, dtype=int), np.broadcast_to(day, (100_000, 2, 2)))
>>> found[1].round(4).tolist(), found[-1].round(4).tolist()
([[0.0, 0.6393], [0.7063, 0.0]], [[0.0, 1.1275], [1.5771, 0.0]])
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.junction_tree import Bucket
from dalenius.joints.tree_messages import scope_of
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import Array, IntArray

_FARTHEST: Final = 600.0
"""Nats beyond which ratios count as unbounded."""


def largest_log_ratio(above: Array, below: Array, log_ratios: Array) -> Array:
    """At least log Σ above·w / Σ below·w for all w > 0 with log w_i/w_j <= log_ratios[i, j] (pairs,), as for one step
    of a chain (Result 20.23). above, below (pairs, c); log_ratios (pairs, c, c).

    One pair of rows, (.9, .1) and (.2, .8), and weights that are one nat apart at most:

    >>> apart = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    >>> largest_log_ratio(np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]]), apart).round(6).tolist()
    [0.639307]
    """
    columns = above.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(above) - np.log(below)
    # A value that neither row can reach: 0/0 has no part in any sum.
    ratio = np.where(np.isnan(ratio), -np.inf, ratio)
    order = np.argsort(-ratio, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    # The worst weights are large on the m columns with the largest quotients and small on all others, for some m
    # (Result 20.23): all m are tried at once.
    high = rank[:, None, :] < np.arange(1, columns)[None, :, None]
    least = np.take_along_axis(ratio, order, axis=1)[:, : columns - 1]
    widest = ratio.max(axis=1)
    # Ranges that e^x would overflow for: then the weights may as well be anything, and the widest quotient remains.
    deepest = np.max(log_ratios, axis=(1, 2))
    near = np.minimum(log_ratios, _FARTHEST)
    # (pairs, m, r, columns)
    weights = np.where(high[:, :, None, :], np.exp(near.swapaxes(1, 2))[:, None], np.exp(-near)[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log((weights * above[:, None, None, :]).sum(axis=-1))
        logs -= np.log((weights * below[:, None, None, :]).sum(axis=-1))
    nearest = np.where(np.isnan(logs), np.inf, logs).min(axis=2)
    mixed = np.minimum(nearest, least).max(axis=1)
    # No mixture has a larger quotient than its largest part: that bound always holds too.
    found = np.maximum(np.where(deepest > _FARTHEST, widest, np.minimum(mixed, widest)), 0.0)
    rounding = (4 * columns + 16 + 4 * np.minimum(deepest, _FARTHEST)) * UNIT
    return np.asarray(found + rounding * (1 + np.where(np.isfinite(found), found, 0.0)))


_ALIKE: Final = 1e-14
"""Relative distance of the entries of two kernels that count as one."""


def ranges(kernels: Array, which: IntArray, log_ratios: Array) -> Array:
    """D at every place in order (n, k, k): zero at the first, and then what one step makes of D + log_ratios.

    kernels (m, k, k), of non-negative entries, by rows; which (n - 1,): that of each step; log_ratios (n - 1, k, k): of
    the place that each step comes from. Upper bounds, roundings included; infinite where nothing is known. The first
    steps may have kernels of their own, as messages from the left do, which converge and then count as one.
    """
    # Backward kernels of a chain that starts away from its stationary law are all different, but soon by roundings
    # only: from there on they are one, and that is counted.
    alike = _alike(kernels, which, log_ratios)
    states, at, known = [np.zeros(kernels.shape[1:])], [0], dict[Hashable, int]()
    numbers = {states[0].tobytes(): 0}
    for i in range(len(which)):
        # From the same range the same step leads to the same one: a day like 10⁵ others costs the memory of one.
        step = (int(which[i]), log_ratios[i].tobytes()) if i < alike else None
        if (at[-1], step) not in known:
            kernel, extra = kernels[which[min(i, alike)]], 0.0 if i < alike else 2 * _ALIKE
            found = rounded_up(_ranged(kernel, states[at[-1]] + log_ratios[i], extra), 44)
            known[at[-1], step] = number = numbers.setdefault(found.tobytes(), len(states))
            if number == len(states):
                states.append(found)
        at.append(known[at[-1], step])
    return np.stack(states)[at]


def rounded_up(found: Array, bits: int) -> Array:
    """To so many of the 53 bits of doubles: ranges that hardly differ any more, far from an end, are then one, and hold
    all that follow."""
    mantissa, exponent = np.frexp(found)
    return np.asarray(np.ldexp(np.ceil(np.ldexp(mantissa, bits)), exponent - bits))


def _alike(kernels: Array, which: IntArray, log_ratios: Array) -> int:
    """The first step from which on all kernels are `_ALIKE` that one, and all places as far apart as its own."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(kernels)
        off = np.abs(logs - logs[which[-1]])
    close = (np.where(logs == logs[which[-1]], 0.0, off) <= _ALIKE / 2).reshape(len(kernels), -1)
    even = (log_ratios == log_ratios[-1]).reshape(len(log_ratios), -1)
    differing = np.flatnonzero(~(np.all(close, axis=1)[which] & np.all(even, axis=1)))
    return int(differing[-1]) + 1 if len(differing) else 0


def _ranged(kernel: Array, distances: Array, extra: float = 0.0) -> Array:
    """What one step makes of a range (k, k), its diagonal 0; extra: nats added for a kernel that is nearly this one.
    Exact for up to three states."""
    states = len(kernel)
    found = np.zeros((states, states))
    rows = np.nonzero(~np.eye(states, dtype=np.bool_))
    found[rows] = largest_log_ratio(kernel[rows[0]], kernel[rows[1]], distances[None]) + extra
    return found


def narrow(buckets: Sequence[Bucket], sizes: Mapping[int, int]) -> bool:
    """Whether no cluster has too many states for the ranges between all of them. A cluster of seven bits has 128 states
    and 2^14 pairs: it is the largest that is narrow."""
    # Of states of one cluster.
    return all(prod(sizes[node] for node in scope_of(bucket)) ** 2 <= 1 << 14 for bucket in buckets)


@final
@dataclass(frozen=True, eq=False)
class Ranges:
    """buckets: of a network; sizes: how many values each node has; laws: of the clusters (`cluster_laws`); weights: by
    node what each value adds to the log of a function that changes as fast as it may (k,).

    A tree has clusters of a node and its parent; a grid of neighbours has wider ones, whose ranges are between all
    joint states of the boundary.
    """

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
            # What a child hears from above is all but what it has said itself.
            for child, others in zip(children, all_but_one(self._below(bucket, self._inner)), strict=True):
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

    def _laid(self, bucket: Bucket, nodes: tuple[int, ...], log_ratios: Array) -> Array:
        """A range over the states of some nodes of the cluster, with an axis for each of its nodes, twice."""
        return log_ratios.reshape([self.sizes[node] if node in nodes else 1 for node in scope_of(bucket)] * 2)

    def _carried(self, bucket: Bucket, to: tuple[int, ...], parts: Sequence[Array], own: bool = False) -> Array:
        """The range over the states of these nodes of the cluster, of the parts and of what the cluster's other nodes
        add; own: and of what they themselves add."""
        scope = scope_of(bucket)
        log_ratios = sum(parts, start=np.zeros((1,) * (2 * len(scope))))
        for node in scope:
            # A node that the message is about adds its own score later, once, where the message arrives.
            if own or node not in to:
                weights = self.weights[node]
                log_ratios = log_ratios + self._laid(bucket, (node,), np.abs(weights[:, None] - weights))
        order = sorted(range(len(scope)), key=lambda axis: scope[axis] not in to)
        shape = [self.sizes[scope[axis]] for axis in order]
        states = prod(shape[: len(to)])
        kernel = _kernel(self.laws[bucket.node], order, states)
        # A chance below 1e-300: an event that rare may still decide a quotient, so nothing is said of other states.
        if kernel is None:
            return np.where(np.eye(states, dtype=np.bool_), 0.0, np.inf)
        whole = log_ratios.transpose([*order, *(len(scope) + axis for axis in order)])
        # Sums of as many parts as that were rounded.
        widened = np.broadcast_to(whole, shape * 2) * (1 + UNIT * (len(parts) + len(scope) + 2))
        return _carried(kernel, widened.reshape(*kernel.shape, *kernel.shape))


def _kernel(law: Masses, order: Sequence[int], states: int) -> Array | None:
    """Pr[the nodes of the other axes | those of the first], (states, others), uniform where these are impossible; None
    where no double holds a chance."""
    laid = Masses(law.mantissa.transpose(order), law.exponent.transpose(order)).reshaped((states, -1))
    total = laid.summed((-1,)).with_last_axis()
    found = laid.over(total).filled(total.solid, 1 / laid.mantissa.shape[1])
    numbers = found.doubles()
    return None if np.any(found.solid & (numbers < 1e-300)) else numbers


def all_but_one(parts: Sequence[Array]) -> Iterator[list[Array]]:
    """Of each part all others, as two sums."""
    # Sums from either side, not the total less each: a difference of infinite ranges would be no number.
    after = [np.zeros(1)]
    for part in reversed(parts[1:]):
        after.append(after[-1] + part)
    before = np.zeros(1)
    for part, rest in zip(parts, reversed(after), strict=False):
        yield [before, rest]
        before = before + part


def _carried(kernel: Array, log_ratios: Array) -> Array:
    """The range (g, g) of Σ_r kernel[γ, r] w(γ, r), where w(γ, r) <= e^{log_ratios[γ, r, γ', r']} w(γ', r'); upper
    bounds, roundings included; 0 on the diagonal. kernel (g, r): rows sum to 1.

    The weights of one row are exchanged for those of the other first, and then the rows, or the other way round.
    """
    states, rest = kernel.shape
    one, other = (np.repeat(np.arange(states), states), np.tile(np.arange(states), states))
    found = log_ratios[one, :, other, :]
    moved = np.diagonal(found, axis1=1, axis2=2).max(axis=1)
    # Only a node with others in its cluster has weights to exchange; alone its range is that of the parts.
    if rest > 1:
        above, below = kernel[one], kernel[other]
        stepped = largest_log_ratio(above, below, log_ratios[other, :, other, :])
        # Either order of the two exchanges is a bound; they are the same where the weights do not depend on the row.
        if np.any(moved):
            stepped = np.minimum(stepped, largest_log_ratio(above, below, log_ratios[one, :, one, :]))
        moved = moved + stepped
    return np.asarray(np.where(one == other, 0.0, moved * (1 + 2 * UNIT)).reshape(states, states))
