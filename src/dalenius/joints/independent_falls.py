"""How far the transform of a network's sum falls at frequencies that are not computed.

Nodes that share no table are independent given all others. Given these, each multiplies the transform by at most e^{-Σ
p·p'·(1 - cos ω(f - f'))} over its pairs of values, with their least chances p, p' given any values of the others
(Results 20.12 and 20.45).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.joints.tree_messages import Component

_MOST: Final = 1 << 25
"""Nodes times pairs of values, at most: 256 MB. Beyond, all frequencies are computed."""


@final
@dataclass(frozen=True, eq=False)
class IndependentFalls:
    """ratios (nodes, k, k): of the nodes that are chosen, the most log Pr[x]/Pr[a] given any values of all others, at
    (a, x); scores (nodes, k). One of the nodes may be the one whose value is given: the largest fall is left out."""

    ratios: Array
    scores: IntArray

    @classmethod
    def of(cls, components: Sequence[Component], scores: IntArray) -> "IndependentFalls":
        """Chooses nodes such that no two share a table, those with large falls first.

        Args:
            components: The parts of the network.
            scores: What each value of a node adds to the sum, in steps (nodes, k).
        """
        count, k = scores.shape
        if count * k * k > _MOST:
            return cls(np.zeros((0, k, k)), scores[:0])
        ratios, linked = _ratios(components, count, k)
        weights = np.zeros(count)
        for one in range(k):
            for other in range(one):
                apart = (scores[:, one] - scores[:, other]) ** 2
                chances = _chances(ratios)
                weights += chances[:, one] * chances[:, other] * apart
        free, chosen = np.ones(count, dtype=np.bool_), []
        for node in np.argsort(-weights, kind="stable").tolist():
            if free[node] and weights[node] > 0:
                chosen.append(node)
                free[list(linked[node])] = False
        return cls(ratios[chosen], scores[chosen])

    def bounds(self, tilts: Array, points: int) -> Array:
        """Bounds log |φ| at the frequencies 0 .. points/2 from above (T, frequencies).

        Args:
            tilts: θ for each step of the sum (T,).
            points: How many points the circle has.
        """
        found = np.zeros((len(tilts), points // 2 + 1))
        if not len(self.scores):
            return found
        places = np.arange(points // 2 + 1)
        for row, tilt in zip(found, tilts.tolist(), strict=True):
            chances = _chances(self.ratios, tilt * self.scores)
            falls, largest = defaultdict[int, float](float), defaultdict[int, float](float)
            for one in range(self.scores.shape[1]):
                for other in range(one):
                    distances = np.abs(self.scores[:, one] - self.scores[:, other])
                    own = chances[:, one] * chances[:, other] * (1 - 1e-9)
                    for distance in np.unique(distances[(distances > 0) & (own > 0)]).tolist():
                        here = own[distances == distance]
                        falls[distance] += float(here.sum())
                        largest[distance] += float(here.max())
            for distance, fall in falls.items():
                half = np.pi * ((places * distance) % points) / points
                row -= (fall - largest[distance]) * 2 * np.sin(half) ** 2 * (1 - 1e-9)
        return np.minimum(found, 0.0)


def _chances(ratios: Array, weights: Array | None = None) -> Array:
    """The least chance of each value given any values of the others (nodes, k)."""
    moved = ratios if weights is None else ratios + weights[:, None, :] - weights[:, :, None]
    with np.errstate(over="ignore"):
        return np.asarray(1 / np.exp(moved).sum(axis=2))


def _ratios(components: Sequence[Component], count: int, k: int) -> tuple[Array, list[set[int]]]:
    """See `IndependentFalls.ratios`, of all nodes; and by node those that share a table with it."""
    found = np.full((count, k, k), -np.inf)
    linked: list[set[int]] = [set() for _ in range(count)]
    tables = defaultdict[tuple[int, ...], list[tuple[tuple[int, ...], Array]]](list)
    for component in components:
        for node, size in component.sizes.items():
            found[node, :size, :size] = 0.0
            found[node, size:, :] = np.inf
        for potential in component.potentials:
            tables[potential.table.shape].append((potential.nodes, potential.table))
            for node in potential.nodes:
                linked[node].update(potential.nodes)
    for shape, own in tables.items():
        nodes = np.array([each for each, _ in own], dtype=np.int64).reshape(len(own), -1)
        with np.errstate(divide="ignore"):
            logs = np.log(np.stack([table for _, table in own]))
        for axis, size in enumerate(shape):
            laid = np.moveaxis(logs, axis + 1, -1).reshape(len(own), -1, size)
            for value in range(size):
                with np.errstate(invalid="ignore"):
                    apart = laid - laid[:, :, [value]]
                # Two values that some others rule out both: these others do not occur.
                most = np.where(np.isnan(apart), -np.inf, apart).max(axis=1)
                for place in range(size):
                    with np.errstate(invalid="ignore"):
                        np.add.at(found[:, value, place], nodes[:, axis], most[:, place])
    # Once impossible and once without bound: not to be relied on.
    return np.where(np.isnan(found), np.inf, found), linked
