"""The sums that can occur near the least and the greatest one.

Households in which nobody, one or all four are ill add 0, 1 or 4. In 5,000 of them 20,000 may be ill, or 19,997, but
neither 19,999 nor 19,998. A transform knows such a gap to a rounding of its peak only. A rule that rounds the count
would take what is not there for a mass that is not resolved.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.laws.generating_function_algebra import Transform

_ROOM: Final = 1 << 13
"""Lattice points at either end whose gaps are known: those of many sums of numbers up to 90 are all there."""
_ALL: Final = (1 << _ROOM) - 1


@final
@dataclass(frozen=True)
class NearEnds:
    """The sums that can occur, as far as they are near an end.

    Attributes:
        low: The least sum, in lattice steps.
        high: The greatest sum, in lattice steps.
        below: A bit for each of the first points from `low` on, set where the sum can occur.
        above: A bit for each of the last points from `high` down, set where the sum can occur.
    """

    low: int
    high: int
    below: int
    above: int

    def holds(self, points: IntArray) -> np.ndarray:
        """Returns which of the `points` are no gap: all of those that are far from both ends.

        >>> near = NearEnds(0, 10_000, below=_ALL, above=0b10011)
        >>> near.holds(np.array([400, 9_995, 9_996, 9_997, 9_998, 9_999, 10_000])).tolist()
        [True, False, True, False, False, True, True]
        """
        found = (points >= self.low) & (points <= self.high)
        for away, bits in ((points - self.low, self.below), (self.high - points, self.above)):
            near = (away >= 0) & (away < _ROOM)
            there = np.unpackbits(np.frombuffer(bits.to_bytes(_ROOM // 8, "little"), np.uint8), bitorder="little") > 0
            found &= ~near | there[np.where(near, away, 0)]
        return np.asarray(found)


@final
class SumsNearEnds(Transform[NearEnds]):
    """The algebra of the sums that can occur near both ends; scores (slots,) are in lattice steps.

    Four people of whom none, one or all are ill, and a thousand such households:

    >>> scores = SumsNearEnds(np.array([0, 1]))
    >>> home = scores.mean(np.log([0.9, 0.04, 0.06]), np.array([0, 1]), np.array([[4, 0], [3, 1], [0, 4]]))
    >>> found = scores.product([home], [1000])
    >>> [number for number in range(3980, 4001) if not found.holds(np.array([number]))[0]]
    [3995, 3998, 3999]
    """

    def __init__(self, scores: IntArray) -> None:
        self.scores = scores

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> NearEnds:
        """Returns the sums of one group's rows; rows of weight 0 do not count.

        `log_weights` (rows,), `slots` and `counts` (rows, slots) are as in `Transform.mean`.
        """
        points = {int(each) for each in (counts @ self.scores[slots])[log_weights > -np.inf]}
        low, high = min(points), max(points)
        return NearEnds(low, high, _bits(each - low for each in points), _bits(high - each for each in points))

    def product(self, elements: Sequence[NearEnds], powers: Sequence[int]) -> NearEnds:
        below = above = 1
        low = high = 0
        for element, power in zip(elements, powers, strict=True):
            low, high = low + power * element.low, high + power * element.high
            below, above = _sums(below, _power(element.below, power)), _sums(above, _power(element.above, power))
        return NearEnds(low, high, below, above)

    def mix(self, log_weights: Array, elements: Sequence[NearEnds]) -> NearEnds:
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        low, high = min(each.low for each in used), max(each.high for each in used)
        below = above = 0
        for each in used:
            # Because points far from the common end have no bit, they are not shifted to where there is none.
            below |= each.below << (each.low - low) if each.low - low < _ROOM else 0
            above |= each.above << (high - each.high) if high - each.high < _ROOM else 0
        return NearEnds(low, high, below & _ALL, above & _ALL)


def _bits(places: Iterable[int]) -> int:
    """Returns the bits of the `places` that have one."""
    found = 0
    for place in places:
        found |= 1 << place if place < _ROOM else 0
    return found


def _sums(one: int, other: int) -> int:
    """Returns the bits of all sums of a place of `one` and a place of `other`."""
    few, many = (one, other) if one.bit_count() <= other.bit_count() else (other, one)
    found = 0
    while few:
        least = few & -few
        found |= many << (least.bit_length() - 1)
        few ^= least
    return found & _ALL


def _any_number(places: Sequence[int]) -> int:
    """Returns the bits of all sums of any number of these places."""
    found = 1
    for place in places:
        step = place
        # Because after each turn sums of twice as many times the place are there.
        while step < _ROOM:
            found |= found << step & _ALL
            step *= 2
    return found


def _power(bits: int, power: int) -> int:
    """Returns the bits of all sums of so many places of `bits`; 0 is one of the places."""
    places = [place for place in range(1, bits.bit_length()) if bits >> place & 1]
    # Because so many places reach everything near that any number of them does.
    if not places or power * places[0] >= _ROOM:
        return _any_number(places)
    found, square = 1, bits
    while power:
        if power & 1:
            found = _sums(found, square)
        power >>= 1
        if power:
            following = _sums(square, square)
            # Because the end itself is a place, sums of more places are no fewer; the last of a chain are all.
            if following == square:
                return _sums(found, square)
            square = following
    return found
