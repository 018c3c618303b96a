"""Opens files with one JSON object a line (.jsonl, .ndjson) in DuckDB.

A key that a line does not have is a missing cell. A column of numbers in some lines and texts in others is of texts.
"""

import json
from collections.abc import Collection
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from dalenius.errors import InputError
from dalenius.tables.csv_files import TextForm, text_in_memory
from dalenius.tables.foreign_errors import engine_errors, raise_bare
from dalenius.tables.limits import LONGEST_LINE
from dalenius.tables.near_names import are
from dalenius.tables.opening_with_ibis import IbisTable, duckdb_connection, literal, quoted
from dalenius.text_files import encoding_of, read_text

_KEY: Final = "data.file"
_MARK: Final = 4
"""The bytes of the longest byte order mark."""


def open_json_lines(path: Path, columns: Collection[str], texts: Collection[str], form: TextForm) -> IbisTable:
    """Returns the file as a table in memory.

    Args:
        path: The file.
        columns: The columns that are read.
        texts: Those of them that are read as they are written.
        form: How the file is encoded.

    Raises:
        InputError: If a line is no JSON object.
    """
    if form.decimal is not None:
        raise InputError("data.decimal", form.decimal, "none: JSON has a point before decimals")
    connection, wanted, fault, table = duckdb_connection(), "a JSON object in every line", None, None
    with engine_errors(_KEY, str(path), wanted), ExitStack() as until:
        # Because DuckDB reads UTF-8 without a mark alone.
        plain = form.encoding is None and encoding_of(_start(path)) == ("utf-8", 0)
        file = literal(path) if plain else until.enter_context(text_in_memory(connection, path, form))
        try:
            table = _read(connection, file, columns, texts)
        except import_module("duckdb").Error:
            fault = _fault_of(read_text(path, _KEY, form.encoding))
        if table is None and fault is None:
            fault = _fault_of(read_text(path, _KEY, form.encoding))
    if fault is not None:
        raise_bare(InputError(_KEY, str(path), f"{wanted} ({fault})"))
    return table


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MARK)


def _read(connection: Any, file: str, columns: Collection[str], texts: Collection[str]) -> IbisTable | None:
    """Finds types in all lines, then reads the columns; None where lines are no objects, or there are none."""
    size = f"format = 'newline_delimited', maximum_object_size = {LONGEST_LINE}"
    place = quoted(file, "'")
    described = connection.raw_sql(f"DESCRIBE FROM read_json({place}, {size}, sample_size = -1)").fetchall()
    types = {str(name): str(kind) for name, kind, *_ in described}
    if types == {"json": "JSON"} and "json" not in columns:
        return None
    read = [name for name in types if name in columns]
    if set(read) != set(columns):
        empty = ", ".join(f"NULL AS {quoted(name, chr(34))}" for name in types)
        connection.raw_sql(f"CREATE TABLE people AS SELECT {empty or 'NULL AS nothing'}")
        return connection.table("people")
    # Because a cell within which there are others is neither a number nor a text, though it can be written as one.
    mixed = [name for name in read if types[name] == "JSON"]
    for name in mixed:
        kind = f"json_type({quoted(name, chr(34))}) IN ('OBJECT', 'ARRAY')"
        found = connection.raw_sql(f"SELECT count(*) FROM read_json({place}, {size}, sample_size = -1) WHERE {kind}")
        if nested := found.fetchone()[0]:
            some = are(nested, "is a list or an object", "are lists or objects")
            raise InputError(_KEY, name, f"a number, a text or a truth value in every cell, {nested} {some}")
    # Because a cell of type JSON has the quotes of a text.
    kinds = {name: "VARCHAR" if name in texts or types[name] == "JSON" else types[name] for name in read}
    shape = ", ".join(f"{quoted(name, chr(39))}: {quoted(kind, chr(39))}" for name, kind in kinds.items())
    connection.raw_sql(f"CREATE TABLE people AS FROM read_json({place}, {size}, columns = {{{shape}}})")
    return connection.table("people")


def _fault_of(text: str) -> str:
    """Returns which line is wrong, and nothing that it holds; blank lines count, and are passed over."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            return f"line {number} has more than {LONGEST_LINE:,} bytes, limit {LONGEST_LINE.name}"
        try:
            found = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            return f"line {number} is no JSON"
        if not isinstance(found, dict):
            return f"line {number} is no object"
        if line.count('":') > len(found) and _has_twice(line):
            return f"line {number} has a key twice"
    return "its lines do not fit together" if text.strip() else "it has no line"


def _has_twice(line: str) -> bool:
    """Says whether an object in the line has a key twice."""
    twice = []
    json.loads(line, object_pairs_hook=lambda pairs: twice.append(len(dict(pairs)) < len(pairs)))
    return any(twice)
