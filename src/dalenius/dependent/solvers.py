"""K-means by Lloyd's steps: without noise, and from noisy sums and counts, each step a release and its centres nothing
but post-processing (Result 17.1).

Blum et al. 2005 (SuLQ); the shares of sums and counts are those of Su et al. 2016. One nat for five steps in two
columns: each step has .054 for its counts, noise of 37 people, and .073 for each column of sums.

>>> split = Split.of(epsilon=1.0, steps=5, axes=2, moved=2)
>>> [round(float(each), 3) for each in (split.count, split.value, split.count_scale)]
[0.054, 0.073, 37.032]

Minimisers of regularised losses of a margin (Chaudhuri, Monteleoni and Sarwate 2011), certified: how long the
gradient is at what is returned, rounding counted; and noise with which they may go out (Result 17.2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, isqrt
from typing import Any, Final, Self, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.dependent.arguments import HALF, Added, BadArgument, checked_rows, drawable, enough, whole_number
from dalenius.errors import TooLarge
from dalenius.laws.law import Array, IntArray
from dalenius.noise.sampling import with_discrete_laplace


@final
@dataclass(frozen=True)
class Clusters:
    """centres: (k, d); labels: by row its centre; inertia: the sum of squared distances to them."""

    centres: Array
    labels: IntArray
    inertia: float
    steps: int
    converged: bool


def nearest_centre(points: Array, centres: Array) -> IntArray:
    """By row the place of the nearest centre, the first of equally near ones. Exact for whole numbers x, c where
    d(|c|² + 2|x||c|) < 2⁵³: then no sum is rounded, in whatever order it is made."""
    lengths = (centres * centres).sum(axis=1)
    # Numbers of a block of distances.
    rows = max(1, 2**20 // len(centres))
    found = np.empty(len(points), np.int64)
    for start in range(0, len(points), rows):
        block = points[start : start + rows]
        found[start : start + rows] = np.argmin(lengths - 2 * (block @ centres.T), axis=1)
    return found


def sums_by_cluster(points: Array, labels: IntArray, k: int) -> tuple[Array, IntArray]:
    """By cluster the sum of its rows, and how many they are."""
    sums = np.stack([np.bincount(labels, column, minlength=k) for column in points.T], axis=1)
    return sums.astype(np.float64), np.bincount(labels, minlength=k).astype(np.int64)


def squares(points: Array, centres: Array, labels: IntArray) -> float:
    """The sum of squared distances of the rows to their centres."""
    return float(((points - centres[labels]) ** 2).sum())


def lloyd(
    points: Any, k: int, *, start: Any = None, starts: int = 1, seed: int | None = 0, steps: int = 300
) -> Clusters:
    """K-means: rows to the nearest centre, centres to the mean of their rows, until nothing moves. It adds no noise and
    promises nothing. A centre without rows stays where it is.

    start: (k, d) centres to begin with; else k rows drawn by the seed, `starts` times, of which the run with the least
    inertia is kept. InputError for more clusters than rows, and for rows that are not finite numbers.
    """
    rows, count = checked_rows(points), whole_number("k", k)
    enough(count, len(rows), "k")
    whole_number("steps", steps)
    # Centres that somebody gives: there is one run, whatever `starts` says.
    if start is not None:
        return _converged(rows, centres_of(start, count, rows.shape[1], "start"), steps)
    generator = np.random.default_rng(seed)
    drawn = [generator.choice(len(rows), count, replace=False) for _ in range(whole_number("starts", starts))]
    return min((_converged(rows, rows[places], steps) for places in drawn), key=lambda found: found.inertia)


def centres_of(given: Any, k: int, axes: int, name: str) -> Array:
    """Centres somebody gives, checked."""
    found = checked_rows(given, name)
    if found.shape != (k, axes):
        raise BadArgument(name, f"shape {found.shape}", f"{k} centres of {axes} numbers")
    return found


def _converged(rows: Array, centres: Array, steps: int) -> Clusters:
    """Lloyd's steps from these centres until no row changes its cluster, or after so many steps."""
    labels, converged, done = nearest_centre(rows, centres), False, 0
    while done < steps and not converged:
        sums, counts = sums_by_cluster(rows, labels, len(centres))
        centres = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], centres)
        moved = nearest_centre(rows, centres)
        converged, labels, done = bool((moved == labels).all()), moved, done + 1
    return Clusters(centres, labels, squares(rows, centres, labels), done, converged)


_SPREAD: Final = 0.225
"""How far from the middle a cluster's centre is taken to be on each axis, as a share of the box's width."""

# How far from the middle first centres may lie, in lattice steps, and of how many places each next one is chosen.
_SPAN: Final = 3 * HALF // 4
_CANDIDATES: Final = 16


