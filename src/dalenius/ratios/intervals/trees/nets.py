"""Bounds for networks whose conditional probabilities lie in boxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array
from dalenius.ratios.intervals.trees.ratios import after_step, before_step, closed
from dalenius.ratios.intervals.trees.rows import largest_mean, smallest_mean, tightened

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
