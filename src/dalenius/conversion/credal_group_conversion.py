"""Conversion for groups whose law is known to lie in a box (Results 21.25 and 21.26).

A question about a record is made of linear functions of its group's law. Its bounds for all laws of the box at once
take every chance at the end that leaks more. For a pure guarantee it is a ratio for every extreme way in which a test
can flag the others' states.

Take a couple that is ill together with p in [.2, .6] and well with the rest. For a chance (.5 p + .1 (1 - p)) given the
secret's own p + .5 (1 - p) the largest quotient is at p = .6, .34/.8 = .425. There are four extreme tests of others'
states in a row 0, 1, 2 of one neighbour each.

>>> box = Box(np.array([0.2, 0.4]), np.array([0.6, 0.8]))
>>> _largest_quotients(box, np.array([[0.5, 0.1]]), np.array([1.0, 0.5])).round(6).tolist()
[0.425]
>>> _rays(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])).tolist()
[[-2, -1, 0], [0, -1, 0], [0, 1, 0], [2, 1, 0]]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import exp, log1p
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bisection import bisected_all
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import delta_of_log_ratio, share_above
from dalenius.conversion.bounds_for_large_groups import EVERY_LAW_WITHIN, Bounded, Whose
from dalenius.conversion.conditional_law_of_others import Dependence, by_state, distances, too_many_states
from dalenius.conversion.group_linear_program import needed, solve
from dalenius.conversion.leaked_epsilon import crossing, pure_leakage
from dalenius.conversion.limits import MOST_STATES
from dalenius.conversion.profile import PrivacyProfile
from dalenius.fields import RecordValue
from dalenius.intervals.credal_supremum import Quotients, largest_over_laws
from dalenius.intervals.groups_with_intervals import CredalBlock, CredalGroups
from dalenius.joints.identical_groups import Exchangeable
from dalenius.laws.box import Box

_OFF: Final = 1e-12
"""A bound on the relative roundings of a largest quotient, or of a supremum."""


@final
@dataclass(frozen=True, eq=False)
class GroupQuestion:
    """A question as `Dependence` asks it, under every law p of a box.

    gain (n, m) and cost (n, m), times p, are the chances of the others' states together with the secret, and with the
    other value, or any other value where against is None.
    """

    person: int
    who: str
    secret: RecordValue
    against: RecordValue | None
    box: Box
    gain: Array
    cost: Array
    states: IntArray
    counted: bool
    size: int

    @property
    def key(self) -> tuple[bytes, ...]:
        """The numbers on which the answer depends."""
        parts = self.gain, self.cost, self.distance, self.box.lower, self.box.upper
        return (*(each.tobytes() for each in parts), str(self.against is None).encode())

    @cached_property
    def distance(self) -> IntArray:
        """The number of the others' records that differ (n, n)."""
        return distances(self.states, self.counted)

    @cached_property
    def own(self) -> Array:
        """The coefficients of the secret's chance (m,)."""
        return np.asarray(self.gain.sum(axis=0))

    @cached_property
    def other(self) -> Array:
        """The coefficients of the chance of what the secret is compared with (m,)."""
        return np.asarray(self.cost.sum(axis=0))

    @property
    def possible(self) -> bool:
        """Whether both can be under some law."""
        return bool(self.own @ self.box.upper > 0 and self.other @ self.box.upper > 0)

    @cached_property
    def bounds(self) -> tuple[Dependence, Dependence]:
        """The two questions of one law that bound this one.

        The leakage grows with the chances of the others' states given the secret, and falls with those given the other
        value, and with the secret's own. The first takes each chance at its own worst law, all at once, which no law
        need be. The second has two states, whatever the law: all others as they are, or all changed at once, which is
        `group` privacy.
        """
        box = self.box
        gain = np.minimum(_largest_quotients(box, self.gain, self.own) * (1 + _OFF), 1.0)
        if self.against is None:
            # Because a chance can grow most where it was smallest.
            share = max(float(box.smallest(self.own)) * (1 - _OFF), 0.0)
            cost = np.maximum(box.smallest(self.cost) * (1 - _OFF), 0.0)
        else:
            # Because the least of a quotient is 1 less the largest of what is left.
            rest = _largest_quotients(box, self.other - self.cost, self.other)
            share, cost = 0.0, np.maximum(1 - rest * (1 + _OFF) - _OFF, 0.0)
        # Because states that neither value allows take no part, and would only enlarge the program.
        kept = np.flatnonzero((gain > 0) | (cost > 0))
        near = self._bound(gain[kept], cost[kept], share, self.distance[np.ix_(kept, kept)])
        away = np.array([[0, self.size - 1], [self.size - 1, 0]])
        return near, self._bound(np.array([1.0, 0.0]), np.array([0.0, 1.0 - share]), share, away)

    def _bound(self, gain: Array, cost: Array, share: float, distance: IntArray) -> Dependence:
        """Returns a question of one law.

        gain, cost (n,): the chances of others' states given the secret, and given the other value; with information,
        together with any other value; share: then the secret's, else 0.
        """
        return Dependence(
            person=self.person,
            who=self.who,
            secret=self.secret,
            against=self.against,
            gain=gain,
            cost=cost,
            share=share,
            distance=distance,
            size=self.size,
            error=UNIT * (512 + 8 * (len(self.box) + self.size)),
        )


