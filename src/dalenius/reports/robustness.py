"""Robustness: how far the truth may be from the model before a promise breaks.

Every probability may be off by a factor of e^±r. The laws are all those whose probabilities p' have
p e^-r <= p' <= min(1, p e^r); where p is 0, so is p'. The sets grow with r, and so does the leakage.

Two households of four are counted with geometric noise of scale 8. In each, 0, 1 or all are infected with probabilities
0.9, 0.04 and 0.06. The count leaks 0.450 nats (inferential) under the model itself, 0.458 if every probability may be
off by e^±0.1, and 0.475 by e^±0.4. A promise of 0.5 is kept up to there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import final

from dalenius.bisection import bisected
from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.errors import InputError, Meaningless
from dalenius.notions.log_ratios import InferentialPrivacy
from dalenius.notions.notion import Notion
from dalenius.notions.several_leakages import audited
from dalenius.tabular import Cell, Tabular, between, cell, ends


@final
@dataclass(frozen=True)
class AtFactor:
    """The leakage where every probability may be off by a factor e^±r.

    Attributes:
        log_factor: r, in nats.
        leakage: The leakage over all laws that near, by the notion's kind.
    """

    log_factor: float
    leakage: Mapping[str, Leakage]


@final
@dataclass(frozen=True)
class Broken:
    """How far the model may be off before a promise breaks.

    Attributes:
        notion: The notion of the promise.
        epsilon: What is promised, in nats.
        kept: The largest r that was found to keep the promise, in nats; None where not even the model itself does.
        broken: The least r at which some law was found to break it; None where there is none up to the largest r.
    """

    notion: Notion
    epsilon: float
    kept: float | None
    broken: float | None


@final
@dataclass(frozen=True, repr=False)
class Robustness(Tabular):
    """A curve of leakage from the model itself to the largest factor asked for, and where each promise breaks.

    Attributes:
        curve: The leakage at nine equally spaced r, from 0 to the largest.
        broken: How far the model may be off before each promise breaks, one for each promise with an epsilon.

    Example:
        >>> from dalenius import Count, Geometric, Households
        >>> release = Release(Households(count=2, infected=[0.9, 0.04, 0, 0, 0.06]), Count(), Geometric(scale=8))
        >>> found = robustness(release, 0.1)  # a Robustness
        >>> [(each.log_factor, round(each.leakage["inferential"].upper, 3)) for each in found.curve[::8]]
        [(0.0, 0.45), (0.1, 0.458)]
    """

    curve: tuple[AtFactor, ...]
    broken: tuple[Broken, ...]

    @property
    def caption(self) -> str:
        """The title of the table."""
        return "What leaks, in nats, if every probability is off by a factor e^±r"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each r, in nats: the ends of the leakage by each notion."""
        found = []
        for at in self.curve:
            row: dict[str, Cell] = {"r": at.log_factor}
            for kind, each in at.leakage.items():
                row |= ends(kind, Enclosure(each.lower, each.upper))
            found.append(row)
        return found

    def shown(self) -> list[dict[str, str]]:
        """Return the rows as people read them: ends that agree as one number."""
        kinds = list(self.curve[0].leakage) if self.curve else []
        return [{"r": cell(row["r"]), **{kind: between(row, kind) for kind in kinds}} for row in self.records()]

    def notes(self) -> list[str]:
        """Return where each promise breaks."""
        return [
            f"{each.notion.kind} {each.epsilon:g}: kept up to r = {cell(each.kept) or 'nothing'}, "
            f"broken {'nowhere up to the largest r' if each.broken is None else f'from r = {each.broken:.6g} on'}"
            for each in self.broken
        ]


