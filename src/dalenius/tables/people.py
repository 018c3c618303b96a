"""The people of a table, counted in the engine: of each kind, how they live together, and which rows they are.

Take five people in households 1, 1, 2, 2 and 3, adults and children in turn, the adults ill. Two households are of one
adult and one child, one is of one adult. Three adults have value 1, two children have 0. One household of one and two
of two have one infected member each. The rows of the adults who live with a child are 1 and 3.

Numbers are read as the decimals that they are written as: 0.1 is a tenth, and not the double next to it.

>>> _exact(0.1, Fraction(1)), _exact(3, Fraction(1, 2)), _member("2:child")
(Fraction(1, 10), Fraction(3, 2), ('child', 2))
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final, final

from dalenius.errors import InputError
from dalenius.omitted import Omitted
from dalenius.spec.condition import MISSING_VALUE, single_conditions
from dalenius.spec.data_names import data_name
from dalenius.spec.data_section import LABEL_SEPARATOR, Source
from dalenius.tables.chosen_rows import chosen, labels_of, mixed_labels, value_of
from dalenius.tables.conditions import check_condition, compares_codes, label_of
from dalenius.tables.csv_files import TextForm
from dalenius.tables.fingerprint import Mark
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.missing_answers import WAYS, answered, check_no_such_text
from dalenius.tables.near_names import out_of
from dalenius.tables.opening import TableLike, TablePart, open_part
from dalenius.tables.opening_with_ibis import IbisTable, answer_of, ibis, one_state
from dalenius.tables.people_by_stage import by_person, read_process
from dalenius.tables.row_places import rows_where
from dalenius.tables.rows_of_people import check_of_people, per_person, read_by_row
from dalenius.tables.table_files import there
from dalenius.tables.table_identity import other_names

WRITTEN: Final = "the table that was opened: it has been written since"
"""The words of the error where it has."""

_Composition = tuple[tuple[str, int], ...]  # how many members of a household have each label, sorted by label


@final
@dataclass(frozen=True, slots=True)
class People:
    """A table of people that was checked when it was opened: every row has a value, a label and a household.

    Each question is one aggregate in the engine.

    Attributes:
        source: The `[data]` section.
        rows: An Ibis table with the columns household, label and value.
        size: How many people there are.
        part: The table that it is read from.
        checked: Does again what opening it did, and counts the people.
        omitted: Rows with labels that are not declared, or without an answer, where the spec leaves them out.
        clipped: One row a person, with whether its value was clipped; None where a person has one row.
        stages: The stages, in the order of each person's cells; none where a person has one row.
        numbers: Whether the cells of processes are numbers.
    """

    source: Source
    rows: IbisTable
    size: int
    part: TablePart
    checked: Callable[[], int]
    omitted: tuple[Omitted, ...] = ()
    clipped: IbisTable | None = None
    stages: tuple[str, ...] = ()
    numbers: bool = False

    @property
    def path(self) -> Path | None:
        """The path of the file; None where there is none."""
        return self.part.path

    def count_again(self) -> int:
        """Returns the number of people there are now; InputError where a row is not what rows were at the opening."""
        with engine_errors("data", self.shown, "columns that the engine can count"):
            return self.checked()

    def labelled(self) -> Mapping[str, int]:
        """Returns the number of people of each label; without a label column the label is ""."""
        # Because all people have the same label without a label column, nothing has to be counted.
        if self.source.label is None:
            return {"": self.size}
        answer = self.answer(self.rows.group_by("label").agg(people=self.rows.count()), "label")
        return dict(zip(answer["label"], answer["people"], strict=True))

    def tally(self) -> Mapping[tuple[str, Fraction | str], int]:
        """Returns the number of people of each label and value; numbers are exact, and no label column gives ""."""
        counts: Counter[tuple[str, Fraction | str]] = Counter()
        answer = self.answer(self.rows.group_by("label", "value").agg(people=self.rows.count()), "value")
        for label, value, people in zip(answer["label"], answer["value"], answer["people"], strict=True):
            counts[label, self.value_of(value)] += people  # 0.0 and -0.0 are one value
        return dict(counts)

    def value_of(self, cell: Any) -> Fraction | str:
        """Returns the record's value that a cell of `rows` holds."""
        unit = self.source.unit
        return read_process(cell, self.stages, unit, self.numbers) if self.stages else _exact(cell, unit)

    def compositions(self) -> Mapping[_Composition, int]:
        """Returns the number of households of each composition; InputError without a column of households."""
        if self.source.household is None:
            raise InputError("data.household", "missing", "the column that says who belongs together")
        members = self.rows.group_by("household", "label").agg(members=self.rows.count())
        each = members.members.cast("string") + ":" + members.label  # a text, as not all engines sort structures
        lists = members.group_by("household").agg(composition=each.collect().sort())
        answer = self.answer(lists.group_by("composition").agg(homes=lists.count()), "household")
        compositions = (tuple(sorted(_member(each) for each in c)) for c in answer["composition"])
        return dict(zip(compositions, answer["homes"], strict=True))

    @property
    def name(self) -> str:
        """The name of the data set, to which a budget belongs: as its source says, or else as its file is named.

        InputError where nothing says it.
        """
        if self.source.name is not None:
            return self.source.name
        # Because nothing says that tomorrow's frame, or database, is the same data set.
        if self.path is None:
            raise InputError("data.name", "missing", "a name, to which the budget belongs: only a file brings one")
        return data_name(self.path)

    @property
    def shown(self) -> str:
        """The table's name in words: its file, or the data set, or the database's table."""
        if self.path is not None:
            return self.path.name
        return self.source.name or self.source.table or "the table"

    @property
    def ordered(self) -> bool:
        """Whether the number of a row says which it is, in the file or frame as the user has it."""
        return not (self.source.chooses_rows or self.stages) and self.part.ordered

    @property
    def in_database(self) -> bool:
        """Whether each question is answered from a database as it then is, and nothing from a file, or a copy."""
        return self.path is None and not self.part.copied

    def fingerprint(self) -> str:
        """Returns SHA-256, in hexadecimal: of the file's bytes, or of the table's content where it is in no file.

        For a DuckDB file it is of the bytes and the table's name. Rows sorted otherwise have the same fingerprint of
        content.
        """
        return self.part.fingerprint()

    def other_names(self) -> tuple[str, ...]:
        """Returns the fingerprints that the same people have under other names of a DuckDB file, as of a view."""
        return other_names(self.part)

    def mark(self) -> Mark:
        """Returns a mark that changes whenever the table does; empty where its file is gone."""
        return self.part.mark()

    def first_mark(self) -> Mark:
        """Returns the mark of what is read: from before it was read, where that was taken."""
        return self.part.mark() if self.part.before is None else self.part.before

    def unwritten(self, since: Mark) -> bool:
        """Says whether nobody has written to the table since it had this mark, and its file is not gone."""
        return since != () and self.mark() == since

    def at_once(self) -> AbstractContextManager[None]:
        """Makes all questions until it is left be of one state, in databases that have transactions (`one_state`)."""
        return one_state(self.part.table)

    def close(self) -> None:
        """Lets go of the file, so that another program may write a DuckDB file, or of the database.

        A connection that the user handed over stays open. There are no answers afterwards.
        """
        self.part.close()

    def answer(self, question: Any, key: str) -> dict[str, list[Any]]:
        """Returns the engine's answer to `question` by column; key: of the spec, in whose name errors are."""
        column = self.source.columns.get(key, key)
        with engine_errors(f"data.{key}", column, "a column that the engine can count"):
            return dict(answer_of(question).to_pydict())


