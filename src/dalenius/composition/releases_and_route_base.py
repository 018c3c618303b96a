"""Several releases of the same records, kept as data: what an accountant composes.

A way from single releases to what all of them leak together: what it bounds, and what it rests on.

Two counts of a pair that is alike with .9, each with Laplace noise of scale 4: the routes `conversion` and `joint` give
.897 nats, `weak_dependence` .918 and `group` 1. The tightest is `joint`, the first of equal ones, and its lower end,
.897 too, is everybody's.
"""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.channel import Release, Secrets, checked
from dalenius.channel.leakage import Witness
from dalenius.errors import DaleniusError, InputError
from dalenius.frozen_section import shown
from dalenius.models import Model
from dalenius.noise import NoNoise, is_complete
from dalenius.notions import Notion
from dalenius.queries import Several


@final
@dataclass(frozen=True)
class Releases:
    """Releases of the same records under the same model, each with its query and its noise, drawn independently.

    adaptive: whether what is asked later, or its noise, may depend on earlier outputs. The releases are then those of
    the branch that was taken, and a route's bound holds if every branch keeps what the route adds up (its filter)
    within that of this one. InputError for none at all, for different models, secrets or background knowledge, and for
    a noise that is not known.
    """

    each: tuple[Release, ...]
    adaptive: bool = False

    def __post_init__(self) -> None:
        if not self.each:
            raise InputError("releases", "none", "one release or more")
        for number, release in enumerate(self.each, 1):
            # A spec for `calibrate`, whose scale is still to be found.
            if not is_complete(release.noise):
                wanted = "its noise with a known scale: what it cost is not known without"
                raise InputError(f"releases row {number}.noise.scale", "missing", wanted)
            self._check_same(number, release)

    def _check_same(self, number: int, release: Release) -> None:
        """InputError where a release is about other records, secrets or knowledge than the first."""
        first = self.each[0]
        key = f"releases row {number}"
        if release.model != first.model:
            raise InputError(
                f"{key}.model", release.model.kind, "the model of release 1: what is believed is one thing"
            )
        if release.secrets != first.secrets:
            raise InputError(f"{key}.secrets", "others", "the secrets of release 1")
        if release.adversary != first.adversary:
            raise InputError(f"{key}.adversary", "another", "the background knowledge of release 1")

    def __len__(self) -> int:
        return len(self.each)

    @property
    def model(self) -> Model:
        """What the adversary believes about the records."""
        return self.each[0].model

    def part(self, places: Sequence[int]) -> "Releases":
        """Some of them, by their places from 0."""
        return replace(self, each=tuple(self.each[place] for place in places))

    @cached_property
    def about_everybody(self) -> tuple[Release, ...]:
        """The same with every record a secret: what changes with any record of a group. Meaningless where secrets are
        of several people: losses of single records say nothing of them."""
        self.each[0].secrets.check_of_records("the loss of a record or an independent group")
        if self.each[0].secrets == Secrets():  # as most specs have it
            return self.each
        return tuple(Release(each.model, each.query, each.noise, adversary=each.adversary) for each in self.each)

    @cached_property
    def exact(self) -> Release:
        """All exact answers as one of several coordinates, release by release."""
        first = self.each[0]
        query = Several(queries=tuple(release.query for release in self.each))
        return Release(first.model, query, NoNoise(), first.secrets, adversary=first.adversary)


def releases_of(each: "Sequence[Release] | Releases") -> Releases:
    """The sequence itself, or one that was fixed beforehand."""
    if isinstance(each, Releases):  # as whoever says adaptive=True gives them
        return each
    if not isinstance(each, Sequence) or isinstance(each, str):
        raise InputError("releases", shown(each), "several releases, in a list")
    return Releases(tuple(map(checked, each)))


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
