"""The channel of all people of a network of whom only the laws of pairs are known (Theory §15)."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import exp, expm1, inf
from typing import Final, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import worst_of
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement, Witness
from dalenius.errors import Meaningless
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise
from dalenius.ratios.pairs.person import Leaked, Person

KNOWN: Final = "one that is bounded without a joint law: differential, inferential, identity, dependent or information"
OFF: Final = 64 * UNIT
FARTHEST: Final = 650.0
"""Nats beyond which no ε is looked for."""
CLOSE: Final = 1e-12
NOTHING: Final = Found(Enclosure(0.0, 0.0))


@final
class PairwiseChannel(Channel):
    """Every enclosure is over all joint laws in which each pair of one person's has its law, person by person: its
    upper end no such law exceeds, its lower end one attains, or comes as close to as one likes.

    people: one of each class. A person is skipped where all that may depend on their record leaks less than another's.
    """

    def __init__(self, people: Sequence[Person], noise: Noise) -> None:
        self._people = people
        self._noise = noise

    def neighbours(self) -> Found:
        return worst_of([NOTHING, *(person.neighbours(self._noise) for person in self._people)])

    def ratio(self) -> Found:
        return worst_of([NOTHING, *(each.ratio() for each in self._leaked())])

    def ratio_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.profile(epsilon).upper, delta)

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """A test gains most where likelihoods are e^{±upper} apart (Kairouz, Oh and Viswanath 2015, Theorem 8), and no
        more than where all that may depend on a record moves at once."""
        moved = max((person.moved_delta(self._noise, epsilon) for person in self._people), default=0.0)
        if not moved or self._noise.gaussian_deviation:
            return Enclosure(0.0, moved)
        upper = self._upper
        return Enclosure(0.0, min(moved, 1.0 if upper == inf else apart_delta(upper, epsilon)))

    @cached_property
    def _upper(self) -> float:
        return self.ratio().value.upper

    @cached_property
    def _raised(self) -> float:
        return self.movement().raised.value.upper

    @cached_property
    def _lowered(self) -> float:
        return self.movement().lowered.value.upper

    def _least(self, curve: Callable[[float], float], delta: float) -> Found:
        """The least ε at which the falling curve is at most delta, or one that is enough."""
        low, high = 0.0, 1.0
        if curve(0.0) <= delta:
            return NOTHING
        while curve(high) > delta:
            low, high = high, high * 2
            if high > FARTHEST:
                return Found(Enclosure(0.0, inf), self._witness())
        while high - low > CLOSE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if curve(middle) > delta else (low, middle)
        return Found(Enclosure(0.0, high), self._witness())

    def _witness(self) -> Witness | None:
        """The first of those whose neighbourhood moves the answer most, or of whom the bound is largest."""
        if not self._noise.gaussian_deviation:
            return self.ratio().witness
        return max(self._people, key=lambda each: (each.moved, -each.number)).witness()

    def movement(self, lowering: float = 1.0) -> Movement:
        found = [each.movement() for each in self._leaked()]
        raised = worst_of([NOTHING, *(up for up, _ in found)])
        return Movement.of(raised, worst_of([NOTHING, *(down for _, down in found)]), lowering)

    def raised_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.raising(epsilon).upper, delta)

    def lowered_at(self, delta: float) -> Found:
        def lowering(epsilon: float) -> float:
            known = 1.0 if self._noise.gaussian_deviation else share_above(self._lowered, epsilon)
            return min(known, self.profile(epsilon).upper)

        return self._least(lowering, delta)

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """No more than of two values (Theory §14)."""
        known = 1.0 if self._noise.gaussian_deviation else share_above(self._raised, epsilon)
        return Enclosure(0.0, min(known, self.profile(epsilon).upper))

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        raise _unknown("trade-offs")

    def divergence(self) -> Divergence:
        raise _unknown("relative_entropy")

    def information(self) -> Found:
        raise _unknown("mutual_information")

    def suspected(self) -> Found:
        raise _unknown("rho")

    def at(self, output: Sequence[Answer]) -> Seen:
        raise _unknown("a posterior")

    def tail(self) -> SubjectTail:
        raise _unknown("tails")

    def divergences(self) -> Tail:
        raise _unknown("tails")

    def finite(self, asked: str) -> Likelihoods:
        raise _unknown(asked)

    def _leaked(self) -> list[Leaked]:
        """Of those people whose whole neighbourhood leaks more, moved at once, than another's at most; the largest
        such first."""
        found: list[Leaked] = []
        most = 0.0
        for person in sorted(self._people, key=lambda each: (-each.whole(self._noise), each.number)):
            if found and person.whole(self._noise) <= most:
                break
            found.append(person.leaked(self._noise))
            most = max(most, found[-1].upper)
        return found


def apart_delta(upper: float, epsilon: float) -> float:
    """(e^upper - e^epsilon)/(e^upper + 1), from above: the most of laws that are e^{±upper} apart."""
    return min(-expm1(epsilon - upper) / (1 + exp(-upper)) * (1 + OFF), 1.0) if upper > epsilon else 0.0


def share_above(upper: float, epsilon: float) -> float:
    """An output whose log-ratio is at most `upper` adds at most the share 1 - e^(epsilon - upper) of its likelihood."""
    return min(-expm1(epsilon - upper) * (1 + OFF), 1.0) if upper > epsilon else 0.0


def _unknown(asked: str) -> Meaningless:
    return Meaningless("model.kind", "pairwise", f"a model with a joint law for {asked} (or {KNOWN})")
