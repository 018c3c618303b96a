"""The profiles of Gaussian noise, μ-Gaussian differential privacy (Dong, Roth and Su 2022), and of what is concentrated
like it (Bun and Steinke 2016).

Gaussian noise of μ = 1 has δ(1) = 0.127. It is also ρ-zero-concentrated with ρ = 1/2, and of all that is, no more is
known than δ(1) <= 0.247: the gap between what `ZeroConcentrated` bounds and attains.
"""

from dataclasses import dataclass
from functools import cached_property
from math import expm1, nextafter, sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bisection import bisected_all
from dalenius.bounds import UNIT
from dalenius.conversion.profile import LARGEST_SIZE, GuaranteedProfile, PrivacyProfile, Tangents, check_size, mirrored
from dalenius.laws.law_on_lattice import Array
from dalenius.special_functions import log_ndtr, ndtri


@final
@dataclass(frozen=True)
class GaussianProfile(PrivacyProfile):
    """N(0, 1) against N(μ, 1): δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), f(b) = Φ(Φ⁻¹(b) + μ).

    Gaussian noise of scale σ on an answer of L2-sensitivity Δ has μ = Δ/σ; k of them, adaptively, have √(Σ μ²).
    InputError for a mu outside 1e-12 .. 1e6.

    >>> GaussianProfile(1.0).attained(np.array([0.1, 0.5])).round(6).tolist()
    [0.389144, 0.841345]
    """

    kind: ClassVar[str] = "gaussian"
    mu: float

    def __post_init__(self) -> None:
        check_size("mu", self.mu)

    def of_group(self, steps: int) -> "GaussianProfile | None":
        # Gaussian noise adds up in μ: a group of k differs k times as far.
        mu = steps * self.mu * (1 + 2 * UNIT)
        # A group of a million whose noise is for one of them: nothing is hidden, and doubles end.
        return GaussianProfile(mu) if mu <= LARGEST_SIZE else None

    def delta(self, epsilon: float) -> float:
        return float(self.delta_at(np.array([epsilon]))[0])

    def tangents(self, at: Array) -> Tangents:
        # Tests that flag never, or always: no normal quantile holds them, and the line beside them is as good.
        with np.errstate(invalid="ignore"):
            z = ndtri(np.clip(at, 1e-300, 1 - 2**-53))
        steepest = 600.0  # of logs: beyond it doubles end
        slopes = np.exp(np.clip(-self.mu * z - self.mu**2 / 2, -steepest, steepest))
        logs = np.log(slopes)
        return slopes, self.delta_at(logs - 4 * UNIT * (1 + np.abs(logs)))

    def attained(self, at: Array) -> Array:
        """f(b) = Φ(Φ⁻¹(b) + μ), rounded down; b itself where no double holds it."""
        inner = np.clip(at, 1e-300, 1 - 2**-53)
        z = ndtri(inner)
        high = log_ndtr(z + self.mu)
        error = 64 * UNIT * (1 + z**2 + (z + self.mu) ** 2 + self.mu**2 + np.abs(high))
        found = np.where(at >= 1e-300, np.exp(high - error), at)
        return np.asarray(np.where(at >= 1, 1.0, np.clip(found, at, 1.0)))

    def delta_at(self, epsilons: Array) -> Array:
        """δ(ε) from above at each of these ε in nats, of either sign (points,): by logs, since its terms may be next to
        nothing, and next to each other."""
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


@final
@dataclass(frozen=True)
class ZeroConcentrated(GuaranteedProfile):
    """ρ-zero-concentrated differential privacy (Bun and Steinke 2016). InputError for a rho outside
    1e-12 .. 1e6.

    δ(ε) is at most e^{(α−1)(αρ−ε)}/(α−1)·(1−1/α)^α for every α > 1 (Canonne, Kamath and Steinke 2020, Prop 12), and at
    ε = 0, a total variation, √(ρ/2) (Pinsker) and √(1−e^{−ρ}) (Bretagnolle and Huber 1979). Lower ends
    are of Gaussian noise, with μ = √(2ρ): there is a gap between them.
    """

    kind: ClassVar[str] = "zcdp"
    rho: float

    def __post_init__(self) -> None:
        check_size("rho", self.rho)

    def of_group(self, steps: int) -> "ZeroConcentrated | None":
        # Concentrated losses grow with the square of the distance: a household of four has 16ρ.
        rho = steps**2 * self.rho * (1 + 4 * UNIT)
        return ZeroConcentrated(rho) if rho <= LARGEST_SIZE else None

    def delta(self, epsilon: float) -> float:
        return float(self.delta_at(np.array([epsilon]))[0])

    def delta_at(self, epsilons: Array) -> Array:
        """δ at ε of either sign: below 0 by that above it."""
        found = self._delta(np.abs(epsilons))
        # Rows and networks look at ε below 0 too: there one order of the data sets follows from the other.
        if not (epsilons < 0).any():
            return found
        return np.array(
            [mirrored(e, d) if e < 0 else d for e, d in zip(epsilons.tolist(), found.tolist(), strict=True)]
        )

    @property
    def within(self) -> GaussianProfile:  # type: ignore[override]
        """Gaussian noise."""
        return GaussianProfile(nextafter(sqrt(2 * self.rho), 0.0))

    @cached_property
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        """δ at many ε."""
        # 700 is minus the log of the least δ among them; any number of ε is sound.
        epsilons = (self.rho + 2 * sqrt(self.rho * 700.0)) * np.linspace(0.0, 1.0, 600) ** 1.5
        deltas = np.minimum.accumulate(self._delta(epsilons))
        return tuple(zip(epsilons.tolist(), deltas.tolist(), strict=True))

    def _delta(self, epsilons: Array) -> Array:
        """At ε >= 0, with the α where the bound's derivative (2α−1)ρ − ε + log(1−1/α), which rises, is 0."""

        def falls(beyond: Array) -> NDArray[np.bool_]:
            with np.errstate(divide="ignore"):
                slope = (2 * beyond + 1) * self.rho - epsilons + np.log(beyond / (1 + beyond))
            return np.asarray(slope <= 0)

        _, high = bisected_all(falls, np.zeros(len(epsilons)), (epsilons + 1) / (2 * self.rho) + 2, 90)
        beyond = np.maximum(high, 1e-12)  # α − 1; any of them is sound
        alpha = 1 + beyond
        parts = beyond * alpha * self.rho, -beyond * epsilons, -np.log(beyond), -alpha * np.log1p(1 / beyond)
        size = sum(np.abs(part) for part in parts)
        found = np.exp(np.minimum(sum(parts) + 16 * UNIT * (1 + size), 1.0)) + 5e-324
        variation = min(sqrt(self.rho / 2), sqrt(-expm1(-self.rho))) * (1 + 8 * UNIT)
        return np.asarray(np.minimum(found, min(variation, 1.0)))
