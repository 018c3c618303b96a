"""The privacy profile of zero-concentrated differential privacy."""

from dataclasses import dataclass
from functools import cached_property
from math import expm1, log, nextafter, sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bisection import bisected_all
from dalenius.bounds import UNIT
from dalenius.conversion.gaussian_profile import GaussianProfile
from dalenius.conversion.guarantee_profiles import GuaranteedProfile
from dalenius.conversion.limits import LARGEST_SIZE
from dalenius.conversion.profile import DeltaEnds, check_size, mirrored


@final
@dataclass(frozen=True)
class ZeroConcentrated(GuaranteedProfile):
    """The privacy profile of ρ-zero-concentrated differential privacy, as accountants of Gaussian noise report it.

    Upper ends hold for every pipeline with this ρ. Lower ends are of Gaussian noise with μ = √(2ρ), so there is a gap
    between them.

    Args:
        rho: ρ in nats, from 1e-12 to 1e6: every Rényi divergence of order α > 1 is at most αρ.

    Raises:
        InputError: For a `rho` outside 1e-12 .. 1e6.

    Example:
        >>> low, high = ZeroConcentrated(0.5).ends_at(np.array([1.0]))
        >>> low.round(6).tolist(), high.round(6).tolist()
        ([0.126937], [0.246846])

    Notes:
        The definition is Bun and Steinke's (2016). δ(ε) is at most e^{(α−1)(αρ−ε)}/(α−1)·(1−1/α)^α for every α > 1
        (Canonne, Kamath and Steinke 2020, Prop 12). δ(0), a total variation, is also at most √(ρ/2) (Pinsker) and
        √(1−e^{−ρ}) (Bretagnolle and Huber 1979).
    """

    kind: ClassVar[str] = "zcdp"
    rho: float

    def __post_init__(self) -> None:
        check_size("rho", self.rho)

    def of_group(self, steps: int) -> "ZeroConcentrated | None":
        """The profile between data sets that are several neighbours apart: ρ grows with the square of their distance.

        Args:
            steps: How many neighbours apart the data sets are, at least 1.

        Returns:
            The profile of `steps`² times ρ; None where that exceeds 1e6.
        """
        # Because concentrated losses grow with the square of the distance, a household of four has 16ρ.
        rho = steps**2 * self.rho * (1 + 4 * UNIT)
        return ZeroConcentrated(rho) if rho <= LARGEST_SIZE else None

    def ends_at(self, epsilons: Array) -> DeltaEnds:
        """δ(ε) from below, by Gaussian noise, and from above, by all bounds that are known.

        Args:
            epsilons: ε in nats, of either sign, shape (n,).

        Returns:
            Two arrays of shape (n,): lower ends and upper ends, probabilities.
        """
        logs = np.full(epsilons.shape, -np.inf)
        # Because no output has an infinite loss, δ is 0 there.
        finite = np.isfinite(epsilons)
        logs[finite] = self._logs(np.abs(epsilons[finite]))
        high = np.where(finite, np.minimum(np.exp(logs) * (1 + 8 * UNIT) + 5e-324, 1.0), 0.0)
        # Because rows and networks look at ε below 0 too: there one order of the data sets follows from the other.
        high = np.where(epsilons < 0, mirrored(np.minimum(epsilons, 0.0), high), high)
        return self.within.ends_at(epsilons)[0], high

    @property
    def within(self) -> GaussianProfile:  # type: ignore[override]
        """The profile of Gaussian noise with μ = √(2ρ), which has this ρ."""
        return GaussianProfile(nextafter(sqrt(2 * self.rho), 0.0))

    @cached_property
    def guarantees(self) -> tuple[tuple[float, float], ...]:
        """Pairs (ε, δ) that hold for every pipeline with this ρ, ε rising: 600 of them."""
        # Because any number of ε is sound; 700 is minus the log of the least δ among them.
        epsilons = (self.rho + 2 * sqrt(self.rho * 700.0)) * np.linspace(0.0, 1.0, 600) ** 1.5
        deltas = np.minimum.accumulate(self.ends_at(epsilons)[1])
        return tuple(zip(epsilons.tolist(), deltas.tolist(), strict=True))

    def _logs(self, epsilons: Array) -> Array:
        """Returns log δ from above at ε >= 0.

        α is where the bound's derivative (2α−1)ρ − ε + log(1−1/α), which rises, is 0.
        """

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
