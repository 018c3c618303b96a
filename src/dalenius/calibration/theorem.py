"""What a theorem about inferential privacy implies for the notion that was asked for."""

from math import inf

from dalenius.calibration.method import Calibration, achieved, check_noise, check_records_notion, promised, unserved
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Noise
from dalenius.notions import Notion


def check(release: Release, notion: Notion) -> float:
    """The promised epsilon. InputError unless the noise is Laplace's or geometric and records have finitely many
    values, as the theorems assume."""
    check_records_notion(notion)
    epsilon = promised(notion)
    check_noise(release.noise)
    if release.real:
        raise InputError("model.kind", "gaussian", "a model of records with finitely many values")
    return epsilon


def judged(name: str, sound: bool, why: str, release: Release, notion: Notion, noise: Noise) -> Calibration:
    """The calibration that adds this noise. sound: whether a theorem proves it inferentially private; why: how, or not.

    Differential privacy and notions that hold for any background knowledge do not follow from that; they hold where the
    noise hides one record, or a whole independent group.
    """
    if notion.implied_by != "inferential":
        sound, why = _directly(release, notion, noise)
    return achieved(name, sound, why, release, notion, noise)


def _directly(release: Release, notion: Notion, noise: Noise) -> tuple[bool, str]:
    match notion.implied_by:
        case "record":
            distance, hidden = release.sensitivity, "one record"
        case "group":
            distance, hidden = release.group_sensitivity[0], "a whole independent group"
        case _:
            return False, unserved(notion)
    scale = inf if not distance else noise.scale or 0.0
    if not distance or scale >= release.noise.scale_for(distance, promised(notion)):
        return True, f"the noise hides {hidden}, which is enough for {notion.kind} privacy"
    return False, f"{notion.kind} privacy needs noise that hides {hidden}, and this is less"
