"""Laws of everybody's records as laws of their processes over several data sets (IP Def 5).

Groups stay groups, over longer values: a couple in a clinic's and a pharmacy's table, copied, is a couple of the values
"0, 0" and "1, 1". Each extension is exact, or refused.

Take two independent bits that are 1 with probability 1/4, each kept with 1/2 and else drawn anew. Equal values are
likelier than the 0.5625 and 0.0625 of values that are independent of each other.

>>> from dalenius.joints.identical_groups import tabled
>>> from dalenius.linked.person_process import Step
>>> bits = product_of_groups([tabled(2, [("", (0, 1))], [[0], [1]], [0.75, 0.25], "a record")])
>>> (subject,) = extended(bits, Steps(("clinic", "pharmacy"), (Step(0.5),))).subjects()
>>> subject.people, subject.secrets, np.exp(subject.log_prior).round(6).tolist()
(2, ('0, 0', '0, 1', '1, 0', '1, 1'), [0.65625, 0.09375, 0.09375, 0.15625])

If exchangeable members are counted, the counts of their processes determine the law as those of their values do: all
arrangements of given counts are equally likely, before and after. In a household of two, 0, 1, 2 are ill with
probabilities 0.5, 0.2, 0.3. It is seen twice, with persistence 1/2. Each member is "0, 0" with probability 0.48, "1, 1"
with 0.28 and either of the others with 0.12. The household has ten counts of these four processes instead of sixteen
assignments.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from math import prod
from typing import Final, TypeAlias

import numpy as np

from dalenius.arrays import IntArray
from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.joints import finite_law
from dalenius.joints.factor import MANY
from dalenius.joints.identical_groups import Block, Member, StratumKey, member_of, starts_of
from dalenius.joints.independent_groups_law import GroupsLaw, product_of_groups
from dalenius.joints.joint import WITHIN, Belief, Joint
from dalenius.joints.limits import MOST_ENTRIES
from dalenius.joints.product_of_joint_laws import ProductLaw, product_of
from dalenius.laws.extended_range import Masses
from dalenius.linked.person_process import Processes, Steps
from dalenius.memory_budget import allowed, enough, or_more

_ROUNDING: Final = 4 * UNIT
"""The rounding of a row's weight, besides those of its powers."""


@singledispatch
def extended(belief: Belief, steps: Steps) -> Belief:
    """Returns the law of everybody's process over several data sets, given the law of the first.

    Each person's later values depend on their own first value, and on nothing else given that. Where the data sets are
    independent of each other, all records of each have the law of the first.

    Args:
        belief: The law of the records of the first data set.
        steps: The data sets, and how a value goes on from each to the next.

    Raises:
        InputError: If records are no values that processes could be lists of.
        TooLarge: If the processes are too many.
    """
    # Households whose chances are intervals: a process's chance is a product of two unknown ones, which is in no box.
    if belief.nature.over == WITHIN:
        wanted = "numbers for all probabilities within linked"
        raise InputError("model.within", "probabilities that are intervals", wanted)
    raise InputError("model.within", "another law", "independent groups of records with finitely many values")


@extended.register
def _groups(belief: GroupsLaw, steps: Steps) -> GroupsLaw:
    """Extends the law block by block: groups stay as they are, with longer values."""
    blocks = [_extended_block(factor.block, steps) for factor in belief.factors()]
    return product_of_groups(blocks, [number for factor in belief.factors() for number in factor.numbers])


@extended.register
def _product(belief: ProductLaw, steps: Steps) -> ProductLaw:
    """Extends the law part by part; parts stay independent."""
    return product_of([_extended_joint(law, steps) for law in belief.laws])


def _extended_joint(joint: Joint, steps: Steps) -> Joint:
    """Returns the extended law of a joint law, which stays one."""
    found = finite_law(extended(joint, steps))
    assert found is not None
    return found


# The values that a group's members can have: for each stratum its label and its values, here processes.
Alphabet: TypeAlias = tuple[StratumKey, ...]
_Rows: TypeAlias = tuple[IntArray, Masses]
"""Assignments, by slots (rows, size), and their weights."""