@final
@dataclass(frozen=True)
class Split:
    """How one ε is spent: each of `steps` steps has count for all counts together, and value for each column of sums.

    moved: how many counts one person changes: 1 where neighbours have a record more, 2 where one has another value.
    Exactly steps·(count + d·value) = ε.
    """

    steps: int
    moved: int
    count: Fraction
    value: Fraction

    @classmethod
    def of(cls, epsilon: float, steps: int, axes: int, moved: int) -> Self:
        """The share of the counts that makes the centres' expected squared error least: the error of a centre of
        coordinates m_j in a cluster of C is that of S_j/C, (Var S_j + m_j² Var C)/C² to first order, so the counts' ε
        is (Σ m_j²)^(1/3) times that of a column, m_j in half-widths. With m_j = 2·SPREAD that is ∛(4dρ²)."""
        per_step, ratio = Fraction(epsilon) / steps, Fraction((4 * axes * _SPREAD**2) ** (1 / 3))
        count = per_step * ratio / (axes + ratio)
        return cls(steps, moved, count, (per_step - count) / axes)

    @property
    def count_scale(self) -> Fraction:
        """In people."""
        return self.moved / self.count

    @property
    def value_scale(self) -> Fraction:
        """In lattice steps: a coordinate is at most HALF from the middle."""
        return HALF * self.moved / self.value


@final
@dataclass(frozen=True)
class NoisySteps:
    """All that goes out, by step: noisy counts (steps, k) and sums (steps, k, d), and the centres made of them."""

    counts: IntArray
    sums: IntArray
    centres: Array

    @property
    def last(self) -> Array:
        """(k, d) in lattice steps from the box's middle."""
        return np.asarray(self.centres[-1])


def noisy_lloyd(places: Array, start: Array, split: Split) -> NoisySteps:
    """places: (n, d) whole numbers up to ±HALF; start: (k, d) likewise, chosen without the data.

    Every row goes to the nearest centre, compared in whole numbers, so that where it goes depends on itself and on what
    was released before, and on nobody else. A cluster whose noisy count is below 1 keeps its centre.
    """
    centres, k = np.asarray(start, np.float64), len(start)
    counts, sums, path = [], [], []
    for _ in range(split.steps):
        exact_sums, exact_counts = sums_by_cluster(places, nearest_centre(places, centres), k)
        counts.append(_noised(exact_counts, split.count_scale))
        sums.append(_noised(exact_sums, split.value_scale))
        centres = next_centres(counts[-1], sums[-1], centres)
        path.append(centres)
    return NoisySteps(np.stack(counts), np.stack(sums), np.stack(path))


def next_centres(counts: IntArray, sums: IntArray, before: Array) -> Array:
    """The quotients of noisy sums and counts, on the lattice and in the box."""
    means = np.rint(sums / np.maximum(counts, 1)[:, None])
    return np.where(counts[:, None] >= 1, np.clip(means, -HALF, HALF), before)


def _noised(exact: Array | IntArray, scale: Fraction) -> IntArray:
    """Whole numbers of any shape, each with discrete Laplace noise of its own."""
    values = [int(value) for value in exact.ravel()]
    return np.array(with_discrete_laplace(values, scale), np.int64).reshape(exact.shape)


def spread_start(k: int, axes: int, seed: int | None) -> Array:
    """k places in the middle three quarters of the box, apart from each other, by the seed and without the data: of so
    many drawn uniformly each next is the one farthest from those before."""
    generator = np.random.default_rng(seed)
    found = np.rint(generator.uniform(-_SPAN, _SPAN, (1, axes)))
    for _ in range(k - 1):
        drawn = np.rint(generator.uniform(-_SPAN, _SPAN, (_CANDIDATES, axes)))
        distances = ((drawn[:, None] - found) ** 2).sum(axis=2).min(axis=1)
        found = np.vstack([found, drawn[np.argmax(distances)]])
    return found


@final
@dataclass(frozen=True)
class Loss:
    """Of a margin: its value; slope, the derivative, from -1 to 0; curvature, the second, of one side where the two
    differ; bend: the most that can be, c."""

    bend: float
    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    curvature: Callable[[Array], Array]


def logistic() -> Loss:
    """log(1 + e^{-m})."""
    return Loss(
        0.25,
        lambda margins: np.logaddexp(0.0, -margins),
        lambda margins: -one_over(margins),
        lambda margins: one_over(margins) * one_over(-margins),
    )


def smooth_hinge(h: float) -> Loss:
    """0 above 1 + h, 1 - m below 1 - h, the parabola (1 + h - m)²/4h between them."""
    bend = 1 / (2 * h)
    return Loss(
        bend,
        lambda margins: np.clip(1 + h - margins, 0.0, 2 * h) ** 2 / (4 * h) + np.maximum(1 - h - margins, 0.0),
        lambda margins: -np.clip((1 + h - margins) * bend, 0.0, 1.0),
        lambda margins: np.where(np.abs(1 - margins) <= h, bend, 0.0),
    )


def one_over(margins: Array) -> Array:
    """1/(1 + e^m), without overflow."""
    return np.asarray(0.5 * (1 - np.tanh(margins / 2)))


