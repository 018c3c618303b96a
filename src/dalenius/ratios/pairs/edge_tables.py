"""A table of edges between people, cleaned in the user's engine through Ibis: only counts come back.

An end may be any whole number or text that names a person. Nothing here is DuckDB's own: the same expressions are
compiled for any engine that Ibis has, and all numbers in them are whole, so that every engine finds the same.

Of the five rows ann–bob with ρ = .3, bob–ann with .5, ann–cy with .25, cy–cy with .1 and one from cy to nobody two are
edges: ann–bob with 2^31 units, the greater of its two coefficients, and ann–cy with 2^30. Dropped are one duplicate,
one self-loop and one unknown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import frexp
from pathlib import Path
from typing import Any, Final, final

from dalenius.errors import InputError, listed
from dalenius.ratios.pairs.friend_graphs import Dropped
from dalenius.tables.engine import IbisTable, counted, engine_errors, ibis, is_database, open_table

# Bits of the greatest move in whole units: products with coefficients stay below 2^63.
MOVE_BITS: Final = 30
# Of a move, in the query's own unit: sums of several are doubles still.
_LARGEST: Final = 1e300


@final
@dataclass(frozen=True, eq=False)
class Members:
    """rows: an Ibis table of person, each once, and move: ΔQ of each in whole units, rounded up. unit: 2^k."""

    rows: IbisTable
    unit: Fraction


def _members_of(people: IbisTable, person: str, move: str | None, edges: IbisTable) -> Members:
    """Checks a table of people, in one statement, and takes it to the engine of the edges where it is in another.

    InputError where somebody has no name or is there twice, or a move is no finite number of at least 0.
    """
    _check_name(people[person], "people.person", person)
    cells = people.select(person=people[person], move=_moves(people, move))
    # Edges in a database and people in a file: one statement needs both in one engine.
    if cells.get_backend() is not edges.get_backend():
        with engine_errors("people", person, "a table that can be read"):
            cells = ibis().memtable(cells.to_pyarrow())
    if cells.person.type() != edges.first.type():
        cells = cells.mutate(person=cells.person.cast(edges.first.type()))
    greatest = _greatest(cells, person, move)
    # Of the exponents of units, which doubles hold.
    unit = Fraction(1) if move is None else Fraction(2) ** (max(frexp(greatest)[1], -900) - MOVE_BITS)
    in_units = (cells.move / float(unit)).ceil().cast("int64")  # dividing by a power of two is exact
    return Members(cells.select("person", move=in_units), unit)


def _check_name(column: Any, key: str, name: str) -> None:
    """InputError unless the column can name people."""
    if not (column.type().is_integer() or column.type().is_string()):
        raise InputError(key, name, f"a column of whole numbers or texts, not of {column.type()}")


def _moves(people: IbisTable, move: str | None) -> Any:
    """How far each person moves the answer, in the query's unit; 1 of all where no column says."""
    if move is None:
        return ibis().literal(1.0, "float64")
    if not people[move].type().is_numeric():
        raise InputError("people.move", move, f"a column of numbers, not of {people[move].type()}")
    return people[move].cast("float64")


def _greatest(cells: IbisTable, person: str, move: str | None) -> float:
    """The greatest move. InputError for no people, a missing or repeated name, or a move out of range."""
    fits = ((cells.move >= 0.0) & (cells.move <= _LARGEST)).fill_null(False)
    question = cells.aggregate(
        rows=cells.count(),
        there=cells.person.count(),
        distinct=cells.person.nunique(),
        odd=fits.ifelse(0, 1).sum(),
        greatest=fits.ifelse(cells.move, 0.0).max(),
    )
    answer = counted(question, "people.person", person)
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
        raise InputError("people.move", str(move), f"from 0 to {_LARGEST:g} in every row, {answer['odd']} are not")
    return float(answer["greatest"])


COEFFICIENT_UNITS = 2**32
"""Coefficients are whole numbers of this part of 1, rounded up: multiplying by a power of two is exact."""


