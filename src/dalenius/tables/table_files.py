"""Opens a file, or a folder of Parquet files, as an Ibis table on DuckDB; its name says which format it has.

The names of columns are shown where one is not there, unless they look like somebody's row:

>>> there(["home", "ill"], "hom"), there(["17", "Altstadt", "34"], "ill")
('one of the columns home, ill (did you mean home?)', 'a first line with the names of the columns: it holds numbers')
"""

import re
from collections.abc import Collection, Sequence
from hashlib import file_digest, sha256
from importlib import import_module
from os.path import isdir, isfile
from pathlib import Path
from typing import Final

from dalenius.errors import InputError, listed, meant
from dalenius.tables.column_names import check_columns
from dalenius.tables.csv_files import TextForm, open_csv
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.json_lines import open_json_lines
from dalenius.tables.opening_with_ibis import IbisTable, duckdb_connection, literal
from dalenius.tables.parquet_folder import files_of, folder_digest, open_parquet_folder
from dalenius.tables.time_zones import with_zones, zones_in
from dalenius.tables.workbook import open_workbook, sheet_of
from dalenius.text_files import meant_file

_KEY: Final = "data.file"
_CSV: Final = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_JSON: Final = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_PARQUET: Final = ".parquet"
_EXCEL: Final = ".xlsx"
_DATABASES: Final = (".duckdb", ".db")
_SUPPORTED: Final = (*_CSV, *_JSON, _PARQUET, _EXCEL, *_DATABASES)
"""The endings that a file's name may have, in capitals or not."""
_DATUM: Final = re.compile(r"\s*[-+]?\d+([.,]\d+)*\s*|\d{4}-\d\d-\d\d.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*")
"""A text that looks like a number or a date, and like no name of a column."""


def is_database(path: Path) -> bool:
    """Says whether the file `path` is a DuckDB file, which holds several tables."""
    return path.name.lower().endswith(_DATABASES)


def open_table(
    path: Path, table: str | None, columns: Collection[str], texts: Collection[str], form: TextForm | None = None
) -> IbisTable:
    """Returns the file as a table.

    Columns that are not there are left out, for the caller to name by their key.

    Args:
        path: The file, or a folder of Parquet files.
        table: Its name in a DuckDB file or an Excel workbook, which hold several.
        columns: The columns that are read from a file without types.
        texts: Those of them that are read as they are written.
        form: How a file of text is written.

    Raises:
        InputError: If the file is not there, is of no known kind, or cannot be read.
    """
    form, name = form or TextForm(), path.name.lower()
    if not isdir(path):
        _check_file(path)
    if is_database(path) and not isdir(path):
        form.refuse(path)
        return _database_table(path, table)
    if name.endswith(_EXCEL) and not isdir(path):
        form.refuse(path)
        return open_workbook(path, table, columns, texts)
    # Because a file that is one table has no names of tables.
    if table is not None:
        wanted = f"no table: only a DuckDB file or an Excel workbook holds several, not {path.name}"
        raise InputError("data.table", table, wanted)
    if isdir(path):
        form.refuse(path)
        return open_parquet_folder(path)
    if name.endswith(_CSV):
        return open_csv(path, columns, texts, form)
    if name.endswith(_JSON):
        return open_json_lines(path, columns, texts, form)
    form.refuse(path)
    with engine_errors(_KEY, str(path), "a Parquet file that can be read"):
        schema = import_module("pyarrow.parquet").read_schema(path)
        check_columns(schema.names, _KEY, str(path))
        rows = duckdb_connection().read_parquet(literal(path), hive_partitioning=False)
        return with_zones(rows, zones_in(schema))


def _check_file(path: Path) -> None:
    """Raises InputError for a file of no known kind, or none."""
    if not path.name.lower().endswith(_SUPPORTED):
        ends = f"a file that ends in one of {', '.join(_SUPPORTED)}, or a folder of Parquet files"
        raise InputError(_KEY, str(path), f"{ends}{'' if isfile(path) else meant_file(path)}")
    if not isfile(path):  # unlike Path's, of any name
        raise InputError(_KEY, str(path), f"a file that is there{meant_file(path)}")


def _database_table(path: Path, table: str | None) -> IbisTable:
    """Returns a table of a DuckDB file, opened to be read only; InputError lists the tables there are."""
    with engine_errors(_KEY, str(path), "a DuckDB file that can be read"):
        connection = duckdb_connection(path, read_only=True)
        tables = sorted(name for (name,) in connection.raw_sql("SHOW TABLES").fetchall())
    if table not in tables:
        connection.disconnect()
        known = ", ".join(tables) or "none"
        raise InputError("data.table", "missing" if table is None else table, f"one of the file's tables: {known}")
    with engine_errors("data.table", table, "a table that can be read"):
        return connection.table(table)


def digest(path: Path, table: str | None) -> str:
    """Returns SHA-256, in hexadecimal, of a file's bytes; InputError where it cannot be read.

    For a DuckDB file or an Excel workbook it is also of the name of the table or sheet; for a folder, of its files'
    names and bytes.

    Args:
        path: The file or folder.
        table: The name of the table or sheet; None where there is one.
    """
    if isdir(path):
        with engine_errors(_KEY, str(path), "files that can be read"):
            return folder_digest(path)
    with engine_errors(_KEY, str(path), "a file that can be read"), path.open("rb") as file:
        content = file_digest(file, "sha256")
    if path.name.lower().endswith(_EXCEL):
        table = sheet_of(path, table)
    elif not is_database(path):
        return content.hexdigest()
    return sha256(content.digest() + str(table).encode()).hexdigest()


def table_parts(path: Path) -> tuple[Path, ...]:
    """Returns the files that the table at `path` is in: itself, or those of its folder."""
    return files_of(path) if isdir(path) else (path,)


def there(names: Sequence[str], wanted: str) -> str:
    """Returns what is wanted in place of a column that is not there: one of those that are, by name.

    Because a file without a header has the first person's cells for names, these are not shown.

    Args:
        names: The names of the columns.
        wanted: The name that is not there.
    """
    if any(_DATUM.fullmatch(name) for name in names):
        return "a first line with the names of the columns: it holds numbers"
    return f"one of the columns {listed(names)}{meant(wanted, names)}"
