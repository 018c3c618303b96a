"""How far what is known of one step can tell apart two values of the next: the greatest ratio of two rows (Result 9.8).

Of two rows p, q of a stochastic matrix and vectors v whose entries differ by a factor of at most e^α, the greatest of
log p·v/q·v is at a v that is e^α on the states with the largest p/q and 1 elsewhere: sorted once, k − 1 sets to try.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nextafter
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.law import Array, IntArray

FARTHEST: Final = 1e9
"""Nats beyond which no limit is looked for."""


@final
@dataclass(frozen=True, eq=False)
class Contraction:
    """L of several matrices at once.

    logs (m, s): by matrix and candidate (a pair of rows and a set), of the rows' probabilities: `inside` the set and
    `outside` it, of the likelier row and (`other_`) of the other; states: k; error: of every entry, relatively.
    """

    inside: Array
    outside: Array
    other_inside: Array
    other_outside: Array
    states: int
    error: float

    def ends(self, which: int, lower: float, upper: float) -> tuple[float, float]:
        """L at two places, from below and from above: 0 <= L(α) <= α."""
        ends = np.array([[lower], [upper]])
        above = np.logaddexp(self.inside[which] + ends, self.outside[which])
        below = np.logaddexp(self.other_inside[which] + ends, self.other_outside[which])
        low, high = (above - below).max(axis=1, initial=0.0).tolist()
        slack = self._slack(which, upper)
        return max(low - slack, 0.0), min(high + slack, upper)

    def limit(self, epsilon: float) -> Enclosure:
        """What α ← ε + L(α) rises to with the first matrix; infinite where it does not end (Result 9.9)."""
        growth, certain = self._growth
        at_infinity = epsilon + growth
        doubt = self._slack(0, epsilon)
        if at_infinity >= 0 and (certain or at_infinity > doubt):
            return Enclosure(inf, inf)
        lower = self._largest_below(epsilon)
        return Enclosure(lower, inf if at_infinity >= -doubt else self._above(epsilon, lower))

    def _largest_below(self, epsilon: float) -> float:
        """A place at which ε + L(α) >= α for certain."""
        low, high = epsilon, 2 * epsilon + 1
        while self._rises(epsilon, high) and high < FARTHEST:
            low, high = high, 2 * high
        for _ in range(200):
            middle = low + (high - low) / 2
            if not low < middle < high:
                break
            low, high = (middle, high) if self._rises(epsilon, middle) else (low, middle)
        return low

    def _rises(self, epsilon: float, place: float) -> bool:
        return nextafter(epsilon + self.ends(0, place, place)[0], -inf) >= place

    def _above(self, epsilon: float, lower: float) -> float:
        """A place at which ε + L(α) <= α for certain."""
        step = 8 * self._slack(0, lower)
        while lower + step < FARTHEST:
            place = lower + step
            if nextafter(epsilon + self.ends(0, place, place)[1], inf) <= place:
                return place
            step *= 2
        return inf

    @cached_property
    def _growth(self) -> tuple[float, bool]:
        """L(α) − α at infinity, and whether it is exactly 0: two rows that have no state in common."""
        never = np.isneginf(self.other_inside[0])
        exact = bool((never & np.isneginf(self.outside[0])).any())
        return (0.0, True) if exact else (float(self.inside[0][never].max(initial=-inf)), False)

    def _slack(self, which: int, place: float) -> float:
        """Logs up to so large, each off by its entry's error and by a rounding of its size."""
        return 4 * self.error + self._roundings * (self._largest[which] + place)

    @cached_property
    def _roundings(self) -> float:
        return 32 * (self.states + 2) * UNIT

    @cached_property
    def _largest(self) -> list[float]:
        parts = (self.inside, self.outside, self.other_inside, self.other_outside)
        sizes = [np.where(np.isneginf(part), 0.0, np.abs(part)).max(axis=1, initial=0.0) for part in parts]
        return [1 + float(size) for size in np.max(sizes, axis=0)]


def contraction(logs: Array, possible: NDArray[np.bool_], error: float) -> Contraction:
    """logs (m, k, k): matrices by rows; possible (m, k): the rows that count."""
    states = logs.shape[-1]
    first, second = np.nonzero(~np.eye(states, dtype=np.bool_))
    rows, others = logs[:, first], logs[:, second]
    with np.errstate(invalid="ignore"):
        ratios = rows - others
    order = np.argsort(-np.where(np.isnan(ratios), 0.0, ratios), axis=-1, kind="stable")
    counts = (possible[:, first] & possible[:, second])[..., None]
    parts = [part for each in (rows, others) for part in _split(np.take_along_axis(each, order, axis=-1), counts)]
    found = [part.reshape(len(logs), -1) for part in parts]
    if len(logs) == 1:
        found = [part[:, _undominated(found)] for part in found]
    inside, outside, other_inside, other_outside = found
    return Contraction(inside, outside, other_inside, other_outside, states, error)


def _undominated(parts: Sequence[Array]) -> IntArray:
    """Of one matrix, the candidates that no other beats: more inside for the likelier row and less for the other."""
    inside, outside, other_inside, other_outside = (part[0] for part in parts)
    likelier, other = inside - outside, other_inside - other_outside
    order = np.lexsort((other, -likelier))
    least = np.minimum.accumulate(np.concatenate([[inf], other[order]]))[:-1]
    return np.asarray(order[other[order] < least])


def _split(rows: Array, counts: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The logs of what the first 1, .., k − 1 entries have, and of the rest; alike where the pair does not count."""
    inside = np.logaddexp.accumulate(rows, axis=-1)[..., :-1]
    outside = np.logaddexp.accumulate(rows[..., ::-1], axis=-1)[..., ::-1][..., 1:]
    return np.where(counts, inside, 0.0), np.where(counts, outside, -np.inf)
