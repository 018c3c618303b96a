"""The least noise whose channel keeps the promise."""

from typing import ClassVar, final

from dalenius.calibration.bisection import least_scale
from dalenius.calibration.method import Calibration, Method, promised, scale_hiding
from dalenius.channel import Release
from dalenius.noise import NoNoise
from dalenius.notions import Leakage, Notion


@final
class ExactMethod(Method):
    """Bisection from above on the leakage itself.

    More noise never leaks more: Laplace and geometric noise of scale b₂ > b₁ is that of scale b₁ plus an independent
    variable (see those classes), so the channel at b₂ is a post-processing of the one at b₁, and every notion here
    obeys data processing. Hence the leakage falls in b, and the least b is where it comes down to ε. What is trusted
    is the leakage's upper end, so the promise holds whatever was rounded. Where the exact answer keeps the promise,
    no noise is added at all.
    """

    name: ClassVar[str] = "exact"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = promised(notion)
        bare = notion.leakage(release.with_noise(NoNoise()))
        if bare.upper <= epsilon:
            why = "the exact answer already keeps the promise under this model"
            return Calibration(self.name, True, why, NoNoise(), 0.0, bare)
        seen: dict[float, Leakage] = {}

        def upper(scale: float) -> float:
            if scale not in seen:
                seen[scale] = notion.leakage(release.with_noise(release.noise.with_scale(scale)))
            return seen[scale].upper

        distance, _ = release.group_sensitivity
        scale = least_scale(upper, epsilon, scale_hiding(release, distance, epsilon))
        noise = release.noise.with_scale(scale)
        why = "the leakage itself was computed, and a smaller scale exceeds epsilon"
        return Calibration(self.name, True, why, noise, noise.expected_error(release.lattice), seen[scale])
