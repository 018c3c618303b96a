"""Expressions for the engine: what a record is, and which rows belong by conditions and labels.

With lower = 0, upper = 5 and step = 0.5 cells of 7.3, -2.0 and 1.3 are clipped to 5, 0 and 1.3 and counted in steps:
10, 0 and 3, as 1.3 / 0.5 = 2.6 is nearer to 3. A condition compares texts as dates where they begin as ISO dates do:

>>> _moments_of(("1861-11-20",)), _moments_of(("1861-11-20T06:00:00",)), _moments_of(("01",))
((datetime.date(1861, 11, 20),), (datetime.datetime(1861, 11, 20, 6, 0),), None)
"""

import re
from datetime import date, datetime
from decimal import Decimal
from operator import eq, ge, gt, le, lt
from typing import Any, Final, NamedTuple, final

from dalenius.errors import InputError, listed, written
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.tables.near_names import are
from dalenius.tables.opening_with_ibis import IbisTable, answer_of, as_text, counted, ibis
from dalenius.tables.row_places import rows_where
from dalenius.tables.time_zones import in_utc, on_local_clocks, zone_of
from dalenius.tables.truth_words import TRUTH_WORDS, WORDS, pair_of, truth_of, truth_values

_Column = Any
"""An Ibis column expression; Ibis carries no types."""

_ISO = re.compile(r"^[0-9]{4}-[0-9][0-9]-[0-9][0-9]")
"""How a date begins. Python would read "20200101" and "2020-W01" as dates too; here they are codes."""

DECIMAL_COMMA = "^ *[-+]?[0-9]+,[0-9]+ *$"
_COMPARED = {"equals": eq, "below": lt, "at_most": le, "above": gt, "at_least": ge}
_MOST_STEPS = 2.0**53
"""The number beyond which doubles do not hold every integer."""


@final
class Reading(NamedTuple):
    """A value, the rows where it is not valid, and what was wanted there instead."""

    value: _Column
    odd: _Column
    wanted: str = "a finite number in every row"


def reading(cells: _Column, source: Source) -> Reading:
    """Returns the value of every row: booleans are 0 and 1, numbers stay numbers; texts, dates and times are texts.

    Args:
        cells: The column of values.
        source: The `[data]` section, with its bounds or step, and no condition.
    """
    numbers = as_integers(cells)
    if numbers.type().is_numeric():
        return _number(numbers, source)
    # A column of texts cannot be clipped; mostly it holds numbers with a decimal comma.
    if source.wants_number:
        holds = _holds(cells, not source.chooses_rows)
        raise InputError("data.value", source.value, f"numbers, to clip or quantise; {holds}")
    if _is_text(cells):
        return Reading(cells.cast("string"), ibis().literal(False))
    raise InputError("data.value", source.value, f"numbers, truth values or texts; {_holds(cells)}")


def bit(cells: _Column, condition: Condition, key: str = "data.value") -> Reading:
    """Returns whether the condition holds, for every row: 1 or 0.

    Args:
        cells: The column that the condition is about.
        condition: The condition.
        key: The spec's key that errors name.

    Raises:
        InputError: If column and operands are of kinds that do not compare.
    """
    if condition.missing is not None:
        return Reading(as_integers(empty(cells) if condition.missing else ~empty(cells)), ibis().literal(False))
    given, cells = cells, as_integers(cells)
    kind, operands = cells.type(), condition.operands
    # A number, or a truth value, is compared with numbers.
    if kind.is_numeric() and not isinstance(operands[0], str):
        _check_there_may_be(kind, condition, key, given)
        return Reading(_compared(cells, condition, operands), _not_finite(cells))
    # In a column of dates a condition on days compares days, one with a time of day compares moments.
    moments = _moments_of(operands)
    if moments is not None and (kind.is_date() or kind.is_timestamp()):
        times, moments = _comparable_times(cells, moments)
        return Reading(_compared(times, condition, moments), ibis().literal(False))
    if kind.is_string() and isinstance(operands[0], str):
        return _text_bit(cells, condition, moments)
    if (found := _truth_bit(given, condition)) is not None:
        return found
    shown = listed(map(written, operands))
    iso = ": a condition has them as 2026-02-01" if kind.is_date() or kind.is_timestamp() else ""
    raise InputError(key, condition.column, f"cells that compare with {shown}; {_holds(given)}{iso}")


