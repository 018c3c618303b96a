"""Gaussian noise for a whole independent group: (ε, δ)-differential privacy, whatever the law (Balle and Wang 2018)."""

from typing import ClassVar, final

from dalenius.calibration.method import Calibration, Method, achieved, proven, scale_hiding
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Gaussian, NoNoise
from dalenius.notions import Notion


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
