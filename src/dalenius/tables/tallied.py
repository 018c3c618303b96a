"""A table's people, counted in the engine: as a tally, as households by how many are infected, and by their rows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, final

import numpy as np

from dalenius.errors import InputError
from dalenius.tables.engine import answer_of, engine_errors, ibis
from dalenius.tables.people import Composition, People
from dalenius.tallies.tally import Tally, tally_of_counts, tally_of_people


def tallied(people: People, rows: bool = False) -> Tally:
    """How many people there are of each label and value, at the cost of the distinct ones; `whose` stays None.

    rows: each person's, in the order of the file, with `whose`. Numbers are the decimals they are written as, times the
    source's step. InputError for fewer than two people.
    """
    return _row_by_row(people) if rows else _counted(people)


def _row_by_row(people: People) -> Tally:
    with engine_errors("data.value", people.source.value_column, "a column that the engine can read"):
        answer = answer_of(people.rows.select("label", "value"))
    labels = None if people.source.label is None else answer["label"].to_pylist()
    tally = tally_of_people(_numbers_or_texts(answer["value"]), labels)
    return tally if people.source.unit is None else replace(tally, unit=tally.unit * people.source.unit)


def _counted(people: People) -> Tally:
    question = people.rows.group_by("label", "value").agg(people=people.rows.count())
    with engine_errors("data.value", people.source.value_column, "a column that the engine can count"):
        answer = answer_of(question)
    counts = np.asarray(answer["people"].to_numpy(), dtype=np.int64)
    labels = None if people.source.label is None else answer["label"].to_pylist()
    return tally_of_counts(_numbers_or_texts(answer["value"]), counts, labels, people.source.unit)


def _numbers_or_texts(cells: Any) -> Any:
    """As an array where that is exact; texts and decimals one by one."""
    kind = str(cells.type)
    return cells.to_numpy() if kind in ("int8", "int16", "int32", "int64", "double") else cells.to_pylist()


def infected_by_size(people: People) -> Mapping[tuple[int, int], int]:
    """The number of households of each (size, infected), where a member is infected whose value is 1 and not 0."""
    source = people.source
    if source.household is None:
        raise InputError("data.household", "missing", "the column that says who belongs together")
    odd = sorted(str(value) for _, value in people.tally() if value not in (0, 1))
    if odd:
        raise InputError("data.value", source.value_column, f"0 or 1 in every row (there is also {odd[0]})")
    rows = people.rows
    members = rows.group_by("household").agg(size=rows.count(), infected=(rows.value != 0).sum())
    homes = members.group_by("size", "infected").agg(homes=members.count())
    with engine_errors("data.household", source.household, "a column that the engine can count"):
        answer = answer_of(homes).to_pydict()
    found = zip(answer["size"], answer["infected"], answer["homes"], strict=True)
    return {(int(size), int(infected)): int(count) for size, infected, count in sorted(found)}


FEW: Final = 5


@final
@dataclass(frozen=True)
class Rows:
    """first: the lowest numbers, from 1 in the order of the file, whose first line of names is none; total: of all."""

    first: tuple[int, ...]
    total: int


def rows_of(people: People, label: str, home: Composition | None = None, most: int = FEW) -> Rows:
    """The rows with this label (all where there is no label column) in households of this composition, or in any.

    InputError where households are asked for and the table has no such column.
    """
    numbered = people.rows.mutate(row=ibis().row_number() + 1)
    chosen = numbered.filter(numbered.label == label)
    if home is not None:
        chosen = chosen.semi_join(_homes(people, home), "household")
    key = "label" if home is None else "household"
    with engine_errors(f"data.{key}", people.source.columns.get(key, key), "a column that the engine can count"):
        total = int(chosen.count().to_pyarrow().as_py())
        first = chosen.select("row").order_by("row").limit(most).to_pyarrow()["row"].to_pylist()
    return Rows(tuple(first), total)


def _homes(people: People, home: Composition) -> Any:
    """The households in which as many members as there say have each label, and nobody else lives."""
    if people.source.household is None:
        raise InputError("data.household", "missing", "the column that says who belongs together")
    rows = people.rows
    counts = {f"of_{place}": (rows.label == label).sum() for place, (label, _) in enumerate(home)}
    homes = rows.group_by("household").agg(size=rows.count(), **counts)
    fits = homes.filter(
        homes["size"] == sum(members for _, members in home),
        *(homes[f"of_{place}"] == members for place, (_, members) in enumerate(home)),
    )
    return fits.select("household")
