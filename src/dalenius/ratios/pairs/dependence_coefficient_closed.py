"""The dependence coefficient's closed form (DDP Eq 18; unsound: errata E2, and E3 for what it does not mean)."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from dalenius.calibration.method import Calibration, Method
from dalenius.calibration.theorem import check
from dalenius.channel import Release
from dalenius.laws.law import Array
from dalenius.notions import Notion
from dalenius.ratios.pairs.dependence_coefficient import by_coefficients
from dalenius.ratios.pairs.fixed_point import Influence, dependent_scale
from dalenius.ratios.pairs.pairs import all_pairs

Reading = Literal["fixed", "far"]
"""What "d*_j, the optimal solution to argmax ‖d_j - d*_j‖" is: one end of the range, or the end far from each d_j."""


@final
@dataclass(frozen=True)
class ClosedCoefficientMethod(Method):
    """As `dependence_coefficient`, with ρ_ij ΔQ_j/σ = max_s log Σ_d Pr[D_j = d | X_i = s] e^{|d - d*|/σ}.

    reading: of d*. `fixed`: an end of D_j's range, the worse of the two; `far`: the end far from each d, which for bits
    is always 1 away, so that every coefficient is 1. Never below the exact coefficient, and above 0 even for a record
    that is independent of X_i (E3). Sound where records are independent: no coefficient is added then.
    """

    name: ClassVar[str] = "dependence_coefficient_closed"

    reading: Reading = "fixed"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        pairs = all_pairs(self.name, release, every=True)
        own = float(release.sensitivity)
        also = ""
        if pairs and own:
            other: Reading = "far" if self.reading == "fixed" else "fixed"
            scale = dependent_scale(pairs, INFLUENCE[other], own, epsilon)
            also = f"; with d* read as {WORDS[other]}, the scale would be {scale:.6g} (errata E3)"
        return by_coefficients(self.name, pairs, INFLUENCE[self.reading], also, release, notion)


def fixed_end(laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array:
    """ρ_ij ΔQ_j/σ with d* one end of the range, the worse of the two."""
    return np.maximum(*(_influence(laws, np.abs(points - end[:, None]) / scale) for end in (low, high)))


def far_end(laws: Array, points: Array, low: Array, high: Array, scale: float) -> Array:
    """ρ_ij ΔQ_j/σ with d* the end far from each d."""
    far = np.maximum(np.abs(points - low[:, None]), np.abs(points - high[:, None]))
    return _influence(laws, far / scale)


def _influence(laws: Array, exponents: Array) -> Array:
    """max over s of log of the mean of e^exponent; exponents (kinds, v)."""
    with np.errstate(divide="ignore"):
        logs = np.log(laws)
    return np.asarray(np.logaddexp.reduce(logs + exponents[:, None], axis=2).max(axis=1))


INFLUENCE: dict[Reading, Influence] = {"fixed": fixed_end, "far": far_end}
WORDS: dict[Reading, str] = {"fixed": "one end of the range", "far": "the end far from each value"}
