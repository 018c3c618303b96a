"""Geometric noise clamped to a range: scale and range of the least expected error (Result 8.2)."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bisection import bisected
from dalenius.bounds import near_to_digits, up_to_digits
from dalenius.calibration.method import Calibration, Method, Optimum, kept_by, promised, scale_hiding
from dalenius.channel import Release
from dalenius.errors import DaleniusError, InputError
from dalenius.noise import Geometric, Noise, NoNoise
from dalenius.noise.scaled import SCALE_DIGITS
from dalenius.notions import Leakage, Notion
from dalenius.optimum.answer_laws import AnswerLaws, check_law, laws_of
from dalenius.optimum.clamped_noise import Clamped
from dalenius.optimum.clamped_ranges import SAME, Range, best_range, error_of, keeps
from dalenius.optimum.program import as_constraint
from dalenius.optimum.search import quick_bound

_LEAST: Final = 0.03
"""In lattice steps: geometric noise of this scale is nonzero once in 10^14."""
_GRID: Final = 24
_FINER: Final = 8
_SHARP: Final = 1e-9
_MARGINS: Final = (1e-10, 1e-8, 1e-6, 1e-5, 1e-4)
"""By how much of epsilon the search stays below it, for the roundings that an audit must count."""


@final
class ClampedMethod(Method):
    """For each scale the best of all ranges, exactly (see `clamped_ranges`); the scales tried are 0, a grid up to noise
    that hides a whole group, finer ones where the error was least, and for ranges found there the least.

    More noise may leak more once clamped within the answers' range, so the leakage cannot be bisected and the scale is
    not proven least. With the answers' whole range it falls (Gupte and Sundararajan 2010), and the least scale for that
    range is among those tried, so that the error is never above the exact geometric's. With several models (`any`) all
    keep the promise, their average error guides the search, and the largest is reported. `lower_bound`: no mechanism
    of any kind has a smaller expected error.
    """

    name: ClassVar[str] = "clamped"
    reads_channel: ClassVar[bool] = True

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        return self.calibrate_all(release, [notion])

    def calibrate_all(self, release: Release, notions: Sequence[Notion]) -> Calibration:
        constraints = [as_constraint(release, notion) for notion in notions]
        _check(constraints)
        check_law(release)
        bare = [notion.leakage(release.with_noise(NoNoise())) for notion in notions]
        kept_bare = all(each.upper <= promised(notion) for each, notion in zip(bare, notions, strict=True))
        laws = laws_of(release)
        if laws is None or kept_bare:
            return nothing_needed(self.name, notions, bare)
        found: dict[str, float] = {}
        every, laws = laws, laws.likely
        constrained = [each for each in constraints if _decides(each)]
        floor = _floor(release, [each for each in constraints if each not in constrained]) / laws.step

        def choose(some: AnswerLaws, margin: float) -> Noise:
            tighter = [each.altered({"epsilon": promised(each) * (1 - margin)}) for each in constrained]
            best, ends = _searched(some, tighter, release, floor * (1 + margin))
            scale = up_to_digits(best * some.step, SCALE_DIGITS) / some.step
            found["error"] = _error(every, scale, laws.start + ends.low, laws.start + ends.high)
            return _noise(some, scale, ends)

        pairs = zip(constraints, bare, strict=True)
        witnesses = [each.witness for notion, each in pairs if _decides(notion) and each.upper > promised(notion)]
        people = {each.person for each in witnesses[:1] if each is not None}
        noise, leakages = _confirmed(release, notions, laws, people, _MARGINS, choose)
        why = "the leakage itself was computed, for the best range at each scale tried"
        somebody = people or {each.person for each in laws.each[:1]}
        bound = (quick_bound(laws.about(somebody), constraints) or 0.0) * laws.step
        optimum = Optimum(min(bound, found["error"]))
        kept, error, details = kept_by(notions, leakages), found["error"], optimum.as_json()
        return Calibration(self.name, True, why, noise, error, leakages[0], details, optimum=optimum, promises=kept)


def nothing_needed(
    name: str, notions: Sequence[Notion], bare: Sequence[Leakage], optimum: Optimum | None = None
) -> Calibration:
    """Where the exact answer goes out. bare: what it leaks of each notion."""
    why, kept = "the exact answer already keeps the promise under this model", kept_by(notions, bare)
    details = {} if optimum is None else optimum.as_json()
    return Calibration(name, True, why, NoNoise(), 0.0, bare[0], details, optimum=optimum, promises=kept)


def _decides(notion: Notion) -> bool:
    """Whether it constrains the laws of the output given the secret alone."""
    return notion.linear in ("pairs", "average")


def _check(notions: Sequence[Notion]) -> None:
    """InputError where no promise decides over ranges: then the least scale is that of `exact`."""
    if not any(map(_decides, notions)):
        raise InputError("notion.kind", notions[0].kind, "inferential or information, among others, with this method")


def _floor(release: Release, notions: Sequence[Notion]) -> float:
    """The scale above which the other promises hold whatever the range: clamping is post-processing. InputError where
    noise for a record, or a whole group, proves nothing of them."""
    scale = 0.0
    geometric = release.with_noise(Geometric())
    for notion in notions:
        if notion.implied_by not in ("record", "group", "inferential"):
            raise InputError("notion.kind", notion.kind, "a notion that noise for a record or a group keeps")
        distance = release.sensitivity if notion.implied_by == "record" else release.group_sensitivity[0]
        scale = max(scale, scale_hiding(geometric, distance, notion)) if distance else scale
    return scale


def _error(laws: AnswerLaws, scale: float, low: int, high: int) -> float:
    """The largest expected error of the models, in the query's unit; low, high: lattice indices of the ends."""
    means = error_of(laws, scale, low - laws.start, high - laws.start)
    return (float(np.max(means)) + laws.beyond(1)) * laws.step


