"""The world of a network whose conditional probabilities lie in intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel.channel import Channel
from dalenius.channel.imprecise.channel import CredalChannel
from dalenius.channel.imprecise.patterns import patterns
from dalenius.channel.imprecise.subject import CredalSubject
from dalenius.channel.imprecise.world import CredalWorld, rate_of
from dalenius.joints.imprecise.network import CredalNetwork
from dalenius.laws.imprecise.boxes import toward
from dalenius.laws.imprecise.regions import Regions
from dalenius.laws.imprecise.rows import corners
from dalenius.laws.imprecise.search import GAIN, Quantity
from dalenius.laws.law import Array, IntArray
from dalenius.noise import Noise

LOOKED: Final = 120
"""So many laws of a network are looked at, at most, for one that leaks much."""


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
        """The most some law was found to attain at outputs far above or below all answers; from below."""
        found = 0.0
        for signs in patterns(self._points[0].shape[1]):
            logs = [self.rate * (each @ np.array(signs)) for each in self._points]
            weights = [np.exp(each - each.max()) for each in logs]
            found = max(found, _Climb(self.law, weights, person, own, quantity).best())
        return found


@final
class _Climb:
    """Looks for a law by changing one row at a time, for outputs by which the values weigh so much."""

    def __init__(
        self, law: CredalNetwork, weights: Sequence[Array], person: int, own: Sequence[int], quantity: Quantity
    ) -> None:
        self._law, self._weights, self._person, self._own, self._quantity = law, weights, person, list(own), quantity
        self._left = LOOKED
        self._near = [person - 1, *law.net.dependent(person - 1)]

    def best(self) -> float:
        """The largest value, less what may be rounding."""
        starts = [
            [toward(low, high, each) for each, (low, high) in zip(w, self._boxes, strict=True)] for w in self._w()
        ]
        values = [self._value(rows) for rows in starts]
        place = int(np.argmax(np.array(values) > max(values) - GAIN))
        value = self._climbed([rows.copy() for rows in starts[place]], values[place])
        return value - 64 * (len(self._weights) + 4) ** 2 * UNIT * (1 + abs(value))

    @property
    def _boxes(self) -> list[tuple[Array, Array]]:
        return [(node.rows[0], node.rows[1]) for node in self._law.net.nodes]

    def _w(self) -> list[list[Array]]:
        """Which rows to begin with: those by which all rise, all fall, or each follows its first parent."""
        rising = [np.broadcast_to(w, low.shape) for w, (low, _) in zip(self._weights, self._boxes, strict=True)]
        following = []
        for (low, _), w in zip(self._boxes, self._weights, strict=True):
            high = np.arange(len(low))[:, None] * 2 >= len(low)
            following.append(np.where(high, w, -w))
        turned = [-each for each in following]
        return [rising, [-each for each in rising], following, turned]

    def _climbed(self, rows: list[Array], value: float) -> float:
        for number in self._near:
            low, high = self._boxes[number]
            for row in range(len(low)):
                for option in corners(low[row], high[row]):
                    if self._left <= 0:
                        return value
                    before = rows[number][row].copy()
                    rows[number][row] = option
                    found = self._value(rows)
                    value, kept = (found, True) if found > value + GAIN else (value, False)
                    if not kept:
                        rows[number][row] = before
        return value

    def _value(self, rows: list[Array]) -> float:
        self._left -= 1
        before = self._law.chances(self._person, rows)
        after = self._law.chances(self._person, rows, self._weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(before > 0, np.log(after) - np.log(before), -np.inf)
        return float(self._quantity(before[None, self._own], logs[None, self._own])[0])


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
