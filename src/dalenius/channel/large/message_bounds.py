"""Bounds of what any function of a sum can say of a record of a chain or of a tree-like network.

In such a network no node has two parents. A message to a state x is m(x) = E[g(u + the part added beyond) | x], where
log g changes by at most `rate` per unit. The range of the ratios over all such g is kept, D[x, x'] >= log m(x)/m(x').
One step turns it into the distance of the furthest two mixtures of weights in that range (`largest_log_ratio`, Result
20.23).

There are two layouts of the same messages. `MessageBounds` goes along the branches of any network, whose rows lie in
boxes: wide ones for a set of laws, boxes of roundings for one law (Results 21.11 and 21.13). `ranges` carries one law
along a chain, for all pairs of states at once: 10^5 days take .4 s, and as a network some 9.

The range of one day follows from that of the day before in the same way on each of 10^5 alike days. So it settles,
and is kept once: a chain of 100,001 days with one kernel has some thirty ranges in memory, one of weeks seven times
these.

>>> kernel, day = np.array([[[0.9, 0.1], [0.2, 0.8]]]), np.array([[0.0, 1.0], [1.0, 0.0]])
>>> found = ranges(kernel, np.zeros(100_000, dtype=int), np.broadcast_to(day, (100_000, 2, 2)))
>>> found[1].round(4).tolist(), found[-1].round(4).tolist()
([[0.0, 0.6393], [0.7063, 0.0]], [[0.0, 1.1275], [1.5771, 0.0]])
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, frexp, isfinite, ldexp
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.large.boxes import (
    Regions,
    after_step,
    before_step,
    closed,
    largest_mean,
    smallest_mean,
    tightened,
)

_FARTHEST: Final = 600.0
"""Nats beyond which ratios count as unbounded."""


def largest_log_ratio(above: Array, below: Array, log_ratios: Array) -> Array:
    """Bounds log Σ above·w / Σ below·w (pairs,) for all w > 0 with log w_i/w_j <= log_ratios[i, j].

    This is one step of a chain (Result 20.23). One pair of rows, (.9, .1) and (.2, .8), and weights that are one nat
    apart at most:

    >>> log_ratios = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    >>> largest_log_ratio(np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]]), log_ratios).round(6).tolist()
    [0.639307]

    Args:
        above: The numerators' rows (pairs, c).
        below: The denominators' rows (pairs, c).
        log_ratios: The bounds of the weights' log-ratios (pairs, c, c), in nats.
    """
    columns = above.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(above) - np.log(below)
    # Because a value that neither row can reach has no part in any sum: 0/0.
    ratio = np.where(np.isnan(ratio), -np.inf, ratio)
    order = np.argsort(-ratio, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    # Because the worst weights are large on the m columns with the largest quotients and small on all others, for some
    # m (Result 20.23), all m are tried at once.
    high = rank[:, None, :] < np.arange(1, columns)[None, :, None]
    least = np.take_along_axis(ratio, order, axis=1)[:, : columns - 1]
    widest = ratio.max(axis=1)
    # The case of ranges for which e^x would overflow: the weights may be anything, and the widest quotient remains.
    deepest = np.max(log_ratios, axis=(1, 2))
    near = np.minimum(log_ratios, _FARTHEST)
    # The shape is (pairs, m, r, columns).
    weights = np.where(high[:, :, None, :], np.exp(near.swapaxes(1, 2))[:, None], np.exp(-near)[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log((weights * above[:, None, None, :]).sum(axis=-1))
        logs -= np.log((weights * below[:, None, None, :]).sum(axis=-1))
    nearest = np.where(np.isnan(logs), np.inf, logs).min(axis=2)
    mixed = np.minimum(nearest, least).max(axis=1)
    # Because no mixture has a larger quotient than its largest part, that bound always holds too.
    found = np.maximum(np.where(deepest > _FARTHEST, widest, np.minimum(mixed, widest)), 0.0)
    rounding = (4 * columns + 16 + 4 * np.minimum(deepest, _FARTHEST)) * UNIT
    return np.asarray(found + rounding * (1 + np.where(np.isfinite(found), found, 0.0)))


_FEW: Final = 4
"""Most numbers that are rounded one by one."""
_ALIKE: Final = 1e-14
"""Relative distance of the entries of two kernels that count as one."""


def ranges(kernels: Array, which: IntArray, log_ratios: Array, period: int = 1, nearly: float = 0.0) -> Array:
    """Returns D at every place in order (n, k, k): zero at the first, and then one step's effect on D + log_ratios.

    They are upper bounds, roundings included; infinite where nothing is known. The first steps may have kernels of
    their own, as messages from the left do, which converge and then count as one.

    Args:
        kernels: The distinct kernels (m, k, k), of non-negative entries, by rows.
        which: The number of each step's kernel (n - 1,).
        log_ratios: The log-ratios added at the place that each step comes from (n - 1, k, k), in nats.
        period: After how many steps kernels and log-ratios may come back, such as 24 for the hours of a day.
        nearly: By how many nats an entry of a step's kernel may differ from that of its number.
    """
    # Because kernels from the left soon differ by roundings only: they are those of the last period, which is counted.
    lasting = _lasting(len(which), period)
    alike = _alike(kernels, which, log_ratios, lasting)
    states, at, known = [np.zeros(kernels.shape[1:])], [0], dict[Hashable, int]()
    numbers = {states[0].tobytes(): 0}
    for i in range(len(which)):
        # So that a day like 10⁵ others costs the memory of one: from one range one step leads to one range.
        step = (int(which[i]), log_ratios[i].tobytes()) if i < alike else int(lasting[i])
        if (at[-1], step) not in known:
            kernel, extra = kernels[which[i if i < alike else lasting[i]]], 2 * (nearly + _ALIKE * (i >= alike))
            found = rounded_up(_ranged(kernel, states[at[-1]] + log_ratios[i], extra), 44)
            known[at[-1], step] = number = numbers.setdefault(found.tobytes(), len(states))
            if number == len(states):
                states.append(found)
        at.append(known[at[-1], step])
        # Because a range that comes back after a period, from where all steps repeat, comes back for ever.
        if i >= alike + period and at[-1] == at[-1 - period]:
            break
    rest = np.resize(np.array(at[-period:]), len(which) + 1 - len(at))
    return np.asarray(np.stack(states)[np.concatenate([at, rest])])


def rounded_up(found: Array, bits: int) -> Array:
    """Rounds `found` up to `bits` of the 53 bits of doubles.

    Ranges that hardly differ any more, far from an end, are then one, and hold all that follow.
    """
    # Because numpy takes three times as long for four numbers, which records of two values have.
    if found.size <= _FEW:
        return np.array([_rounded_up(each, bits) for each in found.ravel().tolist()]).reshape(found.shape)
    mantissa, exponent = np.frexp(found)
    return np.asarray(np.ldexp(np.ceil(np.ldexp(mantissa, bits)), exponent - bits))


def _rounded_up(number: float, bits: int) -> float:
    if not isfinite(number):
        return number
    mantissa, exponent = frexp(number)
    return ldexp(ceil(ldexp(mantissa, bits)), exponent - bits)


def _lasting(steps: int, period: int) -> IntArray:
    """Returns the step of the last period that each step is like, if all repeat (steps,)."""
    return np.asarray(steps - 1 - (steps - 1 - np.arange(steps)) % period, dtype=np.int64)


def _alike(kernels: Array, which: IntArray, log_ratios: Array, lasting: IntArray) -> int:
    """Returns the first step from which on kernels are within `_ALIKE` of the lasting ones, and distances equal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(kernels)
        own, last = logs[which], logs[which[lasting]]
        close = (np.where(own == last, 0.0, np.abs(own - last)) <= _ALIKE / 2).reshape(len(which), -1)
    even = (log_ratios == log_ratios[lasting]).reshape(len(log_ratios), -1)
    differing = np.flatnonzero(~(np.all(close, axis=1) & np.all(even, axis=1)))
    return int(differing[-1]) + 1 if len(differing) else 0