@final
@dataclass(frozen=True, eq=False)
class EdgeTable:
    """rows: an Ibis table with first, second, units (a coefficient in units of 2^-32, 0 where there is none) and kind
    ("" where there is none), each edge once; members: everybody, or None where people are those with edges.

    directed: an edge counts for its first end only. edges: how many rows are left; dropped: the others.
    """

    rows: IbisTable
    members: Members | None
    directed: bool
    edges: int
    dropped: Dropped


def open_edges(
    edges: IbisTable | Path | str,
    ends: tuple[str, str] = ("first", "second"),
    *,
    coefficient: str | None = None,
    kind: str | None = None,
    people: IbisTable | Path | str | None = None,
    person: str = "person",
    move: str | None = None,
    directed: bool = False,
) -> EdgeTable:
    """Checks and cleans a table of edges, in one statement: undirected edges may be stored in either direction.

    edges, people: Ibis tables of one engine, or files (CSV, Parquet). coefficient: a column of numbers from 0 to 1;
    kind: a column of texts; move: a column of `people`, of numbers of at least 0.
    Dropped: edges with an end that is missing or none of the people, self-loops, and duplicates, of which the greatest
    coefficient is kept; edges of different kinds between the same people are different edges. InputError where a column
    is not there, a coefficient is none, or a person is twice in `people`.
    """
    # The same column twice, by a slip: every edge would be a self-loop.
    if ends[0] == ends[1]:
        raise InputError("ends", ends[0], "two different columns")
    columns = {"first": ends[0], "second": ends[1]}
    columns |= {} if coefficient is None else {"coefficient": coefficient}
    columns |= {} if kind is None else {"kind": kind}
    table = _opened(edges, "edges", columns, {*ends, *([] if kind is None else [kind])})
    given = _given(table, columns)
    members = None
    if people is not None:
        wanted = {"person": person} | ({} if move is None else {"move": move})
        there = _opened(people, "people", wanted, {person})
        # Names in one file, numbers in the other, as exports of two systems have them.
        if there[person].type().is_string():  # as texts, numbers may have been written in any way
            given = given.mutate(first=given.first.cast("string"), second=given.second.cast("string"))
        members = _members_of(there, person, move, given)
    elif move is not None:
        raise InputError("people", "missing", f"the table that has the column {move}")
    marked = _marked(given, members, directed)
    answer = _counted(marked, str(columns))
    if answer["odd"]:
        raise InputError("edges.coefficient", coefficient or "", f"from 0 to 1 in every row, {answer['odd']} are not")
    dropped = Dropped(answer["self_loops"], answer["duplicates"], answer["unknown"])
    return EdgeTable(_kept(marked, given, dropped), members, directed, answer["edges"], dropped)


def halves(edges: EdgeTable, **columns: Any) -> IbisTable:
    """Every edge as person, other and these columns, expressions on `rows`: at both its ends, or at its first only."""
    rows = edges.rows.mutate(**columns)
    there = rows.select(*columns, person="first", other="second")
    # Who was infected by whom: what flows from the first to the second does not flow back.
    if edges.directed:
        return there
    return there.union(rows.select(*columns, person="second", other="first"), distinct=False)


def _opened(table: IbisTable | Path | str, key: str, columns: Mapping[str, str], texts: set[str]) -> IbisTable:
    """The table, with its columns checked; key: what it is called in refusals; texts: columns that may hold texts.
    InputError for a database file, and for a column that is not there."""
    if isinstance(table, Path | str):
        path = Path(table)
        if is_database(path):  # which of its tables is meant is not said
            raise InputError(key, str(path), "a CSV or Parquet file, or an Ibis table (ibis.duckdb.connect(...))")
        table = open_table(path, None, set(columns.values()), texts)
    for name, column in columns.items():
        if column not in table.columns:
            raise InputError(f"{key}.{name}", column, f"one of the columns {listed(table.columns)}")
    return table