def _comparable_times(cells: _Column, moments: "tuple[date, ...]") -> "tuple[_Column, tuple[date, ...]]":
    """Returns days and times as clocks show them in the column's own zone, or in UTC where there is an offset."""
    zone = zone_of(cells)
    if not isinstance(moments[0], datetime):
        return on_local_clocks(cells).cast("date"), moments
    if any(isinstance(each, datetime) and each.tzinfo is not None for each in moments):
        utc = cells if zone is None else cells.cast("timestamp('UTC')")
        read = (in_utc(each, zone or "UTC") for each in moments if isinstance(each, datetime))
        return utc.cast("timestamp"), tuple(read)
    return on_local_clocks(cells).cast("timestamp"), moments


def _truth_bit(cells: _Column, condition: Condition) -> "Reading | None":
    """Returns the condition where one side is a truth value and the other one a word for it; None elsewhere.

    Such are truth values against `equals = "yes"`, or texts such as Y and N against `equals = true`.
    """
    operands = condition.operands
    if condition.comparison not in ("equals", "one_of"):
        return None
    if cells.type().is_boolean():
        truths = [truth_of(str(operand)) for operand in operands]
        if None in truths:
            return None
        return Reading(as_integers(as_integers(cells).isin(truths)), ibis().literal(False))
    if not cells.type().is_string() or not set(operands) <= {0, 1}:
        return None
    values = truth_values(cells)
    wanted = f"a word for yes or no in every row ({TRUTH_WORDS})"
    return Reading(as_integers(values.isin(operands)), cells.notnull() & values.isnull(), wanted)


def compares_codes(condition: Condition) -> bool:
    """Says whether the condition asks for texts that are not dates, such as "01": they are to be read as written."""
    return condition.asks_for_texts and _moments_of(condition.operands) is None


def _number(numbers: _Column, source: Source) -> Reading:
    """Returns the numbers, clipped and then counted in steps: the same IEEE operations on every engine, row by row."""
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


def _check_there_may_be(kind: Any, condition: Condition, key: str, given: _Column) -> None:
    """Raises InputError where no cell of that type is what the condition asks for."""
    # Because `below = 0.5` makes sense for whole numbers; `equals = 0.5` is a mistake that would count nobody.
    if condition.comparison not in ("equals", "one_of") or not kind.is_integer():
        return
    truths = given.type().is_boolean()
    holds = "truth values" if truths else "whole numbers"
    for operand in condition.operands:
        if operand not in (0, 1) if truths else operand != int(operand):
            raise InputError(key, condition.column, f"cells that compare with {operand!r}; the column holds {holds}")


def _text_bit(cells: _Column, condition: Condition, moments: "tuple[date, ...] | None") -> Reading:
    """Returns the condition of texts; those that are no ISO dates are odd, where dates are put in order."""
    # Because "is 1861-11-20" compares as texts do; "before" does not, where dates are written day first.
    if moments is None or condition.comparison in ("equals", "one_of"):
        return Reading(_compared(cells, condition, condition.operands), ibis().literal(False))
    # Because ordering "20/11/1861" and "1861-11-20" as texts would be silently wrong.
    written = cells.re_search(_ISO.pattern).ifelse(cells, ibis().null("string"))
    read = written.try_cast("timestamp" if isinstance(moments[0], datetime) else "date")
    moments = tuple(in_utc(each, "UTC") if isinstance(each, datetime) else each for each in moments)
    unread = cells.notnull() & read.isnull()
    return Reading(_compared(read, condition, moments), unread, "an ISO date in every row")


