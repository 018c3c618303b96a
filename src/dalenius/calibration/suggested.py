"""Which promise would add noise, where the one that was made adds none."""

from typing import Final

from dalenius.bounds import down_to_digits
from dalenius.calibration.method import Calibration, default_noise
from dalenius.channel import Release
from dalenius.notions import Notion

DIGITS: Final = 6


def noised_by(release: Release, notion: Notion, calibration: Calibration) -> str:
    """The cheapest promise under which no answer goes out exactly, in words: of the same notion, one of less than the
    exact answer leaks, where noise is calibrated and it leaks at all; or the differential one of the same epsilon,
    whose noise is never none."""
    epsilon = notion.epsilon or 1.0
    noise = default_noise(release.lattice)
    scale = noise.scale_for(release.sensitivity, epsilon)
    differential = f"differential epsilon = {epsilon:g} ({noise.kind}, scale {scale:.6g})"
    own = down_to_digits(calibration.leakage.lower, DIGITS)
    if release.noise.is_complete:
        return f"the cheapest promise that adds noise, without that section [noise], is {differential}"
    if own <= 0:
        return f"the cheapest promise that adds noise is {differential}"
    return f"the cheapest promise that adds noise is {notion.kind} epsilon below {own:g}, or {differential}"
