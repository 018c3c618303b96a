"""What any pipeline can leak of the members of groups whose law is known to lie in a box (Results 21.25 and 21.26).

Of a pure guarantee it is a ratio for every extreme way in which a test can flag the others' states.

Whoever has an ε-DP pipeline from another library, of which nothing else is known, and a model whose probabilities are
intervals. The extreme tests of others' states in a row 0, 1, 2 of one neighbour each are four:

>>> _rays(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])).tolist()
[[-2, -1, 0], [0, -1, 0], [0, 1, 0], [2, 1, 0]]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, inf, log1p
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import delta_of_log_ratio, share_above
from dalenius.conversion.bounded_records import Bounded, Whose
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.group_program import needed, solve
from dalenius.conversion.least_epsilon import crossing, pure_leakage
from dalenius.conversion.profile import PrivacyProfile
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.intervals.any_pipeline_question import GroupQuestion, anyhow, largest_tried, questions_of, rough
from dalenius.ratios.intervals.groups_of_boxes import CredalGroups
from dalenius.ratios.intervals.quotients import Quotients
from dalenius.ratios.intervals.supremum import largest_over_laws

_DEEPEST: Final = 600.0
_AT_ONCE: Final = 512
"""Rays whose ratios are bounded together."""
_OFF: Final = 1e-12
_SAME: Final = 1 + 1e-6
_MOST: Final = 4096
_TRIED: Final = 200_000


@final
@dataclass(frozen=True, eq=False)
class AnyGroup(Bounded):
    """The groups of all blocks; questions: about them, no two with the same answer. A δ is bounded by the ratio
    where there is one, and by what takes every chance at the end that leaks more; some extreme laws attain its lower
    end. around: see `CredalGroups`, lower ends are 0 then."""

    questions: tuple[GroupQuestion, ...]
    around: bool

    def delta(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[Whose, Enclosure]:
        """The person it is largest of, and the δ′ at ε′ = epsilon of any such pipeline, asked `steps` times, over
        all laws."""
        upper, question = self._largest(profile, steps, epsilon)
        laws = self._at_corners(question) if upper else ()
        lower = max((solve(each, profile, epsilon, steps).delta.lower for each in laws), default=0.0)
        return _whose(question), Enclosure(min(lower, upper), upper)

    def epsilon(self, profile: PrivacyProfile, steps: int, delta: float) -> tuple[Whose, Enclosure]:
        """The person, and the ε′ (nats) that is enough for δ′ = delta, over all laws of the box."""
        if not delta:
            found = {each: _pure(each, profile, steps) for each in self.questions}
            upper = max(each.upper for each in found.values())
            # Of questions that leak as much but for roundings the first, on every processor the same.
            question = next(each for each, value in found.items() if value.upper * _SAME >= upper)
            # Laws around those meant: that one of them leaks so much does not say that one of those meant does.
            lower = 0.0 if self.around else max(each.lower for each in found.values())
            return _whose(question), Enclosure(lower, upper)
        ratio = self._ratio(profile, steps)
        enough = [_enough(each, profile, steps, delta, ratio) for each in self.questions]
        upper, inner, lower = max(enough), profile.within or profile, 0.0
        question = self.questions[enough.index(upper)]
        for law in self._at_corners(question):
            # From below by what is attained at least (`within`), which may be a smaller profile.
            lower = max(lower, crossing(law, inner, delta, steps, lower).lower)
        return _whose(question), Enclosure(min(lower, upper), upper)

    def keeps(self, profile: PrivacyProfile, steps: int, epsilon: float, delta: float) -> bool:
        """Whether every law and pipeline keeps (epsilon, delta) for certain."""
        return self._ratio(profile, steps) <= epsilon or (delta > 0 and self.above(profile, steps, epsilon) <= delta)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        return self._largest(profile, steps, epsilon)[0]

    def _at_corners(self, question: GroupQuestion) -> Iterator[Dependence]:
        return iter(()) if self.around else _at_corners(question)

    def _largest(self, profile: PrivacyProfile, steps: int, epsilon: float) -> tuple[float, GroupQuestion]:
        """δ′ from above, and of which question."""
        ratio = self._ratio(profile, steps)
        found = [_delta(each, profile, steps, epsilon, ratio) for each in self.questions]
        upper = max(found)
        return upper, self.questions[found.index(upper)]

    def _ratio(self, profile: PrivacyProfile, steps: int) -> float:
        """ε′ at δ′ = 0, from above, of all questions: with both ways of telling two values apart."""
        return max(_pure(each, profile, steps).upper for each in self.questions)


def any_group(law: CredalGroups, information: bool) -> AnyGroup | None:
    """None where nobody has a secret. TooLarge where a group has too many states."""
    values = tuple(value for stratum in law.strata() for value in stratum.values)
    found: dict[tuple[bytes, ...], GroupQuestion] = {}
    for block, factor in zip(law.blocks, law.factors, strict=True):
        for each in questions_of(block, factor, values, information):
            # Blocks of other labels may put the same question.
            found.setdefault(each.key, each)
    return AnyGroup(tuple(found.values()), law.around) if found else None


def _whose(question: GroupQuestion) -> Whose:
    return Whose(question.person, question.who, question.secret, question.against)


def _at_corners(question: GroupQuestion) -> Iterator[Dependence]:
    """The question under some extreme laws."""
    return (each for law in largest_tried(question) if (each := question.at(law)) is not None)


def _delta(question: GroupQuestion, profile: PrivacyProfile, steps: int, epsilon: float, ratio: float) -> float:
    """δ′ from above, by that at δ′ = 0 of all questions."""
    found = share_above(ratio, epsilon) if question.against is None else delta_of_log_ratio(ratio, epsilon)
    # Both take the law at its worst, differently; a ratio that keeps epsilon needs neither.
    for bound in (rough(question), anyhow(question)) if found else ():
        found = min(found, solve(bound, profile, epsilon, steps, None, None, True).delta.upper)
    return found


def _enough(question: GroupQuestion, profile: PrivacyProfile, steps: int, delta: float, ratio: float) -> float:
    """An ε′ that is enough for δ′ = delta, above 0."""
    found = ratio
    # Where e^ratio is a double; beyond, the ratio alone is enough and says nothing about δ.
    if ratio < _DEEPEST:
        # Where share_above, or delta_of_log_ratio, comes down to delta.
        over = delta if question.against is None else delta * (1 + exp(-ratio))
        found = max(ratio + log1p(-over), 0.0) * (1 + _OFF) + _OFF if over < 1 else 0.0
    for bound in (rough(question), anyhow(question)):
        found = min(found, crossing(bound, profile, delta, steps, 0.0).upper)
    return found


def _pure(question: GroupQuestion, profile: PrivacyProfile, steps: int) -> Enclosure:
    """The largest ε′ at δ′ = 0: a ratio for every ray; where a test can flag in too many ways, of what bounds all laws
    and of some extreme ones. Without an upper end where the profile is not pure."""
    if profile.pure is None:
        return Enclosure(inf, inf)
    nats = profile.pure * steps
    ways = _rays(question.distance)
    # A group of fourteen has too many ways to be flagged, and a loose ε too large an exponential: bounds of each chance
    # at its own worst, then.
    if ways is None or nats * (question.size + 1) > _DEEPEST:
        upper = min(pure_leakage(each, profile.pure, steps).upper for each in (rough(question), anyhow(question)))
        laws = (pure_leakage(each, profile.pure, steps).lower for each in _at_corners(question))
        return Enclosure(min(max(laws, default=0.0), upper), upper)
    # A test may flag states that are k records apart e^{k·ε} times as often: the extreme ones do, exactly.
    flags = np.exp(nats * (ways - ways.max(axis=1, keepdims=True)))
    lower, upper = 0.0, 0.0
    for first in range(0, len(flags), _AT_ONCE):
        found = largest_over_laws(question.box, _quotients(question, flags[first : first + _AT_ONCE], exp(nats)))
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
    being 0. None where there are more than 4096, or finding them takes long."""
    n = len(distance)
    near = np.triu(needed(distance))
    of, by = np.nonzero(near)
    # States that neighbour like a tree, as the number of ill in a group does: every choice of signs along its edges is
    # a ray.
    if len(of) == n - 1:
        if n - 1 > np.log2(_MOST):
            return None
        return _of_tree(distance, of, by)
    # Beyond it the search below would not end; of counts the case above has served.
    if n > 64:
        return None
    found: list[IntArray] = []
    for count, each in enumerate(_whole(distance, _parities(distance, of, by))):
        if count > _TRIED or len(found) > _MOST:
            return None
        # Extreme: enough of the inequalities are equalities to fix all of w.
        if _is_joined(np.abs(each[of] - each[by]) == distance[of, by], of, by, n):
            found.append(each)
    return np.array(found)


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


