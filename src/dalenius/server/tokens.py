"""The tokens of the service: 256 random bits each. A file that nobody else may read keeps their SHA-256.

The text of a token is `dal_0123456789ab_` and 43 letters. It is found, and named in logs, by its public part. The
secret is compared as a hash, in a time that does not depend on where they differ. A token lasts 90 days by the clock of
this machine.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_hex, token_urlsafe
from time import time
from typing import Any, Final, final

from dalenius.curator.sqlite_file_state import FileState, file_state
from dalenius.errors import InputError
from dalenius.server.limits import LONGEST_TOKEN

# Instead of a data set's name: every data set.
ALL_DATA_SETS: Final = "*"
# How long a token lasts where nothing else is said.
DAYS: Final = 90.0
_SUFFIX: Final = ".tokens.sqlite"
BEGINNING: Final = "dal_"
_SHAPE: Final = re.compile(rf"{BEGINNING}([0-9a-f]{{12}})_[A-Za-z0-9_-]{{43}}", re.ASCII)
# Compared with where there is no such token, so that it takes as long.
_NOBODY: Final = "0" * 64
_TABLE: Final = """CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL, role TEXT NOT NULL,
name TEXT NOT NULL, data TEXT NOT NULL, made REAL NOT NULL, expires REAL NOT NULL, revoked REAL) STRICT"""
_COLUMNS: Final = "id, role, name, data, made, expires, revoked"


class Role(StrEnum):
    """The role of a token: an analyst asks, within a cap; owners and auditors see the ledger and every release."""

    analyst = "analyst"
    owner = "owner"
    auditor = "auditor"


@final
@dataclass(frozen=True)
class Token:
    """The rights of a token; not its text, which is shown once.

    Attributes:
        id: Its public part.
        role: Its role.
        name: Who holds it; an analyst's as in the policy.
        data: A data set's name, or `*`.
        made: When it was made, in seconds since 1970, UTC.
        expires: When it ends.
        revoked: When it was revoked; None where it was not.
        signed_on: The data sets of an analyst who signed on at a provider; empty for a token of the file.
    """

    id: str
    role: Role
    name: str
    data: str
    made: float
    expires: float
    revoked: float | None = None
    signed_on: tuple[str, ...] = ()

    def reaches(self, data: str) -> bool:
        """Says whether that data set is among its own."""
        return data in self.signed_on if self.signed_on else self.data in (ALL_DATA_SETS, data)

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The names of its data sets, or `*`."""
        return self.signed_on or (self.data,)

    @property
    def whose(self) -> str:
        """The holder, in a word that is the same for all tokens of one analyst, owner or auditor."""
        return f"{self.role.value} {self.data if self.role is Role.analyst else ''}/{self.name}"

    def is_valid(self, now: float) -> bool:
        """Says whether it may be used at the time `now`, in seconds since 1970."""
        return self.revoked is None and self.made <= now < self.expires


