"""The findings of one table that is open: the engine counts in a few questions, and no cell is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.tables.conditions import NUMBER, empty
from dalenius.tables.limits import MOST_NAMES, MOST_RARE
from dalenius.tables.near_names import are, many, near_names
from dalenius.tables.opening_with_ibis import IbisTable, answer_of
from dalenius.tables.row_places import ROWS_NAMED, first_rows
from dalenius.tables.table_check import ColumnCheck, Finding, TableCheck
from dalenius.tables.time_zones import zone_of
from dalenius.tables.truth_words import WORDS

_MOST_ROWS_REPEATED: Final = 0.1
"""The share of rows up to which repeated cells in a column of ids are worth a warning: a person has two rows."""
_DATE: Final = r"^[0-9]{4}-[0-9][0-9]-[0-9][0-9]"
_FEWEST: Final = 10
"""The fewest rows of a column that can look like one of ids."""
_KINDS: Final = ("truth values", "numbers", "ISO dates")


@final
@dataclass(frozen=True)
class Roles:
    """The columns that mean something, by name; None where nobody says which."""

    household: str | None = None
    label: str | None = None
    person: str | None = None
    value: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """Returns the columns that are named, by their role."""
        return {role: column for role, column in vars(self).items() if column is not None}


@final
class LookedTable:
    """One table that is looked at: its rows, whether these have an order, and what its columns mean."""

    def __init__(self, rows: IbisTable, ordered: bool, roles: Roles) -> None:
        self._rows, self._roles, self._ordered = rows, roles, ordered
        self._findings: list[Finding] = []

    def found(self, shown: str) -> TableCheck:
        """Returns all that is found, errors first; shown: the table's name."""
        counts = self._counts()
        size = int(counts["rows"])
        if not size:
            self._add("error", "unusable", "", 0, None, "the table has no rows")
            return TableCheck(shown, 0, (), {}, tuple(self._findings))
        columns = tuple(self._column(name, place, counts) for place, name in enumerate(self._rows.columns))
        for column in columns:
            self._say_missing(column, size)
            self._say_odd(column)
        self._say_repeated(columns, size)
        for column in columns:
            self._say_near(column)
        sizes = self._household_sizes()
        ordered = sorted(self._findings, key=lambda each: each.severity != "error")
        return TableCheck(shown, size, columns, sizes, tuple(ordered))

    def _counts(self) -> Mapping[str, Any]:
        """Returns all counts of all columns, in one question."""
        sums: dict[str, Any] = {"rows": self._rows.count()}
        for place, name in enumerate(self._rows.columns):
            cells = self._rows[name]
            sums[f"missing {place}"] = empty(cells).sum()
            if not _is_nested(cells):
                sums[f"different {place}"] = cells.nunique()
            if cells.type().is_string():
                for kind, fits in _kinds(cells).items():
                    sums[f"{kind} {place}"] = fits.sum()
        return dict(answer_of(self._rows.aggregate(**sums)).to_pylist()[0])

    def _column(self, name: str, place: int, counts: Mapping[str, Any]) -> ColumnCheck:
        """Returns the kind of one column; for texts, the kind that more than half of the cells are."""
        cells, missing = self._rows[name], int(counts[f"missing {place}"] or 0)
        there, holds, odd = int(counts["rows"]) - missing, _holds(cells), 0
        for kind in _KINDS if cells.type().is_string() else ():
            fits = int(counts[f"{kind} {place}"] or 0)
            if 2 * fits > there:
                holds, odd = kind, there - fits
                break
        return ColumnCheck(name, holds, missing, odd, int(counts.get(f"different {place}") or 0))

    def _add(self, severity: Any, kind: str, column: str, count: int, bad: Any, words: str) -> None:
        """Adds one finding; bad: a column that is true in the rows it is about."""
        rows = first_rows(self._rows, bad, ROWS_NAMED) if bad is not None and self._ordered else []
        self._findings.append(Finding(severity, kind, column, count, tuple(rows), words))

    def _say_missing(self, column: ColumnCheck, size: int) -> None:
        """Adds missing cells: in a column with a role every row needs one."""
        role = next((role for role, name in self._roles.named.items() if name == column.column), None)
        if column.missing and role is not None:
            verb = are(column.missing)
            words = f"{column.missing:,} of {size:,} cells of column {column.column} ({role}) {verb} missing"
            self._add("error", "missing", column.column, column.missing, empty(self._rows[column.column]), words)

    def _say_odd(self, column: ColumnCheck) -> None:
        """Adds cells that are not like the others of their column."""
        if column.odd:
            cells = self._rows[column.column]
            others = "the others are" if column.odd == 1 else "most are"
            words = (
                f"{many(column.odd, 'cell')} of column {column.column} cannot be read as {column.holds}, as {others}"
            )
            self._add(
                "warning", "odd", column.column, column.odd, cells.notnull() & ~_kinds(cells)[column.holds], words
            )

    def _say_repeated(self, columns: tuple[ColumnCheck, ...], size: int) -> None:
        """Adds people with several rows: wrong in the column of ids, doubtful in one that looks like it."""
        person = self._roles.person
        for column in columns:
            there = size - column.missing
            repeated = there - column.different
            likely = person is None and column.holds in ("numbers", "texts", "whole numbers") and size >= _FEWEST
            few = 0 < repeated <= _MOST_ROWS_REPEATED * there
            if column.column == person and repeated:
                have = "has" if repeated == 1 else "have"
                words = f"{many(repeated, 'row')} {have} a person of column {person} who has another row, too"
                self._add("error", "repeated", person, repeated, self._later(person), words)
            elif likely and few and column.column not in self._roles.named.values():
                words = f"column {column.column} is nearly unique, but for {many(repeated, 'row')}"
                words += ": if it is the person, name it in [data] person"
                self._add("warning", "repeated", column.column, repeated, self._later(column.column), words)

    def _later(self, column: str) -> Any:
        """Returns a column that is true in the rows whose cell another row has, too."""
        cells = self._rows[column]
        counted = self._rows.group_by(column).agg(rows=self._rows.count())
        return cells.isin(counted.filter(counted.rows > 1)[column])

    def _say_near(self, column: ColumnCheck) -> None:
        """Adds names that are likely one: of households, labels and people, and in columns of few different texts."""
        cells = self._rows[column.column]
        role = next((role for role, name in self._roles.named.items() if name == column.column), None)
        keyed = role in ("household", "label", "person")
        if not cells.type().is_string() or not (keyed or (column.different <= MOST_NAMES and column.holds == "texts")):
            return
        there = self._rows.filter(cells.notnull())
        answer = answer_of(there.group_by(column.column).agg(rows=there.count()))
        counts = dict(zip(answer[column.column].to_pylist(), answer["rows"].to_pylist(), strict=True))
        near = near_names(counts)
        if near.rarer:
            affected = sum(counts[name] for name in near.rarer)
            words = f"{near.words(role or '', column.column)}, in {many(affected, 'row')}"
            bad = cells.isin(list(near.rarer[:MOST_RARE]))
            self._add("warning", "near", column.column, affected, bad, words)

    def _household_sizes(self) -> dict[int, int]:
        """Returns how many households there are of each size."""
        column = self._roles.household
        if column is None:
            return {}
        there = self._rows.filter(self._rows[column].notnull())
        homes = there.group_by(column).agg(size=there.count())
        answer = answer_of(homes.group_by("size").agg(homes=homes.count()))
        found = zip(answer["size"].to_pylist(), answer["homes"].to_pylist(), strict=True)
        return {int(size): int(count) for size, count in found}


def _kinds(cells: Any) -> dict[str, Any]:
    """Returns for each kind of cell whether a text is one."""
    word = cells.strip().lower()
    return {
        "truth values": word.isin([each for each in WORDS if not each.isdigit()]),
        "numbers": cells.re_search(NUMBER),
        "ISO dates": cells.re_search(_DATE),
    }


def _is_nested(cells: Any) -> bool:
    kind = cells.type()
    return bool(kind.is_nested() or kind.is_json() or kind.is_binary())


def _holds(cells: Any) -> str:
    """Returns the kind of cells in a column that has a type of its own."""
    kind = cells.type()
    if kind.is_boolean():
        return "truth values"
    if kind.is_integer():
        return "whole numbers"
    if kind.is_numeric():
        return "numbers"
    if kind.is_temporal():
        zone = zone_of(cells)
        return f"times in {zone}" if zone else "dates or times"
    return "texts" if kind.is_string() else str(kind)
