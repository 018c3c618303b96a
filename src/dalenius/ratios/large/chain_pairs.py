"""Every pair of records of a long chain of bits: what exponential weights at either end make of the rest (Result 4.4).

Given X_i = s and X_j = t the answer is s + t and three independent stretches: before i, between, and after j.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.chain.chain import MarkovChain
from dalenius.laws.law import Array, IntArray


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
