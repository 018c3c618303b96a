"""Laws of a set of laws in intervals: drawn from all over it, and whether one is inside."""

from collections.abc import Sequence
from math import fsum

import numpy as np

from dalenius.arrays import Array
from dalenius.laws.box import Box


def contains(box: Box, law: Sequence[float] | Array, slack: float = 1e-12) -> bool:
    """Whether a law (m,) is inside, each probability and the sum to `slack`."""
    own = np.asarray(law, dtype=np.float64)
    if own.shape != box.lower.shape or abs(fsum(own) - 1) > slack:
        return False
    return bool((own >= box.lower - slack).all() and (own <= box.upper + slack).all())


def drawn_from(box: Box, rng: np.random.Generator, n: int) -> Array:
    """Laws (n, m) from all over the set, not uniform: half of them mixtures of extreme laws in random directions,
    half each probability in a random order uniform in what the earlier leave it."""
    half = n // 2
    corners = box.best(rng.standard_normal((half, 3, len(box))))
    mixed = np.einsum("nk,nkm->nm", rng.dirichlet(np.full(3, 0.7), half), corners)
    return np.concatenate([mixed, _in_turn(box, rng, n - half)])


def _in_turn(box: Box, rng: np.random.Generator, n: int) -> Array:
    order = np.argsort(rng.random((n, len(box))), axis=1)
    low, high = box.lower[order], box.upper[order]
    below = low[:, ::-1].cumsum(axis=1)[:, ::-1] - low
    above = high[:, ::-1].cumsum(axis=1)[:, ::-1] - high
    left, drawn = np.ones(n), np.empty((n, len(box)))
    for place in range(len(box)):
        least = np.maximum(low[:, place], left - above[:, place])
        most = np.maximum(least, np.minimum(high[:, place], left - below[:, place]))
        drawn[:, place] = least + (most - least) * rng.random(n)
        left = left - drawn[:, place]
    laws = np.empty_like(drawn)
    np.put_along_axis(laws, order, drawn, axis=1)
    return np.clip(laws, box.lower, box.upper)
