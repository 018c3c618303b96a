"""A chain whose first record's law and rows of transitions lie in boxes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.trees.rows import best_row, largest_mean, smallest_mean, tightened

OFF: Final = 32 * UNIT


@final
@dataclass(frozen=True, eq=False)
class Boxes:
    """first (2, k): lower and upper ends of the first record's probabilities; rows (m, 2, k, k): those of the distinct
    transitions, by rows; which (n - 1,): the one of each step. Every row of every step may be any in its box."""

    first: Array
    rows: Array
    which: IntArray

    def __len__(self) -> int:
        return len(self.which) + 1

    @property
    def size(self) -> int:
        """How many values a record has."""
        return int(self.first.shape[1])

    @cached_property
    def priors(self) -> Array:
        """Boxes that hold every record's law (n, 2, k)."""
        found = np.empty((len(self), 2, self.size))
        found[0] = self.first
        for place, which in enumerate(self.which):
            low, high = found[place]
            if place and self.which[place - 1] == which and (found[place] == found[place - 1]).all():
                found[place + 1] = found[place]
                continue
            rows = self.rows[which]
            least = smallest_mean(low, high, rows[0].T) * (1 - OFF)
            most = largest_mean(low, high, rows[1].T) * (1 + OFF)
            found[place + 1] = tightened(np.maximum(least, 0.0), np.minimum(most, 1.0))
        return found

    @property
    def middle_first(self) -> Array:
        """A law of the first record inside its box (k,)."""
        return inside(self.first[0], self.first[1])


def inside(low: Array, high: Array) -> Array:
    """Rows (..., k) amid their boxes, in which all is possible that is in some row: the mean of those that prefer each
    value."""
    each = [best_row(low, high, preferred) for preferred in np.eye(low.shape[-1])]
    return np.asarray(np.mean(each, axis=0))
