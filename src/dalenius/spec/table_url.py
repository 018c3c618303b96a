"""The address of a table: a path, or a URL of a file or a server."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

_FILES: Final = ("file", "duckdb")
_SERVERS: Final = ("postgresql", "postgres", "spark", "pyspark")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+")
"""A URL's scheme, of two letters at least, because one letter is a drive of Windows."""
_WANTED: Final = "a path, or a URL that begins with file://, duckdb://, postgresql://, spark:// or pyspark://"


def checked_url(url: str) -> str:
    """Returns the `url` as given. ValueError, which does not show it, where its scheme is unknown."""
    # Because a path may have any letter in it, blanks among them.
    if not scheme_of(url) or scheme_of(url) in _FILES:
        return url
    if re.search(r"[\s\x00-\x1f]", url):
        raise ValueError(f"{_WANTED}, without blanks (a blank is %20)")
    if scheme_of(url) not in _SERVERS:
        raise ValueError(_WANTED)
    return url


def scheme_of(url: str) -> str:
    """Returns the part of `url` before ://, in small letters; "" for a path, whatever its folders' names.

    >>> scheme_of("DuckDB:///a.duckdb"), scheme_of("C://data/a.csv"), scheme_of("../a b://c.csv")
    ('duckdb', '', '')
    """
    scheme, separator, _ = url.partition("://")
    return scheme.lower() if separator and _SCHEME.fullmatch(scheme) else ""


def is_server(url: str) -> bool:
    """Says whether `url` is no file that can be opened here."""
    return scheme_of(url) in _SERVERS


def path_of(url: str) -> Path:
    """Returns the file of `url`, where it is one.

    `file:///a/b.csv` and `duckdb:///a/b.duckdb` are paths from the root; with two slashes they are relative to the
    folder. A bare path stays.

    >>> path_of("duckdb:///data/a.duckdb").as_posix(), path_of("file://a%20b.csv").as_posix()
    ('/data/a.duckdb', 'a b.csv')
    >>> path_of("file:///C:/data/a.csv").as_posix()
    'C:/data/a.csv'
    """
    if not scheme_of(url):
        return Path(url)
    return Path(re.sub(r"^/+(?=[A-Za-z]:[/\\])", "", unquote(url.partition("://")[2])))
