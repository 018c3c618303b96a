"""Databases of a ledger's entries: rows of a table, read and written in transactions, in SQLite or PostgreSQL.

Entry 3 is the row (3, "debit", its body as JSON, its hash). A process that knows all up to 3 reads the rows beyond 2:
the first of them must be entry 3 as it was, and the rest are new. Two processes that write at once do so one after the
other, as each locks the table, or the file, before it reads.

Beside `people.csv.ledger.sqlite` lies `people.csv.ledger.sqlite.head`, one line such as {"entries": 3, "hash": "88…"}.
An owner who restores last week's backup, or whose disk left the file empty after a power cut, is refused: entry 3 with
that hash is not there. An owner who knows that it is lost for good says so once: `dalenius ledger accept`.
"""

import abc
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from errno import EISDIR
from glob import escape
from pathlib import Path
from secrets import token_hex
from stat import S_ISDIR
from typing import Any, Final, final
from urllib.parse import quote
from weakref import finalize

from pydantic import Field, ValidationError
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    MetaData,
    NullPool,
    Pool,
    QueuePool,
    String,
    Table,
    Text,
    create_engine,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError

from dalenius.curator.hash_chained_entries import Broken, Link
from dalenius.curator.limits import BUSY_SECONDS
from dalenius.curator.sqlite_file_state import FileState, file_state
from dalenius.errors import InputError, Unreachable
from dalenius.frozen_section import Frozen
from dalenius.tables.servers import ServerAddress


