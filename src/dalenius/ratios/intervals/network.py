"""A network whose conditional probabilities are known to lie in intervals, a chain being one: a set of laws, and no one
law of it.

In trees, where no record has two parents, what outputs say of a record is bounded by messages along the branches
(Results 21.11 and 21.13); elsewhere by moving all that may depend on the record at once (Result 21.16).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.joint import INTERVALS, WITHIN, Nature, Stratum, Subject
from dalenius.joints.network import Records
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.bounded_channel import BoundedBelief
from dalenius.ratios.intervals.boxes import after_step, before_step, closed, largest_mean, smallest_mean, tightened
from dalenius.schema import RecordValue

_OFF: Final = 32 * UNIT
_ROUNDED: Final = 2.0**36
"""To a part of which messages are rounded up: far from the ends of a chain they are then all the same."""


@final
@dataclass(frozen=True, eq=False)
class IntervalNode:
    """parents: by their numbers; rows (2, assignments, k): lower and upper ends of the probabilities given each
    assignment of the parents, the last parent's value changing fastest."""

    parents: tuple[int, ...]
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
            for parent in node.parents:
                found[parent].append(number)
        return found

    @cached_property
    def components(self) -> list[list[int]]:
        """The nodes that are linked in any way, smallest number first."""
        seen, found = set[int](), []
        for first in range(len(self.nodes)):
            inside, waiting = set[int](), [first]
            while waiting:
                node = waiting.pop()
                if node not in seen:
                    seen.add(node)
                    inside.add(node)
                    waiting += [*self.nodes[node].parents, *self.children[node]]
            if inside:
                found.append(sorted(inside))
        return found

    @cached_property
    def component_of(self) -> dict[int, list[int]]:
        """By node."""
        return {node: part for part in self.components for node in part}

    @cached_property
    def of_trees(self) -> frozenset[int]:
        """The nodes of components in which nobody has two parents."""
        # Chains, and families in which each record follows one other: there messages pass.
        trees = [part for part in self.components if all(len(self.nodes[i].parents) <= 1 for i in part)]
        return frozenset(node for part in trees for node in part)

    @cached_property
    def depth(self) -> list[int]:
        """By node, how many are above it along first parents."""
        found = dict[int, int]()
        for number in self.order:
            found[number] = 1 + found[self.nodes[number].parents[0]] if self.nodes[number].parents else 0
        return [found[number] for number in range(len(self.nodes))]

    @cached_property
    def _ancestors(self) -> dict[int, frozenset[int]]:
        """Of nodes that are in no tree, themselves included."""
        found = dict[int, frozenset[int]]()
        for number in self.order:
            if number not in self.of_trees:
                found[number] = frozenset([number]).union(*(found[parent] for parent in self.nodes[number].parents))
        return found

    def together(self, number: int) -> list[int]:
        """A node and those that may depend on it, as they have a common ancestor. All others together are independent
        of it, so that whatever they are they leak nothing about it but through the former (Result 21.16). Of two
        parents and their child: each parent depends on the child, not on the other parent."""
        # Everything on a tree shares the root: all may depend on all.
        if number in self.of_trees:
            return self.component_of[number]
        own = self._ancestors[number]
        return [i for i in self.component_of[number] if own & self._ancestors[i]]

    def sums_together(self, spans: Sequence[float]) -> list[float]:
        """By node, the sum over all that may depend on it, and itself."""
        found = [0.0] * len(self.nodes)
        for part in self.components:
            whole = sum(spans[i] for i in part)
            for number in part:
                found[number] = whole if number in self.of_trees else sum(spans[i] for i in self.together(number))
        return found

    @cached_property
    def priors(self) -> list[Array]:
        """By node, a box (2, k) that holds its law; of equal ones one."""
        found, kept, same = dict[int, Array](), _Kept(), dict[tuple[int, int], Array]()
        for number in self.order:
            node = self.nodes[number]
            above = found[node.parents[0]] if len(node.parents) == 1 else node.rows
            key = id(node.rows), id(above)
            if key not in same:
                same[key] = kept(_prior(node, above))
            found[number] = same[key]
        return [found[number] for number in range(len(self.nodes))]


def _prior(node: IntervalNode, above: Array) -> Array:
    """above: of a single parent's law, the box.

    The box of a node's law: by its parent's box where it has one parent, else the hull of all its rows.
    """
    low, high = node.rows
    # A mean of rows over a law in a box is linear in both: each end by the best law, value by value.
    if len(node.parents) == 1:
        least, most = above
        low = smallest_mean(least, most, low.T) * (1 - _OFF)
        high = largest_mean(least, most, high.T) * (1 + _OFF)
    else:
        low, high = low.min(axis=0), high.max(axis=0)
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
        # To 36 bits, upwards: far from the ends all messages are then one array, and their steps are computed once.
        mantissa, exponent = np.frexp(found)
        return self(np.asarray(np.ldexp(np.ceil(mantissa * _ROUNDED) / _ROUNDED, exponent)))


