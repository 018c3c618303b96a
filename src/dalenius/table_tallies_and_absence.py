"""A table's counts in whole numbers of any size, and its answers without each person (DI §3, Theory §6)."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, written
from dalenius.laws.law_on_lattice import Array, IntArray

IntegerArray: TypeAlias = NDArray[Any]
"""int64, or Python's integers as objects; the same operators serve both."""

_ROOM: Final = 2**61
"""Magnitudes in int64 stay below it, so that the sum or difference of two does not overflow."""


def widened(values: IntegerArray, largest: int) -> IntegerArray:
    """The same numbers, safe for operations whose results are at most `largest`."""
    return values if largest < _ROOM else values.astype(object)


def least_of(values: IntegerArray) -> int:
    return int(values.min())


def greatest(values: IntegerArray) -> int:
    return int(values.max())


def size(values: IntegerArray) -> int:
    """The greatest magnitude."""
    return max(abs(least_of(values)), abs(greatest(values)))


def total(values: IntegerArray, counts: IntArray) -> int:
    """Σ counts·values, exactly."""
    return int(np.dot(widened(values, size(values) * int(counts.sum())), counts)) if len(values) else 0


def in_doubles(values: IntegerArray, unit: Fraction) -> Array:
    """values·unit, to three roundings. InputError where doubles overflow or underflow."""
    try:
        floats = values.astype(np.float64) * float(unit.numerator) / float(unit.denominator)
    # Whole numbers beyond 1e308, which Python has and doubles do not.
    except OverflowError:
        floats = np.array([math.inf])
    away = np.abs(floats[floats != 0])
    if not np.all(np.isfinite(floats)) or np.any(away < 2.0**-1000) or len(away) != np.count_nonzero(values):
        raise InputError("values", "spread out", "answers whose differences are doubles")
    return np.asarray(floats)


def exact(number: object, key: str) -> Fraction:
    """A number as the decimal it is written as: 0.1 is 1/10. InputError unless it is finite.

    >>> exact(0.1, "values"), exact(2, "values")
    (Fraction(1, 10), Fraction(2, 1))
    """
    if isinstance(number, Rational):  # whole numbers too, numpy's among them
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, float | np.floating | Decimal) and math.isfinite(number):
        return Fraction(str(number))
    raise InputError(key, number, "a finite number for every person")


def _in_steps(values: IntegerArray | Array | Sequence[Any], key: str) -> tuple[IntegerArray, Fraction]:
    """Numbers as whole numbers of steps, and the step: floats are taken as the decimals they are written as."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "bi":
        return values.astype(np.int64), Fraction(1)
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return _decimals(values)
    numbers = [exact(number, key) for number in values]
    denominator = math.lcm(*(number.denominator for number in numbers))
    steps = [number.numerator * (denominator // number.denominator) for number in numbers]
    return _array(steps), Fraction(1, denominator)


def _decimals(values: Array) -> tuple[IntegerArray, Fraction]:
    """Finite doubles: with few digits all at once, otherwise each by how it is written."""
    for places in range(16):
        power = 10.0**places
        steps = np.rint(values * power)
        # Whole numbers below it have at most 15 digits, and no two decimals of 15 digits are the same double.
        if np.max(np.abs(steps), initial=0.0) >= 1e15:
            break
        if np.array_equal(steps / power, values):
            return steps.astype(np.int64), Fraction(1, 10**places)
    written = [_digits(value) for value in map(repr, values.tolist())]
    places = max(0, *(after for _, after in written))
    powers = [10**power for power in range(places - min(after for _, after in written) + 1)]
    return _array([number * powers[places - after] for number, after in written]), Fraction(1, 10**places)


def _digits(written: str) -> tuple[int, int]:
    """A double's repr as a whole number and how many of its digits are after the point (before it, if negative)."""
    mantissa, _, exponent = written.partition("e")
    before, _, after = mantissa.partition(".")
    return int(before + after), len(after) - int(exponent or 0)


def _array(steps: Sequence[int]) -> IntegerArray:
    largest = max((abs(step) for step in steps), default=0)
    return np.array(steps, dtype=np.int64 if largest < _ROOM else object)


@final
@dataclass(frozen=True)
class LeftOut:
    """The answers of a table without one person, by class of people whose absence gives the same answer.

    base: the exact answer of the class with offset 0; offsets (m,): the answers less `base`, ascending, distinct, each
    to full relative accuracy (means over 10^6 people differ in the 7th digit between classes: subtracting them would
    cancel); people (m,): how many of each class; whose (n,) or None: the class of each person, in the table's order
    (None where the table gives counts only). Answers whose offsets are the same double are one class.
    """

    base: Fraction
    offsets: Array
    people: IntArray
    whose: IntArray | None = None

    @property
    def total(self) -> int:
        """How many people there are, the absent one included."""
        return int(self.people.sum())

    @property
    def sensitivity(self) -> float:
        """Θ = max |q(D∖i) - q(D∖j)|, the identifiability sensitivity of this table (DI Def 5)."""
        return float(self.offsets[-1] - self.offsets[0])


