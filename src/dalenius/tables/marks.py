"""What changes whenever a table does, at less than the cost of a fingerprint of its content."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from dalenius.tables.content import content_of
from dalenius.tables.engine import Table, answer_of, engine_errors, ibis

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


def _in_duckdb(table: Table) -> Mark:
    cells = ibis().struct({name: table[name] for name in table.columns}).hash()
    hashes = table.select(one=cells)
    # Of halves, whose sums do not overflow.
    halves = hashes.select(high=hashes.one // 2**32, low=hashes.one % 2**32)
    answer = halves.aggregate(rows=halves.count(), high=halves.high.sum(), low=halves.low.sum())
    found = answer_of(answer).to_pylist()[0]
    return tuple(int(found[name] or 0) for name in ("rows", "high", "low"))


def _in_postgres(table: Table) -> Mark | None:
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

MARKS: Final[Mapping[str, Callable[[Table], Mark | None]]] = {"duckdb": _in_duckdb, "postgres": _in_postgres}
"""By engine; None where the content is to be looked at."""
