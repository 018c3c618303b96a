"""The world of a network whose conditional probabilities lie in intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel.channel import Channel
from dalenius.laws.law import Array, IntArray
from dalenius.noise import Noise
from dalenius.ratios.intervals.trees.attained import Quantity
from dalenius.ratios.intervals.trees.channel import CredalChannel
from dalenius.ratios.intervals.trees.network import CredalNetwork
from dalenius.ratios.intervals.trees.patterns import patterns
from dalenius.ratios.intervals.trees.regions import Regions
from dalenius.ratios.intervals.trees.rows import best_row
from dalenius.ratios.intervals.trees.subject import CredalSubject
from dalenius.ratios.intervals.trees.world import CredalWorld, rate_of

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


@final
@dataclass(frozen=True, eq=False)
class NetworkSubject(CredalSubject):
    """A node of a network; own: the indices of its values; bounds: at the noise's rate."""

    own: tuple[int, ...]
    bounds: NetworkBounds

    @cached_property
    def regions(self) -> Regions:
        low, high = self.bounds.law.net.priors[self.number - 1]
        above = self.bounds.ratios[self.number - 1][np.ix_(self.own, self.own)]
        own = list(self.own)
        return Regions(low[None, own], high[None, own], above[None])

    def attained(self, quantity: Quantity) -> float:
        return self.bounds.attained(self.number, self.own, quantity)


@final
class CredalNetworkWorld(CredalWorld[CredalNetwork]):
    """law: the network; scores: the query's, sums."""

    kind: ClassVar[str] = "network"

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        bounds = NetworkBounds(self.law, [self.points[i] for i in self.law.records.stratum], rate_of(noise, self.kind))
        people = self.people if self.people is not None else range(1, self.law.people + 1)
        yield CredalChannel([self._subject(person, bounds) for person in people], noise, self.kind)

    def _subject(self, person: int, bounds: NetworkBounds) -> NetworkSubject:
        subject = self.law.subject_of(person)
        own = [person - 1, *self.law.net.dependent(person - 1)]
        moved = sum(float(np.ptp(self.points[self.law.records.stratum[i]], axis=0).sum()) for i in own)
        return NetworkSubject(
            number=person,
            who=subject.who,
            values=subject.secrets,
            asked=self.asked(subject),
            spread=self.by_stratum[subject.stratum],
            lattice=self.scores.lattice,
            moved=moved * bounds.rate * (1 + 64 * UNIT),
            own=tuple(self.law.possible(person)),
            bounds=bounds,
        )

    @property
    def groups(self) -> Sequence[IntArray]:
        found = []
        for part in self.law.net.components:
            counts = np.bincount([self.law.records.stratum[i] for i in part], minlength=len(self.strata))
            found.append(counts.astype(np.int64))
        return found