def _extended_block(block: Block, steps: Steps) -> Block:
    """Returns the groups with each value followed by those of the later stages.

    The block's `error` grows, in nats, by the roundings of the chances and by what the people's own laws may be off.
    TooLarge where counts, or assignments, of processes are too many.
    """
    kinds = [steps.processes(values) for _, values in block.alphabet]
    alphabet = tuple((label, kind.universe) for (label, _), kind in zip(block.alphabet, kinds, strict=True))
    # Copies: each value is one process, and a household of any size stays as it is.
    if steps.exact:
        return replace(block, alphabet=alphabet)
    ways = prod(int(np.bincount(kinds[each.stratum].first).max()) ** len(each.positions) for each in block.members)
    # Refused before anything is listed, where it would not fit memory.
    most = block.assignments ** len(steps.stages) if steps.apart else block.assignments * ways
    if (entries := most * block.size) > allowed(MOST_ENTRIES):
        size = f"a table of {float(min(entries, MANY)):.2g} entries"
        instead = or_more("make the groups smaller, or link fewer stages", enough(min(entries, MANY), MOST_ENTRIES))
        raise TooLarge("the processes of a group", size, instead, MOST_ENTRIES)
    # Independent data sets: each has the error of its law, and of the products.
    if steps.apart:
        error = len(steps.stages) * (block.error + _ROUNDING)
        return replace(_counted(block, alphabet, *_listed_apart(block, kinds)), error=error)
    # Drawn anew, a value has its person's own law, and the error of that law with it.
    error = block.error + _ROUNDING + (0 if steps.alike else 2 * block.size * block.error)
    error += sum((2 * steps.error(member.log_prior) + UNIT) * len(member.positions) for member in block.members)
    slots, weights = _listed(block, kinds)
    return replace(_counted(block, alphabet, slots, weights), error=error)


def _listed(block: Block, kinds: Sequence[Processes]) -> _Rows:
    """Returns all assignments of processes to a group's members that can occur, and their weights."""
    before = starts_of(block.alphabet)
    after = np.cumsum([0, *(len(kind.first) for kind in kinds)])
    first = np.concatenate([start + kind.first for start, kind in zip(before, kinds, strict=False)])
    own = {place: member for member in block.members for place in member.positions}
    slots, weights = block.table()
    done = np.zeros((len(slots), 0), dtype=np.int64)
    for place in range(block.size):
        member = own[place]
        chances, start = kinds[member.stratum].chances(_own(block, member)), after[member.stratum]
        here = first[start : after[member.stratum + 1]]
        # A row goes on with every process that begins with the member's value there and that can occur.
        row, process = np.nonzero((slots[:, place][:, None] == here) & chances.solid)
        done = np.concatenate([done[row], start + process[:, None]], axis=1)
        slots, weights = slots[row], weights[row].times(chances[process])
    return done, weights


def _listed_apart(block: Block, kinds: Sequence[Processes]) -> _Rows:
    """Returns all assignments of processes where the data sets are independent of each other (IP Prop 8)."""
    before, stages = starts_of(block.alphabet), len(kinds[0].steps.stages)
    after = np.cumsum([0, *(len(kind.first) for kind in kinds)])
    stratum = {place: member.stratum for member in block.members for place in member.positions}
    slots, weights = block.table()
    # Any assignment of one data set may go with any of another.
    rows = np.indices((len(slots),) * stages).reshape(stages, -1)
    places = []
    for place in range(block.size):
        kind, start = kinds[stratum[place]], before[stratum[place]]
        values = np.stack([slots[row, place] - start for row in rows], axis=1)
        places.append(after[stratum[place]] + kind.places(values))
    product = weights[rows[0]]
    for row in rows[1:]:
        product = product.times(weights[row])
    return np.stack(places, axis=1), product


def _counted(before: Block, alphabet: Alphabet, slots: IntArray, weights: Masses) -> Block:
    """Returns the group by how many of each class have each value.

    Args:
        before: The block whose members the group has.
        alphabet: For each stratum its label and its values, here processes.
        slots: The assignments, by slots (rows, size).
        weights: Their weights (rows,).
    """
    starts = starts_of(alphabet)
    by_class = []
    for member in before.members:
        own = np.zeros((len(slots), int(np.diff(starts)[member.stratum])), dtype=np.int64)
        for place in member.positions:
            own[np.arange(len(slots)), slots[:, place] - starts[member.stratum]] += 1
        by_class.append(own)
    ends = np.cumsum([own.shape[1] for own in by_class])[:-1]
    found, which = np.unique(np.concatenate(by_class, axis=1), axis=0, return_inverse=True)
    # Arrangements of alike members, all as likely, are one row.
    runs = np.split(np.argsort(which.ravel(), kind="stable"), np.cumsum(np.bincount(which.ravel()))[:-1])
    rows = Masses.joined([weights[run].totals()[None] for run in runs])
    counts, members = np.zeros((len(found), int(starts[-1])), dtype=np.int64), []
    for member, own in zip(before.members, np.split(found, ends, axis=1), strict=True):
        values = np.arange(*starts[[member.stratum, member.stratum + 1]])
        counts[:, values] += own
        chances = own.T / len(member.positions)
        members.append(member_of(member.positions, member.stratum, values.tolist(), chances, rows))
    return Block(
        before.count,
        before.size,
        alphabet,
        counts,
        rows,
        tuple(members),
        len(slots),
        lambda: (slots, weights),
        before.who,
    )


def _own(block: Block, member: Member) -> Masses:
    """Returns the law of such a member's value (values,)."""
    start, end = starts_of(block.alphabet)[[member.stratum, member.stratum + 1]]
    logs = np.full(end - start, -np.inf)
    logs[np.array(member.slots) - start] = member.log_prior
    return Masses.of_logs(logs)
