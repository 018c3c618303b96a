"""How far messages of a network can tell the states of what they are messages to apart (Result 20.35).

A message is m(γ) = E[g(u + what is added beyond) | γ], and log g changes by at most `rate` per unit. Of all such g the
range of the ratios is kept, D[γ, γ'] >= log m(γ)/m(γ'). Of several messages to one state the ranges add up.
"""

from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array

FARTHEST: Final = 600.0
"""Nats beyond which ratios count as unbounded."""


def carried(kernel: Array, apart: Array) -> Array:
    """The range (g, g) of Σ_r kernel[γ, r] w(γ, r), where w(γ, r) <= e^{apart[γ, r, γ', r']} w(γ', r'); upper bounds,
    roundings included; 0 on the diagonal. kernel (g, r): rows sum to 1.

    The weights of one row are exchanged for those of the other first, and then the rows, or the other way round.
    """
    states, rest = kernel.shape
    one, other = (np.repeat(np.arange(states), states), np.tile(np.arange(states), states))
    found = apart[one, :, other, :]
    moved = np.diagonal(found, axis1=1, axis2=2).max(axis=1)
    if rest > 1:
        above, below = kernel[one], kernel[other]
        stepped = most_apart(above, below, apart[other, :, other, :])
        if np.any(moved):
            stepped = np.minimum(stepped, most_apart(above, below, apart[one, :, one, :]))
        moved = moved + stepped
    return np.asarray(np.where(one == other, 0.0, moved * (1 + 2 * UNIT)).reshape(states, states))


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
