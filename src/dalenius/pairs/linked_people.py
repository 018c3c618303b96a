"""The linked people of model pairwise as a spec gives them: a list of edges, or a file of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dalenius.arrays import IntArray
from dalenius.errors import InputError, listed
from dalenius.frozen_section import Frozen
from dalenius.pairs.dropped_edges import Dropped
from dalenius.pairs.unknown_people import faults_of
from dalenius.separated_text import separated
from dalenius.text_files import read_text

EdgeRow = tuple[int | str, ...]
"""Two people, by number from 1 or by name, and the name of their law where there are several."""
_KEY: Final = "model.edges"


@final
class EdgeFile(Frozen):
    """A text file (.gz too) with a row for each edge, separated as `separated_text` says.

    Self-loops and edges that were there before, in either direction, say nothing new. All rows that are left out are
    counted (`Pairwise.omitted`).

    Attributes:
        file: The path.
        first: The column of one end.
        second: The column of the other end.
        law: The column of the law's name, where there are several laws.
        unknown: What becomes of a row that names nobody of the model: `refuse` (the default) or `leave_out`.
    """

    file: Path
    first: Annotated[str, Field(min_length=1)]
    second: Annotated[str, Field(min_length=1)]
    law: Annotated[str, Field(min_length=1)] | None = None
    unknown: Literal["refuse", "leave_out"] | None = None

    def rows(self) -> Iterator[EdgeRow]:
        """Yields the edges; InputError for a file that cannot be read, or lacks a column."""
        key = f"{_KEY}.file"
        table = separated(read_text(self.file, key), key, str(self.file))
        named = {"first": self.first, "second": self.second} | ({} if self.law is None else {"law": self.law})
        header, rows = table.head(named.values()), table.rows()
        if header is None:
            header = [cell.strip() for cell in next(rows, (0, []))[1]]
        for column, name in named.items():
            if name not in header:
                raise InputError(f"{_KEY}.{column}", name, f"a column of {self.file.name}: {listed(header)}")
        places = [header.index(name) for name in named.values()]
        for line, row in rows:
            if len(row) != len(header):
                raise InputError(key, str(self.file), f"{len(header)} cells in line {line}, as in the first")
            yield tuple(row[place] for place in places)


def as_edges(given: Any) -> Any:
    """Checks the `given` list of edges one by one, as pydantic would name union members; returns other things."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple):
        return given
    return tuple(_edge(number, each) for number, each in enumerate(given, 1))


def _edge(number: int, given: Any) -> EdgeRow:
    """Returns one edge of an inline list; ValueError names its row, unless it is two people and perhaps a law."""
    parts = tuple(given) if isinstance(given, list | tuple) else ()
    # Because true is a whole number to Python, and nobody's name.
    named = all(isinstance(part, int | str) and not isinstance(part, bool) for part in parts)
    if not named or len(parts) not in (2, 3) or (len(parts) == 3 and not isinstance(parts[2], str)):
        raise ValueError(
            f"two people, and the name of their law where there are several, in each row (row {number} is {given!r})"
        )
    return parts


@final
@dataclass(frozen=True)
class NamedPeople:
    """The people of a model.

    Attributes:
        count: How many there are.
        numbers: Their numbers, from 1, by name; None where they are called by their numbers.
    """

    count: int
    numbers: Mapping[str, int] | None = None

    def place(self, person: int | str) -> int:
        """Returns the place, from 0, of the `person` with this name or number; -1 for somebody who is none of them."""
        if self.numbers is not None and isinstance(person, str):
            return self.numbers.get(person, 0) - 1
        # Because a file has texts only, "12" is number 12 where people have no names.
        if isinstance(person, str):
            person = int(person) if person.isdecimal() else 0
        return person - 1 if 1 <= person <= self.count else -1

    @property
    def words(self) -> str:
        return f"people's numbers from 1 to {self.count}" if self.numbers is None else "names of model.people"


@final
@dataclass(frozen=True, eq=False)
class LinkedPeople:
    """The edges of a network.

    Attributes:
        first: One end of each edge, from 0 (edges,).
        second: The other end, from 0 (edges,).
        law: The index of its law (edges,).
        dropped: The rows of the file that are no edges of their own.
    """

    first: IntArray
    second: IntArray
    law: IntArray
    dropped: Dropped = field(default_factory=Dropped)


