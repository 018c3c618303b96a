"""Tables of PostgreSQL and Spark: their URLs, whose passwords are shown nowhere, and connections to them.

A password that holds an at sign or a slash is written with escapes. Otherwise nobody can say where the host begins, and
the URL is refused without being shown:

>>> found = server_address("postgresql://ana:s%40fe@db:5432/clinic", "data.url")
>>> str(found), found.user, found.password
('postgresql://db:5432/clinic', 'ana', 's@fe')
>>> host_of("postgresql://ana:s@fe@db/clinic")
'postgresql://…'

If a server does not answer, the user reads after three seconds at most that it cannot be reached.
"""

import os
import re
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from dalenius.errors import InputError, Unreachable, without_passwords
from dalenius.fields import LARGEST_PORT
from dalenius.spec.table_url import scheme_of
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import IbisTable, ibis

ESCAPED: Final = (
    "before the host write user, colon, password and an at sign. In user and password write %40 for an at sign, %2F "
    "for /, %25 for %, %3F for ?, %23 for # and %20 for a blank"
)
"""It has no at sign, because errors hide all that stands before one, as a password may."""
_SERVER: Final = f"postgresql://HOST:PORT/DATABASE; {ESCAPED}"
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
    "resolve|translate|getaddrinfo|name or service": "no such host",
    "ssl": "TLS fails",
    "invalid": "an option that it does not know",
}
"""A pattern in a driver's message, and the words in its place, as its own may have parts of the URL in them."""


@final
@dataclass(frozen=True)
class ServerAddress:
    """The address of a PostgreSQL server, and as whom it is asked.

    Its text has neither user nor password nor options. query: what else the driver is given.
    """

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
        """Returns a connection of psycopg's; its own error, in fixed words, where there is none.

        options: what is set where the URL does not say otherwise.
        """
        psycopg = import_module("psycopg")
        given = {"host": self.host, "port": self.port, "dbname": self.database}
        given |= {"user": self.user, "password": self.password}
        named = {name: value for name, value in given.items() if value not in (None, "")}
        query = dict(self.query)
        # So that a URL's own options count, ours go before them.
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


def server_address(url: str, key: str, wanted: str = _SERVER) -> ServerAddress:
    """Returns the address in a URL.

    Up to the last @ it is user and password, in which nothing may be left that separates a URL's parts.

    Args:
        url: The URL.
        key: The spec's key that errors name.
        wanted: What should have been there.

    Raises:
        InputError: If it is not written as URLs are; the error shows no more of it than its scheme.
    """
    scheme, _, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    found = _WHERE.fullmatch(where)
    port = None if found is None or found["port"] is None else int(found["port"])
    # Because a password with an unescaped @ or / would end up in the host, and so in a message.
    known = scheme.lower() in SCHEMES and _WHO.fullmatch(who)
    if not known or found is None or port == 0 or (port or 1) > LARGEST_PORT:
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
    """Returns why a connection failed, in fixed words. None of them can be from the URL."""
    said = str(error).lower()
    return next((words for found, words in _CAUSES.items() if re.search(found, said)), "it cannot be connected to")


_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")


def with_variables(text: str, key: str) -> tuple[str, dict[str, str]]:
    """Replaces each `${NAME}` in `text` by that variable of the environment; returns also what replaced each.

    InputError, in the name of the spec's `key`, where there is no such variable.
    """
    used: dict[str, str] = {}

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in os.environ:
            raise InputError(key, found[0], "a variable that is set in the environment")
        # Because a password within a URL may hold what separates the URL's parts.
        used[name] = quote(os.environ[name], safe="") if "://" in text else os.environ[name]
        return used[name]

    return _VARIABLE.sub(value, text), used


def host_of(url: str) -> str:
    """Returns the server of a `url`, for messages: without user, password and options."""
    # Because any part of a URL that cannot be taken to pieces may be a password.
    if scheme_of(url) in SCHEMES:
        try:
            return str(server_address(url, "url"))
        except InputError:
            return f"{scheme_of(url)}://…"
    return f"{scheme_of(url)}://{url.partition('://')[2].partition('?')[0].rpartition('@')[2]}"


