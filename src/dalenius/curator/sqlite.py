"""A ledger in a SQLite file: how it comes to be, and which files are none."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from errno import EISDIR
from glob import escape
from pathlib import Path
from secrets import token_hex
from stat import S_ISDIR
from typing import Final, final
from urllib.parse import quote
from weakref import finalize

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool

from dalenius.curator.database import BUSY, Database, Head, Newest, Rows, entries_table
from dalenius.curator.history import Broken, Link
from dalenius.errors import InputError

HEADER: Final = 100
"""Bytes that every SQLite file begins with."""
_NEW: Final = ".new"


def born(path: Path, make: Callable[[Path], None]) -> None:
    """A ledger without entries, of mode 600, made under another name: whoever stops meanwhile leaves no half of one.
    Nothing where somebody else made one meanwhile."""
    draft = path.with_name(f"{path.name}.{token_hex(8)}{_NEW}")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        make(draft)
        with suppress(FileExistsError):
            _named(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _named(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)  # unlike a renaming, it takes nobody's place
    except FileExistsError:
        raise
    except OSError:  # a disk that knows no second names
        number = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(number, "wb") as file:
            file.write(draft.read_bytes())
            file.flush()
            os.fsync(number)


def check_alone(shown: str, path: Path) -> None:
    """InputError where the file has a second name: SQLite finds what it has to undo after a crash by the name, and
    would undo under the one what was paid for under the other."""
    found = path.stat()
    if S_ISDIR(found.st_mode):
        raise IsADirectoryError(EISDIR, "it is a folder")
    if found.st_nlink == 1:
        return
    for draft in path.parent.glob(f"{escape(path.name)}.*{_NEW}"):
        with suppress(FileNotFoundError):  # of a birth that goes on, or was cut off
            if draft.samefile(path):
                draft.unlink()
    names = path.stat().st_nlink
    if names != 1:
        wanted = f"a file with one name; it has {names} (hard links): delete the others, or use a copy of its own"
        raise InputError("ledger", shown, wanted)


def check_size(shown: str, path: Path) -> None:
    """InputError where it is too short for any ledger."""
    if path.stat().st_size < HEADER:
        raise no_ledger(shown, path)


def no_ledger(shown: str, path: Path) -> InputError:
    """Of a file that is there, and is none."""
    wanted = (
        f"a ledger, which this file of {path.stat().st_size:,} bytes is not: put back the one that was there, or, if "
        "there never was any, delete it"
    )
    return InputError("ledger", shown, wanted)


ENTRIES: Final = entries_table("entries")
_NATS: Final = (
    "CASE json_type(body, '$.{0}') WHEN 'integer' THEN json_extract(body, '$.{0}') / 1e9 "
    "ELSE json_extract(body, '$.{0}') END AS {0}"
)
_COLUMNS: Final = [
    *(f"json_extract(body, '$.{key}') AS {key}" for key in ("data", "spec", "notion")),
    *(_NATS.format(key) for key in ("leakage", "group_loss")),
]
# For whoever looks with SQL; and version 0.1.0 cannot write to a view.
_VIEW: Final = f"CREATE VIEW releases AS SELECT number, {', '.join(_COLUMNS)} FROM entries WHERE kind = 'debit'"

OLD: Final = (
    "version 0.1.0 wrote it, which did not keep what its releases cost beside others: a new ledger starts with what is "
    "left of the budget"
)


@final
class SQLite(Database):
    """The file stays open, and is noticed where another one is put in its place. A new one is made whole, for its
    user alone, before it has its name; a file that is there and is no ledger is none that may be begun."""

    wanted = "a SQLite file that can be written"

    def __init__(self, path: Path) -> None:
        self.file = path
        self.shown = str(path)
        self._open: tuple[Engine, Connection, tuple[int, ...]] | None = None

    @property
    def is_there(self) -> bool:
        try:
            return self.path.exists()
        except (OSError, ValueError) as error:  # a name that is too long, or none
            raise self.refusal(error) from None

    @property
    def path(self) -> Path:
        assert self.file is not None
        return self.file

    def close(self) -> None:
        if self._open is not None:
            engine, connection, which = self._open
            self._open = None
            _closed(engine, connection, which[0])

    def newest(self) -> Newest | None:
        return self._head.read()

    def remember(self, last: Link | None) -> None:
        self._head.forget() if last is None else self._head.write(last)

    @property
    def _head(self) -> Head:
        return Head(self._real)

    @property
    def _real(self) -> Path:
        """What SQLite names its journal after."""
        return Path(os.path.realpath(self.path))

    def _begun(self, write: bool) -> tuple[Connection, Rows]:
        if write and not self.path.exists():
            self.close()
            born(self._real, _make)
        connection = self._opened()
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
        names = _names(connection)
        if "entries" in names:
            if write and names.get("releases") != _VIEW:  # of before, when amounts were in nats
                connection.exec_driver_sql("DROP VIEW IF EXISTS releases")
                connection.exec_driver_sql(_VIEW)
            return connection, _Rows(connection, ENTRIES)
        if {"budgets", "releases"} & names.keys():
            raise Broken(OLD)
        self.close()
        raise no_ledger(self.shown, self.path)

    def _check_after(self) -> None:
        if self._open is None or self._open[2] != self._which():
            raise Broken("another file was put in its place")

    def _opened(self) -> Connection:
        if self._open is not None and (not self.path.exists() or self._open[2] != self._which()):
            self.close()
        if self._open is None:
            check_alone(self.shown, self._real)
            check_size(self.shown, self._real)
            real = self._real
            engine = create_engine(
                "sqlite://", creator=lambda: _connected(real), isolation_level="AUTOCOMMIT", poolclass=StaticPool
            )
            connection = engine.connect()
            finalize(self, _closed, engine, connection, os.getpid())
            self._open = engine, connection, self._which()
        return self._open[1]

    def _which(self) -> tuple[int, ...]:
        """The process, and the file: a child of this process must not use its connection."""
        found = self.path.stat()
        return os.getpid(), found.st_dev, found.st_ino


@final
class _Rows(Rows):
    def check(self) -> None:
        found = str(self._connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if found != "ok":  # pages that are gone may read as a table without rows
            raise Broken(found)


def _connected(path: Path) -> sqlite3.Connection:
    """To a file that is there: SQLite must not make it."""
    address = f"file:{quote(str(path))}?mode=rw"
    found = sqlite3.connect(address, uri=True, timeout=BUSY, check_same_thread=False)
    # With less than EXTRA, what was committed may be gone after the power was.
    found.execute("PRAGMA synchronous=EXTRA")
    return found


def _make(path: Path) -> None:
    """The tables of a new ledger, in an empty file."""
    engine = create_engine("sqlite://", creator=lambda: _connected(path), poolclass=StaticPool)
    with closing(engine.connect()) as connection:
        ENTRIES.create(connection)
        connection.exec_driver_sql(_VIEW)
        connection.commit()
    engine.dispose()


def _closed(engine: Engine, connection: Connection, process: int) -> None:
    if process == os.getpid():
        connection.close()
        engine.dispose()


def _names(connection: Connection) -> dict[str, str]:
    """What there is, and how it was made."""
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view')")
    return {str(name): str(sql) for name, sql in rows}
