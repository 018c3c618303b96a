"""Noise for whatever the adversary believed before: λ = max(Θ/ln(1+β), -Θ/ln(1-α)) (DI Thm 2)."""

from typing import ClassVar, final

from dalenius.calibration.absent.absent import absences_of, hidden
from dalenius.calibration.method import Calibration, Method
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.notions import Notion


@final
class PriorFreeMethod(Method):
    """Two answers differ by at most Θ, so likelihoods by a factor of at most e^{Θ/λ}, and a posterior over its prior, a
    likelihood over a mean of likelihoods, is within the same factor of 1."""

    name: ClassVar[str] = "prior_free"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        absences = absences_of(release)
        if notion.log_ratio_bounds is None:
            raise InputError("notion.kind", notion.kind, "identifiability")
        notion.check(release)
        theta = max(missing.everybody.sensitivity for missing in absences)
        allowed = min(notion.log_ratio_bounds)
        why = "it holds whatever the adversary believed before (DI Thm 2)"
        return hidden(self.name, why, release, notion, theta / allowed, {})
