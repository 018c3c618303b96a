"""The windows that known records leave around a record of a chain, where the answer is a sum (Result 7.16).

Known records cut a homogeneous chain into *stretches*, whose sums are independent given the values at their ends. The
one that has the record in question is the *window*. The others are terms that the adversary chooses, of a length and
two values each: `chain_outsides.py` lists what they leave, and `stretch_coins.py` bounds it.

A window's side reaches to the nearest known record, or to the chain's end; past `reach` the record there is told as
well, which costs the projective diameter in ε (Result 7.7).

Take forty days, each as the day before with probability .9 or .8. One day may be known. Then the days have 1,580
windows that are not alike:

>>> chain = ChainFractions(40, np.array([2 / 3, 1 / 3]), np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 1]), 1)
>>> len(chain.windows)
1580
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, inf
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.knowledge.coins import Views

# Sets that are gone through, and numbers in their laws: some seconds.
_MOST_SETS: Final = 150_000
_MOST_NUMBERS: Final = 60_000_000
# Windows of one bound, times pairs of values; and answers of one.
_MOST_WINDOWS: Final = 3000
# Nats past which a projective diameter is worth no further reach.
_FAR: Final = 0.004


KnownSet: TypeAlias = tuple[int, dict[int, int]]
"""A record, and other records' known values; all by number, from 0."""


@final
@dataclass(frozen=True)
class Side:
    """One side of a window: how many of its records are in the window, the known one included, and its value.

    value: None where all are unknown up to the chain's end; told: whether the value is told, not known. laws (values,
    sums): of the unknown records' sum, given each value of the record in question.
    """

    records: int
    value: int | None
    told: bool
    laws: Array

    @property
    def known(self) -> int:
        """How many known records it takes."""
        return int(self.value is not None and not self.told)

    @property
    def goes_on(self) -> bool:
        """Whether the chain may go on beyond it."""
        return self.value is not None


