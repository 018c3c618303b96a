"""The minimiser of a regularised loss, with a certificate: its gradient is shorter than what is said (Result 17.2).

J(w) = (1/n) Σ ℓ(y_i⟨w, x_i⟩) + (Λ/2)‖w‖², rows no longer than 1, ℓ convex with slopes from -1 to 0. Take a thousand
rows (1) with label 1, and Λ = .1. Another record for one person moves the minimiser by .02 at most.

>>> task = Task(np.ones((1000, 1)), hinge, 0.1)
>>> round(float(task.distance), 3), round(float(task.minimiser()[0]), 2)
(0.02, 1.36)
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.errors import DaleniusError

Loss: TypeAlias = Callable[[Array], tuple[Array, Array, Array]]
"""By margin the loss, its slope, and the slope's own."""
_HUBER: Final = 0.5
"""Within this of 1 the hinge is a parabola, so that it has a derivative."""
_SLACK: Final = Fraction(1, 1024)
"""How much of the exact minimisers' distance may be added by their being inexact."""
_ROUNDS: Final = 2000
"""Newton's steps: some ten are enough, and a hundred have been seen."""
_ROUNDING: Final = 2.0**-40
"""Relative: differences of values of the objective below it may be rounding."""


def logistic(margins: Array) -> tuple[Array, Array, Array]:
    """Returns log(1 + e^{-m}), its slope and its curvature at each m of `margins` (n,), which are y⟨w, x⟩."""
    slope = -np.exp(-np.logaddexp(0.0, margins))
    return np.logaddexp(0.0, -margins), slope, -slope * (1 + slope)


def hinge(margins: Array) -> tuple[Array, Array, Array]:
    """Returns max(1 - m, 0), its slope and its curvature at each m of `margins` (n,), which are y⟨w, x⟩.

    Within _HUBER of 1 it is a parabola (Chaudhuri, Monteleoni and Sarwate 2011).
    """
    short = np.clip(1 + _HUBER - margins, 0.0, 2 * _HUBER)
    value = short**2 / (4 * _HUBER) + np.maximum(1 - _HUBER - margins, 0.0)
    return value, -short / (2 * _HUBER), (np.abs(1 - margins) < _HUBER) / (2 * _HUBER)


def most_bend(loss: Loss) -> float:
    """Returns the greatest curvature that a `loss` has anywhere: 1/4 of the logistic one, 1 of the parabola."""
    return 0.25 if loss is logistic else 1 / (2 * _HUBER)


@final
@dataclass(frozen=True, eq=False)
class Task:
    """A regularised sum of losses, which may be tilted.

    Attributes:
        rows: The rows (n, D) times their labels of ±1, of length at most 1.
        loss: The loss.
        weight: Λ.
        tilt: What is added to the gradient (D,); None for nothing.
        most_tilt: A length that the tilt does not exceed, whatever the rows.
    """

    rows: Array
    loss: Loss
    weight: float
    tilt: Array | None = None
    most_tilt: Fraction = Fraction(0)

    @property
    def longest(self) -> Fraction:
        """The longest gradient that is allowed: a share of what one person's loss pulls, or what rounding may hide.

        Of a tilted objective it is the latter.
        """
        people, size = self.rows.shape
        # The error of a sum of n terms of at most 1, averaged, in each of D places: below (n + D + 16) UNIT. The tilt,
        # and Λw, which at the minimiser is no longer than all other terms, are further ones.
        hidden = Fraction(8 * (people + size + 16) * size * UNIT) * (1 + self.most_tilt)
        if self.tilt is not None:
            # Margins are of weights no longer than (1 + tilt)/Λ, and slopes follow them by the loss's bend.
            margin = Fraction(8 * (size + 4) * UNIT) * (1 + self.most_tilt) / Fraction(self.weight)
            return Fraction(hidden + Fraction(most_bend(self.loss)) * margin)
        return Fraction(max(_SLACK / people, hidden))

    @property
    def distance(self) -> Fraction:
        """How far apart the minimisers found for neighbours are at most (L2): Result 17.2 (a) and (b)."""
        return (Fraction(2, len(self.rows)) + 2 * self.longest) / Fraction(self.weight)

    def minimiser(self) -> Array:
        """Newton's steps until the gradient is short enough, whatever has been rounded. DaleniusError where it is not,
        as for next to no weight."""
        w = np.zeros(self.rows.shape[1])
        value, gradient, curvature = self._at(w)
        enough = float(self.longest) / 2  # the other half is for roundings of the gradient itself
        for _ in range(_ROUNDS):
            length = float(np.linalg.norm(gradient))
            if length <= enough:
                return w
            step, share = np.linalg.solve(curvature, gradient), 1.0
            slope = float(gradient @ step)
            tried = self._at(w - step)
            # The value falls by a share of what its slope says; near the end, where values are alike to rounding, the
            # gradient gets shorter instead.
            while not (
                tried[0] <= value - 0.1 * share * slope
                or (slope < _ROUNDING * (1 + abs(value)) and np.linalg.norm(tried[1]) < length)
            ):
                share /= 2
                if share < UNIT:
                    break
                tried = self._at(w - share * step)
            w, (value, gradient, curvature) = w - share * step, tried
        raise DaleniusError(f"no minimiser was found at regularization {self.weight:.3g}: a larger one is better")

    def _at(self, w: Array) -> tuple[float, Array, Array]:
        """The value of J, its gradient and its curvature."""
        people, size = self.rows.shape
        values, slopes, bends = self.loss(self.rows @ w)
        tilt = 0.0 if self.tilt is None else self.tilt
        gradient = slopes @ self.rows / people + self.weight * w + tilt
        bent = np.flatnonzero(bends)
        curvature = (self.rows[bent].T * bends[bent]) @ self.rows[bent] / people + self.weight * np.eye(size)
        tilted = 0.0 if self.tilt is None else float(self.tilt @ w)
        return float(values.mean() + self.weight / 2 * (w @ w)) + tilted, np.asarray(gradient), np.asarray(curvature)
