"""The most noise under which an answer is still as precise as wanted."""

from typing import Final

from dalenius.bounds import near_to_digits
from dalenius.calibration import half_widths
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Noise

DIGITS: Final = 9
STEPS: Final = 60
LEAST: Final = 1e-12


def noise_within(release: Release, within: float, confidence: float) -> Noise:
    """The release's kind of noise with the largest scale, to nine digits, of which the half-width is at most `within`.
    It looks at no data. InputError where there is none."""
    kind = release.noise
    if kind.is_complete:
        raise InputError("ask.noise", kind.kind, kind.instead)

    def fits(scale: float) -> bool:
        found = half_widths(release, kind.with_scale(scale), confidence).values()
        return all(each is not None and each <= within for each in found)

    high = within
    while not fits(high):
        high /= 2
        if high < LEAST * within:
            raise InputError("ask.within", within, f"a distance that {kind.kind} noise can keep to")
    while fits(2 * high):
        high *= 2
    low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    rounded = near_to_digits(low, DIGITS)
    return kind.with_scale(rounded if rounded <= low and fits(rounded) else near_to_digits(low * (1 - 2e-9), DIGITS))
