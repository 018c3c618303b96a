"""What a theorem about inferential privacy is worth for the notion that was asked for."""

from math import inf
from typing import Final

from dalenius.calibration.absent.absent import check_records_notion
from dalenius.calibration.method import Calibration, achieved, promised
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Geometric, Laplace, Noise
from dalenius.notions import (
    BayesianPrivacy,
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    NoiselessPrivacy,
    Notion,
    RelativeEntropyPrivacy,
)

FOLLOWING: Final = (
    InferentialPrivacy,
    InformationPrivacy,
    RelativeEntropyPrivacy,
    MutualInformationPrivacy,
    MinEntropyPrivacy,
)
"""Kept at epsilon wherever inferential privacy of epsilon, delta = 0, is (IP Prop 1; Smith 2009)."""


def check(release: Release, notion: Notion) -> float:
    """The promised epsilon. InputError unless the noise is Laplace's or geometric and records have finitely many
    values, which is what the theorems speak of."""
    check_records_notion(notion)
    epsilon = promised(notion)
    if not isinstance(release.noise, Laplace | Geometric):
        release.noise.with_scale(1.0)  # noise that has no scale says so itself
        raise InputError("noise.kind", release.noise.kind, "laplace or geometric")
    if release.real:
        raise InputError("model.kind", "gaussian", "a model of records with finitely many values")
    return epsilon


def judged(name: str, sound: bool, why: str, release: Release, notion: Notion, noise: Noise) -> Calibration:
    """The calibration that adds this noise. sound: whether a theorem proves it inferentially private; why: how, or not.

    Differential privacy and what is meant to hold whatever else the adversary knows do not follow from that; they hold
    where the noise hides one record, or a whole independent group.
    """
    told_nothing = isinstance(notion, NoiselessPrivacy) and notion.known_fraction == 0
    if not isinstance(notion, FOLLOWING) and not told_nothing:
        sound, why = _directly(release, notion, noise)
    return achieved(name, sound, why, release, notion, noise)


def _directly(release: Release, notion: Notion, noise: Noise) -> tuple[bool, str]:
    if isinstance(notion, DifferentialPrivacy):
        distance, hidden = release.sensitivity, "one record"
    elif isinstance(notion, BayesianPrivacy | NoiselessPrivacy):
        distance, hidden = release.group_sensitivity[0], "a whole independent group"
    else:
        return False, f"the theorem says nothing of {notion.kind} privacy"
    scale = inf if not distance else noise.scale or 0.0
    if not distance or scale >= release.noise.scale_for(distance, promised(notion)):
        return True, f"the noise hides {hidden}, which is enough for {notion.kind} privacy"
    return False, f"{notion.kind} privacy needs noise that hides {hidden}, and this is less"
