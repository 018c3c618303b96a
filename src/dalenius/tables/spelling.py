"""Conditions on texts that no row can match: because the column holds something else, or spells it otherwise."""

import re
from typing import Any, Final

from dalenius.errors import InputError, written
from dalenius.tables.condition import Condition
from dalenius.tables.engine import answer_of, engine_errors
from dalenius.tables.value import ISO, moments_of

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
