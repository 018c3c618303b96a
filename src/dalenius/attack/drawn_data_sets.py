"""Data sets drawn from a model, given one person's record."""

from collections.abc import Iterator
from math import log2
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.joints import Factor, Joint
from dalenius.joints.clique_laws import Path
from dalenius.joints.joint import Belief, finite_law, group_rows

_AT_ONCE: Final = 1 << 20
"""Records that are drawn at once."""
_LISTED: Final = 16
"""Base-2 logarithm of the assignments of a group up to which they are listed rather than drawn record by record."""


@final
class DrawnDataSets:
    """Everybody's records, drawn again and again from a law in which one person's record is known.

    Args:
        law: The law of all records.
        person: The number, from 1, of the person whose record is known.
        value: The value of that record. InputError for one that cannot occur.
    """

    def __init__(self, law: Joint, person: int, value: RecordValue) -> None:
        given = law.given({person: value})
        values = [value for stratum in given.strata() for value in stratum.values]
        self._values = np.empty(len(values), dtype=object)
        self._values[:] = values
        self._factors = given.factors()
        self._order = np.argsort([number for factor in self._factors for number in factor.people], kind="stable")

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
        at_once = max(1, _AT_ONCE // max(len(self._order), 1))
        for first in range(0, count, at_once):
            rows = min(at_once, count - first)
            slots = np.concatenate([_drawn(factor, rows, random) for factor in self._factors], axis=1)
            yield from self._values[slots[:, self._order]].tolist()


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


def law_of(joints: tuple[Belief, ...]) -> Joint:
    """Returns the one law of records with finitely many values. InputError for a model that has none, or several.

    Args:
        joints: The laws of all records that the model has.
    """
    law = finite_law(joints[0]) if len(joints) == 1 else None
    if law is None:
        raise InputError("model", f"{len(joints)} laws", "one law of records with finitely many values each")
    return law
