"""The tokens of the service: 256 random bits each, of which a file that nobody else may read keeps the SHA-256."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_hex, token_urlsafe
from time import time
from typing import Any, Final, final

from dalenius.errors import InputError

ALL: Final = "*"
"""Instead of a data set's name: every data set."""
DAYS: Final = 90.0
"""How long a token lasts where nothing else is said."""
LONGEST: Final = 3650.0
SUFFIX: Final = ".tokens.sqlite"
SHAPE: Final = re.compile(r"dal_([0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)
BUSY: Final = 5.0
"""Seconds to wait for another process that writes."""
NOBODY: Final = "0" * 64
"""Compared with where there is no such token, so that it takes as long."""
_TABLE: Final = """CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL, role TEXT NOT NULL,
name TEXT NOT NULL, data TEXT NOT NULL, made REAL NOT NULL, expires REAL NOT NULL, revoked REAL) STRICT"""
_TIMES: Final = "CREATE TABLE IF NOT EXISTS times (latest REAL NOT NULL) STRICT"
_COLUMNS: Final = "id, role, name, data, made, expires, revoked"


class Role(StrEnum):
    """analyst: asks, within a cap; owner: sees the ledger and every release; auditor: the same."""

    analyst = "analyst"
    owner = "owner"
    auditor = "auditor"


@final
@dataclass(frozen=True)
class Token:
    """What a token may do; not its text, which is shown once. id: its public part; name: of who holds it, of an analyst
    as in the policy; data: a data set's name, or `*`; made, expires, revoked: seconds since 1970, UTC."""

    id: str
    role: Role
    name: str
    data: str
    made: float
    expires: float
    revoked: float | None = None

    def reaches(self, data: str) -> bool:
        """Whether that data set is among its own."""
        return self.data in (ALL, data)

    def is_valid(self, now: float) -> bool:
        return self.revoked is None and self.made <= now < self.expires


@final
class Tokens:
    """A SQLite file of mode 600. Every look is at the file itself, so that what is revoked is refused at once.

    The file remembers when a token was seen to have expired, one was made or revoked: for it the time is never before
    that, whatever the clock says, so that what has ended stays ended.

    InputError `tokens` where the file cannot be read, is none of ours, or others may read or write it.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time) -> None:
        self.path = path
        self._clock = clock

    def make(self, role: Role, name: str, data: str, days: float = DAYS) -> tuple[str, Token]:
        """A new token: its text, which is kept nowhere, and what is kept. InputError for a name that is none, a term
        that is none, or an analyst of every data set."""
        _check(role, name, data, days)
        self._create()
        with self._opened() as file:
            file.execute(_TABLE)
            now = self._reached(file)
            made = Token(token_hex(6), role, name, data, now, now + days * 86400)
            text = f"dal_{made.id}_{token_urlsafe(32)}"
            row = (made.id, _hashed(text), role.value, name, data, made.made, made.expires, None)
            file.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return text, made

    def find(self, text: str) -> Token | None:
        """The token with this text; None where there is none, it has expired or was revoked.

        It is found by its public part, and the hashes of the whole are compared in constant time: how long it takes
        says nothing of any hash.
        """
        shaped = SHAPE.fullmatch(text)
        query = f"SELECT hash, {_COLUMNS} FROM tokens WHERE id = ?"
        rows, latest = ([], 0.0) if shaped is None else self._rows(query, shaped[1])
        kept = rows[0][0] if rows else NOBODY
        same = compare_digest(kept, _hashed(text))
        return self._valid([_token(row[1:]) for row in rows], latest) if same and rows else None

    def again(self, id: str) -> Token | None:
        """The token with that public part, of one that was found before: None where it has ended since."""
        rows, latest = self._rows(f"SELECT {_COLUMNS} FROM tokens WHERE id = ?", id)
        return self._valid([_token(row) for row in rows], latest)

    def all(self) -> tuple[Token, ...]:
        """In the order in which they were made, those that have ended too."""
        return tuple(_token(row) for row in self._rows(f"SELECT {_COLUMNS} FROM tokens ORDER BY rowid")[0])

    def revoke(self, id: str) -> Token:
        """From now on it is refused, also where it is revoked already. InputError where there is no such token."""
        found = {token.id: token for token in self.all()}.get(id)
        if found is None:
            raise InputError("id", id, "the id of a token, as `dalenius token list` shows it")
        if found.revoked is not None:
            return found
        with self._opened() as file:
            now = self._reached(file)
            file.execute("UPDATE tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", (now, id))
        return replace(found, revoked=now)

    def _valid(self, found: list[Token], latest: float) -> Token | None:
        if not found or found[0].revoked is not None:
            return None
        token, clock = found[0], self._clock()
        if clock >= token.expires > latest:
            with self._opened() as file:
                self._reached(file)
        return token if token.is_valid(clock) and token.is_valid(max(clock, latest)) else None

    def _reached(self, file: sqlite3.Connection) -> float:
        """Now, which is never before what the file knows; from now on it knows this."""
        file.execute(_TIMES)
        now = max(self._clock(), float(file.execute("SELECT max(latest) FROM times").fetchone()[0] or 0.0))
        file.execute("DELETE FROM times")
        file.execute("INSERT INTO times VALUES (?)", (now,))
        return now

    def _rows(self, query: str, *values: str) -> tuple[list[tuple[Any, ...]], float]:
        """And the latest time the file knows of. Of a file that is not there: none, and 0, as of one of before."""
        if not self.path.exists():
            return [], 0.0
        with self._opened() as file:
            there = file.execute("SELECT 1 FROM sqlite_master WHERE name = 'times'").fetchall()
            latest = file.execute("SELECT max(latest) FROM times").fetchone()[0] if there else None
            return file.execute(query, values).fetchall(), float(latest or 0.0)

    def _create(self) -> None:
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise InputError("tokens", str(self.path), f"a file that can be written ({error.strerror})") from None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """All that is written is there when the block ends; nothing of it where the block raises."""
        try:
            if self.path.stat().st_mode & 0o077:
                raise InputError("tokens", str(self.path), "a file that nobody else may read or write (chmod 600)")
            with closing(sqlite3.connect(self.path, timeout=BUSY)) as file, file:
                yield file
        except (sqlite3.Error, OSError, ValueError) as error:
            raise InputError("tokens", str(self.path), f"a file of tokens ({error})") from None


def tokens_beside(policy: Path) -> Path:
    """The file of a policy's tokens."""
    return policy.with_name(policy.stem + SUFFIX)


def _hashed(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _token(row: tuple[Any, ...]) -> Token:
    id, role, *rest = row
    try:
        return Token(id, Role(role), *rest)
    except ValueError:
        raise InputError("tokens", str(role), f"one of {', '.join(Role)}") from None


def _check(role: Role, name: str, data: str, days: float) -> None:
    for key, value in (("name", name), ("data", data)):
        if not value or not value.isprintable() or value != value.strip():
            raise InputError(key, value, "a name of printable characters, without blanks around it")
    if role is Role.analyst and data == ALL:
        raise InputError("data", data, "the name of one data set: an analyst's token is of one")
    if not 0 < days <= LONGEST:
        raise InputError("days", days, f"a number above 0 and at most {LONGEST:g}")
