"""The profiles of Gaussian noise, μ-Gaussian differential privacy (Dong, Roth and Su 2022), and of what is concentrated
like it (Bun and Steinke 2016).

Gaussian noise of μ = 1 has δ(1) = 0.127. It is also ρ-zero-concentrated with ρ = 1/2, and of all that is, no more is
known than δ(1) <= 0.247: the gap between what `ZeroConcentrated` bounds and attains.
"""

from dataclasses import dataclass
from functools import cached_property
from math import expm1, log, nextafter, pi, sqrt
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bisection import bisected_all
from dalenius.bounds import UNIT
from dalenius.conversion.guarantee_profiles import GuaranteedProfile
from dalenius.conversion.profile import LARGEST_SIZE, DeltaEnds, PrivacyProfile, Tangents, check_size, mirrored
from dalenius.laws.law_on_lattice import Array
from dalenius.special_functions import erfcx, log_ndtr, ndtri


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

    @property
    def normal(self) -> float:  # type: ignore[override]
        return self.mu

    def of_group(self, steps: int) -> "GaussianProfile | None":
        # Gaussian noise adds up in μ: a group of k differs k times as far.
        mu = steps * self.mu * (1 + 2 * UNIT)
        # A group of a million whose noise is for one of them: nothing is hidden, and doubles end.
        return GaussianProfile(mu) if mu <= LARGEST_SIZE else None

    def ends_at(self, epsilons: Array) -> DeltaEnds:
        low, high = gaussian_logs(self.mu, epsilons)
        return np.exp(low) * (1 - 8 * UNIT), np.minimum(np.exp(high) * (1 + 8 * UNIT) + 5e-324, 1.0)

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


_NEGLIGIBLE: Final = -40.0
"""Standard deviations: a normal tail beyond it is below the least double, and is bounded by e^{−a²/2} alone."""
_LARGE: Final = 5.0
"""Standard deviations, beyond which Mills' ratio may overflow, and δ is next to 1."""
_SMALL: Final = 1e-4
"""A μ below which two of Mills' ratios are next to each other: their difference is an integral then."""


def gaussian_logs(mu: float, epsilons: Array) -> DeltaEnds:
    """log δ(ε) of N(0, 1) against N(μ, 1), from below and above, at each ε in nats, of either sign.

    δ = φ(a)·(m(a) − m(b)) with a, b = −ε/μ ± μ/2 and m = Φ/φ (Balle and Wang 2018, Theorem 8, in logs). m and all its
    derivatives are positive: m(x) = ∫ e^{xs − s²/2} ds over s > 0. So a mean of m′ at the middle is below that
    difference over μ, and one at both ends is above.

    >>> gaussian_logs(1.0, np.array([6.548, 11.744]))[1].round(3).tolist()
    [-23.026, -69.079]
    """
    near, far = epsilons / mu, mu / 2
    above, below, spread = far - near, -far - near, np.abs(near) + far
    low, high = np.full(epsilons.shape, -np.inf), np.minimum(-np.square(np.minimum(above, 0.0)) / 2 + 1e-9, 0.0)
    faint, large = above < _NEGLIGIBLE, above > _LARGE
    here = ~(faint | large)
    if here.any():
        low[here], high[here] = _by_mills(mu, above[here], below[here], spread[here])
    if large.any():
        low[large], high[large] = _by_tails(epsilons[large], above[large], below[large], spread[large])
    return low, np.minimum(high, 0.0)