@final
class LedgerRows:
    """The entries within one transaction; none where there is no table yet, as on a new server."""

    def __init__(self, connection: Connection, table: Table | None) -> None:
        self._connection, self._table = connection, table

    def after(self, number: int | None) -> Sequence[Link]:
        """Returns the entries with a greater `number`, or all (None), in their order."""
        if self._table is None:
            return []
        every = select(self._table).order_by(self._table.c.number)
        rows = self._connection.execute(every if number is None else every.where(self._table.c.number > number))
        return [Link(*row) for row in rows]

    def write(self, links: Sequence[Link]) -> None:
        """Writes entries, `links`; they count when the transaction does."""
        assert self._table is not None
        rows = [{"number": each.number, "kind": each.kind, "body": each.text, "hash": each.hash} for each in links]
        self._connection.execute(insert(self._table), rows)

    def check(self) -> None:
        """Raises Broken where a file is damaged: pages that are gone may read as a table without rows."""
        if self._connection.dialect.name == "sqlite":
            found = str(self._connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
            if found != "ok":
                raise Broken(found)


class Database(abc.ABC):
    """A database, for one thread at a time. InputError `ledger` where it cannot be read or written.

    shown: its address, without a password; wanted: in words, where it is none. Each dialect has the _kind of engine,
    its _pool, and the statements that _begin a transaction that writes.
    """

    wanted: str
    _kind: str
    _begin: tuple[str, ...]
    _pool: type[Pool]

    def __init__(self, shown: str, table: str, connect: Callable[[], Any]) -> None:
        """Takes `connect`, which makes a new connection of the driver; it must not hold this object."""
        self.shown, self._connect = shown, connect
        self._table = Table(
            table,
            MetaData(),
            Column("number", BigInteger, primary_key=True, autoincrement=False),
            Column("kind", String, nullable=False),
            Column("body", Text, nullable=False),
            Column("hash", String, nullable=False),
        )
        self._engine: tuple[Engine, int] | None = None
        self._there = False  # whether there was a table already

    @property
    def is_there(self) -> bool:
        """Says whether it may be opened without making it."""
        return True

    def close(self) -> None:
        """Lets go of the connection. It is opened again where it is used."""
        if self._engine is not None:
            _disposed(*self._engine)
            self._engine = None

    def newest(self) -> tuple[int, str] | None:
        """Returns the number and hash of an entry that was there, as written beside it; a server has no such place."""
        return None

    def remember(self, last: Link | None) -> None:  # noqa: B027
        """Writes down, where there is a place, that all up to the `last` entry, or nothing (None), is on the disk."""

    def state(self) -> FileState | None:
        """Returns a state that is equal to an earlier one where nobody has written in between; None where unknown."""
        return None

    @contextmanager
    def transaction(self, write: bool) -> Iterator[LedgerRows]:
        """Yields rows that are of one moment; with `write` no other process comes between.

        What is written is on the disk when the block ends; nothing of it where the block raises.
        """
        try:
            self._prepare(write)
            with self._opened().connect() as connection:
                there = self._there or inspect(connection).has_table(self._table.name) or self._made(connection, write)
                for statement in self._begin if write else ("BEGIN",):
                    connection.exec_driver_sql(statement)
                yield LedgerRows(connection, self._table if there else None)
                connection.exec_driver_sql("COMMIT")
                self._there = there
        except (SQLAlchemyError, Broken, OSError) as error:
            raise self.refusal(error) from None
        except ModuleNotFoundError:
            raise InputError("ledger", "postgresql", "psycopg: pip install 'dalenius[postgres]'") from None

    def refusal(self, error: Exception) -> InputError:
        """Returns what is said in place of the `error`, in one line, with what the system or the driver says of it."""
        reason = getattr(error, "strerror", None) or (str(error.__cause__ or error).splitlines() or ["?"])[0]
        return InputError("ledger", self.shown, f"{self.wanted} ({reason})")

    def _opened(self) -> Engine:
        """Returns the engine, on whose connections transactions are begun and ended by hand."""
        if self._engine is not None and self._engine[1] != os.getpid():
            self._engine = None  # of a parent, whose connection a child must not use
        if self._engine is None:
            more: dict[str, Any] = {} if self._pool is NullPool else {"pool_size": 1, "pool_pre_ping": True}
            engine = create_engine(
                self._kind, creator=self._connect, poolclass=self._pool, isolation_level="AUTOCOMMIT", **more
            )
            self._engine = engine, os.getpid()
            finalize(self, _disposed, *self._engine)
        return self._engine[0]

    def _prepare(self, write: bool) -> None:  # noqa: B027
        """Prepares a connection: OSError or InputError where there is nothing to connect to."""

    @abc.abstractmethod
    def _made(self, connection: Connection, write: bool) -> bool:
        """Says whether there is a table now, where there was none."""


def _disposed(engine: Engine, process: int) -> None:
    if process == os.getpid():  # a child must not say goodbye for its parent
        engine.dispose()


@final
class Postgres(Database):
    """The table `dalenius_ledger`; a lost connection is made again. Unreachable where the server does not answer."""

    wanted = "a PostgreSQL database that can be written"
    _kind, _pool = "postgresql+psycopg://", QueuePool
    # Before anything is read: other writers wait, readers do not.
    _begin = ("BEGIN", "LOCK TABLE dalenius_ledger IN EXCLUSIVE MODE")

    def __init__(self, address: ServerAddress) -> None:
        def connect() -> Any:
            found = address.connected(connect_timeout=3, autocommit=True)
            found.execute(f"SET lock_timeout = '{BUSY_SECONDS} s'")
            # So that what is said to be committed is on the server's disk, whatever its own default.
            found.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')"
            )
            return found

        super().__init__(str(address), "dalenius_ledger", connect)

    def _made(self, connection: Connection, write: bool) -> bool:
        """Makes the table once, if it writes: reading needs no right to write.

        Each statement is a transaction of its own: within one a connection may remember that there was no table.
        """
        if write:
            connection.exec_driver_sql("SELECT pg_advisory_lock(hashtext('dalenius_ledger'))")
            try:
                self._table.create(connection, checkfirst=True)
            finally:
                connection.exec_driver_sql("SELECT pg_advisory_unlock(hashtext('dalenius_ledger'))")
        return write

    def refusal(self, error: Exception) -> InputError:
        """Returns Unreachable for an `error` where no server was there; one that it refuses has a state of its own."""
        refused = super().refusal(error)
        if isinstance(error, (OperationalError, InterfaceError)):
            state = getattr(error.orig, "sqlstate", None)
            if state is None or str(state)[:2] in ("08", "57"):
                wanted = f"a PostgreSQL server that answers{refused.wanted.removeprefix(self.wanted)}"
                return Unreachable("ledger", self.shown, wanted)
        return refused


@final
class _Head(Frozen):
    entries: int = Field(strict=True, ge=1)
    hash: str


_NEW: Final = ".new"


