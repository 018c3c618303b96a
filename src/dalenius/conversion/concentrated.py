"""Zero-concentrated differential privacy as a profile."""

from dataclasses import dataclass
from functools import cached_property
from math import expm1, nextafter, sqrt
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.conversion.gaussian import GaussianProfile
from dalenius.conversion.profile import LARGEST, Guarantees, Lines, PrivacyProfile, check_size, mirrored
from dalenius.laws.law import Array

VALUES: Final = 600
"""Of ε, at which the profile bounds f: any number of them is sound."""
DEEPEST: Final = 700.0
"""Minus the log of the least δ among them."""


@final
@dataclass(frozen=True)
class ZeroConcentrated(PrivacyProfile):
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
        rho = steps**2 * self.rho * (1 + 4 * UNIT)
        return ZeroConcentrated(rho) if rho <= LARGEST else None

    def delta(self, epsilon: float) -> float:
        if epsilon < 0:
            return mirrored(epsilon, self.delta(-epsilon))
        return float(self.delta_at(np.array([epsilon]))[0])

    def delta_at(self, epsilons: Array) -> Array:
        found = self._delta(np.abs(epsilons))
        if not (epsilons < 0).any():
            return found
        return np.array(
            [mirrored(e, d) if e < 0 else d for e, d in zip(epsilons.tolist(), found.tolist(), strict=True)]
        )

    def tangents(self, at: Array) -> Lines:
        return self.guarantees.tangents(at)

    def attained(self, at: Array) -> Array:
        return self.guarantees.attained(at)

    @property
    def within(self) -> GaussianProfile:  # type: ignore[override]
        """Gaussian noise."""
        return GaussianProfile(nextafter(sqrt(2 * self.rho), 0.0))

    @cached_property
    def guarantees(self) -> Guarantees:
        """δ at many ε."""
        epsilons = (self.rho + 2 * sqrt(self.rho * DEEPEST)) * np.linspace(0.0, 1.0, VALUES) ** 1.5
        deltas = np.minimum.accumulate(self._delta(epsilons))
        return Guarantees(tuple(epsilons.tolist()), tuple(deltas.tolist()))

    def _delta(self, epsilons: Array) -> Array:
        """At ε >= 0, with the α where the bound's derivative (2α−1)ρ − ε + log(1−1/α), which rises, is 0."""
        low = np.zeros(len(epsilons))
        high = (epsilons + 1) / (2 * self.rho) + 2
        for _ in range(90):
            middle = (low + high) / 2
            with np.errstate(divide="ignore"):
                up = (2 * middle + 1) * self.rho - epsilons + np.log(middle / (1 + middle)) > 0
            low, high = np.where(up, low, middle), np.where(up, middle, high)
        beyond = np.maximum(high, 1e-12)  # α − 1; any of them is sound
        alpha = 1 + beyond
        parts = beyond * alpha * self.rho, -beyond * epsilons, -np.log(beyond), -alpha * np.log1p(1 / beyond)
        size = sum(np.abs(part) for part in parts)
        found = np.exp(np.minimum(sum(parts) + 16 * UNIT * (1 + size), 1.0)) + 5e-324
        variation = min(sqrt(self.rho / 2), sqrt(-expm1(-self.rho))) * (1 + 8 * UNIT)
        return np.asarray(np.minimum(found, min(variation, 1.0)))