def open_people(
    source: Source,
    folder: Path = Path(),
    table: TableLike | None = None,
    until: ExitStack | None = None,
    marked: bool = False,
    further: Collection[str] = (),
) -> People:
    """Opens and checks the table; anything amiss is an InputError `data.…`.

    Args:
        source: The `[data]` section.
        folder: Where a relative path starts.
        table: A table instead of the one that the source names: a path or URL, a pandas, polars or pyarrow frame, a
            relation of DuckDB or an Ibis table. None for the source's own.
        until: As long as it is open, all questions are of the state that was checked (`People.at_once`).
        marked: Whether its first mark is wanted, from before anything was read.
        further: Columns that are read beside those of the source.
    """
    with ExitStack() as own:
        return _opened(source, folder, table, own if until is None else until, marked, further)


def _opened(
    source: Source, folder: Path, table: TableLike | None, until: ExitStack, marked: bool, further: Collection[str]
) -> People:
    """Opens the table in one state, then checks columns, conditions and rows; closes it if something is refused."""
    given = source.location if table is None else table
    if given is None:
        raise InputError("data.file", "missing", "the file that holds the people")
    texts = _as_written(source)
    form = TextForm(source.encoding, source.decimal, source.missing_words)
    part = open_part(given, source.table, {*source.all_columns.values(), *further}, texts, folder, form)
    try:
        with engine_errors("data.file", _place(part, source), "columns that the engine can count"):
            until.enter_context(one_state(part.table))
            # Because somebody may write between two questions in an engine without transactions, such as Spark.
            if marked and part.before is None:
                part = replace(part, before=part.mark())
            for key, column in source.all_columns.items():
                if column not in part.table.columns:
                    raise InputError(f"data.{key}", column, there(part.table.columns, column))
            place = _place(part, source)
            try:
                for condition in () if isinstance(source.value, str) else single_conditions(source.value):
                    check_condition(part.table, source, condition)
                rows, omitted = chosen(part.table, source)
                rows, silent = answered(rows, source)
                checked, wanted = _checkable(rows, source)
            except InputError:
                # Because the columns of a table without rows hold nothing, whatever is said of them.
                _check_not_empty(part.table, place)
                raise
            people = checked if source.per_person is None else per_person(checked, source)
            size = _counted_people(checked, people, source, place, wanted)
            found, stages = people.select("household", "label", "value"), tuple[str, ...]()
            if source.stage is not None:
                found, stages = by_person(checked, source, size)
                size //= len(stages)
    except BaseException:  # what is refused is let go at once, not when the garbage is collected
        part.close()
        raise
    again = partial(_counted_again, checked, people, source, place, wanted)
    own, left_out = None if source.per_person is None else people, (*omitted, *silent)
    return People(source, found, size, part, again, left_out, own, stages, not checked.value.type().is_string())