def questions_of(
    block: CredalBlock, factor: Exchangeable, values: tuple[RecordValue, ...], information: bool
) -> list[GroupQuestion]:
    """Returns the questions about each kind of member; TooLarge where a group has too many states.

    Args:
        block: The groups.
        factor: The block's under its reference law.
        values: The values of the whole law, by slot.
        information: Whether a value is compared with what the record may be, instead of each other value.
    """
    found: dict[tuple[bytes, ...], GroupQuestion] = {}
    for person, secrets, states, joint, counted in _members(block, factor, values):
        # A household of thirty with five values each is refused by size; a member who is certain has no question.
        if len(states) > MOST_STATES and len(secrets) > 1:
            raise too_many_states(block.reference.size, len(states))
        k = len(secrets)
        # Because a chance grows against whatever else the record may be; a ratio is against one other value.
        pairs = [(one, None) for one in range(k)] if information else list(permutations(range(k), 2))
        for one, other in pairs if k > 1 else []:
            against = None if other is None else secrets[other]
            cost = joint[other] if other is not None else np.delete(joint, one, axis=0).sum(axis=0)
            kept = np.flatnonzero(((joint[one] + cost) @ block.box.upper) > 0)
            each = GroupQuestion(
                person,
                block.reference.who,
                secrets[one],
                against,
                block.box,
                joint[one][kept],
                cost[kept],
                states[kept],
                counted,
                block.reference.size,
            )
            if each.possible:
                found.setdefault(each.key, each)
    return list(found.values())


def _members(
    block: CredalBlock, factor: Exchangeable, values: tuple[RecordValue, ...]
) -> Iterator[tuple[int, tuple[RecordValue, ...], IntArray, Array, bool]]:
    """Yields one member of each kind.

    The parts are its number, the record's values, the others' states (n, slots), by value and state the coefficients of
    their chance together (k, n, m), and whether states are counts.
    """
    reference, people = block.reference, factor.first().people
    # If members are alike, it is enough how many of the others have each value.
    if reference.counts_suffice:
        for member in reference.members:
            others = []
            for slot in member.slots:
                left = reference.counts.copy()
                left[:, slot] -= 1
                others.append(left)
            secrets = tuple(values[factor.slots[slot]] for slot in member.slots)
            joint = block.given(member)[:, :, None] * _rows(block)
            yield people[member.positions[0]], secrets, *_by_state(others, joint), True
        return
    slots, _ = reference.table()
    for position, person in enumerate(people):
        own = np.unique(slots[:, position])
        joint = (slots[:, position] == own[:, None])[:, :, None] * _rows(block)
        secrets = tuple(values[factor.slots[slot]] for slot in own)
        yield person, secrets, *_by_state([np.delete(slots, position, axis=1)] * len(own), joint), False


