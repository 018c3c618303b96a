"""The pairs of records of a chain that is too long to look at each pair's channel (Result 4.4)."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NoReturn, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.tail import SubjectTail
from dalenius.channel.tradeoff import PairTradeoff
from dalenius.channel.update import Seen
from dalenius.channel.witness import Divergence, Found, Movement, Witness
from dalenius.errors import Meaningless
from dalenius.laws.law import Array
from dalenius.laws.tails.tail import Tail
from dalenius.noise import Answer
from dalenius.ratios.large.chain_pairs import STATES, ChainPairs
from dalenius.schema import RecordValue


@final
class ManyPairs(Channel):
    """All pairs at once, under noise whose density, or mass, falls by e^{-1/scale}: only how far an output may
    distinguish their values, and raise or lower them, is known.

    rate: nats by which the log-density changes, at most, with one record; values: of zero and one; ends: the answers
    that all zeros and all ones give. Of values and pairs that leak as much, up to rounding, the first is the witness.
    """

    def __init__(
        self,
        pairs: ChainPairs,
        rate: float,
        values: tuple[RecordValue, RecordValue],
        ends: tuple[RecordValue, RecordValue],
        name: str,
    ) -> None:
        self._pairs = pairs
        self._rate = rate
        self._values = values
        self._ends = ends
        self._name = name

    @property
    def sharing(self) -> int:
        return 2

    def ratio(self) -> Found:
        up, down, error = self._tilted
        ends = np.stack([side[:, None] - side[None] for side in (up, down)])
        end, one, other, pair = _first(ends, error)
        value = Enclosure(float(np.max(ends)) - error, float(np.max(self._bounds(up, down))) + error)
        return Found(value.clipped(0.0), self._witness(pair, one, other, self._ends[1 - end]))

    def movement(self, lowering: float = 1.0) -> Movement:
        up, down, error = self._tilted
        prior, bounds = self._pairs.prior, self._bounds(up, down)
        ends = np.stack([side - np.logaddexp.reduce(prior + side, axis=0) for side in (up, down)])
        most = -np.logaddexp.reduce(prior[None] - bounds, axis=1)
        least = np.logaddexp.reduce(prior[:, None] + bounds, axis=0)
        error += 64 * (1 + float(np.max(np.abs(prior)))) * UNIT
        raised = self._moved(ends, float(np.max(most)), error)
        lowered = self._moved(-ends, float(np.max(least)), error)
        return Movement.of(raised, lowered, lowering)

    def _moved(self, ends: Array, upper: float, error: float) -> Found:
        end, secret, pair = _first(ends, error)
        value = Enclosure(float(np.max(ends)) - error, upper + error)
        return Found(value.clipped(0.0), self._witness(pair, secret, None, self._ends[1 - end]))

    @cached_property
    def _tilted(self) -> tuple[Array, Array, float]:
        """At the end of the ones and at that of the zeros; and how far differences of either may be off."""
        up, error = self._pairs.tilted(self._rate)
        down, more = self._pairs.tilted(-self._rate)
        return up, down, 2 * (error + more)

    def _bounds(self, up: Array, down: Array) -> Array:
        """At least sup_y log W(y|x)/W(y|x') at (x, x'), (4, 4, pairs): the ends' where one of them is below the other,
        and by way of 00 or 11 where they are 01 and 10, whose own sums are the same."""
        found = np.zeros((4, 4, up.shape[1]))
        for one, x in enumerate(STATES):
            for other, z in enumerate(STATES):
                above = x[0] >= z[0] and x[1] >= z[1]
                found[one, other] = (up[one] - up[other]) if above else (down[one] - down[other])
        for one, other in ((1, 2), (2, 1)):
            by_way = (found[one, through] + found[through, other] for through in (0, 3))
            found[one, other] = np.maximum(np.minimum(*by_way) - 2 * self._rate, 0.0)
        return found

    def _witness(self, pair: int, one: int, other: int | None, output: RecordValue) -> Witness:
        first, second = (int(places[pair]) + 1 for places in self._pairs.places)
        secret, against = (None if each is None else self._text(each) for each in (one, other))
        return Witness(
            first,
            f"together with person {second}, of one group",
            secret=secret,
            against=against,
            output=(output,),
            answers=(self._name,),
            what="records",
            people=(first, second),
        )

    def _text(self, state: int) -> str:
        return ", ".join(str(self._values[bit]) for bit in STATES[state])

    def _unknown(self) -> NoReturn:
        size = f"{len(self._pairs.places[0]):,} pairs of records"
        wanted = "fewer pairs (secrets.groups) for all but inferential and information privacy without delta"
        raise Meaningless("secrets.size", size, wanted)

    def neighbours(self) -> Found:
        self._unknown()

    def ratio_at(self, delta: float) -> Found:
        self._unknown()

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        self._unknown()

    def tradeoffs(self) -> Iterator[PairTradeoff]:
        self._unknown()

    def raised_at(self, delta: float) -> Found:
        self._unknown()

    def lowered_at(self, delta: float) -> Found:
        self._unknown()

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        self._unknown()

    def divergence(self) -> Divergence:
        self._unknown()

    def information(self) -> Found:
        self._unknown()

    def suspected(self) -> Found:
        self._unknown()

    def at(self, output: Sequence[Answer]) -> Seen:
        self._unknown()

    def tail(self) -> SubjectTail:
        self._unknown()

    def divergences(self) -> Tail:
        self._unknown()

    def finite(self, asked: str) -> Likelihoods:
        self._unknown()


def _first(found: Array, error: float) -> tuple[int, ...]:
    """The place of the first pair, then of its first values and end, that may have the largest of the numbers."""
    near = found >= float(np.max(found)) - 2 * error
    pair = int(np.argmax(near.reshape(-1, near.shape[-1]).any(axis=0)))
    return (*(int(i) for i in np.argwhere(near[..., pair])[0]), pair)
