"""Households: exchangeable people of whom some are infected, independent between households."""

from collections.abc import Mapping
from itertools import product as choices
from math import comb, fsum
from typing import Literal, TypeAlias, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.models.block import Block, Member
from dalenius.models.blocks import Blocks, side_by_side
from dalenius.models.epidemic import Epidemic
from dalenius.models.model import Model, Readable
from dalenius.schema import Count, Frozen, Probabilities, RecordValue

Compositions: TypeAlias = Mapping[tuple[tuple[str, int], ...], int]
"""How many households there are of each composition: pairs of a label and how many members carry it."""

BITS: tuple[RecordValue, ...] = (0, 1)


@final
class HouseholdType(Frozen):
    """infected: Pr[0, 1, .., size of them are 1]; count: how many households; members: how many carry which label."""

    infected: Probabilities
    count: Count | None = None
    members: dict[str, Count] | None = None

    @model_validator(mode="after")
    def _check(self) -> "HouseholdType":
        if self.size < 1:
            raise ValueError("infected to have at least two entries: Pr[0] and Pr[1]")
        if self.members is not None and sum(self.members.values()) != self.size:
            raise ValueError(f"members that add up to the household's size {self.size} (not {self.members})")
        return self

    @property
    def size(self) -> int:
        return len(self.infected) - 1


@final
class Households(Model):
    """One type (count, infected), several (types), or sizes read from a table (by), with one law per size.

    by: the column of the [data] table that says who lives together. The sizes, and members' labels where [data] names a
    label column, are then taken as public; the law of each size comes from `epidemic`, or from `types` without counts.
    """

    kind: Literal["households"] = "households"
    count: Count | None = None
    infected: Probabilities | None = None
    types: tuple[HouseholdType, ...] | None = Field(default=None, min_length=1)
    epidemic: Epidemic | None = None
    by: str | None = None

    @model_validator(mode="after")
    def _check(self) -> "Households":
        if self.infected is not None and len(self.infected) < 2:
            raise ValueError("infected to have at least two entries: Pr[0] and Pr[1]")
        single = (self.count, self.infected) != (None, None)
        if self.by is None:
            if self.epidemic is not None:
                raise ValueError("by, the household column, beside epidemic")
            if single == (self.types is not None):
                raise ValueError("either count and infected, or types, or by")
            if single and (self.count is None or self.infected is None):
                raise ValueError("both count and infected")
            if self.types is not None and any(each.count is None for each in self.types):
                raise ValueError("a count for every type")
        elif single or (self.epidemic is None) == (self.types is None):
            raise ValueError("either epidemic or types (a law for each size) beside by, and no count or infected")
        elif self.types is not None and any(each.count is not None or each.members for each in self.types):
            raise ValueError("types without count and members beside by: the table says them")
        return self

    def joints(self) -> tuple[Blocks]:
        if self.by is not None:
            raise InputError("model.by", self.by, "a [data] table to read households from (not within a product)")
        if self.types is None:
            assert self.infected is not None
            only = HouseholdType(infected=self.infected, count=self.count)
            return (side_by_side([_block(only)]),)
        return (side_by_side([_block(each) for each in self.types]),)

    @property
    def household_columns(self) -> frozenset[str]:
        return frozenset() if self.by is None else frozenset([self.by])

    def bound(self, table: Readable) -> "Households":
        return self if self.by is None else self.with_compositions(table.compositions())

    def with_compositions(self, compositions: Compositions) -> "Households":
        """The same law with the households of a table: how many there are of each composition (label, members)."""
        types = [
            HouseholdType(infected=self._law(sum(n for _, n in composition)), count=count, members=dict(composition))
            for composition, count in sorted(compositions.items(), key=_by_size)
        ]
        return Households(types=tuple(types))

    def _law(self, size: int) -> tuple[float, ...]:
        if self.epidemic is not None:
            return self.epidemic.infected(size)
        for each in self.types or ():
            if each.size == size:
                return each.infected
        have = sorted(each.size for each in self.types or ())
        raise InputError("model.types", f"sizes {have}", f"also a law for size {size}, which the table has")


def _by_size(item: tuple[tuple[tuple[str, int], ...], int]) -> tuple[int, tuple[tuple[str, int], ...]]:
    return sum(n for _, n in item[0]), item[0]


def _block(kind: HouseholdType) -> Block:
    size = kind.size
    labels = kind.members if kind.members is not None else {"": size}
    members = np.array(list(labels.values()))
    ones = np.array([k for k in choices(*(range(n + 1) for n in members)) if kind.infected[sum(k)] > 0])
    weights = np.array([_share(kind.infected, k, members, size) for k in ones.tolist()])
    counts = np.stack([members - ones, ones], axis=-1).reshape(len(ones), -1)
    starts = np.cumsum([0, *members])
    people = [
        _member(range(starts[i], starts[i + 1]), i, ones[:, i] / members[i], weights) for i in range(len(members))
    ]
    count = kind.count if kind.count is not None else 1
    return Block(
        count=count,
        size=size,
        alphabet=tuple((label, BITS) for label in labels),
        counts=counts,
        log_weights=np.log(weights),
        members=tuple(people),
        assignments=2 ** min(size, 200),
        expand=lambda: _assignments(kind.infected, np.repeat(np.arange(len(members)), members)),
        who=f"member of a household of {size}",
    )


def _share(infected: tuple[float, ...], ones: list[int], members: IntArray, size: int) -> float:
    """Pr of so many infected with each label: the infected are a uniform subset of their number."""
    ways = 1
    for k, n in zip(ones, members.tolist(), strict=True):
        ways *= comb(n, k)
    return infected[sum(ones)] * (ways / comb(size, sum(ones)))


def _member(positions: range, stratum: int, share: Array, weights: Array) -> Member:
    """share: the chance, row by row, that this member is among the infected."""
    slots, prior, given = [], [], []
    for value, chance in ((0, 1 - share), (1, share)):
        mass = fsum(weights * chance)
        if mass > 0:
            slots.append(2 * stratum + value)
            prior.append(mass)
            with np.errstate(divide="ignore"):
                given.append(np.log(weights * chance / mass))
    return Member(tuple(positions), stratum, tuple(slots), np.log(np.array(prior) / fsum(prior)), np.array(given))


def _assignments(infected: tuple[float, ...], stratum: IntArray) -> tuple[IntArray, Array]:
    size = len(stratum)
    bits = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
    ones = bits.sum(axis=1)
    possible = np.array([infected[k] > 0 for k in ones])
    logs = np.log([infected[k] / comb(size, k) for k in ones[possible]])
    return (2 * stratum + bits)[possible], logs