def _ranged(kernel: Array, distances: Array, extra: float = 0.0) -> Array:
    """Returns the effect of one step on a range (k, k), its diagonal 0; exact for up to three states.

    extra: nats added for a kernel that is nearly this one.
    """
    states = len(kernel)
    found = np.zeros((states, states))
    rows = np.nonzero(~np.eye(states, dtype=np.bool_))
    found[rows] = largest_log_ratio(kernel[rows[0]], kernel[rows[1]], distances[None]) + extra
    return found


_OFF: Final = 32 * UNIT
_TINY: Final = 1e-300
"""Least probability that has surely kept its digits."""


@final
@dataclass(frozen=True, eq=False)
class IntervalNode:
    """A node whose rows lie in boxes.

    parent: the parent's number; rows (2, values, k): lower and upper ends of the probabilities given each value of
    the parent, one row without a parent.
    """

    parent: int | None
    rows: Array

    @property
    def size(self) -> int:
        """The number of its values."""
        return int(self.rows.shape[2])


@final
@dataclass(frozen=True, eq=False)
class Net:
    """A network whose nodes' rows may each be any in their box; order: the nodes' numbers, parents before children."""

    nodes: tuple[IntervalNode, ...]
    order: tuple[int, ...]

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each node."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            if node.parent is not None:
                found[node.parent].append(number)
        return found

    @cached_property
    def roots(self) -> list[int]:
        """The root above each node: its own number where it has no parent."""
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
        """The number of nodes that may depend on each other, by root."""
        return Counter(self.roots)

    def possible(self, number: int) -> list[int]:
        """Returns the indices of the values that the node `number` has under some law."""
        return [int(i) for i in np.flatnonzero(self.priors[number][1] > 0)]

    def sums_together(self, spans: Sequence[float]) -> list[float]:
        """Returns, for each node, the sum of `spans` (nodes,) over all nodes that may depend on it, and itself."""
        sums = {self.roots[part[0]]: sum(spans[i] for i in part) for part in self.components}
        return [sums[root] for root in self.roots]

    @cached_property
    def priors(self) -> list[Array]:
        """The box (2, k) that holds each node's law; equal boxes are one array."""
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
    """Returns the box of a node's law, given that of its parent's, if it has one."""
    low, high = node.rows
    # Because a mean of rows over a law in a box is linear in both: each end by the best law, value by value.
    if above is not None:
        least, most = above
        low = smallest_mean(least, most, low.T) * (1 - _OFF)
        high = largest_mean(least, most, high.T) * (1 + _OFF)
    else:
        low, high = low[0], high[0]
    low, high = tightened(np.maximum(low, 0.0), np.minimum(high, 1.0))
    # Because products below the doubles' full precision may be off by half of themselves, both ends move outwards.
    return np.stack([np.where(low < _TINY, 0.0, low), np.where(high > 0, np.maximum(high, _TINY), 0.0)])


