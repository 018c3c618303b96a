"""Groups of records as groups of processes: the same people in several data sets (IP Def 5).

Where exchangeable members are counted, the counts of their processes determine the law as those of their values do:
all arrangements of given counts are equally likely, before and after.

A household of two of whom 0, 1, 2 are ill with probabilities 0.5, 0.2, 0.3, twice with persistence 1/2: each member is
"0, 0" with probability 0.48, "1, 1" with 0.28 and either of the others with 0.12; the household has ten counts of these
four processes instead of sixteen assignments.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product as choices
from math import comb, factorial, prod
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.joints.blocks import Block, Exchangeable, Member, StratumKey, member_of, of_slots, starts_of
from dalenius.joints.factors import MANY, MOST_ENTRIES
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import IntArray
from dalenius.linked.person_process import Steps, joined_values, paired_label

_ROUNDING: Final = 4 * UNIT
"""Of a row's weight, besides those of its powers."""


# What a group's members can have: for each stratum its label and its values, here processes.
Alphabet: TypeAlias = tuple[StratumKey, ...]
_Rows: TypeAlias = tuple[IntArray, Masses]
"""Assignments, by slots (rows, size), and their weights."""


def _listed(
    count: int, alphabet: Alphabet, strata: Sequence[int], assignments: int, rows: Callable[[], _Rows], who: str
) -> Block:
    """A group by its assignments, which `rows` lists. TooLarge, before anything is, where they would not fit memory."""
    _check(assignments * len(strata))
    return of_slots(count, alphabet, tuple(strata), *rows(), who)


def extended_block(block: Block, steps: Steps) -> Block:
    """The same groups, each value followed by those of the later stages.

    steps: the law of a person's later values given the first. The block's `error` grows, in nats, by the roundings of
    the chances and by what the people's own laws may be off. TooLarge where counts, or assignments, of processes are
    too many.
    """
    kinds = [steps.processes(values) for _, values in block.alphabet]
    alphabet = tuple((label, kind.universe) for (label, _), kind in zip(block.alphabet, kinds, strict=True))
    before, after = starts_of(block.alphabet), starts_of(alphabet)
    first = np.concatenate([start + kind.first for start, kind in zip(before, kinds, strict=False)])
    by_member = [kinds[member.stratum].chances(_own(block, member)) for member in block.members]
    members = _by_position(block)
    number = {id(member): by_member[i] for i, member in enumerate(block.members)}

    def listed() -> _Rows:
        slots, weights = block.table()
        done = np.zeros((len(slots), 0), dtype=np.int64)
        for position, member in enumerate(members):
            chances, start = number[id(member)], after[member.stratum]
            here = first[start : after[member.stratum + 1]]
            # A row goes on with every process that begins with the member's value there and that can occur.
            row, process = np.nonzero((slots[:, position][:, None] == here) & chances.solid)
            done = np.concatenate([done[row], start + process[:, None]], axis=1)
            slots, weights = slots[row], weights[row].times(chances[process])
        return done, weights

    def weigh(counts: IntArray) -> Masses:
        values = counts @ (first[:, None] == np.arange(before[-1])).astype(np.int64)
        # Given how many have each first value, how many have each process is a multinomial count.
        weights = _of_row(block, values).times(Masses.ratios(_factorials(values), _factorials(counts)))
        for member, chances in zip(block.members, by_member, strict=True):
            own = counts[:, after[member.stratum] : after[member.stratum + 1]]
            weights = weights.times(_powers(chances, own))
        return weights

    ways = prod(int(np.bincount(kinds[member.stratum].first).max()) for member in members)
    error = block.error
    # Copies multiply nothing. Drawn anew, a value has its person's own law, and the error of that law with it.
    if not steps.exact:
        error += _ROUNDING + (0 if steps.alike else 2 * block.size * error)
        error += sum(2 * steps.error(member.log_prior) + UNIT for member in members)
    strata, most = tuple(member.stratum for member in members), block.assignments * ways

    def table() -> _Rows:
        _check(most * len(strata))
        return listed()

    # Members who are alike, as of a household of thirty: counts are few where assignments are too many to list.
    if _is_counted(block):
        counts = _all_counts(block.members, after)
        return replace(_counted(block, alphabet, counts, weigh(counts), most, table), error=error)
    return replace(_listed(block.count, alphabet, strata, most, listed, block.who), error=error)


def _all_counts(classes: Sequence[Member], starts: IntArray) -> IntArray:
    """How many members of each class have each value (rows, slots), in all ways. TooLarge for too many of them.

    Of two alike members of four processes each there are ten counts.
    """
    sizes = [(len(each.positions), int(np.diff(starts[[each.stratum, each.stratum + 1]])[0])) for each in classes]
    _check(prod(comb(people + width - 1, people) for people, width in sizes) * int(starts[-1]))
    rows = [np.concatenate(row) for row in choices(*(list(_compositions(*size)) for size in sizes))]
    order = np.concatenate([np.arange(*starts[[each.stratum, each.stratum + 1]]) for each in classes])
    counts = np.zeros((len(rows), int(starts[-1])), dtype=np.int64)
    counts[:, order] = np.array(rows)
    return counts


def _counted(
    before: Block, alphabet: Alphabet, counts: IntArray, weights: Masses, assignments: int, table: Callable[[], _Rows]
) -> Block:
    """The group by how many of each class have each value; before: whose members its are."""
    # Counts of probability 0, such as of a process with an impossible step, would be secrets that nobody can have.
    counts, weights, starts = counts[weights.possible], weights[weights.possible], starts_of(alphabet)
    members = []
    for each in before.members:
        slots = np.arange(*starts[[each.stratum, each.stratum + 1]])
        chances = counts[:, slots].T / len(each.positions)
        members.append(member_of(each.positions, each.stratum, slots.tolist(), chances, weights))
    most = min(assignments, MANY)
    return Block(before.count, before.size, alphabet, counts, weights, tuple(members), most, table, before.who)


