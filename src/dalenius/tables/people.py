"""The people of a table: how many there are of each kind, and how they live together."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, final

from dalenius.errors import InputError
from dalenius.tables.engine import Table, close, closed_on_failure, engine_errors, ibis, is_database, open_table
from dalenius.tables.source import Condition, Source, data_name
from dalenius.tables.value import compares_codes, reading

Composition = tuple[tuple[str, int], ...]
"""Who is in a household: how many members of each label, sorted by label."""


@final
@dataclass(frozen=True, slots=True)
class People:
    """A table of people that was checked when it was opened: every row has a value, a label and a household.

    `rows` is an Ibis table with the columns household, label and value. Each question is one aggregate in the engine.
    """

    source: Source
    path: Path
    rows: Table
    size: int

    def count(self) -> int:
        """The number of people."""
        return self.size

    def tally(self) -> Mapping[tuple[str, Fraction | str], int]:
        """The number of people of each label and value. Numbers are exact; without a label column the label is ""."""
        rows, unit = self.rows, self.source.unit
        counts: Counter[tuple[str, Fraction | str]] = Counter()
        answer = self._answer(rows.group_by("label", "value").agg(people=rows.count()), "value")
        for label, value, people in zip(answer["label"], answer["value"], answer["people"], strict=True):
            counts[label, _exact(value, unit)] += people  # 0.0 and -0.0 are one value
        return dict(counts)

    def compositions(self) -> Mapping[Composition, int]:
        """The number of households of each composition."""
        if self.source.household is None:
            raise InputError("data.household", "missing", "the column that says who belongs together")
        members = self.rows.group_by("household", "label").agg(members=self.rows.count())
        pair = ibis().struct({"label": members.label, "members": members.members})
        homes = members.group_by("household").agg(composition=pair.collect().sort())
        answer = self._answer(homes.group_by("composition").agg(homes=homes.count()), "household")
        compositions = (tuple(sorted((each["label"], each["members"]) for each in c)) for c in answer["composition"])
        return dict(zip(compositions, answer["homes"], strict=True))

    def labels(self) -> tuple[str, ...]:
        """The labels that occur, sorted; without a label column the one label ""."""
        return tuple(sorted(self._answer(self.rows.select("label").distinct(), "label")["label"]))

    @property
    def name(self) -> str:
        """What the data set is called: as its source says, or else as its file is."""
        return self.source.name if self.source.name is not None else data_name(self.path)

    def fingerprint(self) -> str:
        """SHA-256 of the file's bytes, in hexadecimal; of a DuckDB file and its table, of both."""
        with engine_errors("data.file", str(self.path), "a file that can be read"), self.path.open("rb") as file:
            content = file_digest(file, "sha256")
        if not is_database(self.path):
            return content.hexdigest()
        return sha256(content.digest() + str(self.source.table).encode()).hexdigest()

    def close(self) -> None:
        """Lets go of the file, so that another program may write a DuckDB file. There are no answers afterwards."""
        close(self.rows)

    def _answer(self, question: Any, key: str) -> dict[str, list[Any]]:
        column = self.source.columns.get(key, key)
        with engine_errors(f"data.{key}", column, "a column that the engine can count"):
            return dict(question.to_pyarrow().to_pydict())


def open_people(source: Source, folder: Path) -> People:
    """Opens and checks the table; a relative path starts at `folder`. Anything amiss is an InputError `data.…`."""
    if source.file is None:
        raise InputError("data.file", "missing", "the file that holds the people")
    path = folder / source.file
    table = open_table(path, source.table, set(source.columns.values()), _as_written(source))
    with closed_on_failure(table), engine_errors("data.file", str(path), "columns that the engine can count"):
        checked, wanted = _checkable(table, source)
        size = _checked(checked, source, path, wanted)
        return People(source, path, checked.select("household", "label", "value"), size)


def _as_written(source: Source) -> set[str]:
    """The columns of a CSV that must stay texts, lest "01" and "1" become one household, label or code."""
    names = {column for key, column in source.columns.items() if key != "value"} - {source.value_column}
    value = source.value
    return names | {value.column} if isinstance(value, Condition) and compares_codes(value) else names


def _checkable(table: Table, source: Source) -> tuple[Table, str]:
    """Household, label and value, with what the value was read from and whether it is odd; and what was wanted."""
    for key, column in source.columns.items():
        if column not in table.columns:
            raise InputError(f"data.{key}", column, f"one of the columns {', '.join(table.columns)}")
    cells = table[source.value_column]
    value = reading(cells, source)
    names = {key: _name(table[column]) for key, column in source.columns.items() if key != "value"}
    blank = {"household": ibis().literal(""), "label": ibis().literal("")}
    return table.select(**(blank | names), value=value.value, odd=value.odd, raw=cells), value.wanted


def _name(cells: Any) -> Any:
    """A household or a label as text; NaN counts as missing."""
    return (cells.isnan().ifelse(None, cells) if cells.type().is_floating() else cells).cast("string")


def _checked(rows: Table, source: Source, path: Path, wanted: str) -> int:
    """The number of people, after one aggregate found no row incomplete."""
    missing = {key: rows["raw" if key == "value" else key].isnull().sum() for key in source.columns}
    answer = rows.aggregate(size=rows.count(), odd=rows.odd.sum(), **missing).to_pyarrow().to_pylist()[0]
    size = int(answer["size"])
    if size == 0:
        raise InputError("data.file", str(path), "a table with at least one row")
    for key, column in source.columns.items():
        if answer[key]:
            raise InputError(f"data.{key}", column, f"a cell in every row, {answer[key]} of {size} are missing")
    if answer["odd"]:
        raise InputError("data.value", source.value_column, f"{wanted}, {answer['odd']} of {size} are not")
    return size


def _exact(value: Any, unit: Fraction) -> Fraction | str:
    if isinstance(value, str):
        return value
    return Fraction(repr(value) if isinstance(value, float) else value) * unit
