"""What matters of a group of dependent records for one pair of values of one record: the others' states, their chances
given either value, and how many records two states differ in.

Of twins who have the same bit with chance 0.9 the others' states are 0 and 1; of the bit 0 against 1 gain is
(0.9, 0.1), cost (0.1, 0.9), and the states differ in one record.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import log2
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.conversion.limits import MOST_ROWS, MOST_STATES
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.joints import Joint
from dalenius.joints.identical_groups import Block, Exchangeable, Member
from dalenius.joints.joint import Factor, group_rows
from dalenius.limits import Limit


@final
@dataclass(frozen=True, eq=False)
class Dependence:
    """One record of one group, and what its value is compared with.

    Inferential: another value; information (against None): what the record may be, itself included. gain (n,): the
    chances of the others' states given the secret; cost (n,): given the other value, or, with information, of all other
    values together, times those values' chances; share: the secret's chance where it is compared with what may be, else
    0. distance (n, n): how many of the others' records differ. error: the relative error of gain, cost and share.
    """

    person: int
    who: str
    secret: RecordValue
    against: RecordValue | None
    gain: Array
    cost: Array
    share: float
    distance: IntArray
    size: int
    error: float

    @property
    def key(self) -> tuple[bytes, bytes, bytes, float, float]:
        """What the answer depends on."""
        return self.gain.tobytes(), self.cost.tobytes(), self.distance.tobytes(), self.share, self.error


@final
@dataclass(frozen=True, eq=False)
class GroupMember:
    """One record of a group, before its values are compared with anything.

    secrets (k): its values; log_prior (k,): the logs of their chances. others: for each value the others' possible
    states (rows, slots), and logs (rows,): of their chances given it. counted: whether a state is how many of the
    others have each slot, as in a household whose members are alike, and not each one's slot in order. size: how many
    records the group has, with this one.
    """

    person: int
    who: str
    secrets: tuple[RecordValue, ...]
    log_prior: Array
    others: tuple[IntArray, ...]
    logs: tuple[Array, ...]
    counted: bool
    size: int


def dependences(joint: Joint, information: bool) -> Iterator[Dependence]:
    """Every question about every type of group, but those with bounds. TooLarge where a group has too many states."""
    for factor in joint.factors():
        if is_long(factor) or is_wide(factor):
            continue
        for person in _people(joint, factor):
            yield from questions(person, information)


def is_long(factor: Factor) -> bool:
    """Whether it is a row with more states than are listed: its bound is another (Result 13.5)."""
    # Households, groups given row by row and networks are no rows.
    if factor.path is None:
        return False
    people, values = factor.path.slots.shape
    # Values of a record of a long row: its bound takes k⁴ steps for each record.
    return bool(values <= 12 and (people - 1) * log2(max(values, 1)) > log2(MOST_STATES))


def is_wide(factor: Factor) -> bool:
    """Whether it is a network of whose records the others have more states than are listed (Result 13.7)."""
    # No network, or one of a few records: it is listed like any other group, and its answer is exact.
    if factor.cliques is None or factor.assignments <= MOST_STATES:
        return False
    # Without one record there are at least as many as this, so that nothing need be listed to see it.
    if factor.assignments > MOST_STATES * max(map(len, factor.cliques.slots)):
        return True
    slots, _ = group_rows(factor)
    places = range(slots.shape[1])
    return any(len(np.unique(np.delete(slots, place, axis=1), axis=0)) > MOST_STATES for place in places)


def _people(joint: Joint, factor: Factor) -> Iterator[GroupMember]:
    """Each record that another may depend on; of a household whose members are alike one for each kind."""
    values = [value for stratum in joint.strata() for value in stratum.values]
    match factor:
        # A household whose members are alike: how many are ill says all, 5 states instead of 16 for four others.
        case Exchangeable(block=block) if block.counts_suffice:
            people = factor.first().people
            for member in block.members:
                secrets = tuple(values[factor.slots[slot]] for slot in member.slots)
                yield _of_counts(block, member, people[member.positions[0]], secrets)
        # Members who differ, such as a parent and a child, or a short chain: who has what counts.
        case _:
            yield from _of_rows(joint, factor, values)


def _of_counts(block: Block, member: Member, person: int, secrets: tuple[RecordValue, ...]) -> GroupMember:
    """One member of a group of which how many have each value says all: the others' states are counts of the slots."""
    others, logs = [], []
    for place, slot in enumerate(member.slots):
        rows = np.flatnonzero(member.log_given[place] > -np.inf)
        left = block.counts[rows].copy()
        left[:, slot] -= 1
        others.append(left)
        logs.append(member.log_given[place][rows])
    return GroupMember(person, block.who, secrets, member.log_prior, tuple(others), tuple(logs), True, block.size)


