"""Where a ledger's entries lie, and what is written down beside them: an older or emptied file is noticed."""

import abc
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Insert,
    MetaData,
    Select,
    String,
    Table,
    Text,
    bindparam,
    insert,
    select,
)
from sqlalchemy.exc import SQLAlchemyError

from dalenius.curator.history import Broken, Link
from dalenius.errors import InputError

SUFFIX: Final = ".head"
LONGEST: Final = 1000
"""Bytes of it that are read at most."""


@final
@dataclass(frozen=True)
class Newest:
    """An entry that was on the disk: its number, and its hash."""

    number: int
    hash: str


@final
class Head:
    """One line of JSON. Each transaction writes down, before it ends, the newest entry of those before it: so it may be
    behind by what the last one wrote, and is never ahead, wherever the process or the power stops.

    OSError where it cannot be written or read; Broken where it holds something else.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self.path = ledger.with_name(ledger.name + SUFFIX)

    def read(self) -> Newest | None:
        """None where there is none: of a new ledger, or one of before there were any."""
        try:
            with self.path.open("rb") as file:
                found = json.loads(file.read(LONGEST))
        except FileNotFoundError:
            return None
        except ValueError:
            raise self._spoilt() from None
        number, digest = (found.get("entries"), found.get("hash")) if isinstance(found, dict) else (None, None)
        if type(number) is not int or not isinstance(digest, str) or number < 1:
            raise self._spoilt()
        return Newest(number, digest)

    def write(self, last: Link) -> None:
        """For whoever may write to the ledger now, which nobody else does then. It is of the ledger's user and mode."""
        draft = self.path.with_name(self.path.name + ".new")
        draft.unlink(missing_ok=True)
        line = json.dumps({"entries": last.number, "hash": last.hash}) + "\n"
        number = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(number, "w", encoding="ascii") as file:
            file.write(line)
            file.flush()
            _like(number, self._ledger)
            os.fsync(number)
        # It is on the disk once SQLite has synced the folder, before the transaction ends; else the one before is.
        os.replace(draft, self.path)

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)

    def _spoilt(self) -> Broken:
        return Broken(f"{self.path.name} beside it is none of ours: dalenius ledger accept takes what is there")


def _like(number: int, file: Path) -> None:
    """As SQLite does with its journals: whoever may write the one may write the other."""
    if hasattr(os, "fchown"):
        found = file.stat()
        os.fchmod(number, found.st_mode & 0o666)
        if os.geteuid() == 0:
            os.fchown(number, found.st_uid, found.st_gid)


BUSY: Final = 60.0
"""Seconds to wait for another process that writes."""


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


@lru_cache
def _statements(table: Table) -> tuple[Select[Any], Select[Any], Insert]:
    """All rows, those after one, and another one."""
    of = table.c
    every = select(of.number, of.kind, of.body, of.hash).order_by(of.number)
    return every, every.where(of.number > bindparam("least")), insert(table)


class Rows:
    """The entries within one transaction."""

    def __init__(self, connection: Connection, table: Table) -> None:
        self._connection, self._table = connection, table

    def after(self, number: int | None) -> Sequence[Link]:
        """Those with a greater number, or all, in their order."""
        every, later, _ = _statements(self._table)
        rows = self._connection.execute(every) if number is None else self._connection.execute(later, {"least": number})
        return [Link(*row) for row in rows]

    def write(self, links: Sequence[Link]) -> None:
        """They count when the transaction does."""
        rows = [{"number": each.number, "kind": each.kind, "body": each.text, "hash": each.hash} for each in links]
        self._connection.execute(_statements(self._table)[2], rows)

    def check(self) -> None:
        """Broken where the file is damaged."""


class Database(abc.ABC):
    """One connection, for one thread at a time. InputError `ledger` where it cannot be read or written.

    shown: its address, without a password; file: where it is one.
    """

    shown: str
    file: Path | None = None
    wanted: str

    @property
    @abc.abstractmethod
    def is_there(self) -> bool:
        """Whether it may be opened without making it."""

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """All that is read is of one moment."""
        with self._transaction(False) as rows:
            yield rows

    @contextmanager
    def writing(self) -> Iterator[Rows]:
        """No other process comes between. What is written is on the disk when the block ends; nothing of it where the
        block raises, or raises `Nothing`, which goes no further."""
        with self._transaction(True) as rows:
            yield rows

    @abc.abstractmethod
    def close(self) -> None:
        """It is opened again where it is used."""

    def newest(self) -> Newest | None:
        """What is written down beside it: an entry that was there. A server has no such place, and no file that could
        be emptied by a slip."""
        return None

    def remember(self, last: Link | None) -> None:  # noqa: B027
        """Within a transaction: it is written down, where there is a place, that all up to this entry, or nothing, is
        on the disk."""

    @abc.abstractmethod
    def _begun(self, write: bool) -> tuple[Connection, Rows]:
        """A connection in a new transaction."""

    def _check_after(self) -> None:  # noqa: B027
        """After something was written, whether it is where others will look for it."""

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[Rows]:
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
        except Nothing:
            return
        except (SQLAlchemyError, Broken, OSError) as error:
            self.close()
            raise self.refusal(error) from None

    def _given_up(self, connection: Connection) -> None:
        try:
            connection.exec_driver_sql("ROLLBACK")
        except SQLAlchemyError:  # the connection is gone, and what was not committed with it
            self.close()

    def refusal(self, error: Exception) -> InputError:
        """In one line."""
        reason = getattr(error, "strerror", None) or (str(error.__cause__ or error).splitlines() or ["?"])[0]
        return InputError("ledger", self.shown, f"{self.wanted} ({reason})")


@final
class Nothing(Exception):
    """Raised within a transaction in which nothing was written, to end it for nothing."""
