"""The comonotone bound where no joint law is known: every channel is already bounded so."""

from typing import Final

from dalenius.bounds import Enclosure, largest
from dalenius.calibration.search import least_scale
from dalenius.channel import Release

NOTHING: Final = Enclosure(0.0, 0.0)


def least_for_pairs(release: Release, epsilon: float, start: float) -> float:
    """The least scale at which no log-ratio of likelihoods exceeds epsilon, for all joint laws with the known pairs."""

    def leaked(scale: float) -> float:
        found = NOTHING
        for channel in release.with_noise(release.noise.with_scale(scale)).all_channels():
            found = largest(found, channel.ratio().value)
        return found.upper

    return least_scale(leaked, epsilon, start)
