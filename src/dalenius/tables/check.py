"""`check`: one look at a table before anything is computed or spent.

It finds duplicate columns, names of households and people that are likely one name, cells that are not like the others
of their column, missing cells, sizes of households, and people who have several rows. The engine counts; only the
different names of a column come back, and none of them is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.spec.spec import Spec, read_spec
from dalenius.tables.binding_and_true_answer import bound_to_table, check_people, check_table_values, slots_of
from dalenius.tables.conditions import NUMBER
from dalenius.tables.csv_files import TextForm
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.near_names import near_names
from dalenius.tables.opening_and_fingerprints import TableLike, TablePart, from_here, open_part
from dalenius.tables.opening_with_ibis import IbisTable, answer_of
from dalenius.tables.row_places import FEW, first_rows
from dalenius.tables.table_check import ColumnCheck, Finding, TableCheck
from dalenius.tables.truth_words import WORDS

_NOTHING: Final = frozenset({"\0"})
"""A column that no table has: asked for it, a file gives the names of all its columns."""
_MOST_NAMES: Final = 1_000
"""Different texts up to which a column without a role is looked at for names that are likely one."""
_MOST_RARE: Final = 1_000
"""Names, of which the rows are looked for."""
_MOST_ROWS_REPEATED: Final = 0.1
"""Share of rows up to which repeated cells in a column of ids are worth a warning: a person has two rows."""
_DATE: Final = r"^[0-9]{4}-[0-9][0-9]-[0-9][0-9]"
_SPECS: Final = (".toml", ".json")


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
        """The columns that are named, by their role."""
        return {role: column for role, column in vars(self).items() if column is not None}


def check(
    table: TableLike | Spec,
    *,
    household: str | None = None,
    label: str | None = None,
    person: str | None = None,
    value: str | None = None,
    name: str | None = None,
    folder: Path = Path(),
) -> TableCheck:
    """What is wrong or doubtful in a table, before anything is computed or spent.

    Args:
        table: A spec or its path (.toml, .json), of which the table of `[data]` is checked as its sections say; or a
            table: a path, a URL, a frame, an Ibis table.
        household: The column of who belongs together; of a spec `[data] household` or the model's `by`.
        label: The column of public labels.
        person: The column of ids, of which each may be there once.
        value: The column of what is asked.
        name: Which table of a database, or sheet of a workbook.
        folder: What the paths of a spec that is no file are relative to.

    Returns:
        The columns, the sizes of households and the findings; `usable` says whether nothing is wrong.

    Raises:
        InputError: For a spec that cannot be read, or that names no table.
    """
    roles = Roles(household, label, person, value)
    if isinstance(table, Spec):
        return check_spec(table, folder, roles)
    if isinstance(table, str | Path) and Path(str(table)).suffix.lower() in _SPECS and "://" not in str(table):
        return check_spec(read_spec(table), Path(table).parent, roles)
    return check_table(table, roles, name)


def check_spec(spec: Spec, folder: Path, roles: Roles = Roles()) -> TableCheck:
    """The table of a spec, and whether its people are those of the model. roles: beside those that the spec names."""
    if spec.data is None:
        raise InputError("data", "missing", "a section [data] that names the table to check")
    source = spec.data
    household = source.household or next(iter(sorted(spec.model.household_columns)), None)
    own = Roles(household, source.label, source.person, source.value_column)
    merged = Roles(**{role: getattr(own, role) or getattr(roles, role) for role in vars(own)})
    location = source.location
    if location is None:
        raise InputError("data.file", "missing", "the file that holds the people")
    found = check_source(source.altered({"household": household}), folder, merged)
    wrong = _wrong_in(spec, folder)
    errors = () if wrong is None else (wrong,)
    # What the spec's own checks refuse is said once, in their words.
    others = [each for each in found.findings if not (errors and each.severity == "error" and each.kind != "repeated")]
    return TableCheck(found.name, found.size, found.columns, found.household_sizes, (*errors, *others))


def check_source(
    source: Source, folder: Path, roles: Roles | None = None, table: TableLike | None = None
) -> TableCheck:
    """The table of a `[data]` section, or another one that is read as it says."""
    own = Roles(source.household, source.label, source.person, source.value_column)
    form = TextForm(source.encoding, source.decimal, source.missing_words)
    given = table if table is not None else source.location
    assert given is not None
    placed = folder / given if isinstance(given, Path) else given
    return check_table(placed, roles or own, source.table, form)


def _wrong_in(spec: Spec, folder: Path) -> Finding | None:
    """What `release` would refuse of the table; None where it would not."""
    try:
        filled, people = bound_to_table(spec, folder)
        assert people is not None
        try:
            tally = people.tally()
            for belief in filled.model.joints() if filled.model.gives == "laws" else ():
                if belief.strata():
                    check_people(belief.strata(), tally)
                    check_table_values(people, tally, slots_of(belief.strata()))
        finally:
            people.close()
    except InputError as error:
        return Finding("error", "unusable", "", 1, (), str(error))
    return None


def check_table(
    table: TableLike, roles: Roles = Roles(), name: str | None = None, form: TextForm | None = None
) -> TableCheck:
    """What is wrong or doubtful in a table, as far as its columns say it."""
    shown = Path(str(table)).name if isinstance(table, str | Path) else name or f"the {type(table).__name__}"
    try:
        part = _opened(table, roles, name, form)
    except InputError as error:
        return TableCheck(shown, None, (), {}, (Finding("error", "unusable", "", 1, (), str(error)),))
    try:
        with engine_errors("data", shown, "a table that can be read"):
            return _Looked(part, roles).found(shown)
    finally:
        part.close()


def _opened(table: TableLike, roles: Roles, name: str | None, form: TextForm | None) -> TablePart:
    """The table with all its columns, of a file of text as they are written. InputError for a role's column that is not
    there."""
    given = from_here(table)
    first = open_part(given, name, _NOTHING, (), Path(), form)
    columns = list(first.table.columns)
    for role, column in roles.named.items():
        if column not in columns:
            first.close()
            raise InputError(f"data.{role}", column, f"one of the columns {', '.join(columns[:40])}")
    if first.path is None:
        return first
    first.close()
    return open_part(given, name, columns, columns, Path(), form)


@final
class _Looked:
    """One table that is looked at."""

    def __init__(self, part: TablePart, roles: Roles) -> None:
        self._rows: IbisTable = part.table
        self._roles, self._ordered = roles, part.ordered
        self._findings: list[Finding] = []

    def found(self, shown: str) -> TableCheck:
        """All that is found, errors first."""
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
        """All counts of all columns, in one question."""
        sums: dict[str, Any] = {"rows": self._rows.count()}
        for place, name in enumerate(self._rows.columns):
            cells = self._rows[name]
            sums[f"missing {place}"] = _missing(cells).sum()
            if not _is_nested(cells):
                sums[f"different {place}"] = cells.nunique()
            if cells.type().is_string():
                for kind, fits in _kinds(cells).items():
                    sums[f"{kind} {place}"] = fits.sum()
        return dict(answer_of(self._rows.aggregate(**sums)).to_pylist()[0])

    def _column(self, name: str, place: int, counts: Mapping[str, Any]) -> ColumnCheck:
        """What one column holds: of texts what more than half of the cells are."""
        cells, missing = self._rows[name], int(counts[f"missing {place}"] or 0)
        there, holds, odd = int(counts["rows"]) - missing, _holds(cells), 0
        for kind in _KINDS if cells.type().is_string() else ():
            fits = int(counts[f"{kind} {place}"] or 0)
            if 2 * fits > there:
                holds, odd = kind, there - fits
                break
        return ColumnCheck(name, holds, missing, odd, int(counts.get(f"different {place}") or 0))

    def _add(self, severity: Any, kind: str, column: str, count: int, bad: Any, words: str) -> None:
        """One finding; bad: a column that is true in the rows it is about."""
        rows = first_rows(self._rows, bad, FEW) if bad is not None and self._ordered else []
        self._findings.append(Finding(severity, kind, column, count, tuple(rows), words))

    def _say_missing(self, column: ColumnCheck, size: int) -> None:
        """Missing cells: in a column with a role every row needs one."""
        role = next((role for role, name in self._roles.named.items() if name == column.column), None)
        if column.missing and role is not None:
            words = f"{column.missing:,} of {size:,} cells of column {column.column} ({role}) are missing"
            self._add("error", "missing", column.column, column.missing, _missing(self._rows[column.column]), words)

    def _say_odd(self, column: ColumnCheck) -> None:
        """Cells that are not like the others of their column."""
        if column.odd:
            cells = self._rows[column.column]
            words = f"{column.odd:,} cells of column {column.column} are no {column.holds}, as the others are"
            self._add(
                "warning", "odd", column.column, column.odd, cells.notnull() & ~_kinds(cells)[column.holds], words
            )

    def _say_repeated(self, columns: tuple[ColumnCheck, ...], size: int) -> None:
        """People with several rows: wrong in the column of ids, doubtful in one that looks like it."""
        person = self._roles.person
        for column in columns:
            there = size - column.missing
            repeated = there - column.different
            likely = person is None and column.holds in ("numbers", "texts", "whole numbers") and size >= _FEWEST
            few = 0 < repeated <= _MOST_ROWS_REPEATED * there
            if column.column == person and repeated:
                words = f"{repeated:,} rows have a person of column {person} who has another row: each may have one"
                self._add("error", "repeated", person, repeated, self._later(person), words)
            elif likely and few and column.column not in self._roles.named.values():
                nearly = f"nearly every row has a cell of its own in column {column.column}, and {repeated:,} repeat"
                words = f"{nearly}: if it is the person, name it in [data] person"
                self._add("warning", "repeated", column.column, repeated, self._later(column.column), words)

    def _later(self, column: str) -> Any:
        """True in the rows whose cell another row has, too."""
        cells = self._rows[column]
        counted = self._rows.group_by(column).agg(rows=self._rows.count())
        return cells.isin(counted.filter(counted.rows > 1)[column])

    def _say_near(self, column: ColumnCheck) -> None:
        """Names that are likely one name: of households, labels and people, and in columns of few different texts."""
        cells = self._rows[column.column]
        role = next((role for role, name in self._roles.named.items() if name == column.column), None)
        keyed = role in ("household", "label", "person")
        if not cells.type().is_string() or not (keyed or (column.different <= _MOST_NAMES and column.holds == "texts")):
            return
        there = self._rows.filter(cells.notnull())
        answer = answer_of(there.group_by(column.column).agg(rows=there.count()))
        counts = dict(zip(answer[column.column].to_pylist(), answer["rows"].to_pylist(), strict=True))
        near = near_names(counts)
        if near.rarer:
            kinds = ", ".join(f"{kind} ({count:,})" for kind, count in near.kinds.items())
            what = {"household": "household names", "person": "ids of people", "label": "labels"}.get(
                role or "", "texts"
            )
            words = f"{len(near.rarer):,} {what} in column {column.column} differ from another one only in {kinds}"
            affected = sum(counts[name] for name in near.rarer)
            bad = cells.isin(list(near.rarer[:_MOST_RARE]))
            self._add("warning", "near", column.column, affected, bad, f"{words}, in {affected:,} rows")

    def _household_sizes(self) -> dict[int, int]:
        """How many households there are of each size."""
        column = self._roles.household
        if column is None:
            return {}
        there = self._rows.filter(self._rows[column].notnull())
        homes = there.group_by(column).agg(size=there.count())
        answer = answer_of(homes.group_by("size").agg(homes=homes.count()))
        found = zip(answer["size"].to_pylist(), answer["homes"].to_pylist(), strict=True)
        return {int(size): int(count) for size, count in found}


_FEWEST: Final = 10
"""Rows from which on a column can look like one of ids."""
_KINDS: Final = ("truth values", "numbers", "ISO dates")


def _kinds(cells: Any) -> dict[str, Any]:
    """By kind of cell, whether a text is one."""
    word = cells.strip().lower()
    return {
        "truth values": word.isin([each for each in WORDS if not each.isdigit()]),
        "numbers": cells.re_search(NUMBER),
        "ISO dates": cells.re_search(_DATE),
    }


def _missing(cells: Any) -> Any:
    """Whether there is no value: NaN is none."""
    if not cells.type().is_floating():
        return cells.isnull()
    numbers = cells.cast("float64")
    return cells.isnull() | ~((numbers * 0.0 == 0.0) | (numbers == float("inf")) | (numbers == float("-inf")))


def _is_nested(cells: Any) -> bool:
    kind = cells.type()
    return bool(kind.is_nested() or kind.is_json() or kind.is_binary())


def _holds(cells: Any) -> str:
    """What a column that has a type of its own holds."""
    kind = cells.type()
    if kind.is_boolean():
        return "truth values"
    if kind.is_integer():
        return "whole numbers"
    if kind.is_numeric():
        return "numbers"
    if kind.is_temporal():
        return "dates or times"
    return "texts" if kind.is_string() else str(kind)
