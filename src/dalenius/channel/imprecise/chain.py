"""The world of a chain whose probabilities lie in intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar, final

import numpy as np

from dalenius.channel.channel import Channel
from dalenius.channel.imprecise.channel import CredalChannel
from dalenius.channel.imprecise.patterns import patterns
from dalenius.channel.imprecise.subject import CredalSubject
from dalenius.channel.imprecise.world import CredalWorld, rate_of
from dalenius.joints.imprecise.chain import CredalChain
from dalenius.laws.imprecise.past import NEAR, Bounds
from dalenius.laws.imprecise.ratios import closed
from dalenius.laws.imprecise.regions import Regions
from dalenius.laws.imprecise.search import Quantity, Search
from dalenius.laws.imprecise.sides import Pasts, Sides, ahead, behind, places_of
from dalenius.laws.law import Array
from dalenius.noise import Noise


@final
class ChainMessages:
    """Of one chain, by the rate at which the log-density of the noise changes."""

    def __init__(self, law: CredalChain, scores: Sequence[Array], rate: float) -> None:
        self.law, self._rate = law, rate
        self._scores = scores
        self.own = [rate * np.abs(each[:, None] - each[None]).sum(axis=2) for each in scores]

    @cached_property
    def ahead(self) -> Sides[Array]:
        return ahead(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def behind(self) -> Sides[Array]:
        return behind(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def pasts(self) -> Pasts | None:
        """None where there are more than two values, or rows from which one of them is next to impossible."""
        boxes = self.law.boxes
        if boxes.size != 2:
            return None
        ends = [boxes.rows[..., 1].ravel(), boxes.priors[..., 1].ravel()]
        inside = all(((each > NEAR) & (each < 1 - NEAR)).all() for each in ends)
        return Pasts(boxes, self.law.stratum) if inside else None

    @cached_property
    def before(self) -> Sides[Bounds] | None:
        """The past by the record's own law; None where `pasts` is."""
        return None if self.pasts is None else self.pasts.bounds([float(each[0, 1]) for each in self.own])

    @cached_property
    def places(self) -> list[int]:
        """The first record of every class of records with the same bounds."""
        priors = np.unique(self.law.boxes.priors, axis=0, return_inverse=True)[1].ravel()
        past = self.behind.at if self.before is None else self.before.at
        return places_of([self.ahead.at, past, self.law.stratum, priors])

    def regions(self, place: int, values: Sequence[int]) -> Regions:
        """Of one record, from 0, and these of its values."""
        low, high = self.law.boxes.priors[place]
        far = self.ahead.states[self.ahead.at[place]] + self.own[self.law.stratum[place]]
        if self.before is not None and self.pasts is not None:
            return self._of_cells(self.before.states[self.before.at[place]], far, (low[1], high[1]))
        kept = np.ix_(values, values)
        above = closed(far + self.behind.states[self.behind.at[place]])
        return Regions(low[None, values], high[None, values], above[kept][None])

    def _of_cells(self, past: Bounds, far: Array, between: tuple[float, float]) -> Regions:
        assert self.pasts is not None
        cells, there = self.pasts.cells, past.reached
        above = np.zeros((int(there.sum()), 2, 2))
        above[:, 1, 0] = np.maximum((past.above + np.abs(past.above_slope) * _half(cells.ends))[there], 0) + far[1, 0]
        above[:, 0, 1] = np.maximum((-past.below + np.abs(past.below_slope) * _half(cells.ends))[there], 0) + far[0, 1]
        ends = [1 / (1 + np.exp(-each[there])) for each in (cells.low, cells.high)]
        low, high = np.maximum(ends[0] * (1 - NEAR), between[0]), np.minimum(ends[1] * (1 + NEAR), between[1])
        low, high = np.minimum(low, high), np.maximum(low, high)
        return Regions(np.stack([1 - high, low], axis=1), np.stack([1 - low, high], axis=1), above)

    def attained(self, place: int, values: Sequence[int], quantity: Quantity) -> float:
        """The most a law was found to attain, for any signs of an output far away; from below."""
        found = 0.0
        for signs in patterns(self._scores[0].shape[1]):
            search = self._search(place, signs)
            value, point = search.best(lambda prior, logs: quantity(prior[:, values], logs[:, values]))
            found = max(found, value - 2 * point.error * (1 + abs(value)))
        return found

    @lru_cache(maxsize=64)  # noqa: B019 (of one noise, of which an audit asks several quantities)
    def _search(self, place: int, signs: tuple[float, ...]) -> Search:
        by_stratum = [self._rate * (each @ np.array(signs)) for each in self._scores]
        return Search(self.law.boxes, np.stack([by_stratum[i] for i in self.law.stratum]), place)


def _half(ends: Array) -> Array:
    return np.asarray(np.diff(ends) / 2)


@final
@dataclass(frozen=True, eq=False)
class ChainSubject(CredalSubject):
    """A record of a chain: place, from 0; own: the indices of its values; messages: at the noise's rate."""

    place: int
    own: tuple[int, ...]
    messages: ChainMessages

    @cached_property
    def regions(self) -> Regions:
        return self.messages.regions(self.place, self.own)

    def attained(self, quantity: Quantity) -> float:
        return self.messages.attained(self.place, self.own, quantity)


@final
class CredalChainWorld(CredalWorld[CredalChain]):
    """law: the chain; scores: the query's, a sum."""

    kind: ClassVar[str] = "chain"

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        rate = rate_of(noise, self.kind)
        messages = ChainMessages(self.law, self.points, rate)
        whole = float(rate) * self._nats(self.group_sensitivity[0]) if not noise.adds_nothing else 1.0
        people = self.people
        if people is None:
            people = list(range(1, len(self.law.boxes) + 1)) if noise.adds_nothing else [p + 1 for p in messages.places]
        yield CredalChannel([self._subject(person, messages, whole) for person in people], noise, self.kind)

    def _subject(self, person: int, messages: ChainMessages, whole: float) -> ChainSubject:
        subject, own = self.law.subject_of(person), self.law.possible(person)
        return ChainSubject(
            number=person,
            who=subject.who,
            values=subject.secrets,
            asked=self.asked(subject),
            spread=self.spreads[subject.stratum],
            lattice=self.scores.lattice,
            moved=whole,
            place=person - 1,
            own=tuple(own),
            messages=messages,
        )

    @staticmethod
    def _nats(distance: Fraction) -> float:
        return float(np.nextafter(float(distance), np.inf))
