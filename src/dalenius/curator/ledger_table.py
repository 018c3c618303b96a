"""Where a ledger's entries lie: rows of a table, read and written in transactions; on a PostgreSQL server, the table
`dalenius_ledger`.

Entry 3 is the row (3, "debit", its body as JSON, its hash). A process that knows all up to 3 reads the rows beyond 2:
the first of them must be entry 3 as it was, and the rest are new. Two processes that write at once do so one after the
other, as each locks the table, or the file, before it reads.
"""

import abc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, Final, TypeAlias, TypeVar, final
from weakref import finalize

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    insert,
    select,
)
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from dalenius.curator.history import Broken, Link
from dalenius.errors import InputError, Unreachable
from dalenius.tables.servers import ServerAddress

# Seconds to wait for another process that writes.
BUSY: Final = 60.0


# An entry that was on the disk: its number, and its hash.
Newest: TypeAlias = tuple[int, str]


def entries_table(name: str) -> Table:
    """A row per entry."""
    return Table(
        name,
        MetaData(),
        Column("number", BigInteger, primary_key=True, autoincrement=False),
        Column("kind", String, nullable=False),
        Column("body", Text, nullable=False),
        Column("hash", String, nullable=False),
    )


@final
class LedgerRows:
    """The entries within one transaction; none where there is no table yet, as on a server that nothing was released
    into."""

    def __init__(self, connection: Connection, table: Table | None) -> None:
        self._connection, self._table = connection, table

    def after(self, number: int | None) -> Sequence[Link]:
        """Those with a greater number, or all, in their order."""
        if self._table is None:
            return []
        every = select(self._table).order_by(self._table.c.number)
        rows = self._connection.execute(every if number is None else every.where(self._table.c.number > number))
        return [Link(*row) for row in rows]

    def write(self, links: Sequence[Link]) -> None:
        """They count when the transaction does."""
        assert self._table is not None
        rows = [{"number": each.number, "kind": each.kind, "body": each.text, "hash": each.hash} for each in links]
        self._connection.execute(insert(self._table), rows)

    def check(self) -> None:
        """Broken where a file is damaged: pages that are gone may read as a table without rows. A server looks after
        its own pages."""
        if self._connection.dialect.name == "sqlite":
            found = str(self._connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
            if found != "ok":
                raise Broken(found)


class Database(abc.ABC):
    """One connection, for one thread at a time. InputError `ledger` where it cannot be read or written.

    shown: its address, without a password; wanted: in words, where it is none.
    """

    shown: str
    wanted: str
    _open: tuple[Engine, Connection, tuple[int, ...]] | None = None

    @property
    @abc.abstractmethod
    def is_there(self) -> bool:
        """Whether it may be opened without making it."""

    def close(self) -> None:
        """Lets go of the connection. It is opened again where it is used."""
        if self._open is not None:
            engine, connection, which = self._open
            self._open = None
            _closed(engine, connection, which[0])

    def newest(self) -> Newest | None:
        """What is written down beside it: an entry that was there. A server has no such place, and no file that could
        be emptied by a slip."""
        return None

    def remember(self, last: Link | None) -> None:  # noqa: B027
        """Within a transaction: it is written down, where there is a place, that all up to this entry, or nothing, is
        on the disk."""

    @contextmanager
    def transaction(self, write: bool) -> Iterator[LedgerRows]:
        """All that is read is of one moment. Where it writes no other process comes between: what is written is on the
        disk when the block ends; nothing of it where the block raises."""
        try:
            connection, rows = self._begun(write)
            try:
                yield rows
            except BaseException:
                self._given_up(connection)
                raise
            connection.exec_driver_sql("COMMIT")
            if write:
                self._check_after()
        except (SQLAlchemyError, Broken, OSError) as error:
            self.close()
            raise self.refusal(error) from None

    def refusal(self, error: Exception) -> InputError:
        """What is said in place of it, in one line, with what the system or the driver says of it."""
        reason = getattr(error, "strerror", None) or (str(error.__cause__ or error).splitlines() or ["?"])[0]
        return InputError("ledger", self.shown, f"{self.wanted} ({reason})")

    @abc.abstractmethod
    def _begun(self, write: bool) -> tuple[Connection, LedgerRows]:
        """A connection in a new transaction."""

    @abc.abstractmethod
    def _connected(self) -> tuple[Engine, Connection]:
        """A new connection, and the engine that it is of."""

    def _which(self) -> tuple[int, ...]:
        """For whom the connection was opened: a child of this process must not use it."""
        return (os.getpid(),)

    def _opened(self) -> Connection:
        """The connection that there is, or a new one."""
        # A child of this process, or a file that was put in the place of the one that is open.
        if self._open is not None and self._open[2] != self._which():
            self.close()
        if self._open is None:
            engine, connection = self._connected()
            finalize(self, _closed, engine, connection, os.getpid())
            self._open = engine, connection, self._which()
        return self._open[1]

    def _check_after(self) -> None:  # noqa: B027
        """After something was written, whether it is where others will look for it."""

    def _given_up(self, connection: Connection) -> None:
        """Nothing of the transaction counts."""
        try:
            connection.exec_driver_sql("ROLLBACK")
        except SQLAlchemyError:  # the connection is gone, and what was not committed with it
            self.close()


def engine_of(kind: str, connect: Callable[[], Any]) -> Engine:
    """Of one connection, on which transactions are begun and ended by hand."""
    return create_engine(kind, creator=connect, isolation_level="AUTOCOMMIT", poolclass=StaticPool)


def _closed(engine: Engine, connection: Connection, process: int) -> None:
    if process == os.getpid():  # a child must not say goodbye for its parent
        connection.close()
        engine.dispose()


_TABLE: Final = "dalenius_ledger"
_ENTRIES: Final = entries_table(_TABLE)
BEGIN_TRIES: Final = 3
# Seconds in which a server must answer, all tries together.
_PATIENCE: Final = 10.0
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

    @property
    def is_there(self) -> bool:
        return True

    def _begun(self, write: bool) -> tuple[Connection, LedgerRows]:
        return self._patiently(lambda: self._once(write))

    def _once(self, write: bool) -> tuple[Connection, LedgerRows]:
        """Who only reads makes no table: a user with rights to look need have none to write."""
        connection = self._opened()
        if not self._seen and not _has_table(connection):
            if not write:  # an auditor who looks at a ledger before anybody has released anything
                connection.exec_driver_sql("BEGIN")
                return connection, LedgerRows(connection, None)
            _made(connection)
        self._seen = True
        connection.exec_driver_sql("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if write:  # before anything is read: whoever else writes waits, who reads does not
            connection.exec_driver_sql(f"LOCK TABLE {_TABLE} IN EXCLUSIVE MODE")
        return connection, LedgerRows(connection, _ENTRIES)

    def _connected(self) -> tuple[Engine, Connection]:
        address = self._address  # the engine must not hold this object, which it is closed with
        try:
            engine = engine_of("postgresql+psycopg://", lambda: address.connected(connect_timeout=3))
        except ModuleNotFoundError:
            raise InputError("ledger", "postgresql", "psycopg: pip install 'dalenius[postgres]'") from None
        connection = engine.connect()
        for each in _SETTINGS:
            connection.exec_driver_sql(each)
        return engine, connection

    def _patiently(self, begin: Callable[[], _T]) -> _T:
        """Nothing was written yet, so that it may be begun again."""
        until, pause = monotonic() + _PATIENCE, 0.25
        for left in reversed(range(BEGIN_TRIES)):
            try:
                return begin()
            except (OperationalError, InterfaceError) as error:
                self.close()
                # A server that starts again, as for an update: it answers within seconds.
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


def _is_lost(error: Exception) -> bool:
    """Whether the server was not there, and not that it said no: a statement it refuses has a state of its own."""
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    state = getattr(error.orig, "sqlstate", None)
    return state is None or str(state)[:2] in ("08", "57")


def _has_table(connection: Connection) -> bool:
    return connection.exec_driver_sql(f"SELECT to_regclass('{_TABLE}')").scalar() is not None


def _made(connection: Connection) -> None:
    """The table, once, whoever else makes it now. Each statement is a transaction of its own: within one a connection
    may remember that there was no table."""
    lock = f"hashtext('{_TABLE}')"
    connection.exec_driver_sql(f"SELECT pg_advisory_lock({lock})")
    try:
        if not _has_table(connection):
            _ENTRIES.create(connection, checkfirst=False)
    finally:
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({lock})")
