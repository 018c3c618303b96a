"""Routes, which bound what several releases leak together, and the choice of the tightest of them."""

import abc
from dataclasses import dataclass, replace
from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import Witness
from dalenius.composition.releases import Releases
from dalenius.errors import DaleniusError
from dalenius.named_values import NamedValues
from dalenius.notions import Notion
from dalenius.tabular import Cell, Tabular, between, cell, ends


@final
@dataclass(frozen=True)
class RouteBound:
    """A bound that a route proves about all releases together.

    Attributes:
        value: The enclosed leakage in nats: lower <= truth <= upper.
        delta: δ, the probability with which more may leak.
        hypotheses: What the bound rests on, each in words and checked on the model.
        witness: Where the upper end is attained; None where that is not known.
    """

    value: Enclosure
    delta: float
    hypotheses: tuple[str, ...]
    witness: Witness | None = None

    @property
    def upper(self) -> float:
        """The most that leaks, in nats."""
        return self.value.upper


@final
@dataclass(frozen=True)
class Tried:
    """A route that was tried: its bound, or the reason why it does not apply."""

    route: str
    bound: RouteBound | None
    reason: str | None = None


@final
@dataclass(frozen=True, repr=False)
class Composed(Tabular):
    """The leakage of all releases together: the tightest bound and its route, and all other routes that were tried.

    Attributes:
        releases: The releases that were composed.
        notion: The notion, at the δ that was asked for.
        rule: How the notion composes, in words.
        route: The name of the route whose bound is the tightest.
        bound: That bound, in nats, with its δ and what it rests on.
        tried: Every route that was tried, in the rule's order of tightness, with its bound or why it does not apply.

    Example:
        >>> from dalenius import Count, InferentialPrivacy, Laplace, Release, Table, compose
        >>> pair = Table(records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=(0.45, 0.05, 0.05, 0.45))
        >>> found = compose([Release(pair, Count(), Laplace(scale=4))] * 2, InferentialPrivacy())  # a Composed
        >>> found.route, round(found.bound.upper, 6), round(found.each["group"].bound.upper, 6)
        ('joint', 0.897003, 1.0)
    """

    releases: Releases
    notion: Notion
    rule: str
    route: str
    bound: RouteBound
    tried: tuple[Tried, ...]

    @property
    def each(self) -> NamedValues[Tried]:
        """The routes that were tried, by their names."""
        return NamedValues("route", {tried.route: tried for tried in self.tried})

    @property
    def caption(self) -> str:
        """The title of the table."""
        return f"{len(self.releases)} releases together, {self.notion.kind} leakage in nats: {self.route} is tightest"

    def records(self) -> list[dict[str, Cell]]:
        """Return a row for each route that was tried.

        The columns are route, tightest, leakage_lower and leakage_upper (nats), delta, and why (what the bound rests
        on, or why the route does not apply).
        """
        return [
            {
                "route": each.route,
                "tightest": each.route == self.route,
                **ends("leakage", None if each.bound is None else each.bound.value),
                "delta": None if each.bound is None else each.bound.delta,
                "why": each.reason if each.bound is None else "; ".join(each.bound.hypotheses),
            }
            for each in self.tried
        ]

    def shown(self) -> list[dict[str, str]]:
        """Return the rows as people read them, without what the bounds rest on."""
        return [
            {
                "route": str(row["route"]),
                "leakage": between(row, "leakage"),
                "why not": "" if row["delta"] is not None else cell(row["why"]),
            }
            for row in self.records()
        ]


def tightest(tried: tuple[Tried, ...]) -> Tried | None:
    """Chooses the route of those `tried` with the tightest bound, the first within rounding; None for none."""
    found = [(each, each.bound.upper) for each in tried if each.bound is not None]
    # If no route applies, as to an adaptive sequence with unlimited noise, each route has its own reason.
    if not found:
        return None
    most = min(upper for _, upper in found)
    # Because bounds that differ by less, relatively, are as good: the first route in the order of tightness is named.
    return next(each for each, upper in found if upper <= most + 1e-9 * abs(most))


def with_common_lower(tried: tuple[Tried, ...], least: float = 0.0) -> tuple[Tried, ...]:
    """Raises every lower end of the routes `tried` to the largest, or to `least` nats: all bounds are of one truth."""
    lower = max((each.bound.value.lower for each in tried if each.bound is not None), default=0.0)
    lower = max(lower, least)

    def raised(bound: RouteBound) -> RouteBound:
        return replace(bound, value=Enclosure(min(lower, bound.upper), bound.upper))

    return tuple(each if each.bound is None else replace(each, bound=raised(each.bound)) for each in tried)


class Route(abc.ABC):
    """A way from single releases to what all of them leak together, under hypotheses that are checked on the model."""

    name: ClassVar[str]

    reads_channel: ClassVar[bool] = False
    """Whether it rests on the joint channel of the secrets alone; see `Method.reads_channel`."""

    def applies(self, releases: Releases) -> str | None:
        """Says why the route does not hold for these releases; None where it does, as by default."""
        return None

    @abc.abstractmethod
    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        """Bounds what all releases leak together.

        Args:
            releases: The releases.
            notion: The notion of leakage.
            delta: δ of the composed guarantee, a probability.

        Raises:
            InputError, TooLarge: If the model or a noise does not allow it.
        """


def fixed(releases: Releases) -> tuple[str, ...]:
    """States what sums of losses rest on where later releases depend on earlier outputs.

    A sum may be limited beforehand, of pure losses or of the squares of Gaussian noise's μ (Result 9.7).
    """
    return ("the losses were fixed beforehand, or their sum was limited beforehand",) if releases.adaptive else ()


def outcome_of(route: Route, releases: Releases, notion: Notion, delta: float) -> Tried:
    """Tries a `route` for these `releases`, `notion` and `delta`: its bound, or the reason why there is none."""
    try:
        # Because losses of records say nothing about secrets of several people, or about known answers.
        if not route.reads_channel:
            for release in releases.each:
                release.worlds.check_plain_records(f"route {route.name}")
        reason = route.applies(releases)
        return Tried(route.name, None if reason else route.bound(releases, notion, delta), reason)
    except DaleniusError as error:
        return Tried(route.name, None, str(error))
