"""Dependent sensitivity over a table of edges, in the user's engine (DDP Eq 23, 24).

An end may be any whole number or text that names a person. Ibis compiles the same expressions for every engine. Engines
add up whole numbers only, so that the order of summation does not show: every engine finds the same digits.
Coefficients are rounded up to whole units first, so that the result is never below DS.

Take five rows: ann–bob with ρ = .3, bob–ann with .5, ann–cy with .25, cy–cy with .1 and one from cy to nobody. Two are
edges: ann–bob with 2^31 units, the greater of its two coefficients, and ann–cy with 2^30. Ann has DS = 1 + .5 + .25.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, final

from dalenius.bounds import Enclosure, float_up
from dalenius.errors import InputError
from dalenius.exact_integers import exact
from dalenius.pairs.dropped_edges import Dropped
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening import TableLike, open_part
from dalenius.tables.opening_with_ibis import IbisTable, counted, ibis
from dalenius.tables.table_files import is_database, open_table, there

_UNITS: Final = 2**32
"""How many units are 1. Coefficients are whole numbers of units: multiplying by a power of two is exact, and sums over
2^30 edges stay below 2^63."""


@final
@dataclass(frozen=True, eq=False)
class DependentSensitivity:
    """The largest dependent sensitivity of a table of edges, and the table of everybody's.

    Attributes:
        value: max_i DS_i, in the query's unit, an enclosure.
        exact: The upper end of it as a fraction, before it is rounded to a double.
        person: The person who attains it, the least name if several do; None where nobody has an edge.
        neighbours: How many records count for that person besides the person's own.
        edges: How many edges there are.
        dropped: How many rows are no edges, by reason.
        per_person: An Ibis table with person, neighbours and sensitivity, an upper end to one rounding; it is computed
            when it is read.

    Example:
        >>> import dalenius as dl
        >>> import ibis
        >>> edges = ibis.memtable({"first": ["ann", "ann"], "second": ["bob", "cy"], "rho": [0.5, 0.25]})
        >>> found = dl.dependent_sensitivity(edges, "rho")
        >>> found.value.upper, found.person, found.neighbours, found.edges
        (1.75, 'ann', 2, 2)
    """

    value: Enclosure
    exact: Fraction
    person: int | str | None
    neighbours: int
    edges: int
    dropped: Dropped
    per_person: IbisTable = field(repr=False)

    def shown(self) -> dict[str, Any]:
        """Returns the answer as a dictionary that is ready for JSON, without the table of everybody's."""
        return {
            "dependent_sensitivity": {"lower": self.value.lower, "upper": self.value.upper},
            "person": self.person,
            "neighbours": self.neighbours,
            "edges": self.edges,
            "dropped": self.dropped.shown(),
        }


def dependent_sensitivity(
    edges: IbisTable | TableLike,
    coefficient: float | Fraction | str,
    sensitivity: float | Fraction = 1,
    *,
    ends: tuple[str, str] = ("first", "second"),
    directed: bool = False,
    unknown: Literal["refuse", "leave_out"] = "refuse",
) -> DependentSensitivity:
    """Returns max_i DS_i with DS_i = ΔQ (1 + Σ_j ρ_ij) over the edges of person i, and DS_i of everybody.

    Self-loops and duplicates are dropped; of duplicates the greatest coefficient is kept.

    Args:
        edges: The table of edges: an Ibis table, a pandas, polars or pyarrow frame, or a CSV or Parquet file.
        coefficient: The dependence coefficient ρ: one number from 0 to 1, or the name of a column of such numbers.
        sensitivity: ΔQ, how far one record moves the query, in the query's unit; the same for everybody, 1 by default.
        ends: The columns of the two people of an edge; `first` and `second` by default.
        directed: Whether row (i, j) says ρ_ij and counts at i only. By default an edge counts at both ends, in
            whichever direction it is stored.
        unknown: What becomes of rows where an end is missing: `refuse` (the default) or `leave_out`.

    Returns:
        The largest dependent sensitivity, and everybody's.

    Raises:
        InputError: If a number is out of range, a column is missing or of another type, or an end is missing.

    Example:
        >>> import dalenius as dl
        >>> import ibis
        >>> friends = ibis.memtable({"first": [1, 1, 2], "second": [2, 3, 1]})
        >>> dl.dependent_sensitivity(friends, 0.5, sensitivity=2).shown()["dependent_sensitivity"]
        {'lower': 4.0, 'upper': 4.0}

    Notes:
        DDP Eq 23, 24. Noise of scale DS/ε promises nothing in general (errata E2).
    """
    move = exact(sensitivity, "sensitivity")
    if move < 0:
        raise InputError("sensitivity", sensitivity, "a number of at least 0")
    alike = None if isinstance(coefficient, str) else exact(coefficient, "coefficient")
    if alike is not None and not 0 <= alike <= 1:
        raise InputError("coefficient", coefficient, "a number from 0 to 1")
    # If the same column is named twice, by a slip, every edge would be a self-loop.
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
    # With one coefficient for all the sum is a product, and nothing is rounded to units.
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


