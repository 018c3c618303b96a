"""Minimisers of regularised losses, certified: how long the gradient is at what is returned, rounding counted."""

from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Final, final

import numpy as np

from dalenius.dependent.learning.losses import Loss
from dalenius.errors import TooLarge
from dalenius.laws.law import Array

ROWS: Final = 1024
"""Rows of a block of the gradient's sum: what is rounded within a block grows with them, the blocks' sum is exact."""
STEPS: Final = 300
HALVINGS: Final = 40
FAINT: Final = 1e-10
UNIT: Final = 2.0**-53


@final
@dataclass(frozen=True)
class Objective:
    """J(w) = (1/n) Σ loss(⟨w, row⟩) + (weight/2)‖w‖² + ⟨tilt, w⟩. rows: (n, D), each times its label, none longer
    than 1."""

    rows: Array
    loss: Loss
    weight: float
    tilt: Array

    @cached_property
    def people(self) -> int:
        return len(self.rows)

    def value(self, w: Array) -> float:
        return float(self.loss.value(self.rows @ w).mean() + self.weight / 2 * (w @ w) + self.tilt @ w)

    def gradient(self, w: Array) -> Array:
        slopes = self.loss.slope(self.rows @ w)
        starts = range(0, self.people, ROWS)
        parts = np.stack([slopes[start : start + ROWS] @ self.rows[start : start + ROWS] for start in starts])
        return np.array([fsum(column) for column in parts.T]) / self.people + self.weight * w + self.tilt

    def hessian(self, w: Array) -> Array:
        bends = self.loss.curvature(self.rows @ w)
        found = (self.rows * bends[:, None]).T @ self.rows / self.people
        return np.asarray(found + self.weight * np.eye(len(w)))

    def rounding(self, w: Array) -> float:
        """How far the computed gradient may be from the true one (L2), twice over. A margin is off by at most D·u·‖w‖,
        and by 4u more when it is taken from where the loss bends, a slope by the bend of that and a few u; of rows no
        longer than 1 a block's sum loses ROWS·u of each."""
        length, tilt = float(np.sqrt(w @ w)), float(np.sqrt(self.tilt @ self.tilt))
        margins = self.loss.bend * ((len(w) + 2) * length + 4)
        return 2 * UNIT * (ROWS + 12 + margins + 8 * (self.weight * length + tilt))


def minimiser(objective: Objective, longest: float) -> Array:
    """w with ‖∇J(w)‖ <= longest for certain, by Newton's steps; one of 1/(bend + weight) down the gradient where these
    do not help, each of which shortens it. TooLarge where doubles cannot tell."""
    w = np.zeros(objective.rows.shape[1])
    gradient = objective.gradient(w)
    for _ in range(STEPS):
        length = float(np.sqrt(gradient @ gradient))
        if length * (1 + 1e-12) + objective.rounding(w) <= longest:
            return w
        w, gradient = _stepped(objective, w, gradient, length)
    raise _too_flat(objective)


def _too_flat(objective: Objective) -> TooLarge:
    what = f"a minimiser of {objective.people} rows at regularization {objective.weight:.3g} of unit rows"
    return TooLarge("learning", what, "its gradient cannot be made short enough for certain: regularize more")


def _stepped(objective: Objective, w: Array, gradient: Array, length: float) -> tuple[Array, Array]:
    try:
        direction = -np.linalg.solve(objective.hessian(w), gradient)
    except np.linalg.LinAlgError:
        raise _too_flat(objective) from None
    falls, here, share = float(gradient @ direction), objective.value(w), 1.0
    faint = -falls < FAINT * (1 + abs(here))  # values no longer tell which point is lower
    for _ in range(HALVINGS):
        ahead = w + share * direction
        found = objective.gradient(ahead)
        lower = objective.value(ahead) < here + 1e-4 * share * falls
        if lower or (faint and float(np.sqrt(found @ found)) <= length / 2):
            return ahead, found
        share /= 2
    ahead = w - gradient / (objective.loss.bend + objective.weight)
    return ahead, objective.gradient(ahead)
