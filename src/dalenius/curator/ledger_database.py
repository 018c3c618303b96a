"""Where a ledger's entries lie: rows of a table, read and written in transactions, in a SQLite file or on a PostgreSQL
server.

Entry 3 is the row (3, "debit", its body as JSON, its hash). A process that knows all up to 3 reads the rows beyond 2:
the first of them must be entry 3 as it was, and the rest are new. Two processes that write at once do so one after the
other, as each locks the table, or the file, before it reads.

Beside `people.csv.ledger.sqlite` lies `people.csv.ledger.sqlite.head`, one line such as {"entries": 3, "hash": "88…"}.
An owner who restores last week's backup, or whose disk left the file empty after a power cut, is refused: entry 3 with
that hash is not there. Whoever knows that it is lost for good says so once: `dalenius ledger accept`.
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
    """For one thread at a time. InputError `ledger` where it cannot be read or written.

    shown: its address, without a password; wanted: in words, where it is none. Of each dialect: the _kind of
    engine, its _pool, and the statements that _begin a transaction that writes.
    """

    wanted: str
    _kind: str
    _begin: tuple[str, ...]
    _pool: type[Pool]

    def __init__(self, shown: str, table: str, connect: Callable[[], Any]) -> None:
        """connect: a new connection of the driver; it must not hold this object, with which it is closed."""
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
        """Whether it may be opened without making it."""
        return True

    def close(self) -> None:
        """Lets go of the connection. It is opened again where it is used."""
        if self._engine is not None:
            _disposed(*self._engine)
            self._engine = None

    def newest(self) -> tuple[int, str] | None:
        """What is written down beside it: an entry that was there, its number and its hash. A server has no such place,
        and no file that could be emptied by a slip."""
        return None

    def remember(self, last: Link | None) -> None:  # noqa: B027
        """Within a transaction: it is written down, where there is a place, that all up to this entry, or nothing, is
        on the disk."""

    def state(self) -> FileState | None:
        """Equal to an earlier one where nobody has written in between; None where that cannot be told without a
        transaction, as of a server."""
        return None

    @contextmanager
    def transaction(self, write: bool) -> Iterator[LedgerRows]:
        """All that is read is of one moment. Where it writes no other process comes between: what is written is on the
        disk when the block ends; nothing of it where the block raises."""
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
        """What is said in place of it, in one line, with what the system or the driver says of it."""
        reason = getattr(error, "strerror", None) or (str(error.__cause__ or error).splitlines() or ["?"])[0]
        return InputError("ledger", self.shown, f"{self.wanted} ({reason})")

    def _opened(self) -> Engine:
        """On its connections transactions are begun and ended by hand."""
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
        """Before a connection is made: OSError or InputError where there is nothing to connect to."""

    @abc.abstractmethod
    def _made(self, connection: Connection, write: bool) -> bool:
        """Where there is no table: whether there is one now."""


def _disposed(engine: Engine, process: int) -> None:
    if process == os.getpid():  # a child must not say goodbye for its parent
        engine.dispose()


@final
class Postgres(Database):
    """The table `dalenius_ledger`. A connection that was lost is made again when it is next wanted; Unreachable where
    the server does not answer."""

    wanted = "a PostgreSQL database that can be written"
    _kind, _pool = "postgresql+psycopg://", QueuePool
    # Before anything is read: whoever else writes waits, who reads does not.
    _begin = ("BEGIN", "LOCK TABLE dalenius_ledger IN EXCLUSIVE MODE")

    def __init__(self, address: ServerAddress) -> None:
        def connect() -> Any:
            found = address.connected(connect_timeout=3, autocommit=True)
            found.execute(f"SET lock_timeout = '{BUSY_SECONDS} s'")
            # What is said to be committed is on the server's disk, whatever its own default.
            found.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')"
            )
            return found

        super().__init__(str(address), "dalenius_ledger", connect)

    def _made(self, connection: Connection, write: bool) -> bool:
        """The table, once, whoever else makes it now. Who only reads makes none: a user with rights to look need have
        none to write. Each statement is a transaction of its own: within one a connection may remember that there was
        no table."""
        if write:
            connection.exec_driver_sql("SELECT pg_advisory_lock(hashtext('dalenius_ledger'))")
            try:
                self._table.create(connection, checkfirst=True)
            finally:
                connection.exec_driver_sql("SELECT pg_advisory_unlock(hashtext('dalenius_ledger'))")
        return write

    def refusal(self, error: Exception) -> InputError:
        """Unreachable where the server was not there, and did not say no: a statement it refuses has a state of its
        own."""
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
    """A file, opened for each transaction, so that another one in its place is noticed: by what is not in it. A new one
    is made whole, for its user alone, before it has its name; a file that is there and is no ledger is none that may be
    begun."""

    wanted = "a SQLite file that can be written"
    _kind, _pool = "sqlite://", NullPool
    _begin = ("BEGIN IMMEDIATE",)

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), "entries", lambda: _connected(path))
        self.path = path

    @property
    def is_there(self) -> bool:
        """Whether something has its name. InputError for a name that no file can have."""
        try:
            return self.path.exists()
        except (OSError, ValueError) as error:  # a name that is too long, or none
            raise self.refusal(error) from None

    def state(self) -> FileState | None:
        return file_state(self.path)

    @property
    def head(self) -> Path:
        """One line of JSON. Each transaction writes down, before it ends, the newest entry of those before it: so it
        may be behind by what the last one wrote, and is never ahead, wherever the process or the power stops."""
        return self._real.with_name(f"{self._real.name}.head")

    def newest(self) -> tuple[int, str] | None:
        """None where there is none: of a ledger of one transaction, or one that was moved without it."""
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
        """For whoever may write to the ledger now, which nobody else does then. It is of the ledger's user and mode."""
        if last is None:  # an owner who accepts that there is no ledger any more
            self.head.unlink(missing_ok=True)
            return
        draft = self.head.with_name(self.head.name + _NEW)
        draft.unlink(missing_ok=True)
        _written(draft, _Head(entries=last.number, hash=last.hash).model_dump_json().encode(), self._real)
        # It is on the disk once SQLite has synced the folder, before the transaction ends; else the one before is.
        os.replace(draft, self.head)

    @property
    def _real(self) -> Path:
        """What SQLite names its journal after."""
        return Path(os.path.realpath(self.path))

    def _prepare(self, write: bool) -> None:
        if write and not self.path.exists():
            self._born()
        self._check_single_name()
        # Every SQLite file begins with so many bytes: SQLite would take a shorter one, such as one that a slip of the
        # shell emptied, for a new database, and give its budget again.
        if self._real.stat().st_size < 100:
            raise self._no_ledger()

    def _made(self, connection: Connection, write: bool) -> bool:
        raise self._no_ledger()  # somebody's own database: nothing is written into it

    def _no_ledger(self) -> InputError:
        """Of a file that is there, and is none."""
        wanted = (
            f"a ledger, which this file of {self._real.stat().st_size:,} bytes is not: put back the one that was "
            "there, or, if there never was any, delete it"
        )
        return InputError("ledger", self.shown, wanted)

    def _born(self) -> None:
        """A ledger without entries, of mode 600, made under another name: whoever stops meanwhile leaves no half of
        one. Of two processes that begin at once one makes the ledger."""
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
        """InputError where the file has a second name: SQLite finds what it has to undo after a crash by the name, and
        would undo under the one what was paid for under the other."""
        path = self._real
        found = path.stat()
        if S_ISDIR(found.st_mode):
            raise IsADirectoryError(EISDIR, "it is a folder")
        if found.st_nlink == 1:
            return
        # Of two names one may be a draft's, of a process that was killed between giving the name and deleting the
        # draft.
        for draft in path.parent.glob(f"{escape(path.name)}.*{_NEW}"):
            with suppress(FileNotFoundError):  # of a birth that goes on, or was cut off
                if draft.samefile(path):
                    draft.unlink()
        names = path.stat().st_nlink
        if names != 1:
            wanted = f"a file with one name; it has {names} (hard links): delete the others, or use a copy of its own"
            raise InputError("ledger", self.shown, wanted)


def _connected(path: Path) -> sqlite3.Connection:
    """To a file that is there: SQLite must not make it."""
    address = f"file:{quote(os.path.realpath(path))}?mode=rw"
    found = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    # With less than EXTRA, what was committed may be gone after the power was.
    found.execute("PRAGMA synchronous=EXTRA")
    return found


def _written(path: Path, content: bytes, like: Path | None = None) -> None:
    """A new file, whole on the disk, for its user alone; or, as SQLite does with its journals, of the user and mode of
    another one. FileExistsError where something has the name."""
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
