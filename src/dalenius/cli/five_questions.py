"""The five questions of `init --interactive`, and what their answers make of the draft.

Each question shows what the look at the table suggests; an empty line takes that. "-" takes nothing.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from dalenius.cli.draft import UNITS, Draft
from dalenius.cli.options import condition_of
from dalenius.cli.output import say
from dalenius.errors import InputError, meant
from dalenius.spec.condition import Condition, Conditions
from dalenius.tables.first_look import FirstLook

_UNITS: Final[Mapping[str, str]] = {"record": "records", "day": "days", "person": "people", "household": "households"}
_NOTHING: Final = "-"


def asked(draft: Draft, found: FirstLook | None) -> Draft:
    """Asks the five questions on standard output, and reads the answers from standard input.

    Args:
        draft: What flags and the table say; it is what an empty answer means.
        found: The look at the table; None without a table.

    Raises:
        InputError: If standard input ends before the last answer.
    """
    columns = None if found is None else [each.column for each in found.check.columns]
    unit = next(word for word, rows in _UNITS.items() if rows == draft.rows)
    said = _ask("1 of 5: is the unit a record, a day, a person or a household?", unit, _unit)
    draft = replace(draft, rows=_UNITS[said])
    if draft.rows in ("days", "records"):
        draft = replace(draft, household=None, person=None)
    if draft.rows in ("days", "households"):
        draft = replace(draft, label=())
    say(f"  {UNITS[draft.rows]}")
    if columns is not None:
        value = _ask("2 of 5: which column is counted, or which condition?", _value_of(draft), _value_in(columns))
        draft = replace(draft, value=value or None, condition=None)
    elif draft.count is None:
        draft = replace(draft, count=int(_ask("2 of 5: how many rows are there?", "1000", _whole)))
    if draft.rows in ("people", "households") and columns is not None:
        home = _ask("3 of 5: which column says who belongs together?", draft.household, _column_in(columns))
        draft = replace(draft, household=home or None)
    # Because an answer is one column, several that flags named stay as they are.
    if draft.rows in ("people", "records") and columns is not None and len(draft.label) < 2:
        suggested = next(iter(draft.label), None) or (found.label if found is not None else None)
        label = _ask(
            "4 of 5: which public column has an answer for each of its values?", suggested, _column_in(columns)
        )
        draft = replace(draft, label=(label,) if label else ())
    factor = _ask("5 of 5: by what factor may anybody's chance grow at most?", f"{draft.factor:g}", _factor)
    return replace(draft, factor=float(factor))


def _ask(question: str, suggested: str | None, problem: Callable[[str], str | None]) -> str:
    """Asks until the answer has no problem; "" stands for nothing."""
    while True:
        print(f"{question} [{suggested or _NOTHING}] ", end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise InputError("--interactive", "the end of the input", "an answer to each question")
        answer = line.strip() or suggested or ""
        answer = "" if answer == _NOTHING else answer
        wrong = problem(answer)
        if wrong is None:
            return answer
        say(f"  {answer}, wanted {wrong}" if answer else f"  wanted {wrong}")


def _unit(answer: str) -> str | None:
    """Returns what is wanted instead of the answer; None where it is a unit."""
    return None if answer in _UNITS else f"one of {', '.join(_UNITS)}"


def _value_of(draft: Draft) -> str | None:
    """Returns the draft's value as it can be typed."""
    return None if draft.value is None else draft.value_text if draft.condition is not None else draft.value


def _value_in(columns: list[str]) -> Callable[[str], str | None]:
    """Returns a test of a column or a condition on one."""

    def problem(answer: str) -> str | None:
        try:
            given = condition_of(answer, "value")
        except InputError as error:
            return error.wanted
        if isinstance(given, Conditions):
            return "one condition"
        return _column_in(columns)(given.column if isinstance(given, Condition) else given) if answer else "a column"

    return problem


def _column_in(columns: list[str]) -> Callable[[str], str | None]:
    """Returns a test of a column's name, or of nothing."""

    def problem(answer: str) -> str | None:
        if not answer or answer in columns:
            return None
        return f"one of the columns {', '.join(columns[:40])}{meant(answer, columns)}"

    return problem


def _whole(answer: str) -> str | None:
    """Returns what is wanted instead of the answer; None where it is a whole number of at least 2."""
    return None if answer.isascii() and answer.isdigit() and int(answer) >= 2 else "a whole number of at least 2"


def _factor(answer: str) -> str | None:
    """Returns what is wanted instead of the answer; None where it is a number above 1."""
    try:
        return None if 1 < float(answer) < float("inf") else "a finite number above 1"
    except ValueError:
        return "a number, with a point before decimals"
