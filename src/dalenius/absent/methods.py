"""Methods that choose noise to hide who is absent, for any prior (DI Thm 2), for a least prior (DI Thm 3) or below ρ.

Each method reads off its theorem how far two people's likelihoods may be from each other, x = Θ/λ, and so the scale λ.
Take 100 people, one of whose absences moves a sum by Θ = 10, and α = β = ½. Then x = .405 whatever the prior is, and
.411 if it is uniform.

>>> from math import log
>>> [round(odds_ratio_bound(log(1.5), log(2), least), 3) for least in (0.0, 0.01)]
[0.405, 0.411]
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, final

from dalenius.absent.odds_bounds import odds_ratio_bound, posterior_odds_bound
from dalenius.absent.one_absent_model import Missing
from dalenius.absent.who_is_absent_channel import absences
from dalenius.bounds import UNIT, up_to_digits
from dalenius.calibration.method_base import SAME, Calibration, Method, achieved, check_noise, promised
from dalenius.calibration.translation import Translation
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Noise, NoNoise
from dalenius.noise.noise import SCALE_DIGITS
from dalenius.notions import Notion
from dalenius.queries import Sensitivities, Universe


def _beliefs(release: Release, notion: Notion, wanted: str, kept: bool) -> tuple[Missing, ...]:
    """Returns the release's beliefs about who is absent.

    Args:
        release: The release, whose secret must be who is absent.
        notion: The promise.
        wanted: The promise that the theorem is about, in words for the error.
        kept: Whether the promise has the bound that the theorem is about.

    Raises:
        InputError: If the secret is another, the noise does not fit, or `kept` is false.
    """
    # Because the theorems bound beliefs about who is absent, they say nothing about a record's value.
    if release.secret != "absence":
        raise InputError("model.kind", getattr(release.model, "kind", "another"), "absent")
    check_noise(release.noise)
    if not kept:
        raise InputError("notion.kind", notion.kind, wanted)
    notion.check(release)
    return absences(release)


def _hidden(
    name: str, why: str, release: Release, notion: Notion, scales: Iterable[float], **details: float
) -> Calibration:
    """The calibration of the largest scale, rounded up; no noise if the answer does not depend on who is absent."""
    # A maximum that two people share: the answer does not depend on who is absent.
    constant = not any(missing.everybody.sensitivity for missing in absences(release))
    scale = up_to_digits(max(scales) * (1 + 64 * UNIT), SCALE_DIGITS)
    noise: Noise = NoNoise() if constant else release.noise.with_scale(scale)
    found = achieved(name, True, SAME if constant else why, release, notion, noise)
    translation = translated(release, noise)
    further = {} if translation is None else translation.as_json()
    return replace(found, details={**details, **further}, translation=translation)


def translated(release: Release, noise: Noise) -> Translation | None:
    """Returns the noise of an absence release in terms of differential privacy, to be shown beside a calibration.

    Args:
        release: The release.
        noise: The noise that was chosen, with its scale.

    Returns:
        Θ, and Θ/scale; where the worst table is known, also its sensitivities. None where the secret is a record, or
        nothing is added.
    """
    # A record's secret is in the terms of differential privacy already, and no noise has no ε.
    if release.secret != "absence" or not noise.scale:
        return None
    theta = max(missing.everybody.sensitivity for missing in absences(release))
    worst = _worst_case(release)
    if worst is None:
        return Translation(theta, theta / noise.scale)
    presence = float(worst.presence)
    return Translation(theta, theta / noise.scale, float(worst.identifiability), presence, presence / noise.scale)


def _worst_case(release: Release) -> Sensitivities | None:
    """Returns the sensitivities over all tables of as many people; None where nothing bounds them."""
    # Because households of any size may be absent, no table of as many of them is the worst.
    if release.model.household_columns:
        return None
    people = max(missing.everybody.total for missing in absences(release))
    try:
        return release.query.worst_case(Universe(n=people))
    # A sum of numbers without public bounds has no worst table.
    except InputError:
        return None


@final
class PriorFreeMethod(Method):
    """The scale of DI Thm 2, which holds for every prior.

    Two answers differ by at most Θ, so likelihoods by a factor of at most e^{Θ/λ}. A posterior over its prior is a
    likelihood over a mean of likelihoods, and so within the same factor of 1.
    """

    name: ClassVar[str] = "prior_free"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        bounds = notion.properties.log_ratio_bounds or (0.0, 0.0)
        beliefs = _beliefs(release, notion, "identifiability", notion.properties.log_ratio_bounds is not None)
        why = "it holds whatever the adversary believed before (DI Thm 2)"
        scales = [missing.everybody.sensitivity / min(bounds) for missing in beliefs]
        return _hidden(self.name, why, release, notion, scales)


@final
class PriorDependentMethod(Method):
    """The scale of DI Thm 3, which reads the least positive prior.

    With x = Θ/λ, everybody's posterior over their prior p lies between 1/(p + e^x(1-p)) and 1/(p + e^{-x}(1-p)). The
    first rises in p and the second falls. So P_min, the least positive prior, is the worst on both sides, whatever the
    others are. A person with a prior of 0 is no secret and keeps it.
    """

    name: ClassVar[str] = "prior_dependent"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        bounds = notion.properties.log_ratio_bounds or (0.0, 0.0)
        beliefs = _beliefs(release, notion, "identifiability", notion.properties.log_ratio_bounds is not None)
        scales = [missing.span / odds_ratio_bound(*bounds, missing.prior.least) for missing in beliefs]
        least = min(float(missing.prior.least) for missing in beliefs)
        why = "it holds for every prior that gives each person at least P_min (DI Thm 3)"
        largest = _largest_prior(beliefs)
        return _hidden(self.name, why, release, notion, scales, least_prior=least, largest_prior=largest)


@final
class LeeCliftonMethod(Method):
    """Scale λ = Θ/ln((m-1)ρ/(1-ρ)) for m people and a uniform prior (Lee & Clifton 2012).

    Their proof says more. With x = Θ/λ the odds of a person with prior p rise to e^x p/(1-p) at the most. That rises in
    p, so P_max takes the place of 1/m for any prior.
    """

    name: ClassVar[str] = "lee_clifton"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        beliefs = _beliefs(release, notion, "rho", notion.properties.posterior_bound is not None)
        nats = promised(notion)
        scales = [missing.span / posterior_odds_bound(nats, missing.prior.greatest) for missing in beliefs]
        uniform = all(missing.prior.least == missing.prior.greatest for missing in beliefs)
        why = "the odds of nobody rise by more than Θ/λ (Lee and Clifton 2012"
        why += ")" if uniform else ", with the largest prior instead of 1/m)"
        return _hidden(self.name, why, release, notion, scales, largest_prior=_largest_prior(beliefs))


def _largest_prior(beliefs: Iterable[Missing]) -> float:
    """Returns P_max, the largest prior of anybody in any belief."""
    return max(float(missing.prior.greatest) for missing in beliefs)
