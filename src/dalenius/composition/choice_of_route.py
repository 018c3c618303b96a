"""Choice of the routes that compose a notion: its rule where there is one, else the reason why there is none.

The notion says by what it is implied, and that decides. A promise that inferential privacy implies takes any route. A
promise that only a whole group's noise implies takes the routes that hold whatever is known of others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from dalenius.channel import Release
from dalenius.composition.releases import Releases, releases_of
from dalenius.composition.route import Composed, Route, outcome_of, tightest, with_common_lower
from dalenius.composition.routes import AdditionRoute, ConversionRoute, GroupRoute, JointRoute, WeakDependenceRoute
from dalenius.composition.single_answers import most_of_one_answer
from dalenius.errors import InputError, Refused
from dalenius.notions import Notion, Proof


@final
@dataclass(frozen=True)
class CompositionRule:
    """The way a notion composes, in words, and its routes in order of tightness; none here for absences."""

    words: str
    routes: tuple[Route, ...] = ()


RULES: Final[Mapping[Proof, CompositionRule]] = {
    "inferential": CompositionRule(
        "own leakages do not add up (E4', IP Prop 6): use the joint channel, or differential losses, converted once",
        (JointRoute(), ConversionRoute(), WeakDependenceRoute(), GroupRoute()),
    ),
    "record": CompositionRule("losses add, record by record", (JointRoute(), AdditionRoute())),
    "group": CompositionRule(
        "own leakages do not add up, and others' records may be known: use the joint channel, or group losses",
        (JointRoute(), GroupRoute()),
    ),
    "absence": CompositionRule(
        "own leakages do not add up (E5): use the joint law of the answers, or add up how far odds may move. "
        "`dalenius identify` finds each answer's noise for the belief after all earlier answers (Result 6.3)"
    ),
    "nothing": CompositionRule("no notion is known to imply it: use the joint channel alone", (JointRoute(),)),
}


def rule_of(notion: Notion) -> CompositionRule:
    """Looks up how the notion composes."""
    return RULES[notion.properties.implied_by]


def compose(
    releases: Sequence[Release] | Releases, notion: Notion, route: str | None = None, delta: float | None = None
) -> Composed:
    """Bound what several releases of the same records leak together, by the tightest sound route.

    In the example, the records of twins are always the same, and each of two releases with Laplace noise of scale 2
    counts one twin. Each loses 0.5 nats of the record it asks. Both together leak 1 nat of either twin, whose record
    decides both answers.

    Args:
        releases: The releases, under one model, with the same secrets and adversary. Give `Releases` if later
            questions depend on earlier answers; a list means that they were fixed beforehand.
        notion: The notion of leakage that is bounded.
        route: The name of a route, such as `"joint"` or `"conversion"`. None, the default, tries all that the notion
            has and takes the tightest.
        delta: δ of the composed guarantee, a probability below 1. None, the default, means the notion's δ, or 0.

    Returns:
        The tightest bound in nats, its route, and what every other route found.

    Raises:
        InputError: For a route that the notion does not have, or whose hypothesis fails; for a `delta` that is out of
            range, or above 0 for a notion that allows none.
        Refused: Where no route applies, with every reason; and where what a model supposes cannot hold.

    Example:
        >>> from dalenius import Count, InferentialPrivacy, Laplace, Table
        >>> twins = Table(records=((0, 0), (1, 1)), probabilities=(0.5, 0.5), labels=("a", "b"))
        >>> each = [Release(twins, Count(labels=(one,)), Laplace(scale=2)) for one in "ab"]
        >>> found = compose(each, InferentialPrivacy())
        >>> found.route, round(found.bound.upper, 6)
        ('joint', 1.0)

    Notes:
        Inferential leakages of single releases do not add (IP Prop 6); the rules are those of Theory §9.
    """
    given, rule = releases_of(releases), rule_of(notion)
    _check_supposed(given, notion)
    at_delta, chosen = _at(notion, delta)
    every_route = rule.routes or _of_absences()
    routes = [each for each in every_route if route in (None, each.name)]
    if not routes:
        names = ", ".join(each.name for each in every_route)
        raise InputError("route", route, f"one that {notion.kind} has: {names}")
    every = with_common_lower(tuple(outcome_of(each, given, at_delta, chosen) for each in routes))
    best = tightest(every)
    # If no route has an upper end, one answer alone often decides whether there is one.
    if best is not None and best.bound is not None and best.bound.value.half_open and _is_its_own(at_delta, chosen):
        every = with_common_lower(every, 0.0 if given.adaptive else most_of_one_answer(given, at_delta))
        best = tightest(every)
    if best is None or best.bound is None:
        reasons = "; ".join(f"{each.route}: {each.reason}" for each in every)
        # If a route is named, the error says why that one fails; else why each does.
        if route is not None:
            raise InputError("route", route, f"a route whose hypotheses hold: {every[0].reason}")
        raise Refused(f"no route composes these releases: {reasons}")
    return Composed(given, at_delta, rule.words, best.route, best.bound, every)


def _of_absences() -> Sequence[Route]:
    """Returns the routes for who is absent, which are imported where they are asked for."""
    from dalenius.composition.absences_together import ROUTES

    return ROUTES


def _check_supposed(releases: Releases, notion: Notion) -> None:
    """Raises Refused where what a model supposes cannot hold, and the notion is of the model."""
    for release in releases.each:
        # Because losses of single records suppose nothing about the records' law, they hold whatever a model gets
        # wrong.
        if notion.properties.implied_by != "record" and release.worlds.contradiction is not None:
            raise Refused(release.worlds.contradiction)


def _is_its_own(notion: Notion, delta: float) -> bool:
    """Says whether the answer is asked for at the notion's delta, so that its leakage bounds from below too."""
    return delta == (notion.promised_delta or 0.0)


def _at(notion: Notion, delta: float | None) -> tuple[Notion, float]:
    """Returns the notion at that delta, and the delta."""
    if delta is None:  # no --delta: the promise's own
        return notion, notion.promised_delta or 0.0
    if not 0 <= delta < 1:
        raise InputError("delta", delta, "a number of at least 0 and below 1")
    # With `--delta`, an (ε, δ) promise is that promise with another delta.
    if notion.properties.has_delta:
        return notion.altered({"delta": delta}), delta
    if delta and notion.properties.implied_by != "record":
        raise InputError("delta", delta, f"0: {notion.kind} has none")
    return notion, delta
