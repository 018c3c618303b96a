"""A fingerprint of a table's content, computed in its engine: the order of its rows and columns does not show."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from dalenius.tables.engine import Table, answer_of, as_text, connected, engine_errors, ibis

DIGITS: Final = 8
"""Hexadecimal digits in a part of a row's hash: sums over 2^31 rows stay below 2^63."""
PARTS: Final = 8
ALL: Final = 2**62
"""So many rows, which is all."""


def content_of(table: Table) -> str:
    """SHA-256, in hexadecimal, of all columns' names and types and of all rows, as often as each is there.

    Each row's cells are written as texts by the engine, with their lengths, and hashed (SHA-256, in Spark and DuckDB as
    in PostgreSQL); the hashes are added up, in eight parts of 32 bits. Equal for the same rows in another order, and
    with columns in another order; another where a cell, a row, a column or a type is. An engine writes some numbers and
    times in its own way: the same table in another engine has another fingerprint.
    """
    if table.get_backend().name not in HASHES:
        with engine_errors("data", "table", "a table that can be read"):
            table = connected().create_table("content", table.to_pyarrow())
    parts = HASHES[table.get_backend().name]
    kinds = {name: str(kind) for name, kind in sorted(table.schema().items())}
    rows = parts(table.select(row=_row(table, list(kinds))))
    with engine_errors("data", "table", "columns that the engine can write as texts"):
        answer = answer_of(rows.aggregate(rows=rows.count(), **{name: rows[name].sum() for name in rows.columns}))
    sums: Mapping[str, Any] = answer.to_pylist()[0]
    found = [kinds, *(int(sums[name] or 0) for name in ("rows", *rows.columns))]
    return sha256(json.dumps(found).encode()).hexdigest()


def _row(table: Table, names: list[str]) -> Any:
    """All cells of a row as one text, from which each can be read again."""
    whole = ibis().literal("")
    for name in names:
        cell = as_text(table[name])
        whole = whole + (cell.length().cast("string") + ":" + cell).fill_null("-")
    return whole


def _in_duckdb(texts: Table) -> Table:
    code = texts.row.hexdigest("sha256")
    return _parts(texts, [(ibis().literal("0x") + digits).cast("int64") for digits in _digits(code)])


def _in_spark(texts: Table) -> Table:
    read = ibis().udf.scalar.builtin(name="conv", signature=(("string", "int32", "int32"), "string"))(_three)
    numbers = [read(digits, 16, 10).cast("int64") for digits in _digits(texts.row.hexdigest("sha256"))]
    return _parts(texts, numbers)


def _in_postgres(texts: Table) -> Table:
    builtin = ibis().udf.scalar.builtin
    written = builtin(name="convert_to", signature=(("string", "string"), "binary"))(_two)
    hashed = builtin(name="sha256", signature=(("binary",), "binary"))(_one)
    read = builtin(name="get_byte", signature=(("binary", "int32"), "int32"))(_two)
    # PostgreSQL would hash a row again for each of its bytes, but for what it takes no limit out of.
    hashes = texts.select(code=hashed(written(texts.row, "UTF8"))).limit(ALL)
    size = DIGITS // 2
    numbers = [
        sum(read(hashes.code, place * size + at).cast("int64") * 256 ** (size - 1 - at) for at in range(size))
        for place in range(PARTS)
    ]
    return _parts(hashes, numbers)


def _parts(table: Table, numbers: Sequence[Any]) -> Table:
    return table.select(**{f"part_{place}": number for place, number in enumerate(numbers)})


def _digits(code: Any) -> list[Any]:
    return [code.substr(place * DIGITS, DIGITS) for place in range(PARTS)]


def _one(a: Any) -> Any: ...


def _two(a: Any, b: Any) -> Any: ...


def _three(a: Any, b: Any, c: Any) -> Any: ...


HASHES: Final[Mapping[str, Callable[[Table], Table]]] = {
    "duckdb": _in_duckdb,
    "postgres": _in_postgres,
    "pyspark": _in_spark,
}
"""The parts of the rows' hashes as numbers, by engine: no two read hexadecimal digits alike."""
