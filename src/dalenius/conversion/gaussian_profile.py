"""The privacy profile of Gaussian noise, μ-Gaussian differential privacy (Dong, Roth and Su 2022).

Gaussian noise of μ = 1 has δ(1) = 0.127. It is also ρ-zero-concentrated with ρ = 1/2 (Bun and Steinke 2016). For all
pipelines with that ρ, δ(1) <= 0.247 is known: this is the gap between what `ZeroConcentrated` bounds and attains.
"""

from dataclasses import dataclass
from math import log, pi, sqrt
from typing import ClassVar, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.conversion.limits import LARGEST_SIZE
from dalenius.conversion.profile import DeltaEnds, PrivacyProfile, Tangents, check_size
from dalenius.special_functions import erfcx, log_ndtr, ndtri


@final
@dataclass(frozen=True)
class GaussianProfile(PrivacyProfile):
    """The privacy profile of Gaussian noise, μ-Gaussian differential privacy: N(0, 1) against N(μ, 1).

    Gaussian noise of standard deviation σ on an answer of L2-sensitivity Δ has μ = Δ/σ. Several such answers,
    adaptively chosen, have μ = √(Σ μ_i²) together.

    Args:
        mu: μ, how far one record moves the answer, in standard deviations of the noise; from 1e-12 to 1e6.

    Raises:
        InputError: For a `mu` outside 1e-12 .. 1e6.

    Example:
        >>> profile = GaussianProfile(1.0)
        >>> round(profile.delta(1.0), 6), profile.attained(np.array([0.1, 0.5])).round(6).tolist()
        (0.126937, [0.389144, 0.841345])

    Notes:
        δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) and f(b) = Φ(Φ⁻¹(b) + μ) (Dong, Roth and Su 2022; Balle and Wang 2018,
        Theorem 8).
    """

    kind: ClassVar[str] = "gaussian"
    mu: float

    def __post_init__(self) -> None:
        check_size("mu", self.mu)

    @property
    def normal(self) -> float:  # type: ignore[override]
        """μ itself, as this is the profile of Gaussian noise."""
        return self.mu

    def of_group(self, steps: int) -> "GaussianProfile | None":
        """The profile between data sets that are several neighbours apart: μ grows in proportion to their distance.

        Args:
            steps: How many neighbours apart the data sets are, at least 1.

        Returns:
            The profile of `steps` times μ; None where that exceeds 1e6.
        """
        # Because Gaussian noise adds up in μ, a group of k differs k times as far.
        mu = steps * self.mu * (1 + 2 * UNIT)
        # If a group of a million has noise for one of them, nothing is hidden, and doubles end.
        return GaussianProfile(mu) if mu <= LARGEST_SIZE else None

    def ends_at(self, epsilons: Array) -> DeltaEnds:
        """δ(ε) from below and from above; the two differ by rounding alone.

        Args:
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends and upper ends, probabilities.
        """
        low, high = gaussian_logs(self.mu, epsilons)
        return np.exp(low) * (1 - 8 * UNIT), np.minimum(np.exp(high) * (1 + 8 * UNIT) + 5e-324, 1.0)

    def tangents(self, at: Array) -> Tangents:
        """Lines that are nowhere below f, each close to f at one probability.

        Args:
            at: Probabilities b at which the lines are close to f(b), of any shape.

        Returns:
            The slopes and the intercepts of the lines, each of that shape.
        """
        # Because no normal quantile holds tests that flag never, or always; the line beside them is as good.
        with np.errstate(invalid="ignore"):
            z = ndtri(np.clip(at, 1e-300, 1 - 2**-53))
        steepest = 600.0  # of logs: beyond it doubles end
        slopes = np.exp(np.clip(-self.mu * z - self.mu**2 / 2, -steepest, steepest))
        logs = np.log(slopes)
        return slopes, self.delta_at(logs - 4 * UNIT * (1 + np.abs(logs)))

    def attained(self, at: Array) -> Array:
        """f(b) = Φ(Φ⁻¹(b) + μ), rounded down.

        Args:
            at: Probabilities b, of any shape.

        Returns:
            Lower bounds on f(b), of that shape; b itself where no double holds the quantile.
        """
        inner = np.clip(at, 1e-300, 1 - 2**-53)
        z = ndtri(inner)
        high = log_ndtr(z + self.mu)
        error = 64 * UNIT * (1 + z**2 + (z + self.mu) ** 2 + self.mu**2 + np.abs(high))
        found = np.where(at >= 1e-300, np.exp(high - error), at)
        return np.asarray(np.where(at >= 1, 1.0, np.clip(found, at, 1.0)))


_NEGLIGIBLE: Final = -40.0
"""The standard deviations beyond which a normal tail is below the least double, and e^{−a²/2} alone bounds it."""
_LARGE: Final = 5.0
"""The standard deviations beyond which Mills' ratio may overflow, and δ is next to 1."""
_SMALL: Final = 1e-4
"""A μ below which two of Mills' ratios are next to each other: their difference is an integral then."""


def gaussian_logs(mu: float, epsilons: Array) -> DeltaEnds:
    """log δ(ε) of N(0, 1) against N(μ, 1), from below and from above.

    Args:
        mu: μ, in standard deviations.
        epsilons: ε in nats, of either sign, shape (n,).

    Returns:
        Two arrays of shape (n,): lower ends and upper ends of log δ(ε).

    Example:
        >>> gaussian_logs(1.0, np.array([6.548, 11.744]))[1].round(3).tolist()
        [-23.026, -69.079]

    Notes:
        δ = φ(a)·(m(a) − m(b)) with a, b = −ε/μ ± μ/2 and m = Φ/φ (Balle and Wang 2018, Theorem 8, in logs). m and all
        its derivatives are positive: m(x) = ∫ e^{xs − s²/2} ds over s > 0. So m′ at the middle is below that difference
        over μ, and the mean of m′ at both ends is above it.
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
        # Because 1 + x m(x) is 1/x² far out, where the roundings of the sum are absolute.
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
    """Returns Φ(x)/φ(x)."""
    return np.asarray(sqrt(pi / 2) * erfcx(-x / sqrt(2)))
