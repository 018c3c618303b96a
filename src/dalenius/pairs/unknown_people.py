"""Faults of rows that name nobody of the model: how many, in which rows, and of what kind; no cell is quoted.

A file that numbers people from 0, with four people:

>>> print(faults_of([(1, "0"), (2, "0"), (3, "0")], 3, 4, None))
3 of 3 rows name nobody (rows 1, 2 and 3): a 0 occurs in 3, and people are numbered from 1
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from unicodedata import normalize

from dalenius.errors import row_numbers

FROM_ONE: Final = "people are numbered from 1"
"""The hint where a 0 occurs among numbers of people."""


def faults_of(cells: Sequence[tuple[int, str]], rows: int, people: int, names: Mapping[str, int] | None) -> str:
    """Writes the faults in words.

    Args:
        cells: The number of each row that names nobody, and one end of it that does.
        rows: How many rows the file has.
        people: How many people the model has.
        names: The people's numbers by name; None where people are numbered.
    """
    bad = list(dict.fromkeys(row for row, _ in cells))
    near = frozenset(map(_folded, names or ()))
    kinds: dict[str, set[int]] = {}
    for row, cell in cells:
        kinds.setdefault(_kind(cell, people, None if names is None else near), set()).add(row)
    said = [words.format(n=f"{len(found):,}", people=f"{people:,}") for words, found in kinds.items()]
    name = "names" if len(bad) == 1 else "name"
    return f"{len(bad):,} of {rows:,} rows {name} nobody ({row_numbers(bad)}): {'; '.join(said)}"


def _kind(cell: str, people: int, near: frozenset[str] | None) -> str:
    """Returns the kind of mistake that a cell is, in words with places for the number of rows and of people."""
    if not cell.strip():
        return "{n} with an empty cell"
    if near is not None:
        if _folded(cell) in near:
            return "{n} with a name that differs from one of the model's in blanks, capitals or Unicode form only"
        return "{n} with a name that the model does not have"
    if (number := _number(cell)) is None:
        return "{n} with a text that is no number"
    if number == 0:
        return f"a 0 occurs in {{n}}, and {FROM_ONE}"
    if number == int(number) and 0 < number <= people:
        return '{n} with a number that is not written as such: blanks around it, a sign or decimals, as "1.0"'
    if number == int(number) and number > people:
        return "{n} with a number above {people}"
    return "{n} with a number below 1, or a fraction"


def _number(cell: str) -> float | None:
    """Returns the number that a text looks like; None where it looks like none."""
    return float(cell) if re.fullmatch(r"\s*[-+]?\d{1,18}(\.\d*)?([eE][-+]?\d{1,2})?\s*", cell) else None


def _folded(name: str) -> str:
    """Returns a text that is equal for names that look alike."""
    return " ".join(normalize("NFKC", name).casefold().split())
