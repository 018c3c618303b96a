"""How far the truth may be from the model before a promise breaks: leakage when every probability is off by a factor.

At a factor of e^r the laws are all those whose probabilities p' have p e^-r <= p' <= min(1, p e^r); where p is 0, so is
p'. The sets grow with r, and so does the leakage.

Beside it stands the bound for close adversaries (Song, Wang and Chaudhuri 2017, Theorem 2.4): inferential privacy ε
under a law θ is ε + 2Δ under a law θ', if for every secret the laws of the records *given the secret* have a
max-divergence of at most Δ from each other, both ways. A factor e^r on the probabilities is Δ = 2r for a group given by
a table, not r: the secret's own probability moves too (docs/how-to/unknown_models.md). The group alone bounds what is
leaked, so the other groups do not enter Δ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite
from typing import Any, Final, final

from dalenius.bisection import bisected
from dalenius.bounds import UNIT, Enclosure, near_to_digits, up_to_digits
from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.errors import InputError, Meaningless
from dalenius.notions.log_ratios import InferentialPrivacy
from dalenius.notions.notion import Notion, audited
from dalenius.spec.results import DIGITS, enclosure_json, number
from dalenius.spec.words import enclosed, nats

STEPS: Final = 8
"""Of a curve, besides its start at the model itself."""


@final
@dataclass(frozen=True)
class AtFactor:
    """log_factor: r. leakage: over all laws that near, by the notion's kind. close: ε + 2Δ, of the inferential one; inf
    where no Δ is known."""

    log_factor: float
    leakage: Mapping[str, Leakage]
    close: float


@final
@dataclass(frozen=True)
class Broken:
    """epsilon: promised of the notion. kept: the largest r at which the promise is seen to hold; broken: the least at
    which some law is seen to break it; None where there is none up to the largest r asked for."""

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

    promises: notions with an epsilon. InputError for a factor that is none, and for a model without probabilities.
    """
    check_factor(most)
    # A promise without a leakage over sets, which is then asked for, is refused here, before all else is computed.
    ends = [_ends(release, promise, most) for promise in promises if promise.epsilon is not None]
    asked = tuple({each.kind: each for each in (InferentialPrivacy(), *notions)}.values())
    # A factor at which the laws are one but for rounding, and are read as sets are: of the group alone.
    alone = _leakages(release, 1e-9, (InferentialPrivacy(),)).get(InferentialPrivacy().kind)
    widest = _leakages(release, most, asked)
    of_sets = [each for each in asked if each.kind in widest]
    curve = []
    for step in range(STEPS + 1):
        place = most * step / STEPS
        close = inf if alone is None else (alone.upper + 2 * release.model.divergence(place)) * (1 + 4 * UNIT)
        curve.append(AtFactor(place, widest if step == STEPS else _leakages(release, place, of_sets), close))
    return Robustness(tuple(curve), tuple(_broken(release, most, each) for each in ends))


def check_factor(most: float, key: str = "robust") -> None:
    """InputError for a log-factor that is none."""
    if not (isfinite(most) and most > 0):
        raise InputError(key, most, "a finite number above 0: every probability off by a factor e^±r")


def _leakages(release: Release, log_factor: float, notions: Sequence[Notion]) -> dict[str, Leakage]:
    found = audited(_near(release, log_factor), list(notions), (Meaningless,), False)
    return {notion.kind: each for notion, each in zip(notions, found, strict=True) if each is not None}


def _near(release: Release, log_factor: float) -> Release:
    return release.altered(release.model.widened(log_factor)) if log_factor else release


@final
@dataclass(frozen=True)
class _Ends:
    """seen: the leakage by factor, at the model itself and, unless that breaks the promise, at the largest factor."""

    promise: Notion
    epsilon: float
    seen: Mapping[float, Leakage]


def _ends(release: Release, promise: Notion, most: float) -> _Ends:
    assert promise.epsilon is not None
    own = promise.leakage(release)
    widest = {} if own.lower > promise.epsilon else {most: promise.leakage(_near(release, most))}
    return _Ends(promise, promise.epsilon, {0.0: own, **widest})


def _broken(release: Release, most: float, ends: _Ends) -> Broken:
    promise, epsilon, seen = ends.promise, ends.epsilon, dict(ends.seen)

    def leakage(place: float) -> Leakage:
        if place not in seen:
            seen[place] = promise.leakage(_near(release, place))
        return seen[place]

    kept = _last(lambda place: leakage(place).upper <= epsilon, most)
    below = _last(lambda place: leakage(place).lower <= epsilon, most)
    broken = min((place for place, each in seen.items() if each.lower > epsilon), default=None)
    return Broken(promise, epsilon, kept, None if below == most else broken)


def _last(holds: Callable[[float], bool], most: float) -> float | None:
    """The last place that a bisection of [0, most] finds to hold, of a property that holds up to some place; None where
    it does not hold at 0."""
    if not holds(0.0):
        return None
    if holds(most):
        return most
    # Of where a promise breaks, as a share of the largest factor asked for.
    return bisected(holds, 0.0, most, absolute=2**-10 * most)[0]


LAST: Final = "close adversaries"


def robustness_json(found: Robustness) -> dict[str, Any]:
    """curve: by log_factor; promises: where each breaks."""
    return {
        "curve": [
            {
                "log_factor": near_to_digits(at.log_factor, DIGITS),
                "leakage": {
                    kind: enclosure_json(Enclosure(each.lower, each.upper), "epsilon")
                    for kind, each in at.leakage.items()
                },
                "close_adversaries": number(up_to_digits(at.close, DIGITS)),
            }
            for at in found.curve
        ],
        "promises": [
            {"kind": each.notion.kind, "epsilon": each.epsilon, "kept_to": each.kept, "broken_at": each.broken}
            for each in found.broken
        ],
    }


def robustness_table(found: Robustness) -> tuple[list[str], list[list[str]]]:
    """Columns and rows: r, the leakage of each notion, and the theorem's bound of the inferential one."""
    kinds = list(found.curve[0].leakage)
    rows = [
        [f"{at.log_factor:.4g}", *(enclosed(at.leakage[kind]) for kind in kinds), nats(at.close)] for at in found.curve
    ]
    return ["off by e^±", *kinds, LAST], rows


def broken_words(broken: Broken) -> str:
    """At which factor a promise breaks."""
    promise = f"{broken.notion.kind} privacy of {broken.epsilon:g} nats"
    if broken.kept is None:
        return f"{promise} is not kept by the model itself"
    if broken.broken is None:
        return f"{promise} is kept to a factor of e^±{broken.kept:.4g}, {exp(broken.kept):.4g} up and down"
    return f"{promise} is kept to a factor of e^±{broken.kept:.4g} and broken at e^±{broken.broken:.4g}"
