"""Questions about one record of a group: the others' states and their chances given either of a pair of values.

For each pair of states it is also known how many records they differ in. Take twins who have the same bit with chance
0.9. The other's states are 0 and 1; for the bit 0 against 1 gain is (0.9, 0.1), cost (0.1, 0.9), and the states differ
in one record.
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
from dalenius.joints.factor import Factor, group_rows
from dalenius.joints.identical_groups import Block, Exchangeable, Member
from dalenius.limits import Limit


@final
@dataclass(frozen=True, eq=False)
class Dependence:
    """A question about one record of one group: a value, and what it is compared with.

    Attributes:
        person: The person's number, from 1.
        who: The words for the person.
        secret: The value.
        against: The other value; None (information) for what the record may be, the value itself included.
        gain: The chances of the others' states given the secret (n,).
        cost: The chances given the other value, or, with information, all other values together, times their chances
            (n,).
        share: The secret's chance where it is compared with what the record may be, else 0.
        distance: How many of the others' records differ (n, n).
        size: How many records the group has.
        error: The relative error of gain, cost and share.
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
        """The numbers on which the answer depends."""
        return self.gain.tobytes(), self.cost.tobytes(), self.distance.tobytes(), self.share, self.error


@final
@dataclass(frozen=True, eq=False)
class GroupMember:
    """One record of a group, before its values are compared with anything.

    Attributes:
        person: The person's number, from 1.
        who: The words for the person.
        secrets: Its values (k).
        log_prior: The logs of their chances (k,).
        others: For each value, the others' possible states (rows, slots).
        logs: For each value, the logs of their chances given it (rows,).
        counted: Whether a state is how many of the others have each slot, as in a household whose members are alike,
            and not each one's slot in order.
        size: How many records the group has, with this one.
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
    """Yields every question about every type of group in `joint`, but those with bounds; TooLarge for too many states.

    information: whether a value is compared with what the record may be, instead of another value.
    """
    for factor in joint.factors():
        if is_long(factor) or is_wide(factor):
            continue
        for person in _people(joint, factor):
            yield from questions(person, information)


def is_long(factor: Factor) -> bool:
    """Says whether `factor` is a row with more states than are listed: its bound is another (Result 13.5)."""
    # Because households, groups given row by row and networks are no rows.
    if factor.path is None:
        return False
    people, values = factor.path.slots.shape
    # Because the bound of a long row takes k⁴ steps for each record of k values.
    return bool(values <= 12 and (people - 1) * log2(max(values, 1)) > log2(MOST_STATES))


def is_wide(factor: Factor) -> bool:
    """Says whether `factor` is a network whose records have too many states of others to list (Result 13.7)."""
    # A network of few records is listed like any other group, and its answer is exact.
    if factor.cliques is None or factor.assignments <= MOST_STATES:
        return False
    # Because without one record there are at least as many states as this, nothing need be listed to see it.
    if factor.assignments > MOST_STATES * max(map(len, factor.cliques.slots)):
        return True
    slots, _ = group_rows(factor)
    places = range(slots.shape[1])
    return any(len(np.unique(np.delete(slots, place, axis=1), axis=0)) > MOST_STATES for place in places)


def _people(joint: Joint, factor: Factor) -> Iterator[GroupMember]:
    """Yields each record that another may depend on; for a household whose members are alike, one of each kind."""
    values = [value for stratum in joint.strata() for value in stratum.values]
    match factor:
        # In a household whose members are alike the number of ill says all: 5 states instead of 16 for four others.
        case Exchangeable(block=block) if block.counts_suffice:
            people = factor.first().people
            for member in block.members:
                secrets = tuple(values[factor.slots[slot]] for slot in member.slots)
                yield _of_counts(block, member, people[member.positions[0]], secrets)
        # If members differ, such as a parent and a child, or in a short chain, it counts who has what.
        case _:
            yield from _of_rows(joint, factor, values)


def _of_counts(block: Block, member: Member, person: int, secrets: tuple[RecordValue, ...]) -> GroupMember:
    """Returns one member of a group in which counts of values say all: the others' states are counts of slots."""
    others, logs = [], []
    for place, slot in enumerate(member.slots):
        rows = np.flatnonzero(member.log_given[place] > -np.inf)
        left = block.counts[rows].copy()
        left[:, slot] -= 1
        others.append(left)
        logs.append(member.log_given[place][rows])
    return GroupMember(person, block.who, secrets, member.log_prior, tuple(others), tuple(logs), True, block.size)


def _of_rows(joint: Joint, factor: Factor, values: Sequence[RecordValue]) -> Iterator[GroupMember]:
    """Yields every record of a group that is listed row by row: the others' states are their slots in order.

    TooLarge for too many rows.
    """
    # Because the group's assignments are listed to see how many states the others have.
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
    """Yields the questions about a record's values; TooLarge where the others have more than MOST_STATES states.

    Args:
        person: The record.
        information: Whether a value is compared with what the record may be, instead of each other value.
    """
    k = len(person.secrets)
    states, laws = by_state(person.others, [np.maximum(np.exp(logs), 1e-300) for logs in person.logs])
    # Because the program has a row for each pair of states, as of groups with dozens of members given row by row.
    if len(states) > MOST_STATES and k > 1:
        raise too_many_states(person.size, len(states))
    prior = np.exp(person.log_prior)
    deepest = max(float(-logs.min()) for logs in person.logs)
    error = UNIT * (64 + 8 * deepest + 8 * float(-person.log_prior.min()) + person.size)
    pairs = [(one, None) for one in range(k)] if information else list(permutations(range(k), 2))
    # Because a record with a single possible value has no secret, and no question.
    for one, other in pairs if k > 1 else []:
        rest = [place for place in range(k) if place != one]
        cost = laws[other] if other is not None else prior[rest] @ laws[rest]
        # Because a state that neither value allows needs no variable (Result 13.2).
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
    """Returns the states that occur (n, slots), and sums of chances by value and state (k, n, ..).

    Args:
        others: The rows of states, for each value (rows, slots).
        chances: The chances of these rows, for each value (rows, ..).
    """
    states, whose = np.unique(np.concatenate(others), axis=0, return_inverse=True)
    parts = np.split(whose.ravel(), np.cumsum([len(each) for each in others])[:-1])
    found = np.zeros((len(others), len(states), *chances[0].shape[1:]))
    for own, part, each in zip(found, parts, chances, strict=True):
        np.add.at(own, part, each)
    return states, found


def too_many_states(records: int, states: int | str, limit: Limit = MOST_STATES) -> TooLarge:
    """Returns the error for a group of so many `records` with so many `states` of the others, beyond `limit`."""
    size = f"a group of {records} records that depend on each other, with {states} states,"
    return TooLarge("what any pipeline can leak", size, f"{MOST_STATES} states of the others are the most", limit)


def distances(states: IntArray, counted: bool) -> IntArray:
    """Returns how many records two states differ in (n, n).

    Args:
        states: The states (n, slots).
        counted: Whether a state is how many records have each slot, and not each record's slot.

    Take three others who are all well, or of whom two are ill, as counts and one by one:

    >>> int(distances(np.array([[3, 0], [1, 2]]), True)[0, 1])
    2
    >>> int(distances(np.array([[0, 0, 0], [0, 1, 1]]), False)[0, 1])
    2
    """
    # Because one record that changes is one less in one count, and one more in another.
    if counted:
        return np.asarray(np.abs(states[:, None] - states[None]).sum(axis=-1) // 2)
    return np.asarray((states[:, None] != states[None]).sum(axis=-1))
