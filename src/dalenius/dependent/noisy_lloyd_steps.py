"""Lloyd's steps from noisy sums and counts: each step is a release, its centres are post-processing (Result 17.1).

Noise on converged centroids has no such bound (errata E9). Blum et al. 2005 (SuLQ); the shares of sums and counts are
those of Su et al. 2016, and so is the idea that a small budget buys few steps. One nat for five steps in two columns:
each step has .054 for its counts and .073 for each column of sums, one person moving two counts and each column by
twice the half-width.

>>> split = Split.of(Fraction(1), steps=5, axes=2)
>>> [round(float(each), 3) for each in (split.count, split.value, split.count_scale)]
[0.054, 0.073, 37.032]
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, sqrt
from typing import Final, Self, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.dependent.estimator import noised
from dalenius.dependent.guarantee import Drawn
from dalenius.sentences.sentence import said

Noisy: TypeAlias = Callable[[Array | IntArray, Fraction], IntArray]
"""From whole numbers and a scale, in steps of 1, to whole numbers."""
HALF: Final = 2**15
"""Lattice steps from the middle of the box to each of its sides."""
_MOVED: Final = 2
"""Counts that change by 1 where one person has another record; so many half-widths change in each column of sums."""
_SPREAD: Final = 0.225
"""How far from the middle a cluster's centre is taken to be on each axis, as a share of the box's width."""
_NOISE: Final = 0.07
"""How far noise moves a coordinate of a centre (its deviation, in half-widths) where steps are as many as are worth it:
chosen on seven tables of 1 to 104 columns."""
_MOST_STEPS: Final = 7
"""More hardly move a centre that has come so far (Su et al. 2016)."""
_FLATTEST: Final = 1e6
"""Noise of so many times what a sum can be leaves its expectation in the middle, to within rounding."""
_BLOCK: Final = 2**20
"""Numbers of a block of distances, so that a million rows take megabytes."""
_CANDIDATES: Final = 16
"""Places drawn for each centre to begin with: the one farthest from those before is taken."""


@final
@dataclass(frozen=True)
class Split:
    """How one ε₀ is spent: each of `steps` steps has count for all counts together, and value for each column of sums.
    Exactly steps·(count + d·value) = ε₀."""

    steps: int
    count: Fraction
    value: Fraction

    @classmethod
    def of(cls, epsilon: Fraction, steps: int, axes: int) -> Self:
        """Splits ε₀ so that the centres' expected squared error is least, to first order (Result 17.1).

        The share of the counts is ∛(4dρ²) times that of a column.

        Args:
            epsilon: ε₀ of all steps together, in nats.
            steps: The number of steps.
            axes: The number d of columns.
        """
        per_step, ratio = epsilon / steps, Fraction((4 * axes * _SPREAD**2) ** (1 / 3))
        count = per_step * ratio / (axes + ratio)
        return cls(steps, count, (per_step - count) / axes)

    @property
    def count_scale(self) -> Fraction:
        """In people."""
        return _MOVED / self.count

    @property
    def value_scale(self) -> Fraction:
        """In lattice steps: a coordinate is at most HALF from the middle."""
        return HALF * _MOVED / self.value

    def drawn(self, axes: int) -> tuple[Drawn, ...]:
        """The noise of all steps, with `axes` columns of sums; the unit of sums is the half-width of the bounds."""
        whole, step = Fraction(1), Fraction(1, HALF)
        return (
            Drawn(said("on_counts"), self.count_scale, whole, Fraction(_MOVED), self.steps),
            Drawn(said("on_sums"), self.value_scale, step, Fraction(_MOVED * HALF * axes), self.steps),
        )


def steps_worth(epsilon: Fraction, people: int, clusters: int, axes: int) -> int:
    """Finds how many steps, from 1 to 7, a budget is worth: each sees all rows anew, with so many times the noise.

    The noise of a coordinate of a centre of n/k people stays below a fixed share of the half-width. Only public numbers
    have a say.

    Args:
        epsilon: ε₀ of all steps together, in nats.
        people: The number n of rows.
        clusters: The number k of centres.
        axes: The number d of columns.
    """
    # The deviation of discrete Laplace noise is at most √2 of its scale.
    once = sqrt(2) * float(Split.of(epsilon, 1, axes).value_scale) / HALF * clusters / people
    return max(1, min(_MOST_STEPS, floor(_NOISE / once)))


def lattice(scaled: Array) -> Array:
    """Rounds rows to whole numbers from -HALF to HALF, each number by itself.

    Args:
        scaled: Rows on [-1, 1]^d (rows, d).
    """
    return np.clip(np.rint(scaled * HALF), -HALF, HALF)


def nearest(points: Array, centres: Array) -> IntArray:
    """Finds the nearest centre of each row, the first of equally near ones, by place from 0 (rows,).

    It is exact for whole numbers up to HALF in up to 2^20 columns: no sum is rounded, in whatever order it is made, so
    that no row has a say in another's cluster.

    Args:
        points: Rows on the lattice (rows, d).
        centres: Centres on the lattice (k, d).
    """
    lengths = (centres * centres).sum(axis=1)
    rows = max(1, _BLOCK // len(centres))
    blocks = [points[start : start + rows] for start in range(0, len(points), rows)]
    return np.concatenate([np.argmin(lengths - 2 * (block @ centres.T), axis=1) for block in blocks])


def sums_and_counts(places: Array, centres: Array) -> tuple[Array, IntArray]:
    """Returns the exact answers of one step: by cluster the sum of its rows (k, d), and how many they are (k,).

    Args:
        places: Rows on the lattice (rows, d).
        centres: Centres on the lattice (k, d).
    """
    labels, k = nearest(places, centres), len(centres)
    sums = np.stack([np.bincount(labels, column, minlength=k) for column in places.T], axis=1)
    return sums.astype(np.float64), np.bincount(labels, minlength=k).astype(np.int64)


def expected_means(sums: Array | IntArray, counts: Array | IntArray, scale: float) -> Array:
    """Returns the means that noisy sums let expect, where any sum in the box is as likely as another (k, d).

    Noise far beyond the box so leads to its middle, and not to its corners. The law of a sum given its noisy value is
    that of Laplace noise around it, cut off at the box.

    Args:
        sums: The noisy sums (k, d), in lattice steps.
        counts: How many rows they are of, at least 1 (k,).
        scale: The scale of their noise, in lattice steps.
    """
    most = HALF * np.asarray(counts, dtype=np.float64)[:, None]
    noise = np.minimum(scale, _FLATTEST * most)
    near = np.clip(sums, -most, most)
    below, above = (most + near) / noise, (most - near) / noise
    # ∫ e^{-t} dt and ∫ t e^{-t} dt from 0 to an end.
    masses = -np.expm1(-below) - np.expm1(-above)
    moved = (below * np.exp(-below) + np.expm1(-below)) - (above * np.exp(-above) + np.expm1(-above))
    return np.asarray(np.clip(near + noise * moved / masses, -most, most) / most * HALF)


def shrunk(offsets: Array, noisy: Array, variances: Array) -> Array:
    """Shortens each vector by the share of its length that noise explains: James and Stein's estimator (k, d).

    With one or two columns nothing is shortened.

    Args:
        offsets: What is shortened (k, d).
        noisy: The vectors as they were observed, of which the lengths are taken (k, d).
        variances: The noise's variance in each coordinate (k,).
    """
    explained = max(noisy.shape[1] - 2, 0) * variances
    kept = 1.0 - explained / np.maximum((noisy * noisy).sum(axis=1), np.maximum(explained, np.finfo(float).tiny))
    return np.asarray(offsets * kept[:, None])


def centres_of(sums: Array | IntArray, counts: Array | IntArray, scale: float, people: int) -> Array:
    """Returns the centres that noisy sums and counts let expect, near the mean of all rows where noise is large (k, d).

    Args:
        sums: The noisy sums (k, d), in lattice steps.
        counts: The noisy counts (k,); those below 1 are taken for 1.
        scale: The scale of the noise of sums, in lattice steps.
        people: The number of rows, which is public.
    """
    each, everybody = np.maximum(counts, 1).astype(np.float64), np.array([float(people)])
    total, together = np.asarray(sums.sum(axis=0, keepdims=True)), scale * sqrt(len(sums))
    middle = shrunk(expected_means(total, everybody, together), total / people, 2 * (together / everybody) ** 2)
    means = expected_means(sums, each, scale)
    return np.asarray(middle + shrunk(means - middle, sums / each[:, None] - middle, 2 * (scale / each) ** 2))


def noisy_steps(places: Array, start: Array, split: Split, noisy: Noisy | None = None) -> tuple[Array, IntArray]:
    """Returns the centres (k, d) after all steps, and the last noisy counts (k,).

    A cluster whose noisy count is below 1 keeps its centre.

    Args:
        places: Rows on the lattice (rows, d).
        start: Centres on the lattice (k, d), which were chosen without the data.
        split: The ε of counts and sums in each step, and the number of steps.
        noisy: Adds the noise of a scale to whole numbers; None, for every release, draws it by opendp.
    """
    drawn = noised if noisy is None else noisy
    centres, counts = start, np.zeros(len(start), dtype=np.int64)
    for _ in range(split.steps):
        exact_sums, exact_counts = sums_and_counts(places, centres)
        counts, sums = drawn(exact_counts, split.count_scale), drawn(exact_sums, split.value_scale)
        means = centres_of(sums, counts, float(split.value_scale), len(places))
        centres = np.where(counts[:, None] >= 1, np.rint(means), centres)
    return centres, counts


def spread_start(k: int, axes: int, draws: np.random.Generator) -> Array:
    """Draws centres in the middle three eighths of the box, apart from each other, without the data (k, axes).

    Args:
        k: The number of centres.
        axes: The number of columns.
        draws: The generator that draws them.
    """
    span = 3 * HALF // 8
    found = np.rint(draws.uniform(-span, span, (1, axes)))
    for _ in range(k - 1):
        drawn = np.rint(draws.uniform(-span, span, (_CANDIDATES, axes)))
        apart = ((drawn[:, None] - found) ** 2).sum(axis=2).min(axis=1)
        found = np.vstack([found, drawn[np.argmax(apart)]])
    return found