@final
class SharedArrays:
    """Arrays; equal ones are one object."""

    def __init__(self) -> None:
        self._first: dict[bytes, Array] = {}

    def __call__(self, found: Array) -> Array:
        """Returns the first array equal to this one; then `is` tells equal from other, for 10^5 alike nodes."""
        return self._first.setdefault(found.tobytes(), found)

    def above(self, found: Array) -> Array:
        """Returns `found` rounded up, and one object for all that are rounded up alike."""
        # So that all messages far from the ends are one array, and their steps are computed once.
        return self(rounded_up(found, 36))


@final
class MessageBounds:
    """Bounds of log W(y|s) - log W(y|s') at all outputs and under all laws of a net.

    points: each node's scores (k, axes); rate: that at which the log-density of the noise changes. Equal nodes with
    equal messages share one array of each.

    Ten days, each well one followed by an ill one with .02 to .06, counted with Laplace noise of scale 2: no law of
    these leaks more than 3.884195 nats about the fifth day.

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
        """Returns the bounds of the node `number` (k, k), in nats; the same array where they are the same."""
        own, above = self.own[number], self._above[number]
        below = self._sum([self._below[child] for child in self.net.children[number]], len(own))
        key = self.moved[number], id(own), id(below), id(above)
        # Because alike nodes with alike messages share one answer.
        if key not in self._ratios:
            # Because a move of all that may depend on the record at once is a bound, whatever the law is (Result
            # 21.16).
            moved = own + (self.moved[number] - own.max()) * (1 - np.eye(len(own)))
            self._ratios[key] = self._kept(closed(np.minimum(moved, own + above + below)))
        return self._ratios[key]

    def classes(self, strata: Sequence[int]) -> list[int]:
        """Returns the first node of every class of nodes of one stratum with the same bounds.

        strata: each node's stratum.
        """
        found: dict[tuple[int, int, int, float], int] = {}
        for number, stratum in enumerate(strata):
            key = stratum, id(self.net.priors[number]), id(self.ratio(number)), self.moved[number]
            found.setdefault(key, number)
        return sorted(found.values())

    def regions(self, number: int) -> Regions:
        """Returns the regions of the node `number`, for its possible values only, in nats."""
        values = self.net.possible(number)
        low, high = self.net.priors[number][:, values]
        return Regions(low, high, self.ratio(number)[np.ix_(values, values)])

    def _upwards(self) -> dict[int, Array]:
        """Returns by node, bounds of the message to its parent from it and all below it."""
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
        # Because a chain has one message to pass on: no sum, and no rounding up.
        return messages[0] if len(messages) == 1 else self._kept.above(sum(messages, np.zeros((size, size))))

    def _downwards(self) -> dict[int, Array]:
        """Returns by node, bounds of the message from its parent and all beyond that."""
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
    """Yields, for each part, all others, as two sums."""
    # Because a difference of infinite ranges would be no number, these are sums from either side.
    after = [np.zeros(1)]
    for part in reversed(parts[1:]):
        after.append(after[-1] + part)
    before = np.zeros(1)
    for part, rest in zip(parts, reversed(after), strict=False):
        yield [before, rest]
        before = before + part
