"""The same rows in every engine, for whoever hands them over."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from dalenius.tables import TableLike
from tests.tables.written import Columns, write

Handed = tuple[TableLike, str | None]
"""What is handed over, and the table's name where it holds several."""

MEMORY: Final[Mapping[str, Callable[[Columns], Any]]] = {
    "pandas": lambda columns: pd.DataFrame(dict(columns)),
    "polars": lambda columns: pl.DataFrame(dict(columns)),
    "lazy": lambda columns: pl.LazyFrame(dict(columns)),
    "pyarrow": lambda columns: pa.table(dict(columns)),
    "ibis": lambda columns: ibis.memtable(pa.table(dict(columns))),
}
FILES: Final = ("csv", "csv.gz", "parquet", "duckdb")
ENGINES: Final = (*FILES, *MEMORY, "live", "relation", "url", "postgresql", "pyspark")


def handed(engine: str, columns: Columns, folder: Path, servers: Mapping[str, Callable[[], str]]) -> Handed:
    """The rows as this engine has them. servers: the URL of an empty database, by engine."""
    if engine in FILES:
        return write(folder, engine, columns), "people" if engine == "duckdb" else None
    if engine in MEMORY:
        return MEMORY[engine](columns), None
    if engine == "url":
        return f"file://{write(folder, 'parquet', columns)}", None
    if engine == "postgresql":
        return in_postgres(servers[engine](), columns), "people"
    if engine == "pyspark":
        path = folder / "spark.parquet"
        pq.write_table(pa.table(dict(columns)), path)
        return f"{servers[engine]()}{path}", None
    connection = in_duckdb(columns)
    if engine == "relation":
        return connection.table("people"), None
    return ibis.duckdb.from_connection(connection).table("people"), None


def in_duckdb(columns: Columns) -> duckdb.DuckDBPyConnection:
    """A connection to a database in memory, which has the table."""
    connection = duckdb.connect()
    connection.register("given", pa.table(dict(columns)))
    connection.execute("CREATE TABLE people AS FROM given")
    return connection


TYPES: Final = {"int64": "bigint", "double": "double precision", "string": "text", "bool": "boolean",
                "date32[day]": "date", "timestamp[us]": "timestamp"}  # fmt: skip


def in_postgres(url: str, columns: Columns, table: str = "people") -> str:
    """The URL of the database, which now has the table."""
    import psycopg

    rows = pa.table(dict(columns))
    kinds = ", ".join(f"{_quoted(field.name)} {TYPES.get(str(field.type), 'numeric')}" for field in rows.schema)
    with ExitStack() as stack:
        connection = stack.enter_context(psycopg.connect(url))
        connection.execute(f"CREATE TABLE {_quoted(table)} ({kinds})")
        copy = stack.enter_context(connection.cursor().copy(f"COPY {_quoted(table)} FROM STDIN"))
        for row in _rows(rows):
            copy.write_row(row)
    return url


def _rows(rows: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in rows.columns), strict=True)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
