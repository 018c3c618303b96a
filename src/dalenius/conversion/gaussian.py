"""The profile of Gaussian noise: μ-Gaussian differential privacy (Dong, Roth and Su 2022)."""

from dataclasses import dataclass
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.profile import LARGEST, Lines, PrivacyProfile, check_size
from dalenius.laws.law import Array
from dalenius.special import log_ndtr, ndtri

STEEPEST: Final = 600.0
"""The log-slope of the steepest line."""


@final
@dataclass(frozen=True)
class GaussianProfile(PrivacyProfile):
    """N(0, 1) against N(μ, 1): δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), f(b) = Φ(Φ⁻¹(b) + μ).

    Gaussian noise of scale σ on an answer of L2-sensitivity Δ has μ = Δ/σ; k of them, adaptively, have √(Σ μ²).
    InputError for a mu outside 1e-12 .. 1e6.
    """

    kind: ClassVar[str] = "gaussian"
    mu: float

    def __post_init__(self) -> None:
        check_size("mu", self.mu)

    def of_group(self, steps: int) -> "GaussianProfile | None":
        mu = steps * self.mu * (1 + 2 * UNIT)
        return GaussianProfile(mu) if mu <= LARGEST else None

    def delta(self, epsilon: float) -> float:
        return float(self.delta_at(np.array([epsilon]))[0])

    def tangents(self, at: Array) -> Lines:
        with np.errstate(invalid="ignore"):
            z = ndtri(np.clip(at, 1e-300, 1 - 2**-53))
        slopes = np.exp(np.clip(-self.mu * z - self.mu**2 / 2, -STEEPEST, STEEPEST))
        logs = np.log(slopes)
        return slopes, self.delta_at(logs - 4 * UNIT * (1 + np.abs(logs)))

    def attained(self, at: Array) -> Array:
        inner = np.clip(at, 1e-300, 1 - 2**-53)
        z = ndtri(inner)
        high = log_ndtr(z + self.mu)
        error = 64 * UNIT * (1 + z**2 + (z + self.mu) ** 2 + self.mu**2 + np.abs(high))
        found = np.where(at >= 1e-300, np.exp(high - error), at)
        return np.asarray(np.where(at >= 1, 1.0, np.clip(found, at, 1.0)))

    def delta_at(self, epsilons: Array) -> Array:
        """δ(ε) from above at each of them."""
        near, far = epsilons / self.mu, self.mu / 2
        above, below = far - near, -far - near
        one, other = log_ndtr(above), epsilons + log_ndtr(below)
        spread = np.abs(near) + far
        error = UNIT * (
            32 * (1 + np.abs(one) + np.abs(other) + np.abs(epsilons))
            + 8 * spread * (2 + np.maximum(-above, 0.0) + np.maximum(-below, 0.0))
        )
        values = np.exp(one + error) * -np.expm1(np.minimum(other - one - 2 * error, 0.0))
        return np.asarray(np.clip(values * (1 + 8 * UNIT) + 5e-324, 0.0, 1.0))