def _by_mills(mu: float, above: Array, below: Array, spread: Array) -> DeltaEnds:
    one, other = _mills(above), _mills(below)
    if mu < _SMALL:
        middle = (above + below) / 2
        # 1 + x m(x), which is 1/x² far out: the roundings of the sum are absolute.
        ends = [1 + x * _mills(x) for x in (middle, above, below)]
        off = 64 * UNIT * (1 + np.abs(below) * _mills(below))
        least, most = mu * np.maximum(ends[0] - off, 0.0), mu * ((ends[1] + ends[2]) / 2 + off)
    else:
        off = 32 * UNIT * (one + other) + 8 * UNIT * spread
        least, most = np.maximum(one - other - off, 0.0), one - other + off
    common = -np.square(above) / 2 - log(2 * pi) / 2
    with np.errstate(divide="ignore"):
        low, high = common + np.log(least), common + np.log(most)
    error = UNIT * (16 * (2 + np.abs(high)) + 8 * np.abs(above) * spread)
    return low - error, high + error


def _by_tails(epsilons: Array, above: Array, below: Array, spread: Array) -> DeltaEnds:
    one, other = log_ndtr(above), epsilons + log_ndtr(below)
    error = UNIT * (
        32 * (1 + np.abs(one) + np.abs(other) + np.abs(epsilons)) + 8 * spread * (2 + np.maximum(-below, 0.0))
    )
    with np.errstate(divide="ignore"):
        low, high = (
            one + side * error + np.log(-np.expm1(np.minimum(other - one - side * 2 * error, 0.0))) for side in (-1, 1)
        )
    return low, high


def _mills(x: Array) -> Array:
    """Φ(x)/φ(x)."""
    return np.asarray(sqrt(pi / 2) * erfcx(-x / sqrt(2)))


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

    def ends_at(self, epsilons: Array) -> DeltaEnds:
        """δ at ε of either sign: from above by all that is known, from below by Gaussian noise."""
        logs = np.full(epsilons.shape, -np.inf)
        # Because no output has an infinite loss: there δ is 0.
        finite = np.isfinite(epsilons)
        logs[finite] = self._logs(np.abs(epsilons[finite]))
        high = np.where(finite, np.minimum(np.exp(logs) * (1 + 8 * UNIT) + 5e-324, 1.0), 0.0)
        # Because rows and networks look at ε below 0 too: there one order of the data sets follows from the other.
        high = np.where(epsilons < 0, mirrored(np.minimum(epsilons, 0.0), high), high)
        return self.within.ends_at(epsilons)[0], high

    @property
    def within(self) -> GaussianProfile:  # type: ignore[override]
        """Gaussian noise."""
        return GaussianProfile(nextafter(sqrt(2 * self.rho), 0.0))

    @cached_property
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        """δ at many ε."""
        # 700 is minus the log of the least δ among them; any number of ε is sound.
        epsilons = (self.rho + 2 * sqrt(self.rho * 700.0)) * np.linspace(0.0, 1.0, 600) ** 1.5
        deltas = np.minimum.accumulate(self.ends_at(epsilons)[1])
        return tuple(zip(epsilons.tolist(), deltas.tolist(), strict=True))

    def _logs(self, epsilons: Array) -> Array:
        """log δ from above at ε >= 0, with the α where the bound's derivative (2α−1)ρ − ε + log(1−1/α), which rises,
        is 0."""

        def falls(beyond: Array) -> NDArray[np.bool_]:
            with np.errstate(divide="ignore"):
                slope = (2 * beyond + 1) * self.rho - epsilons + np.log(beyond / (1 + beyond))
            return np.asarray(slope <= 0)

        _, high = bisected_all(falls, np.zeros(len(epsilons)), (epsilons + 1) / (2 * self.rho) + 2, 90)
        beyond = np.maximum(high, 1e-12)  # α − 1; any of them is sound
        alpha = 1 + beyond
        parts = beyond * alpha * self.rho, -beyond * epsilons, -np.log(beyond), -alpha * np.log1p(1 / beyond)
        size = sum(np.abs(part) for part in parts)
        variation = min(log(self.rho / 2) / 2, log(-expm1(-self.rho)) / 2) + 16 * UNIT * (1 + abs(log(self.rho)))
        return np.asarray(np.minimum(sum(parts) + 16 * UNIT * (1 + size), min(variation, 0.0)))
