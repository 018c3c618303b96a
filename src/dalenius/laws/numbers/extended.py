"""Non-negative numbers of unlimited range, each with a count of the roundings behind it.

Where a number is raised to the millionth power its own few roundings count a million times, and those of a smaller one
in the same array do not: so every number has its own count, unlike in `scaled_grid`.
"""

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.laws.numbers.scaled_grid import NOTHING, lowered

DEEP: Final = -700.0
"""Logs above this have exponentials that are doubles of full precision."""


@final
@dataclass(frozen=True)
class Wide:
    """mantissa · 2^exponent, mantissas 0 or in [1/2, 1); all three of one shape.

    roundings: how many rounded operations lie behind each entry, in the mean over the terms it is a sum of; all were on
    non-negative numbers, so its relative error is at most roundings · 2^-53 (up to second order).
    """

    mantissa: Array
    exponent: IntArray
    roundings: Array

    def __getitem__(self, index: Any) -> "Wide":
        return Wide(self.mantissa[index], self.exponent[index], self.roundings[index])

    def reshaped(self, shape: tuple[int, ...]) -> "Wide":
        return Wide(self.mantissa.reshape(shape), self.exponent.reshape(shape), self.roundings.reshape(shape))

    def moved(self, source: int, destination: int) -> "Wide":
        """One axis elsewhere."""
        return Wide(
            np.moveaxis(self.mantissa, source, destination),
            np.moveaxis(self.exponent, source, destination),
            np.moveaxis(self.roundings, source, destination),
        )

    def put(self, index: Any, other: "Wide") -> None:
        """Overwrite some entries of an array that is still being built."""
        self.mantissa[index], self.exponent[index] = other.mantissa, other.exponent
        self.roundings[index] = other.roundings


def nothing(shape: tuple[int, ...]) -> Wide:
    return Wide(np.zeros(shape), np.full(shape, NOTHING, dtype=np.int64), np.zeros(shape))


def exponentials(logs: Array) -> Wide:
    """e^logs, for logs of at most 0; -inf is a zero."""
    if logs.min() > DEEP:
        return _normalised(np.exp(logs), 0, 4.0 + 2.0 * np.abs(logs))
    finite = np.where(logs > -np.inf, logs, 0.0)
    whole = np.where(finite > DEEP, 0.0, np.floor(finite / np.log(2.0)))
    # A log of size w resolves its exponential to w roundings, and taking off whole·log 2 costs as much again.
    roundings = np.where(finite > DEEP, 2.0, 4.0) * np.abs(finite) + 4.0
    mantissa = np.where(logs > -np.inf, np.exp(finite - whole * np.log(2.0)), 0.0)
    return _normalised(mantissa, whole.astype(np.int64), roundings)


def times(one: Wide, other: Wide) -> Wide:
    return _normalised(
        one.mantissa * other.mantissa, one.exponent + other.exponent, one.roundings + other.roundings + 1.0
    )


def plus(one: Wide, other: Wide) -> Wide:
    top = np.maximum(one.exponent, other.exponent)
    first, second = lowered(one.mantissa, one.exponent - top), lowered(other.mantissa, other.exponent - top)
    total = first + second
    weighted = first * one.roundings + second * other.roundings
    both = (first > 0) & (second > 0)
    return _normalised(total, top, _over(weighted, total) + both)


def summed(terms: Wide) -> Wide:
    """Over the first axis."""
    top = terms.exponent.max(axis=0)
    values = lowered(terms.mantissa, terms.exponent - top)
    total = values.sum(axis=0)
    extra = np.maximum((values > 0).sum(axis=0) - 1.0, 0.0)
    return _normalised(total, top, _over((values * terms.roundings).sum(axis=0), total) + extra)


def gathered(terms: Wide, places: IntArray, size: int) -> Wide:
    """The sums of the terms of each place, flat (size,)."""
    top = np.full(size, NOTHING, dtype=np.int64)
    np.maximum.at(top, places, terms.exponent)
    values = lowered(terms.mantissa, terms.exponent - top[places])
    total, weighted = np.zeros(size), np.zeros(size)
    np.add.at(total, places, values)
    np.add.at(weighted, places, values * terms.roundings)
    extra = np.maximum(np.bincount(places, minlength=size) - 1.0, 0.0)
    return _normalised(total, top, _over(weighted, total) + extra)


def before(terms: Wide, axis: int) -> Wide:
    """Along an axis, the sum of all entries up to each but the last: one entry fewer."""
    moved = terms.moved(axis, 0)[:-1]
    found = nothing(moved.mantissa.shape)
    running = moved[0]
    found.put(0, running)
    for place in range(1, len(moved.mantissa)):
        if moved.mantissa[place].any():
            running = plus(running, moved[place])
        found.put(place, running)
    return found.moved(0, axis)


def stacked(parts: list[Wide], axis: int) -> Wide:
    """Along a new axis."""
    found = Wide(
        np.array([part.mantissa for part in parts]),
        np.array([part.exponent for part in parts]),
        np.array([part.roundings for part in parts]),
    )
    return found.moved(0, axis) if axis else found


def _normalised(mantissa: Array, exponent: IntArray | int, roundings: Array) -> Wide:
    fraction, shift = np.frexp(mantissa)
    moved = np.asarray(exponent + shift.astype(np.int64))
    solid = fraction > 0
    if solid.all():
        return Wide(np.asarray(fraction), moved, np.asarray(roundings))
    return Wide(np.asarray(fraction), np.where(solid, moved, NOTHING), np.where(solid, roundings, 0.0))


def _over(weighted: Array, total: Array) -> Array:
    quotient: Array = np.divide(weighted, total, out=np.zeros_like(total), where=total > 0)
    return quotient
