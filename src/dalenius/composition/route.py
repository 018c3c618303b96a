"""A way from single releases to what all of them leak together: what it bounds, and what it rests on."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.channel.leakage import Witness
from dalenius.composition.releases import Releases
from dalenius.errors import DaleniusError
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


class Route(abc.ABC):
    """A sound bound, under hypotheses that are checked on the model."""

    name: ClassVar[str]

    reads_channel: ClassVar[bool] = False
    """Whether it rests on the joint channel of the secrets alone; see `Method.reads_channel`."""

    def applies(self, releases: Releases) -> str | None:
        """Why it does not hold for these releases, with the person and the record it fails for; None where it does, as
        by default."""
        return None

    @abc.abstractmethod
    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        """What all releases leak together at that delta. InputError or TooLarge where
        the model or a noise does not allow it."""


def fixed(releases: Releases, delta: float) -> tuple[str, ...]:
    """What sums of losses rest on where later releases depend on earlier outputs. A sum may be limited beforehand, of
    pure losses or of the squares of Gaussian noise's μ; the profile of both, or of pure losses, needs each of them
    (Result 9.7)."""
    if not releases.adaptive:
        return ()
    if delta and any(deviation == 0 for release in releases.each for deviation in _deviations(release)):
        return ("the losses were fixed beforehand",)
    return ("the losses were fixed beforehand, or their sum was limited beforehand",)


def _deviations(release: Release) -> list[float]:
    return [part.gaussian_deviation for part in release.noise.each(len(release.names))]


def tried(route: Route, releases: Releases, notion: Notion, delta: float) -> Tried:
    """Its bound, or why there is none."""
    try:
        if not route.reads_channel:
            for release in releases.each:
                release.check_plain_records(f"route {route.name}")
        reason = route.applies(releases)
        return Tried(route.name, None if reason else route.bound(releases, notion, delta), reason)
    except DaleniusError as error:
        return Tried(route.name, None, str(error))