def _given(table: IbisTable, columns: Mapping[str, str]) -> IbisTable:
    """first, second, units, odd and kind of every row."""
    for name in ("first", "second"):
        _check_name(table[columns[name]], f"edges.{name}", columns[name])
    ends = {name: table[columns[name]] for name in ("first", "second")}
    # Numbers in one column and texts in the other, as a CSV with one odd name has them.
    if ends["first"].type() != ends["second"].type():
        ends = {name: column.cast("string") for name, column in ends.items()}
    kind = ibis().literal("") if "kind" not in columns else table[columns["kind"]].cast("string").fill_null("")
    units, odd = ibis().literal(0, "int64"), ibis().literal(0, "int64")
    if "coefficient" in columns:
        units, odd = _units(table[columns["coefficient"]], columns["coefficient"])
    return table.select(**ends, units=units, odd=odd, kind=kind)


def _units(column: Any, name: str) -> tuple[Any, Any]:
    """A coefficient in whole units, rounded up, and 1 where it is none."""
    if not column.type().is_numeric():
        raise InputError("edges.coefficient", name, f"a column of numbers, not of {column.type()}")
    numbers = column.cast("float64")
    # NaN is above 1, as SQL orders numbers, or missing where the engine has none.
    fits = ((numbers >= 0.0) & (numbers <= 1.0)).fill_null(False)
    units = (fits.ifelse(numbers, 0.0) * float(COEFFICIENT_UNITS)).ceil().cast("int64")
    return units, fits.ifelse(0, 1).cast("int64")


def _marked(given: IbisTable, members: Members | None, directed: bool) -> IbisTable:
    """Every row with low, high (the same whichever way an undirected edge is written), unknown and loop (0 or 1)."""
    known = given.first.notnull() & given.second.notnull()
    if members is not None:
        ones, others = members.rows.select(one="person"), members.rows.select(other="person")
        given = given.left_join(ones, given.first == ones.one)
        given = given.left_join(others, given.second == others.other)
        known = given.one.notnull() & given.other.notnull()
    swapped = ibis().literal(False) if directed else given.first > given.second
    return given.select(
        "units",
        "odd",
        "kind",
        low=swapped.ifelse(given.second, given.first),
        high=swapped.ifelse(given.first, given.second),
        unknown=known.ifelse(0, 1).cast("int64"),
        loop=(known & (given.first == given.second)).fill_null(False).ifelse(1, 0).cast("int64"),
    )


def _counted(marked: IbisTable, columns: str) -> dict[str, int]:
    """How many edges there are, and how many rows of each other sort: one statement."""
    _ = ibis()._
    lost = (marked.unknown + marked.loop) > 0
    keys = marked.mutate(low=lost.ifelse(None, marked.low), high=lost.ifelse(None, marked.high))
    grouped = keys.group_by("low", "high", "kind", "unknown", "loop").agg(rows=_.count(), odd=_.odd.sum())
    own = (1 - grouped.unknown) * (1 - grouped.loop)
    question = grouped.aggregate(
        edges=own.sum(),
        duplicates=(own * (grouped.rows - 1)).sum(),
        self_loops=(grouped.loop * grouped.rows).sum(),
        unknown=(grouped.unknown * grouped.rows).sum(),
        odd=grouped.odd.sum(),
    )
    return {name: int(count or 0) for name, count in counted(question, "edges", columns).items()}


def _kept(marked: IbisTable, given: IbisTable, dropped: Dropped) -> IbisTable:
    """The rows that are edges; as they stand where nothing was dropped, which spares the engine the work."""
    if not dropped.total:  # a table somebody cleaned before
        return given.select("first", "second", "units", "kind")
    rows = marked.filter((marked.unknown + marked.loop) == 0)
    rows = rows.select("units", "kind", first=rows.low, second=rows.high)
    # Self-loops and strangers only: nothing is to be grouped, which again spares the engine work.
    if not dropped.duplicates:
        return rows
    return rows.group_by("first", "second", "kind").agg(units=rows.units.max())
