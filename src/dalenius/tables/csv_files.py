"""Opens CSV and TSV files in DuckDB, finds their separator and encoding, and says what is wrong with one.

A file whose second row has one cell too few is refused with `row 2 has 1 cells, the first line has 2`. A semicolon
between cells goes with a decimal comma in many countries; it is read as one where the spec says `decimal = ","`.
"""

import csv
import gzip
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, final
from uuid import uuid4

from dalenius.errors import InputError
from dalenius.likely_encoding import likely_encoding
from dalenius.tables.column_names import check_columns
from dalenius.tables.foreign_errors import engine_errors, raise_bare
from dalenius.tables.limits import LONGEST_ROW
from dalenius.tables.opening_with_ibis import IbisTable, duckdb_connection, literal, quoted
from dalenius.tables.time_zones import with_zones, written_zones
from dalenius.text_files import decoded, encoding_of, read_content

MISSING: Final = ("", "NA", "NaN")
"""Cells that say that there is no value: R writes the second, pandas and Python the third. `[data] missing_words` has
others in their place; an empty cell is always missing."""

_KEY: Final = "data.file"
_HEAD: Final = 1 << 16
"""The bytes in which the first line ends, and which tell the encoding."""


@final
@dataclass(frozen=True)
class TextForm:
    """How cells are written in a file of text.

    Attributes:
        encoding: The encoding; None for UTF-8, or what a byte order mark says.
        decimal: The mark before decimals, a point or a comma; None for a point.
        missing_words: Cells that say that there is no value; None for `MISSING`.
    """

    encoding: str | None = None
    decimal: str | None = None
    missing_words: tuple[str, ...] | None = None

    @property
    def no_values(self) -> tuple[str, ...]:
        """Returns all cells that say that there is no value."""
        return MISSING if self.missing_words is None else tuple(dict.fromkeys(("", *self.missing_words)))

    def refuse(self, path: Path) -> None:
        """Raises InputError where one of these is given for a file that is no text; path: the file."""
        words = None if self.missing_words is None else list(self.missing_words)
        for key, given in (("encoding", self.encoding), ("decimal", self.decimal), ("missing_words", words)):
            if given is not None:
                raise InputError(f"data.{key}", given, f"none: only a file of text has one, not {path.name}")


def open_csv(path: Path, columns: Collection[str], texts: Collection[str], form: TextForm) -> IbisTable:
    """Returns the file as a table in memory.

    Columns that are not there are left out, for the caller to name by their key.

    Args:
        path: The file.
        columns: The columns that are read.
        texts: Those of them that are read as they are written.
        form: How cells are written.

    Raises:
        InputError: If the file cannot be read as such.
    """
    with engine_errors(_KEY, str(path), "a file that can be read"):
        head = _head(path)
    encoding, _ = encoding_of(head, form.encoding)
    wanted = f"{encoding.upper()} text with as many cells in every row as in the first"
    if encoding == "utf-8" and b"\0" in head:
        found = likely_encoding(head) or "no text"
        raise InputError(_KEY, str(path), f"{wanted} (it has NUL characters: it looks like {found})")
    connection, fault, table = duckdb_connection(), None, None
    with engine_errors(_KEY, str(path), wanted):
        separator = separator_of(path, encoding)
        if encoding == "utf-8":
            try:
                table = _read(connection, literal(path), str(path), separator, columns, texts, form)
            except import_module("duckdb").Error:
                fault = fault_of(path, separator)
        # Because DuckDB reads UTF-8 alone, and one kind of newline in a file.
        if table is None and fault is None:
            with text_in_memory(connection, path, form) as copy:
                table = _read(connection, copy, str(path), separator, columns, texts, form)
    if fault is not None:
        raise_bare(InputError(_KEY, str(path), f"{wanted} ({fault})"))
    return table


@contextmanager
def text_in_memory(connection: Any, path: Path, form: TextForm) -> Iterator[str]:
    """Yields the address of a copy of the file in UTF-8, which DuckDB can open while the block lasts.

    It has one kind of newline, and is in no folder, so that nobody else reads it. InputError where the file is no such
    text.

    Args:
        connection: The DuckDB connection.
        path: The file.
        form: How cells are written.
    """
    content = decoded(read_content(path, _KEY), _KEY, str(path), form.encoding).encode()
    files, name = import_module("fsspec").filesystem("memory"), f"/{uuid4().hex}"
    files.pipe_file(name, content)
    connection.con.register_filesystem(files)
    try:
        yield f"memory://{name}"
    finally:
        connection.con.unregister_filesystem("memory")
        files.rm_file(name)


