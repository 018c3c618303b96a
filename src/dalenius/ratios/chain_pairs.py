"""Every pair of records of a long chain of bits: what exponential weights at either end make of the rest (Result 4.4).

Given X_i = s and X_j = t the answer is s + t and three independent stretches: before i, between, and after j.

The pairs of records of a chain that is too long to look at each pair's channel (Result 4.4).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import Found, Movement, Witness
from dalenius.errors import Meaningless
from dalenius.joints.chain import MarkovChain
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.bounded_channel import BoundedChannel
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True, eq=False)
class ChainPairs:
    """Of n bits with one transition matrix, of positive entries and determinant of at least 0: bits so far from each
    other as one may be from the next are never less alike than independent ones. Build it with `pairs_of`.

    first (2,), steps (2, 2): logs of the first record's law, and of the step's by rows; logs (n, 2): of each record's.
    """

    first: Array
    steps: Array
    logs: Array

    def __len__(self) -> int:
        return len(self.logs)

    @cached_property
    def places(self) -> tuple[IntArray, IntArray]:
        """The places i < j of every pair (pairs,), in order."""
        one, other = np.triu_indices(len(self), 1)
        return one.astype(np.int64), other.astype(np.int64)

    @cached_property
    def prior(self) -> Array:
        """log Pr[X_i = s, X_j = t] (4, pairs), (s, t) in the order 00, 01, 10, 11."""
        one, other = self.places
        powers = [self.steps]
        for _ in range(len(self) - 2):
            powers.append(_product(powers[-1], self.steps))
        steps = np.array(powers)[other - one - 1]
        return np.stack([self.logs[one, s] + steps[:, s, t] for s, t in STATES])

    def tilted(self, tilt: float) -> tuple[Array, float]:
        """log E[e^{tilt · N} | X_i = s, X_j = t] (4, pairs), N the number of ones, up to a constant for each pair; and
        by how much, at most, the difference of two of a pair is off."""
        one, other = self.places
        weights = np.array([0.0, tilt])
        before, after = self._sides(weights)
        between = self._between(weights)[other - one - 1]
        found = np.stack(
            [weights[s] + weights[t] + before[one, s] + between[:, s, t] + after[other, t] for s, t in STATES]
        )
        deepest = abs(tilt) + max(
            float(np.max(np.abs(each))) for each in (before, after, between, self.logs, self.steps)
        )
        return found, 16 * len(self) * (8 + deepest) * UNIT

    def _sides(self, weights: Array) -> tuple[Array, Array]:
        n = len(self)
        before, after = np.zeros((2, n, 2))
        for place in range(1, n):
            back = self.logs[place - 1][:, None] + self.steps - self.logs[place]
            before[place] = _centred(np.logaddexp.reduce(back + (weights + before[place - 1])[:, None], axis=0))
        for place in range(n - 2, -1, -1):
            after[place] = _centred(np.logaddexp.reduce(self.steps + (weights + after[place + 1]), axis=1))
        return before, after

    def _between(self, weights: Array) -> Array:
        """By distance less 1, (n - 1, 2, 2)."""
        weighed = plain = self.steps
        found = [weighed - plain]
        for _ in range(len(self) - 2):
            weighed = _centred(_product(weighed + weights, self.steps))
            plain = _product(plain, self.steps)
            found.append(weighed - plain)
        return np.array(found)


STATES = ((0, 0), (0, 1), (1, 0), (1, 1))


def pairs_of(chain: MarkovChain) -> ChainPairs | None:
    """None where the chain is not of such bits."""
    even = chain.even
    if even is None or chain.slots.shape[1] != 2:
        return None
    initial, step = even
    if min(initial.min(), step.min()) <= 1e-290 or step[0, 0] * step[1, 1] < step[0, 1] * step[1, 0]:
        return None
    return ChainPairs(np.log(initial), np.log(step), chain.log_marginals)


def _product(one: Array, other: Array) -> Array:
    """Of matrices of logs."""
    return np.asarray(np.logaddexp.reduce(one[:, :, None] + other[None], axis=1))


def _centred(logs: Array) -> Array:
    return np.asarray(logs - logs.flat[0])


@final
@dataclass(frozen=True, eq=False)
class ManyPairs(BoundedChannel):
    """All pairs at once, under noise whose density, or mass, falls by e^{-1/scale}: only how far an output may
    distinguish their values, and raise or lower them, is known.

    rate: nats by which the log-density changes, at most, with one record; values: of zero and one; ends: the answers
    that all zeros and all ones give. Of values and pairs that leak as much, up to rounding, the first is the witness.
    """

    pairs: ChainPairs
    rate: float
    values: tuple[RecordValue, RecordValue]
    ends: tuple[RecordValue, RecordValue]
    name: str

    @property
    def sharing(self) -> int:
        return 2

    def ratio(self) -> Found:
        up, down, error = self._tilted
        ends = np.stack([side[:, None] - side[None] for side in (up, down)])
        end, one, other, pair = _first(ends, error)
        value = Enclosure(float(np.max(ends)) - error, float(np.max(self._bounds(up, down))) + error)
        return Found(value.clipped(0.0), self._witness(pair, one, other, self.ends[1 - end]))

    def movement(self, lowering: float = 1.0) -> Movement:
        up, down, error = self._tilted
        prior, bounds = self.pairs.prior, self._bounds(up, down)
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
        return Found(value.clipped(0.0), self._witness(pair, secret, None, self.ends[1 - end]))

    @cached_property
    def _tilted(self) -> tuple[Array, Array, float]:
        """At the end of the ones and at that of the zeros; and how far differences of either may be off."""
        up, error = self.pairs.tilted(self.rate)
        down, more = self.pairs.tilted(-self.rate)
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
            found[one, other] = np.maximum(np.minimum(*by_way) - 2 * self.rate, 0.0)
        return found

    def _witness(self, pair: int, one: int, other: int | None, output: RecordValue) -> Witness:
        first, second = (int(places[pair]) + 1 for places in self.pairs.places)
        secret, against = (None if each is None else self._text(each) for each in (one, other))
        return Witness(
            first,
            f"together with person {second}, of one group",
            secret=secret,
            against=against,
            output=(output,),
            answers=(self.name,),
            what="records",
            people=(first, second),
        )

    def _text(self, state: int) -> str:
        return ", ".join(str(self.values[bit]) for bit in STATES[state])

    def unknown(self, quantity: str) -> NoReturn:
        size = f"{len(self.pairs.places[0]):,} pairs of records"
        wanted = "fewer pairs (secrets.groups) for all but inferential and information privacy"
        raise Meaningless("secrets.size", size, wanted)

    def neighbours(self) -> Found:
        self.unknown("differential")


def _first(found: Array, error: float) -> tuple[int, ...]:
    """The place of the first pair, then of its first values and end, that may have the largest of the numbers."""
    near = found >= float(np.max(found)) - 2 * error
    pair = int(np.argmax(near.reshape(-1, near.shape[-1]).any(axis=0)))
    return (*(int(i) for i in np.argwhere(near[..., pair])[0]), pair)
