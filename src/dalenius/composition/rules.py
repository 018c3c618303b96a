"""Answers that are independent given each record: their inferential leakages add (IDP Prop 1).

Which routes compose a notion: the rule where there is one, the reason where there is none.

A notion says by what it is implied, and that decides: a promise that inferential privacy implies takes any route; one
that only a whole group's noise implies takes those that hold whatever is known of others.

Twins whose records are always the same, each counted by one of two releases with Laplace noise of scale 2: a count
loses .5 nats of the record it asks, and both together leak 1 nat of either twin, whose record decides both answers.

>>> from dalenius import Count, Laplace, Table
>>> twins = Table(records=((0, 0), (1, 1)), probabilities=(0.5, 0.5), labels=("a", "b"))
>>> found = compose([Release(twins, Count(labels=(one,)), Laplace(scale=2)) for one in "ab"], InferentialPrivacy())
>>> found.route, round(found.bound.upper, 6)
('joint', 1.0)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import fsum, inf, nextafter
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import FiniteChannel, Release
from dalenius.composition.releases import (
    Composed,
    Releases,
    Route,
    RouteBound,
    outcome_of,
    releases_of,
    tightest,
    with_common_lower,
)
from dalenius.composition.routes import (
    ADAPTIVE,
    AdditionRoute,
    ConversionRoute,
    GroupRoute,
    JointRoute,
    WeakDependenceRoute,
)
from dalenius.errors import InputError, Refused, TooLarge
from dalenius.joints import count_people
from dalenius.laws.law import Array, Law
from dalenius.notions import InferentialPrivacy, Notion, Proof


@final
@dataclass(frozen=True)
class _Separation:
    """How far the joint law is from the product given the records of one person: the least and the largest log-ratio,
    over the answers that can occur; person, record, answers: where it is not the product."""

    least: float = 0.0
    most: float = 0.0
    where: str | None = None


@final
class ConditionalIndependenceRoute(Route):
    """Given any value of a record, the answers that its group moves are independent of each other; then so are the
    outputs, and for each pair of values the log-ratios add (IDP Prop 1). The hypothesis is tested on the exact joint
    law of the answers, whatever the noise: what it is off the product, in nats, counts.
    """

    name: ClassVar[str] = "conditional_independence"

    def applies(self, releases: Releases) -> str | None:
        # Of an adaptive sequence only the branch taken is here, and independence in it says nothing of the others.
        return ADAPTIVE if releases.adaptive else _separation(releases).where

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        separation, count = _separation(releases), len(releases)
        # Notions of which no such rule is known are bounded by the inferential leakage.
        # Relatively, of each release's delta: more than what TOLERANCE costs.
        share = delta / count * (1 - 1e-8)
        given = notion
        if not notion.properties.adds_given_record:
            given = InferentialPrivacy(delta=share if notion.properties.keeps_delta else 0.0)
        elif notion.properties.has_delta:
            given = notion.altered({"delta": share})
        each = [given.leakage(release).upper for release in releases.each]
        total = nextafter(fsum([*each, separation.most - separation.least]), inf)
        rests = (
            "given any value of any record the answers are independent: their joint law is the product, tested on the "
            "model",
        )
        return RouteBound(Enclosure(0.0, total), delta, rests)


@lru_cache(maxsize=1)  # asked whether it holds, and then by how much
def _separation(releases: Releases) -> _Separation:
    """Over all people; the first where the joint law is not the product."""
    ends = np.cumsum([0, *(len(release.names) for release in releases.each)]).tolist()
    people = max(count_people(joint) for joint in releases.exact.worlds.joints)
    least = most = 0.0
    for channel in releases.exact.channels():
        whose = [next(n for n, (low, high) in enumerate(pairwise(ends)) if low <= axis < high) for axis in channel.axes]
        # A group that one release alone asks of: nothing is to be independent.
        if len(set(whose)) < 2:
            continue
        releases_by_axis = _by_axis(channel, whose)
        found = _shared(channel, releases_by_axis)
        # Two counts of one household: answers that determine each other are seen without their joint law.
        if found.where is None:
            found = _of_subject(channel, [min(releases) for releases in releases_by_axis], people)
        least, most = min(least, found.least), max(most, found.most)
        if found.where is not None:  # one record for which it fails is enough
            return found
    return _Separation(least, most)


def _by_axis(channel: FiniteChannel, whose: list[int]) -> list[set[int]]:
    """By axis of the law's box, the releases that ask it; whose: by coordinate of the answer. An axis has several
    coordinates where these determine each other."""
    count = len(channel.likelihood.box)
    origin = channel.mechanism.output([0] * count)
    found = []
    for axis in range(count):
        moved = channel.mechanism.output([int(other == axis) for other in range(count)])
        pairs = zip(origin, moved, whose, strict=True)
        found.append({release for one, other, release in pairs if one != other})
    return found


def _shared(channel: FiniteChannel, releases_by_axis: list[set[int]]) -> _Separation:
    """Where several releases ask one answer that is not certain given a record."""
    for axis in [axis for axis, releases in enumerate(releases_by_axis) if len(releases) > 1]:
        others = tuple(other for other in range(len(releases_by_axis)) if other != axis)
        for place, secret in enumerate(channel.secrets):
            if np.count_nonzero(np.any(channel.likelihood.relative[place] > -inf, axis=others)) > 1:
                first, second = sorted(releases_by_axis[axis])[:2]
                where = f"the answers of releases {first + 1} and {second + 1} determine each other"
                return _Separation(where=f"{_given(channel, secret)}: {where}")
    return _Separation()


def _given(channel: FiniteChannel, secret: object) -> str:
    """In words: of which record, and given which value of it, the answers depend on each other."""
    person = f"person {channel.subject.person} ({channel.subject.who})"
    return f"the answers are not independent given that the record of {person} is {secret!r}"


def _of_subject(channel: FiniteChannel, whose: list[int], people: int) -> _Separation:
    """How far the answers' joint law given each value of this record is from the product of each release's own law.

    whose: by axis, the release that asks it; people: of the whole law, whose number the rounding grows with. It stops
    at the first value where the two differ by more than TOLERANCE. TooLarge for more than 2^23 answers.
    """
    law = channel.likelihood
    # Ten counts of a town: every combination of answers would be a cell.
    if law.base.size > 2**23:
        raise TooLarge("the joint law of the answers", f"{law.base.size} of them", "use the conversion route")
    least = most = 0.0
    # The common part of the logs is a sum over people, rounded each time: of a million people it may be far off.
    deepest = float(np.max(np.abs(law.base), initial=0.0))
    doubt = channel.error + 64 * UNIT * (1 + people + law.base.size + deepest)
    for place, secret in enumerate(channel.secrets):
        logs = law.base + law.relative[place]
        off = _off(logs - np.logaddexp.reduce(logs, axis=None), whose)
        least, most = min(least, float(off.min()) - doubt), max(most, float(off.max()) + doubt)
        # Nats by which the joint law may differ from the product: they are added to the bound.
        if not max(-least, most) <= 1e-9:
            at = int(np.argmax(np.abs(off)))
            answers = ", ".join(f"{value:g}" for value in map(float, channel.lattice.point(_index(law, at))))
            where = f"{_given(channel, secret)}: {answers} together are not as likely as by the product"
            return _Separation(least, most, where)
    return _Separation(least, most)


def _off(logs: Array, whose: list[int]) -> Array:
    """log Pr[all answers] - Σ log Pr[each release's], 0 where a release's own cannot occur."""
    product = np.zeros(logs.shape)
    for release in set(whose):
        others = tuple(axis for axis, own in enumerate(whose) if own != release)
        product = product + np.logaddexp.reduce(logs, axis=others, keepdims=True) if others else product + logs
    possible = product > -inf
    return np.asarray(np.where(possible, np.where(possible, logs, 0.0) - np.where(possible, product, 0.0), 0.0))


def _index(law: Law, at: int) -> list[int]:
    return [int(i) + start for i, start in zip(np.unravel_index(at, law.box), law.start, strict=True)]


@final
@dataclass(frozen=True)
class CompositionRule:
    """How a notion composes, in words, and its routes in order of tightness."""

    words: str
    routes: tuple[Route, ...] = ()


RULES: Final[Mapping[Proof, CompositionRule]] = {
    "inferential": CompositionRule(
        "own leakages do not add (E4', IP Prop 6): the joint channel, or differential losses added and converted once",
        (JointRoute(), ConditionalIndependenceRoute(), ConversionRoute(), WeakDependenceRoute(), GroupRoute()),
    ),
    "record": CompositionRule("losses add, record by record", (JointRoute(), AdditionRoute())),
    "group": CompositionRule(
        "own leakages do not add, and others' records may be known: the joint channel, or the losses of whole groups",
        (JointRoute(), GroupRoute()),
    ),
    "absence": CompositionRule(
        "the belief after each answer decides what the next one costs (E5, Result 6.3): `Accountant` keeps it, from "
        "answer to answer"
    ),
    "nothing": CompositionRule("nothing is known to imply it: the joint channel alone", (JointRoute(),)),
}


def rule_of(notion: Notion) -> CompositionRule:
    """The notion's rule."""
    return RULES[notion.properties.implied_by]


def compose(
    releases: Sequence[Release] | Releases, notion: Notion, route: str | None = None, delta: float | None = None
) -> Composed:
    """What releases of the same records leak together, by the least sound route, or by the one named.

    delta: of the answer, by default the notion's. InputError for a route that the notion has not, or whose hypothesis
    fails, with the person and the record it fails for; Refused where no route applies, with every reason, and where
    what a model supposes cannot hold.
    """
    given, rule = releases_of(releases), rule_of(notion)
    _check_supposed(given, notion)
    at_delta, chosen = _at(notion, delta)
    if not rule.routes:  # identifiability: the next answer's cost depends on what came out
        raise Refused(f"{notion.kind}: no rule for releases alone: {rule.words}")
    routes = [each for each in rule.routes if route in (None, each.name)]
    if not routes:
        names = ", ".join(each.name for each in rule.routes)
        raise InputError("route", route, f"one that {notion.kind} has: {names}")
    every = with_common_lower(tuple(outcome_of(each, given, at_delta, chosen) for each in routes))
    best = tightest(every)
    if best is None or best.bound is None:
        reasons = "; ".join(f"{each.route}: {each.reason}" for each in every)
        # Whoever names a route is told why that one fails; whoever names none, why each does.
        if route is not None:
            raise InputError("route", route, f"a route whose hypotheses hold: {every[0].reason}")
        raise Refused(f"no route composes these releases: {reasons}")
    return Composed(given, at_delta, rule.words, best.route, best.bound, every)


def _check_supposed(releases: Releases, notion: Notion) -> None:
    """Refused where what a model supposes cannot hold, and the notion is of the model."""
    for release in releases.each:
        # Losses of single records suppose nothing of the records' law: they hold whatever a model gets wrong.
        if notion.properties.implied_by != "record" and release.worlds.contradiction is not None:
            raise Refused(release.worlds.contradiction)


def _at(notion: Notion, delta: float | None) -> tuple[Notion, float]:
    """The notion at that delta, and the delta."""
    if delta is None:  # no --delta: the promise's own
        return notion, notion.promised_delta or 0.0
    if not 0 <= delta < 1:
        raise InputError("delta", delta, "a number of at least 0 and below 1")
    # `--delta` beside an (ε, δ) promise: it is that promise with another delta.
    if notion.properties.has_delta:
        return notion.altered({"delta": delta}), delta
    if delta and notion.properties.implied_by != "record":
        raise InputError("delta", delta, f"0: {notion.kind} has none")
    return notion, delta
