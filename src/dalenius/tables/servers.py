"""Tables of PostgreSQL and Spark through Ibis: connected to again where they do not answer, with a limit."""

import time
import weakref
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from dalenius.errors import InputError, Unreachable, without_passwords
from dalenius.tables.address import expanded, host_of, scheme_of, server_address
from dalenius.tables.engine import Table, engine_errors, gist, ibis

TRIES: Final = 3
PAUSE: Final = 0.25
"""Seconds before the second try; twice as long before each later one."""
TIMEOUT: Final = 3
"""Seconds for one try: with the pauses less than ten in all."""
OPTIONS: Final = "-c DateStyle=ISO -c lock_timeout=5s"
"""Dates as texts are ISO in every engine, where a database may want them otherwise; and who waits for a table that
somebody has locked keeps all others waiting. What a URL's own options say stands."""


def open_server_table(url: str, table: str | None, key: str = "data") -> Table:
    """The table, `schema.table` or bare. InputError where it is not there, Unreachable where its server is not."""
    given = expanded(url, f"{key}.url")
    if scheme_of(url) in ("postgresql", "postgres"):
        return _named(_postgres(given, key), table, key)
    return _spark(given, table, key)


def _named(backend: Any, table: str | None, key: str) -> Table:
    try:
        return table_of(backend, table, key)
    except BaseException:
        backend.disconnect()
        raise


def table_of(backend: Any, table: str | None, key: str) -> Table:
    """The backend's table of this name. InputError where there is no name, or no such table."""
    if table is None:
        raise InputError(f"{key}.table", "missing", "the table's name (or schema.table): a database holds several")
    schema, _, name = table.rpartition(".")
    found = import_module("ibis.common.exceptions").TableNotFound
    wanted = "a table or view that is there and may be read"
    with engine_errors(f"{key}.table", table, wanted):
        try:
            return backend.table(name, **({"database": schema} if schema else {}))
        except found:
            raise InputError(f"{key}.table", table, wanted) from None


def _postgres(url: str, key: str) -> Any:
    _insist("psycopg", "postgres", key, url)
    psycopg = import_module("psycopg")
    chosen = {"connect_timeout": TIMEOUT, "application_name": "dalenius", "options": OPTIONS}
    address = server_address(url, f"{key}.url")

    def connect() -> Any:
        return address.connected(autocommit=True, **chosen)

    connection = _tried(connect, (psycopg.OperationalError,), (psycopg.Error,), url, key)
    with engine_errors(f"{key}.url", host_of(url), "a database that can be read"):
        backend = ibis().postgres.from_connection(connection)
    weakref.finalize(backend, connection.close)  # where nobody closes it
    return backend


def _spark(url: str, table: str | None, key: str) -> Table:
    _insist("pyspark", "spark", key, url)
    sql, errors = import_module("pyspark.sql"), import_module("pyspark.errors")
    parts = urlsplit(url)
    builder = sql.SparkSession.builder
    if scheme_of(url) == "spark":
        builder = builder.master(f"spark://{parts.netloc}")
    for name, value in parse_qsl(parts.query):
        builder = builder.config(name, value)
    failures = (errors.PySparkException, import_module("py4j.protocol").Py4JError, RuntimeError)
    session = _tried(builder.getOrCreate, failures, (OSError,), url, key)
    with engine_errors(f"{key}.url", host_of(url), "Spark, whose tables can be read"):
        backend = ibis().pyspark.from_connection(session)
    file = unquote(parts.path)
    if file in ("", "/"):
        return table_of(backend, table, key)
    if table is not None:
        raise InputError(f"{key}.table", table, "no table: the URL names a file")
    with engine_errors(f"{key}.url", host_of(url), "a Parquet file or folder that Spark can read"):
        return backend.read_parquet(file)


def _tried(
    connect: Callable[[], Any],
    again: tuple[type[BaseException], ...],
    never: tuple[type[BaseException], ...],
    url: str,
    key: str,
) -> Any:
    """What `connect` gives, tried TRIES times where it fails with `again`."""
    for number in range(TRIES):
        if number:
            time.sleep(PAUSE * 2 ** (number - 1))
        try:
            return connect()
        except again as error:
            why = without_passwords(gist(error))
        except never as error:
            raise InputError(
                f"{key}.url", host_of(url), f"a URL that can be read ({without_passwords(gist(error))})"
            ) from None
    raise Unreachable(f"{key}.url", host_of(url), f"a database that answers; tried {TRIES} times ({why})") from None


def _insist(module: str, extra: str, key: str, url: str) -> None:
    if find_spec(module) is None:
        raise InputError(f"{key}.url", host_of(url), f"{module} installed: pip install 'dalenius[{extra}]'")
