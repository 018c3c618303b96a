"""Laws that are products of rows, laid out by assignment, and climbs among those whose rows lie in intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, prod
from random import Random

import numpy as np

from dalenius.arrays import Array, IntArray
from tests.explore.rows import Row, vertices

SHARES = 6
"""Ways there are between a law and an extreme one, each time others."""
SWEEPS = 8


@dataclass(frozen=True, eq=False)
class Inside:
    """options: by row, its extreme laws (v, k), padded; pairs (assignments, factors, 2): the rows and the entries that
    are multiplied; factor (assignments,); values (assignments, people)."""

    options: list[Array]
    pairs: IntArray
    factor: Array
    values: IntArray

    @classmethod
    def of(cls, rows: Sequence[Row], found: list[tuple[tuple[int, ...], list[tuple[int, int]], float]]) -> "Inside":
        """found: by assignment its values, which entries of which rows are multiplied, and a factor."""
        width = max(map(len, rows))
        options = [np.array([[*map(float, law), *[0.0] * (width - len(law))] for law in vertices(row)]) for row in rows]
        values, pairs, factor = (list(each) for each in zip(*found, strict=True))
        return cls(options, np.array(pairs), np.array(factor), np.array(values))

    @classmethod
    def households(cls, row: Row, size: int, count: int) -> "Inside":
        """Each has a law of its own of how many are infected: of those, all are as likely to be any."""
        found = []
        for homes in product(product((0, 1), repeat=size), repeat=count):
            ways = prod(comb(size, sum(home)) for home in homes)
            found.append((sum(homes, ()), [(i, sum(home)) for i, home in enumerate(homes)], 1 / ways))
        return cls.of([row] * count, found)

    @classmethod
    def group(cls, row: Row, records: Sequence[tuple[int, ...]]) -> "Inside":
        return cls.of([row], [(x, [(0, i)], 1.0) for i, x in enumerate(records)])

    @classmethod
    def chain(cls, first: Row, rows: Sequence[Row], n: int) -> "Inside":
        """Each step has rows of its own."""
        k = len(first)
        every = [first, *(row for _ in range(n - 1) for row in rows)]
        found = [
            (x, [(0, x[0]), *((1 + k * i + x[i], x[i + 1]) for i in range(n - 1))], 1.0)
            for x in product(range(k), repeat=n)
        ]
        return cls.of(every, found)

    @classmethod
    def network(cls, parents: Sequence[Sequence[int]], rows: Sequence[Sequence[Row]]) -> "Inside":
        """Of bits; the last parent's value changes the row fastest."""
        starts = np.cumsum([0, *map(len, rows)]).tolist()
        found = []
        for x in product((0, 1), repeat=len(parents)):
            entries = []
            for i, own in enumerate(parents):
                at = 0
                for parent in own:
                    at = 2 * at + x[parent]
                entries.append((starts[i] + at, x[i]))
            found.append((x, entries, 1.0))
        return cls.of([row for each in rows for row in each], found)

    def chances(self, rows: Array) -> Array:
        """Of the assignments (laws, assignments), under laws (laws, rows, k)."""
        return np.asarray(self.factor * rows[:, self.pairs[..., 0], self.pairs[..., 1]].prod(axis=-1))


def climbed(
    inside: Inside, leaked: Callable[[Array], Array], rng: Random, starts: int
) -> tuple[float, list[list[float]]]:
    """The most that was found from random laws on, a row at a time, and the rows. leaked: by law (laws, rows, k)."""
    best, where = -1.0, inside.options[0][:1]
    for start in range(starts):
        # All at their first extreme laws, all at their last, and then any.
        rows = np.stack([each[-start] if start < 2 else _random(each, rng, start % 2 == 0) for each in inside.options])
        value = float(leaked(rows[None])[0])
        for _ in range(SWEEPS):
            before = value
            for place, corners in enumerate(inside.options):
                tried = _tried(rows[place], corners, rng)
                each = np.repeat(rows[None], len(tried), axis=0)
                each[:, place] = tried
                values = leaked(each)
                at = int(values.argmax())
                if values[at] > value:
                    value, rows = float(values[at]), each[at]
            if not value > before * (1 + 1e-9):
                break
        if value > best:
            best, where = value, rows
    return best, where.tolist()


def _tried(law: Array, corners: Array, rng: Random) -> Array:
    """The extreme laws, and laws on the way there, most of them next to one end."""
    shares = [10 ** rng.uniform(rng.choice([-60, -8, -8, -8]), 0) for _ in range(SHARES)]
    ways = ((share, 1 - share) for share in shares)
    return np.concatenate([corners, *(a * one + b * other for a, b in ways for one, other in _both(law, corners))])


def _both(law: Array, corners: Array) -> tuple[tuple[Array, Array], ...]:
    return (corners, law), (law, corners)


def _random(corners: Array, rng: Random, corner: bool) -> Array:
    if corner:
        return np.asarray(corners[rng.randrange(len(corners))])
    weights = np.array([rng.expovariate(1.0) for _ in corners])
    return np.asarray(weights @ corners / weights.sum())
