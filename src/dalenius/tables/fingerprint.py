"""Fingerprints of a table's content, whatever the order of its rows, and cheaper marks that change with it."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

from dalenius.errors import InputError
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import (
    IbisTable,
    answer_of,
    as_text,
    duckdb_connection,
    ibis,
)
from dalenius.tables.table_files import table_parts

_DIGITS: Final = 8
"""The hexadecimal digits in a part of a row's hash, of 64 in all: sums over 2^31 rows stay below 2^63."""


def content_of(table: IbisTable, typed: bool = True) -> str:
    """Returns SHA-256, in hexadecimal, of all columns' names and types and of all rows, as often as each is there.

    The engine writes each row's cells as texts, with their lengths, and hashes them (SHA-256, in Spark and DuckDB as in
    PostgreSQL); the hashes are added up, in eight parts of 32 bits. The result is equal for the same rows in another
    order, and with columns in another order. It differs where a cell, a row, a column or a type does. An engine writes
    some numbers and times in its own way: the same table in another engine has another fingerprint.

    Args:
        table: The table.
        typed: Whether types count; without them a CSV and a frame made of it have the same.
    """
    # The rows of a user's own engine behind an Ibis table are brought here, which only small tables stand.
    if table.get_backend().name not in _HASHES:
        with engine_errors("data", "table", "a table that can be read"):
            table = duckdb_connection().create_table("content", table.to_pyarrow())
    parts = _HASHES[table.get_backend().name]
    kinds = {name: str(kind) if typed else "" for name, kind in sorted(table.schema().items())}
    rows = parts(table.select(row=_row(table, list(kinds))))
    with engine_errors("data", "table", "columns that the engine can write as texts"):
        answer = answer_of(rows.aggregate(rows=rows.count(), **{name: rows[name].sum() for name in rows.columns}))
    sums: Mapping[str, Any] = answer.to_pylist()[0]
    found = [kinds, *(int(sums[name] or 0) for name in ("rows", *rows.columns))]
    return sha256(json.dumps(found).encode()).hexdigest()


def _row(table: IbisTable, names: list[str]) -> Any:
    """Returns all cells of a row as one text, from which each can be read again."""
    text = ibis().literal("")
    for name in names:
        cell = as_text(table[name])
        text = text + (cell.length().cast("string") + ":" + cell).fill_null("-")
    return text


def _in_duckdb(texts: IbisTable) -> IbisTable:
    """Returns each row's hash in parts: DuckDB reads `0x` and digits as a number."""
    code = texts.row.hexdigest("sha256")
    return _parts(texts, [(ibis().literal("0x") + digits).cast("int64") for digits in _digits(code)])


def _in_spark(texts: IbisTable) -> IbisTable:
    """Returns each row's hash in parts in Spark, whose `conv` writes a number of base 16 in base 10, as a text."""
    read = ibis().udf.scalar.builtin(name="conv", signature=(("string", "int32", "int32"), "string"))(_three)
    numbers = [read(digits, 16, 10).cast("int64") for digits in _digits(texts.row.hexdigest("sha256"))]
    return _parts(texts, numbers)


def _in_postgres(texts: IbisTable) -> IbisTable:
    """Returns each row's hash in parts in PostgreSQL, which hashes bytes, and whose bytes are read one by one."""
    builtin = ibis().udf.scalar.builtin
    written = builtin(name="convert_to", signature=(("string", "string"), "binary"))(_two)
    hashed = builtin(name="sha256", signature=(("binary",), "binary"))(_one)
    read = builtin(name="get_byte", signature=(("binary", "int32"), "int32"))(_two)
    # Because PostgreSQL would hash a row again for each of its bytes, unless there is a limit: here all rows.
    hashes = texts.select(code=hashed(written(texts.row, "UTF8"))).limit(2**62)
    size = _DIGITS // 2
    numbers = [
        sum(read(hashes.code, start + at).cast("int64") * 256 ** (size - 1 - at) for at in range(size))
        for start in range(0, 32, size)
    ]
    return _parts(hashes, numbers)


def _parts(table: IbisTable, numbers: Sequence[Any]) -> IbisTable:
    """Returns the numbers as columns, part_0 to part_7."""
    return table.select(**{f"part_{place}": number for place, number in enumerate(numbers)})


def _digits(code: Any) -> list[Any]:
    """Returns the hexadecimal digits of each part."""
    return [code.substr(start, _DIGITS) for start in range(0, 64, _DIGITS)]


# Ibis is given this for a function of the engine's own: only the number of its arguments counts.
def _one(a: Any) -> Any: ...


def _two(a: Any, b: Any) -> Any: ...


def _three(a: Any, b: Any, c: Any) -> Any: ...


_HASHES: Final[Mapping[str, Callable[[IbisTable], IbisTable]]] = {
    "duckdb": _in_duckdb,
    "postgres": _in_postgres,
    "pyspark": _in_spark,
}
"""The parts of the rows' hashes as numbers, by engine: no two read hexadecimal digits alike."""


# Two such marks differ if the table was written to in between; their parts mean nothing by themselves.
Mark: TypeAlias = tuple[int | str, ...]


def mark_of_file(path: Path) -> Mark:
    """Returns a mark that changes where the file `path`, or one in a folder, is written or replaced.

    It is empty where the file is gone, which equals no other mark.
    """
    try:
        found = [file.stat() for file in table_parts(path)]
    except (OSError, ValueError, InputError):  # ValueError: a name with NUL; InputError: a folder of something else
        return ()
    return tuple(part for each in found for part in (each.st_mtime_ns, each.st_size, each.st_ino))


def mark_of_table(table: IbisTable) -> Mark:
    """Returns a mark of `table` that is equal for the same rows, and else differs but by a chance of 2^-64.

    It costs about what counting the rows does; elsewhere than in DuckDB and PostgreSQL it is the content's fingerprint.
    """
    # Because no quick hash of Spark, or of a user's own engine, is known to be one.
    quickly = {"duckdb": _hashed_in_duckdb, "postgres": _hashed_in_postgres}.get(table.get_backend().name)
    if quickly is None:
        return (content_of(table),)
    hashes = table.select(one=quickly(table).cast("decimal(38, 0)"))  # sums do not overflow
    with engine_errors("data", "table", "a table that can be read"):
        answer = answer_of(hashes.aggregate(rows=hashes.count(), sum=hashes.one.sum())).to_pylist()[0]
    return answer["rows"], str(answer["sum"])


def _hashed_in_duckdb(table: IbisTable) -> Any:
    """Returns a hash of 64 bits of each row: of all its cells at once."""
    return ibis().struct({name: table[name] for name in table.columns}).hash()


def _hashed_in_postgres(table: IbisTable) -> Any:
    """Returns a hash of 64 bits of each row: of each cell's text, with the hash of those before it as a seed."""
    hashed = ibis().udf.scalar.builtin(name="hashtextextended", signature=(("string", "int64"), "int64"))(_two)
    code = ibis().literal(0, "int64")
    for name in table.columns:
        code = hashed(("+" + as_text(table[name])).fill_null("-"), code)
    return code
