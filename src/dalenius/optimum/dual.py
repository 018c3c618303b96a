"""The lower bound on the error that any dual variables of the constraints prove (Theory §8)."""

from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray
from dalenius.optimum.program import Program

CHUNK: Final = 1 << 18


@final
@dataclass(frozen=True)
class Duals:
    """Dual variables of the constraints (constraints, outputs) at some outputs, and of the objectives (objectives,),
    which sum to 1 when weighted by their limits."""

    outputs: IntArray | Array
    prices: Array
    objectives: Array

    def times(self, factor: float) -> "Duals":
        """With those of the constraints multiplied by the factor."""
        return replace(self, prices=self.prices * factor)


def lower_bound(whole: Program, small: Program, duals: Duals, error: float) -> float:
    """No mechanism whatever has a smaller objective: the Lagrangian of the whole program at any dual variables >= 0,

        sum_v mass(v) min_r [ (y·weights(v))·|r - v|^power + sum_c duals(c, r)·excess(c, v) ]
            - sum_c delta(c) max_r duals(c, r).

    Between the outputs that have them, dual variables are interpolated linearly. error: relative, of the laws.
    """
    # The most that rounding and the laws' own error may have added to a probability is subtracted.
    slack = 4 * error + 64 * UNIT
    # Between outputs with dual variables all is linear but for the kink of |r - v| at v.
    outputs = duals.outputs if whole.power == 1 else whole.outputs
    prices = _interpolated(duals, outputs)
    if whole.weights is None:
        weight = np.interp(whole.answers, small.answers, duals.objectives) * np.isin(whole.answers, small.answers)
    else:
        weight = duals.objectives @ whole.weights
    total, size = 0.0, 0.0
    for part in np.array_split(np.arange(len(whole.answers)), 1 + len(whole.answers) * len(outputs) // CHUNK):
        apart = whole.distances(whole.answers[part][:, None], outputs)
        excess = whole.excess[:, part] - slack * whole.sizes[:, part]
        own = np.sum(_interpolated(duals, whole.answers[part]) * excess, axis=0)
        least = np.minimum(np.min(weight[part][:, None] * apart + excess.T @ prices, axis=1), own)
        total += float(np.sum(whole.mass[part] * least))
        size += float(np.sum(whole.mass[part] * np.abs(least)))
    given = float(whole.deltas @ np.max(prices, axis=1, initial=0.0))
    return max(0.0, total - given - slack * (size + given))


def _interpolated(duals: Duals, outputs: IntArray | Array) -> Array:
    return np.array([np.interp(outputs, duals.outputs, row) for row in duals.prices])
