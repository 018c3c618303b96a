"""The rows of a pedigree: who is whose child, read from a table and checked.

A couple and their child, in a text separated by commas. An empty cell, `NA` or `0` is a parent who is not listed:

>>> table = "id,father,mother\\nI1,,0\\nI2,NA,\\nI3,I1,I2\\n"
>>> [tuple(each) for each in read_members(table, ("id", "father", "mother"), "family.csv")]
[('I1', '', ''), ('I2', '', ''), ('I3', 'I1', 'I2')]
"""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final, NamedTuple

from dalenius.errors import InputError, listed, meant
from dalenius.separated_text import separated

_UNLISTED: Final = ("", "NA", "0")
"""Cells of a parent who is not listed: an empty one, R's missing value, and the 0 of PLINK's files."""


class Member(NamedTuple):
    """A person of a pedigree; a parent who is not listed is an empty text.

    Attributes:
        name: The person's id.
        father: The father's id.
        mother: The mother's id.
    """

    name: str
    father: str
    mother: str

    @property
    def parents(self) -> tuple[str, ...]:
        """The parents who are listed."""
        return tuple(parent for parent in (self.father, self.mother) if parent)


def read_members(text: str, columns: tuple[str, str, str], name: str) -> list[Member]:
    """Reads the rows of a table of people.

    Args:
        text: The table, with the names of its columns in the first row.
        columns: The columns of the id, the father and the mother.
        name: The file's name, for messages.

    Raises:
        InputError: If a column is missing or there twice, or a row has another number of cells.
    """
    rows = separated(text, "model.file", name).rows()
    header = [cell.strip() for cell in next(rows, (0, []))[1]]
    if not header:
        raise InputError("model.file", name, f"a first row with the columns {listed(columns)} (it is empty)")
    for key, column in zip(("id", "father", "mother"), columns, strict=True):
        if column not in header:
            raise InputError(f"model.{key}", column, f"a column of {name}: {listed(header)}")
        if header.count(column) > 1:
            raise InputError(f"model.{key}", column, f"a column that is once in {name}: {listed(header)}")
    places = [header.index(column) for column in columns]
    found = []
    for line, row in rows:
        if len(row) != len(header):
            raise InputError("model.file", name, f"{len(header)} cells in line {line}, as in the first")
        cells = [row[place].strip() for place in places]
        found.append(Member(cells[0], *("" if cell in _UNLISTED else cell for cell in cells[1:])))
    return found


def check_family(members: Sequence[Member]) -> None:
    """Checks that `members` are a pedigree.

    Raises:
        ValueError: If there is nobody, a person has no id or several rows, a parent has no row, both parents are one
            person, somebody is a father and a mother, or a person is their own ancestor.
    """
    if not members:
        raise ValueError("one person or more (there is no row)")
    named: dict[str, Member] = {}
    for row, member in enumerate(members, 1):
        if not member.name:
            raise ValueError(f"an id in every row (row {row} has none)")
        # The case of two files put together, or of a second father after a correction.
        before = named.setdefault(member.name, member)
        if before is not member:
            raise ValueError(f"one row for each person ({member.name} {_differing(before, member)})")
    for member in members:
        if member.father and member.father == member.mother:
            raise ValueError(f"two different parents ({member.name} has {member.father} as both)")
        for parent in member.parents:
            if parent not in named:
                raise ValueError(
                    f"a row for every parent, or an empty cell ({member.name} has the parent {parent}, "
                    f"who has no row{meant(parent, named)})"
                )
    fathers, mothers = ({getattr(member, side) for member in members} - {""} for side in ("father", "mother"))
    # The case of swapped columns in some of the rows.
    if both := [member.name for member in members if member.name in fathers and member.name in mothers]:
        raise ValueError(f"no person who is both a father and a mother ({both[0]} is both)")
    try:
        TopologicalSorter({member.name: member.parents for member in members}).prepare()
    except CycleError as error:
        raise ValueError(f"no person who is their own ancestor ({' -> '.join(error.args[1])})") from None


def _differing(one: Member, other: Member) -> str:
    """Says how two rows of one person differ."""
    for side in ("father", "mother"):
        named = (getattr(one, side), getattr(other, side))
        if named[0] != named[1] and all(named):
            return f"has two {side}s, {named[0]} and {named[1]}"
    return "has two rows"
