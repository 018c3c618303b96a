"""A way to bound what several releases leak together, and the tightest of them."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import Witness
from dalenius.composition.releases import Releases
from dalenius.errors import DaleniusError
from dalenius.notions import Notion


@final
@dataclass(frozen=True)
class RouteBound:
    """lower <= truth <= upper, in nats, at that delta; hypotheses: what it rests on, each in words and checked on the
    model; witness: where the upper end is attained, where that is known."""

    value: Enclosure
    delta: float
    hypotheses: tuple[str, ...]
    witness: Witness | None = None

    @property
    def upper(self) -> float:
        """What leaks at the most, in nats."""
        return self.value.upper


@final
@dataclass(frozen=True)
class Tried:
    """One route: what it bounds, or the reason why it does not apply."""

    route: str
    bound: RouteBound | None
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
    bound: RouteBound
    tried: tuple[Tried, ...]

    @property
    def each(self) -> Mapping[str, Tried]:
        """By the name of the route."""
        return {tried.route: tried for tried in self.tried}


def tightest(tried: tuple[Tried, ...]) -> Tried | None:
    """The tightest; of those within rounding of it the first. None where no route applies."""
    found = [(each, each.bound.upper) for each in tried if each.bound is not None]
    # An adaptive sequence with unlimited noise, say: each route has its own reason.
    if not found:
        return None
    most = min(upper for _, upper in found)
    # Bounds that differ by less, relatively, are as good: the first route in the order of tightness is named.
    return next(each for each, upper in found if upper <= most + 1e-9 * abs(most))


def with_common_lower(tried: tuple[Tried, ...], least: float = 0.0) -> tuple[Tried, ...]:
    """The same with the largest lower end of any: all are of one truth, which is at least `least` nats."""
    lower = max((each.bound.value.lower for each in tried if each.bound is not None), default=0.0)
    lower = max(lower, least)

    def raised(bound: RouteBound) -> RouteBound:
        return replace(bound, value=Enclosure(min(lower, bound.upper), bound.upper))

    return tuple(each if each.bound is None else replace(each, bound=raised(each.bound)) for each in tried)


class Route(abc.ABC):
    """A sound bound, under hypotheses that are checked on the model."""

    name: ClassVar[str]

    reads_channel: ClassVar[bool] = False
    """Whether it rests on the joint channel of the secrets alone; see `Method.reads_channel`."""

    def applies(self, releases: Releases) -> str | None:
        """Why it does not hold for these releases; None where it does, as by default."""
        return None

    @abc.abstractmethod
    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        """What all releases leak together at that delta. InputError or TooLarge where
        the model or a noise does not allow it."""


def fixed(releases: Releases) -> tuple[str, ...]:
    """What sums of losses rest on where later releases depend on earlier outputs: a sum may be limited beforehand, of
    pure losses or of the squares of Gaussian noise's μ (Result 9.7)."""
    return ("the losses were fixed beforehand, or their sum was limited beforehand",) if releases.adaptive else ()


def outcome_of(route: Route, releases: Releases, notion: Notion, delta: float) -> Tried:
    """Its bound, or why there is none."""
    try:
        # Secrets of several people, or known answers: losses of records say nothing of them.
        if not route.reads_channel:
            for release in releases.each:
                release.worlds.check_plain_records(f"route {route.name}")
        reason = route.applies(releases)
        return Tried(route.name, None if reason else route.bound(releases, notion, delta), reason)
    except DaleniusError as error:
        return Tried(route.name, None, str(error))
