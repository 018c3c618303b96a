"""One type of independent group whose law is known to lie in a box only.

Groups of processes of whose first values only a box of laws is known.

Independent groups, each with a law of its own of which only a box is known (Theory §21).

Independent laws and sets of laws as one set (Result 21.30).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatch
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import ClassVar, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.joints.blocks import Block, Exchangeable, Member, conditioned, starts_of, weighed
from dalenius.joints.groups import BoxedGroups, GroupsLaw, product_of_groups, written_out
from dalenius.joints.joint import INTERVALS, WITHIN, Belief, Joint, Nature, Stratum, Subject, impossible, known_places
from dalenius.joints.product import ProductLaw
from dalenius.laws.box import Box
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue
from dalenius.shared.group_stages import extended_block
from dalenius.shared.person_process import Steps


@final
@dataclass(frozen=True, eq=False)
class CredalBlock:
    """box: the laws (m,) of one group; made: the groups under one of them, whose rows with a positive probability are
    its own; entry: which of the probabilities each row belongs to (rows,); evidence: of one group, the known records,
    as indices into their universes by position.

    Every group has a law of its own. A row's weight is its entry's probability times a share that no law changes, and
    what is known has a probability given the row that no law changes either: Pr[s, y, known] is linear in the law.
    """

    box: Box
    made: Callable[[Array], Block]
    entry: Callable[[Block], IntArray]
    evidence: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def chances(self) -> Array:
        """A law (m,), perhaps not of the box, under which all is possible that is under some law of it."""
        return np.asarray(self.box.upper / self.box.upper.sum())

    @cached_property
    def before(self) -> Block:
        """The groups under `chances`, before anything is known."""
        return self.made(self.chances)

    @cached_property
    def reference(self) -> Block:
        """The groups under `chances`, given what is known: what can happen, but not how likely it is."""
        return self._given(self.before)

    def at(self, law: Array) -> Block:
        """The groups under one law, given what is known."""
        return self._given(self.made(law))

    def _given(self, block: Block) -> Block:
        if not self.evidence:
            return block
        found = conditioned(block, self.evidence)
        assert found is not None
        return found

    def knowing(self, evidence: Mapping[int, int]) -> "CredalBlock | None":
        """One of the groups given these records too; None where they have probability 0 under every law."""
        found = replace(self, evidence={**self.evidence, **evidence})
        return None if conditioned(self.before, found.evidence) is None else found

    def alike(self, count: int) -> "CredalBlock":
        """So many such groups."""
        return replace(self, made=lambda law: replace(self.made(law), count=count))

    @cached_property
    def _likely(self) -> Array:
        """The probability of what is known given each row of all (rows,)."""
        return np.ones(len(self.before.counts)) if not self.evidence else self._weighed(self._slots)

    @cached_property
    def _kept(self) -> IntArray:
        """The rows that are possible given what is known."""
        return np.flatnonzero(self._likely > 0)

    @cached_property
    def _slots(self) -> dict[int, int]:
        starts = starts_of(self.before.alphabet)
        where = {position: member.stratum for member in self.before.members for position in member.positions}
        return {position: int(starts[where[position]]) + value for position, value in self.evidence.items()}

    @cached_property
    def counts(self) -> IntArray:
        """Of each row, how many records take each slot (rows, slots)."""
        return np.asarray(self.before.counts[self._kept])

    @cached_property
    def entries(self) -> IntArray:
        """Of each row (rows,)."""
        return np.asarray(self.entry(self.before)[self._kept])

    @cached_property
    def shares(self) -> Array:
        """Of each row, its probability given its entry (rows,)."""
        return np.asarray(np.exp(self.before.log_weights[self._kept] - np.log(self.chances[self.entries])))

    @cached_property
    def known_given(self) -> Array:
        """The probability of what is known, by entry (m,): a linear function of the law; 1 where nothing is."""
        return self.by_entry(self._likely[self._kept]) if self.evidence else np.ones(len(self.box))

    def given(self, member: Member) -> Array:
        """The probability that such a member of the reference has each of its secrets, and others the known values,
        given the row (secrets, rows)."""
        if self.evidence:
            return np.stack([self._chance({member.positions[0]: slot}) for slot in member.slots])
        logs = member.log_given + member.log_prior[:, None] - self.before.log_weights
        return np.asarray(np.minimum(np.exp(logs), 1.0))

    def known(self, position: int, place: int) -> Iterator[Array]:
        """The probability, given the row, that the record at that position has its member's secret of that place and
        some other records known values (rows,): nothing more known, then all that can be, members of a class by how
        many."""
        members = self.reference.members
        own = next(member for member in members if position in member.positions)
        choices = [_values(each, self._free(each, position)) for each in members]
        for choice in product(*choices):
            found = dict(pair for each in choice for pair in each)
            yield self._chance({**found, position: own.slots[place]})

    def known_count(self, position: int) -> int:
        """How many `known` yields."""
        members = self.reference.members
        return prod(comb(len(each.slots) + (free := len(self._free(each, position))), free) for each in members)

    def _free(self, member: Member, position: int) -> list[int]:
        return [i for i in member.positions if i != position and i not in self.evidence]

    def _chance(self, slots: Mapping[int, int]) -> Array:
        return self._weighed({**self._slots, **slots})[self._kept]

    def _weighed(self, slots: Mapping[int, int]) -> Array:
        """The probability that records have these slots, given each row of all (rows,)."""
        block = self.before
        if len({member.stratum for member in block.members}) == len(block.members):
            return np.asarray(np.exp(weighed(block, slots)[1].logs() - block.log_weights))
        rows, _ = block.table()
        fits = [rows[:, position] == slot for position, slot in slots.items()]
        return np.asarray(np.all(fits, axis=0), dtype=np.float64)

    def by_entry(self, rows: Array) -> Array:
        """Sums of what rows count for (.., rows), times their shares, by entry (.., m): linear functions of the law."""
        found = np.zeros((*rows.shape[:-1], len(self.box)))
        np.add.at(np.moveaxis(found, -1, 0), self.entries, np.moveaxis(rows * self.shares, -1, 0))
        return found


def _values(member: Member, free: list[int]) -> list[tuple[tuple[int, int], ...]]:
    """Which values of the class may be known, as pairs of a position and a slot: the first positions stand for all."""
    return [
        tuple(zip(free, slots, strict=False))
        for known in range(len(free) + 1)
        for slots in combinations_with_replacement(member.slots, known)
    ]


def extended_set(block: CredalBlock, steps: Steps) -> CredalBlock:
    """The same groups, each value followed by those of the later stages: the law of a process given its first value is
    the same under every law of the box, so that probabilities stay linear (Result 21.31).

    InputError where values are drawn anew from the law of the first stage, which is not known then.
    """
    if not steps.alike:
        wanted = "a transition matrix beside intervals: persistence draws anew from a law that is not known"
        raise InputError("model.persistence", "probabilities that are intervals", wanted)

    def made(law: Array) -> Block:
        return extended_block(block.made(law), steps)

    def entry(whole: Block) -> IntArray:
        return np.asarray(block.entry(block.before)[_first_rows(block.before, whole, steps)])

    return replace(block, made=made, entry=entry)


def _first_rows(block: Block, whole: Block, steps: Steps) -> IntArray:
    """Of each row of the groups of processes, that of the values at the first stage."""
    starts = starts_of(block.alphabet)
    kinds = [steps.processes(values) for _, values in block.alphabet]
    first = np.concatenate([start + kind.first for start, kind in zip(starts, kinds, strict=False)])
    if len({member.stratum for member in block.members}) == len(block.members):
        values = whole.counts @ (first[:, None] == np.arange(starts[-1])).astype(np.int64)
        own = block.counts
    else:
        values, own = first[whole.table()[0]], block.table()[0]
    place = {tuple(row): i for i, row in enumerate(own.tolist())}
    return np.array([place[tuple(row)] for row in values.tolist()], dtype=np.int64)


@final
class CredalGroups(Belief):
    """blocks: in the order in which people are numbered; numbers: of the people, block by block, 1, 2, .. by default;
    around: whether the laws meant may be fewer, so that what some of these attain is no lower end.

    Every promise is for every law in which each group's is in its block's box, whatever the others' are.
    """

    nature: ClassVar[Nature] = Nature("groups with intervals", over=WITHIN, instead=INTERVALS)

    def __init__(
        self, blocks: Sequence[CredalBlock], numbers: Sequence[int] | None = None, around: bool = False
    ) -> None:
        self.blocks = tuple(blocks)
        self._numbers = numbers
        self.around = around

    @cached_property
    def reference(self) -> GroupsLaw:
        """One law, perhaps not of the set, under which all is possible that is under some law of it."""
        return product_of_groups([block.reference for block in self.blocks], self._numbers)

    @property
    def factors(self) -> tuple[Exchangeable, ...]:
        """The reference's, one for each block."""
        return self.reference.factors()

    def at(self, laws: Sequence[Array]) -> GroupsLaw:
        """The joint law in which all groups of a block have the same law (m,), one for each block."""
        blocks = [block.at(law) for block, law in zip(self.blocks, laws, strict=True)]
        return product_of_groups(blocks, self._numbers)

    @property
    def numbers(self) -> list[int]:
        """Of the people, block by block."""
        return [number for factor in self.factors for number in factor.numbers]

    def strata(self) -> tuple[Stratum, ...]:
        return self.reference.strata()

    def labelled(self) -> dict[str, int]:
        return self.reference.labelled()

    def subject_of(self, person: int) -> Subject:
        return self.reference.subject_of(person)

    def given(self, known: Mapping[int, RecordValue]) -> "CredalGroups":
        """Every law of the set under which the known records have a positive probability, given them (Result 21.30):
        the groups that have them become blocks of one."""
        strata = self.strata()
        universes = {person: strata[self.subject_of(person).stratum].values for person in known}
        places = known_places(known, universes)
        blocks, numbers = list[CredalBlock](), list[int]()
        for block, factor in zip(self.blocks, self.factors, strict=True):
            rows = np.array(factor.numbers).reshape(factor.count, -1)
            evidence: dict[int, dict[int, int]] = {}
            for group, position in np.argwhere(np.isin(rows, list(places))).tolist():
                evidence.setdefault(group, {})[position] = places[int(rows[group, position])]
            if len(evidence) < factor.count:
                blocks.append(block.alike(factor.count - len(evidence)) if evidence else block)
                numbers += np.delete(rows, list(evidence), axis=0).ravel().tolist()
            for group, own in evidence.items():
                one = block.alike(1).knowing(own)
                if one is None:
                    raise impossible(known)
                blocks.append(one)
                numbers += rows[group].tolist()
        return CredalGroups(blocks, numbers, self.around)


