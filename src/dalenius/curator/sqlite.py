"""A ledger in a SQLite file."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, final
from urllib.parse import quote
from weakref import finalize

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool

from dalenius.curator.birth import born, check_alone, check_size, no_ledger
from dalenius.curator.chain import Broken, Link
from dalenius.curator.database import BUSY, Database, Rows, entries_table
from dalenius.curator.head import Head, Newest

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