def _check_not_empty(table: IbisTable, place: str) -> None:
    """Raises InputError for a table without a row."""
    if not answer_of(table.aggregate(rows=table.count()))["rows"][0].as_py():
        raise InputError("data.file", place, "a table with at least one row")


def _place(part: TablePart, source: Source) -> str:
    """Returns the table's place, for messages."""
    return str(part.path) if part.path is not None else source.table or source.name or "table"


def _as_written(source: Source) -> set[str]:
    """Returns the columns of a CSV that stay texts, lest "01" and "1" become one household, label or code."""
    given = (source.household, *source.label_columns, source.person)
    names = {column for column in given if column is not None}
    codes = {condition.column for condition in source.conditions if compares_codes(condition)}
    return (names - set(source.value_columns)) | codes


def _checkable(table: IbisTable, source: Source) -> tuple[IbisTable, str]:
    """Returns household, label, value, what the value was read from and whether it is odd; and what was wanted."""
    value, cells = value_of(table, read_by_row(source))
    named = (("household", source.household), ("person", source.person))
    names = {key: _named(table[column]) for key, column in named if column is not None}
    names |= {} if source.label is None else {"label": labels_of(table, source)}
    names |= {} if source.stage is None else {"stage": label_of(table[source.stage])}
    blank = {"household": ibis().literal(""), "label": ibis().literal("")}
    # Because a value that is counted in steps is a number where the cell is missing, too.
    found = value.value if source.missing != "value" else cells.notnull().ifelse(value.value, None)
    parts = blank | names | {"mixed": mixed_labels(table, source)}
    return table.select(**parts, value=found, odd=value.odd, raw=cells), value.wanted


