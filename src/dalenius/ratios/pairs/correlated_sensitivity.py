"""Noise in proportion to how records are correlated (Zhu, Xiong, Li, Zhou 2015); for comparison only."""

from typing import ClassVar, final

import numpy as np

from dalenius.bounds import near_to_digits
from dalenius.calibration.method import Calibration, Method, achieved
from dalenius.calibration.theorem import check
from dalenius.channel import Release
from dalenius.channel.pairs import Pairs
from dalenius.errors import InputError
from dalenius.laws.law import Array
from dalenius.noise import Noise, NoNoise
from dalenius.noise.scaled import DIGITS
from dalenius.notions import Notion
from dalenius.ratios.pairs.pairs import all_pairs


@final
class CorrelatedSensitivityMethod(Method):
    """Scale max_i Σ_j |δ_ij| ΔQ_j / ε, δ_ii = 1.

    The paper leaves the degree of correlation δ_ij open; here it is Pearson's coefficient of the two records' scores.
    No guarantee: uncorrelated records may determine each other, and the joint law of the others matters.
    """

    name: ClassVar[str] = "correlated_sensitivity"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        pairs = all_pairs(self.name, release)
        if any(np.isnan(each.prior).any() for each in pairs):
            raise InputError("model.prior", "missing", "the marginal of a record, which no law of a pair says")
        largest = max([float(release.sensitivity), *(_largest_sum(each) for each in pairs)])
        noise: Noise = release.noise.with_scale(near_to_digits(largest / epsilon, DIGITS)) if largest else NoNoise()
        why = "no theorem promises anything (δ: Pearson correlation of the records' scores)"
        return achieved(self.name, False, why, release, notion, noise)


def _largest_sum(pairs: Pairs) -> float:
    others = np.bincount(
        pairs.first, pairs.times * correlations(pairs) * (pairs.high - pairs.low), minlength=len(pairs.move)
    )
    return float(np.max(pairs.move + others))


def correlations(pairs: Pairs) -> Array:
    """|δ_ij| of every pair (pairs,); 0 where a score is constant."""
    prior, own = pairs.prior[pairs.first], pairs.scores[pairs.first]
    centred = own - (prior * own).sum(axis=1, keepdims=True)
    given = pairs.laws @ pairs.points
    law = (prior[:, :, None] * pairs.laws).sum(axis=1)
    mean = law @ pairs.points
    covariance = (prior * centred * (given - mean[:, None])).sum(axis=1)
    # Deviations one by one: the product of two variances may be below the range of doubles.
    theirs = np.sqrt((law * (pairs.points - mean[:, None]) ** 2).sum(axis=1))
    spread = theirs * np.sqrt((prior * centred**2).sum(axis=1))
    return np.asarray(np.minimum(np.abs(covariance) / np.where(spread > 0, spread, np.inf), 1.0))
