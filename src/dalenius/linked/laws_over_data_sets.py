"""Laws of everybody's records as laws of their processes over several data sets (IP Def 5).

Groups stay groups and a chain a chain, over longer values: a chain of 100 days in a clinic's and a pharmacy's table,
copied, is a chain over ("0, 0", "1, 1"). Each extension is exact, or refused.

Two independent bits that are 1 with probability 1/4, each kept with 1/2 and else drawn anew: equal values are likelier
than the 0.5625 and 0.0625 of values that are independent of each other.

>>> from dalenius.joints.blocks import tabled
>>> from dalenius.linked.person_process import Step
>>> bits = product_of_groups([tabled(2, [("", (0, 1))], [[0], [1]], [0.75, 0.25], "a record")])
>>> (subject,) = extended(bits, Steps(("clinic", "pharmacy"), Step(0.5))).subjects()
>>> subject.people, subject.secrets, np.exp(subject.log_prior).round(6).tolist()
(2, ('0, 0', '0, 1', '1, 0', '1, 1'), [0.65625, 0.09375, 0.09375, 0.15625])

Where exchangeable members are counted, the counts of their processes determine the law as those of their values do:
all arrangements of given counts are equally likely, before and after. A household of two of whom 0, 1, 2 are ill with
probabilities 0.5, 0.2, 0.3, twice with persistence 1/2: each member is "0, 0" with probability 0.48, "1, 1" with 0.28
and either of the others with 0.12; the household has ten counts of these four processes instead of sixteen assignments.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import product as choices
from math import comb, factorial, prod
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.joints import finite_law
from dalenius.joints.blocks import Block, Member, StratumKey, member_of, of_slots, starts_of
from dalenius.joints.chain_law import ChainLaw
from dalenius.joints.factors import MANY, MOST_ENTRIES
from dalenius.joints.groups import GroupsLaw, product_of_groups
from dalenius.joints.joint import WITHIN, Belief, Joint
from dalenius.joints.product import ProductLaw, product_of
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import IntArray
from dalenius.linked.person_process import Steps

_ROUNDING: Final = 4 * UNIT
"""Of a row's weight, besides those of its powers."""


@singledispatch
def extended(belief: Belief, steps: Steps) -> Belief:
    """The law of everybody's process over several data sets, given the law of the first: each person's later values
    depend on their own first value, and on nothing else given that. InputError where records are no values that
    processes could be lists of; TooLarge where the processes are too many."""
    # Households whose chances are intervals: a process's chance is a product of two unknown ones, which is in no box.
    if belief.nature.over == WITHIN:
        wanted = "numbers for all probabilities within linked"
        raise InputError("model.within", "probabilities that are intervals", wanted)
    raise InputError("model.within", "another law", "groups of records with finitely many values, or a chain of them")


@extended.register
def _groups(belief: GroupsLaw, steps: Steps) -> GroupsLaw:
    """Block by block: groups stay as they are, with longer values."""
    blocks = [_extended_block(factor.block, steps) for factor in belief.factors()]
    return product_of_groups(blocks, [number for factor in belief.factors() for number in factor.numbers])


@extended.register
def _chain(belief: ChainLaw, steps: Steps) -> ChainLaw:
    """A chain of processes: from one person's, or day's, to the next, the first values move as before, and each has its
    later values with the chances of its own."""
    kind, chain = steps.processes(belief.values), belief.chain
    # Copies, or a matrix that is given, are the same for every day; a value drawn anew is from its day's own law.
    n, shared = len(chain), steps.alike
    own = [kind.chances(chain.masses[place]) for place in range(1 if shared else n)]
    # One array of chances serves everybody where they are alike; a chain of one record has no step to use any.
    into = Masses.joined([each[None] for each in own[min(1, len(own) - 1) :]])
    which = chain.which if shared else np.arange(n - 1)
    matrices = chain.matrices if shared else chain.steps
    moving = matrices[:, kind.first[:, None], kind.first].times(into[:, None, :])
    initial = chain.initial[kind.first].times(own[0])
    deepest = max(steps.error(logs) for logs in (chain.log_marginals if not shared else chain.log_marginals[:1]))
    error = belief.error + n * (deepest + 4 * UNIT)
    return ChainLaw(kind.universe, initial, moving, which, belief.labels, error)


@extended.register
def _product(belief: ProductLaw, steps: Steps) -> ProductLaw:
    """Part by part, which stay independent."""
    return product_of([_extended_joint(law, steps) for law in belief.laws])


def _extended_joint(joint: Joint, steps: Steps) -> Joint:
    """The same of a joint law, which stays one."""
    found = finite_law(extended(joint, steps))
    assert found is not None
    return found


# What a group's members can have: for each stratum its label and its values, here processes.
Alphabet: TypeAlias = tuple[StratumKey, ...]
_Rows: TypeAlias = tuple[IntArray, Masses]
"""Assignments, by slots (rows, size), and their weights."""


def _extended_block(block: Block, steps: Steps) -> Block:
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
    # Refused before anything is listed, where it would not fit memory.
    _check(most * len(strata))
    return replace(of_slots(block.count, alphabet, strata, *listed(), block.who), error=error)


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