def both_processes(one: Block, other: Block, count: int) -> Block:
    """So many groups of the same people, whose processes of one are independent of those of the other.

    InputError where somebody has two labels.

    The first stages' processes are listed with each of the later ones': of two bits at one stage each, the four pairs
    of values. TooLarge where these are too many.
    """
    keys = [(a.stratum, b.stratum) for a, b in zip(_by_position(one), _by_position(other), strict=True)]
    pairs = list(dict.fromkeys(keys))
    keyed = [(one.alphabet[a], other.alphabet[b]) for a, b in pairs]
    alphabet = tuple((paired_label(a[0], b[0]), joined_values(a[1], b[1])) for a, b in keyed)
    strata = tuple(pairs.index(key) for key in keys)
    starts, before, after = starts_of(alphabet), starts_of(one.alphabet), starts_of(other.alphabet)
    width = [len(other.alphabet[b][1]) for _, b in pairs]

    def listed() -> _Rows:
        (left, own), (right, others) = one.table(), other.table()
        i, j = (each.ravel() for each in np.indices((len(left), len(right))))
        slots = np.empty((len(i), one.size), dtype=np.int64)
        # A stratum's slots are pairs of values: the first stage's value changes slowest.
        for position, (stratum, (a, b)) in enumerate(zip(strata, keys, strict=True)):
            first, second = left[i, position] - before[a], right[j, position] - after[b]
            slots[:, position] = starts[stratum] + first * width[stratum] + second
        return slots, own[i].times(others[j])

    error = one.error + other.error + _ROUNDING
    most = one.assignments * other.assignments
    return replace(_listed(count, alphabet, strata, most, listed, one.who), error=error)


def _is_counted(block: Block) -> bool:
    """Whether classes of exchangeable members have strata of their own, and some have several members."""
    # First and second child have one universe and are two classes: counts of that stratum would mix them.
    distinct = len({member.stratum for member in block.members}) == len(block.members)
    return distinct and len(block.members) < block.size


def _by_position(block: Block) -> list[Member]:
    """The class of the member at each position of a group."""
    own = {position: member for member in block.members for position in member.positions}
    return [own[position] for position in range(block.size)]


def _own(block: Block, member: Member) -> Masses:
    """The law of such a member's value (values,)."""
    start, end = starts_of(block.alphabet)[[member.stratum, member.stratum + 1]]
    logs = np.full(end - start, -np.inf)
    logs[np.array(member.slots) - start] = member.log_prior
    return Masses.of_logs(logs)


def _of_row(block: Block, counts: IntArray) -> Masses:
    """The weight of the row with these counts (rows,); 0 where there is none."""
    place = {tuple(row): i for i, row in enumerate(block.counts.tolist())}
    # Counts that no row of the group has: 0, and not the last row's weight.
    there = np.array([place.get(tuple(row), -1) for row in counts.tolist()], dtype=np.int64)
    return block.weights[there].where(there >= 0)


def _powers(chances: Masses, counts: IntArray) -> Masses:
    """The products of chances^counts (rows,)."""
    found = Masses.of(np.ones(len(counts)))
    for place in range(len(chances)):
        power = [Masses.of(np.ones(1))]
        # A household of thirty has thirty powers of each chance, each one product more than the last.
        for _ in range(int(counts[:, place].max(initial=0))):
            power.append(power[-1].times(chances[place : place + 1]))
        found = found.times(Masses.joined(power)[counts[:, place]])
    return found


def _factorials(counts: IntArray) -> list[int]:
    """The product of the factorials of each row's counts, as a whole number."""
    return [prod(map(factorial, row)) for row in counts.tolist()]


def _compositions(people: int, cells: int) -> Iterator[list[int]]:
    """All ways to count so many people in so many cells."""
    if cells == 1:
        yield [people]
        return
    for first in range(people + 1):
        for rest in _compositions(people - first, cells - 1):
            yield [first, *rest]


def _check(entries: int) -> None:
    """TooLarge for so many entries of a table, before it is made: eight people who all differ, with three stages of yes
    or no, have 8 · 8^8."""
    if entries > MOST_ENTRIES:
        instead = "make the groups smaller, or link fewer stages"
        raise TooLarge("the processes of a group", f"a table of {float(min(entries, MANY)):.2g} entries", instead)


Group = tuple[int, ...]
"""The people of a group, by their numbers, in the order of its positions."""


def pairs_of_groups(
    one: Sequence[Exchangeable], other: Sequence[Exchangeable]
) -> list[tuple[Block, Block, list[Group]]]:
    """Pairs of one block of each law, and which groups have both. InputError where groups at one stage are not those at
    the other."""
    before, after = _groups(one), _groups(other)
    # Couples at one stage, and households at the other that two couples live in.
    if before.keys() != after.keys():
        wanted = "the same groups at all stages (others: audit each stage alone; of independent stages leakages add up)"
        raise InputError("model.within", "groups that differ from stage to stage", wanted)
    found: dict[tuple[int, int], tuple[Block, Block, list[Group]]] = {}
    for people, block in before.items():
        # A thousand households of one kind at both stages are one pair.
        key = id(block), id(after[people])
        found.setdefault(key, (block, after[people], []))[2].append(people)
    return list(found.values())


def _groups(factors: Sequence[Exchangeable]) -> dict[Group, Block]:
    """By every group's people the block that gives its law."""
    return {
        tuple(factor.numbers[i : i + factor.block.size]): factor.block
        for factor in factors
        for i in range(0, len(factor.numbers), factor.block.size)
    }
