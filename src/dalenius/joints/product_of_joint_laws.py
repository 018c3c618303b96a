"""Independent joint laws as one: e.g. a town's households and, beside them, a chain of one person's days.

Two pairs of twins and a pair of friends: people are numbered on, and bits of one label are one stratum.

>>> from dalenius.joints.identical_groups import tabled
>>> from dalenius.joints.independent_groups_law import product_of_groups
>>> bits = ("", (0, 1))
>>> twins = product_of_groups([tabled(2, [bits, bits], [[0, 0], [1, 1]], [0.9, 0.1], "a twin")])
>>> friends = product_of_groups([tabled(1, [bits, bits], [[0, 0], [1, 1]], [0.6, 0.4], "a friend")])
>>> law = product_of([twins, friends])
>>> [(each.person, each.people) for each in law.subjects()], law.strata()
([(1, 2), (2, 2), (5, 1), (6, 1)], (Stratum(label='', values=(0, 1), people=6),))
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.chain_joint_law import chain_of
from dalenius.joints.factor import Factor, Numbering
from dalenius.joints.joint import Case, Joint, Stratum, Subject, count_people
from dalenius.joints.known_records import known_places
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.laws.generating_function_algebra import Element, Renamed, Transform, leave_one_out

_Own = TypeVar("_Own")


@final
@dataclass(frozen=True)
class _Placed:
    """A factor of the product: its number of people, and its people's, strata's and slots' numbers in the product."""

    joint: Joint
    people: int
    numbering: Numbering

    @property
    def before(self) -> int:
        """The number of people of the product that precede its own."""
        return self.numbering.before

    def own(self, known: Mapping[int, _Own]) -> dict[int, _Own]:
        """Returns what is `known` of this part's people, by their numbers in it."""
        inside = range(self.before + 1, self.before + self.people + 1)
        return {person - self.before: value for person, value in known.items() if person in inside}


