"""Tells whether two tables are one: by where they are, by what a view reads, and by what is in them.

`people.csv`, `./x/../people.csv`, a symbolic link and a hard link are one file; `postgresql://DB/clinic` and
`postgresql://ana@db:5432/clinic` are one database. Two tables are one where they have a key in common:

>>> here, there = (table_keys(url, "people") for url in ("postgresql://DB/clinic", "postgresql://ana@db:5432/clinic"))
>>> here & there
frozenset({('server', 'db', 5432, 'clinic', 'public', 'people')})

A copy under another name has other keys. It has the same bytes, and the same cells as texts (`texts_of`).
"""

import os
from collections.abc import Hashable
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

from dalenius.errors import InputError
from dalenius.spec.table_url import is_server, path_of, scheme_of
from dalenius.tables.fingerprint import content_of
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening import TableLike, TablePart, open_part
from dalenius.tables.opening_with_ibis import answer_of, quoted
from dalenius.tables.servers import SCHEMES, server_address, with_variables
from dalenius.tables.table_files import is_database

Key: TypeAlias = tuple[Hashable, ...]

_PORT: Final = 5432
_SCHEMA: Final = "public"
_THIS_MACHINE: Final = ("", "localhost", "127.0.0.1", "::1")
# No column has this name, so that all columns of a CSV are shown, as they are written.
_NO_COLUMN: Final = "\0"


def table_keys(table: TableLike, name: str | None = None, folder: Path = Path()) -> frozenset[Key]:
    """Returns keys that the table shares with every other name of it.

    A view of a DuckDB file has the keys of the tables that it reads. Nothing is raised where the table cannot be read:
    opening it says so.

    Args:
        table: The table, as a user hands it over.
        name: The name of the table in a database.
        folder: Where relative paths start.
    """
    if isinstance(table, str) and is_server(table):
        return frozenset({_server_key(table, name)})
    if (path := file_of(table, folder)) is None:
        return frozenset({("object", id(table))})
    tables = _read_by(path, name) if is_database(path) else {None}
    own = frozenset((*file, each) for file in _file_keys(path) for each in tables)
    # Because a view of a DuckDB file may read a file of people that another data set names.
    files = [Path(each) for each in tables if each is not None and os.path.isfile(each)]
    return own.union(*(table_keys(each) for each in files))


def _file_keys(path: Path) -> set[Key]:
    """Returns the path without links, and the file's own number where it is there.

    A hard link, or a name in other letters on a disk that tells none apart, has the same number.
    """
    found: set[Key] = {("path", os.path.realpath(path))}
    try:
        there = path.stat()
    except (OSError, ValueError):
        return found
    return found | {("file", there.st_dev, there.st_ino)} if there.st_ino else found


def _server_key(url: str, name: str | None) -> Key:
    """Returns host, port, database, schema and table of a PostgreSQL database; the URL of Spark."""
    try:
        filled, _ = with_variables(url, "data.url")
        address = server_address(filled, "data.url") if scheme_of(filled) in SCHEMES else None
    except InputError:
        address = None
    if address is None:
        return "url", url.rstrip("/"), name
    # Because a URL's own options count, as they do for the driver.
    said = dict(address.query)
    host = (said.get("hostaddr") or said.get("host") or address.host).lower().rstrip(".")
    port = str(said.get("port") or address.port or os.environ.get("PGPORT", _PORT))
    database = said.get("dbname") or address.database or said.get("user") or address.user or ""
    schema, _, table = (name or "").rpartition(".")
    place = "localhost" if host in _THIS_MACHINE or host.startswith("/") else host
    return "server", place, int(port) if port.isdigit() else port, database, schema or _SCHEMA, table


def _read_by(path: Path, name: str | None) -> set[str | None]:
    """Returns the tables of a DuckDB file that a table or view of it reads, and itself."""
    try:
        part = open_part(path, name, (), (), Path())
    except InputError:
        return {name}
    try:
        return {name, *_bases(part.table, name)}
    finally:
        part.close()


def _bases(table: Any, name: str | None) -> set[str]:
    """Returns all tables that a view of that name reads, however many views are between; a table reads itself."""
    query = f"FROM {quoted(name or '', chr(34))}"
    with engine_errors("data.table", name, "a table that can be read"):
        return set(map(str, table.get_backend().con.get_table_names(query)))


def other_names(part: TablePart) -> tuple[str, ...]:
    """Returns the fingerprints that the people of a DuckDB file's `part` have under its other names.

    These are views of the table, and the tables that a view reads. There are none for any other table, whose
    fingerprint is of its bytes or rows alone.
    """
    if part.path is None or part.named is None or not is_database(part.path):
        return ()
    backend = part.table.get_backend()
    with engine_errors("data.file", str(part.path), "a DuckDB file that can be read"):
        names = [str(name) for (name,) in backend.con.execute("SHOW TABLES").fetchall() if name != part.named]
        reads = {name: {name, *_bases(part.table, name)} for name in (part.named, *names)}
        content = bytes.fromhex(digest_of(part.path))
    shared = [name for name in names if reads[name] & reads[part.named]]
    return tuple(sha256(content + name.encode()).hexdigest() for name in shared)


def file_of(table: TableLike, folder: Path) -> Path | None:
    """Returns the file of `table`, relative paths starting at `folder`; None for a table in no file."""
    if not isinstance(table, str | Path) or (isinstance(table, str) and is_server(table)):
        return None
    return folder / (path_of(table) if isinstance(table, str) else table)


def is_csv(table: TableLike) -> bool:
    """Says whether `table` is a CSV that is not compressed."""
    path = file_of(table, Path())
    return path is not None and path.name.lower().endswith(".csv")


def digest_of(path: Path) -> str:
    """Returns SHA-256 of the bytes of the file `path`, read piece by piece."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def shape_of(table: TableLike, name: str | None, folder: Path) -> tuple[tuple[str, ...], int]:
    """Returns the columns, sorted, and the number of rows; tables that differ in them are not looked at any further.

    Args:
        table: The table, as a user hands it over.
        name: The name of the table in a database.
        folder: Where relative paths start.

    Raises:
        InputError: If the table cannot be read.
    """
    part = open_part(table, name, {_NO_COLUMN}, (), folder)
    try:
        with engine_errors("data", "table", "a table that can be read"):
            (found,) = answer_of(part.table.aggregate(rows=part.table.count())).to_pylist()
        return tuple(sorted(map(str, part.table.columns))), int(found["rows"])
    finally:
        part.close()


def texts_of(table: TableLike, name: str | None, folder: Path) -> str:
    """Returns a digest of all cells as texts, however they are stored: a frame made of a CSV has that of the CSV.

    Args:
        table: The table, as a user hands it over.
        name: The name of the table in a database.
        folder: Where relative paths start.

    Raises:
        InputError: If the table cannot be read.
    """
    part = open_part(table, name, {_NO_COLUMN}, (), folder)
    try:
        return content_of(part.table, typed=False)
    finally:
        part.close()