@final
class MessageBounds:
    """Bounds of log W(y|s) - log W(y|s') at all outputs and under all laws. own: by node, how far its score moves the
    log-density of the noise between two values (k, k). Equal nodes with equal messages share one array of each."""

    def __init__(self, net: Net, own: Sequence[Array]) -> None:
        self.net, self._kept = net, _Kept()
        self.own = [self._kept(each) for each in own]
        self.moved = [each * (1 + _OFF * len(own)) for each in net.sums_together([float(each.max()) for each in own])]
        """By node, how far all that may depend on it moves the log-density."""
        self._steps: dict[tuple[int, ...], Array] = {}
        self._ratios: dict[tuple[float, int, int, int], Array] = {}
        self._below = self._upwards()
        self._above = self._downwards()

    def ratio(self, number: int) -> Array:
        """Of one node (k, k); the same array where it is the same."""
        own, above = self.own[number], self._above.get(number)
        below = self._sum([self._below[child] for child in self.net.children[number] if above is not None], len(own))
        key = self.moved[number], id(own), id(below), id(above)
        # Alike nodes with alike messages share one answer.
        if key not in self._ratios:
            # Whatever the law is, all that may depend on the record moved at once is a bound (Result 21.16).
            moved = own + (self.moved[number] - own.max()) * (1 - np.eye(len(own)))
            # In a tree messages say more; elsewhere only the bound above is known.
            if above is not None:
                moved = np.minimum(moved, own + above + below)
            self._ratios[key] = self._kept(closed(moved))
        return self._ratios[key]

    def _upwards(self) -> dict[int, Array]:
        """By node of a tree, bounds of the message to its parent from it and all below it."""
        found = dict[int, Array]()
        for number in reversed(self.net.order):
            node = self.net.nodes[number]
            if number in self.net.of_trees and node.parents:
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
        """By node of a tree, bounds of the message from its parent and all beyond that."""
        found, priors = dict[int, Array](), self.net.priors
        for parent in self.net.order:
            if parent not in self.net.of_trees:
                continue
            size, children = self.net.nodes[parent].size, self.net.children[parent]
            if not self.net.nodes[parent].parents:
                found[parent] = self._kept(np.zeros((size, size)))
            for child, others in zip(children, _but_one([self._below[each] for each in children]), strict=True):
                far, rows = self._kept.above(self.own[parent] + found[parent] + others), self.net.nodes[child].rows
                key = id(rows), id(priors[parent]), id(far)
                if key not in self._steps:
                    low, high = priors[parent]
                    self._steps[key] = self._kept.above(after_step((low, high), rows[0], rows[1], far))
                found[child] = self._steps[key]
        return found


def _but_one(messages: Sequence[Array]) -> Array:
    """The sums of all but each."""
    if not messages:
        return np.zeros(0)
    nothing, each = np.zeros((1, *messages[0].shape)), np.stack(messages)
    before, after = np.cumsum(each, axis=0), np.cumsum(each[::-1], axis=0)[::-1]
    return np.asarray(np.concatenate([nothing, before[:-1]]) + np.concatenate([after[1:], nothing]))


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
    '3.874 3.886'
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

    def subject_of(self, person: int) -> Subject:
        """The prior is not known: its logs are NaN. InputError for nobody's number."""
        self.check_person(person)
        own = self.possible(person)
        secrets = tuple(self.values(person)[i] for i in own)
        stratum, dependents = self.records.stratum[person - 1], len(self.net.together(person - 1))
        names = self.records.names
        who = f"node {names[person - 1]} of the network" if names else f"record {person} of a chain of {self.people}"
        return Subject(person, 1, stratum, secrets, np.full(len(secrets), np.nan), dependents, who)

    def number_of(self, name: str) -> int | None:
        return self.records.names.index(name) + 1 if name in self.records.names else None


def network_in_intervals(
    records: Records, nodes: Iterable[tuple[tuple[int, ...], Array]], order: Sequence[int]
) -> CredalNetwork:
    """The set of laws of a network as a model gives it: of each node its parents and the ends of its rows (2, rows, k);
    order: of the nodes, parents first."""
    kept = _Kept()
    return CredalNetwork(
        records, Net(tuple(IntervalNode(parents, kept(rows)) for parents, rows in nodes), tuple(order))
    )


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
        IntervalNode((), first[:, None]),
        *(IntervalNode((i,), steps[each]) for i, each in enumerate(which.tolist())),
    ]
    return CredalNetwork(records, Net(tuple(nodes), tuple(range(len(nodes)))), "chain")