def _of_rows(joint: Joint, factor: Factor, values: Sequence[RecordValue]) -> Iterator[GroupMember]:
    """Every record of a group that is listed row by row: the others' states are their slots in order. TooLarge for
    too many rows."""
    if factor.assignments > MOST_ROWS:
        raise too_many_states(factor.size, "too many", MOST_ROWS)
    slots, logs = group_rows(factor)
    total = np.logaddexp.reduce(logs)
    for place, person in enumerate(list(factor.people)[: slots.shape[1]]):
        own, rest = slots[:, place], np.delete(slots, place, axis=1)
        rows = [np.flatnonzero(own == secret) for secret in np.unique(own)]
        masses = np.array([np.logaddexp.reduce(logs[each]) for each in rows])
        yield GroupMember(
            person=person,
            who=joint.subject_of(person).who,
            secrets=tuple(values[secret] for secret in np.unique(own).tolist()),
            log_prior=masses - total,
            others=tuple(rest[each] for each in rows),
            logs=tuple(logs[each] - mass for each, mass in zip(rows, masses, strict=True)),
            counted=False,
            size=slots.shape[1],
        )


def questions(person: GroupMember, information: bool) -> Iterator[Dependence]:
    """Each value of the record against each other one, or, with information, against what the record may be.

    TooLarge where the others have more than MOST_STATES states."""
    k = len(person.secrets)
    states, laws = by_state(person.others, [np.maximum(np.exp(logs), 1e-300) for logs in person.logs])
    # Groups given row by row, with dozens of members: the program has a row for each pair of states.
    if len(states) > MOST_STATES and k > 1:
        raise too_many_states(person.size, len(states))
    prior = np.exp(person.log_prior)
    deepest = max(float(-logs.min()) for logs in person.logs)
    error = UNIT * (64 + 8 * deepest + 8 * float(-person.log_prior.min()) + person.size)
    pairs = [(one, None) for one in range(k)] if information else list(permutations(range(k), 2))
    # A record with a single possible value has no secret, and no question.
    for one, other in pairs if k > 1 else []:
        rest = [place for place in range(k) if place != one]
        cost = laws[other] if other is not None else prior[rest] @ laws[rest]
        # A state that neither value allows needs no variable (Result 13.2).
        kept = np.flatnonzero((laws[one] > 0) | (cost > 0))
        yield Dependence(
            person=person.person,
            who=person.who,
            secret=person.secrets[one],
            against=None if other is None else person.secrets[other],
            gain=laws[one][kept],
            cost=cost[kept],
            share=float(prior[one]) if other is None else 0.0,
            distance=distances(states[kept], person.counted),
            size=person.size,
            error=error,
        )


def by_state(others: Sequence[IntArray], chances: Sequence[Array]) -> tuple[IntArray, Array]:
    """The states that occur (n, slots), and by value and state the sums of chances (k, n, ..), which are given by value
    for rows of states."""
    states, whose = np.unique(np.concatenate(others), axis=0, return_inverse=True)
    parts = np.split(whose.ravel(), np.cumsum([len(each) for each in others])[:-1])
    found = np.zeros((len(others), len(states), *chances[0].shape[1:]))
    for own, part, each in zip(found, parts, chances, strict=True):
        np.add.at(own, part, each)
    return states, found


def too_many_states(records: int, states: int | str, limit: Limit = MOST_STATES) -> TooLarge:
    """The error for a group with so many states of the others."""
    size = f"a group of {records} records that depend on each other, with {states} states,"
    return TooLarge("what any pipeline can leak", size, f"{MOST_STATES} states of the others are the most", limit)


def distances(states: IntArray, counted: bool) -> IntArray:
    """How many records two states differ in (n, n).

    Three others who are all well, or of whom two are ill, as counts and one by one:

    >>> int(distances(np.array([[3, 0], [1, 2]]), True)[0, 1])
    2
    >>> int(distances(np.array([[0, 0, 0], [0, 1, 1]]), False)[0, 1])
    2
    """
    # One record that changes is one less in one count, and one more in another.
    if counted:
        return np.asarray(np.abs(states[:, None] - states[None]).sum(axis=-1) // 2)
    return np.asarray((states[:, None] != states[None]).sum(axis=-1))
