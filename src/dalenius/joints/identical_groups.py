"""Independent groups of one type, such as 250 households of one law: a small table, and how many groups have it.

The table is kept by counts, how many records of a group take each value, as members who are exchangeable need no
more. A group with known records becomes a block of its own (`conditioned`). `Exchangeable` is a block as a factor of
the law of everybody.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import perm
from typing import TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.factor import Factor, Numbering
from dalenius.joints.limits import MOST_ROWS
from dalenius.laws.extended_range import Masses

StratumKey: TypeAlias = tuple[str, tuple[RecordValue, ...]]
"""A public label and a universe of values."""


@final
@dataclass(frozen=True)
class Member:
    """People of one type of group who are exchangeable with each other.

    Args:
        positions: Their places in the group.
        stratum: Index into the block's alphabet.
        slots: The slots of their secrets, those of positive probability.
        log_prior: The log-probabilities of the secrets (secrets,).
        log_given: The rows' log-probabilities given each secret (secrets, rows).
    """

    positions: tuple[int, ...]
    stratum: int
    slots: tuple[int, ...]
    log_prior: Array
    log_given: Array


@final
@dataclass(frozen=True)
class Block:
    """A number `count` of independent groups of `size` records with the same law.

    Args:
        count: How many groups there are.
        size: How many records a group has.
        alphabet: The strata of the group's records; its slots are numbered stratum by stratum, value by value.
        counts: How many records take each slot (rows, slots).
        weights: The rows' probabilities (rows,), none 0.
        members: The group's classes of exchangeable people.
        assignments: An upper bound of the number of rows of `table`.
        table: Makes the law record by record, slots (rows, size) and weights, for enumeration.
        who: The people, in words.
        error: By how many nats, at most, the log of a row's weight may be off.
    """

    count: int
    size: int
    alphabet: tuple[StratumKey, ...]
    counts: IntArray
    weights: Masses
    members: tuple[Member, ...]
    assignments: int
    table: Callable[[], tuple[IntArray, Masses]]
    who: str
    error: float = 0.0

    @cached_property
    def log_weights(self) -> Array:
        """The rows' log-probabilities (rows,)."""
        return np.minimum(self.weights.logs(), 0.0)

    @cached_property
    def counts_suffice(self) -> bool:
        """Whether the counts determine the law: exchangeable members' arrangements are then all equally likely."""
        # Because first and second child have the same values and are no class: each is a member of its own.
        open_strata = [member.stratum for member in self.members if len(member.slots) > 1]
        return len(set(open_strata)) == len(open_strata)

    def expand(self) -> tuple[IntArray, Array]:
        """Returns the law record by record: slots (rows, size) and log-probabilities."""
        slots, weights = self.table()
        return slots, np.minimum(weights.logs(), 0.0)


def tabled(
    count: int,
    universes: Sequence[StratumKey],
    rows: Sequence[Sequence[RecordValue]],
    weights: Sequence[float],
    who: str,
) -> Block:
    """Makes groups from a table: rows of record values with their probabilities.

    A couple, both ill with probability .3, the second alone with .2, by how many take each of the values 0 and 1:

    >>> bits = ("", (0, 1))
    >>> block = tabled(1, [bits, bits], [[0, 0], [0, 1], [1, 1]], [0.5, 0.2, 0.3], "a couple")
    >>> block.counts.tolist(), block.weights.doubles().tolist()
    ([[2, 0], [1, 1], [0, 2]], [0.5, 0.2, 0.3])

    Args:
        count: How many groups there are.
        universes: Label and values of each position; positions of the same label and values share a stratum.
        rows: The records' values (rows, size).
        weights: The rows' probabilities (rows,); rows of weight 0 are dropped.
        who: The people, in words.
    """
    alphabet = tuple(dict.fromkeys(universes))
    starts = np.cumsum([0, *(len(values) for _, values in alphabet)])
    strata = [alphabet.index(universe) for universe in universes]
    slot_of = [{value: int(starts[s]) + i for i, value in enumerate(alphabet[s][1])} for s in strata]
    # Because a row that cannot occur would make its values secrets of probability 0.
    present = [row for row, weight in zip(rows, weights, strict=True) if weight > 0]
    slots = np.array([[of[v] for of, v in zip(slot_of, row, strict=True)] for row in present], dtype=np.int64)
    own = Masses.of(np.array([weight for weight in weights if weight > 0]))
    return of_slots(count, alphabet, strata, slots, own, who)


def of_slots(
    count: int, alphabet: tuple[StratumKey, ...], strata: Sequence[int], slots: IntArray, weights: Masses, who: str
) -> Block:
    """Makes `count` groups from rows of slots (rows, size) of positive weights (rows,).

    Args:
        count: How many groups there are.
        alphabet: The strata of the group's records.
        strata: The index of each position's stratum.
        slots: The slot of each position (rows, size).
        weights: The rows' probabilities (rows,).
        who: The people, in words.
    """
    size = sum(len(values) for _, values in alphabet)
    counts = np.stack([np.bincount(row, minlength=size) for row in slots])
    members = tuple(_member(position, stratum, slots[:, position], weights) for position, stratum in enumerate(strata))
    return Block(count, len(strata), alphabet, counts, weights, members, len(slots), lambda: (slots, weights), who)


