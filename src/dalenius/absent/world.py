"""One belief about who is absent, and its channel.

Noise that hides who is absent: whatever was believed before (DI Thm 2), by the least likely (DI Thm 3), below ρ.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, final

from dalenius.absent.channel import AbsentChannel
from dalenius.absent.exponential_sums import odds_ratio_bound, posterior_odds_bound
from dalenius.absent.model import Missing
from dalenius.bounds import UNIT, up_to_digits
from dalenius.calibration.method import SAME, Calibration, Method, Translation, achieved, check_noise, promised
from dalenius.channel import Release
from dalenius.channel.secrets import Secrets
from dalenius.channel.world import ReleaseSettings, World
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise, NoNoise
from dalenius.noise.scaled import SCALE_DIGITS
from dalenius.notions import Notion
from dalenius.queries import Sensitivities, Universe


@final
class AbsentWorld(World):
    """The answers are those of the belief. InputError where [secrets] names records."""

    def __init__(self, missing: Missing, secrets: Secrets) -> None:
        self.missing = missing
        secrets.check_of_records("model absent")
        for key, given in (("people", secrets.people), ("pairs", secrets.pairs), ("stage", secrets.stage)):
            if given is not None:
                wanted = "no such key: with model absent the secret is who is absent"
                raise InputError(f"secrets.{key}", given if isinstance(given, str) else str(list(given)), wanted)

    @classmethod
    def of(cls, belief: Missing, question: ReleaseSettings) -> "AbsentWorld":
        return cls(belief, question.secrets)

    def channels(self, noise: Noise) -> Iterator[AbsentChannel]:
        """One channel for all people."""
        yield AbsentChannel(self.missing, noise)

    @property
    def lattice(self) -> Lattice | None:
        return self.missing.lattice

    @property
    def names(self) -> tuple[str, ...]:
        return ("",)

    @property
    def engines(self) -> list[tuple[str, str]]:
        classes, people = len(self.missing.offsets), self.missing.everybody.total
        return [("closed form", f"{classes:,} different answers of {people:,} people: extremes lie at the answers")]

    @property
    def sensitivity(self) -> Fraction:
        raise _of_records()

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        raise _of_records()

    @property
    def group_size(self) -> int:
        raise _of_records()

    @property
    def reach(self) -> Fraction:
        """Θ."""
        return Fraction(self.missing.span)


def absences(release: Release) -> tuple[Missing, ...]:
    """The beliefs about who is absent, where that is the secret; empty where records are the secrets."""
    return tuple(world.missing for world in release.worlds if isinstance(world, AbsentWorld))


def absent_channels(release: Release) -> Iterator[AbsentChannel]:
    """The channels of who is absent, for quantities that only they have."""
    for world in release.worlds:
        if isinstance(world, AbsentWorld):
            yield from world.channels(release.noise)


def _of_records() -> InputError:
    return InputError("model.kind", "absent", "a model of records here (or prior_free, prior_dependent, exact)")


def _absences_of(release: Release) -> tuple[Missing, ...]:
    """The release's beliefs about who is absent. InputError where the secret is another, or the noise."""
    if release.secret != "absence":
        raise InputError("model.kind", getattr(release.model, "kind", "another"), "absent")
    check_noise(release.noise)
    return absences(release)


def _bounded_absences(release: Release, notion: Notion) -> tuple[tuple[Missing, ...], tuple[float, float]]:
    """The beliefs about who is absent, and the promised bounds of a posterior over its prior, in logs.

    InputError where the secret is another, the noise does not fit, or the promise has no such bounds.
    """
    beliefs = _absences_of(release)
    if notion.log_ratio_bounds is None:
        raise InputError("notion.kind", notion.kind, "identifiability")
    notion.check(release)
    return beliefs, notion.log_ratio_bounds


def _hidden(
    name: str, why: str, release: Release, notion: Notion, scale: float, details: Mapping[str, Any]
) -> Calibration:
    """The calibration of that scale, rounded up; none where the answer is the same whoever is absent."""
    constant = not any(missing.everybody.sensitivity for missing in absences(release))
    noise: Noise = (
        NoNoise() if constant else release.noise.with_scale(up_to_digits(scale * (1 + 64 * UNIT), SCALE_DIGITS))
    )
    found = achieved(name, True, SAME if constant else why, release, notion, noise)
    translation = translated(release, noise)
    further = {} if translation is None else translation.as_json()
    return replace(found, details={**details, **further}, translation=translation)


def translated(release: Release, noise: Noise) -> Translation | None:
    """None where the secret is a record, or nothing is added."""
    if release.secret != "absence" or not noise.scale:
        return None
    theta = max(missing.everybody.sensitivity for missing in absences(release))
    worst = _worst_case(release)
    if worst is None:
        return Translation(theta, theta / noise.scale)
    presence = float(worst.presence)
    return Translation(theta, theta / noise.scale, float(worst.identifiability), presence, presence / noise.scale)


def _worst_case(release: Release) -> Sensitivities | None:
    """Over all tables of as many people; None where nothing bounds them."""
    people = max(missing.everybody.total for missing in absences(release))
    try:
        return release.query.worst_case(Universe(n=people))
    except InputError:
        return None


@final
class PriorFreeMethod(Method):
    """Two answers differ by at most Θ, so likelihoods by a factor of at most e^{Θ/λ}, and a posterior over its prior, a
    likelihood over a mean of likelihoods, is within the same factor of 1."""

    name: ClassVar[str] = "prior_free"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        absences, bounds = _bounded_absences(release, notion)
        theta = max(missing.everybody.sensitivity for missing in absences)
        why = "it holds whatever the adversary believed before (DI Thm 2)"
        return _hidden(self.name, why, release, notion, theta / min(bounds), {})


@final
class PriorDependentMethod(Method):
    """With x = Θ/λ, everybody's posterior over their prior p lies between 1/(p + e^x(1-p)) and 1/(p + e^{-x}(1-p)). The
    first rises in p and the second falls: P_min, the least positive prior, is the worst on both sides, whatever the
    others are. Whoever has a prior of 0 is no secret and keeps it."""

    name: ClassVar[str] = "prior_dependent"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        absences, bounds = _bounded_absences(release, notion)
        scales = [missing.span / odds_ratio_bound(*bounds, missing.prior.least) for missing in absences]
        details = {
            "least_prior": min(float(missing.prior.least) for missing in absences),
            "largest_prior": max(float(missing.prior.greatest) for missing in absences),
        }
        why = "it holds for every prior that gives nobody less than P_min (DI Thm 3)"
        return _hidden(self.name, why, release, notion, max(scales), details)


@final
class LeeCliftonMethod(Method):
    """λ = Θ/ln((m-1)ρ/(1-ρ)) for m people, a uniform prior. Their proof says more: with x = Θ/λ the odds of whoever has
    prior p rise to e^x p/(1-p) at the most, which rises in p, so that P_max takes the place of 1/m for any prior."""

    name: ClassVar[str] = "lee_clifton"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        absences = _absences_of(release)
        if notion.posterior_bound is None:
            raise InputError("notion.kind", notion.kind, "rho")
        nats = promised(notion)
        notion.check(release)
        scales = [missing.span / posterior_odds_bound(nats, missing.prior.greatest) for missing in absences]
        uniform = all(missing.prior.least == missing.prior.greatest for missing in absences)
        why = "the odds of nobody rise by more than Θ/λ (Lee and Clifton 2012"
        why += ")" if uniform else ", with the largest prior instead of 1/m)"
        details = {"largest_prior": max(float(missing.prior.greatest) for missing in absences)}
        return _hidden(self.name, why, release, notion, max(scales), details)
