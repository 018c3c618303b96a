"""Independent groups of exchangeable records: the joint law of everybody.

It is exact, or a set of laws between two tables, or any small law with all rows written out.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple, final

import numpy as np

from dalenius import wings
from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.factor import all_outcomes, count_outcomes
from dalenius.joints.identical_groups import (
    Block,
    Exchangeable,
    Member,
    StratumKey,
    conditioned,
    labelled,
    of_slots,
    weighed,
)
from dalenius.joints.joint import Belief, Case, Joint, Stratum, Subject, own_label, people_of
from dalenius.joints.known_records import ImpossibleTogether, known_places
from dalenius.joints.limits import MOST_WRITTEN_ROWS
from dalenius.laws.box import Box
from dalenius.laws.extended_range import Masses
from dalenius.laws.generating_function_algebra import Element, Transform, leave_one_out


@final
class GroupsLaw(Joint):
    """A product of independent groups. Build it with `product_of_groups`.

    Two pairs of twins, both 1 with probability .1 and else both 0. How many are 1, if the first person is 0 and if
    they are 1: the other pair adds 0 or 2. If a twin is known to be 1, the other is 1 as well.

    >>> from dalenius.joints.identical_groups import tabled
    >>> from dalenius.laws.convolution import Coefficients, law_of
    >>> bits = ("", (0, 1))
    >>> law = product_of_groups([tabled(2, [bits, bits], [[0, 0], [1, 1]], [0.9, 0.1], "a twin")])
    >>> subject, given = next(law.mean_product(Coefficients(np.array([[0], [1]]))))
    >>> subject.people, np.exp(law_of(given).log_mass()).round(6).tolist()
    (2, [[0.9, 0.0, 0.1, 0.0, 0.0], [0.0, 0.0, 0.9, 0.0, 0.1]])
    >>> law.given({1: 1}).subject_of(2).secrets
    (1,)
    """

    def __init__(self, strata: Sequence[Stratum], factors: Sequence[Exchangeable]) -> None:
        self._strata = tuple(strata)
        self._factors = tuple(factors)
        self._values = [value for stratum in self._strata for value in stratum.values]

    def strata(self) -> tuple[Stratum, ...]:
        return self._strata

    def factors(self) -> tuple[Exchangeable, ...]:
        return self._factors

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(self._subject(factor, member) for factor in self._factors for member in factor.block.members)

    def _subject(self, factor: Exchangeable, member: Member) -> Subject:
        """Returns one class of a factor's people: a member in all of its groups."""
        return Subject(
            person=factor.numbers[member.positions[0]],
            people=factor.count * len(member.positions),
            stratum=int(factor.places[member.stratum]),
            secrets=tuple(self._values[factor.slots[slot]] for slot in member.slots),
            log_prior=member.log_prior,
            dependents=factor.block.size,
            who=factor.block.who,
            class_error=self._error,
        )

    @cached_property
    def _error(self) -> float:
        """The nats by which the groups' tables may be off, all groups together."""
        return 2 * sum(factor.count * factor.block.error for factor in self._factors)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """Returns the class of the member at the position of `person`; `single` changes nothing.

        InputError for a number that nobody has.
        """
        everybody = sum(stratum.people for stratum in self._strata)
        if not 1 <= person <= everybody:
            raise InputError("secrets.people", person, f"a person's number from 1 to {everybody}")
        number, _, position = self._place(person)
        factor = self._factors[number]
        return self._subject(factor, next(m for m in factor.block.members if position in m.positions))

    def _place(self, person: int) -> tuple[int, int, int]:
        """Returns the factor, the group within it, and the position in the group."""
        number, factor = next((i, each) for i, each in enumerate(self._factors) if person in each.numbers)
        return number, *divmod(factor.numbers.index(person), factor.block.size)

    def given(self, known: Mapping[int, RecordValue]) -> "GroupsLaw":
        """Returns the law given the `known` records, in which their groups are blocks of their own, of one group."""
        universes = {person: self._strata[self.subject_of(person).stratum].values for person in known}
        places = known_places(known, universes)
        by_group: dict[tuple[int, int], dict[int, int]] = {}
        for person, value in places.items():
            number, group, position = self._place(person)
            by_group.setdefault((number, group), {})[position] = value
        blocks, numbers = [], []
        for number, factor in enumerate(self._factors):
            groups = [group for at, group in by_group if at == number]
            rows = np.array(factor.numbers).reshape(factor.count, factor.block.size)
            # So that 248 of 250 households are still one block if an adversary knows somebody in two.
            if len(groups) < factor.count:
                blocks.append(replace(factor.block, count=factor.count - len(groups)))
                numbers += np.delete(rows, groups, axis=0).ravel().tolist()
            for group in groups:
                one = conditioned(factor.block, by_group[number, group])
                if one is None:
                    raise ImpossibleTogether(known)
                blocks.append(one)
                numbers += rows[group].tolist()
        return product_of_groups(blocks, numbers)

    def apart(self, people: Mapping[int, str] | None, before: int = 0) -> "GroupsLaw":
        blocks, numbers = [], []
        for factor in self._factors:
            rows = np.array(factor.numbers).reshape(factor.count, factor.block.size)
            if people is None:
                blocks.append(labelled(factor.block, [own_label(number + before) for number in rows[0]]))
                numbers += rows.ravel().tolist()
                continue
            groups = [group for group, row in enumerate(rows.tolist()) if not people.keys().isdisjoint(row)]
            # So that all groups without such people are still one block.
            if len(groups) < factor.count:
                blocks.append(replace(factor.block, count=factor.count - len(groups)))
                numbers += np.delete(rows, groups, axis=0).ravel().tolist()
            for group in groups:
                own = [people.get(number) for number in rows[group].tolist()]
                blocks.append(labelled(replace(factor.block, count=1), own))
                numbers += rows[group].tolist()
        return product_of_groups(blocks, numbers)

    def part(self, factors: Collection[int], first_only: bool = False) -> "GroupsLaw":
        # So that slots keep their numbers, strata stay as they are, even those that nobody of the part is in.
        kept = [self._factors[i] for i in sorted(factors)]
        return GroupsLaw(self._strata, [factor.first() for factor in kept] if first_only else kept)

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        """Yields averages in the algebra of `transform`: the subject's group given their value, times all others."""
        elements, powers = self._elements(transform)
        for factor, others in zip(self._factors, leave_one_out(transform, elements, powers), strict=True):
            for member in factor.block.members:
                own = [transform.mean(given, factor.slots, factor.block.counts) for given in member.log_given]
                yield self._subject(factor, member), [transform.product([others, each], [1, 1]) for each in own]

    def given_each(
        self, transform: Transform[Element], wanted: Sequence[tuple[int, ...]]
    ) -> Iterator[list[Case[Element]]]:
        for people in wanted:
            # Because `one_group` leaves one group, its people's places are enough.
            places = [self._place(person) for person in people]
            factor = self._factors[places[0][0]]
            assert len(self._factors) == factor.count == 1
            yield list(self._given_each(transform, factor, [position for *_, position in places]))

    def _given_each(
        self, transform: Transform[Element], factor: Exchangeable, positions: Sequence[int]
    ) -> Iterator[Case[Element]]:
        """Yields all values that the members at these positions can have together."""
        block = factor.block
        members = [next(each for each in block.members if position in each.positions) for position in positions]
        everything = block.weights.totals().logs()
        for slots in product(*(member.slots for member in members)):
            counts, weights = weighed(block, dict(zip(positions, slots, strict=True)))
            fits = weights.possible
            # The case of twins of whom one is 0 and the other 1: impossible together, though each value is possible.
            if len(fits):
                logs = weights[fits].logs()
                total = float(weights[fits].totals().logs())
                element = transform.mean(np.minimum(logs - total, 0.0), factor.slots, counts[fits])
                values = tuple(self._values[factor.slots[slot]] for slot in slots)
                yield values, min(total - float(everything), 0.0), element

    def total(self, transform: Transform[Element]) -> Element:
        return transform.product(*self._elements(transform))

    def _elements(self, transform: Transform[Element]) -> tuple[list[Element], list[int]]:
        """Returns one group's element of each factor, and how many groups there are."""
        elements = [transform.mean(each.block.log_weights, each.slots, each.block.counts) for each in self._factors]
        return elements, [factor.count for factor in self._factors]


