"""Laws that are products of rows, laid out by assignment, and climbs among those whose rows lie in intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from random import Random

import numpy as np

from dalenius.laws.law import Array, IntArray
from tests.explore.rows import Row, vertices

SHARES = (0.5, 0.03, 1e-4)
SWEEPS = 6


@dataclass(frozen=True, eq=False)
class Inside:
    """options: by row, its extreme laws (v, k), padded; pairs (assignments, factors, 2): the rows and the entries that
    are multiplied; factor (assignments,); values (assignments, people); rate: nats by which a step of the sum of values
    that are 1 changes likelihoods, ∞ without noise."""

    options: list[Array]
    pairs: IntArray
    factor: Array
    values: IntArray
    rate: float

    @classmethod
    def of(
        cls, rows: Sequence[Row], found: list[tuple[tuple[int, ...], list[tuple[int, int]], float]], rate: float
    ) -> "Inside":
        """found: by assignment its values, which entries of which rows are multiplied, and a factor."""
        width = max(map(len, rows))
        options = [np.array([[*map(float, law), *[0.0] * (width - len(law))] for law in vertices(row)]) for row in rows]
        values, pairs, factor = (list(each) for each in zip(*found, strict=True))
        return cls(options, np.array(pairs), np.array(factor), np.array(values), rate)

    @classmethod
    def household(cls, row: Row, size: int, rate: float) -> "Inside":
        """Of its infected: of those, all are as likely to be any."""
        each = [(x, [(0, sum(x))], 1 / comb(size, sum(x))) for x in product((0, 1), repeat=size)]
        return cls.of([row], each, rate)

    @classmethod
    def group(cls, row: Row, records: Sequence[tuple[int, ...]], rate: float) -> "Inside":
        return cls.of([row], [(x, [(0, i)], 1.0) for i, x in enumerate(records)], rate)

    @classmethod
    def chain(cls, first: Row, rows: Sequence[Row], n: int, rate: float) -> "Inside":
        """Each step has rows of its own."""
        k = len(first)
        every = [first, *(row for _ in range(n - 1) for row in rows)]
        found = [
            (x, [(0, x[0]), *((1 + k * i + x[i], x[i + 1]) for i in range(n - 1))], 1.0)
            for x in product(range(k), repeat=n)
        ]
        return cls.of(every, found, rate)

    @classmethod
    def network(cls, parents: Sequence[Sequence[int]], rows: Sequence[Sequence[Row]], rate: float) -> "Inside":
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
        return cls.of([row for each in rows for row in each], found, rate)

    def leaked(self, rows: Array, name: str) -> Array:
        """The most of anybody at any output, under laws (laws, rows, k)."""
        chance = self.factor * rows[:, self.pairs[..., 0], self.pairs[..., 1]].prod(axis=-1)
        sums = (self.values == 1).sum(axis=1)
        outputs = np.unique(np.concatenate([sums, sums + 0.5])) if np.isfinite(self.rate) else np.unique(sums)
        away = np.abs(outputs[:, None] - sums)
        logs = -self.rate * away if np.isfinite(self.rate) else np.where(away > 0, -np.inf, 0.0)
        found = np.zeros(len(rows))
        with np.errstate(divide="ignore", invalid="ignore"):
            for own in self.values.T:
                there = [np.flatnonzero(own == value) for value in np.unique(own)]
                prior = np.stack([chance[:, each].sum(axis=1) for each in there])
                seen = np.stack([_log_sum(chance[:, None, each], logs[:, each]) for each in there])
                found = np.maximum(found, _moved(prior, seen, name))
        return found


def _log_sum(chance: Array, logs: Array) -> Array:
    return np.asarray(np.logaddexp.reduce(np.log(chance) + logs, axis=-1))


def _moved(prior: Array, seen: Array, name: str) -> Array:
    """prior (k, laws); seen (k, laws, outputs): logs of Pr[value and output]."""
    given = np.where(prior[..., None] > 0, seen - np.log(prior)[..., None], np.nan)
    if name == "ratio":
        most = np.nanmax(np.where(np.isnan(given), -np.inf, given), axis=0)
        least = np.nanmin(np.where(np.isnan(given), np.inf, given), axis=0)
        return np.asarray(np.where(np.isneginf(most), 0.0, most - least).max(axis=1))
    whole = np.logaddexp.reduce(seen, axis=0)
    moved = np.where(np.isneginf(whole), 0.0, given - whole)
    if name == "raised":
        return np.asarray(np.where(np.isnan(moved), 0.0, moved).max(axis=(0, 2)))
    posterior = np.exp(seen - whole)
    each = np.where(posterior > 0, posterior * moved, 0.0).sum(axis=0)
    return np.asarray(np.where(np.isneginf(whole) | np.isnan(each), 0.0, each).max(axis=1))


def climbed(inside: Inside, name: str, rng: Random, starts: int = 6) -> tuple[float, list[list[float]]]:
    """The most that was found from random laws on, a row at a time, and the rows."""
    best, where = -1.0, inside.options[0][:1]
    for start in range(starts):
        # All at their first extreme laws, all at their last, and then any.
        rows = np.stack([each[-start] if start < 2 else _random(each, rng, start % 2 == 0) for each in inside.options])
        value = float(inside.leaked(rows[None], name)[0])
        for _ in range(SWEEPS):
            before = value
            for place, corners in enumerate(inside.options):
                tried = np.concatenate([corners, *((1 - share) * rows[place] + share * corners for share in SHARES)])
                tried = np.concatenate([tried, *(0.999999 * corners + 1e-6 * rows[place] for _ in (1,))])
                each = np.repeat(rows[None], len(tried), axis=0)
                each[:, place] = tried
                values = inside.leaked(each, name)
                at = int(values.argmax())
                if values[at] > value:
                    value, rows = float(values[at]), each[at]
            if not value > before * (1 + 1e-9):
                break
        if value > best:
            best, where = value, rows
    return best, where.tolist()


def _random(corners: Array, rng: Random, corner: bool) -> Array:
    if corner:
        return np.asarray(corners[rng.randrange(len(corners))])
    weights = np.array([rng.expovariate(1.0) for _ in corners])
    return np.asarray(weights @ corners / weights.sum())
