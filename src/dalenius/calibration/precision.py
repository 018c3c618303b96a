"""The precision of answers: the model's expectation, and the intervals of the released answers.

Each answer has its interval, and whether that is narrower than the model's own range. The file also names answers
that are next to impossible, so that a reader of one should doubt the model.

For 100 households of two, in each of which 0, 1 or 2 are ill with probabilities 0.9, 0.05 and 0.05, the model expects
15 ill, and 6 to 25 with probability 0.95. Geometric noise of scale 4 makes an answer known to ± 12. An answer of 12
says that there are 0 to 24, which is hardly less than the model says itself, and `advice` says so. An answer of 150
has a probability of at most 1e-12 under this model: it should not be believed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel import Release, possible_range
from dalenius.channel.attainable_answers import never_negative
from dalenius.channel.marginals import Marginal
from dalenius.errors import TooLarge
from dalenius.noise import Noise
from dalenius.noise.error_law import missed, rounded_outward
from dalenius.sentences.sentence import Figure, Name, Phrase, said, semicolons

CONFIDENCE: Final = 0.95
"""Confidence of intervals by default."""


@final
@dataclass(frozen=True)
class Precision:
    """The intervals of the exact answers, given the released ones.

    Attributes:
        confidence: The probability with which each interval holds.
        intervals: For each answer alone an interval that holds the exact one, in the query's unit; None where the
            noise has none.
        advice: The worth of the intervals, where they are wider than the model's own ranges; None elsewhere.
        exact: Whether the noise leaves every answer as it is.
    """

    confidence: float
    intervals: tuple[Enclosure | None, ...]
    advice: str | None = None
    exact: bool = False


@final
@dataclass(frozen=True)
class Expected:
    """One answer before anything is released, in the query's unit.

    Attributes:
        name: The name of the answer.
        low: The lower end of the range in which it lies with the confidence, under each law.
        middle: Its median under the model (the first law of several).
        high: The upper end of that range.
        interval: The interval of an output at the median; None where the noise does not say.
    """

    name: str
    low: Fraction
    middle: Fraction
    high: Fraction
    interval: Enclosure | None


def precision(
    release: Release, answers: Sequence[Fraction | str], confidence: float = CONFIDENCE, advice: str | None = None
) -> Precision:
    """Returns intervals of the exact answers, given answers that the release's noise gave.

    Ends that the noise leaves open are those of the possible answers, where these are known.

    Args:
        release: The release that the answers are of, with its noise.
        answers: The released answers, in the query's unit, or words.
        confidence: The probability with which each interval holds. InputError unless within (0, 1).
        advice: The advice that is reported with them.
    """
    missed(confidence)
    steps = release.lattice.steps
    around = [
        release.noise.on([axis]).error(step).interval(answer, confidence)
        for axis, (answer, step) in enumerate(zip(answers, steps, strict=True))
    ]
    # Because an output of randomised response, which is a word, has no interval around it.
    found = [None if each is None else _closed(each, release, axis) for axis, each in enumerate(around)]
    exact = all(each is not None and each.lower == each.upper for each in around)
    return Precision(confidence, tuple(found), advice, exact)


def half_widths(release: Release, noise: Noise, confidence: float) -> dict[str, float | None]:
    """Returns, by the names of `release`'s answers, the largest distance of the exact one from the noised one.

    It is under `noise`, in the query's unit, and holds with probability `confidence`. None where the noise has no
    such distance, or it depends on the answer.
    """
    found: dict[str, float | None] = {}
    for axis, (name, step) in enumerate(zip(release.names, release.lattice.steps, strict=True)):
        error = noise.on([axis]).error(step)
        interval = error.interval(Fraction(0), confidence) if noise.shape.additive else None
        found[name] = None if interval is None else max(interval.upper, -interval.lower)
    return found


def advice(release: Release, confidence: float = CONFIDENCE) -> Phrase | None:
    """Says whether an answer's interval will be wider than the range that holds the exact one under the model.

    Both have the probability `confidence`, whatever is released. It is one line about the first such coordinate of
    `release`, or None. It looks at no data. The interval is that of an output at the median. Where there are several
    laws, their ranges count together. None where a law is too large to compute: no interval exceeds so wide a range.
    """
    try:
        lines = [_line(each, release.noise.shape.additive) for each in expected(release, confidence)]
    # Because a law that is too large to compute has so wide a range that no interval is wider.
    except TooLarge:
        return None
    found = [line for line in lines if line is not None]
    # The case in which each interval is narrower than the model's range: there is nothing to advise.
    if not found:
        return None
    return found[0] if len(found) == 1 else said("advice_of_several", advice=found[0], count=len(found))


def expected(release: Release, confidence: float = CONFIDENCE) -> list[Expected]:
    """Returns the answers of `release` that some record can move, as the model expects them, with their intervals.

    It looks at no data. There are none where records are real numbers or known by pairs only, or the secret is who is
    absent. InputError for a `confidence` outside (0, 1).
    """
    missed(confidence)
    return [_expected(release, name, laws, confidence) for name, laws in by_name(release).items()]


def by_name(release: Release) -> dict[str, list[Marginal]]:
    """Returns the law of each answer of `release` under each law of the model; empty without finite laws."""
    found: dict[str, list[Marginal]] = {}
    for world in release.worlds.finite if release.worlds.is_finite else ():
        for law in world.marginals(quickly=True):
            found.setdefault(law.name, []).append(law)
    return found


def _expected(release: Release, name: str, laws: Sequence[Marginal], confidence: float) -> Expected:
    """Returns the widest range over the laws, with the median under the first."""
    ranges = [_central(law, 1 - confidence) for law in laws]
    step = laws[0].step
    low, high = min(each[0] for each in ranges) * step, max(each[2] for each in ranges) * step
    middle = ranges[0][1] * step
    axis = release.names.index(name)
    interval = release.noise.on([axis]).error(step).interval(middle, confidence)
    # Because ± so much names no lower end, additive noise keeps its own; other ends are cut off as a certificate's are.
    close = _ended if release.noise.shape.additive else _closed
    closed = None if interval is None else close(interval, release, axis)
    return Expected(name, low, middle, high, closed)


def _line(found: Expected, additive: bool) -> Phrase | None:
    """Returns what the advice says of one answer.

    None where its interval is no wider than what the model says already.
    """
    # The case of noise with no known error: nothing can be compared.
    if found.interval is None:
        return None
    lower, upper = found.interval
    if upper - lower <= found.high - found.low:
        return None
    middle = float(found.middle)
    known = (
        said("known_to", answer=_figure(middle), half=_figure(upper - middle))
        if additive
        else said("known_between", answer=_figure(middle), low=_figure(lower), high=_figure(upper))
    )
    near = said("named", name=Name(found.name), words=known) if found.name else known
    return semicolons([near, said("model_says", low=_figure(found.low), high=_figure(found.high))])


def _figure(value: Fraction | float) -> Figure:
    return Figure(f"{float(value):.6g}")


def _central(law: Marginal, rest: float) -> tuple[int, int, int]:
    """Returns three lattice indices: the ends of a central range, and the median between them.

    Below the first and above the last lies at most half of `rest` each.
    """
    sums = np.cumsum(law.masses)
    places = [int(np.searchsorted(sums, share * sums[-1])) for share in (rest / 2, 0.5, 1 - rest / 2)]
    low, middle, high = (law.start + min(place, len(sums) - 1) for place in places)
    return low, middle, high


def _closed(interval: Enclosure, release: Release, axis: int) -> Enclosure:
    """Replaces open ends by those of the possible answers, where these are known, and ends below 0 of a count by 0.

    An interval that is below 0 as a whole stays as it is: it is one of the few that do not hold the exact answer, and
    from 0 to 0 would look like certainty.
    """
    closed = _ended(interval, release, axis)
    # Because the exact count is not below 0, what is cut off never holds it.
    if closed.lower >= 0 or closed.upper < 0 or not never_negative(release, axis):
        return closed
    return Enclosure(0.0, closed.upper)


def _ended(interval: Enclosure, release: Release, axis: int) -> Enclosure:
    """Replaces open ends by those of the possible answers, where these are known."""
    if max(-interval.lower, interval.upper) < inf or (possible := possible_range(release, axis)) is None:
        return interval
    # The case of a clamped answer at the end of its range: the noise says "that or more", and the query has the limit.
    least, greatest = rounded_outward(*possible)
    lower = least if interval.lower == -inf else interval.lower
    upper = greatest if interval.upper == inf else interval.upper
    return Enclosure(lower, upper) if lower <= upper else interval
