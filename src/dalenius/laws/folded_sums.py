"""The attainable sums of scores. Those beyond a window are told apart by their remainders only.

A rule of a statistics office treats 1,000,001 as it treats 2, if its rows repeat every three answers. Two records of 0
or 100, seen up to 20 and by thirds beyond: 100 is the first number above 20 with its remainder, and so is 200.

>>> folded_choices([(np.array([0, 100]), 2)], 20, 3).tolist()
[0, 22, 23]
>>> folded(range(0, 201, 100), -20, 20, 3).tolist()
[0, 22, 23]
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.laws.limits import MOST_FOLDED, MOST_LISTED
from dalenius.laws.sums import Sums

_Marks = NDArray[np.bool_]


def folded(sums: Sums, low: int, high: int, period: int) -> IntArray | None:
    """Returns the numbers of `sums` from `low` to `high`, and for all beyond the nearest of the same remainders.

    Args:
        sums: The attainable sums.
        low: The first number that is told from all others.
        high: The last such number.
        period: What the remainders are of.

    Returns:
        The numbers in order; None where there are too many to list.
    """
    if isinstance(sums, range):
        first = min(max(-((sums.start - low) // sums.step), 0), len(sums))
        last = max(min((high - sums.start) // sums.step + 1, len(sums)), first)
        if last - first > MOST_LISTED:
            return None
        # Because the remainders of a progression repeat after so many numbers, no others are beyond.
        turns = period // gcd(sums.step, period)
        found = np.array([*sums[max(first - turns, 0) : first], *sums[first:last], *sums[last : last + turns]])
    else:
        found = sums
    above = np.where(found > high, high + 1 + (found - high - 1) % period, found)
    return np.unique(np.where(above < low, low - 1 - (low - 1 - above) % period, above)).astype(np.int64)


def folded_choices(choices: Iterable[tuple[IntArray, int]], high: int, period: int) -> IntArray | None:
    """Returns what `folded` returns, without a list of the sums, with nothing folded below.

    Args:
        choices: Sets of numbers, each with how many times a number is taken from it.
        high: The last number that is told from all others.
        period: What the remainders are of.

    Returns:
        The numbers in order; None where the window has too many.
    """
    sets = [(np.unique(numbers), times) for numbers, times in choices if times]
    base = sum(int(numbers[0]) * times for numbers, times in sets)
    size = max(high - base + 1, 0)
    if size + period > MOST_FOLDED:
        return None
    found = _Seen.of(np.zeros(1, dtype=np.int64), size, period)
    for numbers, times in sets:
        found = found.plus(_Seen.of(numbers - numbers[0], size, period).repeated(times))
    inside = base + np.flatnonzero(found.inside)
    beyond = high + 1 + (base + np.flatnonzero(found.beyond) - high - 1) % period
    return np.unique(np.concatenate([inside, beyond])).astype(np.int64)


@final
@dataclass(frozen=True, eq=False)
class _Seen:
    """A set of numbers of at least 0: those below a size, and the remainders of those from there on."""

    inside: _Marks
    beyond: _Marks

    @classmethod
    def of(cls, numbers: IntArray, size: int, period: int) -> "_Seen":
        inside, beyond = np.zeros(size, dtype=np.bool_), np.zeros(period, dtype=np.bool_)
        inside[numbers[numbers < size]] = True
        beyond[numbers[numbers >= size] % period] = True
        return cls(inside, beyond)

    def plus(self, other: "_Seen") -> "_Seen":
        """Returns all sums of a number of this set and one of the `other`: a sum with one that is beyond is beyond."""
        size, period = len(self.inside), len(self.beyond)
        near = _convolved(self.inside, other.inside)
        one, two = (_remainders(each.inside, period) for each in (self, other))
        far = _convolved(self.beyond, other.beyond | two) | _convolved(one, other.beyond)
        beyond = _remainders(far, period)
        beyond[(np.flatnonzero(near[size:]) + size) % period] = True
        return _Seen(near[:size], beyond)

    def repeated(self, times: int) -> "_Seen":
        """Returns all sums of `times` of its numbers, at least one, by doubling."""
        found, power = None, self
        while times:
            if times & 1:
                found = power if found is None else found.plus(power)
            times >>= 1
            power = power.plus(power) if times else power
        assert found is not None
        return found


def _convolved(one: _Marks, other: _Marks) -> _Marks:
    if not (one.any() and other.any()):
        return np.zeros(max(len(one) + len(other) - 1, 0), dtype=np.bool_)
    return np.asarray(np.convolve(one.astype(np.int64), other.astype(np.int64)) > 0)


def _remainders(marks: _Marks, period: int) -> _Marks:
    found = np.zeros(period, dtype=np.bool_)
    found[np.flatnonzero(marks) % period] = True
    return found
