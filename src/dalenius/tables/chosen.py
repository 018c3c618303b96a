"""Which rows belong to the data set: tables joined by the people's ids, conditions, and those that no row can match."""

import re
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from dalenius.errors import InputError, listed, written
from dalenius.tables.engine import Table, answer_of, as_text, engine_errors, ibis
from dalenius.tables.held import Part, open_held
from dalenius.tables.servers import table_of
from dalenius.tables.source import Condition, Join, Source
from dalenius.tables.state import one_state
from dalenius.tables.value import ISO, bit, moments_of

_NUMBER: Final = r"^ *[-+]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)? *$"
_TRUTHS: Final = ("true", "false")
_KINDS: Final = (
    ("numbers", lambda text: re.match(_NUMBER, text) is not None),
    ("truth values", lambda text: text.strip().lower() in _TRUTHS),
    ("ISO dates", lambda text: ISO.match(text) is not None),
)


def check_spelling(cells: Any, condition: Condition, key: str) -> None:
    """InputError where the condition asks for texts that the column does not hold, but others of another kind alone, or
    the same in other letters. No cell of the table is shown.

    cells: as the engine reads them; key: of the spec, in whose name errors are.
    """
    operands = condition.operands
    if not condition.asks_for_texts or not cells.type().is_string():
        return
    texts = [str(operand) for operand in operands]
    found = _counted(cells, texts, key, condition.column)
    for name, fits in _KINDS:
        if found["there"] and found[name] == found["there"] and not any(map(fits, texts)):
            raise InputError(
                key, condition.column, f"cells that compare with {_listed(texts)}; the column holds {name}"
            )
    if moments_of(operands) is not None and found["there"] and not found["ISO dates"] and not found["exact"]:
        raise InputError(key, condition.column, f"ISO dates, as {_listed(texts)} is; the column holds other texts")
    for place, text in enumerate(texts):
        if found[f"near {place}"] and not found[f"exact {place}"]:
            wanted = f"{written(text)} as the column spells it: no row is that, but for capitals and blanks some are"
            raise InputError(key, condition.column, wanted)


def _counted(cells: Any, texts: list[str], key: str, column: str) -> dict[str, int]:
    """How many cells there are, are of each kind, are the texts, and are so but for capitals and blanks around."""
    table = cells.name("cell").as_table()
    cell = table.cell
    folded = cell.strip().lower()
    sums = {
        "there": cell.count(),
        "numbers": cell.re_search(_NUMBER).sum(),
        "truth values": folded.isin(_TRUTHS).sum(),
        "ISO dates": cell.re_search(ISO.pattern).sum(),
        "exact": cell.isin(texts).sum(),
    }
    for place, text in enumerate(texts):
        sums |= {f"exact {place}": (cell == text).sum(), f"near {place}": (folded == text.strip().lower()).sum()}
    with engine_errors(key, column, "a column that the engine can count"):
        answer = answer_of(table.aggregate(**sums)).to_pylist()[0]
    return {name: int(value or 0) for name, value in answer.items()}


def _listed(texts: list[str]) -> str:
    return ", ".join(map(written, texts))


def joined(
    part: Part, source: Source, texts: Collection[str], folder: Path, until: ExitStack
) -> tuple[Table, list[Part]]:
    """The people's table with the columns that the joined ones have, and these tables, each in one state `until`.

    InputError where a joined table has an id twice, or a row without one, or a column that is read is in two tables.
    """
    rows, others = part.table, list[Part]()
    try:
        for number, join in enumerate(source.joins or (), 1):
            key = f"data.joins {number}"
            others.append(_opened(join, part, source, texts, folder, key))
            until.enter_context(one_state(others[-1].table))
            rows = _with(rows, others[-1].table, join, source, key)
    except BaseException:
        for other in others:
            other.close()
        raise
    return rows, others


def _opened(join: Join, part: Part, source: Source, texts: Collection[str], folder: Path, key: str) -> Part:
    held = join.url if join.url is not None else join.file
    wanted = {join.on, *source.all_columns.values()} - ({source.person} - {join.on})
    if held is not None:
        return open_held(held, join.table, wanted, {join.on, *texts}, folder, key)
    if part.path is not None:
        return open_held(part.path, join.table, wanted, {join.on, *texts}, folder, key)
    return Part(table_of(part.table.get_backend(), join.table, key), named=join.table, owned=False)