_SLACK: Final = Fraction(1, 1024)
"""How much of the exact minimisers' distance may be added by their being inexact, and by the lattice."""
_ROWS: Final = 1024
"""Rows of a block of the gradient's sum: what is rounded within a block grows with them, the blocks' sum is exact."""


@final
@dataclass(frozen=True)
class RegularisedLoss:
    """J(w) = (1/n) Σ loss(⟨w, row⟩) + (weight/2)‖w‖². rows: (n, D), each times its label, none longer
    than 1."""

    rows: Array
    loss: Loss
    weight: float

    @property
    def people(self) -> int:
        return len(self.rows)

    @property
    def distance(self) -> Fraction:
        """How far apart the certified minimisers of neighbours are at most (L2), of rows no longer than 1."""
        return 2 / (self.people * Fraction(self.weight)) * (1 + _SLACK)

    def minimiser(self) -> Array:
        """With a gradient of at most SLACK/n: within that over the weight of the exact one."""
        return minimiser(self, float(_SLACK) / self.people * (1 - 2.0**-50))

    def value(self, w: Array) -> float:
        return float(self.loss.value(self.rows @ w).mean() + self.weight / 2 * (w @ w))

    def gradient(self, w: Array) -> Array:
        slopes = self.loss.slope(self.rows @ w)
        starts = range(0, self.people, _ROWS)
        parts = np.stack([slopes[start : start + _ROWS] @ self.rows[start : start + _ROWS] for start in starts])
        return np.array([fsum(column) for column in parts.T]) / self.people + self.weight * w

    def hessian(self, w: Array) -> Array:
        bends = self.loss.curvature(self.rows @ w)
        found = (self.rows * bends[:, None]).T @ self.rows / self.people
        return np.asarray(found + self.weight * np.eye(len(w)))

    def rounding(self, w: Array) -> float:
        """How far the computed gradient may be from the true one (L2), twice over. A margin is off by at most D·u·‖w‖,
        and by 4u more when it is taken from where the loss bends, a slope by the bend of that and a few u; of rows no
        longer than 1 a block's sum loses ROWS·u of each."""
        length = float(np.sqrt(w @ w))
        margins = self.loss.bend * ((len(w) + 2) * length + 4)
        return 2 * UNIT * (_ROWS + 12 + margins + 8 * self.weight * length)


def minimiser(objective: RegularisedLoss, longest: float) -> Array:
    """w with ‖∇J(w)‖ <= longest for certain: scipy finds it, here it is certified. TooLarge where doubles cannot tell,
    as where next to no regularization leaves J flat."""
    from scipy.optimize import minimize

    start, derivatives = np.zeros(objective.rows.shape[1]), (objective.gradient, objective.hessian)
    options: Any = {"gtol": longest / 2}
    with np.errstate(all="ignore"):
        found = minimize(objective.value, start, (), "trust-exact", *derivatives, options=options)
    w = np.asarray(found.x)
    gradient = objective.gradient(w)
    # Whatever scipy says of its success: the gradient with its rounding decides.
    if not float(np.sqrt(gradient @ gradient)) * (1 + 1e-12) + objective.rounding(w) <= longest:
        what = f"a minimiser of {objective.people} rows at regularization {objective.weight:.3g} of unit rows"
        raise TooLarge("learning", what, "its gradient cannot be made short enough for certain: regularize more")
    return w


_UNITS: Final = "of rows of length 1"


def output_perturbed(objective: RegularisedLoss, epsilon: float) -> tuple[Array, Added]:
    """The minimiser on a lattice, with exact discrete Laplace noise on every number (Result 17.2): what goes out, and
    the noise of it."""
    lattice = Rounded.of(objective)
    scale = lattice.distance / Fraction(epsilon)
    drawable(epsilon, scale)
    indices = [int(index) for index in np.rint(objective.minimiser() / float(lattice.step))]
    drawn = with_discrete_laplace(indices, scale)
    weights = np.array([float(index * lattice.step) for index in drawn])
    return weights, Added("weights", "discrete laplace", float(scale * lattice.step), _UNITS, 1, True)


@final
@dataclass(frozen=True)
class Rounded:
    """step: of the lattice; distance: how far apart neighbours' minimisers are at most on it (L1), in steps."""

    step: Fraction
    distance: int

    @classmethod
    def of(cls, objective: RegularisedLoss) -> "Rounded":
        size = objective.rows.shape[1]
        # The lattice is so fine that rounding to it adds next to nothing to the distance.
        root = Fraction(isqrt(size * 4**40) + 1, 2**40)  # above √D
        step = _power_below(objective.distance * _SLACK / root)
        return cls(step, int(root * objective.distance / step) + size)


def _power_below(most: Fraction) -> Fraction:
    """The largest power of 2 that is at most that."""
    near = Fraction(2) ** (most.numerator.bit_length() - most.denominator.bit_length())
    return near if near <= most else near / 2
