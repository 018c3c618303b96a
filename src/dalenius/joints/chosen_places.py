"""Records of a long chain that are computed one by one, wherever they are: messages by powers of one period's steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np


@final
@dataclass(frozen=True)
class ChosenPlaces:
    """Records that are chosen one by one: each is a class of its own.

    >>> chosen = ChosenPlaces((0, 700, 999))
    >>> len(chosen), chosen.row_of(700), chosen.members(1)
    (3, 1, range(700, 701))

    Args:
        firsts: The places of the records, from 0.
    """

    firsts: tuple[int, ...]

    def row_of(self, place: int) -> int:
        """Returns the number of the class of the record at `place`, from 0."""
        return self.firsts.index(place)

    def members(self, row: int) -> range:
        """Returns the only place of the class with the number `row`."""
        return range(self.firsts[row], self.firsts[row] + 1)

    def __len__(self) -> int:
        return len(self.firsts)


@final
class FarMessages:
    """The messages to any record of a chain, from before, itself included, and from after.

    Ten fair steps between two values, after a first record that has value 0:

    >>> far = FarMessages(11, [np.full((2, 2), 0.5)], np.array([1.0, 0.0]), np.ones(2))
    >>> far.before(0).tolist(), far.before(7).tolist(), far.after(3).tolist()
    ([1.0, 0.0], [0.5, 0.5], [1.0, 1.0])
    >>> far.of_several([0, 7]).tolist()
    [0.5, 0.5, 0.0, 0.0]

    Args:
        n: How many records there are.
        steps: The steps of each phase (.., k, k).
        first: The vector of the first record (.., k).
        last: The vector of the last record (.., k).
    """

    def __init__(self, n: int, steps: Sequence[Any], first: Any, last: Any) -> None:
        self._n, self._steps = n, steps
        self._first, self._last = first, last
        self._powers = [self.block(0)]
        whole, rest = divmod(n - 1, len(steps))
        self._end, self._whole = last, whole
        for phase in range(rest - 1, -1, -1):
            self._end = _column(steps[phase], self._end)

    def block(self, phase: int, periods: int = 1) -> Any:
        """Returns the product of the steps of so many `periods`, from `phase` on."""
        count = len(self._steps)
        found = self._steps[phase % count]
        for more in range(1, periods * count):
            found = found @ self._steps[(phase + more) % count]
        return found

    def before(self, place: int) -> Any:
        """Returns the message to the record at `place`, from 0, that record included (.., k)."""
        whole, rest = divmod(place, len(self._steps))
        found = self._first
        for power in self._of(whole):
            found = _row(found, power)
        for phase in range(rest):
            found = _row(found, self._steps[phase])
        return found

    def after(self, place: int) -> Any:
        """Returns the message to the record at `place`, from 0, from all after it (.., k)."""
        count = len(self._steps)
        # The first whole period from here on, and how many there are before the last records.
        start = -(-place // count)
        if start > self._whole:
            found = self._last
            for later in range(self._n - 2, place - 1, -1):
                found = _column(self._steps[later % count], found)
            return found
        found = self._end
        for power in self._of(self._whole - start):
            found = _column(power, found)
        for later in range(start * count - 1, place - 1, -1):
            found = _column(self._steps[later % count], found)
        return found

    def between(self, one: int, other: int) -> Any:
        """Returns the product of the steps from the record at `one` to a later one, at `other` (.., k, k)."""
        count, first = len(self._steps), min(-(-one // len(self._steps)) * len(self._steps), other)
        whole, rest = divmod(other - first, count)
        singly = [self._steps[place % count] for place in range(one, first)]
        every = [*singly, *self._of(whole), *(self._steps[place] for place in range(rest))]
        found = every[0]
        for each in every[1:]:
            found = found @ each
        return found

    def of_several(self, places: Sequence[int]) -> Any:
        """Returns the product of all messages to the records at `places`, in order, for all their states (.., k^m)."""
        found = self.before(places[0])[..., None, :]
        for one, other in pairwise(places):
            found = found[..., None] * self.between(one, other)[..., None, :, :]
            found = found.reshape(*found.shape[:-3], -1, found.shape[-1])
        found = found * self.after(places[-1])[..., None, :]
        return found.reshape(*found.shape[:-2], -1)

    def both(self, places: Sequence[int]) -> Any:
        """Returns the product of both messages to each of the records at `places` (records, .., k)."""
        return np.stack([self.before(place) * self.after(place) for place in places])

    def _of(self, exponent: int) -> list[Any]:
        """Returns the powers of one period whose product has this exponent."""
        while len(self._powers) < exponent.bit_length():
            self._powers.append(self._powers[-1] @ self._powers[-1])
        return [power for bit, power in enumerate(self._powers) if exponent >> bit & 1]


def _row(vectors: Any, matrices: Any) -> Any:
    return (vectors[..., None, :] @ matrices)[..., 0, :]


def _column(matrices: Any, vectors: Any) -> Any:
    return (matrices @ vectors[..., None])[..., 0]