def _with(rows: Table, other: Table, join: Join, source: Source, key: str) -> Table:
    assert source.person is not None
    for table, name, said in ((rows, source.person, "data.person"), (other, join.on, f"{key}.on")):
        if name not in table.columns:
            raise InputError(said, name, f"one of the columns {listed(table.columns)}")
    read = sorted({*source.all_columns.values()} & {*other.columns} - {join.on, source.person})
    for column in read:
        if column in rows.columns:
            raise InputError(key, column, "a column that is read in one of the tables only")
    ids = "id"
    while ids in rows.columns or ids in read:
        ids += "_"
    one, two = _id(rows[source.person], "data.person", source.person), _id(other[join.on], f"{key}.on", join.on)
    if one.type() != two.type():
        one, two = one.cast("string"), two.cast("string")
    theirs = other.select(**{ids: two}, **{column: other[column] for column in read})
    _check_ids(theirs[ids], join.on, f"{key}.on")
    if theirs.get_backend() is not rows.get_backend():
        with engine_errors(key, join.on, "a table that the other's engine can take"):
            theirs = ibis().memtable(theirs.to_pyarrow())
    return rows.join(theirs, one == theirs[ids], how=join.how)


def _id(cells: Any, key: str, column: str) -> Any:
    kind = cells.type()
    if kind.is_integer():
        return cells.cast("int64")
    if kind.is_string() or kind.is_uuid():
        return cells.cast("string")
    raise InputError(key, column, f"a column of whole numbers or texts, not of {kind}")


def _check_ids(ids: Any, column: str, key: str) -> None:
    table = ids.as_table()
    question = table.aggregate(rows=table.count(), there=ids.count(), distinct=ids.nunique())
    with engine_errors(key, column, "a column that the engine can count"):
        answer = answer_of(question).to_pylist()[0]
    if answer["there"] < answer["rows"]:
        missing = answer["rows"] - answer["there"]
        raise InputError(key, column, f"an id in every row, {missing} of {answer['rows']} have none")
    if answer["distinct"] < answer["rows"]:
        repeated = answer["rows"] - answer["distinct"]
        raise InputError(key, column, f"each id at most once, {repeated} of {answer['rows']} rows repeat")


def chosen(rows: Table, source: Source) -> Table:
    """The rows for which the conditions hold, and whose label is declared. InputError where a cell that decides is
    missing, or a label that is not declared is to be refused."""
    conditions = source.where or ()
    for number, condition in enumerate(conditions, 1):
        key = f"data.where row {number}"
        check_condition(rows, source, condition, key)
        rows = _held(rows, condition, key)
    return rows if source.labels is None else _declared(rows, source)


def check_condition(rows: Table, source: Source, condition: Condition, key: str = "data.value") -> None:
    """InputError for a condition that no row can match (`check_spelling`); of the labels, those that are declared."""
    if condition.column == source.label and source.labels is not None and condition.asks_for_texts:
        for text in condition.operands:
            if text not in source.labels:
                raise InputError(key, str(text), f"one of the declared labels {', '.join(source.labels)}")
    check_spelling(rows[condition.column], condition, key)


def _held(rows: Table, condition: Condition, key: str) -> Table:
    column = condition.column
    found = bit(rows[column], condition, key)
    cells = rows.select(cell=rows[column], odd=found.odd)
    question = cells.aggregate(rows=cells.count(), missing=cells.cell.isnull().sum(), odd=cells.odd.sum())
    answer = _answered(question, key, column)
    if answer["odd"]:
        raise InputError(key, column, f"{found.wanted}, {answer['odd']} of {answer['rows']} are not")
    return rows.filter(found.value == 1)


def _answered(question: Table, key: str, column: str) -> dict[str, int]:
    """The counts, of which no cell may be missing."""
    with engine_errors(key, column, "a column that the engine can count"):
        answer: dict[str, int] = answer_of(question).to_pylist()[0]
    if answer["missing"]:
        raise InputError(key, column, f"a cell in every row, {answer['missing']} of {answer['rows']} are missing")
    return answer


def _declared(rows: Table, source: Source) -> Table:
    assert source.labels is not None
    assert source.label is not None
    label = label_of(rows[source.label])
    known = label.isin(source.labels)
    question = rows.aggregate(rows=rows.count(), missing=label.isnull().sum(), others=(~known).sum())
    answer = _answered(question, "data.label", source.label)
    if not answer["others"]:
        return rows
    if source.others == "leave_out":
        return rows.filter(known)
    declared = ", ".join(source.labels)
    wanted = f"one of the declared labels {declared} in every row, {answer['others']} of {answer['rows']} have another"
    raise InputError("data.label", source.label, wanted)


def label_of(cells: Any) -> Any:
    """A household, a label or an id as text, alike in every engine; NaN counts as missing."""
    if not cells.type().is_floating():
        return as_text(cells)
    numbers = cells.cast("float64")
    numbers = (numbers * 0.0 == 0.0).ifelse(numbers, ibis().null("float64"))
    whole = (numbers == numbers.floor()) & (numbers.abs() < 1e15)
    return whole.ifelse(whole.ifelse(numbers, 0.0).cast("int64").cast("string") + ".0", numbers.cast("string"))
