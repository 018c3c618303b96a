"""Rows of cells in a text: separated by commas, semicolons, tabs, bars or blanks, with comments above.

The first line decides which separator it is. A list of edges as SNAP publishes it has its names in a comment:

>>> found = separated("# Nodes: 3\\n# From\\tTo\\n0\\t1\\n1\\t2\\n", "edges", "web.txt")
>>> found.head(["From", "To"]), list(found.rows())
(['From', 'To'], [(3, ['0', '1']), (4, ['1', '2'])])
"""

import csv
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Final, final

from dalenius.errors import InputError

_SEPARATORS: Final = ",;\t|"
_COMMENT: Final = re.compile(r"(?:[#%].*\n|\s*\n)*")


def separator_of(line: str) -> str:
    """Returns that of comma, semicolon, tab and bar which `line` has most of, outside quotes.

    A line of several words with none of them is separated by blanks.

    >>> separator_of('"Müller, Anna";34;ja'), separator_of("0 1"), separator_of("0\\t1"), separator_of("x")
    (';', ' ', '\\t', ',')
    """
    bare = re.sub(r'"[^"]*"', "", line)
    found = max(_SEPARATORS, key=bare.count)
    return " " if found not in bare and len(bare.split()) > 1 else found


@final
@dataclass(frozen=True)
class Separated:
    """A text of rows, split into its comments and the rest.

    Args:
        comments: The lines above the first row that begin with # or %.
        body: The rows themselves, with the line of names where there is one.
        start: The number of the rest's first line, from 1.
        key: The key that messages name.
        name: The file's name in messages.
    """

    comments: tuple[str, ...]
    body: str
    start: int
    key: str
    name: str

    @property
    def separator(self) -> str:
        """The separator of the rows' cells."""
        return separator_of(self.body.partition("\n")[0])

    def head(self, wanted: Collection[str]) -> list[str] | None:
        """Returns the names in the last comment, if all `wanted` ones are there; else None: see the first row."""
        if not self.comments:
            return None
        last = self.comments[-1]
        for line in (last.lstrip("#% \t"), last):
            names = next(self._cells(line), (0, []))[1]
            if set(wanted) <= {*names}:
                return names
        return None

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yields each row that is not blank, with the number of its line. InputError for quotes that are not closed."""
        for line, cells in self._cells(self.body):
            yield self.start + line - 1, cells

    def _cells(self, text: str) -> Iterator[tuple[int, list[str]]]:
        separator = self.separator
        if separator == " ":
            yield from ((line, cells.split()) for line, cells in enumerate(StringIO(text), 1) if cells.strip())
            return
        reader, line = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True), 1
        try:
            for row in reader:
                if row:
                    yield line, row
                line = reader.line_num + 1
        # Because a reader of CSVs gives up at a quote that is never closed, and at a cell of 131,072 letters.
        except csv.Error:
            wanted = f"cells whose quotes are closed (the row in line {self.start + line - 1} is not read)"
            raise InputError(self.key, self.name, wanted) from None


def separated(text: str, key: str, name: str) -> Separated:
    """Splits `text` into its comments and rows; messages call it by `key` and the file's `name`."""
    found = _COMMENT.match(text)
    above = "" if found is None else found[0]
    comments = tuple(line for line in above.splitlines() if line.strip())
    return Separated(comments, text[len(above) :], above.count("\n") + 1, key, name)
