"""The map of wings in ARCHITECTURE.md; with the budgets as they are now: python -m tests.house.wings_map"""

import re
from typing import Final, NamedTuple

from tests.docs.page import REPOSITORY
from tests.house.test_budgets import BUDGETS

PAGE: Final = REPOSITORY / "ARCHITECTURE.md"
_ROW: Final = re.compile(r"^(\| `(\w+)` \| [^|]+ \| [^|]+ \| `([\w/]+\.py)` \| [^|]+ \|) [^|]+ \|$", re.MULTILINE)


class Wing(NamedTuple):
    """A row: the folder, and the file to begin with."""

    folder: str
    entry: str


def wings(page: str) -> list[Wing]:
    """The rows, in order."""
    return [Wing(row[2], row[3]) for row in _ROW.finditer(page)]


def with_budgets(page: str) -> str:
    """The page with how many lines each may have, `?` where pyproject.toml has no budget for it."""
    return _ROW.sub(lambda row: f"{row[1]} {_budget(row[2])} |", page)


def _budget(folder: str) -> str:
    return f"{BUDGETS[folder]:,}" if folder in BUDGETS else "?"


if __name__ == "__main__":
    PAGE.write_text(with_budgets(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