def product_of_groups(blocks: Sequence[Block], numbers: Sequence[int] | None = None) -> GroupsLaw:
    """Makes the law of independent groups, block by block; strata of the same label and universe become one.

    Args:
        blocks: The groups, type by type.
        numbers: The numbers of the people, block by block; None: 1, 2, 3, ..
    """
    keys = list(dict.fromkeys(key for block in blocks for key in block.alphabet))
    starts = np.cumsum([0, *(len(values) for _, values in keys)])
    everybody = sum(block.count * block.size for block in blocks)
    called = range(1, everybody + 1) if numbers is None else numbers
    people: dict[StratumKey, int] = dict.fromkeys(keys, 0)
    factors, first = [], 0
    for block in blocks:
        places = np.array([keys.index(key) for key in block.alphabet], dtype=np.int64)
        slots = np.concatenate([np.arange(starts[place], starts[place + 1]) for place in places])
        last = first + block.count * block.size
        factors.append(Exchangeable(block, called[first:last], places, slots))
        first = last
        for member in block.members:
            people[block.alphabet[member.stratum]] += block.count * len(member.positions)
    strata = [Stratum(label, values, people[label, values]) for label, values in keys]
    return GroupsLaw(strata, factors)


class BoxedGroups(NamedTuple):
    """Groups of one type, whose law lies in a box.

    Args:
        box: The laws (m,) of one of them.
        made: Makes the groups under one of these laws; their rows are those with a positive probability.
        entry: Returns which of the probabilities each row belongs to (rows,).
    """

    box: Box
    made: Callable[[Array], Block]
    entry: Callable[[Block], IntArray]