def _rows(block: CredalBlock) -> Array:
    """Returns the coefficients of each row's chance (rows, m)."""
    found = np.zeros((len(block.entries), len(block.box)))
    found[np.arange(len(block.entries)), block.entries] = block.shares
    return found


def _by_state(others: list[IntArray], joint: Array) -> tuple[IntArray, Array]:
    """Returns the others' states, and sums over the rows (k, rows, m) with the same state."""
    there = [np.flatnonzero(each.any(axis=1)) for each in joint]
    rows = [own[kept] for own, kept in zip(others, there, strict=True)]
    return by_state(rows, [each[kept] for each, kept in zip(joint, there, strict=True)])


def _largest_quotients(box: Box, above: Array, below: Array) -> Array:
    """Returns the largest above·p / below·p (n,) over the laws p of the box, from above.

    above (n, m) is at most below (m,). The quotient is halved: whether above·p - c below·p can be positive is one
    greedy filling.
    """

    def attained(quotient: Array) -> NDArray[np.bool_]:
        return np.asarray(box.largest(above - quotient[:, None] * below) > 0)

    return bisected_all(attained, np.zeros(len(above)), np.ones(len(above)), 60)[1]


@final
@dataclass(frozen=True, eq=False)
class AnyGroup(Bounded):
    """The groups of all blocks, each under any law of its box.

    A δ is bounded by the ratio where there is one, and by what bounds a question about all laws at once. questions: no
    two have the same answer; around: see `CredalGroups`, lower ends are 0 then.
    """

    questions: tuple[GroupQuestion, ...]
    around: bool
    why: ClassVar[str] = EVERY_LAW_WITHIN

    @property
    def together(self) -> int:
        return max(each.size for each in self.questions)

    def found(self, nats: float) -> tuple[Whose, Enclosure]:
        each_of = {each: _pure(each, nats) for each in self.questions}
        upper = max(each.upper for each in each_of.values())
        # So that every processor names the same question, the first that leaks as much but for roundings is taken.
        question = next(each for each, value in each_of.items() if value.upper * (1 + 1e-6) >= upper)
        lower = max(each.lower for each in each_of.values())
        whose = Whose(question.person, question.who, question.secret, question.against)
        # Because a law that is not among those meant may be the one that leaks so much.
        return whose, Enclosure(0.0 if self.around else min(lower, upper), upper)

    def above(self, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        """Returns an upper end of δ′ at ε′ = epsilon; profile and steps as in `Bounded`."""
        return max(self._above(each, profile, steps, epsilon) for each in self.questions)

    def enough(self, profile: PrivacyProfile, steps: int, delta: float) -> float:
        """Returns an ε′ above 0 that is enough for δ′ = delta, without halving; profile, steps as in `Bounded`."""
        ratio = self.at_zero(profile, steps).upper
        return max(_enough(each, profile, steps, delta, ratio) for each in self.questions)

    def _above(self, question: GroupQuestion, profile: PrivacyProfile, steps: int, epsilon: float) -> float:
        ratio = self.at_zero(profile, steps).upper
        found = share_above(ratio, epsilon) if question.against is None else delta_of_log_ratio(ratio, epsilon)
        # Because a ratio that keeps epsilon needs no other bound.
        for bound in question.bounds if found else ():
            found = min(found, solve(bound, profile, epsilon, steps, None, None, True).delta.upper)
        return found


def _enough(question: GroupQuestion, profile: PrivacyProfile, steps: int, delta: float, ratio: float) -> float:
    found = ratio
    # Because beyond this e^ratio is no double: the ratio alone is enough and says nothing about δ.
    if ratio < 600.0:
        # There share_above, or delta_of_log_ratio, comes down to delta.
        over = delta if question.against is None else delta * (1 + exp(-ratio))
        found = max(ratio + log1p(-over), 0.0) * (1 + _OFF) + _OFF if over < 1 else 0.0
    for bound in question.bounds:
        found = min(found, crossing(bound, profile, delta, steps, 0.0).upper)
    return found


def any_group(law: CredalGroups, information: bool) -> AnyGroup | None:
    """Returns the groups of `law`; None where nobody has a secret. TooLarge where a group has too many states.

    information: whether a value is compared with what the record may be, instead of each other value.
    """
    values = tuple(value for stratum in law.strata() for value in stratum.values)
    found: dict[tuple[bytes, ...], GroupQuestion] = {}
    for block, factor in zip(law.blocks, law.factors, strict=True):
        for each in questions_of(block, factor, values, information):
            # Because blocks of other labels may put the same question.
            found.setdefault(each.key, each)
    return AnyGroup(tuple(found.values()), law.around) if found else None


def _pure(question: GroupQuestion, nats: float) -> Enclosure:
    """Returns the largest ε′ at δ′ = 0.

    It is a ratio for every ray. If a test can flag in too many ways, it is that of the questions that bound all laws.
    """
    ways = _rays(question.distance)
    # Because three people who are not alike, or a group of fourteen, can be flagged in too many ways, and a loose ε has
    # too large an exponential (e^600 is a double): then each chance is bounded at its own worst.
    if ways is None or nats * (question.size + 1) > 600.0:
        upper = min(pure_leakage(bound, nats, 1).upper for bound in question.bounds)
        # Because how much a chance grows depends on the prior, the record's own change bounds only odds from below.
        return Enclosure(0.0 if question.against is None else min(nats * (1 - _OFF), upper), upper)
    # Because a test may flag states that are k records apart e^{k·ε} times as often: the extreme ones do, exactly.
    flags = np.exp(nats * (ways - ways.max(axis=1, keepdims=True)))
    lower, upper = 0.0, 0.0
    for part in np.array_split(flags, 1 + len(flags) // 512):
        found = largest_over_laws(question.box, _quotients(question, part, exp(nats)))
        lower, upper = max(lower, found.lower * (1 - _OFF)), max(upper, found.upper * (1 + _OFF))
    return Enclosure(min(lower, upper), upper)


def _quotients(question: GroupQuestion, flags: Array, fold: float) -> Quotients:
    """Returns the quotients of tests that flag in proportion to `flags` (tests, n).

    They flag `fold` times as often where the record has the secret.
    """
    shape = (len(flags), len(question.box))
    own = np.broadcast_to(question.own, shape)
    gain, cost = fold * (flags @ question.gain), flags @ question.cost
    if question.against is None:
        return Quotients(gain, own, np.broadcast_to(question.own + question.other, shape), gain + cost)
    return Quotients(gain, own, np.broadcast_to(question.other, shape), cost)


def _rays(distance: IntArray) -> IntArray | None:
    """Returns the extreme rays of v(c) <= e^{eps distance(c, c')} v(c'), which are e^{eps w}; None for too many.

    They are whole numbers w (rays, n) with w(c) - w(c') <= distance(c, c'), of which no n - 1 independent inequalities
    are strict, the last state's w being 0. None where states do not neighbour like a tree, or there are more than 13 of
    them.
    """
    n = len(distance)
    of, by = np.nonzero(np.triu(needed(distance)))
    # If states neighbour like a tree, as the number of ill does, every choice of signs along its edges is a ray.
    return _of_tree(distance, of, by) if len(of) == n - 1 <= 12 else None


def _of_tree(distance: IntArray, of: IntArray, by: IntArray) -> IntArray:
    """Returns every pair of neighbours with either sign."""
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