def _opened(table: IbisTable | TableLike, columns: dict[str, str]) -> IbisTable:
    """Opens the table and checks its columns; InputError for a database file, or a column that is not there."""
    if isinstance(table, Path | str):
        path = Path(table)
        if is_database(path):  # which of its tables is meant is not said
            raise InputError("edges", str(path), "a CSV or Parquet file, or an Ibis table (ibis.duckdb.connect(...))")
        table = open_table(path, None, set(columns.values()), {columns["first"], columns["second"]})
    else:
        table = open_part(table, None, (), (), Path()).table
    for name, column in columns.items():
        if column not in table.columns:
            raise InputError(f"edges.{name}", column, there(table.columns, column))
    return table


def _marked(table: IbisTable, columns: dict[str, str], directed: bool) -> IbisTable:
    """Returns a table with low, high, units, odd, unknown and loop for every row.

    low and high are the ends, the same whichever way an undirected edge is written. The last three are 0 or 1: whether
    the coefficient is none, an end is missing, or both ends are one person.
    """
    ends = [table[columns[name]] for name in ("first", "second")]
    for name, column in zip(("first", "second"), ends, strict=True):
        if not (column.type().is_integer() or column.type().is_string()):
            wanted = f"a column of whole numbers or texts, not of {column.type()}"
            raise InputError(f"edges.{name}", columns[name], wanted)
    # A CSV with one odd name has numbers in one column and texts in the other.
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
    """Returns a coefficient in whole units, rounded up; and 1 where it is no coefficient, else 0."""
    if not column.type().is_numeric():
        raise InputError("edges.coefficient", name, f"a column of numbers, not of {column.type()}")
    numbers = column.cast("float64")
    # Because SQL orders NaN above 1, or an engine without NaN has it missing.
    fits = ((numbers >= 0.0) & (numbers <= 1.0)).fill_null(False)
    units = (fits.ifelse(numbers, 0.0) * float(_UNITS)).ceil().cast("int64")
    return units, fits.ifelse(0, 1).cast("int64")


def _checked(marked: IbisTable, columns: dict[str, str]) -> tuple[int, Dropped]:
    """Counts the edges, and the rows of each other sort, in one statement; InputError for odd coefficients."""
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
    """Returns low, high and units of each edge once; groups rows only where there are duplicates, to spare work."""
    rows = marked.filter((marked.unknown + marked.loop) == 0) if dropped.total else marked
    if not dropped.duplicates:
        return rows.select("low", "high", "units")
    return rows.group_by("low", "high").agg(units=rows.units.max())


def _sums(edges: IbisTable, directed: bool) -> IbisTable:
    """Returns a table of person, neighbours and units, the sum over the edges that count for the person."""
    _ = ibis()._
    ends = edges.select("units", person="low")
    # Where rows say who infected whom, what flows from the first to the second does not flow back.
    if not directed:
        ends = ends.union(edges.select("units", person="high"), distinct=False)
    return ends.group_by("person").agg(units=_.units.sum().cast("int64"), neighbours=_.count())
