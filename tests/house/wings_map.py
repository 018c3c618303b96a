"""Reads the map of wings in ARCHITECTURE.md."""

import re
from typing import Final, NamedTuple

from tests.docs.page import REPOSITORY

PAGE: Final = REPOSITORY / "ARCHITECTURE.md"
_ROW: Final = re.compile(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| `([\w/]+\.py)` \| [^|]+ \|$", re.MULTILINE)


class Wing(NamedTuple):
    """A row: the folder, and the file to begin with."""

    folder: str
    entry: str


def wings(page: str) -> list[Wing]:
    """The rows, in order."""
    return [Wing(row[1], row[2]) for row in _ROW.finditer(page)]