def left_out_of(answers: Sequence[float | Fraction | int]) -> LeftOut:
    """From the answer without each person, one per person, a float taken as the decimal it is written as.

    InputError for fewer than two people, or for an answer that is no finite number.

    Of three people two leave 4, one leaves 3.5:

    >>> found = left_out_of([4.0, 3.5, 4.0])
    >>> found.base, found.offsets.tolist(), found.people.tolist(), found.sensitivity
    (Fraction(7, 2), [0.0, 0.5], [1, 2], 0.5)
    """
    if len(answers) < 2:
        raise InputError("answers", list(answers), "the answer without each person, for two people or more")
    if all(isinstance(answer, int | float) and abs(answer) < 2**53 for answer in answers):  # NaN is not
        distinct, whose = np.unique(np.array(answers, dtype=np.float64), return_inverse=True)
        levels, unit = _in_steps(distinct, "answers")
        return of_levels(levels, unit, Fraction(0), np.bincount(whose), whose)
    given = list(dict.fromkeys(answers))
    place = {answer: index for index, answer in enumerate(given)}
    whose = np.fromiter((place[answer] for answer in answers), dtype=np.int64, count=len(answers))
    numbers = [exact(answer, "answers") for answer in given]
    lowest = min(numbers)
    offsets = np.array([float(number - lowest) for number in numbers])
    return of_kinds(lowest, offsets, np.bincount(whose, minlength=len(given)), whose)


def of_levels(
    levels: IntegerArray, unit: Fraction, start: Fraction, counts: IntArray, whose: IntArray | None = None
) -> LeftOut:
    """From the answers start + levels·unit without a person of each kind (kinds,); counts, whose: as in a tally."""
    lowest = least_of(levels)
    return of_kinds(start + lowest * unit, in_doubles(levels - lowest, unit), counts, whose)


def of_kinds(base: Fraction, offsets: Array, counts: IntArray, whose: IntArray | None = None) -> LeftOut:
    """From the offset of each kind of people (kinds,), in any order: kinds of one offset become one class."""
    distinct, place = np.unique(offsets, return_inverse=True)
    people = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(people, place, counts)
    return LeftOut(base, distinct, people, None if whose is None else place[whose])


_Values: TypeAlias = Sequence[Any] | NDArray[Any]
"""Numbers, or texts; floats are the decimals they are written as, True and False are 1 and 0."""


@final
@dataclass(frozen=True, eq=False)
class Tally:
    """The people of a table by kind; those of one kind have the same label and the same value.

    steps (kinds,): the value of each kind, a whole number of units, or its place in `texts` where values are texts;
    counts (kinds,): how many people, none 0; label (kinds,): the place of their label in `labels`;
    whose (n,): the kind of each person in the table's order, None where the table gives counts only.
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
        """n, the absent person included."""
        return int(self.counts.sum())

    def labelled(self, among: Collection[str]) -> NDArray[np.bool_]:
        """Which kinds (kinds,) have one of these labels."""
        return np.array([label in among for label in self.labels])[self.label]

    def having(self, values: Collection[Any], key: str) -> NDArray[np.bool_]:
        """Which kinds (kinds,) have one of these values. InputError where no kind has."""
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
    """From every person's value and label. InputError where one is missing, or for fewer than two people.

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
    """From how many people there are of each value and label; unit: that of the values, if these are whole numbers."""
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
    """The same in the coarsest unit, so that equal tables have equal tallies. InputError for fewer than two people."""
    if tally.people < 2:
        raise InputError("values", f"of {tally.people} people", "two people or more, one of whom is absent")
    common = 1 if tally.texts is not None else int(np.gcd.reduce(tally.steps)) or 1
    return tally if common == 1 else replace(tally, steps=tally.steps // common, unit=tally.unit * common)


def _names(labels: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """The distinct labels in order, and each one's place among them."""
    names = tuple(sorted(set(labels)))
    place = {name: index for index, name in enumerate(names)}
    return names, np.fromiter((place[label] for label in labels), dtype=np.int64, count=len(labels))


def _distinct(values: _Values) -> tuple[_Values, IntArray]:
    """The distinct values, and which of them each person has."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not np.ma.is_masked(values):
        distinct, whose = np.unique(values, return_inverse=True)
        return distinct, whose.reshape(-1)
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    place = {value: index for index, value in enumerate(dict.fromkeys(listed))}
    return list(place), np.fromiter((place[value] for value in listed), dtype=np.int64, count=len(listed))


def _read(values: _Values, whose: IntArray) -> tuple[IntegerArray, Fraction, tuple[str, ...] | None]:
    """The values in steps of a unit, or as texts; whose: the index of each person's value."""
    _check_present(values, whose)
    if isinstance(values, np.ndarray) and values.dtype.kind in "bif":
        if values.dtype.kind == "f" and not np.all(np.isfinite(values)):
            raise InputError("values", "infinite", "a finite number for every person")
        return *_in_steps(values, "values"), None
    texts = [isinstance(value, str) for value in values]
    if all(texts) and texts:
        names, steps = _names([str(value) for value in values])
        return steps, Fraction(1), names
    # "unknown" among ages: a text that stands for a missing number.
    if any(texts):
        raise InputError("values", "numbers and texts", "numbers alone, or texts alone")
    return *_in_steps(list(values), "values"), None


def _check_present(values: _Values, whose: IntArray) -> None:
    """InputError, with how many people it concerns, where a value is missing."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        missing = np.flatnonzero(np.isnan(values))
    else:
        missing = np.array([place for place, value in enumerate(values) if _is_missing(value)], dtype=np.int64)
    if len(missing):
        lost = np.count_nonzero(np.isin(whose, missing))
        raise InputError("values", "missing", f"a number or a text for every person, {lost} of {len(whose)} have none")


def _is_missing(value: Any) -> bool:
    """Whether this is None, NaN, or what pandas and NumPy use for them."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")
