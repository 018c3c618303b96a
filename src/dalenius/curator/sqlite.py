"""A ledger in a SQLite file: how it comes to be, which files are none, and what is written down beside it, so that an
older or emptied file is noticed.

Beside `people.csv.ledger.sqlite` lies `people.csv.ledger.sqlite.head`, one line such as {"entries": 3, "hash": "88…"}.
An owner who restores last week's backup, or whose disk left the file empty after a power cut, is refused: entry 3 with
that hash is not there. Whoever knows that it is lost for good says so once: `dalenius ledger accept`.
"""

import json
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

from sqlalchemy import Connection, Engine

from dalenius.curator.history import Broken, Link
from dalenius.curator.ledger_table import BUSY, Database, LedgerRows, Newest, engine_of, entries_table
from dalenius.errors import InputError

_SUFFIX: Final = ".head"


@final
class Head:
    """One line of JSON. Each transaction writes down, before it ends, the newest entry of those before it: so it may be
    behind by what the last one wrote, and is never ahead, wherever the process or the power stops.

    OSError where it cannot be written or read; Broken where it holds something else.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self.path = ledger.with_name(ledger.name + _SUFFIX)

    def read(self) -> Newest | None:
        """None where there is none: of a ledger of one transaction, or one that was moved without it."""
        try:
            with self.path.open("rb") as file:
                found = json.loads(file.read(1000))  # whatever large file has taken its name
        except FileNotFoundError:
            return None
        except ValueError:
            raise self._spoilt() from None
        number, digest = (found.get("entries"), found.get("hash")) if isinstance(found, dict) else (None, None)
        if type(number) is not int or not isinstance(digest, str) or number < 1:
            raise self._spoilt()
        return number, digest

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
        """For an owner who accepts that there is no ledger any more."""
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


_NEW: Final = ".new"


def _born(path: Path, make: Callable[[Path], None]) -> None:
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
    """The draft gets the ledger's name, if nobody has it: of two processes that begin at once one makes the ledger."""
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


def _check_alone(shown: str, path: Path) -> None:
    """InputError where the file has a second name: SQLite finds what it has to undo after a crash by the name, and
    would undo under the one what was paid for under the other."""
    found = path.stat()
    if S_ISDIR(found.st_mode):
        raise IsADirectoryError(EISDIR, "it is a folder")
    if found.st_nlink == 1:
        return
    # Of two names one may be a draft's, of a process that was killed between giving the name and deleting the draft.
    for draft in path.parent.glob(f"{escape(path.name)}.*{_NEW}"):
        with suppress(FileNotFoundError):  # of a birth that goes on, or was cut off
            if draft.samefile(path):
                draft.unlink()
    names = path.stat().st_nlink
    if names != 1:
        wanted = f"a file with one name; it has {names} (hard links): delete the others, or use a copy of its own"
        raise InputError("ledger", shown, wanted)


def _no_ledger(shown: str, path: Path) -> InputError:
    """Of a file that is there, and is none."""
    wanted = (
        f"a ledger, which this file of {path.stat().st_size:,} bytes is not: put back the one that was there, or, if "
        "there never was any, delete it"
    )
    return InputError("ledger", shown, wanted)


_ENTRIES: Final = entries_table("entries")
_NATS: Final = (  # what is infinite is a text, and stays one
    "CASE json_type(body, '$.{0}') WHEN 'integer' THEN json_extract(body, '$.{0}') / 1e9 "
    "ELSE json_extract(body, '$.{0}') END AS {0}"
)
_COLUMNS: Final = [
    *(f"json_extract(body, '$.{key}') AS {key}" for key in ("data", "spec", "notion")),
    *(_NATS.format(key) for key in ("leakage", "group_loss")),
]
# For whoever looks with SQL; and version 0.1.0 cannot write to a view.
_VIEW: Final = f"CREATE VIEW releases AS SELECT number, {', '.join(_COLUMNS)} FROM entries WHERE kind = 'debit'"

_OLD: Final = (
    "version 0.1.0 wrote it, which did not keep what its releases cost beside others: a new ledger starts with what is "
    "left of the budget"
)


@final
class SQLite(Database):
    """The file stays open, and is noticed where another one is put in its place. A new one is made whole, for its
    user alone, before it has its name; a file that is there and is no ledger is none that may be begun."""

    wanted = "a SQLite file that can be written"

    def __init__(self, path: Path) -> None:
        self.path, self.shown = path, str(path)

    @property
    def is_there(self) -> bool:
        """Whether something has its name. InputError for a name that no file can have."""
        try:
            return self.path.exists()
        except (OSError, ValueError) as error:  # a name that is too long, or none
            raise self.refusal(error) from None

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

    def _begun(self, write: bool) -> tuple[Connection, LedgerRows]:
        """A new file where there is none and something is to be written. Refused where the file is another kind of
        SQLite file: of a program that was given the wrong name, nothing is to be written into."""
        if write and not self.path.exists():
            self.close()
            _born(self._real, _make)
        connection = self._opened()
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
        names = set(connection.exec_driver_sql("SELECT name FROM sqlite_master").scalars())
        if "entries" in names:
            return connection, LedgerRows(connection, _ENTRIES)
        if {"budgets", "releases"} & names:
            raise Broken(_OLD)
        # Somebody's own database, or a DuckDB file's neighbour: nothing is written into it.
        self.close()
        raise _no_ledger(self.shown, self.path)

    def _check_after(self) -> None:
        """Broken where what was written is in a file that has no name any more: it would be gone with this process."""
        if self._open is None or self._open[2] != self._which():
            raise Broken("another file was put in its place")

    def _connected(self) -> tuple[Engine, Connection]:
        real = self._real
        _check_alone(self.shown, real)
        # Every SQLite file begins with so many bytes: SQLite would take a shorter one, such as one that a slip of the
        # shell emptied, for a new database, and give its budget again.
        if real.stat().st_size < 100:
            raise _no_ledger(self.shown, real)
        engine = engine_of("sqlite://", lambda: _connected(real))
        return engine, engine.connect()

    def _which(self) -> tuple[int, ...]:
        """The process, and the file: a child of this process must not use its connection."""
        found = self.path.stat()
        return os.getpid(), found.st_dev, found.st_ino


def _connected(path: Path) -> sqlite3.Connection:
    """To a file that is there: SQLite must not make it."""
    address = f"file:{quote(str(path))}?mode=rw"
    found = sqlite3.connect(address, uri=True, timeout=BUSY, check_same_thread=False)
    # With less than EXTRA, what was committed may be gone after the power was.
    found.execute("PRAGMA synchronous=EXTRA")
    return found


def _make(path: Path) -> None:
    """The tables of a new ledger, in an empty file."""
    engine = engine_of("sqlite://", lambda: _connected(path))
    with closing(engine.connect()) as connection:
        _ENTRIES.create(connection)
        connection.exec_driver_sql(_VIEW)
    engine.dispose()