def linked_people(
    given: tuple[EdgeRow, ...] | EdgeFile, people: NamedPeople, laws: Mapping[str, int], directed: frozenset[int]
) -> LinkedPeople:
    """Returns the edges that a spec gives.

    Args:
        given: A list of edges, or a file of them.
        people: The people of the model.
        laws: The laws' indices by name.
        directed: The indices of laws that are not the same from either end.

    Raises:
        InputError: If an edge has no such people or law, or a pair has two different laws; in an inline list also for
            self-loops and pairs that were there before.

    Three people in a row, by name:

    >>> people = NamedPeople(3, {"ann": 1, "bob": 2, "cyd": 3})
    >>> found = linked_people((("ann", "bob"), ("bob", "cyd")), people, {"": 0}, frozenset())
    >>> found.first.tolist(), found.second.tolist()
    ([0, 1], [1, 2])
    """
    inline = not isinstance(given, EdgeFile)
    ends, kinds = _ends(given.rows() if isinstance(given, EdgeFile) else given, people, laws, inline)
    known = np.asarray((ends >= 0).all(axis=1))
    zeros = _zeros_left_out(given, known, people)
    loops = known & (ends[:, 0] == ends[:, 1])
    rows = np.flatnonzero(known & ~loops)
    low, high = ends[rows].min(axis=1, initial=people.count), ends[rows].max(axis=1, initial=-1)
    # So that 10^7 edges are compared at once, each unordered pair is one number.
    _, place, back = np.unique(low * people.count + high, return_index=True, return_inverse=True)
    before = rows[place][back.ravel()]
    _check_same(given, ends, kinds, (rows, before), directed, inline)
    kept = np.sort(rows[place])
    dropped = Dropped(int(loops.sum()), len(rows) - len(kept), int((~known).sum()), len(ends), zeros)
    return LinkedPeople(ends[kept, 0], ends[kept, 1], kinds[kept], dropped)


def _ends(
    rows: Iterable[EdgeRow], people: NamedPeople, laws: Mapping[str, int], inline: bool
) -> tuple[IntArray, IntArray]:
    """Returns each row's two ends, from 0, and its law; -1 for somebody unknown, whom only a file may name."""
    ends, kinds = [], []
    for number, row in enumerate(rows, 1):
        one, two = people.place(row[0]), people.place(row[1])
        key = f"{_KEY} row {number}"
        # Because all such rows of a file are told at once, or left out, only inline ones are refused here.
        if inline and min(one, two) < 0:
            raise InputError(key, row[0] if one < 0 else row[1], people.words)
        if inline and one == two:
            raise InputError(key, list(row), "two different people")
        if len(row) == 2 and len(laws) > 1:
            raise InputError(key, list(row), f"also the name of the pair's law, one of {', '.join(laws)}")
        if len(row) == 3 and row[2] not in laws:
            raise InputError(key, row[2], f"the name of a law in model.laws: {', '.join(laws) or 'there are none'}")
        ends.append((one, two))
        kinds.append(0 if len(row) == 2 else laws[str(row[2])])
    return np.array(ends, dtype=np.int64).reshape(-1, 2), np.array(kinds, dtype=np.int64)


def _zeros_left_out(given: tuple[EdgeRow, ...] | EdgeFile, known: NDArray[np.bool_], people: NamedPeople) -> int:
    """Counts the rows of a file that are left out since a 0 stands for a person; known: (rows,).

    InputError where rows name nobody, and the spec does not leave them out.
    """
    if not isinstance(given, EdgeFile) or known.all():
        return 0
    # So that a file in order costs no memory for its texts, it is read again.
    rows = ((number, row) for number, row in enumerate(given.rows(), 1) if not known[number - 1])
    cells = [(number, str(end)) for number, row in rows for end in row[:2] if people.place(end) < 0]
    if given.unknown == "leave_out":
        return len({number for number, end in cells if people.numbers is None and end.strip() == "0"})
    said = faults_of(cells, len(known), people.count, people.numbers)
    wanted = f'{people.words} at both ends of every edge, or unknown = "leave_out" beside the file: {said}'
    raise InputError(f"{_KEY}.file", str(given.file), wanted)


def _check_same(
    given: Any,
    ends: IntArray,
    kinds: IntArray,
    found: tuple[IntArray, IntArray],
    directed: frozenset[int],
    inline: bool,
) -> None:
    """Raises InputError where one pair is there twice inline, or with two laws.

    found: rows, and the first row that has each one's pair.
    """
    rows, before = found
    again = rows != before
    if inline and again.any():
        row = int(rows[again][0])
        wanted = f"each pair of people once (row {int(before[again][0]) + 1} has the same two)"
        raise InputError(f"{_KEY} row {row + 1}", list(given[row]), wanted)
    # Because child-parent is another law than parent-child, unless the law is the same from both ends.
    turned = np.isin(kinds[rows], sorted(directed)) & (ends[rows, 0] != ends[before, 0])
    other = again & ((kinds[rows] != kinds[before]) | turned)
    if other.any():
        row = int(rows[other][0])
        people = " and ".join(str(int(end) + 1) for end in ends[row])
        wanted = f"one law for the pair of people {people} (row {int(before[other][0]) + 1} has another)"
        raise InputError(f"{_KEY} row {row + 1}", "a second law", wanted)