def _parities(distance: IntArray, of: IntArray, by: IntArray) -> IntArray | None:
    """Of every w, where all neighbours' distances fix them; None elsewhere."""
    found = distance[-1] % 2
    return found if ((found[of] + found[by] + distance[of, by]) % 2 == 0).all() else None


def _whole(distance: IntArray, parities: IntArray | None) -> Iterator[IntArray]:
    """All w, in whole numbers, of these parities."""
    n = len(distance)
    order = np.argsort(distance[-1], kind="stable")
    step = 1 if parities is None else 2
    w = np.zeros(n, dtype=np.int64)

    def placed(place: int) -> Iterator[IntArray]:
        if place == n:
            yield w.copy()
            return
        state, before = order[place], order[:place]
        low = int((w[before] - distance[state, before]).max())
        high = int((w[before] + distance[state, before]).min())
        # Halves the search: where neighbours are an odd distance apart, equalities fix which of w are odd.
        low += 0 if parities is None else (low + int(parities[state])) % 2
        for value in range(low, high + 1, step):
            w[state] = value
            yield from placed(place + 1)

    yield from placed(1)


def _is_joined(tight: IntArray, of: IntArray, by: IntArray, n: int) -> bool:
    """Whether the pairs that are tight join all states."""
    group = np.arange(n)
    for one, other in zip(of[tight].tolist(), by[tight].tolist(), strict=True):
        if group[one] != group[other]:
            group[group == group[one]] = group[other]
    return bool((group == group[0]).all())
