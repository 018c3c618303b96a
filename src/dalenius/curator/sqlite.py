"""A ledger in a SQLite file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, final
from weakref import finalize

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from dalenius.curator.chain import Broken, Link
from dalenius.curator.database import BUSY, Database, Rows, entries_table

ENTRIES: Final = entries_table("entries")
_NATS: Final = (
    "CASE json_type(body, '$.{0}') WHEN 'integer' THEN json_extract(body, '$.{0}') / 1e9 "
    "ELSE json_extract(body, '$.{0}') END AS {0}"
)
_COLUMNS: Final = [
    *(f"json_extract(body, '$.{key}') AS {key}" for key in ("data", "spec", "notion")),
    *(_NATS.format(key) for key in ("leakage", "group_loss")),
]
# For whoever looks with SQL; and version 0.1.0, which would know nothing of names, cannot write to a view.
_VIEW: Final = f"CREATE VIEW releases AS SELECT number, {', '.join(_COLUMNS)} FROM entries WHERE kind = 'debit'"

OLD: Final = (
    "version 0.1.0 wrote it, which did not keep what its releases cost beside others: a new ledger starts with what is "
    "left of the budget"
)


@final
class SQLite(Database):
    """The file stays open, and is noticed where another one is put in its place."""

    wanted = "a SQLite file that can be written"

    def __init__(self, path: Path) -> None:
        self.file = path
        self.shown = str(path)
        self._open: tuple[Engine, Connection, tuple[int, ...]] | None = None

    @property
    def is_there(self) -> bool:
        return self.path.exists()

    @property
    def path(self) -> Path:
        assert self.file is not None
        return self.file

    def close(self) -> None:
        if self._open is not None:
            engine, connection, which = self._open
            self._open = None
            _closed(engine, connection, which[0])

    def _begun(self, write: bool) -> tuple[Connection, Rows]:
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
        if not write:
            return connection, _NoRows(connection, ENTRIES)
        _Rows(connection, ENTRIES).check()
        ENTRIES.create(connection)
        connection.exec_driver_sql(_VIEW)
        return connection, _Rows(connection, ENTRIES)

    def _check_after(self) -> None:
        if self._open is None or self._open[2] != self._which():
            raise Broken("another file was put in its place")

    def _opened(self) -> Connection:
        if self._open is not None and (not self.path.exists() or self._open[2] != self._which()):
            self.close()
        if self._open is None:
            url = URL.create("sqlite", database=str(self.path.absolute()))
            options = {"timeout": BUSY, "check_same_thread": False}
            engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=StaticPool, connect_args=options)
            # With less than EXTRA, what was committed may be gone after the power was.
            event.listen(engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous=EXTRA"))
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


@final
class _NoRows(Rows):
    """Of a file without entries."""

    def after(self, number: int | None) -> Sequence[Link]:
        return ()

    def check(self) -> None:
        _Rows(self._connection, ENTRIES).check()


def _closed(engine: Engine, connection: Connection, process: int) -> None:
    if process == os.getpid():
        connection.close()
        engine.dispose()


def _names(connection: Connection) -> dict[str, str]:
    """What there is, and how it was made."""
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view')")
    return {str(name): str(sql) for name, sql in rows}