@final
class ChainFractions:
    """n records, initial (k,), step (k, k) without a 0, scores (k,) of the values in lattice steps; known: how many
    others may be known; everybody: whether everybody's record is a secret."""

    def __init__(
        self, n: int, initial: Array, step: Array, scores: IntArray, known: int, everybody: bool = True
    ) -> None:
        self.n, self.initial, self.step, self.known, self.everybody = n, initial, step, known, everybody
        self.scores = np.asarray(scores - scores.min(), dtype=np.int64)
        self.states = len(step)
        self._stretches = [np.asarray(step[:, :, None])]
        self._before = [np.asarray(initial[:, None])]
        self._after = [np.ones((self.states, 1))]

    # Laws

    def stretch(self, length: int) -> Array:
        """Returns the law of the sum of `length` records (k, k, sums), given the values before and after them."""
        while len(self._stretches) <= length:
            self._stretches.append(self._grown(self.step, self._stretches[-1]))
        masses = self._stretches[length]
        return np.asarray(masses / masses.sum(axis=-1, keepdims=True))

    def before(self, length: int) -> Array:
        """Returns the law of the sum of the first `length` records (k, sums), given the next; zeros if impossible."""
        while len(self._before) <= length:
            self._before.append(self._grown(self.step.T, self._before[-1]))
        masses = self._before[length]
        total = masses.sum(axis=-1, keepdims=True)
        return np.asarray(np.divide(masses, total, out=np.zeros_like(masses), where=total > 0))

    def after(self, length: int) -> Array:
        """Returns the law of the sum of the last `length` records (k, sums), given the one before."""
        while len(self._after) <= length:
            self._after.append(self._grown(self.step, self._after[-1]))
        return self._after[length]

    def _grown(self, step: Array, masses: Array) -> Array:
        """One record more: Σ_t step(x, t) z^score(t) masses(t, ..)."""
        width = masses.shape[-1]
        moved = np.zeros((*masses.shape[:-1], width + int(self.scores.max())))
        for state, score in enumerate(self.scores):
            moved[state, ..., score : score + width] = masses[state]
        return np.tensordot(step, moved, axes=1)

    @property
    def few_sets(self) -> bool:
        """Whether all sets of known records are few enough to be gone through without a bound beforehand."""
        pairs, most = comb(self.states, 2), range(self.known + 1)
        sets = sum(comb(self.n - 1, number) * self.states**number * self.n * pairs for number in most)
        numbers = 2 * sets * ((self.n - 1) * int(self.scores.max()) + 1)
        return bool(sets <= _MOST_SETS and numbers <= _MOST_NUMBERS)

    # Windows

    @cached_property
    def reach(self) -> int:
        """The largest distance of a known record in a window."""
        # Where every window is looked at, no record need be told.
        if self.few_sets or (self.n * self.states) ** 2 * comb(self.states, 2) <= 4 * _MOST_WINDOWS:
            return self.n - 1
        most = int((_MOST_WINDOWS / comb(self.states, 2)) ** 0.5 / (self.states + 1))
        power, reach = self.step, 1
        while reach < min(self.n - 1, most) and _diameter(power) > _FAR:
            power, reach = power @ self.step, reach + 1
        return reach

    @cached_property
    def diameter(self) -> float:
        """The cost of telling the value of a record at the reach, in nats."""
        return _diameter(np.linalg.matrix_power(self.step, self.reach)) + 1e-12

    @property
    def reversible(self) -> bool:
        """Whether the chain turned around has the same law, but for roundings."""
        flow = self.initial[:, None] * self.step
        return bool(np.allclose(flow, flow.T, rtol=1e-13, atol=0.0))

    def sides(self, left: bool) -> Iterator[Side]:
        """Yields all `left` sides of windows within reach, or all right ones."""
        for records in range(self.reach + 1):
            yield Side(records, None, False, self.before(records) if left else self.after(records))
        for records in range(1, self.reach + 1):
            near = self.stretch(records - 1)
            for value in range(self.states):
                laws = near[value] if left else near[:, value]
                yield Side(records, value, False, laws)
                if records == self.reach < self.n - 1:
                    yield Side(records, value, True, laws)

    @cached_property
    def windows(self) -> list[tuple[Side, Side]]:
        """Every two sides that fit the chain and the number of known records, but for those of equal laws."""
        rights, alike = list(self.sides(False)), self.reversible and self.everybody
        return [
            (left, right)
            for left in self.sides(True)
            for right in rights
            if self._fits(left, right) and not (alike and _turned(left, right))
        ]

    def _fits(self, left: Side, right: Side) -> bool:
        outside = self.outside(left, right)
        if outside < 0 or left.known + right.known > self.known:
            return False
        # Two ends are all of the chain; beyond a record that is told there is another one.
        ends = not left.goes_on and not right.goes_on
        return outside == 0 if ends else outside >= left.told + right.told

    def outside(self, left: Side, right: Side) -> int:
        """Counts the records outside of the window that has these two sides, `left` and `right`."""
        return self.n - 1 - left.records - right.records

    @cached_property
    def views(self) -> tuple[Views, IntArray]:
        """A view for each window and pair of values; and the place of its window, from 0 (views,)."""
        width = (min(2 * self.reach, self.n - 1) + 1) * int(self.scores.max()) + 1
        first, second, shifts, whose = list[Array](), list[Array](), list[float](), list[int]()
        for place, (left, right) in enumerate(self.windows):
            laws = [self._window(left, right, state, width) for state in range(self.states)]
            for low, high in combinations(range(self.states), 2):
                if laws[low].any() and laws[high].any():
                    first.append(laws[low])
                    second.append(laws[high])
                    shifts.append((left.told + right.told) * self.diameter)
                    whose.append(place)
        box = (len(first), width)
        made = Views(np.reshape(first, box), np.reshape(second, box), np.array(shifts))
        return made, np.array(whose, dtype=np.int64)

    def _window(self, left: Side, right: Side, state: int, width: int) -> Array:
        law = np.zeros(width)
        if not left.goes_on and not left.records and self.initial[state] == 0:
            return law
        made = np.convolve(left.laws[state], right.laws[state])
        law[self.scores[state] : self.scores[state] + len(made)] = made
        return law

    def terms(self, left: Side, right: Side) -> tuple[int, int]:
        """Counts the records outside of a window, and bounds the number of stretches that they make.

        A stretch that is open at an end of the chain counts as one, with its last record told.

        Args:
            left: The window's side before the record in question.
            right: Its side after that record.
        """
        terms = self.known - left.known - right.known + left.goes_on + right.goes_on
        return self.outside(left, right), max(1, terms)


def _turned(left: Side, right: Side) -> bool:
    """Says whether the window is another one turned around, which has the same laws in a reversible chain."""
    one, other = ((each.records, each.value is None, each.value or 0, each.told) for each in (left, right))
    return one > other


def convolved(rows: Array, law: Array) -> Array:
    """Convolves every row (rows, sums) with the `law`."""
    matrix = np.zeros((rows.shape[-1], rows.shape[-1] + len(law) - 1))
    for place in range(len(matrix)):
        matrix[place, place : place + len(law)] = law
    return np.asarray(rows @ matrix)


def _diameter(power: Array) -> float:
    """The projective diameter: the largest log of a cross-ratio of two rows and two columns, in nats."""
    if not (power > 0).all():
        return inf
    logs = np.log(power)
    ratios = logs[:, :, None] - logs[:, None, :]
    return float(np.max(ratios.max(axis=0) - ratios.min(axis=0)))
