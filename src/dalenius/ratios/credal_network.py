"""A network whose conditional probabilities are known to lie in intervals, a chain being one: a set of laws, and no one
law of it.

No record has two parents, so that what outputs say of a record is bounded by messages along the branches (Results
21.11 and 21.13).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.field_types import RecordValue
from dalenius.joints.joint import INTERVALS, WITHIN, Nature, Stratum, Subject
from dalenius.joints.network import Records
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.boxes import Regions, after_step, before_step, closed, largest_mean, smallest_mean, tightened
from dalenius.ratios.message_ranges import all_but_one, rounded_up
from dalenius.ratios.ratio_enclosures import BoundedBelief

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

    def sums_together(self, spans: Sequence[float]) -> list[float]:
        """By node, the sum over all that may depend on it, and itself."""
        sums = {self.roots[part[0]]: sum(spans[i] for i in part) for part in self.components}
        return [sums[root] for root in self.roots]

    @cached_property
    def priors(self) -> list[Array]:
        """By node, a box (2, k) that holds its law; of equal ones one."""
        found, kept, same = dict[int, Array](), _Kept(), dict[tuple[int, int], Array]()
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
class _Kept:
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
class CredalNetwork(BoundedBelief):
    """Every law under which each row of each node's conditional probabilities lies in its box, whatever the others
    are. records: the nodes' names, of a chain none, and strata; net: their boxes, in the same order; kind: of model.

    Ten days, of which each healthy one is followed by an ill one with .02 to .06:

    >>> import dalenius as dl
    >>> rows = [[[0.94, 0.98], [0.02, 0.06]], [0.1, 0.9]]
    >>> days = dl.Chain(n=10, initial=[0.8, 0.2], transition=rows)
    >>> found = dl.InferentialPrivacy().leakage(dl.Release(days, dl.Count(), dl.Laplace(scale=2.0)))
    >>> f"{found.lower:.3f} {found.upper:.3f}"
    '0.000 3.886'
    """

    nature: ClassVar[Nature] = Nature("network with intervals", over=WITHIN, instead=INTERVALS)
    unconditioned: ClassVar[str] = "no known records beside intervals: they are conditioned on under one law"

    def __init__(self, records: Records, net: Net, kind: str = "network") -> None:
        self.records, self.net, self.kind = records, net, kind

    @property
    def people(self) -> int:
        return len(self.net.nodes)

    def strata(self) -> tuple[Stratum, ...]:
        return self.records.strata

    def values(self, person: int) -> tuple[RecordValue, ...]:
        """That person's universe."""
        return self.records.strata[self.records.stratum[person - 1]].values

    def possible(self, person: int) -> list[int]:
        """Which values that person's record has under some law, by their indices."""
        return [int(i) for i in np.flatnonzero(self.net.priors[person - 1][1] > 0)]

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """The prior is not known: its logs are NaN. InputError for nobody's number."""
        self.check_person(person)
        own = self.possible(person)
        secrets = tuple(self.values(person)[i] for i in own)
        stratum, dependents = self.records.stratum[person - 1], self.net.sizes[self.net.roots[person - 1]]
        names = self.records.names
        who = f"node {names[person - 1]} of the network" if names else f"record {person} of a chain of {self.people}"
        return Subject(person, 1, stratum, secrets, np.full(len(secrets), np.nan), dependents, who)

    def number_of(self, name: str) -> int | None:
        return self.records.names.index(name) + 1 if name in self.records.names else None


@final
class MessageBounds:
    """Bounds of log W(y|s) - log W(y|s') at all outputs and under all laws. points: by node, its values' scores (k,
    axes); rate: at which the log-density of the noise changes. Equal nodes with equal messages share one array of each.

    Ten days, each well one followed by an ill one with .02 to .06, counted with Laplace noise of scale 2: of the fifth
    day no law of these leaks more than 3.884195 nats.

    >>> import dalenius as dl
    >>> rows = [[[0.94, 0.98], [0.02, 0.06]], [0.1, 0.9]]
    >>> days = dl.Chain(n=10, initial=[0.8, 0.2], transition=rows).joints()[0]
    >>> found = MessageBounds(days, [np.array([[0.0], [1.0]])] * 10, 0.5)
    >>> f"{found.regions(4).ratio.max():.5f}"
    '3.88419'
    """

    def __init__(self, law: CredalNetwork, points: Sequence[Array], rate: float) -> None:
        self.law, self.net, self._kept = law, law.net, _Kept()
        spans = {id(each): self._kept(rate * np.abs(each[:, None] - each[None]).sum(axis=2)) for each in points}
        self.own = [spans[id(each)] for each in points]
        """By node, how far its score moves the log-density of the noise between two values (k, k)."""
        moved = self.net.sums_together([float(each.max()) for each in self.own])
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

    @cached_property
    def classes(self) -> list[int]:
        """The first node of every class of nodes with the same bounds."""
        found: dict[tuple[int, int, int, float], int] = {}
        for number, stratum in enumerate(self.law.records.stratum):
            key = stratum, id(self.net.priors[number]), id(self.ratio(number)), self.moved[number]
            found.setdefault(key, number)
        return sorted(found.values())

    def regions(self, number: int) -> Regions:
        """Of one node, and the values that it can have. (k, k) of its possible values only, in nats."""
        values = self.law.possible(number + 1)
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
            for child, others in zip(children, all_but_one([self._below[each] for each in children]), strict=True):
                far, rows = self._kept.above(self.own[parent] + found[parent] + sum(others)), self.net.nodes[child].rows
                key = id(rows), id(priors[parent]), id(far)
                if key not in self._steps:
                    low, high = priors[parent]
                    self._steps[key] = self._kept.above(after_step((low, high), rows[0], rows[1], far))
                found[child] = self._steps[key]
        return found


def network_in_intervals(
    records: Records, nodes: Iterable[tuple[tuple[int, ...], Array]], order: Sequence[int]
) -> CredalNetwork:
    """The set of laws of a network as a model gives it: of each node its parents and the ends of its rows (2, rows, k);
    order: of the nodes, parents first. InputError for a node with two parents."""
    kept, found = _Kept(), list[IntervalNode]()
    for name, (parents, rows) in zip(records.names, nodes, strict=True):
        if len(parents) > 1:
            wanted = "one parent at most of each node beside intervals (or numbers for all probabilities)"
            raise InputError("model.nodes", f"node {name} with {len(parents)} parents", wanted)
        found.append(IntervalNode(parents[0] if parents else None, kept(rows)))
    return CredalNetwork(records, Net(tuple(found), tuple(order)))


def chain_in_intervals(
    values: Sequence[RecordValue], first: Array, rows: Array, which: IntArray, labels: Sequence[str] | None
) -> CredalNetwork:
    """That of a chain. first (2, k): the ends of the first record's probabilities; rows (m, 2, k, k): those of the
    distinct transitions; which (n - 1,): the one of each step; labels: one public label per record."""
    own = tuple(labels) if labels is not None else ("",) * (len(which) + 1)
    kinds = list(dict.fromkeys(own))
    strata = tuple(Stratum(label, tuple(values), own.count(label)) for label in kinds)
    number = {label: kind for kind, label in enumerate(kinds)}
    records = Records((), tuple(number[label] for label in own), strata)
    steps = list(rows)
    nodes = [
        IntervalNode(None, first[:, None]),
        *(IntervalNode(i, steps[each]) for i, each in enumerate(which.tolist())),
    ]
    return CredalNetwork(records, Net(tuple(nodes), tuple(range(len(nodes)))), "chain")
