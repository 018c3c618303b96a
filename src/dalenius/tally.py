"""A table's counts in whole numbers of any size, and its answers without each person (DI §3, Theory §6)."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.errors import InputError, written
from dalenius.exact_integers import IntegerArray, exact, in_steps

_Values: TypeAlias = Sequence[Any] | NDArray[Any]
"""Values of records: numbers or texts. Floats are the decimals they are written as, True and False are 1 and 0."""


@final
@dataclass(frozen=True, eq=False)
class Tally:
    """The people of a table by kind; those of one kind have the same label and the same value.

    Args:
        steps: The value of each kind (kinds,), a whole number of units, or its place in `texts` where values are
            texts.
        unit: The size of a step, in the column's own unit.
        counts: How many people each kind has (kinds,), none 0.
        label: The place of each kind's label in `labels` (kinds,).
        labels: The distinct labels; one empty one where people have none.
        texts: The distinct values where they are texts; None where they are numbers.
        whose: The kind of each person (n,), in the table's order; None where the table gives counts only.
    """

    steps: IntegerArray
    unit: Fraction
    counts: IntArray
    label: IntArray
    labels: tuple[str, ...] = ("",)
    texts: tuple[str, ...] | None = None
    whose: IntArray | None = None

    @property
    def people(self) -> int:
        """The number n of people, the absent one included."""
        return int(self.counts.sum())

    def labelled(self, among: Collection[str]) -> NDArray[np.bool_]:
        """Returns which kinds (kinds,) have one of the labels in `among`."""
        return np.array([label in among for label in self.labels])[self.label]

    def having(self, values: Collection[Any], key: str) -> NDArray[np.bool_]:
        """Returns which kinds (kinds,) have one of `values`. InputError, which names `key`, where no kind has."""
        if self.texts is not None:
            wanted = {place for place, text in enumerate(self.texts) if text in values}
        else:
            numbers = [exact(value, key) / self.unit for value in values if not isinstance(value, str)]
            wanted = {number.numerator for number in numbers if number.denominator == 1}
        found = np.array([step in wanted for step in self.steps.tolist()], dtype=np.bool_)
        if not found.any():
            kind = "numbers" if self.texts is None else "texts"
            raise InputError(key, ", ".join(map(written, values)), f"values that somebody has; the records are {kind}")
        return found


def tally_of_people(values: _Values, labels: Sequence[str] | None = None) -> Tally:
    """Makes a tally from every person's value and label. InputError where one is missing, or for fewer than two people.

    Args:
        values: One for each person (n,), in the column's own unit.
        labels: One for each person (n,); None where people have none.

    >>> found = tally_of_people([0.5, 1.0, 1.0, 2.5])
    >>> found.steps.tolist(), found.unit, found.counts.tolist()
    ([1, 2, 5], Fraction(1, 2), [1, 2, 1])
    """
    distinct, whose = _distinct(values)
    steps, unit, texts = _read(distinct, whose)
    names: tuple[str, ...] = ("",)
    label = np.zeros(len(steps), dtype=np.int64)
    if labels is not None:
        if len(labels) != len(whose):
            raise InputError("labels", f"{len(labels)} labels", f"one for each of {len(whose)} people")
        names, given = _names(labels)
        kinds, whose = np.unique(whose * len(names) + given, return_inverse=True)
        steps, label = steps[kinds // len(names)], kinds % len(names)
    counts = np.bincount(whose, minlength=len(steps)).astype(np.int64)
    return _checked(Tally(steps, unit, counts, label, names, texts, whose))


def tally_of_counts(
    values: _Values, counts: Sequence[int] | IntArray, labels: Sequence[str] | None = None, unit: Fraction | None = None
) -> Tally:
    """Makes a tally from how many people there are of each value and label.

    Args:
        values: The value of each kind (kinds,).
        counts: How many people have it (kinds,).
        labels: The label of each kind (kinds,); None where people have none.
        unit: The unit of the values, if these are whole numbers of one; None: 1.
    """
    if not len(values) == len(counts) == len(values if labels is None else labels):
        raise InputError("counts", f"{len(counts)} counts", f"one for each of {len(values)} values")
    people = np.asarray(counts)
    if people.dtype.kind not in "iu" or (people < 0).any():
        raise InputError("counts", list(counts)[:10], "whole numbers of at least 0")
    people = people.astype(np.int64)
    steps, step, texts = _read(values, np.repeat(np.arange(len(people)), np.minimum(people, 1)))
    names, label = (("",), np.zeros(len(steps), dtype=np.int64)) if labels is None else _names(labels)
    kept = np.argsort(steps, kind="stable")
    kept = kept[people[kept] > 0]
    scaled = step if unit is None else step * unit
    return _checked(Tally(steps[kept], scaled, people[kept], label[kept], names, texts))


def _checked(tally: Tally) -> Tally:
    """Returns the tally in the coarsest unit, so that equal tables have equal tallies.

    InputError for fewer than two people.
    """
    if tally.people < 2:
        raise InputError("values", f"of {tally.people} people", "two people or more, one of whom is absent")
    common = 1 if tally.texts is not None else int(np.gcd.reduce(tally.steps)) or 1
    return tally if common == 1 else replace(tally, steps=tally.steps // common, unit=tally.unit * common)


def _names(labels: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Returns the distinct labels in order, and each one's place among them."""
    names = tuple(sorted(set(labels)))
    place = {name: index for index, name in enumerate(names)}
    return names, np.fromiter((place[label] for label in labels), dtype=np.int64, count=len(labels))


def _distinct(values: _Values) -> tuple[_Values, IntArray]:
    """Returns the distinct values, and which of them each person has."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.ma.is_masked(values):
        distinct, whose = np.unique(values, return_inverse=True)
        return distinct, whose.reshape(-1)
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    place = {value: index for index, value in enumerate(dict.fromkeys(listed))}
    return list(place), np.fromiter((place[value] for value in listed), dtype=np.int64, count=len(listed))


def _read(values: _Values, whose: IntArray) -> tuple[IntegerArray, Fraction, tuple[str, ...] | None]:
    """Returns the values in steps of a unit, or as texts; whose: the index of each person's value."""
    _check_present(values, whose)
    if isinstance(values, np.ndarray) and values.dtype.kind in "bif":
        if values.dtype.kind == "f" and not np.all(np.isfinite(values)):
            raise InputError("values", "infinite", "a finite number for every person")
        return *in_steps(values, "values"), None
    texts = [isinstance(value, str) for value in values]
    if all(texts) and texts:
        names, steps = _names([str(value) for value in values])
        return steps, Fraction(1), names
    # The case of a text that stands for a missing number, such as "unknown" among ages.
    if any(texts):
        raise InputError("values", "numbers and texts", "numbers alone, or texts alone")
    return *in_steps(list(values), "values"), None


def _check_present(values: _Values, whose: IntArray) -> None:
    """Raises InputError, with how many people it concerns, where a value is missing."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        missing = np.flatnonzero(np.isnan(values))
    else:
        missing = np.array([place for place, value in enumerate(values) if _is_missing(value)], dtype=np.int64)
    if len(missing):
        lost = np.count_nonzero(np.isin(whose, missing))
        raise InputError("values", "missing", f"a number or a text for every person, {lost} of {len(whose)} have none")


def _is_missing(value: Any) -> bool:
    """Says whether this is None, NaN, or what pandas and NumPy use for them."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")