_MOST_SAID: Final = 200
"""The most letters of Spark's own message that ours shows: two lines."""
_OPTIONS: Final = "-c DateStyle=ISO -c lock_timeout=5s"
"""So that dates as texts are ISO in every engine, where a database may want them otherwise; and because waiting for a
locked table keeps all others waiting. A URL's own options count more."""


def open_server_table(url: str, table: str | None) -> IbisTable:
    """Opens the table.

    Args:
        url: The server's URL, in which `${NAME}` is a variable of the environment.
        table: Its name, `schema.table` or bare.

    Raises:
        InputError: If the table is not there.
        Unreachable: If its server is not.
    """
    given, _ = with_variables(url, "data.url")
    if scheme_of(url) in ("postgresql", "postgres"):
        backend = _postgres(given)
        try:
            return table_of(backend, table)
        except BaseException:  # the connection is ours
            backend.disconnect()
            raise
    return _spark(given, table)


def table_of(backend: Any, table: str | None) -> IbisTable:
    """Returns the backend's table of this name; InputError where there is no name, or no such table."""
    if table is None:
        raise InputError("data.table", "missing", "the table's name (or schema.table): a database holds several")
    schema, _, name = table.rpartition(".")
    found = import_module("ibis.common.exceptions").TableNotFound
    wanted = "a table or view that is there and may be read"
    with engine_errors("data.table", table, wanted):
        try:
            return backend.table(name, **({"database": schema} if schema else {}))
        except found:
            raise InputError("data.table", table, wanted) from None


def _postgres(url: str) -> Any:
    """Returns a backend of Ibis on a connection of our own.

    InputError without the driver or for a URL that is none; Unreachable where the server does not answer.
    """
    _insist("psycopg", "postgres", url)
    psycopg = import_module("psycopg")
    address = server_address(url, "data.url")
    try:
        connection = address.connected(
            autocommit=True, connect_timeout=3, application_name="dalenius", options=_OPTIONS
        )
    except psycopg.OperationalError as error:
        raise Unreachable("data.url", str(address), f"a database that answers ({error})") from None
    except psycopg.Error as error:  # such as an option that there is none of
        raise InputError("data.url", str(address), f"a URL that can be read ({error})") from None
    with engine_errors("data.url", str(address), "a database that can be read"):
        backend = ibis().postgres.from_connection(connection)
    weakref.finalize(backend, connection.close)  # where nobody closes it
    return backend


def _spark(url: str, table: str | None) -> IbisTable:
    """Returns a table of the process's one Spark session, or a Parquet file or folder that the URL names.

    The URL's options are settings of the session.
    """
    _insist("pyspark", "spark", url)
    sql, errors = import_module("pyspark.sql"), import_module("pyspark.errors")
    parts = urlsplit(url)
    builder = sql.SparkSession.builder
    if scheme_of(url) == "spark":
        builder = builder.master(f"spark://{parts.netloc}")
    for name, value in parse_qsl(parts.query):
        builder = builder.config(name, value)
    failures = (errors.PySparkException, import_module("py4j.protocol").Py4JError, RuntimeError)
    try:
        session = builder.getOrCreate()
    except (*failures, OSError) as error:  # OSError: no Java
        # Because no table was read yet, Spark's own words can quote none.
        said = " ".join(str(error).split())[:_MOST_SAID]
        wanted = f"Spark that answers ({without_passwords(said)})"
        raise (InputError if isinstance(error, OSError) else Unreachable)("data.url", host_of(url), wanted) from None
    with engine_errors("data.url", host_of(url), "Spark, whose tables can be read"):
        backend = ibis().pyspark.from_connection(session)
    file = unquote(parts.path)
    # If a URL has no path, the table is one of the session's catalogue.
    if file in ("", "/"):
        return table_of(backend, table)
    if table is not None:
        raise InputError("data.table", table, "no table: the URL names a file")
    with engine_errors("data.url", host_of(url), "a Parquet file or folder that Spark can read"):
        return backend.read_parquet(file)


def _insist(module: str, extra: str, url: str) -> None:
    """Raises InputError where a driver is not installed; extra: the name under which pip installs it."""
    if find_spec(module) is None:
        raise InputError("data.url", host_of(url), f"{module} installed: pip install 'dalenius[{extra}]'")
