"""Which routes compose a notion: the rule where there is one, the reason where there is none.

A notion says by what it is implied, and that decides: a promise that inferential privacy implies takes any route; one
that only a whole group's noise implies takes those that hold whatever is known of others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from dalenius.channel import Release
from dalenius.composition.conditional_independence import ConditionalIndependenceRoute
from dalenius.composition.releases import Releases, releases_of
from dalenius.composition.route import Composed, Route, least, tried, with_common_lower
from dalenius.composition.routes import (
    AdditionRoute,
    ConversionRoute,
    GroupRoute,
    JointRoute,
    ParallelRoute,
    WeakDependenceRoute,
)
from dalenius.errors import InputError, Refused
from dalenius.notions import Notion, Proof

_WITHIN: Final[tuple[Route, ...]] = (
    JointRoute(),
    ConditionalIndependenceRoute(),
    ConversionRoute(),
    WeakDependenceRoute(),
    GroupRoute(),
)


@final
@dataclass(frozen=True)
class Rule:
    """How a notion composes, in words, and its routes in order of tightness."""

    words: str
    routes: tuple[Route, ...] = ()


RULES: Final[Mapping[Proof, Rule]] = {
    "inferential": Rule(
        "own leakages do not add (E4', IP Prop 6): the joint channel, or differential losses added and converted once",
        (_WITHIN[0], ParallelRoute(_WITHIN), *_WITHIN[1:]),
    ),
    "record": Rule("losses add, record by record", (JointRoute(), AdditionRoute())),
    "group": Rule(
        "own leakages do not add, and others' records may be known: the joint channel, or the losses of whole groups",
        (JointRoute(), GroupRoute()),
    ),
    "absence": Rule(
        "the belief after each answer decides what the next one costs (E5, Result 6.3): `Accountant` keeps it, from "
        "answer to answer"
    ),
    "nothing": Rule("nothing is known to imply it: the joint channel alone", (JointRoute(),)),
}


def rule_of(notion: Notion) -> Rule:
    """The notion's rule."""
    return RULES[notion.implied_by]


def compose(
    releases: Sequence[Release] | Releases, notion: Notion, route: str | None = None, delta: float | None = None
) -> Composed:
    """What releases of the same records leak together, by the tightest sound route, or by the one named.

    delta: of the answer, by default the notion's. InputError for a route that the notion has not, or whose hypothesis
    fails, with the person and the record it fails for; Refused where no route applies, with every reason, and where
    what a model supposes cannot hold.
    """
    given, rule = releases_of(releases), rule_of(notion)
    _check_supposed(given, notion)
    asked, chosen = _at(notion, delta)
    if not rule.routes:
        raise Refused(f"{notion.kind}: no rule for releases alone: {rule.words}")
    routes = [each for each in rule.routes if route in (None, each.name)]
    if not routes:
        names = ", ".join(each.name for each in rule.routes)
        raise InputError("route", route, f"one that {notion.kind} has: {names}")
    every = with_common_lower(tuple(tried(each, given, asked, chosen) for each in routes))
    best = least(every)
    if best is None or best.bound is None:
        reasons = "; ".join(f"{each.route}: {each.reason}" for each in every)
        if route is not None:
            raise InputError("route", route, f"a route whose hypotheses hold: {every[0].reason}")
        raise Refused(f"no route composes these releases: {reasons}")
    return Composed(given, asked, rule.words, best.route, best.bound, every)


def _check_supposed(releases: Releases, notion: Notion) -> None:
    """Refused where what a model supposes cannot hold, and the notion is of the model."""
    for release in releases.each:
        if notion.implied_by != "record" and release.contradiction is not None:
            raise Refused(release.contradiction)


def _at(notion: Notion, delta: float | None) -> tuple[Notion, float]:
    """The notion at that delta, and the delta."""
    if delta is None:
        return notion, notion.promised_delta or 0.0
    if not 0 <= delta < 1:
        raise InputError("delta", delta, "a number of at least 0 and below 1")
    if notion.has_delta:
        return notion.altered({"delta": delta}), delta
    if delta and notion.implied_by != "record":
        raise InputError("delta", delta, f"0: {notion.kind} has none")
    return notion, delta
