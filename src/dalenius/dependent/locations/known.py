"""Whose patterns the adversary knows, beside the released centroids."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray

SELECTION: Final = 0x6B6E6F776E
"""Keeps the choice of the known apart from other draws of the same seed."""


@final
@dataclass(frozen=True, eq=False)
class Known:
    """Of every person, the first `count` others in one order: known of each is the same number.

    order: all people; first: their places in it (people,).
    """

    count: int
    order: IntArray
    first: IntArray

    @classmethod
    def of(cls, people: int, count: int | None, seed: int) -> "Known":
        """count: None for all others; else so many, at random. InputError where there are not as many others."""
        if count is not None and not 0 <= count < people:
            raise InputError("known", count, f"a number of the {people - 1} others, from 0")
        order = np.arange(people)
        if count is not None:
            order = np.random.default_rng([SELECTION, seed]).permutation(people)
        first = np.empty(people, dtype=np.int64)
        first[order] = np.arange(people)
        return cls(people - 1 if count is None else count, order, first)

    def of_each(self, person: IntArray, other: IntArray) -> Array:
        """Whether the other is known to whoever is after the person, as 0 or 1."""
        limit = self.count + (self.first[person] < self.count)
        return np.asarray((self.first[other] < limit) & (person != other), dtype=np.float64)

    def totals(self, sum_of: Callable[[IntArray], Array], own: Array, people: IntArray) -> Array:
        """A sum over the known others of each one of `people` (people, ..).

        sum_of: the sum over some people; own: what each one of `people` would add themselves (people, ..).
        """
        nearest = sum_of(self.order[: self.count])
        among = self.first[people] < self.count
        if not among.any():
            return np.broadcast_to(nearest, (len(people), *nearest.shape)).copy()
        # Who is among the first `count` is replaced by the next in the order.
        wider = sum_of(self.order[: self.count + 1])
        return np.where(among.reshape(-1, *(1,) * nearest.ndim), wider - own, nearest)