def _read(
    connection: Any,
    file: str,
    shown: str,
    separator: str,
    columns: Collection[str],
    texts: Collection[str],
    form: TextForm,
) -> IbisTable:
    """Parses the file once, into memory: a view would sniff and parse it again for every question.

    Types are sniffed from all rows. A sample would call a column integer whose first fraction comes late.
    """
    place = quoted(file, "'")
    # Because DuckDB by itself passes over short rows at the top and over "comments", and guesses at quotes.
    parts = f"delim = '{separator}', quote = '\"', escape = '\"', comment = '', skip = 0"
    rows = f"max_line_size = {LONGEST_ROW}, buffer_size = {2 * LONGEST_ROW}, null_padding = false"
    written = f"{parts}, {rows}, hive_partitioning = false"
    first = connection.raw_sql(f"FROM read_csv({place}, all_varchar = true, header = false, {written}) LIMIT 1")
    check_columns([name or "" for name in first.fetchone() or ()], _KEY, shown)
    words = ", ".join(quoted(word, "'") for word in form.no_values)
    options = f"header = true, {written}, nullstr = [{words}]"
    connection.raw_sql(f"CREATE OR REPLACE VIEW cells AS FROM read_csv({place}, all_varchar = true, {options})")
    cells = connection.table("cells")
    read = [name for name in cells.columns if name in columns]
    # If a column is misspelt, all names are handed back, so that the caller can list them.
    if set(read) != set(columns):
        return cells
    types = ", ".join(f"{quoted(name, chr(39))}: 'VARCHAR'" for name in read if name in texts)
    forced = f"types = {{{types}}}, " if types else ""
    decimal = f"decimal_separator = '{form.decimal}', " if form.decimal is not None else ""
    chosen = ", ".join(quoted(name, '"') for name in read)
    question = f"SELECT {chosen} FROM read_csv({place}, {forced}{decimal}sample_size = -1, {options})"
    connection.raw_sql(f"CREATE TABLE people AS {question}")
    rows = connection.table("people")
    return with_zones(rows, written_zones(cells, rows))


def open_bytes(path: Path) -> BinaryIO | gzip.GzipFile:
    """Opens the bytes of the file `path`, unpacked."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def _head(path: Path) -> bytes:
    """Returns the first bytes; InputError where the name says that gzip has packed them, and it has not."""
    with suppress(gzip.BadGzipFile, EOFError), open_bytes(path) as file:
        return file.read(_HEAD)
    raise InputError(_KEY, str(path), "a file compressed by gzip, as its name says")


def separator_of(path: Path, encoding: str) -> str:
    """Returns the separator: a tab in a TSV, else the commonest of four in the first line, outside quotes.

    The four are comma, semicolon, tab and bar. InputError where that line is empty, or is Excel's `sep=;`.

    Args:
        path: The file.
        encoding: The encoding of its first line.
    """
    if re.search(r"\.tsv(\.gz)?$", path.name, re.IGNORECASE):
        return "\t"
    header = re.split(r"[\r\n]", _head(path).decode(encoding, errors="replace").lstrip("\ufeff"), maxsplit=1)[0]
    # The file may be empty, or begin with a blank line.
    if not header.strip():
        raise InputError(_KEY, str(path), "a first line with the names of the columns")
    if re.fullmatch(r'"?sep=."?', header.strip()):
        wanted = "a first line with the names of the columns: delete the line above it, which is for Excel only"
        raise InputError(_KEY, str(path), wanted)
    bare = re.sub(r'"[^"]*"', "", header)
    return max(",;\t|", key=bare.count)


def fault_of(path: Path, separator: str) -> str | None:
    """Returns what is wrong with a file that DuckDB refuses as CSV; None where nothing is found.

    It gives the number of the row, from 1 below the names, and nothing that the row holds.

    Args:
        path: The file.
        separator: The mark between cells.
    """
    limit = csv.field_size_limit(int(LONGEST_ROW))  # because a cell may be longer than 131,072 characters
    try:
        with open_bytes(path) as file:
            return _fault_in(path, csv.reader(_lines(file), delimiter=separator, strict=True))
    except _Fault as fault:
        return str(fault)
    finally:
        csv.field_size_limit(limit)


class _Fault(ValueError):
    """A fault of a line."""


def _lines(file: BinaryIO | gzip.GzipFile) -> Iterator[str]:
    """Yields the lines as text; _Fault for one that is too long, or no UTF-8."""
    for number, line in enumerate(file):
        where = f"row {number}" if number else "the first line"
        if len(line) > LONGEST_ROW:
            raise _Fault(f"{where} has more than {LONGEST_ROW:,} bytes, limit {LONGEST_ROW.name}")
        try:
            yield line.removeprefix(BOM_UTF8).decode() if number == 0 else line.decode()
        except UnicodeDecodeError:
            found = likely_encoding(line + file.read(_HEAD))
            way = f': it looks like {found}; encoding = "{found}" in [data] or --encoding {found} reads it'
            raise _Fault(f"{where} is not{way if found else ''}") from None


def _fault_in(path: Path, rows: Any) -> str | None:
    """Returns what is wrong in rows as Python's reader of CSVs splits them."""
    number = 0
    try:
        names = len(next(rows, []))
        for number, row in enumerate(rows, 1):
            if row and len(row) != names:
                return f"row {number} has {len(row)} cells, the first line has {names}"
    except csv.Error:
        return f"row {number + 1} has a quote that is not closed, or closed in the middle of a cell"
    return None