def robustness(
    release: Release, most: float, notions: Sequence[Notion] = (), promises: Sequence[Notion] = ()
) -> Robustness:
    """Compute the leakage where every probability of the model may be off by a factor e^±r, and where promises break.

    Args:
        release: The release, whose model has probabilities.
        most: The largest r, in nats: finite and above 0.
        notions: Notions of which the curve is wanted beside the inferential one. A notion that has no leakage over sets
            of laws is left out of the curve.
        promises: Notions with their epsilon, of which it is wanted where they break. Those without one are left out.

    Returns:
        The curve at nine r from 0 to `most`, and where each promise breaks.

    Raises:
        InputError: For a `most` that is not finite and above 0, for a model without probabilities, and for a promise
            that has no leakage over sets.

    Example:
        >>> from dalenius import Count, Geometric, Households
        >>> release = Release(Households(count=2, infected=[0.9, 0.04, 0, 0, 0.06]), Count(), Geometric(scale=8))
        >>> found = robustness(release, 0.1, promises=[InferentialPrivacy(epsilon=0.455)])
        >>> round(found.broken[0].kept, 2)
        0.06
    """
    if not (isfinite(most) and most > 0):
        raise InputError("robust", most, "a finite number above 0: every probability off by a factor e^±r")
    broken = tuple(_broken(release, most, each, each.epsilon) for each in promises if each.epsilon is not None)
    by_kind = tuple({each.kind: each for each in (InferentialPrivacy(), *notions)}.values())
    # Because what has no number over the widest sets is left out of the whole curve, they come first.
    widest = _leakages(release, most, by_kind)
    of_sets = [each for each in by_kind if each.kind in widest]
    # So that the curve begins with the model itself: eight places from it on, and the widest.
    places = [most * step / 8 for step in range(8)]
    curve = [AtFactor(place, _leakages(release, place, of_sets)) for place in places]
    return Robustness(tuple(_grown(each, curve[0]) for each in (*curve, AtFactor(most, widest))), broken)


def _grown(found: AtFactor, model: AtFactor) -> AtFactor:
    """Raise the lower ends to those of the model itself, which is among all laws that near."""
    lower = {kind: max(each.lower, model.leakage.get(kind, each).lower) for kind, each in found.leakage.items()}
    return replace(found, leakage={kind: replace(each, lower=lower[kind]) for kind, each in found.leakage.items()})


def _leakages(release: Release, log_factor: float, notions: Sequence[Notion]) -> dict[str, Leakage]:
    """Compute the leakage over all laws that near, by kind, of the notions that have such a number."""
    found = audited(_near(release, log_factor), list(notions), (Meaningless,), False)
    return {notion.kind: each for notion, each in zip(notions, found, strict=True) if each is not None}


def _near(release: Release, log_factor: float) -> Release:
    """Widen the model of a release to all laws that near; at 0 it stays, as more engines serve one law than sets."""
    return release.altered(release.model.widened(log_factor)) if log_factor else release


def _broken(release: Release, most: float, promise: Notion, epsilon: float) -> Broken:
    """Find where a promise breaks, by two bisections: of what is seen to be kept, and of what is not seen to be broken.

    The two share their leakages. Between their ends nothing is said.
    """
    found = dict[float, Leakage]()

    def leakage(place: float) -> Leakage:
        if place not in found:
            found[place] = promise.leakage(_near(release, place))
        return found[place]

    # Because enclosures may be wide, what is seen to be kept ends before what is seen to be broken begins.
    kept = _last(lambda place: leakage(place).upper <= epsilon, most)
    unbroken = _last(lambda place: leakage(place).lower <= epsilon, most)
    broken = min((place for place, each in found.items() if each.lower > epsilon), default=None)
    return Broken(promise, epsilon, kept, None if unbroken == most else broken)


def _last(holds: Callable[[float], bool], most: float) -> float | None:
    """Find the last place in [0, most], to a thousandth of it, at which a property still holds; None if not even at 0.

    The property holds up to some place, and nowhere after it.
    """
    if not holds(0.0):
        return None
    return most if holds(most) else bisected(holds, 0.0, most, absolute=2**-10 * most)[0]
