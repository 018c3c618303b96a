"""How wide the columns of a table are, where it is to fit a terminal without a word broken inside a cell."""

from collections.abc import Sequence
from textwrap import TextWrapper
from typing import Final

LONGEST: Final = 30
"""Characters; what is longer without a blank is no word but a hash or a path, and may be broken."""
TALL: Final = 3
"""Lines of a cell without borders."""
GAP: Final = 2
"""Blanks between two columns without borders, and between a name and what it names."""


def column_widths(columns: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The width of each column (in characters, borders apart) so that together they take at most `room`: the content's
    where there is room for it, else as even as the longest words allow. None where those do not fit either."""
    cells = list(zip(columns, *rows, strict=True))
    most = [max(map(_longest_line, column)) for column in cells]
    if sum(most) <= room:
        return most
    least = [max(map(_longest_word, column)) for column in cells]
    if sum(least) > room:
        return None
    level = max(level for level in range(room + 1) if sum(_at(level, least, most)) <= room)
    widths = _at(level, least, most)
    for place in range(len(widths)):  # what the level leaves over
        if sum(widths) < room and widths[place] == level < most[place]:
            widths[place] += 1
    return widths


def open_widths(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """The same without borders. None also where a cell would be so tall that rows are hard to tell apart."""
    found = column_widths(columns, rows, width - GAP * (len(columns) - 1))
    if found is None:
        return None
    tall = any(len(wrapped(cell, own)) > TALL for row in rows for cell, own in zip(row, found, strict=True))
    return None if tall else found


def _at(level: int, least: Sequence[int], most: Sequence[int]) -> list[int]:
    return [min(max(level, low), high) for low, high in zip(least, most, strict=True)]


def _longest_line(cell: str) -> int:
    return max(map(len, cell.split("\n")))


def _longest_word(cell: str) -> int:
    return min(max(map(len, cell.split()), default=0), LONGEST)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """The lines of the text, broken between words only; those after the first indented."""
    wrapper = TextWrapper(width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return [line for paragraph in text.split("\n") for line in wrapper.wrap(paragraph) or [""]]


def records(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The rows below each other, a line for each cell that says something: its column and the cell."""
    left = max(map(len, columns)) + GAP
    lines = []
    for row in rows:
        for name, cell in zip(columns, row, strict=True):
            if cell.strip():
                lines += wrapped(f"{name:<{left}}{cell.strip()}" if left > GAP else cell, width, " " * left)
        lines.append("")
    return lines[:-1]
