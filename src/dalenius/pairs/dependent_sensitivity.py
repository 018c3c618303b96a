"""Dependent sensitivity over a table of edges, in the user's engine (DDP Eq 23, 24): sums of whole numbers only.

An end may be any whole number or text that names a person. Nothing here is one engine's own: the same expressions are
compiled for any that Ibis has. What an engine adds up is whole, so that no order of summation shows: every engine finds
the same digits. Coefficients are rounded up to whole units first, so that the result is never below DS.

Of the five rows ann–bob with ρ = .3, bob–ann with .5, ann–cy with .25, cy–cy with .1 and one from cy to nobody two are
edges: ann–bob with 2^31 units, the greater of its two coefficients, and ann–cy with 2^30. Ann has DS = 1 + .5 + .25.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, final

from dalenius.bounds import Enclosure, float_up
from dalenius.errors import InputError
from dalenius.exact_integers import exact
from dalenius.pairs.dropped_edges import Dropped
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import IbisTable, counted, ibis
from dalenius.tables.table_files import is_database, open_table, there

_UNITS: Final = 2**32
"""Coefficients are whole numbers of this part of 1: multiplying by a power of two is exact, and sums over 2^30 edges
stay below 2^63."""


@final
@dataclass(frozen=True, eq=False)
class DependentSensitivity:
    """value: max_i DS_i, in the query's unit, an enclosure; exact: its upper end as a number of whole units.

    person: who attains it, the least name of those (None where nobody has an edge); neighbours: how many records that
    person's counts, its own not among them. per_person: an Ibis table with person, neighbours and sensitivity, an upper
    end to one rounding, which is computed when it is read.
    """

    value: Enclosure
    exact: Fraction
    person: int | str | None
    neighbours: int
    edges: int
    dropped: Dropped
    per_person: IbisTable

    def shown(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "dependent_sensitivity": {"lower": self.value.lower, "upper": self.value.upper},
            "person": self.person,
            "neighbours": self.neighbours,
            "edges": self.edges,
            "dropped": self.dropped.shown(),
        }


def dependent_sensitivity(
    edges: IbisTable | Path | str,
    coefficient: float | Fraction | str,
    sensitivity: float | Fraction = 1,
    *,
    ends: tuple[str, str] = ("first", "second"),
    directed: bool = False,
    unknown: Literal["refuse", "leave_out"] = "refuse",
) -> DependentSensitivity:
    """max_i DS_i with DS_i = ΔQ (1 + Σ_j ρ_ij) over the edges of i (DDP Eq 23, 24), and DS_i of everybody.

    edges: an Ibis table, or a CSV or Parquet file. coefficient: ρ as one number from 0 to 1, or the name of a column of
    such; sensitivity: ΔQ, of everybody. Undirected edges count at both ends however they are stored; directed: row
    (i, j) says ρ_ij, and counts at i only. unknown: what becomes of rows with an end that is missing, `refuse` or
    `leave_out`. Dropped: such rows where they are left out, self-loops, and duplicates, of which the greatest
    coefficient is kept. The noise of scale DS/ε promises nothing in general (errata E2).
    """
    move = exact(sensitivity, "sensitivity")
    if move < 0:
        raise InputError("sensitivity", sensitivity, "a number of at least 0")
    alike = None if isinstance(coefficient, str) else exact(coefficient, "coefficient")
    if alike is not None and not 0 <= alike <= 1:
        raise InputError("coefficient", coefficient, "a number from 0 to 1")
    # The same column twice, by a slip: every edge would be a self-loop.
    if ends[0] == ends[1]:
        raise InputError("ends", ends[0], "two different columns")
    columns = {"first": ends[0], "second": ends[1]}
    if isinstance(coefficient, str):
        columns["coefficient"] = coefficient
    marked = _marked(_opened(edges, columns), columns, directed)
    many, dropped = _checked(marked, columns)
    if dropped.unknown and unknown == "refuse":
        lack = f"{dropped.unknown:,} of {dropped.of:,} lack one"
        wanted = f'a person at both ends of every row, or unknown = "leave_out" ({lack})'
        raise InputError("edges", ", ".join(ends), wanted)
    sums = _sums(_kept(marked, dropped), directed)
    with engine_errors("edges", "first, second", "columns that the engine can add up"):
        most = sums.units if alike is None else sums.neighbours
        rows = sums.order_by([most.desc(), sums.person.asc()]).limit(1)
        found = rows.to_pyarrow().to_pylist()
    first: dict[str, Any] = found[0] if found else {"person": None, "units": 0, "neighbours": 0}
    neighbours = int(first["neighbours"])
    # One coefficient for all: the sum is a product, and nothing is rounded to units.
    if alike is not None:
        upper = lower = move * (1 + neighbours * alike)
        added = sums.neighbours.cast("float64") * float_up(alike)
    else:
        upper = move * (1 + Fraction(int(first["units"]), _UNITS))
        lower = max(upper - move * Fraction(neighbours, _UNITS), move)
        added = sums.units.cast("float64") / float(_UNITS)
    per_person = sums.select("person", "neighbours", sensitivity=(added + 1.0) * float(move))
    value = Enclosure(-float_up(-lower), float_up(upper))
    return DependentSensitivity(value, upper, first["person"], neighbours, many, dropped, per_person)


def _opened(table: IbisTable | Path | str, columns: dict[str, str]) -> IbisTable:
    """The table, with its columns checked. InputError for a database file, and for a column that is not there."""
    if isinstance(table, Path | str):
        path = Path(table)
        if is_database(path):  # which of its tables is meant is not said
            raise InputError("edges", str(path), "a CSV or Parquet file, or an Ibis table (ibis.duckdb.connect(...))")
        table = open_table(path, None, set(columns.values()), {columns["first"], columns["second"]})
    for name, column in columns.items():
        if column not in table.columns:
            raise InputError(f"edges.{name}", column, there(table.columns, column))
    return table


def _marked(table: IbisTable, columns: dict[str, str], directed: bool) -> IbisTable:
    """Of every row low, high (the same whichever way an undirected edge is written), units, and odd (no coefficient),
    unknown and loop (0 or 1)."""
    ends = [table[columns[name]] for name in ("first", "second")]
    for name, column in zip(("first", "second"), ends, strict=True):
        if not (column.type().is_integer() or column.type().is_string()):
            wanted = f"a column of whole numbers or texts, not of {column.type()}"
            raise InputError(f"edges.{name}", columns[name], wanted)
    # Numbers in one column and texts in the other, as a CSV with one odd name has them.
    if ends[0].type() != ends[1].type():
        ends = [column.cast("string") for column in ends]
    units, odd = ibis().literal(0, "int64"), ibis().literal(0, "int64")
    if "coefficient" in columns:
        units, odd = _units(table[columns["coefficient"]], columns["coefficient"])
    given = table.select(first=ends[0], second=ends[1], units=units, odd=odd)
    known = given.first.notnull() & given.second.notnull()
    swapped = ibis().literal(False) if directed else given.first > given.second
    return given.select(
        "units",
        "odd",
        low=swapped.ifelse(given.second, given.first),
        high=swapped.ifelse(given.first, given.second),
        unknown=known.ifelse(0, 1).cast("int64"),
        loop=(known & (given.first == given.second)).fill_null(False).ifelse(1, 0).cast("int64"),
    )


def _units(column: Any, name: str) -> tuple[Any, Any]:
    """A coefficient in whole units, rounded up, and 1 where it is none."""
    if not column.type().is_numeric():
        raise InputError("edges.coefficient", name, f"a column of numbers, not of {column.type()}")
    numbers = column.cast("float64")
    # NaN is above 1, as SQL orders numbers, or missing where the engine has none.
    fits = ((numbers >= 0.0) & (numbers <= 1.0)).fill_null(False)
    units = (fits.ifelse(numbers, 0.0) * float(_UNITS)).ceil().cast("int64")
    return units, fits.ifelse(0, 1).cast("int64")


def _checked(marked: IbisTable, columns: dict[str, str]) -> tuple[int, Dropped]:
    """How many edges there are, and how many rows of each other sort, in one statement. InputError for coefficients
    that are none."""
    _ = ibis()._
    lost = (marked.unknown + marked.loop) > 0
    keys = marked.mutate(low=lost.ifelse(None, marked.low), high=lost.ifelse(None, marked.high))
    grouped = keys.group_by("low", "high", "unknown", "loop").agg(rows=_.count(), odd=_.odd.sum())
    own = (1 - grouped.unknown) * (1 - grouped.loop)
    question = grouped.aggregate(
        edges=own.sum(),
        duplicates=(own * (grouped.rows - 1)).sum(),
        self_loops=(grouped.loop * grouped.rows).sum(),
        unknown=(grouped.unknown * grouped.rows).sum(),
        odd=grouped.odd.sum(),
    )
    answer = {name: int(count or 0) for name, count in counted(question, "edges", str(columns)).items()}
    if answer["odd"]:
        wanted = f"from 0 to 1 in every row, {answer['odd']} are not"
        raise InputError("edges.coefficient", columns["coefficient"], wanted)
    reasons = answer["self_loops"], answer["duplicates"], answer["unknown"]
    return answer["edges"], Dropped(*reasons, answer["edges"] + sum(reasons))


def _kept(marked: IbisTable, dropped: Dropped) -> IbisTable:
    """low, high and units of each edge, once; nothing is grouped where nothing has to be, which spares the engine
    work."""
    rows = marked.filter((marked.unknown + marked.loop) == 0) if dropped.total else marked
    if not dropped.duplicates:
        return rows.select("low", "high", "units")
    return rows.group_by("low", "high").agg(units=rows.units.max())


def _sums(edges: IbisTable, directed: bool) -> IbisTable:
    """person, neighbours and units, the sum over the edges that count for the person."""
    _ = ibis()._
    ends = edges.select("units", person="low")
    # Who was infected by whom: what flows from the first to the second does not flow back.
    if not directed:
        ends = ends.union(edges.select("units", person="high"), distinct=False)
    return ends.group_by("person").agg(units=_.units.sum().cast("int64"), neighbours=_.count())
