"""Random records whose sum has an exact law, with the moments a certificate asks for."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dalenius.theorems.moment_model import Moments
from tests.reference.intervals import Array, moving_count, power, shifted, together


@dataclass(frozen=True)
class Population:
    """moments: true of the records; laws: of the sum given each value of one person's record, on one lattice."""

    moments: Moments
    laws: tuple[Array, ...]

    def pairs(self) -> Iterator[tuple[Array, Array]]:
        for one, other in product(range(len(self.laws)), repeat=2):
            if one != other:
                yield self.laws[one], self.laws[other]


def independent(random: np.random.Generator, most: int = 3000) -> Population:
    """Up to three kinds of records with values 0..k; the person is of the first."""
    kinds = [random.dirichlet(np.full(random.integers(2, 6), 0.7)) for _ in range(random.integers(1, 4))]
    counts = [int(random.integers(50, most)) for _ in kinds]
    rest = together(
        [power(law, count - (place == 0)) for place, (law, count) in enumerate(zip(kinds, counts, strict=True))]
    )
    n = sum(counts)
    moments = [sum(c * _central(law, power) for law, c in zip(kinds, counts, strict=True)) / n for power in (2, 3, 4)]
    values = [value for value, chance in enumerate(kinds[0]) if chance > 0]
    return Population(
        _moments(n, 1, moments, max(map(len, kinds)) - 1), tuple(shifted(rest, value) for value in values)
    )


def groups(random: np.random.Generator, size: int, count: int) -> Population:
    """Groups of `size` bits with any joint law; the person is the first of a group. A neighbourhood is a group."""
    table = random.dirichlet(np.full(2**size, 0.6)).reshape((2,) * size)
    sums = np.indices(table.shape).sum(axis=0)
    rest = power(_binned(sums, table), count - 1)
    laws = []
    for value in (0, 1):
        given = table[value] / table[value].sum()
        laws.append(together([rest, _binned(value + np.indices(given.shape).sum(axis=0), given)]))
    chances = [float(table.take(1, axis=place).sum()) for place in range(size)]
    centred = [float(np.mean([_central(np.array([1 - p, p]), power) for p in chances])) for power in (3, 4)]
    mean = float((sums * table).sum())
    variance = float(((sums - mean) ** 2 * table).sum()) / size
    return Population(_moments(size * count, size, [variance, *centred], 1), tuple(laws))


def moving(random: np.random.Generator, window: int, n: int) -> Population:
    """X_t = 1 if `window` successive independent bits are 1: a neighbourhood is 2·window - 1 records long."""
    p = float(random.uniform(0.4, 0.8)) ** (1 / window)
    laws = tuple(moving_count(n, p, window, held)[0] for held in (0, 1))
    law, (no, yes) = moving_count(n, p, window)
    mean = float(np.arange(n + 1) @ law)
    variance = float((np.arange(n + 1) - mean) ** 2 @ law) / n
    centred = [_central(np.array([no, yes]), power) for power in (3, 4)]
    return Population(_moments(n, 2 * window - 1, [variance, *centred], 1), laws)


def _binned(places: NDArray[np.int64], table: Array) -> Array:
    return np.bincount(places.ravel(), table.ravel()).astype(np.float64)


def _central(law: Array, order: int) -> float:
    values = np.arange(len(law))
    return float(np.abs(values - values @ law) ** order @ law)


def _moments(n: int, size: int, moments: list[float], width: int) -> Moments:
    variance, third, fourth = moments
    lower, upper = 1 - 1e-9, 1 + 1e-9
    return Moments(
        n=n, neighbourhood=size, variance=variance * lower, third=third * upper, fourth=fourth * upper, range=width
    )
