"""Noise for what the adversary believed before, by the least likely person's prior (DI Thm 3)."""

from typing import ClassVar, final

from dalenius.absent.calibrated import bounded_absences, hidden
from dalenius.absent.closed_forms import apart
from dalenius.calibration.method import Calibration, Method
from dalenius.channel import Release
from dalenius.notions import Notion


@final
class PriorDependentMethod(Method):
    """With x = Θ/λ, everybody's posterior over their prior p lies between 1/(p + e^x(1-p)) and 1/(p + e^{-x}(1-p)). The
    first rises in p and the second falls: P_min, the least positive prior, is the worst on both sides, whatever the
    others are. Whoever has a prior of 0 is no secret and keeps it."""

    name: ClassVar[str] = "prior_dependent"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        absences, bounds = bounded_absences(release, notion)
        scales = [missing.span / apart(*bounds, missing.prior.least) for missing in absences]
        details = {
            "least_prior": min(float(missing.prior.least) for missing in absences),
            "largest_prior": max(float(missing.prior.greatest) for missing in absences),
        }
        why = "it holds for every prior that gives nobody less than P_min (DI Thm 3)"
        return hidden(self.name, why, release, notion, max(scales), details)