def _counted_people(rows: IbisTable, people: IbisTable, source: Source, place: str, wanted: str) -> int:
    """Returns the number of people, after no row was found incomplete; InputError where one is, or a person is two."""
    size = _checked(rows, source, place, wanted)
    return size if source.per_person is None else check_of_people(people, source)


def _counted_again(rows: IbisTable, people: IbisTable, source: Source, place: str, wanted: str) -> int:
    """Returns the number of people, after the table was checked as at its opening."""
    size = _counted_people(rows, people, source, place, wanted)
    return size if source.stage is None else size // len(by_person(rows, source, size)[1])


def _named(cells: Any) -> Any:
    """Returns households or ids. They may stay whole numbers: engines tell more of those in less room."""
    return cells if cells.type().is_integer() else label_of(cells)


def _checked(rows: IbisTable, source: Source, place: str, wanted: str) -> int:
    """Returns the number of people, after one aggregate found no row incomplete."""
    # Because a condition on a missing cell would be missing too, the cell that the value was read from is looked at.
    missing = {key: rows["raw" if key == "value" else key].isnull().sum() for key in source.columns}
    sums = {"odd": rows.odd.sum(), "mixed": rows.mixed.sum(), **missing}
    answer = answer_of(rows.aggregate(size=rows.count(), **sums)).to_pylist()[0]
    size = int(answer["size"])
    if size == 0:
        raise InputError("data.file", place, "a table with at least one row")
    for key, column in source.columns.items():
        if answer[key] and not (key == "value" and source.missing == "value"):
            ways = f" {WAYS}" if key == "value" else ""
            gap = out_of(answer[key], size, "is missing", "are missing")
            raise InputError(f"data.{key}", column, f"a cell in every row, {gap}{ways}")
    # Because every promise is about a row, a table of one row per visit instead of per person must not pass.
    once = source.stage is None and source.per_person is None
    if source.person is not None and once and (repeated := _repeated(rows, size)):
        some = out_of(repeated, size, "rows repeats", "rows repeat")
        raise InputError("data.person", source.person, f"each person once, {some}")
    check_no_such_text(rows, source)
    if answer["mixed"]:
        some = out_of(answer["mixed"], size, "has it", "have it")
        wanted = f"labels without {LABEL_SEPARATOR!r}, which stands between two of them: {some}"
        raise InputError("data.label", source.columns["label"], wanted)
    if answer["odd"]:
        where = "" if source.chooses_rows else rows_where(rows, rows.odd, answer["odd"])
        some = out_of(answer["odd"], size, "is not", "are not")
        raise InputError("data.value", source.value_column, f"{wanted}, {some}{where}")
    return size


def _repeated(rows: IbisTable, size: int) -> int:
    """Counts the rows that have a person of another row.

    There are none where ids rise from row to row, as in most tables. DuckDB sees that in passing, while counting them
    takes most of the time and room of all that is asked.
    """
    if rows.get_backend().name == "duckdb":
        ids = rows.select("person", before=rows.person.lag())
        if not answer_of(ids.aggregate(falls=(ids.person <= ids.before).sum()))["falls"][0].as_py():
            return 0
    return size - int(rows.person.nunique().to_pyarrow().as_py())


def _member(text: str) -> tuple[str, int]:
    """Returns a label, and how many members of a household have it, from the engine's text; a label may hold colons."""
    members, _, label = text.partition(":")
    return label, int(members)


def _exact(value: Any, unit: Fraction) -> Fraction | str:
    """Returns a cell as the number it is written as, times the source's unit; a text as it is."""
    if value is None or isinstance(value, str):
        return MISSING_VALUE if value is None else value
    return Fraction(repr(value) if isinstance(value, float) else value) * unit
