"""Noise as if every record were independent, for a whole group at once, and Gaussian noise for a group."""

from typing import ClassVar, final

from dalenius.calibration.method import (
    Calibration,
    Method,
    achieved,
    check_records_notion,
    proven,
    scale_hiding,
    scaled,
)
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Gaussian, NoNoise
from dalenius.notions import Notion


@final
class IndependentMethod(Method):
    """What today's libraries do. Sound where records are independent, or where the promise is differential privacy."""

    name: ClassVar[str] = "independent"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        check_records_notion(notion)
        size = release.group_size
        sound = size == 1 or not notion.of_the_model
        if not notion.of_the_model:
            why = "differential privacy speaks of neighbouring data sets, not of what records reveal about each other"
        elif sound:
            why = "every record is independent of all others (IDP Prop 2, IP Prop 4)"
        else:
            why = f"records depend on each other in groups of up to {size}"
        return scaled(self.name, sound, why, release, notion, release.sensitivity)


@final
class GroupMethod(Method):
    """Sound where each record is independent of *the vector* of all records outside its group (pairwise is not enough:
    Theory §11, E1), which the model's groups are by construction. kΔ is the most a whole group can move the answer."""

    name: ClassVar[str] = "group"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        check_records_notion(notion)
        distance, size = release.group_sensitivity
        why = f"each record is independent of the vector of all outside its group of at most {size}"
        return scaled(self.name, True, why, release, notion, distance)


@final
class GaussianMethod(Method):
    """The least σ that keeps (ε, δ) for the most one group can move the answer: the exact privacy profile of Gaussian
    noise, not c² > 2 ln(1.25/δ) (Theory §7). As `group`, with the promise's δ, whatever noise the spec names."""

    name: ClassVar[str] = "gaussian"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        if not notion.promised_delta:
            raise InputError("notion.delta", notion.promised_delta or "missing", "a number above 0 beside epsilon")
        distance, size = release.group_sensitivity
        normal = release.with_noise(Gaussian(scale=1.0))
        noise = Gaussian(scale=scale_hiding(normal, distance, notion)) if distance else NoNoise()
        why = f"each record is independent of the vector of all outside its group of at most {size}"
        return achieved(self.name, *proven(True, why, notion), normal, notion, noise)