def _noise(laws: AnswerLaws, scale: float, found: Range) -> Clamped:
    (low,), (high,) = (laws.lattice.point([laws.start + end]) for end in (found.low, found.high))
    return Clamped(scale=near_to_digits(scale * laws.step, SCALE_DIGITS), lower=low, upper=high)


def _searched(laws: AnswerLaws, notions: Sequence[Notion], release: Release, floor: float) -> tuple[float, Range]:
    """The scale, in lattice steps, and the range of the least error among all tried, from the scale `floor` on."""
    distance = release.reach
    least_epsilon = min(map(promised, notions))
    widest = max(float(distance) / laws.step / least_epsilon, 2 * _LEAST, 2 * floor) * (1 + 1e-9)
    tried: dict[float, Range] = {}
    scales = [floor, *np.geomspace(max(_LEAST, floor), widest, _GRID).tolist()]
    for _ in range(3):
        tried |= {scale: best_range(laws, notions, scale) for scale in scales if scale not in tried}
        lower, best, higher = _neighbours(tried)
        scales = np.linspace(lower, higher, _FINER).tolist()
    starts = {(found.low, found.high): scale for scale, found in tried.items() if lower <= scale <= higher}
    for (low, high), scale in {**starts, (0, laws.count - 1): widest}.items():
        least = _least(laws, notions, low, high, scale, sorted(tried))
        if keeps(laws, notions, least, low, high):
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


def _least(laws: AnswerLaws, notions: Sequence[Notion], low: int, high: int, scale: float, tried: list[float]) -> float:
    """Down from a scale at which the range keeps the promise, to just above one at which it does not."""
    for smaller in reversed([each for each in tried if each < scale]):
        if not keeps(laws, notions, smaller, low, high):
            break
        scale = smaller
    else:
        return scale
    # The same where the law is known on a window only.
    near = _SHARP if laws.whole else 1e-6
    return bisected(lambda tried: keeps(laws, notions, tried, low, high), scale, smaller, relative=near)[0]


Choose = Callable[[AnswerLaws, float], Noise]
"""The noise that keeps the promise for these people, with epsilon lowered by that relative margin."""


def _confirmed(
    release: Release,
    notions: Sequence[Notion],
    laws: AnswerLaws,
    people: set[int],
    margins: Sequence[float],
    choose: Choose,
) -> tuple[Noise, list[Leakage]]:
    """The first noise whose audit keeps all promises. It is chosen for the people about whom the exact answer leaks
    most; those about whom an audit finds too large a leakage are added, and once all of them are included the margin
    grows, for the roundings that an audit must count. DaleniusError where no margin suffices.
    """
    left = laws.affordable(margins, notions)
    while left:
        noise = choose(laws.about(people), left[0])
        leakages = [notion.leakage(release.with_noise(noise)) for notion in notions]
        broken = [each for each in zip(notions, leakages, strict=True) if each[1].upper > promised(each[0])]
        if not broken:
            return noise, leakages
        leaking: dict[int, float] = {}
        for notion, _ in broken:
            if notion.linear in ("pairs", "average"):
                leaking |= _leaking(release.with_noise(noise), notion)
        others = sorted(leaking.keys() - people, key=leaking.__getitem__)
        # How many people are added at once.
        people |= set(others[-8:])
        left = left if others else left[1:]
    raise unconfirmed(broken)


def unconfirmed(broken: Sequence[tuple[Notion, Leakage]]) -> DaleniusError:
    """The promises that the last audit did not confirm."""
    shown = [f"{notion.kind} {notion.epsilon:g} nats: the last shows {leakage.upper:g}" for notion, leakage in broken]
    return DaleniusError(f"no audit confirms {'; '.join(shown)}")


def _leaking(release: Release, notion: Notion) -> dict[int, float]:
    """The first person of each class whose leakage may exceed epsilon, and that leakage."""
    each = ((channel.subject.person, notion.leakage_of(channel).upper) for channel in release.channels())
    return {person: upper for person, upper in each if notion.epsilon is not None and upper > notion.epsilon}
