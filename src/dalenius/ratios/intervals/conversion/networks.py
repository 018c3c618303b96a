"""What any pipeline can leak of the records of a network whose rows lie in boxes (Result 21.27)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.rows import read
from dalenius.conversion.unlisted import FARTHEST, Worst, faint, worst_delta
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.conversion.boxed_trees import bound_of
from dalenius.ratios.intervals.conversion.of_rows import OfRows, least_of
from dalenius.ratios.intervals.trees.network import CredalNetwork, NetworkBounds
from dalenius.ratios.intervals.trees.regions import Quantity, Regions
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True, eq=False)
class AnyNetwork(OfRows):
    """The nodes of a network, each of which may leak."""

    law: CredalNetwork
    information: bool

    @property
    def people(self) -> int:
        return self.law.people

    def possible(self, place: int) -> Sequence[int]:
        return self.law.possible(place + 1)

    def values(self, place: int) -> tuple[RecordValue, ...]:
        return self.law.values(place + 1)

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        reach = min(max(2 * reach, faint(profile, steps)), FARTHEST)
        epsilons, bounds = _bound_of(self.law.net, profile, steps, reach)
        chances = self._chances
        n, k = chances.shape

        def deltas(fold: float, kinds: IntArray | None) -> Array:
            places, at = range(n) if kinds is None else kinds.tolist(), np.array([fold * (1 - 8 * UNIT)])
            found = np.ones((len(places), k, k))
            for row, place in zip(found, places, strict=True):
                for one, other in permutations(range(len(bounds[place])), 2):
                    row[one, other] = min(float(read(bounds[place][one, other], at, epsilons)[0]), 1.0)
            return found

        return worst_delta(deltas, chances, np.arange(n), self.information, epsilon)

    def regions(self, nats: float) -> Iterator[tuple[int, Regions]]:
        bounds = self._bounds(nats, [np.eye(node.size) / 2 for node in self.law.net.nodes])
        for place in range(self.people):
            if len(values := self.law.possible(place + 1)) > 1:
                low, high = self.law.net.priors[place]
                above = bounds.ratios[place][np.ix_(values, values)]
                yield place, Regions(low[None, values], high[None, values], above[None])

    def attaining(self, nats: float, place: int, quantity: Quantity) -> Iterator[float]:
        for scores in self._splits():
            yield self._bounds(nats, scores).attained(place + 1, self.law.possible(place + 1), quantity)

    def _bounds(self, nats: float, scores: list[Array]) -> NetworkBounds:
        return NetworkBounds(self.law, scores, float(np.nextafter(nats, np.inf)))

    def _splits(self) -> Iterator[list[Array]]:
        """Scores of 0 and 1 of all nodes: the values from each one on."""
        sizes = [node.size for node in self.law.net.nodes]
        for first in range(1, max(sizes)):
            yield [(np.arange(size) >= min(first, size - 1)).astype(float)[:, None] for size in sizes]

    @cached_property
    def _chances(self) -> Array:
        """From below (n, k), 0 where impossible."""
        found = np.zeros((self.law.people, max(node.size for node in self.law.net.nodes)))
        for own, (low, high) in zip(found, self.law.net.priors, strict=True):
            own[: len(low)] = least_of(low, high)
        return found


_bound_of = lru_cache(maxsize=16)(bound_of)
