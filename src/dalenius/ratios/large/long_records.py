"""All records of a long chain or a large network at once: suprema from limits at ±∞ and a bound, without a law (§20).

Quantities that are attained at an output are enclosed: at least what the limits leak, at most what any likelihoods leak
of which no two differ by more than `Outermost.most`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel, Seen
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import Divergence, Found, Movement, Witness
from dalenius.channel.sensitivity import Spread
from dalenius.errors import Meaningless
from dalenius.joints import Joint, Subject
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import IntArray
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise
from dalenius.ratios.bounded import JoinedChannel
from dalenius.ratios.large.suprema import Ends, Outermost, Suprema
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True, eq=False)
class LongRecords(JoinedChannel):
    """joint: of chains and networks, of which part is one; places (records,): in it, of the records that are secrets,
    from 0, in order; against (records, k, k): the pairs of values that must not be distinguished; outputs: of a record
    in the part, an end and one of its values, None for all of them, the answer at and beyond which nothing changes;
    None where it is not known; spreads: by stratum; name: the answer's; alone: makes every record's own channel, or
    None where that would take long.

    Averages over outputs are those of the records' own channels. Meaningless where there are none.
    """

    joint: Joint
    part: Ends
    outermost: Outermost
    places: IntArray
    against: NDArray[np.bool_]
    noise: Noise
    lattice: Lattice
    spreads: Sequence[Spread]
    outputs: Callable[[int, int, int | None], tuple[RecordValue, ...] | None]
    name: str
    alone: Callable[[], Iterator[Channel] | None]

    @cached_property
    def _suprema(self) -> Suprema:
        part, places = self.part, self.places
        found = self.outermost
        ends, most = found.ends[:, places], found.most[places]
        error = found.error + self.joint.single(part.people[0]).class_error
        apart = None if found.apart is None else found.apart[:, places]
        return Suprema(part.log_marginals[places], part.possible[places], ends, most, error, apart)

    def neighbours(self) -> Found:
        found = [(spread, self._spread_loss(spread)) for spread in self.spreads]
        spread, value = max(found, key=lambda each: each[1].upper)
        most, least = spread.values
        place = int(np.argmax([self.spreads[kind] is spread for kind in self.part.stratum[self.places].tolist()]))
        return Found(value, self._witness(place, secret=most, against=least))

    def _spread_loss(self, spread: Spread) -> Enclosure:
        assert spread.neighbours is not None
        return self.noise.neighbour_loss(spread.neighbours, self.lattice)

    def ratio(self) -> Found:
        value, where = self._suprema.ratio(self.against)
        if where is None:
            return Found(value)
        place, secret, against, end = where
        named = {"secret": self._value(place, secret), "against": self._value(place, against)}
        return Found(value, self._at(place, end, secret, **named))

    def movement(self, lowering: float = 1.0) -> Movement:
        raised, lowered = (self._of_value(*found) for found in self._suprema.movement())
        return Movement.of(raised, lowered, lowering)

    def _of_value(self, value: Enclosure, where: tuple[int, ...] | None) -> Found:
        if where is None:
            return Found(value)
        place, secret, end = where
        return Found(value, self._at(place, end, None, secret=self._value(place, secret)))

    def divergence(self) -> Divergence:
        found = []
        for value, where in self._suprema.divergence():
            found.append(Found(value, None if where is None else self._at(where[0], where[1], None)))
        return Divergence(*found)

    def suspected(self) -> Found:
        return self._of_value(*self._suprema.suspected())

    def information(self) -> Found:
        """The mean over outputs of what is at most `divergence`."""
        if self.alone() is None:
            return Found(Enclosure(0.0, self.divergence().forward.value.upper))
        return super().information()

    def divergences(self) -> Tail:
        self._unknown("the law of what outputs leak")

    def at(self, output: Sequence[Answer]) -> Seen:
        self._unknown("posterior")

    def finite(self, asked: str) -> Likelihoods:
        self._unknown(asked)

    def singly(self, asked: str) -> Iterator[Channel]:
        alone = self.alone()
        if alone is None:
            self._unknown(asked)
        yield from alone

    def _unknown(self, asked: str) -> NoReturn:
        records = f"{len(self.places):,} records of {self.part.what} of {len(self.part):,}"
        wanted = (
            "fewer records (secrets.people) for all but what is attained at one output: differential, inferential, "
        )
        raise Meaningless(asked, records, f"{wanted}information and relative entropy privacy without delta")

    def _value(self, place: int, state: int) -> RecordValue:
        return self.joint.strata()[int(self.part.stratum[self.places[place]])].values[state]

    def _at(self, place: int, end: int, state: int | None, **secrets: RecordValue) -> Witness:
        return self._witness(place, output=self.outputs(int(self.places[place]), end, state), **secrets)

    def _witness(self, place: int, **where: object) -> Witness:
        subject = self.joint.single(self.part.people[int(self.places[place])])
        said = {"answers": (self.name,), "chance": self._chance(subject, where)} | where
        return Witness(subject.person, subject.who, **said)  # type: ignore[arg-type]

    @staticmethod
    def _chance(subject: Subject, where: Mapping[str, object]) -> float | None:
        """As a witness has it of one record's channel."""
        logs = dict(zip(subject.secrets, subject.log_prior.tolist(), strict=True))
        own, other = (logs.get(where.get(key)) for key in ("secret", "against"))  # type: ignore[call-overload]
        if own is None or ("against" in where and other is None):
            return None
        if other is None:
            return exp(min(own, 0.0))
        return 1 / (1 + exp(other - own)) if other - own < 700 else 0.0
