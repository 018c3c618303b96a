"""The value of a record as an expression for the engine: a column, a clipped and quantised number, or a bit."""

import re
from datetime import UTC, date, datetime
from typing import Any, NamedTuple, final

from dalenius.errors import InputError, written
from dalenius.tables.engine import ibis
from dalenius.tables.source import Condition, Source

Column = Any
"""An Ibis column expression; Ibis carries no types."""

ISO = re.compile(r"^[0-9]{4}-[0-9][0-9]-[0-9][0-9]")
"""How a date begins. Python would read "20200101" and "2020-W01" as dates too; here they are codes."""

DECIMAL_COMMA = "^ *[-+]?[0-9]+,[0-9]+ *$"
_MOST_STEPS = 2.0**53
"""Beyond it doubles do not hold every integer."""


@final
class Reading(NamedTuple):
    """A value, the rows where it is not valid, and what was wanted there instead."""

    value: Column
    odd: Column
    wanted: str = "a finite number in every row"


def reading(cells: Column, source: Source) -> Reading:
    """The value of every row. Booleans are 0 and 1; numbers stay numbers; texts, dates and times are texts."""
    numbers = _as_integers(cells)
    if isinstance(source.value, Condition):
        return bit(cells, source.value)
    if numbers.type().is_numeric():
        return _number(numbers, source)
    if source.wants_number:
        raise InputError("data.value", source.value, f"numbers, to clip or quantise; {_holds(cells)}")
    if _is_text(cells):
        return Reading(cells.cast("string"), ibis().literal(False))
    raise InputError("data.value", source.value, f"numbers, truth values or texts; {_holds(cells)}")


def bit(cells: Column, condition: Condition, key: str = "data.value") -> Reading:
    """Whether the condition holds, of every row: 1 or 0. key: of the spec, in whose name errors are."""
    return _bit(_as_integers(cells), condition, key, cells)


def compares_codes(condition: Condition) -> bool:
    """Whether the condition asks for texts that are not dates, such as "01": they are to be read as written."""
    return condition.asks_for_texts and moments_of(condition.operands) is None


def _number(numbers: Column, source: Source) -> Reading:
    """Clipped, then counted in steps: the same IEEE operations on every engine, row by row."""
    odd = _not_finite(numbers)
    if not source.wants_number:
        return Reading(numbers.cast("float64") if numbers.type().is_floating() else numbers, odd)
    floats = numbers.cast("float64")
    if source.lower is not None or source.upper is not None:
        floats = floats.clip(lower=source.lower, upper=source.upper)
    if source.step is None:
        return Reading(floats, odd)
    steps = floats / source.step + 0.5
    countable = steps.abs() < _MOST_STEPS
    counted = countable.ifelse(steps, 0.0).floor().cast("int64")
    return Reading(counted, odd | ~countable, f"a finite number of steps below {_MOST_STEPS:.0e} in every row")


def _bit(cells: Column, condition: Condition, key: str, given: Column) -> Reading:
    kind, operands = cells.type(), condition.operands
    if kind.is_numeric() and not isinstance(operands[0], str):
        _check_there_may_be(kind, condition, key, given)
        return Reading(_compared(cells, condition, operands), _not_finite(cells))
    moments = moments_of(operands)
    if moments is not None and (kind.is_date() or kind.is_timestamp()):
        return Reading(_compared(_in_time(cells, moments), condition, moments), ibis().literal(False))
    if kind.is_string() and isinstance(operands[0], str):
        return _text_bit(cells, condition, moments)
    shown = ", ".join(map(written, operands))
    raise InputError(key, condition.column, f"cells that compare with {shown}; {_holds(given)}")


def _check_there_may_be(kind: Any, condition: Condition, key: str, given: Column) -> None:
    """InputError where no cell of that type is what the condition asks for."""
    if condition.comparison not in ("equals", "one_of") or not kind.is_integer():
        return
    truths = given.type().is_boolean()
    holds = "truth values" if truths else "whole numbers"
    for operand in condition.operands:
        if operand not in (0, 1) if truths else operand != int(operand):
            raise InputError(key, condition.column, f"cells that compare with {operand!r}; the column holds {holds}")


def _text_bit(cells: Column, condition: Condition, moments: "tuple[date, ...] | None") -> Reading:
    if moments is None or condition.comparison in ("equals", "one_of"):
        return Reading(_compared(cells, condition, condition.operands), ibis().literal(False))
    # Ordering "20/11/1861" and "1861-11-20" as texts would be silently wrong.
    written = cells.re_search(ISO.pattern).ifelse(cells, ibis().null("string"))
    read = written.try_cast("timestamp" if isinstance(moments[0], datetime) else "date")
    unread = cells.notnull() & read.isnull()
    return Reading(_compared(read, condition, moments), unread, "an ISO date in every row")


def _compared(cells: Column, condition: Condition, operands: tuple[Any, ...]) -> Column:
    """The bit, cast rather than chosen by a case: a comparison with a missing cell stays missing."""
    match condition.comparison:
        case "one_of":
            holds = cells.isin(operands)
        case "equals":
            holds = cells == operands[0]
        case "below":
            holds = cells < operands[0]
        case "at_most":
            holds = cells <= operands[0]
        case "above":
            holds = cells > operands[0]
        case _:
            holds = cells >= operands[0]
    return _as_integers(holds)


def moments_of(operands: tuple[int | float | str, ...]) -> "tuple[date, ...] | None":
    """The operands as dates, or as moments in UTC if one has a time of day; None if they are neither."""
    texts = [operand for operand in operands if isinstance(operand, str) and ISO.match(operand)]
    if len(texts) != len(operands):
        return None
    try:
        return tuple(date.fromisoformat(text) for text in texts)
    except ValueError:
        pass
    try:
        return tuple(_in_utc(datetime.fromisoformat(text)) for text in texts)
    except ValueError:
        return None


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _in_time(cells: Column, moments: tuple[date, ...]) -> Column:
    return cells.cast("timestamp" if isinstance(moments[0], datetime) else "date")


def _as_integers(cells: Column) -> Column:
    # In two steps, as PostgreSQL knows no other way.
    return cells.cast("int32").cast("int64") if cells.type().is_boolean() else cells


def _not_finite(numbers: Column) -> Column:
    """Where nothing times 0 is 0: of an infinity and of NaN. isnan() is not asked, of which DuckDB 2 is sure where a
    Parquet file's notes of its least and greatest value leave NaN out: https://github.com/duckdb/duckdb/issues/25521
    """
    kind = numbers.type()
    if not (kind.is_floating() or kind.is_decimal()):  # PostgreSQL's decimals may be NaN
        return ibis().literal(False)
    # A case and no "not", which would be read as <>, of which it is as sure.
    return (numbers.cast("float64") * 0.0 == 0.0).ifelse(False, numbers.notnull())


def _is_text(cells: Column) -> bool:
    kind = cells.type()
    return bool(kind.is_string() or kind.is_temporal() or kind.is_uuid())


def _holds(cells: Column) -> str:
    """In words, and whether its numbers have a comma before their decimals."""
    kind = cells.type()
    if kind.is_boolean():
        return "the column holds truth values"
    if kind.is_numeric():
        return "the column holds numbers"
    if not _is_text(cells) or kind.is_temporal():
        return f"the column holds {kind}"
    table = cells.cast("string").name("cell").as_table()
    commas = table.filter(table.cell.re_search(DECIMAL_COMMA)).count().to_pyarrow().as_py()
    return f"the column holds texts{f', {commas:,} of them numbers with a decimal comma' if commas else ''}"
