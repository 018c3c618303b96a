"""A table with a row for each person and stage, read as one row for each person: their process (IP Def 5).

Take a person who is 0 in spring and 1 in autumn. Their two rows become one, whose value is the text of the process.

>>> process_text({"spring": Fraction(0), "autumn": Fraction(1)})
'autumn: 1; spring: 0'
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.tables.limits import MOST_TABLE_STAGES
from dalenius.tables.near_names import many, out_of
from dalenius.tables.opening_with_ibis import IbisTable, answer_of

_BETWEEN: Final = "\x1f"
"""The character between the cells of a person in the engine's text: ASCII's unit separator."""


def process_text(values: Mapping[str, Fraction | str]) -> str:
    """Returns one text for a person's `values` by stage, whatever the order of the stages."""
    return "; ".join(f"{stage}: {values[stage]}" for stage in sorted(values))


def by_person(rows: IbisTable, source: Source, size: int) -> tuple[IbisTable, tuple[str, ...]]:
    """Returns a row for each person, with their cells in one text, and the names of the stages in its order.

    Args:
        rows: The checked rows, with the columns person, stage, household, label and value.
        source: The `[data]` section, which names the columns.
        size: How many rows there are.

    Raises:
        InputError: A person is twice at a stage, or not at all, or changes household or label; or there are too many
            stages.
    """
    assert source.stage is not None
    named = rows.group_by("stage").agg(people=rows.count(), persons=rows.person.nunique()).limit(MOST_TABLE_STAGES + 1)
    found = answer_of(named).to_pydict()
    stages, persons = (
        tuple(sorted(found["stage"])),
        int(answer_of(rows.aggregate(n=rows.person.nunique()))["n"][0].as_py()),
    )
    if len(stages) > MOST_TABLE_STAGES:
        wanted = f"a column of at most {MOST_TABLE_STAGES} stages (limit {MOST_TABLE_STAGES.name})"
        raise InputError("data.stage", source.stage, wanted)
    if repeated := size - sum(found["persons"]):
        some = out_of(repeated, size, "rows repeats", "rows repeat")
        raise InputError("data.person", source.person, f"each person once at a stage, {some}")
    if missing := persons * len(stages) - size:
        gap = many(missing, "row is", "rows are")
        wanted = f"each of the {persons} persons at each of the {len(stages)} stages, {gap} missing"
        raise InputError("data.stage", source.stage, wanted)
    cells = rows.value.cast("string")
    columns = {f"stage {place}": cells.max(where=rows.stage == stage) for place, stage in enumerate(stages)}
    whose = {key: rows[key].max() for key in ("household", "label")}
    changes = {f"{key}s": rows[key].nunique() for key in ("household", "label")}
    wide = rows.group_by("person").agg(**columns, **whose, **changes)
    for key in ("household", "label"):
        if key in source.columns and (several := _above_one(wide, f"{key}s")):
            raise InputError(f"data.{key}", source.columns[key], f"one {key} a person, {several} persons have several")
    value = wide["stage 0"]
    for place in range(1, len(stages)):
        value = value + _BETWEEN + wide[f"stage {place}"]
    return wide.select("household", "label", value=value), stages


def _above_one(rows: IbisTable, column: str) -> int:
    """Counts the rows with a number above 1 in `column`."""
    return int(answer_of(rows.aggregate(n=(rows[column] > 1).sum()))["n"][0].as_py() or 0)


def read_process(text: str, stages: Sequence[str], unit: Fraction, numbers: bool) -> str:
    """Returns the process that the engine's `text` has, as `process_text`.

    Args:
        text: The cells of one person.
        stages: The names of the stages, in the order of the cells.
        unit: What a number is multiplied by.
        numbers: Whether cells are numbers; else they are texts.
    """
    cells = text.split(_BETWEEN)
    values: list[Fraction | str] = [Fraction(cell) * unit for cell in cells] if numbers else list(cells)
    return process_text(dict(zip(stages, values, strict=True)))
