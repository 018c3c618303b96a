"""Where a table is, by one URL: a file, a DuckDB file, PostgreSQL or Spark. Passwords may come from the environment."""

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from dalenius.errors import InputError
from dalenius.tables.server_address import SCHEMES, server_address

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
