"""What a route bounds, and what an accountant says of all routes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.channel.witness import Witness
from dalenius.composition.releases import Releases
from dalenius.notions import Notion

NEAR: Final = 1e-9
"""Bounds that differ by less, relatively, are as good: the first route in the order of tightness is named."""


@final
@dataclass(frozen=True)
class Bound:
    """lower <= truth <= upper, in nats, at that delta; hypotheses: what it rests on, each in words and checked on the
    model; witness: where the upper end is attained, where that is known."""

    value: Enclosure
    delta: float
    hypotheses: tuple[str, ...]
    witness: Witness | None = None

    @property
    def upper(self) -> float:
        return self.value.upper


@final
@dataclass(frozen=True)
class Tried:
    """One route: what it bounds, or the reason why it does not apply."""

    route: str
    bound: Bound | None
    reason: str | None = None


@final
@dataclass(frozen=True)
class Composed:
    """What all releases leak together: the tightest bound and its route, beside all others in order of tightness.

    rule: how the notion composes, in words.
    """

    releases: Releases
    notion: Notion
    rule: str
    route: str
    bound: Bound
    tried: tuple[Tried, ...]

    @property
    def each(self) -> Mapping[str, Tried]:
        """By the name of the route."""
        return {tried.route: tried for tried in self.tried}


def least(tried: tuple[Tried, ...]) -> Tried | None:
    """The tightest; of those within rounding of it the first. None where no route applies."""
    found = [(each, each.bound.upper) for each in tried if each.bound is not None]
    if not found:
        return None
    most = min(upper for _, upper in found)
    return next(each for each, upper in found if upper <= most + NEAR * abs(most))


def with_common_lower(tried: tuple[Tried, ...]) -> tuple[Tried, ...]:
    """The same with the largest lower end of any: all are of one truth."""
    lower = max((each.bound.value.lower for each in tried if each.bound is not None), default=0.0)
    return tuple(each if each.bound is None else replace(each, bound=_from(each.bound, lower)) for each in tried)


def _from(bound: Bound, lower: float) -> Bound:
    return replace(bound, value=Enclosure(min(lower, bound.upper), bound.upper))


def named(release: Release, number: int) -> str:
    """A release in words, for reasons."""
    return f"release {number} ({release.query.kind}, {release.noise.words})"
