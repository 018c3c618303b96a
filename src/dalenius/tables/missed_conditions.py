"""Cells that miss a condition on texts by blanks, capitals or their form only, counted for each column.

A condition `equals = "ja"` on a column that holds `ja`, `Ja` and `nein` counts the rows of `ja` only. Nobody but the
owner knows whether `Ja` is meant too, so it is said before anything is computed, and no cell is shown.
"""

from collections.abc import Iterator
from typing import Final, Literal

from dalenius.spec.condition import single_conditions
from dalenius.spec.data_section import Source
from dalenius.tables.conditions import compares_codes
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.limits import MOST_RARE
from dalenius.tables.near_names import many, near_cells
from dalenius.tables.opening import TablePart
from dalenius.tables.opening_with_ibis import answer_of
from dalenius.tables.row_places import ROWS_NAMED, first_rows
from dalenius.tables.table_check import Finding

MISSED: Final = "missed"
"""The kind of these findings."""

Key = Literal["value", "where"]


def missed_conditions(part: TablePart, source: Source) -> Iterator[tuple[Key, Finding]]:
    """Yields the key of `[data]`, and a warning, for each column on whose texts a condition is missed so.

    Args:
        part: The table, with the columns of the conditions.
        source: The `[data]` section, whose value and `where` hold the conditions.
    """
    own = 0 if isinstance(source.value, str) else len(single_conditions(source.value))
    # Because two conditions on a column may each name one way of writing, they are looked at together.
    named: dict[tuple[Key, str], set[str]] = {}
    for place, condition in enumerate(source.conditions):
        there = condition.column in part.table.columns
        if there and compares_codes(condition) and part.table[condition.column].type().is_string():
            key: Key = "value" if place < own else "where"
            named.setdefault((key, condition.column), set()).update(map(str, condition.operands))
    for (key, column), texts in named.items():
        rows = part.table.filter(part.table[column].notnull()).select(cell=part.table[column])
        with engine_errors(f"data.{key}", column, "a column that the engine can count"):
            answer = answer_of(rows.group_by("cell").agg(rows=rows.count()))
        counts = dict(zip(answer["cell"].to_pylist(), answer["rows"].to_pylist(), strict=True))
        if missed := near_cells(texts, counts):
            bad = part.table[column].isin(sorted(missed)[:MOST_RARE])
            places = first_rows(part.table, bad, ROWS_NAMED) if part.ordered else []
            kinds = dict[str, int]()
            for cell, kind in missed.items():
                kinds[kind] = kinds.get(kind, 0) + counts[cell]
            count = sum(kinds.values())
            yield key, Finding("warning", MISSED, column, count, tuple(places), _in_words(column, kinds))


def _in_words(column: str, kinds: dict[str, int]) -> str:
    """Returns the finding as a clause; kinds: in what the cells differ, and how many do so."""
    count, why = sum(kinds.values()), ", ".join(f"{kind} ({number:,})" for kind, number in sorted(kinds.items()))
    differ, do, them = ("differs", "does", "it") if count == 1 else ("differ", "do", "them")
    said = f"{many(count, 'cell')} in column {column} {differ} from a text of its condition only in {why}"
    return f"{said}, and {do} not fulfil it: mend {them}, or name both in one_of"
