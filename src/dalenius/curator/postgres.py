"""A ledger in a PostgreSQL database: the table `dalenius_ledger`."""

import os
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any, Final, TypeVar, final
from weakref import finalize

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.pool import StaticPool

from dalenius.curator.database import BUSY, Database, Rows, entries_table
from dalenius.errors import InputError, Unreachable
from dalenius.tables.servers import ServerAddress

TABLE: Final = "dalenius_ledger"
ENTRIES: Final = entries_table(TABLE)
TRIES: Final = 3
PATIENCE: Final = 10.0
"""Seconds in which a server must answer, all tries together."""
_T = TypeVar("_T")

_SETTINGS: Final = (
    f"SET lock_timeout = {int(BUSY * 1000)}",
    # What is said to be committed is on the server's disk, whatever its own default.
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')",
)


@final
class Postgres(Database):
    """Asked again where it does not answer, three times in ten seconds at most; then Unreachable."""

    wanted = "a PostgreSQL database that can be written"

    def __init__(self, address: ServerAddress) -> None:
        self.shown = str(address)
        self._address = address
        self._seen = False
        self._open: tuple[Engine, Connection, int] | None = None

    @property
    def is_there(self) -> bool:
        return True

    def close(self) -> None:
        if self._open is not None:
            engine, connection, process = self._open
            self._open = None
            _closed(engine, connection, process)

    def _begun(self, write: bool) -> tuple[Connection, Rows]:
        return self._patiently(lambda: self._once(write))

    def _once(self, write: bool) -> tuple[Connection, Rows]:
        connection = self._opened()
        if not self._seen and not _has_table(connection):
            if not write:
                connection.exec_driver_sql("BEGIN")
                return connection, _NoRows(connection, ENTRIES)
            _made(connection)
        self._seen = True
        connection.exec_driver_sql("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if write:  # before anything is read: whoever else writes waits, who reads does not
            connection.exec_driver_sql(f"LOCK TABLE {TABLE} IN EXCLUSIVE MODE")
        return connection, Rows(connection, ENTRIES)

    def _opened(self) -> Connection:
        if self._open is not None and self._open[2] != os.getpid():
            self._open = None
        if self._open is None:
            engine = _engine(self._address)
            connection = engine.connect()
            finalize(self, _closed, engine, connection, os.getpid())
            for each in _SETTINGS:
                connection.exec_driver_sql(each)
            self._open = engine, connection, os.getpid()
        return self._open[1]

    def _patiently(self, begin: Callable[[], _T]) -> _T:
        """Nothing was written yet, so that it may be begun again."""
        until, pause = monotonic() + PATIENCE, 0.25
        for left in reversed(range(TRIES)):
            try:
                return begin()
            except (OperationalError, InterfaceError) as error:
                self.close()
                if not left or monotonic() + pause > until or not _is_lost(error):
                    raise
            sleep(pause)
            pause *= 4
        raise AssertionError("the last try returns or raises")

    def refusal(self, error: Exception) -> InputError:
        refused = super().refusal(error)
        if not _is_lost(error):
            return refused
        wanted = f"a PostgreSQL server that answers{refused.wanted.removeprefix(self.wanted)}"
        return Unreachable("ledger", self.shown, wanted)


@final
class _NoRows(Rows):
    def after(self, number: int | None) -> list[Any]:
        return []


def _engine(address: ServerAddress) -> Engine:
    try:
        return create_engine(
            "postgresql+psycopg://",
            creator=lambda: address.connected(connect_timeout=3),
            isolation_level="AUTOCOMMIT",
            poolclass=StaticPool,
        )
    except ModuleNotFoundError:
        raise InputError("ledger", "postgresql", "psycopg: pip install 'dalenius[postgres]'") from None


def _is_lost(error: Exception) -> bool:
    """Whether the server was not there, and not that it said no: a statement it refuses has a state of its own."""
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    state = getattr(error.orig, "sqlstate", None)
    return state is None or str(state)[:2] in ("08", "57")


def _closed(engine: Engine, connection: Connection, process: int) -> None:
    if process == os.getpid():  # a child must not say goodbye for its parent
        connection.close()
        engine.dispose()


def _has_table(connection: Connection) -> bool:
    return connection.exec_driver_sql(f"SELECT to_regclass('{TABLE}')").scalar() is not None


def _made(connection: Connection) -> None:
    """The table, once, whoever else makes it now. Each statement is a transaction of its own: within one a connection
    may remember that there was no table."""
    lock = f"hashtext('{TABLE}')"
    connection.exec_driver_sql(f"SELECT pg_advisory_lock({lock})")
    try:
        if not _has_table(connection):
            ENTRIES.create(connection, checkfirst=False)
    finally:
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({lock})")