def set_of(groups: Iterable[BoxedGroups], numbers: Sequence[int] | None = None, around: bool = False) -> CredalGroups:
    """The set of laws of groups as a model gives them."""
    return CredalGroups([CredalBlock(*each) for each in groups], numbers, around)


def pointwise(law: GroupsLaw) -> CredalGroups:
    """The set that holds one law only."""
    blocks = [_certain(factor.block) for factor in law.factors()]
    return CredalGroups(blocks, [number for factor in law.factors() for number in factor.numbers])


def _certain(block: Block) -> CredalBlock:
    return CredalBlock(Box.exactly([1.0]), lambda law: block, lambda own: np.zeros(len(own.counts), dtype=np.int64))


@singledispatch
def grouped(belief: Belief) -> CredalGroups | None:
    """The same as a set of laws of independent groups; None where it has no such form. TooLarge where it is one law
    with too many assignments, or where some row is too rare, to be written out so."""
    return None


@grouped.register
def _set(belief: CredalGroups) -> CredalGroups:
    return belief


@grouped.register
def _groups(belief: GroupsLaw) -> CredalGroups:
    rarest = min(float(factor.block.log_weights.min()) for factor in belief.factors())
    # A row of a group may be rarer than e to minus this in laws of logs, not in sums of doubles.
    if rarest < -600.0:
        shown = f"a row of a group of probability e^{rarest:.0f}"
        raise TooLarge("a part beside intervals", shown, "make its groups smaller, or its probabilities larger")
    return pointwise(belief)


@grouped.register
def _product(belief: ProductLaw) -> CredalGroups:
    parts = [grouped(law) for law in belief.laws]
    return side_by_side([part for part in parts if part is not None])


@grouped.register
def _joint(belief: Joint) -> CredalGroups:
    return _groups(written_out(belief, "a part beside intervals", "make it smaller, or give it as groups"))


def side_by_side(parts: Sequence[CredalGroups]) -> CredalGroups:
    """Independent sets of laws as one: people numbered on from part to part."""
    numbers, before = list[int](), 0
    for part in parts:
        own = part.numbers
        numbers += [before + number for number in own]
        before += len(own)
    blocks = [block for part in parts for block in part.blocks]
    return CredalGroups(blocks, numbers, any(part.around for part in parts))


def product_with_intervals(parts: Sequence[Belief]) -> CredalGroups:
    """Of laws and sets of laws of different people. InputError for one that is not of independent groups."""
    found = [grouped(part) for part in parts]
    groups = [each for each in found if each is not None]
    if len(groups) < len(found):
        wanted = "parts that are independent groups, or laws without intervals: households, groups, independent, table"
        raise InputError("model.parts", "a part of another kind beside intervals", wanted)
    return side_by_side(groups)
