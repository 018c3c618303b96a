"""Geometric noise clamped to a range: scale and range of the least expected error (Result 8.2)."""

from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import near_to_digits, up_to_digits
from dalenius.calibration.found import Optimum
from dalenius.calibration.method import Calibration, Method, promised
from dalenius.calibration.optimal.answer_laws import AnswerLaws, laws_of
from dalenius.calibration.optimal.audited import confirmed
from dalenius.calibration.optimal.bound import quick_bound
from dalenius.calibration.optimal.clamped_ranges import SAME, Range, best_range, error_of, keeps
from dalenius.calibration.optimal.program import promise_of
from dalenius.channel import Release
from dalenius.noise import Clamped, Noise, NoNoise
from dalenius.noise.scaled import DIGITS
from dalenius.notions import Notion

LEAST: Final = 0.03
"""In lattice steps: geometric noise of this scale is nonzero once in 10^14."""
NEVER: Final = -640.0
"""Log-probability below which answers are merged into the last likelier one in the search, not in the audit."""
GRID: Final = 24
FINER: Final = 8
ROUNDS: Final = 3
SHARP: Final = 1e-9
MARGINS: Final = (1e-10, 1e-8, 1e-6)
"""By how much of epsilon the search stays below it, for the roundings that an audit must count."""


@final
class ClampedMethod(Method):
    """For each scale the best of all ranges, exactly (see `clamped_ranges`); the scales tried are 0, a grid up to noise
    that hides a whole group, finer ones where the error was least, and for ranges found there the least.

    More noise may leak more once clamped within the answers' range, so the leakage cannot be bisected and the scale is
    not proven least. With the answers' whole range it falls (Gupte and Sundararajan 2010), and the least scale for that
    range is among those tried, so that the error is never above the exact geometric's. With several models (`any`) all
    keep the promise, their average error guides the search, and the largest is reported. `lower_bound`: no mechanism of
    any kind has a smaller expected error.
    """

    name: ClassVar[str] = "clamped"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon, _ = promised(notion), promise_of(notion)
        laws = laws_of(release)
        bare = notion.leakage(release.with_noise(NoNoise()))
        if laws is None or bare.upper <= epsilon:
            why = "the exact answer already keeps the promise under this model"
            return Calibration(self.name, True, why, NoNoise(), 0.0, bare)
        found: dict[str, float] = {}
        laws = laws.within(NEVER)

        def choose(some: AnswerLaws, margin: float) -> Noise:
            best, ends = _searched(some, notion.model_copy(update={"epsilon": epsilon * (1 - margin)}), release)
            scale = up_to_digits(best * some.step, DIGITS) / some.step
            found["error"] = float(np.max(error_of(some, scale, ends.low, ends.high))) * some.step
            return _noise(some, scale, ends)

        noise, leakage = confirmed(release, notion, laws, bare, MARGINS, choose)
        why = "the leakage itself was computed, for the best range at each scale tried"
        first = laws.each[0].person if bare.witness is None else bare.witness.person
        bound = (quick_bound(laws.about({first}), notion) or 0.0) * laws.step
        optimum = Optimum(min(bound, found["error"]))
        return Calibration(self.name, True, why, noise, found["error"], leakage, optimum.as_json(), optimum=optimum)


def _noise(laws: AnswerLaws, scale: float, found: Range) -> Clamped:
    (low,), (high,) = (laws.lattice.point([laws.start + end]) for end in (found.low, found.high))
    return Clamped(scale=near_to_digits(scale * laws.step, DIGITS), lower=low, upper=high)


def _searched(laws: AnswerLaws, notion: Notion, release: Release) -> tuple[float, Range]:
    """The scale, in lattice steps, and the range of the least error among all tried."""
    distance, _ = release.group_sensitivity
    widest = max(float(distance) / laws.step / promised(notion), 2 * LEAST) * (1 + 1e-9)
    tried: dict[float, Range] = {}
    scales = [0.0, *np.geomspace(LEAST, widest, GRID).tolist()]
    for _ in range(ROUNDS):
        tried |= {scale: best_range(laws, notion, scale) for scale in scales if scale not in tried}
        lower, best, higher = _neighbours(tried)
        scales = np.linspace(lower, higher, FINER).tolist()
    starts = {(found.low, found.high): scale for scale, found in tried.items() if lower <= scale <= higher}
    for (low, high), scale in {**starts, (0, laws.count - 1): widest}.items():
        least = _least(laws, notion, low, high, scale, sorted(tried))
        if keeps(laws, notion, least, low, high):
            error = float(np.mean(error_of(laws, least, low, high)))
            if least not in tried or error < tried[least].error:
                tried[least] = Range(low, high, error)
    best = _first_of_the_best(tried)
    return best, tried[best]


def _first_of_the_best(tried: dict[float, Range]) -> float:
    """The least scale whose error is the least, up to rounding."""
    least = min(found.error for found in tried.values())
    return min(scale for scale, found in tried.items() if found.error <= least * (1 + SAME))


def _neighbours(tried: dict[float, Range]) -> tuple[float, float, float]:
    """The best scale between the next smaller and the next larger one tried."""
    scales = sorted(tried)
    place = scales.index(_first_of_the_best(tried))
    return scales[max(place - 1, 0)], scales[place], scales[min(place + 1, len(scales) - 1)]


def _least(laws: AnswerLaws, notion: Notion, low: int, high: int, scale: float, tried: list[float]) -> float:
    """Down from a scale at which the range keeps the promise, to just above one at which it does not."""
    for smaller in reversed([each for each in tried if each < scale]):
        if not keeps(laws, notion, smaller, low, high):
            break
        scale = smaller
    else:
        return scale
    while scale - smaller > SHARP * scale:
        middle = (smaller + scale) / 2
        if keeps(laws, notion, middle, low, high):
            scale = middle
        else:
            smaller = middle
    return scale