def _compared(cells: _Column, condition: Condition, operands: tuple[Any, ...]) -> _Column:
    """Returns the bit, cast rather than chosen by a case: a comparison with a missing cell stays missing."""
    operands = tuple(map(_comparable, operands))
    several = condition.comparison == "one_of"
    return as_integers(cells.isin(operands) if several else _COMPARED[condition.comparison](cells, operands[0]))


def _comparable(operand: Any) -> Any:
    """Returns the operand; a whole number beyond 64 bits as the decimal that engines compare exactly."""
    if isinstance(operand, int) and not -(2**63) <= operand < 2**63:
        return ibis().literal(Decimal(operand), "decimal(38, 0)")
    return operand


def _moments_of(operands: tuple[int | float | str, ...]) -> "tuple[date, ...] | None":
    """Returns the operands as dates, or as moments if one has a time of day; None if they are neither."""
    texts = [operand for operand in operands if isinstance(operand, str) and _ISO.match(operand)]
    if len(texts) != len(operands):
        return None
    try:
        return tuple(date.fromisoformat(text) for text in texts)
    except ValueError:
        pass
    try:
        return tuple(datetime.fromisoformat(text) for text in texts)
    except ValueError:
        return None


def as_integers(cells: _Column) -> _Column:
    """Returns truth values as 1 and 0; other `cells` as they are."""
    # Because PostgreSQL knows no other way, in two steps.
    return cells.cast("int32").cast("int64") if cells.type().is_boolean() else cells


def _not_finite(numbers: _Column) -> _Column:
    """Returns where a number is an infinity or NaN: where it times 0 is not 0.

    isnan() is not asked: DuckDB 2 takes it for false where a Parquet file's notes of its least and greatest value leave
    NaN out (https://github.com/duckdb/duckdb/issues/25521).
    """
    kind = numbers.type()
    if not (kind.is_floating() or kind.is_decimal()):  # PostgreSQL's decimals may be NaN
        return ibis().literal(False)
    # A case and no "not", because that would be read as <>, which DuckDB judges from the same notes.
    return (numbers.cast("float64") * 0.0 == 0.0).ifelse(False, numbers.notnull())


def empty(cells: _Column) -> _Column:
    """Says for every row of `cells` whether it has no value: NaN is none."""
    if not cells.type().is_floating():
        return cells.isnull()
    numbers = cells.cast("float64")
    return cells.isnull() | ~((numbers * 0.0 == 0.0) | (numbers == float("inf")) | (numbers == float("-inf")))


def _is_text(cells: _Column) -> bool:
    """Says whether its cells are values as texts: dates and UUIDs are too."""
    kind = cells.type()
    return bool(kind.is_string() or kind.is_temporal() or kind.is_uuid())


def _holds(cells: _Column, numbered: bool = False) -> str:
    """Says in words what a column holds, whether its numbers have a decimal comma, or whether a few cells are none.

    numbered: whether these are all rows of the table, so that the number of one says which it is.
    """
    kind = cells.type()
    if kind.is_boolean():
        return "the column holds truth values"
    if kind.is_numeric():
        return "the column holds numbers"
    if kind.is_date():
        return "the column holds dates"
    if kind.is_timestamp():
        return f"the column holds times{f' in {zone}' if (zone := zone_of(cells)) else ''}"
    if not _is_text(cells) or kind.is_temporal():
        return f"the column holds {kind}"
    table = cells.cast("string").name("cell").as_table()
    none = table.cell.notnull() & ~table.cell.re_search(NUMBER)
    sums = {"commas": table.cell.re_search(DECIMAL_COMMA).sum(), "none": none.sum(), "there": table.cell.count()}
    found = answer_of(table.aggregate(**sums)).to_pylist()[0]
    if commas := found["commas"]:
        way = f'{commas:,} of them numbers with a decimal comma, which decimal = "," in [data] reads'
        return f"the column holds texts, {way}"
    # Because one "n/a" among 60,000 numbers makes texts of all of them, it is the one to be found.
    if found["none"] and 2 * found["none"] < found["there"]:
        where = rows_where(table, none, found["none"]) if numbered else ""
        no_numbers = are(found["none"], "is no number", "are no numbers")
        return f"the column holds texts, {found['none']:,} of {found['there']:,} {no_numbers}{where}"
    return "the column holds texts"


