"""Boxes of the chances that the past of a record of two values is made of, cut ever smaller."""

from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True, eq=False)
class Cuts:
    """lower, upper (m, 1 + 2 steps): logits of the first record's Pr[1], then of Pr[1 | 1] and Pr[1 | 0] of each step,
    of which at most one is free."""

    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def widths(self) -> Array:
        """Of the first record's, then of each step's free one (m, 1 + steps)."""
        wide = self.upper - self.lower
        return np.concatenate([wide[:, :1], wide[:, 1::2] + wide[:, 2::2]], axis=1)

    @property
    def corners(self) -> Array:
        """(m, 2^(1 + steps), 1 + 2 steps)."""
        steps = self.lower.shape[1] // 2
        bits = np.array(list(product((False, True), repeat=1 + steps)))
        at = np.repeat(bits, [1] + [2] * steps, axis=1)
        return np.asarray(np.where(at, self.upper[:, None], self.lower[:, None]))

    def halved(self, which: IntArray) -> "Cuts":
        """Each cut across one of its coordinates (m,), counted as in `widths`."""
        place = np.repeat(np.arange(self.widths.shape[1]), [1] + [2] * (self.lower.shape[1] // 2))
        cut = place == which[:, None]
        middle = np.where(cut, (self.lower + self.upper) / 2, self.upper)
        return Cuts(
            np.concatenate([self.lower, np.where(cut, middle, self.lower)]), np.concatenate([middle, self.upper])
        )

    def taken(self, kept: IntArray | NDArray[np.bool_]) -> "Cuts":
        """Those."""
        return Cuts(self.lower[kept], self.upper[kept])
