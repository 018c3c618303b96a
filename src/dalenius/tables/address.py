"""Where a table is, by one URL: a file, a DuckDB file, PostgreSQL or Spark. Passwords are shown nowhere."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import parse_qsl, quote, unquote

from dalenius.errors import InputError

ESCAPED: Final = (
    "before the host are user, colon, password and an at sign, and in these two an at sign is %40, / is %2F, % is %25, "
    "? is %3F, # is %23 and a blank is %20"
)
SERVER: Final = f"postgresql://HOST:PORT/DATABASE; {ESCAPED}"
SCHEMES: Final = ("postgresql", "postgres", "postgresql+psycopg")
_ESCAPED: Final = r"%[0-9a-f]{2}"
_WHO: Final = re.compile(rf"(?i)([^\s@/?#%:\[\]\x00-\x1f]|{_ESCAPED})*(:([^\s@/?#%\[\]\x00-\x1f]|{_ESCAPED})*)?")
_WHERE: Final = re.compile(
    rf"(?i)(?P<host>\[[0-9a-f:.]+\]|(?:[\w.~-]|{_ESCAPED})*)(?::(?P<port>[0-9]{{1,5}}))?"
    rf"(?:/(?P<database>(?:[^\s@/?#%\x00-\x1f]|{_ESCAPED})*))?(?:\?(?P<query>(?:[^\s@#%\x00-\x1f]|{_ESCAPED})*))?"
)
_CAUSES: Final[Mapping[str, str]] = {
    "password authentication failed": "user or password is refused",
    "no password supplied": "it asks for a password",
    "pg_hba": "it lets nobody in from here",
    "does not exist": "no such database, or no such user",
    "refused": "nobody listens there",
    "time": "no answer in time",
    "resolve": "no such host",
    "translate": "no such host",
    "getaddrinfo": "no such host",
    "name or service": "no such host",
    "too many": "it has too many connections",
    "starting up": "it is starting up",
    "shutting down": "it is shutting down",
    "ssl": "TLS fails",
    "permission denied": "permission is denied",
    "invalid": "an option that it does not know",
}
"""What is in a driver's message, and what is said instead: its own words may have parts of the URL in them."""


@final
@dataclass(frozen=True)
class ServerAddress:
    """Its text has neither user nor password nor options. query: what else the driver is given."""

    host: str
    port: int | None
    database: str
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"postgresql://{host}{'' if self.port is None else f':{self.port}'}/{self.database}"

    def connected(self, **options: Any) -> Any:
        """A connection of psycopg's. Its own error, in fixed words, where there is none. options: where the URL does
        not say otherwise."""
        psycopg = import_module("psycopg")
        given = {"host": self.host, "port": self.port, "dbname": self.database}
        given |= {"user": self.user, "password": self.password}
        named = {name: value for name, value in given.items() if value not in (None, "")}
        query = dict(self.query)
        if "options" in query and "options" in options:
            query["options"] = (
                f"{options['options']} {query['options']}"  # of two that say the same the last one counts
            )
        try:
            return psycopg.connect(**{**options, **named, **query})
        except psycopg.OperationalError as error:
            raise psycopg.OperationalError(_cause(error)) from None
        except (psycopg.Error, ValueError, TypeError) as error:  # such as an option that there is none of
            raise psycopg.ProgrammingError(_cause(error)) from None


def server_address(url: str, key: str, wanted: str = SERVER) -> ServerAddress:
    """InputError, which shows no more of it than its scheme, where it is not written as URLs are: up to the last @ it
    is user and password, in which nothing may be left that separates a URL's parts."""
    scheme, _, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    found = _WHERE.fullmatch(where)
    port = None if found is None or found["port"] is None else int(found["port"])
    if scheme.lower() not in SCHEMES or not _WHO.fullmatch(who) or found is None or port == 0 or (port or 1) > 65535:
        shown = scheme.lower() if scheme.lower() in SCHEMES else "…"
        raise InputError(key, f"{shown}://…", wanted)
    user, colon, password = who.partition(":")
    return ServerAddress(
        unquote(found["host"].strip("[]")),
        port,
        unquote(found["database"] or ""),
        unquote(user) if at else None,
        unquote(password) if colon else None,
        tuple(parse_qsl(found["query"] or "", keep_blank_values=True)),
    )


def _cause(error: Exception) -> str:
    said = str(error).lower()
    return next((words for found, words in _CAUSES.items() if found in said), "it cannot be connected to")


FILES: Final = ("file", "duckdb")
SERVERS: Final = ("postgresql", "postgres", "spark", "pyspark")
WANTED: Final = "a path, or a URL that begins with file://, duckdb://, postgresql://, spark:// or pyspark://"

_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")


def checked_url(url: str) -> str:
    """The URL as given. ValueError, which does not show it, where it is none of those that are known."""
    if re.search(r"[\s\x00-\x1f]", url):
        raise ValueError(f"{WANTED}, without blanks (a blank is %20)")
    if scheme_of(url) not in (*FILES, *SERVERS, ""):
        raise ValueError(WANTED)
    return url


def scheme_of(url: str) -> str:
    """The part before ://, in small letters; "" for a path."""
    scheme, separator, _ = url.partition("://")
    return scheme.lower() if separator else ""


def is_server(url: str) -> bool:
    """Whether it is no file that can be opened here."""
    return scheme_of(url) in SERVERS


def path_of(url: str) -> Path:
    """The file, where it is one: `file:///a/b.csv` and `duckdb:///a/b.duckdb` as paths from the root, with two slashes
    relative to the folder, or a bare path."""
    if not scheme_of(url):
        return Path(url)
    return Path(unquote(url.partition("://")[2]))


def expanded(url: str, key: str) -> str:
    """With each `${NAME}` replaced by that variable of the environment, escaped as URLs want it; InputError where there
    is none."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in os.environ:
            raise InputError(key, f"${{{name}}}", "a variable that is set in the environment")
        return quote(os.environ[name], safe="")

    return _VARIABLE.sub(value, url)


def host_of(url: str) -> str:
    """Where the server is, for messages: without user, password and options."""
    if scheme_of(url) in SCHEMES:
        try:
            return str(server_address(url, "url"))
        except InputError:
            return f"{scheme_of(url)}://…"
    return f"{scheme_of(url)}://{url.partition('://')[2].partition('?')[0].rpartition('@')[2]}"
