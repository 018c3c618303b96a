"""How precise answers are: the interval of each released one, and whether it says more than the model did already."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel import Release, possible_range
from dalenius.channel.finite.answers import Marginal
from dalenius.noise.intervals import missed, outward

CONFIDENCE: Final = 0.95


@final
@dataclass(frozen=True)
class Precision:
    """intervals: for each answer alone where the exact one lies, in the query's unit, with that confidence; None where
    the noise does not say. advice: what they are worth, where they say less than the model does."""

    confidence: float
    intervals: tuple[Enclosure | None, ...]
    advice: str | None = None


def precision(
    release: Release, answers: Sequence[Fraction | str], confidence: float = CONFIDENCE, advice: str | None = None
) -> Precision:
    """Of answers that the release's noise gave. Ends that the noise leaves open are those of the possible answers,
    where these are known. InputError for a confidence outside (0, 1)."""
    missed(confidence)
    noise, steps = release.noise, release.lattice.steps
    found = []
    for axis, (answer, step) in enumerate(zip(answers, steps, strict=True)):
        interval = noise.interval(answer, confidence, step)
        found.append(None if interval is None else _closed(interval, release, axis))
    return Precision(confidence, tuple(found), advice)


def advice(release: Release, confidence: float = CONFIDENCE) -> str | None:
    """Whether an answer's interval will be wider than the range that holds the exact one with the same probability
    under the model, whatever is released: one line about the first such coordinate, or None. Looks at no data.

    The interval is that of an output at the median. Where there are several laws, their ranges together.
    """
    missed(confidence)
    lines = [_line(release, name, laws, confidence) for name, laws in _by_name(release).items()]
    found = [line for line in lines if line is not None]
    if not found:
        return None
    return found[0] + (f" (one of {len(found)} such answers)" if len(found) > 1 else "")


def _by_name(release: Release) -> dict[str, list[Marginal]]:
    found: dict[str, list[Marginal]] = {}
    for world in release.record_worlds:
        for law in world.marginals(quickly=True):
            found.setdefault(law.name, []).append(law)
    return found


def _line(release: Release, name: str, laws: Sequence[Marginal], confidence: float) -> str | None:
    ranges = [_central(law, 1 - confidence) for law in laws]
    step, noise = laws[0].step, release.noise
    low, high = min(each[0] for each in ranges) * step, max(each[2] for each in ranges) * step
    middle = ranges[0][1] * step
    interval = noise.interval(middle, confidence, step)
    if interval is None:
        return None
    lower, upper = _closed(interval, release, release.names.index(name))
    if upper - lower <= high - low:
        return None
    shown = f"± {upper - float(middle):.6g}" if noise.additive else f"{lower:.6g} to {upper:.6g}"
    near = f"{name}: of answers near {float(middle):.6g}" if name else f"of answers near {float(middle):.6g}"
    expected = f"{float(low):.6g} to {float(high):.6g}"
    return f"{near}, {shown}: the interval is wider than the range the model expects, {expected}"


def _central(law: Marginal, rest: float) -> tuple[int, int, int]:
    """Lattice indices: below the first and above the last lies at most half of `rest` each; and the median."""
    sums = np.cumsum(law.masses)
    places = [int(np.searchsorted(sums, share * sums[-1])) for share in (rest / 2, 0.5, 1 - rest / 2)]
    low, middle, high = (law.start + min(place, len(sums) - 1) for place in places)
    return low, middle, high


def _closed(interval: Enclosure, release: Release, axis: int) -> Enclosure:
    if max(-interval.lower, interval.upper) < inf or (possible := possible_range(release, axis)) is None:
        return interval
    least, greatest = outward(*possible)
    lower = least if interval.lower == -inf else interval.lower
    upper = greatest if interval.upper == inf else interval.upper
    return Enclosure(lower, upper) if lower <= upper else interval
