"""One state of a database for several questions: none of them sees what others write meanwhile."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from dalenius.errors import Unreachable
from dalenius.tables.engine import Table, engine_errors

WANTED: Final = "a database in which several questions can be of one state"


@contextmanager
def one_state(table: Table) -> Iterator[None]:
    """All questions to the table's connection until it is left are of the state at the first of them.

    It is a transaction, in PostgreSQL of REPEATABLE READ. Nothing happens in an engine that has none, and where
    whoever owns the connection is in a transaction already.
    """
    backend = table.get_backend()
    begin = BEGINS.get(backend.name)
    with engine_errors("data", "table", WANTED):
        begun = begin is not None and begin(backend.con)
    try:
        yield
    except BaseException:
        if begun and _is_open(backend):
            backend.con.execute("ROLLBACK")
        raise
    if begun:
        # What was read was read, if the connection is lost by now.
        with suppress(Unreachable), engine_errors("data", "table", WANTED):
            backend.con.execute("COMMIT")


def _in_postgres(connection: Any) -> bool:
    if not connection.autocommit or connection.info.transaction_status.name != "IDLE":
        return False
    # Not READ ONLY, in which Ibis cannot make a temporary table: of one from elsewhere that is joined.
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    return True


def _in_duckdb(connection: Any) -> bool:
    one, two = (connection.execute("SELECT txid_current()").fetchall() for _ in range(2))
    if one == two:  # else each statement would be a transaction of its own
        return False
    connection.execute("BEGIN TRANSACTION")
    return True


def _is_open(backend: Any) -> bool:
    if backend.name == "postgres":
        return not backend.con.closed
    try:
        backend.con.execute("SELECT 1").fetchall()
    except Exception as error:  # only a closed connection has none of its own
        return "closed" not in str(error)
    return True


BEGINS: Final[Mapping[str, Callable[[Any], bool]]] = {"duckdb": _in_duckdb, "postgres": _in_postgres}
"""Begins a transaction, by engine, and says whether it did."""
