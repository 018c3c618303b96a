"""One question about a record of a group whose law is known to lie in a box: linear functions of that law; and those
that bound it about all laws of the box at once, with every chance at the end that leaks more.

A couple that is ill together with p in [.2, .6] and well with the rest: of a chance (.5 p + .1 (1 - p)) given the
secret's own p + .5 (1 - p) the largest quotient is at p = .6, .34/.8 = .425.

>>> box = Box(np.array([0.2, 0.4]), np.array([0.6, 0.8]))
>>> _largest_quotients(box, np.array([[0.5, 0.1]]), np.array([1.0, 0.5])).round(6).tolist()
[0.425]
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bisection import bisected_all
from dalenius.bounds import UNIT
from dalenius.conversion.dependence import MOST_STATES, Dependence, by_state, distances, too_many_states
from dalenius.joints.blocks import Exchangeable
from dalenius.laws.law import Array, IntArray
from dalenius.laws.probability_intervals import Box
from dalenius.ratios.intervals.groups_of_boxes import CredalBlock
from dalenius.schema import RecordValue

_OFF: Final = 1e-12
"""Relative: more than the roundings of a largest quotient."""


@final
@dataclass(frozen=True, eq=False)
class GroupQuestion:
    """As `Dependence`, under every law p of a box: gain (n, m) and cost (n, m), times p, are the chances of the others'
    states together with the secret, and with the other value, or any other value where against is None."""

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
        """What the answer depends on."""
        parts = self.gain, self.cost, self.distance, self.box.lower, self.box.upper
        return (*(each.tobytes() for each in parts), str(self.against is None).encode())

    @cached_property
    def distance(self) -> IntArray:
        """How many of the others' records differ (n, n)."""
        return distances(self.states, self.counted)

    @cached_property
    def own(self) -> Array:
        """That chance of the secret (m,)."""
        return np.asarray(self.gain.sum(axis=0))

    @cached_property
    def other(self) -> Array:
        """That of what it is compared with (m,)."""
        return np.asarray(self.cost.sum(axis=0))

    @property
    def possible(self) -> bool:
        """Whether both can be under some law."""
        return bool(self.own @ self.box.upper > 0 and self.other @ self.box.upper > 0)

    @cached_property
    def bounds(self) -> tuple[Dependence, Dependence]:
        """What leaks grows with the chances of the others' states given the secret, and falls with those given the
        other value, and with the secret's own. Each chance at its own worst law, all at once, which no law need be; and
        two states, whatever the law: all others as they are, or all changed at once, which is `group` privacy."""
        box = self.box
        gain = np.minimum(_largest_quotients(box, self.gain, self.own) * (1 + _OFF), 1.0)
        if self.against is None:
            # How far a chance can grow is largest where it was smallest.
            share = max(float(box.smallest(self.own)) * (1 - _OFF), 0.0)
            cost = np.maximum(box.smallest(self.cost) * (1 - _OFF), 0.0)
        else:
            # The least of a quotient is 1 less the largest of what is left.
            rest = _largest_quotients(box, self.other - self.cost, self.other)
            share, cost = 0.0, np.maximum(1 - rest * (1 + _OFF) - _OFF, 0.0)
        # States that neither value allows take no part, and would only enlarge the program.
        kept = np.flatnonzero((gain > 0) | (cost > 0))
        near = self._bound(gain[kept], cost[kept], share, self.distance[np.ix_(kept, kept)])
        away = np.array([[0, self.size - 1], [self.size - 1, 0]])
        return near, self._bound(np.array([1.0, 0.0]), np.array([0.0, 1.0 - share]), share, away)

    def _bound(self, gain: Array, cost: Array, share: float, distance: IntArray) -> Dependence:
        """gain, cost (n,): the chances of others' states given the secret, and given the other value; with information,
        together with any other value; share: then the secret's, else 0."""
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
            states=distance,  # of no law: they are not shown
            counted=True,
        )


def questions_of(
    block: CredalBlock, factor: Exchangeable, values: tuple[RecordValue, ...], information: bool
) -> list[GroupQuestion]:
    """The questions about each kind of member. factor: the block's under its reference law; values: by slot, of the
    whole law. TooLarge where a group has too many states."""
    found: dict[tuple[bytes, ...], GroupQuestion] = {}
    for person, secrets, states, joint, counted in _members(block, factor, values):
        # A household of thirty with five values each: refused by size. A member who is certain has no question.
        if len(states) > MOST_STATES and len(secrets) > 1:
            raise too_many_states(block.reference.size, len(states))
        k = len(secrets)
        # How much a chance grows is against whatever else the record may be; a ratio is against one other value.
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
    """Of one member of each kind: the number, the record's values, the others' states (n, slots), and by value and
    state what is times the law their chance together (k, n, m); whether states are counts."""
    reference, people = block.reference, factor.first().people
    # Members alike: of the others it is enough how many have each value.
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
    """Of each row, what is times the law its chance (rows, m)."""
    found = np.zeros((len(block.entries), len(block.box)))
    found[np.arange(len(block.entries)), block.entries] = block.shares
    return found


def _by_state(others: list[IntArray], joint: Array) -> tuple[IntArray, Array]:
    """The others' states, and sums over the rows (k, rows, m) with the same."""
    there = [np.flatnonzero(each.any(axis=1)) for each in joint]
    rows = [own[kept] for own, kept in zip(others, there, strict=True)]
    return by_state(rows, [each[kept] for each, kept in zip(joint, there, strict=True)])


def _largest_quotients(box: Box, above: Array, below: Array) -> Array:
    """The largest above·p / below·p (n,) over the laws p of the box, from above; above (n, m) is at most below (m,). By
    halving the quotient: whether above·p - c below·p can be positive is one greedy filling."""

    def attained(quotient: Array) -> NDArray[np.bool_]:
        return np.asarray(box.largest(above - quotient[:, None] * below) > 0)

    return bisected_all(attained, np.zeros(len(above)), np.ones(len(above)), 60)[1]