@final
class ProductLaw(Joint):
    """A product of joint laws of any kind. Build it with `product_of`."""

    def __init__(self, strata: Sequence[Stratum], placed: Sequence[_Placed]) -> None:
        self._strata = tuple(strata)
        self.placed = tuple(placed)

    def strata(self) -> tuple[Stratum, ...]:
        return self._strata

    def subjects(self) -> tuple[Subject, ...]:
        return tuple(_renamed(placed, subject) for placed in self.placed for subject in placed.joint.subjects())

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """Returns the class of `person`, from 1, by their own law, with the product's numbers.

        `single` is passed on. InputError for a number nobody has.
        """
        placed = self._of(person)
        return _renamed(placed, placed.joint.subject_of(person - placed.before, single))

    def _of(self, person: int) -> _Placed:
        for placed in self.placed:
            if placed.before < person <= placed.before + placed.people:
                return placed
        # The case of a number nobody has: the message says how many there are.
        last = max(placed.before + placed.people for placed in self.placed)
        raise InputError("secrets.people", person, f"a person's number from 1 to {last}")

    def given(self, known: Mapping[int, RecordValue]) -> "ProductLaw":
        """Returns the product of the laws, each given its own people's `known` records: they stay independent."""
        self._check_known(known)
        return product_of([placed.joint.given(placed.own(known)) for placed in self.placed])

    def given_together(self, known: Mapping[int, RecordValue]) -> "ProductLaw":
        self._check_known(known)
        return product_of([placed.joint.given_together(placed.own(known)) for placed in self.placed])

    def _check_known(self, known: Mapping[int, RecordValue]) -> None:
        """Raises InputError for a person who is not there, or a value that they cannot have."""
        for person in known:
            self.subject_of(person)
        # Because a law of its own would name a person by another number.
        known_places(known, {person: self._strata[self.stratum_of(person)].values for person in known})

    def apart(self, people: Mapping[int, str] | None, before: int = 0) -> "ProductLaw":
        return product_of(
            [
                placed.joint.apart(None if people is None else placed.own(people), before + placed.before)
                for placed in self.placed
            ]
        )

    def number_of(self, name: str) -> int | None:
        """Returns the number of the person called `name` in the first law that has one."""
        found = ((placed.joint.number_of(name), placed.before) for placed in self.placed)
        return next((number + before for number, before in found if number is not None), None)

    @property
    def laws(self) -> tuple[Joint, ...]:
        """The laws it is a product of, in the order in which people are numbered."""
        return tuple(placed.joint for placed in self.placed)

    def factors(self) -> tuple[Factor, ...]:
        return self._factors

    @cached_property
    def _factors(self) -> tuple[Factor, ...]:
        return tuple(each.within(placed.numbering) for placed in self.placed for each in placed.joint.factors())

    def part(self, factors: Collection[int], first_only: bool = False) -> "ProductLaw":
        """Returns the marginal law of `factors`, numbered through all laws; `first_only`: the first group of each."""
        kept, first = [], 0
        for placed in self.placed:
            last = first + len(placed.joint.factors())
            own = [factor - first for factor in factors if first <= factor < last]
            # Because a law none of whose factors are kept is left out.
            if own:
                kept.append(replace(placed, joint=placed.joint.part(own, first_only)))
            first = last
        return ProductLaw(self._strata, kept)

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        # Because laws are independent: a law's own messages, times the totals of all other laws.
        totals = [placed.joint.total(Renamed(transform, placed.numbering.slots)) for placed in self.placed]
        for placed, others in zip(self.placed, leave_one_out(transform, totals, [1] * len(totals)), strict=True):
            for subject, own in placed.joint.mean_product(Renamed(transform, placed.numbering.slots)):
                yield _renamed(placed, subject), [transform.product([others, each], [1, 1]) for each in own]

    def given_each(
        self, transform: Transform[Element], wanted: Sequence[tuple[int, ...]]
    ) -> Iterator[list[Case[Element]]]:
        # The case of people of several laws at once: the general way, which conditions on one after another.
        if len(self.placed) > 1:
            return super().given_each(transform, wanted)
        placed = self.placed[0]
        own = [tuple(person - placed.before for person in people) for people in wanted]
        return placed.joint.given_each(Renamed(transform, placed.numbering.slots), own)

    def stratum_of(self, person: int) -> int:
        placed = self._of(person)
        return int(placed.numbering.strata[placed.joint.stratum_of(person - placed.before)])

    @property
    def sampling_rate(self) -> float | None:
        rates = [law.sampling_rate for law in self.laws]
        # Because people beside a sample who are all asked are drawn with probability 1.
        return None if all(rate is None for rate in rates) else max(1.0 if rate is None else rate for rate in rates)

    @property
    def refusal(self) -> TooLarge | None:
        return next((each.refusal for each in self.laws if each.refusal is not None), None)

    def total(self, transform: Transform[Element]) -> Element:
        totals = [placed.joint.total(Renamed(transform, placed.numbering.slots)) for placed in self.placed]
        return transform.product(totals, [1] * len(totals))


def product_of(joints: Sequence[Joint]) -> ProductLaw:
    """Makes the independent product of `joints`: people are numbered on from law to law.

    Strata of the same label and universe become one.
    """
    kinds = [[(stratum.label, stratum.values) for stratum in joint.strata()] for joint in joints]
    keys = list(dict.fromkeys(key for kind in kinds for key in kind))
    starts = np.cumsum([0, *(len(values) for _, values in keys)])
    people = dict.fromkeys(keys, 0)
    placed, before = [], 0
    for joint, kind in zip(joints, kinds, strict=True):
        strata = np.array([keys.index(key) for key in kind], dtype=np.int64)
        slots = np.concatenate([np.arange(starts[stratum], starts[stratum + 1]) for stratum in strata])
        own = count_people(joint)
        placed.append(_Placed(joint, own, Numbering(before, strata, slots)))
        before += own
        for stratum in joint.strata():
            people[stratum.label, stratum.values] += stratum.people
    return ProductLaw([Stratum(label, values, people[label, values]) for label, values in keys], placed)


def _renamed(placed: _Placed, subject: Subject) -> Subject:
    """Returns a law's subject with its numbers in the product."""
    person = subject.person + placed.before
    return replace(subject, person=person, stratum=int(placed.numbering.strata[subject.stratum]))


def chains_of(joint: Joint) -> tuple[MarkovChain, ...]:
    """Returns the chains that the records of `joint` are made of, independent of each other.

    Returns none if some records are in no chain.
    """
    if (chain := chain_of(joint)) is not None:
        return (chain,)
    if not isinstance(joint, ProductLaw):
        return ()
    # The case of a law without chains among them: not all records are in one, and the answer is none.
    parts = [[chain.within(placed.numbering) for chain in chains_of(placed.joint)] for placed in joint.placed]
    return tuple(chain for part in parts for chain in part) if all(parts) else ()
