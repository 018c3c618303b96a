"""The engines behind Ibis: DuckDB, a question's answer, and questions that are all of one state of a table.

A file's name may hold what DuckDB takes for a pattern, and a column's name what SQL takes for its end:

>>> literal(Path("/a/people[1].csv")), quoted("Tom's", "'")
('/a/people[[]1].csv', "'Tom''s'")
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from dalenius.errors import Unreachable
from dalenius.tables.foreign_errors import engine_errors

IbisTable = Any
"""An Ibis table expression; Ibis carries no types."""


def ibis() -> Any:
    """Ibis, imported when a table is first opened: it takes half a second."""
    return import_module("ibis")


def answer_of(question: IbisTable) -> Any:
    """The rows of a question, as a pyarrow table. Of DuckDB, Ibis' own way there imports pandas, which takes as long as
    to count a million people."""
    # A table in memory is known to Ibis only, which hands it to the engine itself.
    backend, shown = question.get_backend(), import_module("ibis.expr.operations").InMemoryTable
    if backend.name != "duckdb" or question.op().find(shown):
        return question.to_pyarrow()
    found = backend.con.sql(backend.compile(question)).to_arrow_table()
    return import_module("ibis.formats.pyarrow").PyArrowData.convert_table(found, question.schema())


def counted(question: IbisTable, key: str, column: str) -> dict[str, Any]:
    """The one row of an aggregate, by name. InputError in the key's name where the engine cannot count the column."""
    with engine_errors(key, column, "a column that the engine can count"):
        (row,) = answer_of(question).to_pylist()
    return dict(row)


def duckdb_connection(*database: Path, **options: Any) -> Any:
    """DuckDB, in memory or in a file."""
    connection = ibis().duckdb.connect(*database, **options)
    # The least and greatest value noted in a Parquet file leave out NaN, as its format wants, and DuckDB 2 concludes
    # from them that isnan() is false everywhere: https://github.com/duckdb/duckdb/issues/25521
    connection.raw_sql("SET disabled_optimizers = 'statistics_propagation'")
    return connection


def as_text(cells: Any) -> Any:
    """Each cell as a text."""
    written = cells.cast("string")
    # To Ibis PostgreSQL's enumerations are texts already, but not to PostgreSQL.
    return written + "" if cells.type().is_string() and cells.get_backend().name == "postgres" else written


def literal(path: Path) -> str:
    """The path with the characters that DuckDB would expand as a pattern taken literally."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute()))


def quoted(name: str, quote: str) -> str:
    """A name or text as SQL writes it, whatever quotes are in it."""
    return quote + name.replace(quote, quote * 2) + quote


_WANTED: Final = "a database in which several questions can be of one state"


@contextmanager
def one_state(table: IbisTable) -> Iterator[None]:
    """All questions to the table's connection until it is left are of the state at the first of them.

    It is a transaction, in PostgreSQL of REPEATABLE READ. Nothing happens in an engine that has none, and where
    whoever owns the connection is in a transaction already.
    """
    backend = table.get_backend()
    begin = _BEGINS.get(backend.name)
    with engine_errors("data", "table", _WANTED):
        begun = begin is not None and begin(backend.con)
    try:
        yield
    except BaseException:
        with suppress(Exception):  # of a connection that was lost meanwhile there is nothing to roll back
            if begun:
                backend.con.execute("ROLLBACK")
        raise
    if begun:
        # What was read was read, if the connection is lost by now.
        with suppress(Unreachable), engine_errors("data", "table", _WANTED):
            backend.con.execute("COMMIT")


def _in_postgres(connection: Any) -> bool:
    """Begins a transaction of one state; False where whoever owns the connection has one open."""
    if not connection.autocommit or connection.info.transaction_status.name != "IDLE":
        return False
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    return True


def _in_duckdb(connection: Any) -> bool:
    """The same in DuckDB, which says by a number whether two statements are of one transaction."""
    one, two = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
    if one == two:  # else each statement would be a transaction of its own
        return False
    connection.execute("BEGIN TRANSACTION")
    return True


_BEGINS: Final[Mapping[str, Callable[[Any], bool]]] = {"duckdb": _in_duckdb, "postgres": _in_postgres}
"""Begins a transaction, by engine, and says whether it did."""
