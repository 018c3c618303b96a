"""What is wrong with a CSV file that the engine cannot read: its encoding, or the first row that has other cells."""

import csv
import gzip
import io
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

BEGINNING: Final = 4096
"""Bytes that show whether there are zeros, which text in UTF-8 has none of."""
MOST_ROWS: Final = 10_000_000
"""Looked at: a row takes about a microsecond."""


def fault_of(path: Path, delimiter: str) -> str | None:
    """In words, without a cell of the table; None where nothing is found. Rows are numbered from 1, below the names."""
    with _opened(path) as file:
        beginning = file.read(BEGINNING)
    if beginning.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        return "it is UTF-32"
    if beginning.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in beginning:
        return "it is UTF-16" if beginning[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "it has zero bytes, as UTF-16 has"
    try:
        with io.TextIOWrapper(_opened(path), "utf-8-sig", newline="") as text:
            return _ragged(csv.reader(text, delimiter=delimiter, strict=True))
    except UnicodeDecodeError:
        with _opened(path) as file:
            return f"line {_undecoded(file)} is not UTF-8: Latin-1 or Windows-1252?"
    except csv.Error as error:
        return str(error)


def _opened(path: Path) -> Any:
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def _ragged(rows: Iterator[list[str]]) -> str | None:
    names = len(next(rows, []))
    for number, row in enumerate(rows, 1):
        if row and len(row) != names:
            return f"row {number} has {len(row)} cells, the first line has {names}"
        if number == MOST_ROWS:
            return None
    return None


def _undecoded(file: Any) -> int:
    for number, line in enumerate(file, 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return number
    return 1