NUMBER: Final = r"^ *[-+]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)? *$"
_KINDS: Final = (
    ("numbers", lambda text: re.match(NUMBER, text) is not None),
    ("truth values", lambda text: truth_of(text) is not None),
    ("ISO dates", lambda text: _ISO.match(text) is not None),
)


def check_spelling(cells: Any, condition: Condition, key: str) -> None:
    """Raises InputError where the condition asks for texts that the column does not hold.

    The column then holds only others of another kind, or the same in other letters. No cell of the table is shown.

    Args:
        cells: The column, as the engine reads it.
        condition: The condition.
        key: The spec's key that errors name.
    """
    operands = condition.operands
    if not condition.asks_for_texts or not cells.type().is_string():
        return
    texts = [str(operand) for operand in operands]
    shown = listed(map(written, texts))
    found = _spelled(cells, texts, key, condition.column)
    for name, fits in _KINDS:
        if found["there"] and found[name] == found["there"] and not any(map(fits, texts)):
            raise InputError(key, condition.column, f"cells that compare with {shown}; the column holds {name}")
    if _moments_of(operands) is not None and found["there"] and not found["ISO dates"] and not found["exact"]:
        raise InputError(key, condition.column, f"ISO dates, as {shown} is; the column holds other texts")
    for place, text in enumerate(texts):
        # "Y" is a word for yes, and no row of a column of yes and no can have it.
        if found["there"] == found["truth values"] > 0 and pair_of(text) and not found[f"written so {place}"]:
            wanted = f"{written(text)} as the column spells it: its truth values are written otherwise"
            raise InputError(key, condition.column, wanted)
        if found[f"near {place}"] and not found[f"exact {place}"]:
            wanted = f"{written(text)} as the column spells it: no row is that, but for capitals and blanks some are"
            raise InputError(key, condition.column, wanted)


def _spelled(cells: Any, texts: list[str], key: str, column: str) -> dict[str, int]:
    """Counts the cells: all, those of each kind, and those that are the texts, also but for capitals and blanks."""
    table = cells.name("cell").as_table()
    cell = table.cell
    folded = cell.strip().lower()
    sums = {
        "there": cell.count(),
        "numbers": cell.re_search(NUMBER).sum(),
        "truth values": folded.isin(WORDS).sum(),
        "ISO dates": cell.re_search(_ISO.pattern).sum(),
        "exact": cell.isin(texts).sum(),
    }
    for place, text in enumerate(texts):
        sums |= {f"written so {place}": folded.isin(pair_of(text) or ("",)).sum()}
        sums |= {f"exact {place}": (cell == text).sum(), f"near {place}": (folded == text.strip().lower()).sum()}
    return {name: int(value or 0) for name, value in counted(table.aggregate(**sums), key, column).items()}


def check_condition(rows: IbisTable, source: Source, condition: Condition, key: str = "data.value") -> None:
    """Raises InputError for a condition that no row can match (`check_spelling`).

    Args:
        rows: The table.
        source: The `[data]` section, whose declared labels count.
        condition: The condition.
        key: The spec's key that errors name.
    """
    if condition.column in source.label_columns and source.labels is not None and condition.asks_for_texts:
        declared = source.labels_in(condition.column)
        for text in condition.operands:
            if text not in declared:
                raise InputError(key, str(text), f"one of the declared labels {', '.join(declared)}")
    check_spelling(rows[condition.column], condition, key)


def label_of(cells: Any) -> Any:
    """Returns `cells` of households, labels or ids as texts, alike in every engine; NaN counts as missing."""
    if not cells.type().is_floating():
        return as_text(cells)
    numbers = cells.cast("float64")
    numbers = (numbers * 0.0 == 0.0).ifelse(numbers, ibis().null("float64"))
    integral = (numbers == numbers.floor()) & (numbers.abs() < 1e15)
    return integral.ifelse(integral.ifelse(numbers, 0.0).cast("int64").cast("string") + ".0", numbers.cast("string"))
