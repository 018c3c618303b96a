"""Bayesian differential privacy of jointly normal records (after Lange et al. 2025; Result 5.7).

Let m records at most depend on each other, all of one variance, with correlations of at most ρ < 1/(m - 2) in size. Any
of them may be known. A record that moves by 1 moves the mean of the unknown others by at most κ = (m - 1)/(1/ρ - m + 2)
in sum. Otherwise it leaves their law as it is. So a sum moves by 1 + κ, whatever is known.

Ten incomes of relatives with correlations of .1 at most: κ is 4.5.

>>> round(float(shift_of_others(10, 0.1)), 6), float(shift_of_others(2, 0.5)), float(shift_of_others(1, 0.0))
(4.5, 0.5, 0.0)
"""

from fractions import Fraction
from typing import ClassVar, Final, final

import numpy as np

from dalenius.calibration.method_base import Calibration, Method, achieved, promised, proven, scale_hiding
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.gaussian.channel import GaussianWorld
from dalenius.gaussian.model import GaussianLaw
from dalenius.noise import NoNoise
from dalenius.notions import Notion

_EQUAL: Final = 1e-9
"""Relative difference of variances that are taken as equal: it is counted."""


@final
class BayesianGaussianMethod(Method):
    """The scale (1 + κ)Δ/ε, or the σ that hides (1 + κ)Δ, κ = (m - 1)/(1/ρ - m + 2).

    It is sound for a sum, or a mean, of records of one variance whose correlations are below 1/(m - 2) in size.
    Elsewhere it does not apply.
    """

    name: ClassVar[str] = "bdp_gaussian"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the scale for the `notion` on the `release`; InputError where a hypothesis fails."""
        promised(notion)
        shift, sizes = Fraction(0), list[str]()
        for world in release.worlds:
            if not isinstance(world, GaussianWorld):
                raise InputError("model.kind", getattr(release.model, "kind", "another"), "gaussian")
            self._check_sum(world)
            size, correlation = world.group_size, largest_correlation(world.records)
            shift = max(shift, shift_of_others(size, correlation))
            sizes.append(f"at most {size} records depend on each other, with correlations of at most {correlation:.4g}")
        why = f"{sizes[0]}, so that a record moves the mean of the others by at most {float(shift):.4g} of its own move"
        distance = release.sensitivity * (1 + shift)
        noise = release.noise.with_scale(scale_hiding(release, distance, notion)) if distance else NoNoise()
        return achieved(self.name, *proven(True, why, notion), release, notion, noise)

    def _check_sum(self, world: GaussianWorld) -> None:
        """Raises InputError unless the answer is one sum, of equal weights, of records of equal variance."""
        weights = {abs(each) for row in world.weights for each in row}
        if len(world.weights) > 1 or len(weights) > 1:
            raise InputError("method", self.name, "one sum or mean of all records, each with the same weight")
        variances = np.diag(world.records.covariance)
        if not np.all(variances > 0) or np.ptp(variances) > _EQUAL * float(np.max(variances)):
            raise InputError("method", self.name, "unknown records that all have the same variance")


def largest_correlation(law: GaussianLaw) -> float:
    """Returns the largest size of a correlation of two records under the `law`, rounded up."""
    deviations = np.sqrt(np.diag(law.covariance))
    found = np.abs(law.covariance / deviations[:, None] / deviations)
    np.fill_diagonal(found, 0.0)
    worst = float(np.max(found, initial=0.0))
    return worst * (1 + 4 * _EQUAL) if worst else 0.0


def shift_of_others(size: int, correlation: float) -> Fraction:
    """Returns κ for groups of `size` records with correlations up to `correlation` in size, rounded up.

    InputError where 1/ρ - m + 2 is not above 0.
    """
    if size == 1 or not correlation:
        return Fraction(0)
    rho = Fraction(correlation)
    left = 1 / rho - size + 2
    if left <= 0:
        shown = f"correlations up to {correlation:.4g} in groups of {size}"
        raise InputError("model.covariance", shown, f"correlations below 1/{size - 2} in size")
    return (size - 1) / left
