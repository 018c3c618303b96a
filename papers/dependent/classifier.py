"""A linear support vector machine whose minimisers for two neighbouring data sets are near each other (Chaudhuri,
Monteleoni and Sarwate 2011; Result 17.2).

A thousand rows of length 1 and weight .1: another record for one person moves the minimiser by .02 at most.

>>> machine = SupportVectors(np.ones((1000, 1)), weight=0.1)
>>> round(machine.distance, 4), round(float(machine.minimiser()[0]), 3)
(0.02, 1.364)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from scipy.optimize import minimize

from papers.numbers import Array

HUBER: Final = 0.5
"""Within this of 1 the hinge is a parabola, so that it has a derivative."""
SLACK: Final = 1 / 1024
"""How much of the exact minimisers' distance may be added by their being inexact."""


@final
@dataclass(frozen=True, eq=False)
class SupportVectors:
    """J(w) = (1/n) Σ hinge(⟨w, row⟩) + (weight/2)‖w‖². rows: (n, D), each times its label of ±1, none longer than 1."""

    rows: Array
    weight: float

    @property
    def distance(self) -> float:
        """How far apart the minimisers found for neighbours are at most (L2)."""
        return 2 / (len(self.rows) * self.weight) * (1 + SLACK)

    @cached_property
    def _longest(self) -> float:
        """The longest gradient that is allowed: one so long is within that over the weight of the exact minimiser."""
        return SLACK / len(self.rows)

    def minimiser(self) -> Array:
        """ArithmeticError where the gradient is not short enough, as where next to no weight leaves J flat."""
        start, derivatives = np.zeros(self.rows.shape[1]), (self.gradient, self.hessian)
        options: Any = {"gtol": self._longest / 2}
        found = np.asarray(minimize(self.value, start, (), "trust-exact", *derivatives, options=options).x)
        # Whatever scipy says of its success: the gradient decides.
        if not np.linalg.norm(self.gradient(found)) <= self._longest:
            raise ArithmeticError(f"no minimiser of {len(self.rows)} rows at weight {self.weight:.3g}")
        return found

    def value(self, w: Array) -> float:
        margins = self.rows @ w
        parabola = np.clip(1 + HUBER - margins, 0.0, 2 * HUBER) ** 2 / (4 * HUBER)
        return float((parabola + np.maximum(1 - HUBER - margins, 0.0)).mean() + self.weight / 2 * (w @ w))

    def gradient(self, w: Array) -> Array:
        slopes = -np.clip((1 + HUBER - self.rows @ w) / (2 * HUBER), 0.0, 1.0)
        return np.asarray(slopes @ self.rows / len(self.rows) + self.weight * w)

    def hessian(self, w: Array) -> Array:
        bent = np.abs(1 - self.rows @ w) <= HUBER
        found = self.rows[bent].T @ self.rows[bent] / (2 * HUBER * len(self.rows))
        return np.asarray(found + self.weight * np.eye(len(w)))
