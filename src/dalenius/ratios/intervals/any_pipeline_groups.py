"""What any pipeline can leak of the members of groups whose law is known to lie in a box (Results 21.25 and 21.26).

Of a pure guarantee it is a ratio for every extreme way in which a test can flag the others' states.

Whoever has an ε-DP pipeline from another library, of which nothing else is known, and a model whose probabilities are
intervals. The extreme tests of others' states in a row 0, 1, 2 of one neighbour each are four:

>>> _rays(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])).tolist()
[[-2, -1, 0], [0, -1, 0], [0, 1, 0], [2, 1, 0]]
"""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import delta_of_log_ratio, share_above
from dalenius.conversion.bounded_records import BoundedAtZero, Whose
from dalenius.conversion.group_program import needed, solve
from dalenius.conversion.least_epsilon import pure_leakage
from dalenius.conversion.profile import PrivacyProfile
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.any_pipeline_question import GroupQuestion, questions_of
from dalenius.ratios.intervals.groups_of_boxes import CredalGroups
from dalenius.ratios.intervals.supremum import Quotients, largest_over_laws

_OFF: Final = 1e-12
"""Relative: more than the roundings of a supremum."""


@final
@dataclass(frozen=True, eq=False)
class AnyGroup(BoundedAtZero):
    """The groups of all blocks; questions: about them, no two with the same answer. A δ is bounded by the ratio where
    there is one, and by what bounds a question about all laws at once.
    around: see `CredalGroups`, lower ends are 0 then."""

    questions: tuple[GroupQuestion, ...]
    around: bool

    def whose(self, profile: PrivacyProfile, steps: int) -> Whose:
        """The person that any pipeline may leak most about, and of which values."""
        # Without a pure ε any will do to choose whom to name: 1 nat.
        question, _ = _worst(self, (profile.pure or 1.0) * steps)
        return Whose(question.person, question.who, question.secret, question.against)

    def at_zero(self, profile: PrivacyProfile, steps: int) -> Enclosure:
        """The least ε′ at δ′ = 0, in nats, of any pure pipeline; both ends infinite where the pipeline is not pure."""
        if profile.pure is None:
            return Enclosure(inf, inf)
        _, found = _worst(self, profile.pure * steps)
        # Laws around those meant: that one of them leaks so much does not say that one of those meant does.
        return Enclosure(0.0 if self.around else found.lower, found.upper)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """An upper end of δ′ at ε′ = epsilon."""
        return max(self._above(each, profile, steps, epsilon) for each in self.questions)

    def _above(self, question: GroupQuestion, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        ratio = self.at_zero(profile, steps).upper
        found = share_above(ratio, epsilon) if question.against is None else delta_of_log_ratio(ratio, epsilon)
        # A ratio that keeps epsilon needs no other bound.
        for bound in question.bounds if found else ():
            found = min(found, solve(bound, profile, epsilon, steps, None, None, True).delta.upper)
        return found


def any_group(law: CredalGroups, information: bool) -> AnyGroup | None:
    """None where nobody has a secret. TooLarge where a group has too many states."""
    values = tuple(value for stratum in law.strata() for value in stratum.values)
    found: dict[tuple[bytes, ...], GroupQuestion] = {}
    for block, factor in zip(law.blocks, law.factors, strict=True):
        for each in questions_of(block, factor, values, information):
            # Blocks of other labels may put the same question.
            found.setdefault(each.key, each)
    return AnyGroup(tuple(found.values()), law.around) if found else None


@lru_cache(maxsize=64)
def _worst(groups: AnyGroup, nats: float) -> tuple[GroupQuestion, Enclosure]:
    """Where a change of a record moves the likelihood by so many nats at most: the largest ε′ at δ′ = 0 over all laws,
    and of which question."""
    found = {each: _pure(each, nats) for each in groups.questions}
    upper = max(each.upper for each in found.values())
    # Of questions that leak as much but for roundings the first, on every processor the same.
    question = next(each for each, value in found.items() if value.upper * (1 + 1e-6) >= upper)
    return question, Enclosure(max(each.lower for each in found.values()), upper)


def _pure(question: GroupQuestion, nats: float) -> Enclosure:
    """The largest ε′ at δ′ = 0: a ratio for every ray; where a test can flag in too many ways, of what bounds all
    laws."""
    ways = _rays(question.distance)
    # Three people who are not alike, or a group of fourteen, can be flagged in too many ways, and of a loose ε the
    # exponential is too large: bounds of each chance at its own worst, then.
    # Nats, which the factors of two products of likelihoods may have: e^600 is a double.
    if ways is None or nats * (question.size + 1) > 600.0:
        upper = min(pure_leakage(bound, nats, 1).upper for bound in question.bounds)
        # What the record's own change may leak; how much a chance grows depends on the prior too.
        return Enclosure(0.0 if question.against is None else min(nats * (1 - _OFF), upper), upper)
    # A test may flag states that are k records apart e^{k·ε} times as often: the extreme ones do, exactly.
    flags = np.exp(nats * (ways - ways.max(axis=1, keepdims=True)))
    lower, upper = 0.0, 0.0
    for part in np.array_split(flags, 1 + len(flags) // 512):
        found = largest_over_laws(question.box, _quotients(question, part, exp(nats)))
        lower, upper = max(lower, found.lower * (1 - _OFF)), max(upper, found.upper * (1 + _OFF))
    return Enclosure(min(lower, upper), upper)


def _quotients(question: GroupQuestion, flags: Array, fold: float) -> Quotients:
    """Of tests that flag in proportion to `flags` (tests, n), and fold times as often where the record has the
    secret."""
    shape = (len(flags), len(question.box))
    own = np.broadcast_to(question.own, shape)
    gain, cost = fold * (flags @ question.gain), flags @ question.cost
    if question.against is None:
        return Quotients(gain, own, np.broadcast_to(question.own + question.other, shape), gain + cost)
    return Quotients(gain, own, np.broadcast_to(question.other, shape), cost)


def _rays(distance: IntArray) -> IntArray | None:
    """Whole numbers w (rays, n) with w(c) - w(c') <= distance(c, c') of which no n - 1 independent ones of these
    inequalities are strict: the extreme rays of v(c) <= e^{eps distance(c, c')} v(c') are e^{eps w}, the last state's w
    being 0. None where states do not neighbour like a tree, or there are more than 13 of them."""
    n = len(distance)
    of, by = np.nonzero(np.triu(needed(distance)))
    # As the number of ill in a group does: then every choice of signs along its edges is a ray.
    return _of_tree(distance, of, by) if len(of) == n - 1 <= 12 else None


def _of_tree(distance: IntArray, of: IntArray, by: IntArray) -> IntArray:
    """Every pair of neighbours with either sign."""
    n = len(distance)
    signs = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
    found = np.zeros((len(signs), n), dtype=np.int64)
    reached, edges = {n - 1}, list(enumerate(zip(of.tolist(), by.tolist(), strict=True)))
    while len(reached) < n:
        for edge, (one, other) in edges:
            if (one in reached) != (other in reached):
                old, new = (one, other) if one in reached else (other, one)
                found[:, new] = found[:, old] + np.where(signs[:, edge], 1, -1) * distance[old, new]
                reached.add(new)
    return found
