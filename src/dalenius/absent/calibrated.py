"""What the methods for an absent person have in common (DI §6)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dalenius.absent.model import Missing
from dalenius.absent.world import absences
from dalenius.bounds import UNIT, up_to_digits
from dalenius.calibration.found import SAME, Translation
from dalenius.calibration.method import Calibration, achieved, check_noise
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Noise, NoNoise
from dalenius.noise.scaled import DIGITS
from dalenius.notions import Notion
from dalenius.queries import Sensitivities, Universe


def absences_of(release: Release) -> tuple[Missing, ...]:
    """The release's beliefs about who is absent. InputError where the secret is another, or the noise."""
    if not release.of_absence:
        raise InputError("model.kind", getattr(release.model, "kind", "another"), "absent")
    check_noise(release.noise)
    return absences(release)


def bounded_absences(release: Release, notion: Notion) -> tuple[tuple[Missing, ...], tuple[float, float]]:
    """The beliefs about who is absent, and the promised bounds of a posterior over its prior, in logs.

    InputError where the secret is another, the noise does not fit, or the promise has no such bounds.
    """
    beliefs = absences_of(release)
    if notion.log_ratio_bounds is None:
        raise InputError("notion.kind", notion.kind, "identifiability")
    notion.check(release)
    return beliefs, notion.log_ratio_bounds


def hidden(
    name: str, why: str, release: Release, notion: Notion, scale: float, details: Mapping[str, Any]
) -> Calibration:
    """The calibration of that scale, rounded up; none where the answer is the same whoever is absent."""
    constant = not any(missing.everybody.sensitivity for missing in absences(release))
    noise: Noise = NoNoise() if constant else release.noise.with_scale(up_to_digits(scale * (1 + 64 * UNIT), DIGITS))
    found = achieved(name, True, SAME if constant else why, release, notion, noise)
    translation = translated(release, noise)
    further = {} if translation is None else translation.as_json()
    return replace(found, details={**details, **further}, translation=translation)


def translated(release: Release, noise: Noise) -> Translation | None:
    """None where the secret is a record, or nothing is added."""
    if not release.of_absence or not noise.scale:
        return None
    theta = max(missing.everybody.sensitivity for missing in absences(release))
    worst = _worst_case(release)
    if worst is None:
        return Translation(theta, theta / noise.scale)
    presence = float(worst.presence)
    return Translation(theta, theta / noise.scale, float(worst.identifiability), presence, presence / noise.scale)


def _worst_case(release: Release) -> Sensitivities | None:
    """Over all tables of as many people; None where nothing bounds them."""
    if release.is_unasked:
        return None
    people = max(missing.everybody.total for missing in absences(release))
    try:
        return release.query.worst_case(Universe(n=people))
    except InputError:
        return None
