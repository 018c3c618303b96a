"""Which rows of a table are people of one kind: for its curator alone, as a row number names somebody."""

from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.errors import InputError
from dalenius.tables.engine import engine_errors, ibis
from dalenius.tables.people import Composition, People

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
