"""The laws of a sum of independent groups, each of which has one of the extreme laws of its set (Result 21.20)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import final

import numpy as np

from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True)
class ExtremeSums:
    """masses (laws, width): Pr[the sum is its least value + k]; chosen (laws, v): how many of the groups have each
    extreme law, types of group one after the other."""

    masses: Array
    chosen: IntArray

    @classmethod
    def of(cls, laws: Array, count: int) -> "ExtremeSums":
        """Of `count` groups, each with one of these (v, width): all ways to choose, in lexicographic order from the
        last law on."""
        width = laws.shape[1]
        found = [cls(power, np.full((1, 1), k, dtype=np.int64)) for k, power in enumerate(_powers(laws[0], count))]
        for place in range(1, len(laws)):
            powers = _powers(laws[place], count)
            totals = range(count + 1) if place < len(laws) - 1 else [count]
            found = [_joined([(found[total - k], powers[k], k) for k in range(total + 1)]) for total in totals]
        assert found[-1].masses.shape[1] == count * (width - 1) + 1
        return found[-1]

    @staticmethod
    def number(laws: int, count: int) -> int:
        """How many ways there are to choose."""
        return comb(count + laws - 1, laws - 1)

    def beside(self, other: "ExtremeSums") -> "ExtremeSums":
        """Of the groups of both."""
        masses = np.concatenate([_convolved(self.masses, row) for row in other.masses])
        own = np.tile(self.chosen, (len(other.masses), 1))
        return ExtremeSums(masses, np.concatenate([own, np.repeat(other.chosen, len(self.masses), axis=0)], axis=1))


def _joined(parts: Sequence[tuple[ExtremeSums, Array, int]]) -> ExtremeSums:
    masses = np.concatenate([_convolved(sums.masses, power[0]) for sums, power, _ in parts])
    chosen = [np.pad(sums.chosen, ((0, 0), (0, 1)), constant_values=k) for sums, _, k in parts]
    return ExtremeSums(masses, np.concatenate(chosen))


def _powers(law: Array, count: int) -> list[Array]:
    """Of 0, 1, .., count groups of that law (1, width)."""
    found = [np.ones((1, 1))]
    for _ in range(count):
        found.append(_convolved(found[-1], law))
    return found


def _convolved(rows: Array, law: Array) -> Array:
    """Each row's convolution with the law: sums of products of non-negative numbers, nothing cancels."""
    found = np.zeros((len(rows), rows.shape[1] + len(law) - 1))
    for place in np.flatnonzero(law).tolist():
        found[:, place : place + rows.shape[1]] += law[place] * rows
    return found
