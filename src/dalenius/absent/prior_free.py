"""Noise for whatever the adversary believed before: λ = max(Θ/ln(1+β), -Θ/ln(1-α)) (DI Thm 2)."""

from typing import ClassVar, final

from dalenius.absent.calibrated import bounded_absences, hidden
from dalenius.calibration.method import Calibration, Method
from dalenius.channel import Release
from dalenius.notions import Notion


@final
class PriorFreeMethod(Method):
    """Two answers differ by at most Θ, so likelihoods by a factor of at most e^{Θ/λ}, and a posterior over its prior, a
    likelihood over a mean of likelihoods, is within the same factor of 1."""

    name: ClassVar[str] = "prior_free"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        absences, bounds = bounded_absences(release, notion)
        theta = max(missing.everybody.sensitivity for missing in absences)
        why = "it holds whatever the adversary believed before (DI Thm 2)"
        return hidden(self.name, why, release, notion, theta / min(bounds), {})