GROUPS_IN_INTERVALS: Final = wings.Part[Callable[[Iterable[BoxedGroups], Sequence[int] | None, bool], Belief]](
    "groups in intervals"
)


def groups_of(groups: Sequence[BoxedGroups], numbers: Sequence[int] | None = None) -> Belief:
    """Returns the joint law of `groups` where every box is a point, else a set of laws.

    In the set each group has a law of its own in its box. `numbers` has the numbers of the people, type by type;
    None: 1, 2, ..
    """
    # The case of numbers for all probabilities: one law, and the wing of intervals is not even loaded.
    if all(each.box.is_point for each in groups):
        return product_of_groups([each.made(each.box.point) for each in groups], numbers)
    return GROUPS_IN_INTERVALS.function(groups, numbers, False)


def written_out(joint: Joint, what: str, instead: str) -> GroupsLaw:
    """Returns the law `joint` as one group, row by row. TooLarge where there are too many rows.

    Args:
        joint: The law of everybody's records.
        what: What is too large, in words, for the message.
        instead: What to do instead, in words, for the message.
    """
    rows, strata = count_outcomes(joint.factors()), joint.strata()
    if rows > MOST_WRITTEN_ROWS:
        size = f"a law of {float(rows):.2g} assignments beside one of another kind"
        raise TooLarge(what, size, instead, MOST_WRITTEN_ROWS)
    owner = np.repeat(np.arange(len(strata)), [len(stratum.values) for stratum in strata])
    slots, logs = all_outcomes(joint.factors())
    alphabet = tuple((stratum.label, stratum.values) for stratum in strata)
    block = of_slots(1, alphabet, owner[slots[0]].tolist(), slots, Masses.of_logs(logs), "person of a law written out")
    rounding = (slots.shape[1] + 8) * (4 + float(np.max(np.abs(logs)))) * UNIT
    error = rounding + max(subject.class_error for subject in joint.subjects())
    return product_of_groups([replace(block, error=error)], people_of(joint))
