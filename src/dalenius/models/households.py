"""Households: exchangeable people, some of them infected, independent between households."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import product as choices
from math import comb, prod
from typing import Literal, TypeAlias, final

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import Chances, Count, RecordValue
from dalenius.frozen_section import Frozen
from dalenius.joints import Belief
from dalenius.joints.identical_groups import Block, member_of
from dalenius.joints.independent_groups_law import GROUPS_IN_INTERVALS, BoxedGroups, groups_of
from dalenius.laws.box import Box
from dalenius.laws.extended_range import Masses
from dalenius.models.epidemic import Epidemic
from dalenius.models.largest_groups import Smaller, split_off
from dalenius.models.model import (
    Composition,
    Model,
    Readable,
    given_intervals,
    rows,
    widened_row,
)
from dalenius.sentences.sentence import Name, Phrase, counted, few_listed, said, semicolons

Compositions: TypeAlias = Mapping[Composition, int]
"""The number of households of each composition."""

_BITS: tuple[RecordValue, ...] = (0, 1)
"""Values that stand for not infected, and infected."""


@final
class HouseholdType(Frozen):
    """Households of one size, whose members are exchangeable: the infected may be any of them.

    Args:
        infected: Pr[0, 1, .., size of them are 1], each a number or an interval [lo, hi].
        count: How many households of this type there are; None where a table says it.
        members: How many members of a household have each label; None (the default) for no labels.

    Example:
        >>> import dalenius as dl
        >>> dl.HouseholdType(count=30, infected=[0.9, 0.04, 0.06]).words
        '30 households of 2, by the number of records that are 1: 0 with 90 %, 1 with 4 %, 2 with 6 %'
    """

    infected: Chances
    count: Count | None = None
    members: dict[str, Count] | None = None

    @model_validator(mode="after")
    def _check(self) -> "HouseholdType":
        # Because one number would be the law of nobody.
        if self.size < 1:
            raise ValueError("infected to have at least two entries: Pr[0] and Pr[1]")
        if self.members is not None and sum(self.members.values()) != self.size:
            raise ValueError(f"members that add up to the household's size {self.size} (not {self.members})")
        return self

    @property
    def size(self) -> int:
        """The number of people in one household."""
        return len(self.infected) - 1

    @property
    def words(self) -> Phrase:
        """The type as a part of a sentence."""
        chances = rows(range(self.size + 1), self.infected)
        if self.count is None:
            key = "people_each" if self.size == 1 else "households_of_size"
            return said(key, size=self.size, chances=chances)
        if self.size == 1:
            return counted("person_each", "some_people_each", self.count, chances=chances)
        return counted("household_of_size", "some_households_of_size", self.count, size=self.size, chances=chances)

    def widened(self, log_factor: float) -> "HouseholdType":
        """Returns the type with probabilities that may be off by a factor at most; a 0 stays 0.

        Args:
            log_factor: The logarithm of the factor, in nats.

        Returns:
            The type with intervals in place of its probabilities.
        """
        return self.altered({"infected": widened_row(self.infected, log_factor)})


@final
class Households(Model):
    """Households of exchangeable people, each 0 or 1 (infected); households do not depend on each other.

    The households are given in one of four ways: one type (count and infected), households of one size by an epidemic
    (count, size and epidemic), several types, or sizes read from a table (by) with one law per size. From a table,
    sizes are public, as are members' labels if [data] names a label column.

    Args:
        count: How many households of the one type or size there are; None in the other two ways.
        infected: The law of that type: Pr[0, 1, .., size of them are 1], each a number or an interval [lo, hi].
        types: Several types, each with its count; with `by` one type per size, without count and members.
        epidemic: The law of every size, with `by`, or of the one `size`.
        size: How many people live in each household, beside `count` and `epidemic`; None (the default) elsewhere.
        by: The column of the [data] table that gives each person's household; None (the default) for no table.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        Each of the two people of a household is infected with 0.4. A count through Laplace(1) leaks 1.576 nats about
        one person.

        >>> import dalenius as dl
        >>> homes = dl.Households(count=100, infected=[0.5, 0.2, 0.3])
        >>> found = dl.InferentialPrivacy().leakage(dl.Release(homes, dl.Count(), dl.Laplace(1.0)))
        >>> f"{found.upper:.4f}"
        '1.5762'
    """

    kind: Literal["households"] = "households"
    count: Count | None = None
    infected: Chances | None = None
    types: tuple[HouseholdType, ...] | None = Field(default=None, min_length=1)
    epidemic: Epidemic | None = None
    size: Count | None = None
    by: str | None = None
    _homes: Compositions | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _check(self) -> "Households":
        """Checks that it is given in one of four ways: count and law, one size, types, or a column and laws."""
        if self.infected is not None and len(self.infected) < 2:
            raise ValueError("infected to have at least two entries: Pr[0] and Pr[1]")
        single = (self.count, self.infected) != (None, None)
        if self.size is not None and (self.epidemic is None or self.by is not None):
            raise ValueError("size only beside epidemic and count, without by")
        if self.by is None and self.epidemic is not None:
            # Because an epidemic gives a law for every size, the sizes are read from a table, or all are one.
            if self.count is None or self.size is None:
                raise ValueError("by, the household column, beside epidemic, or both count and size")
            if self.infected is not None or self.types is not None:
                raise ValueError("epidemic without infected and types: it gives their law")
        elif self.by is None:
            if single == (self.types is not None):
                raise ValueError("either count and infected, or types, or by")
            if single and (self.count is None or self.infected is None):
                raise ValueError("both count and infected")
            if self.types is not None and any(each.count is None for each in self.types):
                raise ValueError("a count for every type")
        # Because sizes come from the table, a count beside them would be a second answer.
        elif single or (self.epidemic is None) == (self.types is None):
            raise ValueError("either epidemic or types (a law for each size) beside by, and no count or infected")
        elif self.types is not None and any(each.count is not None or each.members for each in self.types):
            raise ValueError("types without count and members beside by: the table gives both")
        return self

    @property
    def words(self) -> str:
        parts: list[Phrase] = [] if self.by is None else [said("homes_in_column", column=Name(self.by))]
        if self.count is not None and self.size is not None:
            parts.append(counted("household_alike", "households_alike", self.count, size=self.size))
        kinds = () if self.epidemic is not None else tuple(self._kinds)
        listed = few_listed((each.words for each in kinds), "between_clauses")
        parts.append(listed if self.epidemic is None else self.epidemic.words)
        alone = self.by is None and bool(kinds) and all(each.size == 1 for each in kinds)
        return semicolons([*parts, said("people_apart" if alone else "households_apart")])

    def rests_on(self) -> tuple[str, ...]:
        return given_intervals(each.infected for each in self._kinds)

    @property
    def _kinds(self) -> tuple[HouseholdType, ...]:
        """The types; `count` and `infected` are one type."""
        if self.infected is None:
            return self.types or ()
        return (HouseholdType(infected=self.infected, count=self.count),)

    def joints(self) -> tuple[Belief, ...]:
        # Because a table's households are asked about again and again, each time with the same laws.
        return self._joints() if self._homes is None else _kept_joints(self)

    def _joints(self) -> tuple[Belief, ...]:
        if self._known is not None:
            homes = self._in_order(self._known)
            # The case of fitted chances, each known up to an interval: leakage is bounded over all epidemics inside.
            if self.epidemic is not None and not self.epidemic.is_point:
                return self._epidemics(homes, self.epidemic)
            blocks = [_credal(count, dict(members), *self._law(_size(members))) for members, count in homes]
            return (groups_of(blocks),)
        # The case of a spec without [data], or of a part of a product: no table has been read into this model.
        if self.by is not None:
            raise InputError("model.by", self.by, "a [data] table to read households from (not within a product)")
        return (groups_of([_block_of(each) for each in self._kinds]),)

    @property
    def _known(self) -> Compositions | None:
        """The households of each composition, from a table or all of one size; None where types say them."""
        if self.count is not None and self.size is not None:
            return {(("", self.size),): self.count}
        return self._homes

    @staticmethod
    def _epidemics(homes: list[tuple[Composition, int]], epidemic: Epidemic) -> tuple[Belief, ...]:
        """Returns sets of laws around those of smaller intervals, and laws at the extreme values.

        The sets hold every household's law, and a household alone bounds what leaks about its members. The laws at
        extreme values bound it from below.
        """

        def of(each: Epidemic) -> list[BoxedGroups]:
            boxes = {size: each.box(size) for size in {_size(members) for members, _ in homes}}
            return [_credal(count, dict(members), boxes[_size(members)]) for members, count in homes]

        made = GROUPS_IN_INTERVALS.function
        # Because leakage is bounded over each part, each interval of an epidemic is cut into four.
        around = [made(of(part), None, True) for part in epidemic.parts(4)]
        return (*around, *(made(of(corner), None, False) for corner in epidemic.corners))

    @property
    def household_columns(self) -> frozenset[str]:
        return frozenset() if self.by is None else frozenset([self.by])

    @staticmethod
    def _in_order(homes: Compositions) -> list[tuple[Composition, int]]:
        """Returns the households in the order in which people are numbered."""
        return sorted(homes.items(), key=_by_size)

    def bound(self, table: Readable) -> "Households":
        return self if self.by is None else self.with_compositions(table.compositions())

    def without_largest(self) -> Smaller | None:
        homes = None if self._known is None else self._in_order(self._known)
        counted = [] if homes is not None else [(each.size, each.size * (each.count or 1)) for each in self._kinds]
        counted += [(_size(members), _size(members) * count) for members, count in homes or ()]
        people: dict[int, int] = {}
        for size, count in counted:
            people[size] = people.get(size, 0) + count
        most = split_off(people)
        # Because people are numbered by type, and types of one size may stand apart, only a table's are in order.
        if most is None or homes is None:
            return None
        return Smaller(self.with_compositions({own: n for own, n in homes if _size(own) <= most}), most, people)

    def with_compositions(self, compositions: Compositions) -> "Households":
        """Returns the model with a table's households.

        Args:
            compositions: How many households there are of each composition: pairs of a label and how many members have
                it.

        Returns:
            The model, whose people are those of the table.

        Raises:
            InputError: If the model has no law for a size that the table has.
        """
        other = self.model_copy()
        other._homes = dict(compositions)
        # Because every size of the table has a law, or the spec is refused before anything is computed.
        for members in compositions:
            other._law(_size(members))
        return other

    def widened(self, log_factor: float) -> "Households":
        """Returns the model with each Pr[k infected] off by a factor at most; a 0 stays 0.

        Args:
            log_factor: The logarithm of the factor, in nats.

        Returns:
            The model with intervals; in place of an epidemic, with a type for each size that the table has.

        Raises:
            InputError: If there is an epidemic, and no table and no size.
        """
        # So that one type, given at the top of the section, stays there.
        if self.infected is not None:
            return self.altered({"infected": widened_row(self.infected, log_factor)})
        types = self.types or self._types_of_epidemic()
        wider = tuple(each.widened(log_factor) for each in types)
        return self.altered({"types": wider, "epidemic": None, "count": None, "size": None})

    def _types_of_epidemic(self) -> tuple[HouseholdType, ...]:
        """Returns a type for each size in the table, with the epidemic's chances as intervals.

        InputError without a table.
        """
        if self.epidemic is None or self._known is None:
            raise InputError("model.by", self.by, "a [data] table to read households from (not within a product)")
        boxes = {_size(members): self.epidemic.box(_size(members)) for members in self._known}
        return tuple(
            HouseholdType(infected=tuple(zip(box.lower.tolist(), box.upper.tolist(), strict=True)), count=self.count)
            for _, box in sorted(boxes.items())
        )

    def _law(self, size: int) -> tuple[Box, Masses | None]:
        """Returns a set of laws of how many of a size are 1; and its only law, where doubles may not hold it."""
        if self.epidemic is not None:
            if not self.epidemic.is_point:
                return self.epidemic.box(size), None
            law = self.epidemic.law(size)
            # Because the chance that nobody of 250 escapes may be no double: the law is kept beside its box.
            return Box.exactly(law.doubles()), law
        for each in self.types or ():
            if each.size == size:
                return Box.of(each.infected), None
        # The case of a table with a household of a size that nobody thought of.
        have = sorted(each.size for each in self.types or ())
        raise InputError("model.types", f"sizes {have}", f"also a law for size {size}, which the table has")


@lru_cache(8)
def _kept_joints(model: Households) -> tuple[Belief, ...]:
    """Returns the laws of a table's households: the same objects for every release of one model and table."""
    return model._joints()


