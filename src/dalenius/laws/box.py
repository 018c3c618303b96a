"""Laws whose probabilities lie in intervals: the box, its extreme points and its tightened ends.

The rooms with intervals (Theory §21) take the largest or smallest value of a linear function over such a set. Ends
are exact fractions, so that no rounding makes an empty set look possible.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import comb, lcm
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.errors import InputError, TooLarge
from dalenius.fields import Chance, ends_of
from dalenius.laws.limits import MOST_OPEN_INTERVALS, MOST_VERTICES

_LOOSE: Final = Fraction(1, 10**9)
"""Largest difference from 1 that the sums of the ends may have, as a law's own sum may."""

_Number: TypeAlias = float | Fraction
_Integers: TypeAlias = NDArray[Any]
"""Whole numbers: of 64 bits where these are enough, else Python's own."""


@final
class Box:
    """The set {p: lower <= p <= upper, sum p = 1}, never empty, whose ends are tightened: each is attained.

    A double stands for the shortest decimal that is read as it, as the user wrote it; a fraction stands for itself.
    Intervals are tightened in these. So a probability that the others leave no room is exactly one number, and 0
    where they allow it. `lower` and `upper` (m,) are the doubles next to the ends, off by 2^-53 of themselves, as the
    probabilities of all laws are here.

    InputError (probabilities) where no law is inside, to 1e-9. The lower ends may sum to more than 1 by no more than
    that, or the upper ends to less, as rounded numbers may. The set is then these ends, scaled to sum 1.

    The last of three cannot be above .5, as the others are at least .2 and .3:

    >>> box = Box([0.2, 0.3, 0.1], [0.6, 0.5, 0.9])
    >>> box.upper.tolist(), box.best(np.array([1.0, 0.0, 2.0])).tolist(), len(box.vertices)
    ([0.6, 0.5, 0.5], [0.2, 0.3, 0.5], 4)
    """

    def __init__(self, lower: Sequence[_Number] | Array, upper: Sequence[_Number] | Array) -> None:
        """Tightens the ends `lower` and `upper` (m,) of each probability's interval, 0 <= lower <= upper."""
        if not _in_order(lower, upper):
            raise _empty(lower, upper)
        low, high = [_written(each) for each in lower], [_written(each) for each in upper]
        least, most = sum(low, Fraction()), sum(high, Fraction())
        if not (least <= 1 + _LOOSE and most >= 1 - _LOOSE):
            raise _empty(lower, upper)
        # Because thirds written with ten digits sum to a little less than 1, or more: the user meant one law.
        if least > 1:
            low = high = [each / least for each in low]
        elif most < 1:
            low = high = [each / most for each in high]
        else:
            low, high = _tightened(low, high)
        self._put(low, high)

    def _put(self, low: list[Fraction], high: list[Fraction]) -> None:
        """Sets the ends, as whole parts of one denominator.

        They are 64-bit integers where those suffice, and Python's own numbers elsewhere.
        """
        denominator = lcm(*(each.denominator for each in (*low, *high)))
        kind = np.int64 if (len(low) + 1) * denominator < (2**62) else object
        self._denominator = denominator
        self._low, self._high = (
            np.array([each.numerator * (denominator // each.denominator) for each in ends], dtype=kind)
            for ends in (low, high)
        )
        self.lower, self.upper = (np.array([float(each) for each in ends]) for ends in (low, high))
        self.lower.flags.writeable = self.upper.flags.writeable = False

    @classmethod
    def of(cls, row: Sequence[Chance]) -> "Box":
        """Makes the box of a `row` of numbers and intervals (`fields.Chances`)."""
        ends = [ends_of(each) for each in row]
        if all(low == high for low, high in ends):
            return cls.exactly([low for low, _ in ends])
        return cls([low for low, _ in ends], [high for _, high in ends])

    @classmethod
    def exactly(cls, law: Sequence[float] | Array) -> "Box":
        """Makes the box that holds the one `law` (m,), kept to the last digit."""
        box = cls.__new__(cls)
        exact = [_written(each) for each in law]
        box._put(exact, exact)
        box.lower = box.upper = np.array(law, dtype=np.float64)
        return box

    def __len__(self) -> int:
        return len(self.lower)

    @cached_property
    def is_point(self) -> bool:
        """Whether it holds one law only."""
        return bool((self._low == self._high).all())

    @cached_property
    def point(self) -> Array:
        """A law (m,) in the middle; the only one where `is_point`. It sums to 1 to the last digits."""
        if self.is_point:
            return self.lower
        low, high = ([int(each) for each in ends] for ends in (self._low, self._high))
        room, total, one = self._denominator - sum(low), sum(high) - sum(low), self._denominator
        return np.array([(a * total + (b - a) * room) / (total * one) for a, b in zip(low, high, strict=True)])

    def among(self, entries: Sequence[int] | NDArray[np.int64]) -> "Box | None":
        """Returns the laws (entries,) that have all their mass at the indices `entries`; None where there are none."""
        kept = [int(each) for each in entries]
        others = np.delete(np.arange(len(self)), kept)
        low, high = ([Fraction(int(ends[i]), self._denominator) for i in kept] for ends in (self._low, self._high))
        if self._low[others].any() or not sum(low, Fraction()) <= 1 <= sum(high, Fraction()):
            # Because a single law that is kept to the last digit sums to 1 but for that digit.
            return Box.exactly(self.lower[kept]) if self.is_point and not self._low[others].any() else None
        box = Box.__new__(Box)
        box._put(*_tightened(low, high))
        return box

    @cached_property
    def _room(self) -> tuple[_Integers, int]:
        """The most parts that each probability can rise by (m,), and that all of them can rise by together."""
        return self._high - self._low, self._denominator - int(self._low.sum())

    def best(self, gains: Array) -> Array:
        """Returns the laws (.., m) that make gains·law largest, for `gains` (.., m).

        Mass goes to the largest gains first, and of equal gains to the first.
        """
        # Because this is a fractional knapsack, all but one probability are at an end of their interval.
        order = np.argsort(-gains, axis=-1, kind="stable")
        width, free = self._room
        room = width[order]
        taken = np.minimum(np.maximum(free - (np.cumsum(room, axis=-1) - room), 0), room)
        law = np.empty(gains.shape)
        np.put_along_axis(law, order, self._doubles(order, taken, room), axis=-1)
        return law

    def _doubles(self, order: _Integers, taken: _Integers, room: _Integers) -> Array:
        """Returns, as doubles, the lower ends raised by `taken` parts: the ends themselves where they are reached."""
        inner = self._divided(self._low[order] + taken)
        return np.where(taken == room, self.upper[order], np.where(taken == 0, self.lower[order], inner))

    def _divided(self, parts: _Integers) -> Array:
        # Because Python's whole numbers divide to the nearest double, however long they are.
        if parts.dtype == object:
            return np.asarray(parts / self._denominator).astype(np.float64)
        return np.asarray(parts / float(self._denominator))

    def largest(self, gains: Array) -> Array:
        """Returns the largest gains·law over the set (..,), for `gains` (.., m), rounded; `best` attains it."""
        return np.asarray((gains * self.best(gains)).sum(axis=-1))

    def smallest(self, costs: Array) -> Array:
        """Returns the smallest costs·law over the set (..,), for `costs` (.., m)."""
        return np.asarray(-self.largest(-costs))

    @property
    def vertex_bound(self) -> int:
        """An upper bound on the number of vertices."""
        free = int((self._high > self._low).sum())
        return max(1, free * comb(max(free - 1, 0), max(free - 1, 0) // 2))

    @cached_property
    def vertices(self) -> Array:
        """All extreme laws (v, m), in lexicographic order: at most one probability is strictly within its interval.

        TooLarge where there may be too many of them.
        """
        laws = self.laws_of(self.corners)
        laws.flags.writeable = False
        return laws

    @cached_property
    def corners(self) -> _Integers:
        """The rows of `vertices`, exactly, in whole parts."""
        many = (self._high > self._low).sum() > MOST_OPEN_INTERVALS
        if many or self.vertex_bound > MOST_VERTICES:
            limit = MOST_OPEN_INTERVALS if many else MOST_VERTICES
            raise TooLarge("vertices", f"{len(self)} intervals", "linear maxima need none of them", limit)
        if self.is_point:
            return self._low[None]
        return np.array(sorted({tuple(each) for part in self._vertices() for each in part.tolist()}), self._low.dtype)

    def laws_of(self, parts: _Integers) -> Array:
        """Returns as doubles the laws (v, m) given as whole `parts` (v, m).

        A part that is an end of its interval becomes that end, from `lower` or `upper`.
        """
        places = np.broadcast_to(np.arange(len(self)), parts.shape)
        return self._doubles(places, parts - self._low, self._high - self._low)

    def _vertices(self) -> Iterator[_Integers]:
        """Yields, for each probability that may be free, the vertices (v, m) in whole parts.

        All choices of ends for the others are tried, as long as the rest can still be made up.
        """
        free = np.flatnonzero(self._high > self._low)
        for place in free.tolist():
            rows = self._low[None].copy()
            rest = free[free != place]
            # The parts left for it and for the probabilities whose ends are still to be chosen.
            left = np.array(
                [self._denominator - int(self._low.sum()) + int(self._low[[*rest, place]].sum())], self._low.dtype
            )
            for count, other in enumerate(rest.tolist()):
                later = [*rest[count + 1 :].tolist(), place]
                rows = np.concatenate([rows, rows])
                rows[len(left) :, other] = self._high[other]
                left = np.concatenate([left - self._low[other], left - self._high[other]])
                fits = (left >= self._low[later].sum()) & (left <= self._high[later].sum())
                rows, left = rows[fits], left[fits]
            rows[:, place] = left
            yield rows


def _written(number: _Number) -> Fraction:
    """Returns the decimal that a double was written as, the shortest that is read as it; a fraction is itself."""
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


def _in_order(lower: Sequence[_Number] | Array, upper: Sequence[_Number] | Array) -> bool:
    ends = [np.asarray(each, dtype=np.float64) for each in (lower, upper)]
    flat = all(each.ndim == 1 and np.isfinite(each).all() for each in ends) and len(lower) == len(upper)
    return flat and all(0 <= low <= high for low, high in zip(lower, upper, strict=True))


def _empty(lower: Sequence[_Number] | Array, upper: Sequence[_Number] | Array) -> InputError:
    least, most = (float(np.sum(np.asarray(each, dtype=np.float64))) for each in (lower, upper))
    wanted = f"intervals with a law inside (lower ends sum to {least:.12g}, upper ends to {most:.12g})"
    return InputError("probabilities", [list(map(float, each)) for each in zip(lower, upper, strict=False)], wanted)


def _tightened(low: list[Fraction], high: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """Tightens ends to ones that are attained; their sums enclose 1."""
    room, slack = 1 - sum(low, Fraction()), sum(high, Fraction()) - 1
    return (
        [max(one, other - slack) for one, other in zip(low, high, strict=True)],
        [min(other, one + room) for one, other in zip(low, high, strict=True)],
    )
