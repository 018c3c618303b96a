"""The most one noised answer can raise or lower the belief in each class of people, over all outputs (Theory §6)."""

from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.absent.exponential_sums import Arriving, Lost
from dalenius.bounds import UNIT
from dalenius.laws.law import Array


@final
@dataclass(frozen=True)
class _ClassExtremes:
    """raised, lowered (m,): the suprema over all outputs of ln(posterior/prior) and of ln(prior/posterior), in nats;
    error: |computed - true| of each."""

    raised: Array
    lowered: Array
    error: float


def class_extremes(offsets: Array, masses: Array, scale: float, doubt: float = 0.0) -> _ClassExtremes:
    """Both suprema for every class, under Laplace noise, or geometric noise on a lattice that holds the answers; O(m).

    offsets (m,): the classes' answers, ascending; masses (m,): the probability of each class, above 0, up to a common
    factor and a relative error of `doubt`.

    posterior_k/prior_k = 1/Σ_j w_j e^{(|y-a_k|-|y-a_j|)/scale}. |y-a_k| - |y-a_j| >= -|a_k-a_j|, with equality for
    all j at y = a_k: there k is raised most. To the right of a_k each term grows with y and to its left it falls: k is
    lowered most at an end, and beyond the ends nothing changes.
    """
    total = float(masses.sum())
    span = float(offsets[-1] - offsets[0]) / scale
    if span <= 1:  # the sums are nearly the total: their complements keep their digits
        fading = Lost(offsets, scale)
        logs = np.log1p(-fading.elsewhere(masses) / total)
        error = 3 * span * (fading.error + 2 * doubt + 16 * UNIT)
    else:
        near = Arriving(offsets, scale)
        logs = np.log((masses + near.elsewhere(masses)) / total)
        error = near.error + 2 * doubt + (16 + 8 * span + float(np.abs(logs).max())) * UNIT
    left, right = (offsets - offsets[0]) / scale, (offsets[-1] - offsets) / scale
    return _ClassExtremes(-logs, np.maximum(right + logs[-1], left + logs[0]), error)
