"""Noise for what each record reveals of each other one, pair by pair (DDP Eq 14 and Thm 9; unsound: errata E2)."""

from collections.abc import Sequence
from typing import ClassVar, final

import numpy as np

from dalenius.calibration.method import Calibration, Method, scale_hiding
from dalenius.calibration.theorem import check, judged
from dalenius.channel import Release
from dalenius.channel.pairs import Pairs
from dalenius.errors import TooLarge
from dalenius.laws.law import Array
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.ratios.pairs.fixed_point import Influence, dependent_scale
from dalenius.ratios.pairs.pairs import all_pairs

MOST_TERMS = 5e7


@final
class DependenceCoefficientMethod(Method):
    """Scale DS/ε, DS = max_i Σ_j ρ_ij ΔQ_j, ρ_ii = 1, with the exact coefficient of every pair: ρ_ij ΔQ_j/σ is the
    worst log-ratio of the noisy score of j given two values of X_i, at the scale σ = DS/ε itself (a fixed point).

    Not sound in general: the joint law of the others matters, not that of each (E2). Sound where records are
    independent: then it is `independent`.
    """

    name: ClassVar[str] = "dependence_coefficient"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        check(release, notion)
        pairs = all_pairs(self.name, release)
        return by_coefficients(self.name, pairs, exact_coefficient, "", release, notion)


def by_coefficients(
    name: str, pairs: Sequence[Pairs], influence: Influence, also: str, release: Release, notion: Notion
) -> Calibration:
    """The fixed point of σ = DS/ε. also: appended to `why`."""
    epsilon = check(release, notion)
    own, (_, size) = release.sensitivity, release.group_sensitivity
    if not own:
        return judged(name, True, "the answer is constant", release, notion, NoNoise())
    if size == 1:
        why = "every record is independent of all others, and no coefficient is added" + also
        noise = release.noise.with_scale(scale_hiding(release, own, notion))
        return judged(name, True, why, release, notion, noise)
    noise = release.noise.with_scale(dependent_scale(pairs, influence, float(own), epsilon))
    why = f"the joint law of the others matters, not that of each alone (errata E2){also}"
    return judged(name, False, why, release, notion, noise)


def exact_coefficient(laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array:
    """ρ_ij ΔQ_j/σ of DDP Eq 14: the supremum over outputs is at a point of the support (Result 3.1)."""
    if laws.size * len(points) > MOST_TERMS:
        shown = f"{len(laws)} pairs of records with {len(points)} scores"
        raise TooLarge("dependence coefficients", shown, "use coarser values, or the group method")
    with np.errstate(divide="ignore"):
        logs = np.log(laws)
    falls = -np.abs(points[:, None] - points) / scale
    noisy = np.stack([np.logaddexp.reduce(logs + row, axis=2) for row in falls], axis=2)
    return np.asarray((noisy.max(axis=1) - noisy.min(axis=1)).max(axis=1))
