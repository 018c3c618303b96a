"""The engines behind Ibis: DuckDB, a question's answer, and questions that are all of one state of a table.

A file's name may hold characters that DuckDB takes for a pattern, and a column's name those that SQL takes for its end:

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
    """Returns Ibis, imported when a table is first opened: it takes half a second."""
    return import_module("ibis")


def answer_of(question: IbisTable) -> Any:
    """Returns the rows of a question, as a pyarrow table.

    For DuckDB, Ibis' own way there imports pandas, which takes as long as to count a million people.
    """
    # Because only Ibis knows a table in memory, which it hands to the engine itself.
    backend, shown = question.get_backend(), import_module("ibis.expr.operations").InMemoryTable
    if backend.name != "duckdb" or question.op().find(shown):
        return question.to_pyarrow()
    found = backend.con.sql(backend.compile(question)).to_arrow_table()
    return import_module("ibis.formats.pyarrow").PyArrowData.convert_table(found, question.schema())


def counted(question: IbisTable, key: str, column: str) -> dict[str, Any]:
    """Returns the one row of an aggregate, by name; InputError where the engine cannot count the column.

    Args:
        question: The aggregate.
        key: The spec's key that errors name.
        column: The name of the column.
    """
    with engine_errors(key, column, "a column that the engine can count"):
        (row,) = answer_of(question).to_pylist()
    return dict(row)


def duckdb_connection(*database: Path, **options: Any) -> Any:
    """Returns a connection to DuckDB, in memory or in a file."""
    connection = ibis().duckdb.connect(*database, **options)
    # Because the least and greatest value noted in a Parquet file leave out NaN, as its format wants, and DuckDB 2
    # concludes from them that isnan() is false everywhere: https://github.com/duckdb/duckdb/issues/25521
    connection.raw_sql("SET disabled_optimizers = 'statistics_propagation'")
    return connection


def as_text(cells: Any) -> Any:
    """Returns each of the `cells` as a text."""
    written = cells.cast("string")
    # To Ibis PostgreSQL's enumerations are texts already, but not to PostgreSQL.
    return written + "" if cells.type().is_string() and cells.get_backend().name == "postgres" else written


def literal(path: Path) -> str:
    """Returns the path with the characters that DuckDB would expand as a pattern taken literally."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute()))


def quoted(name: str, quote: str) -> str:
    """Returns a name or text as SQL writes it between two of the mark `quote`, whatever quotes are in it."""
    return quote + name.replace(quote, quote * 2) + quote


_WANTED: Final = "a database in which several questions can be of one state"


@contextmanager
def one_state(table: IbisTable) -> Iterator[None]:
    """Makes all questions to the table's connection, until it is left, be of the state at the first of them.

    It is a transaction, in PostgreSQL of REPEATABLE READ. Nothing happens in an engine that has none, and where the
    owner of the connection is in a transaction already.

    Args:
        table: The table.
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
        # Because what was read was read, if the connection is lost by now.
        with suppress(Unreachable), engine_errors("data", "table", _WANTED):
            backend.con.execute("COMMIT")


def _in_postgres(connection: Any) -> bool:
    """Begins a transaction of one state; False where the owner of the connection has one open."""
    if not connection.autocommit or connection.info.transaction_status.name != "IDLE":
        return False
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    return True


def _in_duckdb(connection: Any) -> bool:
    """Begins a transaction in DuckDB, which says by a number whether two statements are of one; else False."""
    one, two = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
    if one == two:  # else each statement would be a transaction of its own
        return False
    connection.execute("BEGIN TRANSACTION")
    return True


_BEGINS: Final[Mapping[str, Callable[[Any], bool]]] = {"duckdb": _in_duckdb, "postgres": _in_postgres}
"""A function for each engine that begins a transaction and says whether it did."""
