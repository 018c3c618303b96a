"""Tables to practise on: drawn from the model, about nobody, and marked wherever one of their answers is shown.

So that no other table is taken for one, its rows say so too: a column `practice` holds `yes` in each.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dalenius.errors import InputError
from dalenius.spec.condition import Condition

if TYPE_CHECKING:
    from dalenius.spec.data_section import Source

PRACTICE: Final = "these answers are of a table drawn from the model: they are about nobody"
"""The mark of everything that comes of a table to practise on."""
NAME: Final = "practice"
COLUMN: Final = "practice"
CELL: Final = "yes"
_ROWS: Final = Condition(column=COLUMN, equals=CELL)


def check_marked(name: str | None, where: Sequence[object]) -> None:
    """Raises ValueError where a table to practise on could be taken for another one, or another one for it.

    Args:
        name: The name of the data set.
        where: The conditions that all of its rows fulfil.
    """
    if not (name or "").startswith(NAME) or _ROWS not in where:
        rows = f'where = [{{ column = "{COLUMN}", equals = "{CELL}" }}]'
        raise ValueError(f'a name that begins with "{NAME}", and {rows}, beside practice = true')


def as_practice(source: "Source", file: Path | None = None) -> "Source":
    """Returns the source of a table to practise on, with the columns of another one.

    Args:
        source: The other one.
        file: The file of the table; None for one that is in no file.
    """
    place = dict.fromkeys(("url", "table", "encoding", "decimal")) | {"file": file}
    where = (*(each for each in source.where or () if each != _ROWS), _ROWS)
    return source.altered({**place, "name": f"{NAME} of {source.name or 'a table'}", "where": where, "practice": True})


def is_practice(source: "Source | None") -> bool:
    """Says whether a `source` is a table to practise on."""
    return source is not None and bool(source.practice)


def check_practice_ledger(source: "Source | None", ledger: str, names: Iterable[str]) -> None:
    """Raises InputError where practice would be recorded beside releases of data.

    Args:
        source: The table.
        ledger: The ledger's name.
        names: The data sets that it has.
    """
    others = [name for name in names if not name.startswith(NAME)] if is_practice(source) else []
    if others:
        raise InputError("ledger", ledger, f"a ledger of practice alone: this one has data set {others[0]!r}")


def practice_json(source: "Source | None") -> dict[str, Any]:
    """Returns the mark of a table to practise on as a key of JSON; nothing for the `source` of another one."""
    return {"practice": PRACTICE} if is_practice(source) else {}


def practice_rows(source: "Source | None") -> list[list[str]]:
    """Returns the mark of a table to practise on as rows of two; none for the `source` of another one."""
    return [["practice", PRACTICE]] if is_practice(source) else []
