"""The people of a graph as a table in the user's engine: who they are, and how far each can move an answer."""

from dataclasses import dataclass
from fractions import Fraction
from math import frexp
from typing import Any, Final, final

from dalenius.errors import InputError
from dalenius.tables.engine import Table, answer_of, engine_errors, ibis

MOVE_BITS: Final = 30
LARGEST: Final = 1e300
SMALLEST: Final = -900
"""Of the exponents of units, which doubles hold."""


@final
@dataclass(frozen=True, eq=False)
class Members:
    """rows: an Ibis table of person, each once, and move: ΔQ of each in whole units, rounded up. unit: 2^k."""

    rows: Table
    unit: Fraction
    people: int


def members_of(people: Table, person: str, move: str | None, edges: Table) -> Members:
    """Checks a table of people, in one statement, and takes it to the engine of the edges where it is in another.

    InputError where somebody has no name or is there twice, or a move is no finite number of at least 0.
    """
    check_name(people[person], "people.person", person)
    cells = people.select(person=people[person], move=_moves(people, move))
    if cells.get_backend() is not edges.get_backend():
        with engine_errors("people", person, "a table that can be read"):
            cells = ibis().memtable(cells.to_pyarrow())
    if cells.person.type() != edges.first.type():
        cells = cells.mutate(person=cells.person.cast(edges.first.type()))
    people_there, greatest = _checked(cells, person, move)
    unit = Fraction(1) if move is None else Fraction(2) ** (max(frexp(greatest)[1], SMALLEST) - MOVE_BITS)
    whole = (cells.move / float(unit)).ceil().cast("int64")  # dividing by a power of two is exact
    return Members(cells.select("person", move=whole), unit, people_there)


def check_name(column: Any, key: str, name: str) -> None:
    """InputError unless the column can name people."""
    if not (column.type().is_integer() or column.type().is_string()):
        raise InputError(key, name, f"a column of whole numbers or texts, not of {column.type()}")


def _moves(people: Table, move: str | None) -> Any:
    if move is None:
        return ibis().literal(1.0, "float64")
    if not people[move].type().is_numeric():
        raise InputError("people.move", move, f"a column of numbers, not of {people[move].type()}")
    return people[move].cast("float64")


def _checked(cells: Table, person: str, move: str | None) -> tuple[int, float]:
    """How many people there are, and the greatest move."""
    fits = ((cells.move >= 0.0) & (cells.move <= LARGEST)).fill_null(False)
    question = cells.aggregate(
        rows=cells.count(),
        there=cells.person.count(),
        distinct=cells.person.nunique(),
        odd=fits.ifelse(0, 1).sum(),
        greatest=fits.ifelse(cells.move, 0.0).max(),
    )
    with engine_errors("people.person", person, "a column that the engine can count"):
        answer = answer_of(question).to_pylist()[0]
    rows, there = answer["rows"], answer["there"]
    if not rows:
        raise InputError("people", "none", "at least one row")
    if there < rows:
        raise InputError("people.person", person, f"a name in every row, {rows - there} of {rows} have none")
    if answer["distinct"] < rows:
        raise InputError(
            "people.person", person, f"each person once, {rows - answer['distinct']} of {rows} rows repeat"
        )
    if answer["odd"]:
        raise InputError("people.move", str(move), f"from 0 to {LARGEST:g} in every row, {answer['odd']} are not")
    return int(rows), float(answer["greatest"])
