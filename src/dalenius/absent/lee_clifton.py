"""Noise so that nobody's probability of being the absent one rises above ρ (Lee & Clifton 2012)."""

from fractions import Fraction
from math import expm1, log
from typing import ClassVar, final

from dalenius.absent.calibrated import absences_of, hidden
from dalenius.calibration.method import Calibration, Method, promised
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.notions import Notion


@final
class LeeCliftonMethod(Method):
    """λ = Θ/ln((m-1)ρ/(1-ρ)) for m people, a uniform prior. Their proof says more: with x = Θ/λ the odds of whoever has
    prior p rise to e^x p/(1-p) at the most, which rises in p, so that P_max takes the place of 1/m for any prior."""

    name: ClassVar[str] = "lee_clifton"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        absences = absences_of(release)
        if notion.posterior_bound is None:
            raise InputError("notion.kind", notion.kind, "rho")
        nats = promised(notion)
        notion.check(release)
        scales = [missing.span / odds_apart(nats, missing.prior.greatest) for missing in absences]
        uniform = all(missing.prior.least == missing.prior.greatest for missing in absences)
        why = "the odds of nobody rise by more than Θ/λ (Lee and Clifton 2012"
        why += ")" if uniform else ", with the largest prior instead of 1/m)"
        details = {"largest_prior": max(float(missing.prior.greatest) for missing in absences)}
        return hidden(self.name, why, release, notion, max(scales), details)


def odds_apart(nats: float, greatest: Fraction) -> float:
    """x = Θ/λ: by how much anybody's log-odds may rise where -ln(1 - posterior) may be so many nats, and nobody's prior
    is above `greatest`: ln[ρ(1-P)/((1-ρ)P)]."""
    return log(expm1(nats)) - log(greatest / (1 - greatest))