@final
class SQLite(Database):
    """A SQLite file, opened for each transaction, so that another one in its place is noticed by its content.

    A new one is made whole, for its user alone, before it has its name. A file that is there and is no ledger is not
    begun.
    """

    wanted = "a SQLite file that can be written"
    _kind, _pool = "sqlite://", NullPool
    _begin = ("BEGIN IMMEDIATE",)

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), "entries", lambda: _connected(path))
        self.path = path

    @property
    def is_there(self) -> bool:
        """Says whether something has its name; InputError for a name that no file can have."""
        try:
            return self.path.exists()
        except (OSError, ValueError) as error:  # a name that is too long, or none
            raise self.refusal(error) from None

    def state(self) -> FileState | None:
        return file_state(self.path)

    @property
    def head(self) -> Path:
        """The path of one line of JSON, with the newest entry of those before the last transaction.

        It may be behind by what that one wrote, and is never ahead, wherever the process or the power stops.
        """
        return self._real.with_name(f"{self._real.name}.head")

    def newest(self) -> tuple[int, str] | None:
        """Returns None where there is none: for a ledger of one transaction, or one that was moved without it."""
        try:
            with self.head.open("rb") as file:
                found = _Head.model_validate_json(file.read(1000))  # whatever large file has taken its name
        except FileNotFoundError:
            return None
        except ValidationError:
            said = f"{self.head.name} beside it is not of this ledger: dalenius ledger accept accepts the ledger"
            raise Broken(said) from None
        return found.entries, found.hash

    def remember(self, last: Link | None) -> None:
        """Writes down the `last` entry, for the one process that may write now; with the ledger's user and mode."""
        if last is None:  # an owner who accepts that there is no ledger any more
            self.head.unlink(missing_ok=True)
            return
        draft = self.head.with_name(self.head.name + _NEW)
        draft.unlink(missing_ok=True)
        _written(draft, _Head(entries=last.number, hash=last.hash).model_dump_json().encode(), self._real)
        # Because SQLite syncs the folder before the transaction ends, it is on the disk then; else the one before is.
        os.replace(draft, self.head)

    @property
    def _real(self) -> Path:
        """The path after which SQLite names its journal."""
        return Path(os.path.realpath(self.path))

    def _prepare(self, write: bool) -> None:
        if write and not self.path.exists():
            self._born()
        self._check_single_name()
        # Because SQLite would take a file with fewer bytes than its head, such as one that a slip of the shell emptied,
        # for a new database, and give its budget again.
        if self._real.stat().st_size < 100:
            raise self._no_ledger()

    def _made(self, connection: Connection, write: bool) -> bool:
        raise self._no_ledger()  # somebody's own database: nothing is written into it

    def _no_ledger(self) -> InputError:
        """Returns the error for a file that is there, and is no ledger."""
        wanted = (
            f"a ledger (this file of {self._real.stat().st_size:,} bytes is none): put back the ledger that was there, "
            "or delete the file if there never was a ledger"
        )
        return InputError("ledger", self.shown, wanted)

    def _born(self) -> None:
        """Makes a ledger without entries, of mode 600, under another name, so that no half of one is left.

        Of two processes that begin at once one makes the ledger.
        """
        draft = self._real.with_name(f"{self._real.name}.{token_hex(8)}{_NEW}")
        engine = create_engine("sqlite://")
        with closing(engine.connect()) as connection:
            self._table.create(connection)
            connection.commit()
            empty = connection.connection.driver_connection.serialize()  # type: ignore[union-attr]
        engine.dispose()
        _written(draft, empty)
        try:
            os.link(draft, self._real)  # unlike a renaming, it takes nobody's place
        except FileExistsError:
            pass
        except OSError:  # a disk that knows no second names
            with suppress(FileExistsError):
                _written(self._real, empty)
        finally:
            draft.unlink()

    def _check_single_name(self) -> None:
        """Raises InputError where the file has a second name.

        SQLite finds what to undo after a crash by the name, and would undo under the one what was paid for under the
        other.
        """
        path = self._real
        found = path.stat()
        if S_ISDIR(found.st_mode):
            raise IsADirectoryError(EISDIR, "it is a folder")
        if found.st_nlink == 1:
            return
        # Because one of two names may be a draft's, of a process that was killed before it deleted the draft.
        for draft in path.parent.glob(f"{escape(path.name)}.*{_NEW}"):
            with suppress(FileNotFoundError):  # of a birth that goes on, or was cut off
                if draft.samefile(path):
                    draft.unlink()
        names = path.stat().st_nlink
        if names != 1:
            wanted = f"a file with one name; it has {names} (hard links): delete the others, or use a copy of its own"
            raise InputError("ledger", self.shown, wanted)


def _connected(path: Path) -> sqlite3.Connection:
    """Connects to a file that is there: SQLite must not make it."""
    address = f"file:{quote(os.path.realpath(path))}?mode=rw"
    found = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    # Because with less than EXTRA, what was committed may be gone after a power cut.
    found.execute("PRAGMA synchronous=EXTRA")
    return found


def _written(path: Path, content: bytes, like: Path | None = None) -> None:
    """Writes a new file, whole on the disk, for its user alone or of the user and mode of `like`.

    FileExistsError where something has the name.
    """
    number = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with open(number, "wb") as file:
        file.write(content)
        file.flush()
        if like is not None and hasattr(os, "fchown"):
            found = like.stat()
            os.fchmod(number, found.st_mode & 0o666)
            if os.geteuid() == 0:
                os.fchown(number, found.st_uid, found.st_gid)
        os.fsync(number)