def _member(position: int, stratum: int, own: IntArray, weights: Masses) -> Member:
    """Returns the member at one position, a class of its own; own (rows,): its slot in each row."""
    secrets = np.unique(own)
    return member_of((position,), stratum, secrets.tolist(), (secrets[:, None] == own).astype(np.float64), weights)


def member_of(
    positions: tuple[int, ...], stratum: int, slots: Sequence[int], chances: Array, weights: Masses
) -> Member:
    """Makes a class of exchangeable members. Values that they have in no row are dropped.

    Args:
        positions: Their places in the group.
        stratum: Index into the block's alphabet.
        slots: The slots of their values (slots,).
        chances: The probability that such a member has this value, given the row (slots, rows).
        weights: The rows' probabilities (rows,).
    """
    joint = Masses.of(chances).times(weights)
    mass = joint.totals()
    there = mass.possible
    mass = mass[there]
    prior = mass.over(mass.totals())
    given = joint[there].over(mass.with_last_axis())
    own = tuple(slots[place] for place in there.tolist())
    return Member(positions, stratum, own, np.minimum(prior.logs(), 0.0), np.minimum(given.logs(), 0.0))


def starts_of(alphabet: Sequence[StratumKey]) -> IntArray:
    """Returns the first slot of each stratum of `alphabet`, and after the last one the number of all slots."""
    return np.cumsum([0, *(len(values) for _, values in alphabet)], dtype=np.int64)


def conditioned(block: Block, known: Mapping[int, int]) -> Block | None:
    """Returns one group of `block` given these records; None where they have probability 0.

    Twins, both 1 with probability .1 and else both 0: if one is known to be 1, both are.

    >>> bits = ("", (0, 1))
    >>> twins = tabled(250, [bits, bits], [[0, 0], [1, 1]], [0.9, 0.1], "a twin")
    >>> given = conditioned(twins, {0: 1})
    >>> given.count, given.counts.tolist(), given.weights.doubles().tolist()
    (1, [[0, 2]], [1.0])

    Args:
        block: The groups, of which one has known records.
        known: The known values, as indices into their universe, by position.
    """
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    slots = {
        position: int(starts[member.stratum]) + known[position]
        for member in block.members
        for position in member.positions
        if position in known
    }
    # Because named positions with the same values (first and second child) may share a stratum without being
    # exchangeable, assignments are listed there. Counts suffice where household members of one kind are one class.
    one_class_each = len({member.stratum for member in block.members}) == len(block.members)
    return _by_counts(block, slots) if one_class_each else _by_rows(block, slots)


def weighed(block: Block, known: Mapping[int, int]) -> tuple[IntArray, Masses]:
    """Returns the counts of slots (rows, slots) in a group's rows, and Pr[row, the known records] (rows,).

    Only rows that have the known slots at these positions count; a row may have weight 0.

    Args:
        block: Groups of one composition, of which one is read.
        known: The known slots, by position.
    """
    if len({member.stratum for member in block.members}) == len(block.members):
        return block.counts, block.weights.times(_chances(block, known))
    _check_rows("secrets", block)
    slots, weights = block.table()
    fits = np.all([slots[:, position] == slot for position, slot in known.items()], axis=0)
    counts = np.stack([np.sum(slots[fits] == slot, axis=1) for slot in range(block.counts.shape[1])], axis=1)
    return counts, weights[fits]


def labelled(block: Block, labels: Sequence[str | None]) -> Block:
    """Returns the groups of `block` whose members have these `labels` by position; None for the one they have.

    Each member is a class of its own then.
    """
    _check_rows("query.people", block)
    slots, weights = block.table()
    strata = {position: member.stratum for member in block.members for position in member.positions}
    given = [block.alphabet[strata[position]] for position in range(block.size)]
    keys = [(key[0] if label is None else label, key[1]) for key, label in zip(given, labels, strict=True)]
    alphabet = tuple(dict.fromkeys(keys))
    before, after = starts_of(block.alphabet), starts_of(alphabet)
    order = [alphabet.index(key) for key in keys]
    shift = np.array([after[order[place]] - before[strata[place]] for place in range(block.size)], dtype=np.int64)
    found = of_slots(block.count, alphabet, order, slots + shift, weights, block.who)
    return replace(found, error=block.error)


def _check_rows(what: str, block: Block) -> None:
    """Raises TooLarge where the table of assignments has too many rows."""
    if block.assignments > MOST_ROWS:
        raise TooLarge(what, f"a group of {block.assignments:.2g} assignments", "make the group smaller", MOST_ROWS)


