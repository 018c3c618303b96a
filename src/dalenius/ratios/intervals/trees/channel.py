"""The channel of all people under every law of a set."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import inf
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import worst_of
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement
from dalenius.errors import Meaningless
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer, Noise
from dalenius.ratios.intervals.trees.subject import CredalSubject
from dalenius.ratios.pairs.channel import apart_delta, share_above

FARTHEST: Final = 650.0
CLOSE: Final = 1e-12
FEW: Final = 6
NEAR: Final = 1e-3
"""Relative to the bound: laws that leak so much are not improved on."""
NOTHING: Final = Found(Enclosure(0.0, 0.0))


@final
class CredalChannel(Channel):
    """Every enclosure is over all laws of the set: its upper end no law exceeds at any output, its lower end some law
    comes as close to as one likes.

    subjects: one of each class of people; kind: the model's, for messages.
    """

    def __init__(self, subjects: Sequence[CredalSubject], noise: Noise, kind: str) -> None:
        self._subjects = subjects
        self._noise = noise
        self._kind = kind

    def neighbours(self) -> Found:
        return worst_of([NOTHING, *(each.neighbours(self._noise) for each in self._subjects)])

    def ratio(self) -> Found:
        return self._ratio

    @cached_property
    def _ratio(self) -> Found:
        return self._found("ratio")

    def _found(self, name: str) -> Found:
        if self._noise.adds_nothing:
            moved = [each for each in self._subjects if each.moved and len(each.values) > 1]
            return Found(Enclosure(0.0, inf), moved[0].witness()) if moved else NOTHING
        ranked = sorted(self._subjects, key=lambda each: (-round(each.bound(name), 9), each.number))
        if not ranked or not ranked[0].bound(name):
            return NOTHING
        upper = max(each.bound(name) for each in ranked)
        best = NOTHING
        # Laws are looked for of whom the bound is largest, then of the two who have others on one side only.
        tried = ranked if len(ranked) <= FEW else [ranked[0], self._subjects[0], self._subjects[-1]]
        for each in dict.fromkeys(tried):
            if best.value.lower >= min(upper * (1 - NEAR), each.bound(name)):
                continue
            found = each.found(name)
            if found.value.lower > best.value.lower or best is NOTHING:
                best = found
        return Found(Enclosure(best.value.lower, upper), best.witness)

    def _upper(self, name: str) -> float:
        if self._noise.adds_nothing:
            return self._found(name).value.upper
        return max((each.bound(name) for each in self._subjects), default=0.0)

    def ratio_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.profile(epsilon).upper, delta, "ratio")

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """A test gains most where likelihoods are e^{±upper} apart (Kairouz, Oh and Viswanath 2015, Theorem 8)."""
        upper = self._upper("ratio")
        return Enclosure(0.0, 1.0 if upper == inf else apart_delta(upper, epsilon))

    def _least(self, curve: Callable[[float], float], delta: float, name: str) -> Found:
        """The least ε at which the falling curve is at most delta, or one that is enough."""
        low, high = 0.0, 1.0
        if curve(0.0) <= delta:
            return NOTHING
        witness = self._found(name).witness
        while curve(high) > delta:
            low, high = high, high * 2
            if high > FARTHEST:
                return Found(Enclosure(0.0, inf), witness)
        while high - low > CLOSE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if curve(middle) > delta else (low, middle)
        return Found(Enclosure(0.0, high), witness)

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement.of(self._found("raised"), self._found("lowered"), lowering)

    def raised_at(self, delta: float) -> Found:
        return self._least(lambda epsilon: self.raising(epsilon).upper, delta, "raised")

    def lowered_at(self, delta: float) -> Found:
        def lowering(epsilon: float) -> float:
            return min(share_above(self._upper("lowered"), epsilon), self.profile(epsilon).upper)

        return self._least(lowering, delta, "lowered")

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        """No more than of two values (Theory §14)."""
        return Enclosure(0.0, min(share_above(self._upper("raised"), epsilon), self.profile(epsilon).upper))

    def divergence(self) -> Divergence:
        return Divergence(self._found("divergence"), self._found("reverse"))

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        raise self._unknown("trade-offs")

    def information(self) -> Found:
        raise self._unknown("mutual_information")

    def suspected(self) -> Found:
        raise self._unknown("rho")

    def at(self, output: Sequence[Answer]) -> Seen:
        raise self._unknown("a posterior")

    def tail(self) -> SubjectTail:
        raise self._unknown("tails")

    def divergences(self) -> Tail:
        raise self._unknown("tails")

    def finite(self, asked: str) -> Likelihoods:
        raise self._unknown(asked)

    def _unknown(self, asked: str) -> Meaningless:
        return Meaningless("model", f"{self._kind} with intervals", f"a point law, without intervals, for {asked}")
