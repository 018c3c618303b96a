"""A network whose conditional probabilities are known to lie in intervals: a set of laws, and no one law of it.

Bounds for networks whose conditional probabilities lie in boxes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.joint import Stratum, Subject
from dalenius.joints.network import NetworkLaw, Records, bayesian_network
from dalenius.joints.tree_messages import Potential
from dalenius.laws.law import Array
from dalenius.ratios.bounded import BoundedBelief
from dalenius.ratios.intervals.boxes import (
    after_step,
    before_step,
    best_row,
    closed,
    largest_mean,
    smallest_mean,
    tightened,
)
from dalenius.ratios.intervals.regions import Quantity, Regions, patterns
from dalenius.schema import RecordValue

OFF: Final = 32 * UNIT


@final
@dataclass(frozen=True, eq=False)
class Node:
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

    nodes: tuple[Node, ...]
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
    def ancestors(self) -> list[frozenset[int]]:
        """By node, itself included."""
        found: dict[int, frozenset[int]] = {}
        for number in self.order:
            found[number] = frozenset([number]).union(*(found[parent] for parent in self.nodes[number].parents))
        return [found[number] for number in range(len(self.nodes))]

    def dependent(self, number: int) -> list[int]:
        """Which other nodes may depend on it: those with a common ancestor. All others together are independent of it,
        so that whatever they are they leak nothing about it but through the former (Result 21.16)."""
        own = self.ancestors[number]
        return [i for i, theirs in enumerate(self.ancestors) if i != number and own & theirs]

    @cached_property
    def components(self) -> list[list[int]]:
        """The nodes that are linked in any way, smallest number first."""
        left, found = set(range(len(self.nodes))), []
        while left:
            inside, waiting = set[int](), [min(left)]
            while waiting:
                node = waiting.pop()
                if node not in inside:
                    inside.add(node)
                    waiting += [*self.nodes[node].parents, *self.children[node]]
            left -= inside
            found.append(sorted(inside))
        return found

    @cached_property
    def of_trees(self) -> frozenset[int]:
        """The nodes of components in which nobody has two parents."""
        trees = [part for part in self.components if all(len(self.nodes[i].parents) <= 1 for i in part)]
        return frozenset(node for part in trees for node in part)

    @cached_property
    def priors(self) -> list[Array]:
        """By node, a box (2, k) that holds its law."""
        found: dict[int, Array] = {}
        for number in self.order:
            node = self.nodes[number]
            low, high = node.rows
            if len(node.parents) == 1:
                least, most = found[node.parents[0]]
                low = smallest_mean(least, most, low.T) * (1 - OFF)
                high = largest_mean(least, most, high.T) * (1 + OFF)
            else:
                low, high = low.min(axis=0), high.max(axis=0)
            found[number] = np.stack(tightened(np.maximum(low, 0.0), np.minimum(high, 1.0)))
        return [found[number] for number in range(len(self.nodes))]

    def ratios(self, own: Sequence[Array]) -> list[Array]:
        """By node, bounds (k, k) of log W(y|s) - log W(y|s') at all outputs and under all laws; own: by node, how far
        its score moves the log-density of the noise between two values (k, k).

        In trees by messages along the branches (Results 21.11 and 21.13); elsewhere by moving all that may depend on
        the record at once.
        """
        below = self._below(own)
        above = self._above(own, below)
        found = []
        for number, node in enumerate(self.nodes):
            moved = own[number] + sum(float(own[i].max()) for i in self.dependent(number)) * (1 - np.eye(node.size))
            if number in self.of_trees:
                moved = np.minimum(moved, own[number] + above[number] + self._children(number, below, node.size))
            found.append(closed(moved))
        return found

    def _children(self, number: int, below: dict[int, Array], size: int) -> Array:
        return sum((below[child] for child in self.children[number]), np.zeros((size, size)))

    def _below(self, own: Sequence[Array]) -> dict[int, Array]:
        """By node, bounds of the message to its parent from it and all below it."""
        found: dict[int, Array] = {}
        for number in reversed(self.order):
            node = self.nodes[number]
            if number in self.of_trees and node.parents:
                far = own[number] + self._children(number, found, node.size)
                found[number] = before_step(node.rows[0], node.rows[1], far)
        return found

    def _above(self, own: Sequence[Array], below: dict[int, Array]) -> dict[int, Array]:
        """By node, bounds of the message from its parent and all beyond that."""
        found: dict[int, Array] = {}
        for number in self.order:
            node = self.nodes[number]
            if number not in self.of_trees:
                continue
            if not node.parents:
                found[number] = np.zeros((node.size, node.size))
                continue
            (parent,) = node.parents
            size = self.nodes[parent].size
            far = own[parent] + found[parent] + self._children(parent, below, size) - below[number]
            prior = self.priors[parent]
            found[number] = after_step((prior[0], prior[1]), node.rows[0], node.rows[1], np.maximum(far, 0.0))
        return found


FEW: Final = 4096
"""So many assignments of a component are listed sooner than eliminated."""


@final
class CredalNetwork(BoundedBelief):
    """Every law under which each row of each node's conditional probabilities lies in its box, whatever the others
    are. records: the nodes' names and strata; net: their boxes, in the same order."""

    nature: ClassVar[str] = "network with intervals"
    unconditioned: ClassVar[str] = "no known records beside intervals: they are conditioned on under one law"

    def __init__(self, records: Records, net: Net) -> None:
        self.records, self.net = records, net

    @property
    def people(self) -> int:
        return len(self.records.names)

    @property
    def is_set(self) -> bool:
        return True

    def strata(self) -> tuple[Stratum, ...]:
        return self.records.strata

    def values(self, person: int) -> tuple[RecordValue, ...]:
        """That person's universe."""
        return self.records.strata[self.records.stratum[person - 1]].values

    def possible(self, person: int) -> list[int]:
        """Which values that person's record has under some law, by their indices."""
        return [int(i) for i in np.flatnonzero(self.net.priors[person - 1][1] > 0)]

    def subject_of(self, person: int) -> Subject:
        self.check_person(person)
        own = self.possible(person)
        secrets = tuple(self.values(person)[i] for i in own)
        stratum, dependents = self.records.stratum[person - 1], 1 + len(self.net.dependent(person - 1))
        who = f"node {self.records.names[person - 1]} of the network"
        return Subject(person, 1, stratum, secrets, np.full(len(secrets), np.nan), dependents, who)

    def number_of(self, name: str) -> int | None:
        return self.records.names.index(name) + 1 if name in self.records.names else None

    def chances(self, person: int, rows: Sequence[Array], weights: Sequence[Array] | None = None) -> Array:
        """That person's law (k,) under one law of the set, as `law`: up to a factor where there are weights."""
        part = next(part for part in self.net.components if person - 1 in part)
        sizes = [self.net.nodes[node].size for node in part]
        if prod(sizes) > FEW:
            return self._by_elimination(person, self.law(rows, weights))
        axis = {node: i for i, node in enumerate(part)}
        total = np.ones(sizes)
        for node in part:
            own = rows[node] if weights is None else rows[node] * weights[node]
            nodes = (*self.net.nodes[node].parents, node)
            table = own.reshape([self.net.nodes[each].size for each in nodes])
            order = sorted(range(len(nodes)), key=lambda i: axis[nodes[i]])
            shape = [sizes[axis[each]] if each in nodes else 1 for each in part]
            total = total * table.transpose(order).reshape(shape)
        return np.asarray(total.sum(axis=tuple(i for i in range(len(part)) if i != axis[person - 1])))

    def _by_elimination(self, person: int, law: NetworkLaw) -> Array:
        subject, values = law.subject_of(person), self.values(person)
        found = np.zeros(len(values))
        for value, log in zip(subject.secrets, subject.log_prior, strict=True):
            found[values.index(value)] = np.exp(log)
        return found

    def law(self, rows: Sequence[Array], weights: Sequence[Array] | None = None) -> NetworkLaw:
        """One law of the set, by each node's rows (assignments, k); weights: by node, what each value's probability is
        multiplied by, for the law that has these as likelihoods."""
        found = []
        for number, (node, own) in enumerate(zip(self.net.nodes, rows, strict=True)):
            weighed = own if weights is None else own * weights[number]
            # A parent with one value only is a constant, and links no nodes.
            parents = [parent for parent in node.parents if self.net.nodes[parent].size > 1]
            shape = [self.net.nodes[each].size for each in (*parents, number)]
            found.append(Potential((*parents, number), weighed.reshape(shape)))
        return bayesian_network(self.records, found)


def network_in_intervals(
    records: Records, nodes: Iterable[tuple[tuple[int, ...], Array]], order: Sequence[int]
) -> CredalNetwork:
    """The set of laws of a network as a model gives it: of each node its parents and the ends of its rows (2, rows, k);
    order: of the nodes, parents first."""
    return CredalNetwork(records, Net(tuple(Node(*node) for node in nodes), tuple(order)))


LEANINGS: Final = (1, False), (-1, False), (1, True), (-1, True)
"""Nodes rise, fall, follow their first parent, or turn from it."""


@final
class NetworkBounds:
    """Of one network, by the rate at which the log-density of the noise changes. points: by node, its values' scores
    (k, axes)."""

    def __init__(self, law: CredalNetwork, points: Sequence[Array], rate: float) -> None:
        self.law, self._points, self.rate = law, points, rate

    @cached_property
    def ratios(self) -> list[Array]:
        """By node, of log W(y|s) - log W(y|s') (k, k)."""
        own = [self.rate * np.abs(each[:, None] - each[None]).sum(axis=2) for each in self._points]
        return self.law.net.ratios(own)

    def regions(self, person: int, own: Sequence[int]) -> Regions:
        """Of one person, and these of their values."""
        low, high = self.law.net.priors[person - 1]
        values = list(own)
        return Regions(low[None, values], high[None, values], self.ratios[person - 1][np.ix_(values, values)][None])

    def attained(self, person: int, own: Sequence[int], quantity: Quantity) -> float:
        """The most that laws at corners of the boxes attain at outputs far above or below all answers; from below."""
        found = 0.0
        for signs in patterns(self._points[0].shape[1]):
            logs = [self.rate * (each @ np.array(signs)) for each in self._points]
            weights = [np.exp(each - each.max()) for each in logs]
            for rows in self._corner_laws(weights, person):
                value = self._leaked(rows, weights, person, list(own), quantity)
                found = max(found, value - 64 * (len(weights) + 4) ** 2 * UNIT * (1 + abs(value)))
        return found

    def _corner_laws(self, weights: Sequence[Array], person: int) -> Iterator[list[Array]]:
        """Laws of the set: all below the record lean one way, and all others one way."""
        below = [person - 1 in above and node != person - 1 for node, above in enumerate(self.law.net.ancestors)]
        for near, far in product(LEANINGS, repeat=2):
            yield [
                self._leaning(node, each, *(near if b else far))
                for node, (each, b) in enumerate(zip(weights, below, strict=True))
            ]

    def _leaning(self, number: int, weights: Array, sign: int, follows: bool) -> Array:
        """A node's rows."""
        low, high = self.law.net.nodes[number].rows
        up = np.arange(len(low))[:, None] * 2 >= len(low)
        return best_row(low, high, sign * np.where(up | (not follows), weights, -weights))

    def _leaked(
        self, rows: list[Array], weights: list[Array], person: int, own: list[int], quantity: Quantity
    ) -> float:
        """Under one law, at outputs by which the values weigh so much."""
        before = self.law.chances(person, rows)
        after = self.law.chances(person, rows, weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(before > 0, np.log(after) - np.log(before), -np.inf)
        return float(quantity(before[None, own], logs[None, own])[0])