@final
class Tokens:
    """A SQLite file of tokens, of mode 600.

    Every look asks the file whether anybody has written to it, and reads it again where that is so, or not certain: a
    revoked token is refused at once. InputError `tokens` where the file cannot be read, is none of ours, or others may
    read or write it.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time) -> None:
        self.path = path
        self._clock = clock
        # The content of the whole file, and the state that it had before it was read.
        self._read: tuple[FileState, dict[str, tuple[Any, ...]]] | None = None

    def make(self, role: Role, name: str, data: str, days: float = DAYS) -> tuple[str, Token]:
        """Makes a token; returns its text, which is kept nowhere, and what is kept.

        Args:
            role: Its role.
            name: Who holds it.
            data: The data set's name, or `*`.
            days: How long it lasts.

        Raises:
            InputError: For a name that is none, a term that is none, or an analyst of every data set.
        """
        _check(role, name, data, days)
        self._create()
        with self._opened() as file:
            file.execute(_TABLE)
            now = self._clock()
            made = Token(token_hex(6), role, name, data, now, now + days * 86400)
            text = f"{BEGINNING}{made.id}_{token_urlsafe(32)}"
            row = (made.id, hashed(text), role.value, name, data, made.made, made.expires, None)
            file.execute("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return text, made

    def find(self, text: str) -> Token | None:
        """Returns the token with this text; None where there is none, it has expired or was revoked.

        It is found by its public part, and the hashes of the whole are compared in constant time: how long it takes
        says nothing of any hash.
        """
        shaped = _SHAPE.fullmatch(text)
        row = None if shaped is None else self._row(shaped[1])
        same = compare_digest(_NOBODY if row is None else row[0], hashed(text))
        return self._valid(row) if same and row is not None else None

    def again(self, id: str) -> Token | None:
        """Returns the token with the public part `id`, which was found before; None where it has ended since."""
        row = self._row(id)
        return None if row is None else self._valid(row)

    @property
    def is_read(self) -> bool:
        """Says whether the file is as it was when it was last read: then a look takes some microseconds."""
        return self._read is not None and file_state(self.path) == self._read[0]

    def all(self) -> tuple[Token, ...]:
        """Returns all tokens in the order in which they were made, those that have ended too."""
        return tuple(_token(row) for row in self._rows(f"SELECT {_COLUMNS} FROM tokens ORDER BY rowid"))

    def revoke(self, id: str) -> Token:
        """Revokes the token `id` and returns it, also where it is revoked already; InputError where there is none."""
        found = {token.id: token for token in self.all()}.get(id)
        if found is None:
            raise InputError("id", id, "the id of a token, as `dalenius token list` shows it")
        if found.revoked is not None:
            return found
        now = self._clock()
        with self._opened() as file:
            file.execute("UPDATE tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", (now, id))
        return replace(found, revoked=now)

    def _valid(self, row: tuple[Any, ...]) -> Token | None:
        """Returns the token of a row with its hash, if it may be used now."""
        token = _token(row[1:])
        return token if token.is_valid(self._clock()) else None

    def _row(self, id: str) -> tuple[Any, ...] | None:
        """Returns the row with that public part, its hash first."""
        # So that it takes as long for a token that there is not, all rows are read.
        state, read = file_state(self.path), self._read
        if state is not None and read is not None and read[0] == state:
            return read[1].get(id)
        rows = {str(row[1]): row for row in self._rows(f"SELECT hash, {_COLUMNS} FROM tokens")}
        # Because the state is from before they were read, what is written meanwhile is noticed next time.
        self._read = None if state is None else (state, rows)
        return rows.get(id)

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """Returns the rows; none for a file that is not there."""
        if not self.path.exists():
            return []
        with self._opened() as file:
            return file.execute(query, values).fetchall()

    def _create(self) -> None:
        """Makes the file, if there is none yet, for its user alone; InputError where it cannot be written."""
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise InputError("tokens", str(self.path), f"a file that can be written ({error.strerror})") from None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Opens the file: all that is written is there when the block ends; nothing of it where the block raises."""
        try:
            if self.path.stat().st_mode & 0o077:
                raise InputError("tokens", str(self.path), "a file that nobody else may read or write (chmod 600)")
            # Seconds to wait for another process that writes.
            with closing(sqlite3.connect(self.path, timeout=5.0)) as file, file:
                yield file
        except (sqlite3.Error, OSError, ValueError) as error:
            raise InputError("tokens", str(self.path), f"a file of tokens ({error})") from None


def utc(seconds: float) -> str:
    """A moment, in seconds since 1970, as people and programs read it.

    >>> utc(1795395723.456)
    '2026-11-23T01:02:03.456Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def tokens_path(policy: Path) -> Path:
    """The file of a policy's tokens, beside it.

    >>> tokens_path(Path("town/policy.toml")).as_posix()
    'town/policy.tokens.sqlite'
    """
    return policy.with_name(policy.stem + _SUFFIX)


def hashed(text: str) -> str:
    """Returns SHA-256 of a `text`: 256 random bits need no salt and no slow hash."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _token(row: tuple[Any, ...]) -> Token:
    """Returns the token of a row; InputError for a role that there is not, in a file that is none of ours."""
    id, role, name, data, made, expires, revoked = row
    try:
        return Token(id, Role(role), name, data, made, expires, revoked)
    except ValueError:
        raise InputError("tokens", str(role), f"one of {', '.join(Role)}") from None


def _check(role: Role, name: str, data: str, days: float) -> None:
    """Raises InputError for a token that lists could not tell from others, or that is of nothing or lasts too long."""
    for key, value in (("name", name), ("data", data)):
        if not value or not value.isprintable() or value != value.strip():
            raise InputError(key, value, "a name of printable characters, without blanks around it")
    if role is Role.analyst and data == ALL_DATA_SETS:
        raise InputError("data", data, "the name of one data set: an analyst's token is of one")
    if not 0 < days <= LONGEST_TOKEN:
        raise InputError("days", days, f"a number above 0 and at most {LONGEST_TOKEN} (limit {LONGEST_TOKEN.name})")