def _size(members: Iterable[tuple[str, int]]) -> int:
    """Returns how many people a composition has."""
    return sum(number for _, number in members)


def _by_size(item: tuple[Composition, int]) -> tuple[int, Composition]:
    """Returns a key that sorts small households first, and those of one size by their members' labels."""
    return _size(item[0]), item[0]


def _block_of(kind: HouseholdType) -> BoxedGroups:
    """Returns a type's households; without `members` nobody has a label."""
    members = kind.members if kind.members is not None else {"": kind.size}
    return _credal(kind.count if kind.count is not None else 1, members, Box.of(kind.infected))


def _credal(count: int, labels: Mapping[str, int], box: Box, law: Masses | None = None) -> BoxedGroups:
    """Returns households of one composition, whose law lies in the box.

    Args:
        count: How many households.
        labels: How many members have each label.
        box: The laws of how many members are infected.
        law: The only law of the box, where there is one, beyond what doubles hold.
    """

    def made(chances: Array) -> Block:
        return _block(count, labels, Masses.of(chances) if law is None else law)

    return BoxedGroups(box, made, lambda block: np.asarray(block.counts[:, 1::2].sum(axis=1)))


def _block(count: int, labels: Mapping[str, int], law: Masses) -> Block:
    """Returns `count` households whose members, with these labels, are infected with this law.

    law: Pr[0, 1, .., size of them are 1].
    """
    members = np.array(list(labels.values()))
    size, possible = int(members.sum()), set(law.possible.tolist())
    ones = np.array([k for k in choices(*(range(n + 1) for n in members)) if sum(k) in possible])
    weights = law[ones.sum(axis=1)].times(_shares(ones, members))
    counts = np.stack([members - ones, ones], axis=-1)
    starts = np.cumsum([0, *members])
    people = [
        member_of(tuple(range(starts[i], starts[i + 1])), i, (2 * i, 2 * i + 1), counts[:, i].T / members[i], weights)
        for i in range(len(members))
    ]
    return Block(
        count=count,
        size=size,
        alphabet=tuple((label, _BITS) for label in labels),
        counts=counts.reshape(len(ones), -1),
        weights=weights,
        members=tuple(people),
        # Because past it a number of assignments is only "too many".
        assignments=2 ** min(size, 200),
        table=lambda: _assignments(law, np.repeat(np.arange(len(members)), members)),
        who=f"member of a household of {size}",
    )


def _shares(ones: IntArray, members: IntArray) -> Masses:
    """Returns Pr[the number of infected with each label | their total]: the infected are a uniform subset."""
    size, rows = int(members.sum()), ones.tolist()
    ways = [prod(map(comb, members.tolist(), row)) for row in rows]
    return Masses.ratios(ways, [comb(size, sum(row)) for row in rows])


def _assignments(law: Masses, stratum: IntArray) -> tuple[IntArray, Masses]:
    """Returns all possible assignments of a household, as slots (rows, size), and their weights.

    Assignments of equally many infected are equally likely.
    """
    size = len(stratum)
    bits = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
    ones = bits.sum(axis=1)
    each = law.times(Masses.ratios([1] * (size + 1), [comb(size, k) for k in range(size + 1)]))[ones]
    return (2 * stratum + bits)[each.possible], each[each.possible]
