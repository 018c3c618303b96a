"""The transform whose elements are cumulant generating functions at a real tilt: log E[e^{θS}] and two derivatives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.laws.law import Array, IntArray, log_sum
from dalenius.laws.transform import Transform


@final
@dataclass(frozen=True)
class Cumulant:
    """K(θ) = log E[e^{θS}], with K'(θ) and K''(θ): log-mass, mean and variance of the tilted law."""

    log_mass: float
    mean: float
    variance: float


@final
class Cumulants(Transform[Cumulant]):
    """One axis only; scores: (slots,), in lattice steps; tilt θ per lattice step."""

    def __init__(self, scores: IntArray, tilt: float) -> None:
        self.scores = scores
        self.tilt = tilt

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Cumulant:
        points = (counts @ self.scores[slots]).astype(np.float64)
        tilted = log_weights + self.tilt * points
        log_mass = log_sum(tilted)
        return _moments(log_mass, np.exp(tilted - log_mass), points, np.zeros_like(points))

    def product(self, elements: Sequence[Cumulant], powers: Sequence[int]) -> Cumulant:
        pairs = list(zip(elements, powers, strict=True))
        return Cumulant(
            sum(power * element.log_mass for element, power in pairs),
            sum(power * element.mean for element, power in pairs),
            sum(power * element.variance for element, power in pairs),
        )

    def mix(self, log_weights: Array, elements: Sequence[Cumulant]) -> Cumulant:
        masses = log_weights + np.array([element.log_mass for element in elements])
        log_mass = log_sum(masses)
        means = np.array([element.mean for element in elements])
        return _moments(log_mass, np.exp(masses - log_mass), means, np.array([e.variance for e in elements]))


def _moments(log_mass: float, weights: Array, means: Array, variances: Array) -> Cumulant:
    mean = float(weights @ means)
    return Cumulant(log_mass, mean, float(weights @ (variances + (means - mean) ** 2)))