def _by_rows(block: Block, known: Mapping[int, int]) -> Block | None:
    """Conditions a group by its table of assignments."""
    _check_rows("adversary.known", block)
    slots, weights = block.table()
    fits = np.all([slots[:, position] == slot for position, slot in known.items()], axis=0)
    if not fits.any():
        return None
    strata = {position: member.stratum for member in block.members for position in member.positions}
    order = [strata[position] for position in range(block.size)]
    found = of_slots(1, block.alphabet, order, slots[fits], _normalised(weights[fits]), block.who)
    return replace(found, error=2 * block.error)


def _normalised(weights: Masses) -> Masses:
    return weights.over(weights.totals())


def _by_counts(block: Block, known: Mapping[int, int]) -> Block | None:
    """Conditions a group by its counts, where each class of exchangeable members has its own stratum.

    The counts then determine the law: given how many of a class of N have each value, all arrangements are equally
    likely.
    """
    weights = block.weights.times(_chances(block, known))
    fits = weights.possible
    if not len(fits):
        return None
    counts, weights = block.counts[fits], _normalised(weights[fits])
    members = tuple(new for member in block.members for new in _members(member, known, counts, weights))

    # Because only enumerations need it: a large household has no such table in memory until this is called.
    def table() -> tuple[IntArray, Masses]:
        slots, rows = block.table()
        own = np.flatnonzero(np.all([slots[:, position] == slot for position, slot in known.items()], axis=0))
        return slots[own], _normalised(rows[own])

    error = 2 * block.error
    return replace(block, count=1, counts=counts, weights=weights, members=members, table=table, error=error)


def _chances(block: Block, known: Mapping[int, int]) -> Masses:
    """Returns Pr[known values | row] by row.

    For a class of N it is the product over its values of c (c - 1) .. (c - a + 1), where c have the value and a of
    them are known, divided by as many factors N (N - 1) ..
    """
    # Because a class of a thousand, many of them known, has more arrangements than doubles reach: whole numbers are
    # divided once, at the end.
    ways, total = [1] * len(block.counts), 1
    for member in block.members:
        own = [known[position] for position in member.positions if position in known]
        total *= perm(len(member.positions), len(own))
        for slot in set(own):
            found = block.counts[:, slot].tolist()
            ways = [so_far * perm(there, own.count(slot)) for so_far, there in zip(ways, found, strict=True)]
    return Masses.ratios(ways, [total] * len(ways))


def _members(member: Member, known: Mapping[int, int], counts: IntArray, weights: Masses) -> Iterator[Member]:
    """Yields the known members, each as a class of its own, and the remaining ones as one class."""
    own = {position: known[position] for position in member.positions if position in known}
    certain = np.ones((1, len(counts)))
    for position, slot in own.items():
        yield member_of((position,), member.stratum, (slot,), certain, weights)
    left = tuple(position for position in member.positions if position not in known)
    # The case of a class all of whose members are known: none remain.
    if left:
        taken = np.array([list(own.values()).count(slot) for slot in member.slots], dtype=np.int64)
        chances = (counts[:, member.slots] - taken) / len(left)
        yield member_of(left, member.stratum, member.slots, chances.T, weights)


@final
@dataclass(frozen=True)
class Exchangeable(Factor):
    """The exchangeable groups of a block, as a factor of a joint law: 250 pairs of twins are one of count 250.

    Args:
        block: Groups of one composition, and how many there are.
        numbers: The people (count · size,), group by group.
        places: The numbers of the block's strata in the whole law (alphabet,).
        slots: The numbers of the block's slots in the whole law (slots of the block,).
        before: How many people of other factors come first.
    """

    block: Block
    numbers: Sequence[int]
    places: IntArray
    slots: IntArray
    before: int = 0

    @property
    def count(self) -> int:
        return self.block.count

    @cached_property
    def people(self) -> Sequence[int]:
        return [self.before + number for number in self.numbers] if self.before else self.numbers

    @cached_property
    def strata(self) -> Mapping[int, int]:
        """The number of records of each stratum. Members of several classes may share one: first and second child."""
        found = dict.fromkeys(self.places.tolist(), 0)
        for member in self.block.members:
            found[int(self.places[member.stratum])] += len(member.positions)
        return found

    @cached_property
    def alike(self) -> Sequence[int]:
        """The number of the member, a class of exchangeable people, of each place in the group."""
        found = [0] * self.block.size
        for number, member in enumerate(self.block.members):
            for place in member.positions:
                found[place] = number
        return found

    @property
    def assignments(self) -> int:
        return self.block.assignments

    def group_assignments(self) -> tuple[IntArray, Array]:
        """Returns the table of one group, in the whole law's slots."""
        slots, logs = self.block.expand()
        return self.slots[slots], logs

    def within(self, numbering: Numbering) -> "Exchangeable":
        return replace(
            self,
            places=numbering.strata[self.places],
            slots=numbering.slots[self.slots],
            before=self.before + numbering.before,
        )

    def first(self) -> "Exchangeable":
        """Returns the first group alone."""
        return replace(self, block=replace(self.block, count=1), numbers=self.numbers[: self.block.size])
