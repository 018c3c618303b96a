"""Channels of chains and networks whose probabilities lie in intervals: what a set of laws says about a person.

Every bound holds for every law of the set, each step with a row of its own. From below nothing is known.

The ten days in `credal_network.CredalNetwork` are one such set, as of an intervention whose effect is known to an
interval: no law of it leaks more than 3.886 nats.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import ClassVar, NoReturn, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.bounds import UNIT, Enclosure, known
from dalenius.channel.bounded_channel import BoundedChannel, BoundedSubject, BoundedWorld
from dalenius.channel.channel import Channel
from dalenius.channel.large.boxes import Regions
from dalenius.channel.large.message_bounds import MessageBounds
from dalenius.channel.leakage import NO_LEAK, Divergence, Found, Witness, worst_of
from dalenius.channel.secrets import Secrets
from dalenius.errors import Meaningless
from dalenius.intervals.credal_network import CredalNetwork
from dalenius.noise import Noise
from dalenius.queries import Scores


@final
@dataclass(frozen=True, eq=False)
class CredalSubject(BoundedSubject):
    """One class of people, with bounds over all laws of the set.

    Attributes:
        regions: Bounds on what is said of its values, over all laws and outputs.
        moved: How far, in nats, all that depends on the record can move the log-likelihood of an output.
    """

    regions: Regions
    moved: float

    @property
    def log_ratio_bound(self) -> float:
        """Bounds how far likelihoods of any two values are apart, in nats, from above."""
        return self._most(float(self.regions.ratio.max())) if len(self.values) > 1 and self.moved else 0.0

    def bound(self, name: str) -> float:
        """Returns the upper end, in nats, of the quantity called `name`, which may be `ratio`."""
        # A record leaks nothing if it is certain, or neither moves the answer nor depends on one that does.
        if len(self.values) < 2 or not self.moved:
            return 0.0
        if name != "ratio":
            return self._most(float(getattr(self.regions, name)))
        return self._most(max((known(float(self.regions.ratio[pair])) for pair in self.pairs), default=0.0))

    def _most(self, bound: float) -> float:
        return min(known(bound), self.moved)

    def about(self, name: str) -> Witness:
        """Returns the witness for the quantity called `name`: the pair whose `ratio` may be largest, else no values."""
        if name != "ratio" or not self.pairs:
            return self.witness()
        ratios = [known(float(self.regions.ratio[pair])) for pair in self.pairs]
        # So that roundings do not decide, the first pair that leaks as much is named.
        near = max(ratios) * (1 - 64 * UNIT)
        s, t = next(pair for pair, each in zip(self.pairs, ratios, strict=True) if each >= near)
        return self.witness(self.values[s], self.values[t])


@final
@dataclass(frozen=True, eq=False)
class _NetworkChannel(BoundedChannel):
    """The channel of a network with intervals, over all laws of the set.

    Attributes:
        subjects: One subject of each class of people.
        noise: The noise.
        model: The model's kind, for messages.
    """

    subjects: Sequence[CredalSubject]
    noise: Noise
    model: str

    def neighbours(self) -> Found:
        # Grouped by how a record moves the answer, as 10⁵ days do so in one way.
        spreads = {id(each.spread): each for each in reversed(self.subjects)}
        return worst_of([NO_LEAK, *(each.neighbours(self.noise) for each in spreads.values())])

    def divergence(self) -> Divergence:
        """Finds both relative entropies, from how far each person's own chances move."""
        return Divergence(self.supremum("divergence"), self.supremum("reverse"))

    @cached_property
    def log_ratio_bound(self) -> float:
        """Bounds the log-ratio of likelihoods, in nats; inf for an exact answer that somebody moves."""
        if self.noise.shape.adds_nothing:
            return self.supremum("ratio").value.upper
        return max((each.log_ratio_bound for each in self.subjects), default=0.0)

    def found(self, quantity: str) -> Found:
        """Finds the upper end of `quantity` over everybody, and about whom.

        For an exact answer nothing is known but who moves it.
        """
        # Under some law of the set an exact answer may be certainty.
        if self.noise.shape.adds_nothing:
            moved = [each for each in self.subjects if each.moved and len(each.values) > 1]
            return Found(Enclosure(0.0, inf), moved[0].witness()) if moved else NO_LEAK
        # So that roundings do not decide who is named, bounds are compared to nine digits.
        bounds = [each.bound(quantity) for each in self.subjects]
        if not max(bounds, default=0.0):
            return NO_LEAK
        _, _, first = min(
            zip(
                [-round(bound, 9) for bound in bounds],
                [each.number for each in self.subjects],
                self.subjects,
                strict=True,
            )
        )
        return Found(Enclosure(0.0, max(bounds)), first.about(quantity))

    def unknown(self, quantity: str) -> NoReturn:
        raise Meaningless("model", self.model, f"a point law, without intervals, for {quantity}")


@final
class CredalNetworkWorld(BoundedWorld[CredalNetwork]):
    """The world of one set of laws of a network, or of a chain, under a query."""

    engine: ClassVar[str | None] = "intervals"

    def __init__(self, law: CredalNetwork, scores: Scores, secrets: Secrets, engine: str | None = None) -> None:
        self.model = f"model {law.kind} with intervals"
        self._last: tuple[float, MessageBounds] | None = None
        super().__init__(law, scores, secrets, engine)

    @property
    def engines(self) -> list[tuple[str, str]]:
        """Returns the one engine for all people and coordinates: messages over the whole set of laws."""
        return [
            ("intervals", "over all laws with probabilities in the intervals, where every step has a law of its own")
        ]

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """Yields one channel under `noise` for all people whose records are secrets."""
        strata, bounds = self.law.records.stratum, self._bounds(self._rate(noise))
        people = [each + 1 for each in bounds.classes(strata)] if self.people is None else self.people
        subjects = [self._subject(person, bounds) for person in people]
        yield _NetworkChannel(subjects, noise, f"{self.law.kind} with intervals")

    def _bounds(self, rate: float) -> MessageBounds:
        """Returns the messages at that rate; the last ones are kept, as an audit reads them twice."""
        if self._last is None or self._last[0] != rate:
            points = [self.points[each] for each in self.law.records.stratum]
            self._last = rate, MessageBounds(self.law.net, points, rate)
        return self._last[1]

    def _subject(self, person: int, bounds: MessageBounds) -> CredalSubject:
        """Returns one person's bounds at that noise, with the pairs that the spec hides."""
        whose = self.law.subject_of(person)
        quantity, spread = self.secrets.pairs_of(whose), self.by_stratum[whose.stratum]
        regions, moved = bounds.regions(person - 1), bounds.moved[person - 1]
        return CredalSubject(person, whose.who, whose.secrets, quantity, spread, self.scores.lattice, regions, moved)

    def _rate(self, noise: Noise) -> float:
        """Returns how many nats the log-density changes at most per unit of the answer.

        For no noise it is infinite. Meaningless for a noise other than Laplace's, geometric, or none.
        """
        if noise.shape.adds_nothing:
            return 1.0
        if not noise.shape.exponential:
            raise Meaningless("noise.kind", noise.kind, f"laplace, geometric or none beside {self.model}")
        # Because all bounds grow with the rate, it is rounded up.
        return float(np.nextafter(1 / noise.known_scale(), np.inf))

    @property
    def groups(self) -> Sequence[IntArray]:
        strata, count = np.array(self.law.records.stratum), len(self.strata)
        return [np.bincount(strata[part], minlength=count).astype(np.int64) for part in self.law.net.components]
