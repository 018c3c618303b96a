"""Everybody's records, drawn from a joint law again and again.

In two households of two, in which both are ill or neither, each drawn data set has both members alike:

>>> import dalenius as dl
>>> law = dl.Households(count=2, infected=[0.5, 0, 0.5]).joints()[0]
>>> drawn = DrawnRecords(law)
>>> drawn.groups
[1, 1, 2, 2]
>>> all(own[0] == own[1] and own[2] == own[3] for own in drawn.draw(50, np.random.default_rng(1)))
True
"""

from collections.abc import Iterator
from math import log2
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.fields import RecordValue
from dalenius.joints.clique_laws import Path
from dalenius.joints.factor import Factor, group_rows
from dalenius.joints.joint import Joint, Stratum

_AT_ONCE: Final = 1 << 20
"""Records that are drawn at once."""
_LISTED: Final = 16
"""Base-2 logarithm of the assignments of a group up to which they are listed rather than drawn record by record."""


@final
class DrawnRecords:
    """Everybody's records, drawn again and again from a law.

    Args:
        law: The law of all records.
    """

    def __init__(self, law: Joint) -> None:
        self.strata: tuple[Stratum, ...] = law.strata()
        values = [value for stratum in self.strata for value in stratum.values]
        self._values = np.empty(len(values), dtype=object)
        self._values[:] = values
        self._factors = law.factors()
        self._order = np.argsort([number for factor in self._factors for number in factor.people], kind="stable")

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self._order)

    @property
    def groups(self) -> list[int]:
        """The number, from 1, of each person's group: people of different groups are independent."""
        found, first = [], 1
        for factor in self._factors:
            found += [first + place // factor.size for place in range(factor.count * factor.size)]
            first += factor.count
        own = [found[place] for place in self._order]
        numbers = {group: number for number, group in enumerate(dict.fromkeys(own), 1)}
        return [numbers[group] for group in own]

    def draw(self, count: int, random: np.random.Generator) -> Iterator[list[RecordValue]]:
        """Yields `count` data sets, drawn by `random`: everybody's records, in the order of people's numbers."""
        for slots in self.slots(count, random):
            yield from self._values[slots].tolist()

    def slots(self, count: int, random: np.random.Generator) -> Iterator[IntArray]:
        """Yields `count` data sets, several at a time, as everybody's slots (data sets, people).

        A slot is one value of one stratum: slots are numbered stratum by stratum, value by value.

        Args:
            count: How many data sets to draw.
            random: The generator that draws them.
        """
        at_once = max(1, _AT_ONCE // max(self.people, 1))
        for first in range(0, count, at_once):
            rows = min(at_once, count - first)
            yield np.concatenate([_drawn(factor, rows, random) for factor in self._factors], axis=1)[:, self._order]


def _drawn(factor: Factor, rows: int, random: np.random.Generator) -> IntArray:
    """Draws slots (rows, people of the factor)."""
    path = factor.path if log2(factor.assignments) > _LISTED else None
    if path is not None:
        return np.concatenate([_along(path, rows, random) for _ in range(factor.count)], axis=1)
    slots, logs = group_rows(factor)
    chances = np.exp(logs - np.max(logs))
    picked = random.choice(len(logs), size=(rows, factor.count), p=chances / chances.sum())
    return slots[picked].reshape(rows, -1)


def _along(path: Path, rows: int, random: np.random.Generator) -> IntArray:
    """Draws the records of a row one after the other, each given the one before."""
    found = np.empty((rows, len(path.chances)), dtype=np.int64)
    state = _picked(np.broadcast_to(path.chances[0], (rows, path.chances.shape[1])), random)
    for place, slots in enumerate(path.slots):
        if place:
            state = _picked(path.forward[path.onward[place - 1]][state], random)
        found[:, place] = slots[state]
    return found


def _picked(chances: Array, random: np.random.Generator) -> IntArray:
    """Draws a column of each row (rows,), with these chances (rows, columns)."""
    below = np.cumsum(chances, axis=1)
    found = np.sum(random.random(len(chances))[:, None] * below[:, -1:] >= below, axis=1)
    return np.asarray(found, dtype=np.int64)
