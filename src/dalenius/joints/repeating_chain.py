"""A Markov chain whose steps repeat, and the scores that its records add to one sum.

One matrix for all steps repeats after one record, 24 matrices for the hours of a day after 24. Steps that never
repeat have as many phases as there are records.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.joints.limits import MOST_PHASES
from dalenius.joints.markov_chain_factor import FAINTEST_WEIGHT, MarkovChain


@final
@dataclass(frozen=True, eq=False)
class RepeatingChain:
    """A chain of n records of k values; those at places t and t + p have the same steps and scores.

    Four days of which every second counts double:

    >>> from dalenius.joints.markov_chain_factor import markov_chain
    >>> from dalenius.laws.extended_range import Masses
    >>> step = Masses.of(np.array([[[0.9, 0.1], [0.2, 0.8]]]))
    >>> kinds = np.array([0, 1, 0, 1])
    >>> days = markov_chain(Masses.of(np.array([0.5, 0.5])), step, np.zeros(3, dtype=np.int64), kinds)
    >>> found = RepeatingChain.of(days, np.array([[0, 1], [0, 2], [0, 1], [0, 2]]))
    >>> found.period, found.scores.tolist(), found.most
    (2, [[0, 1], [0, 2]], 6)

    Args:
        n: How many records there are.
        initial: The law of the first record (k,).
        steps: The matrices from a record at place t to the next (p, k, k), by t modulo p.
        scores: What each value adds (p, k), in `stride` lattice steps, the least of each phase being 0.
        least: The lattice index of the sum of all least scores.
        stride: The common step of the scores, in lattice steps.
        possible: The values that each record can have (n, k).
    """

    n: int
    initial: Array
    steps: Array
    scores: IntArray
    least: int
    stride: int
    possible: NDArray[np.bool_]

    @classmethod
    def of(cls, chain: MarkovChain, scores: IntArray) -> "RepeatingChain | None":
        """Finds the period of `chain` with `scores` (n, k), in lattice steps, by record.

        None where a probability is too faint for doubles, or no record moves the sum.
        """
        if any(np.any(each.solid & (each.doubles() < FAINTEST_WEIGHT)) for each in (chain.initial, chain.matrices)):
            return None
        n, period = len(chain), _period(chain, scores)
        low = scores.min(axis=1)
        stride = gcd(*np.unique(scores - low[:, None]).tolist())
        if not stride or n == 1:
            return None
        kinds = chain.which[: min(period, n - 1)]
        own = (scores[:period] - low[:period, None]) // stride
        return cls(
            n, chain.initial.doubles(), chain.matrices.doubles()[kinds], own, int(low.sum()), stride, chain.possible
        )

    @property
    def period(self) -> int:
        return len(self.scores)

    @property
    def states(self) -> int:
        return int(self.scores.shape[1])

    @cached_property
    def most(self) -> int:
        """The largest sum, if all records have their largest scores; the least is 0."""
        return int(self.often(self.n) @ self.scores.max(axis=1))

    @property
    def repeats(self) -> bool:
        """Whether the steps repeat."""
        return self.period < self.n

    def often(self, places: int) -> IntArray:
        """Returns how many of the first `places` records have each phase (p,)."""
        whole, rest = divmod(places, self.period)
        return np.asarray(whole + (np.arange(self.period) < rest), dtype=np.int64)

    def attainable(self, below: int) -> tuple[IntArray, IntArray]:
        """Returns the sums under `below` that some path has, and the distances under `most` that some path keeps."""
        # So that a set of sums is shifted by a score, and sets are joined, at once: sets are the bits of whole numbers.
        found, mask = [], (1 << below) - 1
        for scores in (self.scores, self.scores.max(axis=1, keepdims=True) - self.scores):
            phases, reached = scores.tolist(), [int(p > 0) for p in self.initial]
            leads = [np.argwhere(step > 0).tolist() for step in self.steps]
            reached = [each << own & mask for each, own in zip(reached, phases[0], strict=True)]
            for place in range(1, self.n):
                further = [0] * self.states
                for one, other in leads[(place - 1) % len(leads)]:
                    further[other] |= reached[one]
                reached = [each << own & mask for each, own in zip(further, phases[place % self.period], strict=True)]
            every = 0
            for each in reached:
                every |= each
            found.append(np.array([v for v in range(below) if every >> v & 1], dtype=np.int64))
        return found[0], found[1]

    def step_by_step(self) -> "RepeatingChain":
        """Returns the chain as one whose steps never repeat."""
        phases = np.arange(self.n) % self.period
        return replace(self, steps=self.steps[phases[:-1]], scores=self.scores[phases])


def _period(chain: MarkovChain, scores: IntArray) -> int:
    """Returns after how many records steps and scores repeat; all records where they do not."""
    n = len(chain)
    for period in range(1, min(MOST_PHASES, n - 1) + 1):
        if _repeats(chain.which, period) and _repeats(scores, period):
            return period
    return n


def _repeats(numbers: IntArray, period: int) -> bool:
    """Says whether each number is the one so many places before it."""
    # Because the first thousand decide nearly always.
    head = numbers[: period + 1000]
    if not np.array_equal(head[period:], head[:-period]):
        return False
    return np.array_equal(numbers[period:], numbers[:-period])
