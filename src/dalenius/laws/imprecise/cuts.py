"""Boxes of the chances that the past of a record of two values is made of, cut ever smaller."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.law import Array, IntArray

Free = NDArray[np.bool_]
End = tuple[float, float]


@final
@dataclass(frozen=True, eq=False)
class Cuts:
    """lower, upper (m, 1 + 2 steps): logits of the first record's Pr[1], then of Pr[1 | 1] and Pr[1 | 0] of each step.
    Both of one step are free only while neither has been cut."""

    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.lower)

    @classmethod
    def over(cls, first: End, steps: list[tuple[End, End]]) -> "Cuts":
        """All of these, but that of the last step only the sides are kept."""
        choices = [[both] for both in steps[:-1]] + [_sides(*both) for both in steps[-1:]]
        ends = [[first, *(end for side in each for end in side)] for each in product(*choices)]
        return cls(*np.moveaxis(np.array(ends), 2, 0))

    def alike(self) -> Iterator[tuple[Free, "Cuts"]]:
        """By which coordinates are free, those cells."""
        free = self.upper > self.lower
        for each in np.unique(free, axis=0):
            yield each, self.taken((free == each).all(axis=1))

    def halved(self, which: IntArray) -> "Cuts":
        """Each cut across one of its coordinates (m,); of a step of which both are free, the sides are taken."""
        rows = np.arange(len(self))
        mate = np.where(which == 0, 0, ((which - 1) ^ 1) + 1)
        whole = (which > 0) & (self.upper[rows, mate] > self.lower[rows, mate])
        parts = [self.taken(whole)._held(at[whole], end) for at in (mate, which) for end in (False, True)]
        return Cuts.joined([*parts, *self.taken(~whole)._parted(which[~whole])])

    def _held(self, at: IntArray, high: bool) -> "Cuts":
        lower, upper, rows = self.lower.copy(), self.upper.copy(), np.arange(len(self))
        lower[rows, at] = upper[rows, at] = (self.upper if high else self.lower)[rows, at]
        return Cuts(lower, upper)

    def _parted(self, at: IntArray) -> list["Cuts"]:
        lower, upper, rows = self.lower.copy(), self.upper.copy(), np.arange(len(self))
        lower[rows, at] = upper[rows, at] = (self.lower[rows, at] + self.upper[rows, at]) / 2
        return [Cuts(self.lower, upper), Cuts(lower, self.upper)]

    def taken(self, kept: IntArray | Free) -> "Cuts":
        """Those."""
        return Cuts(self.lower[kept], self.upper[kept])

    @classmethod
    def joined(cls, parts: list["Cuts"]) -> "Cuts":
        """All of them; at least one."""
        return cls(np.concatenate([each.lower for each in parts]), np.concatenate([each.upper for each in parts]))


def _sides(one: End, zero: End) -> list[tuple[End, End]]:
    if one[0] == one[1] or zero[0] == zero[1]:
        return [(one, zero)]
    return [(one, (end, end)) for end in zero] + [((end, end), zero) for end in one]
