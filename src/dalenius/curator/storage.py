"""The SQLite file of a ledger: read and written in transactions that no other process comes between."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, final

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import SQLAlchemyError

from dalenius.curator.chain import Broken, Link, linked, verified
from dalenius.curator.history import History
from dalenius.curator.inherited import inherited
from dalenius.errors import InputError

BUSY: Final = 60.0
"""Seconds to wait for another process that writes."""

_METADATA = MetaData()
_ENTRIES = Table(
    "entries",
    _METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("hash", String, nullable=False),
)
_OLD = MetaData()
_BUDGETS = Table("budgets", _OLD, Column("data", String, primary_key=True), Column("initial", Float))
_RELEASES = Table(
    "releases",
    _OLD,
    Column("number", Integer, primary_key=True),
    Column("data", String),
    Column("spec", String),
    Column("notion", String),
    Column("leakage", Float),
    Column("group_loss", Float),
)
# For whoever looks with SQL; and version 0.1.0, which would know nothing of names, cannot write to a view.
_VIEW: Final = "CREATE VIEW releases AS SELECT number, {} FROM entries WHERE kind = 'debit'".format(
    ", ".join(f"json_extract(body, '$.{key}') AS {key}" for key in ("data", "spec", "notion", "leakage", "group_loss"))
)


@final
class Book:
    """A ledger within one transaction: what it says, and what is added to it."""

    def __init__(self, connection: Connection, history: History) -> None:
        self._connection = connection
        self.history = history

    def add(self, kind: str, body: Mapping[str, Any]) -> Link:
        """Writes an entry, which counts when the transaction does."""
        link = linked(self.history.last, kind, body)
        _write(self._connection, link)
        self.history = History((*self.history.links, link))
        return link


@final
class Storage:
    """InputError `ledger` where the file is no ledger, cannot be read or written, or was altered."""

    def __init__(self, path: Path) -> None:
        self.path = path
        url = URL.create("sqlite", database=str(path.absolute()))
        self._engine = create_engine(url, isolation_level="AUTOCOMMIT", connect_args={"timeout": BUSY})
        # With less than EXTRA, what was committed may be gone after the power was.
        event.listen(self._engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous=EXTRA"))

    def read(self) -> History:
        """What the ledger says; a file that is not there says nothing, and is not made."""
        if not self.path.exists():
            return History(())
        with self._connected("BEGIN") as connection:
            return _history(connection)

    @contextmanager
    def writing(self) -> Iterator[Book]:
        """All that is added is on the disk when the block ends; nothing of it where the block raises."""
        # Taken before reading, so that two releases at once cannot both spend the same remainder.
        with self._connected("BEGIN IMMEDIATE") as connection:
            _brought_up(connection)
            yield Book(connection, _history(connection))

    @contextmanager
    def _connected(self, begin: str) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(begin)
                try:
                    yield connection
                except BaseException:
                    connection.exec_driver_sql("ROLLBACK")
                    raise
                connection.exec_driver_sql("COMMIT")
        except (SQLAlchemyError, Broken) as error:
            reason = str(error.__cause__ or error).splitlines()[0]
            raise InputError("ledger", str(self.path), f"a SQLite file that can be written ({reason})") from None
        finally:
            self._engine.dispose()


def _history(connection: Connection) -> History:
    found = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
    if found != "ok":  # pages that are gone may read as a table without rows
        raise Broken(found)
    tables = inspect(connection).get_table_names()
    if "entries" in tables:
        rows = connection.execute(select(_ENTRIES).order_by(_ENTRIES.c.number)).all()
        return History(verified(Link(row.number, row.kind, row.body, row.hash) for row in rows))
    return History(_old(connection) if {"budgets", "releases"} & set(tables) else ())


def _old(connection: Connection) -> tuple[Link, ...]:
    columns = (_RELEASES.c.data, _RELEASES.c.spec, _RELEASES.c.notion, _RELEASES.c.leakage, _RELEASES.c.group_loss)
    releases = connection.execute(select(*columns).order_by(_RELEASES.c.number)).all()
    return inherited(connection.execute(select(_BUDGETS.c.data, _BUDGETS.c.initial)).all(), releases)


def _brought_up(connection: Connection) -> None:
    """A new ledger, or one of version 0.1.0, gets the tables of this one."""
    tables = inspect(connection).get_table_names()
    if "entries" in tables:
        return
    before = _history(connection).links
    _OLD.drop_all(connection)
    _METADATA.create_all(connection)
    connection.exec_driver_sql(_VIEW)
    for link in before:
        _write(connection, link)


def _write(connection: Connection, link: Link) -> None:
    connection.execute(insert(_ENTRIES).values(number=link.number, kind=link.kind, body=link.text, hash=link.hash))
