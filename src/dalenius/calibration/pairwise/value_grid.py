"""What one person's value reveals of a friend's noisy one, over a grid of values of any dimension (DDP Eq 14, 18).

Records are vectors, such as positions; noise is Laplace of one scale on every coordinate, and distances are sums of the
coordinates' (L1). In one coordinate these are exact_coefficient, fixed_end and far_end.
"""

from math import prod
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array

Formula = Literal["exact", "fixed", "far"]
"""Eq 14; Eq 18 with d* one value, the worst; Eq 18 with d* the value far from each d."""
MOST_TERMS: Final = 2e9
CHUNK: Final = 4e6
SAFE: Final = 600.0
"""Exponents above -600 do not underflow."""


def revealed(law: ArrayLike, points: ArrayLike, scale: float, formula: Formula = "exact") -> Enclosure:
    """ρ_ij ΔD_j/σ in nats: the worst log-ratio of the noisy D_j given two values of D_i.

    law (s, v): Pr[D_j = v | D_i = s]; points (v,) or (v, d): the values, in the unit of scale σ. exact: the supremum
    over outputs is at one whose every coordinate is some value's, since on each axis alone it is (Result 3.1). fixed,
    far: the two readings of Eq 18, never below the exact one (errata E3). TooLarge where few values share coordinates.
    """
    rows, at = _checked(law, points, scale)
    if formula == "exact":
        return _exact(rows, at, scale)
    if formula not in get_args(Formula):
        raise InputError("formula", formula, f"one of {', '.join(get_args(Formula))}")
    apart = _apart(at, at, scale)
    # The sum is convex in d*, so that it is greatest at an extreme value: all values are tried.
    exponents = apart if formula == "fixed" else apart.max(axis=0)[None]
    return _enclosed(max(float(_log_means(rows, row).max()) for row in exponents), rows, float(apart.max()))


def coefficient(law: ArrayLike, points: ArrayLike, scale: float, formula: Formula = "exact") -> Enclosure:
    """ρ_ij, from 0 to 1 up to rounding: `revealed` times σ/ΔD_j; 0 where all values are the same."""
    nats, most = revealed(law, points, scale, formula), diameter(points)
    if not most:
        return Enclosure(0.0, 0.0)
    return Enclosure(*(around(end * scale / most, 4 * UNIT * end * scale / most)[i] for i, end in enumerate(nats)))


def diameter(points: ArrayLike) -> float:
    """ΔD_j: the greatest distance between two values, L1."""
    at = _as_points(points)
    return float(_apart(at, at, 1.0).max())


def _exact(rows: Array, at: Array, scale: float) -> Enclosure:
    axes = [np.unique(axis) for axis in at.T]
    outputs = prod(len(axis) for axis in axes)
    if outputs * rows.size > MOST_TERMS:
        shown = f"{len(at)} values that need {outputs:,} outputs, of {len(rows)} laws"
        raise TooLarge("a dependence coefficient", shown, "put the values on a grid, or use the closed form")
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(outputs, len(axes))
    worst, furthest, step = 0.0, 0.0, max(int(CHUNK // max(len(at), len(rows))), 1)
    for start in range(0, outputs, step):
        apart = _apart(grid[start : start + step], at, scale)
        noisy = _noisy(rows, apart)
        worst = max(worst, float((noisy.max(axis=0) - noisy.min(axis=0)).max()))
        furthest = max(furthest, float(apart.max()))
    return _enclosed(worst, rows, 2 * furthest)


def _noisy(rows: Array, apart: Array) -> Array:
    """log Σ_v law[s, v] e^{-apart[y, v]} (s, y)."""
    nearest = apart.min(axis=1)
    falls = apart - nearest[:, None]
    if falls.max() < SAFE and rows[rows > 0].min() > 1e-40:
        return np.asarray(np.log(rows @ np.exp(-falls).T) - nearest)
    return np.stack([_log_means(rows, -row) for row in apart], axis=1)


def _log_means(rows: Array, exponents: Array) -> Array:
    """log Σ_v law[s, v] e^{exponents[v]} (s,)."""
    with np.errstate(divide="ignore"):
        logs = np.log(rows) + exponents
    most = logs.max(axis=1)
    return np.asarray(most + np.log(np.exp(logs - most[:, None]).sum(axis=1)))


def _apart(one: Array, other: Array, scale: float) -> Array:
    """L1 distances in scales (one, other)."""
    total = np.zeros((len(one), len(other)))
    for x, y in zip(one.T, other.T, strict=True):
        total += np.abs(x[:, None] - y)
    return total / scale


def _enclosed(value: float, rows: Array, furthest: float) -> Enclosure:
    """Sums of v positive terms, whose exponents are off by a few roundings of the furthest one; logs of two of them."""
    error = 2 * UNIT * (rows.shape[1] + 8 * (furthest + 8) + 4 * abs(value))
    return around(value, error).clipped(0.0)


def _checked(law: ArrayLike, points: ArrayLike, scale: float) -> tuple[Array, Array]:
    rows, at = np.atleast_2d(np.asarray(law, dtype=np.float64)), _as_points(points)
    if rows.ndim != 2 or rows.shape[1] != len(at):
        raise InputError("law", f"of shape {rows.shape}", f"a row of {len(at)} probabilities for each value of D_i")
    if not (np.all(rows >= 0) and np.all(np.abs(rows.sum(axis=1) - 1) < 1e-9)):
        raise InputError("law", "no law", "rows of probabilities that sum to 1")
    if not 0 < scale < np.inf:
        raise InputError("scale", scale, "a finite number above 0")
    return rows, at


def _as_points(points: ArrayLike) -> Array:
    given = np.asarray(points, dtype=np.float64)
    at = given[:, None] if given.ndim == 1 else given
    if at.ndim != 2 or not at.size or not np.isfinite(at).all():
        raise InputError("points", f"of shape {given.shape}", "finite coordinates of each value")
    return at
