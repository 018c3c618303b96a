"""A PostgreSQL database's URL, read once: what goes to its driver, and what may be said of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, final
from urllib.parse import parse_qsl, unquote

from dalenius.errors import InputError

ESCAPED: Final = (
    "before the host are user, colon, password and an at sign, and in these two an at sign is %40, / is %2F, % is %25, "
    "? is %3F, # is %23 and a blank is %20"
)
WANTED: Final = f"postgresql://HOST:PORT/DATABASE; {ESCAPED}"
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


def server_address(url: str, key: str, wanted: str = WANTED) -> ServerAddress:
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
