"""How far two mixtures of weights can be apart, of weights whose ratios are bounded (Result 20.23).

Along a chain or a network messages are such weights: m(x) = E[g(u + what is added beyond) | x], where log g changes by
at most `rate` per unit. Of all such g the range of the ratios is kept, D[x, x'] >= log m(x)/m(x'), and what one step
makes of it is asked again and again.
"""

from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array

FARTHEST: Final = 600.0
"""Nats beyond which ratios count as unbounded."""


def most_apart(above: Array, below: Array, apart: Array) -> Array:
    """At least log Σ above·w / Σ below·w for all w > 0 with log w_i/w_j <= apart[i, j] (pairs,), as for one step of a
    chain (Result 20.23). above, below (pairs, c); apart (pairs, c, c)."""
    columns = above.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(above) - np.log(below)
    ratio = np.where(np.isnan(ratio), -np.inf, ratio)
    order = np.argsort(-ratio, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    high = rank[:, None, :] < np.arange(1, columns)[None, :, None]
    least = np.take_along_axis(ratio, order, axis=1)[:, : columns - 1]
    widest = ratio.max(axis=1)
    deepest = np.max(apart, axis=(1, 2))
    near = np.minimum(apart, FARTHEST)
    # (pairs, m, r, columns)
    weights = np.where(high[:, :, None, :], np.exp(near.swapaxes(1, 2))[:, None], np.exp(-near)[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log((weights * above[:, None, None, :]).sum(axis=-1))
        logs -= np.log((weights * below[:, None, None, :]).sum(axis=-1))
    nearest = np.where(np.isnan(logs), np.inf, logs).min(axis=2)
    mixed = np.minimum(nearest, least).max(axis=1)
    found = np.maximum(np.where(deepest > FARTHEST, widest, np.minimum(mixed, widest)), 0.0)
    rounding = (4 * columns + 16 + 4 * np.minimum(deepest, FARTHEST)) * UNIT
    return np.asarray(found + rounding * (1 + np.where(np.isfinite(found), found, 0.0)))
