"""The answers of a table without a whole household, or one member of it: who is absent among dependent people.

If one member of a household is absent from a register, the others are likely to be absent too. So the candidates are
sets of people: whole households, single members, or both. A household of one person is one candidate. A query's own
answers without each person give those without a set H: H less one of its members is taken out of the table first, and
then that member is left out.

Two people live together and one alone, with the values 1, 2 and 4; a sum is 4 without the couple, and 3 without the
third:

>>> from dalenius import Sum
>>> from dalenius.tally import tally_of_people
>>> couple = candidates_of(np.array([0, 0, 1]), whole=1.0)
>>> found = without_households(tally_of_people([1, 2, 4]), couple, Sum().left_out).left_out
>>> found.base, found.offsets.tolist(), found.whose.tolist()
(Fraction(3, 1), [0.0, 1.0], [1, 0])
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.left_out import LeftOut, left_out_of
from dalenius.tally import Tally


@final
@dataclass(frozen=True)
class Candidates:
    """The sets of people who may be absent: households in the order of their first rows, then single members by row.

    Attributes:
        home: The household of each candidate, from 0 (candidates,).
        row: The row of a single member, from 0; -1 for a whole household (candidates,).
        homes: The household of each person (people,).
        whole: The probability that a whole household is absent, if somebody of it is.
    """

    home: IntArray
    row: IntArray
    homes: IntArray
    whole: float

    @property
    def households(self) -> int:
        """The number of households."""
        return int(self.homes.max()) + 1

    @property
    def count(self) -> int:
        """The number of candidates."""
        return len(self.home)

    def prior(self, of_household: Array) -> Array:
        """Returns the prior of each candidate (candidates,).

        Args:
            of_household: The probability that somebody of each household is absent (households,); they sum to 1.
        """
        size = np.bincount(self.homes)[self.home]
        # Because who lives alone is absent as a household and as a member.
        share = np.where(size == 1, 1.0, np.where(self.row < 0, self.whole, (1 - self.whole) / size))
        return np.asarray(of_household[self.home] * share)

    def named(self, rows: IntArray) -> int:
        """Returns the candidate who is the people of these `rows`, ascending; InputError where none is."""
        for place in np.flatnonzero(np.isin(self.home, self.homes[rows])).tolist():
            members = np.flatnonzero(self.homes == self.home[place]) if self.row[place] < 0 else self.row[[place]]
            if np.array_equal(members, rows):
                return int(place)
        who = "one row" if not self.whole else "all rows of one household" + ", or one row" * (self.whole < 1)
        raise InputError("data.absent", f"{len(rows)} rows", f"{who}: who is absent")


@final
@dataclass(frozen=True)
class HouseholdsLeftOut:
    """The answers without each candidate; `left_out` has the class of each."""

    candidates: Candidates
    left_out: LeftOut


def households_of(names: list[str]) -> IntArray:
    """Returns the number of each person's household (n,), from 0 as they first occur in `names`, one name a person."""
    place = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.fromiter((place[name] for name in names), dtype=np.int64, count=len(names))


def candidates_of(homes: IntArray, whole: float) -> Candidates:
    """Returns the candidates of a table; InputError for a table of one household.

    Args:
        homes: The household of each person, from 0 (n,).
        whole: The probability that a whole household is absent, if somebody of it is: at 0 only single members are
            candidates, and at 1 only whole households.
    """
    sizes = np.bincount(homes)
    if len(sizes) < 2:
        raise InputError("model.by", "1 household", "two households or more, one of which is concerned")
    households = np.arange(len(sizes)) if whole else np.empty(0, dtype=np.int64)
    # So that who lives alone is one candidate: as a household where these are candidates, else as a member.
    single = np.flatnonzero(sizes[homes] > 1) if whole else np.arange(len(homes))
    single = single if whole < 1 else single[:0]
    home = np.concatenate([households, homes[single]])
    row = np.concatenate([np.full(len(households), -1), single])
    return Candidates(home.astype(np.int64), row.astype(np.int64), homes, whole)


def without_households(tally: Tally, candidates: Candidates, left_out: Callable[[Tally], LeftOut]) -> HouseholdsLeftOut:
    """Returns the answers without each candidate.

    Args:
        tally: Everybody's values, with `whose`.
        candidates: The sets of people who may be absent.
        left_out: The query's answers without each person of a tally.
    """
    assert tally.whose is not None
    answers = _without_each(tally, candidates.homes, left_out) if candidates.whole else []
    if candidates.whole < 1:
        one = left_out(tally)
        assert one.whose is not None
        by_class = [one.base + Fraction(repr(offset)) for offset in one.offsets.tolist()]
        answers += [by_class[place] for place in one.whose[candidates.row[candidates.row >= 0]].tolist()]
    return HouseholdsLeftOut(candidates, left_out_of(answers))


def _without_each(tally: Tally, homes: IntArray, left_out: Callable[[Tally], LeftOut]) -> list[Fraction]:
    """Returns the answer without each household, once for households of the same people."""
    assert tally.whose is not None
    kinds = tally.whose[np.argsort(homes, kind="stable")]
    members = [tuple(sorted(each.tolist())) for each in np.split(kinds, np.cumsum(np.bincount(homes))[:-1])]
    found = dict[tuple[int, ...], Fraction]()
    for each in members:
        if each not in found:
            found[each] = _without(tally, each, left_out)
    return [found[each] for each in members]


def _without(tally: Tally, members: tuple[int, ...], left_out: Callable[[Tally], LeftOut]) -> Fraction:
    """Returns the answer without people of these kinds, by the answer without the last one of them."""
    last, others = members[-1], np.array(members[:-1], dtype=np.int64)
    counts = tally.counts - np.bincount(others, minlength=len(tally.counts))
    there = np.flatnonzero(counts)
    rest = replace(
        tally,
        steps=tally.steps[there],
        counts=counts[there],
        label=tally.label[there],
        whose=np.searchsorted(there, [last]),
    )
    found = left_out(rest)
    assert found.whose is not None
    return found.base + Fraction(repr(float(found.offsets[found.whose[0]])))
