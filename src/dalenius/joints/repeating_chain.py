"""A Markov chain whose steps repeat, and the scores that its records add to one sum.

One matrix for all steps repeats after one record, 24 matrices for the hours of a day after 24. Steps that never
repeat have as many phases as there are records. Known records leave the steps as they are, and rule out paths.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import gcd
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.joints.extended_precision import Long, long
from dalenius.joints.known_records import Unconditioned
from dalenius.joints.limits import MOST_CLASSES, MOST_PHASES
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
        possible: The values that each record can have (n, k), given the known ones.
        known: The places of known records in order, and their states. All laws are given these.
    """

    n: int
    initial: Array | Long
    steps: Array | Long
    scores: IntArray
    least: int
    stride: int
    possible: NDArray[np.bool_]
    known: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, chain: MarkovChain, scores: IntArray) -> "RepeatingChain | None":
        """Finds the period of `chain` with `scores` (n, k), in lattice steps, by record.

        None where a probability is too faint for doubles, or no record moves the sum.
        """
        before = chain.unconditioned
        # Because each known record is a class of its own.
        if before is not None and len(before.known) <= MOST_CLASSES:
            found = cls._of(before, scores, chain.possible, before.known)
            if found is not None and found.repeats:
                return found
        return cls._of(chain, scores, chain.possible, ())

    @classmethod
    def _of(
        cls,
        chain: MarkovChain | Unconditioned,
        scores: IntArray,
        possible: NDArray[np.bool_],
        known: tuple[tuple[int, int], ...],
    ) -> "RepeatingChain | None":
        """Finds the period as `of`, of a chain whose records have these `possible` values (n, k)."""
        if any(np.any(each.solid & (each.doubles() < FAINTEST_WEIGHT)) for each in (chain.initial, chain.matrices)):
            return None
        n, period = len(scores), _period(chain.which, scores)
        low = scores.min(axis=1)
        stride = gcd(*np.unique(scores - low[:, None]).tolist())
        if not stride or n == 1:
            return None
        steps = chain.matrices.doubles()[chain.which[: min(period, n - 1)]]
        own = (scores[:period] - low[:period, None]) // stride
        return cls(n, chain.initial.doubles(), steps, own, int(low.sum()), stride, possible, known)

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
            phases, possible = scores.tolist(), self.possible.tolist()
            leads = [np.argwhere(step > 0).tolist() for step in self.steps]
            reached = [(int(p > 0) << own) & mask for p, own in zip(self.initial, phases[0], strict=True)]
            for place in range(1, self.n):
                further = [0] * self.states
                for one, other in leads[(place - 1) % len(leads)]:
                    if possible[place - 1][one]:
                        further[other] |= reached[one]
                reached = [each << own & mask for each, own in zip(further, phases[place % self.period], strict=True)]
            every = 0
            for each, can in zip(reached, possible[-1], strict=True):
                every |= each if can else 0
            found.append(np.array([v for v in range(below) if every >> v & 1], dtype=np.int64))
        return found[0], found[1]

    def possible_together(self, places: Sequence[int]) -> NDArray[np.bool_]:
        """Returns the ways that records at `places`, in order, can be together (k^m,): the last changes fastest."""
        found = self.possible[places[0]][None, :]
        for one, other in pairwise(places):
            reached = np.eye(self.states, dtype=np.bool_)
            for place in range(one, other):
                reached = (reached[:, :, None] & (self.steps[place % len(self.steps)] > 0)[None]).any(axis=1)
            found = (found[..., None] & reached).reshape(-1, self.states) & self.possible[other]
        return np.asarray(found.ravel(), dtype=np.bool_)

    def step_by_step(self) -> "RepeatingChain":
        """Returns the chain as one whose steps never repeat, given its known records."""
        phases = np.arange(self.n) % self.period
        steps, scores = self.steps[phases[:-1]], self.scores[phases]
        if not self.known:
            return replace(self, steps=steps, scores=scores)
        steps, ahead, told = long(steps), long(np.ones(self.states)), dict(self.known)
        for place in range(self.n - 2, -1, -1):
            own = steps[place] * only(ahead, told.get(place + 1))
            ahead = own.sum(axis=1)
            # Because nothing arrives where the later known values cannot be reached: any row will do there.
            steps[place] = np.where(ahead[:, None] > 0, own / np.where(ahead > 0, ahead, 1)[:, None], 1 / self.states)
            ahead = ahead / ahead.max()
        first = long(self.initial) * only(ahead, told.get(0))
        return replace(self, initial=first / first.sum(), steps=steps, scores=scores, known=())


def only(vectors: Any, state: int | None) -> Any:
    """Returns `vectors` (.., k) with 0 for all states but `state`; None: as they are."""
    return vectors if state is None else np.where(np.arange(vectors.shape[-1]) == state, vectors, 0)


def _period(which: IntArray, scores: IntArray) -> int:
    """Returns after how many records steps (n - 1,) and scores repeat; all records where they do not."""
    n = len(scores)
    for period in range(1, min(MOST_PHASES, n - 1) + 1):
        if _repeats(which, period) and _repeats(scores, period):
            return period
    return n


def _repeats(numbers: IntArray, period: int) -> bool:
    """Says whether each number is the one so many places before it."""
    # Because the first thousand decide nearly always.
    head = numbers[: period + 1000]
    if not np.array_equal(head[period:], head[:-period]):
        return False
    return np.array_equal(numbers[period:], numbers[:-period])
