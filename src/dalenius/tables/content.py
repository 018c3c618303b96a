"""What changes whenever a table does: a fingerprint of its content, and marks that cost less than one."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

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


Mark: TypeAlias = tuple[int | str, ...]


def mark_of_file(path: Path) -> Mark:
    """Changes where the file is written or replaced; empty where it is gone, which equals no other's."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: a name with NUL
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def mark_of_table(table: Table) -> Mark:
    """Equal where nobody has written to the table in between; else another, but by a chance of 2^-64.

    It costs about what counting the rows does: PostgreSQL keeps who wrote a row, and where it is (xmin, ctid), DuckDB
    hashes quickly. Elsewhere, and of PostgreSQL's views and foreign tables, it is the content's fingerprint.
    """
    with engine_errors("data", "table", "a table that can be read"):
        found = MARKS.get(table.get_backend().name, _nothing)(table)
    return (content_of(table),) if found is None else found


def _nothing(_: Table) -> Mark | None:
    return None


def _marks_in_duckdb(table: Table) -> Mark:
    cells = ibis().struct({name: table[name] for name in table.columns}).hash()
    hashes = table.select(one=cells)
    # Of halves, whose sums do not overflow.
    halves = hashes.select(high=hashes.one // 2**32, low=hashes.one % 2**32)
    answer = halves.aggregate(rows=halves.count(), high=halves.high.sum(), low=halves.low.sum())
    found = answer_of(answer).to_pylist()[0]
    return tuple(int(found[name] or 0) for name in ("rows", "high", "low"))


def _marks_in_postgres(table: Table) -> Mark | None:
    """None for what is no table in PostgreSQL's own storage."""
    place = getattr(table.op(), "namespace", None)
    if place is None:  # an expression of the user's
        return None
    parts = (place.catalog, place.database, table.op().name)
    name = ".".join('"' + part.replace('"', '""') + '"' for part in parts if part)
    connection = table.get_backend().con
    plain, *columns = connection.execute(_COLUMNS, (name,)).fetchone()
    if not plain:
        return None
    return (*map(str, columns), *map(str, connection.execute(_ROWS.format(name)).fetchone()))


_MADE: Final = "coalesce(sum(hashtextextended({0}.ctid::text, {0}.xmin::text::bigint)), 0)"
_ROWS: Final = (
    "SELECT count(*), " + _MADE.format("t").replace("bigint)", "bigint # t.tableoid::bigint << 32)") + (" FROM {} AS t")
)
"""A row that is written anew has another place or writer; they are kept where old rows are frozen."""
_COLUMNS: Final = f"""
WITH RECURSIVE tree AS (
    SELECT %s::regclass::oid AS rel UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = rel
), columns AS (
    SELECT attribute.xmin, attribute.ctid, atttypid FROM pg_attribute AS attribute JOIN tree ON attrelid = rel
), kinds AS (
    SELECT relkind = 'p' OR coalesce(relkind IN ('r', 'm') AND amname = 'heap', false) AS plain
    FROM tree JOIN pg_class ON pg_class.oid = rel LEFT JOIN pg_am ON pg_am.oid = relam
)
SELECT
    (SELECT bool_and(plain) FROM kinds) AND NOT EXISTS (
        SELECT FROM columns WHERE atttypid >= 16384 AND atttypid NOT IN (SELECT enumtypid FROM pg_enum)
    ),
    (SELECT string_agg(rel::text, ' ' ORDER BY rel) FROM tree),
    (SELECT {_MADE.format("columns")} FROM columns),
    (SELECT {_MADE.format("pg_enum")} FROM pg_enum WHERE enumtypid IN (SELECT atttypid FROM columns))
"""
"""Whether all parts of the table are stored as rows, of types whose texts nobody changes but by writing; which parts it
has; and what changes with its columns, which can change what is in them, and with the words of enumerations."""

MARKS: Final[Mapping[str, Callable[[Table], Mark | None]]] = {
    "duckdb": _marks_in_duckdb,
    "postgres": _marks_in_postgres,
}
"""By engine; None where the content is to be looked at."""
