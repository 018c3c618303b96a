"""How far the truth may be from the model before a promise breaks: leakage when every probability is off by a factor.

At a factor of e^r the laws are all those whose probabilities p' have p e^-r <= p' <= min(1, p e^r); where p is 0, so is
p'. The sets grow with r, and so does the leakage.

A count of two households of four, of which 0, 1 or all are infected with probabilities 0.9, 0.04 and 0.06, with
geometric noise of scale 8, leaks 0.450 nats (inferential) under the model itself, 0.458 where every probability may be
off by e^±0.1, and 0.475 by e^±0.4: a promise of 0.5 is kept up to there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import final

from dalenius.bisection import bisected
from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.errors import InputError, Meaningless
from dalenius.notions.log_ratios import InferentialPrivacy
from dalenius.notions.notion import Notion
from dalenius.notions.several_leakages import audited


@final
@dataclass(frozen=True)
class AtFactor:
    """What leaks where every probability may be off by a factor e^±r.

    log_factor: r, in nats. leakage: over all laws that near, by the notion's kind.
    """

    log_factor: float
    leakage: Mapping[str, Leakage]


@final
@dataclass(frozen=True)
class Broken:
    """How far the model may be off before a promise breaks.

    epsilon: promised of the notion, in nats. kept: the largest r at which the promise is seen to hold; broken: the
    least at which some law is seen to break it; None where there is none up to the largest r asked for."""

    notion: Notion
    epsilon: float
    kept: float | None
    broken: float | None


@final
@dataclass(frozen=True)
class Robustness:
    """A curve from the model itself to the largest factor asked for, and where each promise breaks."""

    curve: tuple[AtFactor, ...]
    broken: tuple[Broken, ...]


def robustness(
    release: Release, most: float, notions: Sequence[Notion] = (), promises: Sequence[Notion] = ()
) -> Robustness:
    """Leakage against r = 0 .. most, of these notions and the inferential one, where they have one over sets of laws.

    promises: of those without an epsilon nothing is said. InputError for a factor that is none, for a model without
    probabilities, and for a promise that has no leakage over sets.
    """
    if not (isfinite(most) and most > 0):
        raise InputError("robust", most, "a finite number above 0: every probability off by a factor e^±r")
    broken = tuple(_broken(release, most, each, each.epsilon) for each in promises if each.epsilon is not None)
    by_kind = tuple({each.kind: each for each in (InferentialPrivacy(), *notions)}.values())
    # The widest sets first: what has no number over them is left out of the whole curve.
    widest = _leakages(release, most, by_kind)
    of_sets = [each for each in by_kind if each.kind in widest]
    # Eight places from the model itself on, and the widest.
    places = [most * step / 8 for step in range(8)]
    curve = [AtFactor(place, _leakages(release, place, of_sets)) for place in places]
    return Robustness(tuple(_grown(each, curve[0]) for each in (*curve, AtFactor(most, widest))), broken)


def _grown(found: AtFactor, model: AtFactor) -> AtFactor:
    """From below no less than the model itself, which is among all laws that near."""
    lower = {kind: max(each.lower, model.leakage.get(kind, each).lower) for kind, each in found.leakage.items()}
    return replace(found, leakage={kind: replace(each, lower=lower[kind]) for kind, each in found.leakage.items()})


def _leakages(release: Release, log_factor: float, notions: Sequence[Notion]) -> dict[str, Leakage]:
    """By kind, of the notions that have a number over all laws that near; of the others nothing is said."""
    found = audited(_near(release, log_factor), list(notions), (Meaningless,), False)
    return {notion.kind: each for notion, each in zip(notions, found, strict=True) if each is not None}


def _near(release: Release, log_factor: float) -> Release:
    """The release under all laws that near; at 0 as it is, which more engines serve than sets of laws."""
    return release.altered(release.model.widened(log_factor)) if log_factor else release


def _broken(release: Release, most: float, promise: Notion, epsilon: float) -> Broken:
    """By two bisections, of what is seen to be kept and of what is not seen to be broken, which share their leakages:
    between the two nothing is said."""
    found = dict[float, Leakage]()

    def leakage(place: float) -> Leakage:
        if place not in found:
            found[place] = promise.leakage(_near(release, place))
        return found[place]

    # Where an enclosure is wide, what is seen to be kept ends before what is seen to be broken begins.
    kept = _last(lambda place: leakage(place).upper <= epsilon, most)
    unbroken = _last(lambda place: leakage(place).lower <= epsilon, most)
    broken = min((place for place, each in found.items() if each.lower > epsilon), default=None)
    return Broken(promise, epsilon, kept, None if unbroken == most else broken)


def _last(holds: Callable[[float], bool], most: float) -> float | None:
    """The last place that a bisection of [0, most] finds to hold, to a thousandth of it, of a property that holds up to
    some place; None where it does not hold at 0."""
    if not holds(0.0):
        return None
    return most if holds(most) else bisected(holds, 0.0, most, absolute=2**-10 * most)[0]
