"""A folder of Parquet files, as Spark and Dask write one table: its files, and what they must have in common.

Subfolders named `key=value` are a column of texts. Names that begin with _ or a dot are notes of the writing program.
"""

from hashlib import file_digest, sha256
from importlib import import_module
from pathlib import Path
from typing import Final

from dalenius.errors import InputError
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening_with_ibis import IbisTable, duckdb_connection, literal, quoted
from dalenius.tables.time_zones import with_zones, zones_in

_KEY: Final = "data.file"
_LOGS: Final = ("_delta_log", ".hoodie", "metadata")
"""Logs of tables whose files may hold rows that were deleted: Delta Lake, Hudi, Iceberg."""


def files_of(folder: Path) -> tuple[Path, ...]:
    """Returns the Parquet files in it, by name; InputError for a folder that holds anything else."""
    found: list[Path] = []
    with engine_errors(_KEY, str(folder), "a folder that can be read"):
        entries = sorted(folder.iterdir())
    for entry in entries:
        if entry.name in _LOGS:
            raise InputError(_KEY, str(folder), f"Parquet files alone: beside {entry.name} rows may be deleted")
        if entry.name.startswith(("_", ".")):
            continue
        if entry.is_dir() and "=" in entry.name:
            found += files_of(entry)
        elif entry.name.lower().endswith(".parquet") and entry.is_file():
            found.append(entry)
        else:
            raise InputError(_KEY, str(folder), f"a file, or a folder of Parquet files alone (there is {entry.name})")
    if not found:
        raise InputError(_KEY, str(folder), "a file, or a folder with Parquet files in it")
    return tuple(found)


def open_parquet_folder(folder: Path) -> IbisTable:
    """Returns all rows of all files in `folder` as one table.

    InputError where files differ in their columns: a number would be rounded to the type that the first file has.
    """
    files = files_of(folder)
    with engine_errors(_KEY, str(folder), "Parquet files that can be read"):
        read = import_module("pyarrow.parquet").read_schema
        first, *rest = [read(file) for file in files]
        odd = next((file for file, schema in zip(files[1:], rest, strict=True) if not schema.equals(first)), None)
        if odd is not None:
            wanted = f"the same columns in all its files ({odd.name} has others than {files[0].name})"
            raise InputError(_KEY, str(folder), wanted)
        connection = duckdb_connection()
        names = ", ".join(quoted(literal(file), "'") for file in files)
        options = "hive_partitioning = true, hive_types_autocast = false"
        connection.raw_sql(f"CREATE VIEW people AS FROM read_parquet([{names}], {options})")
        return with_zones(connection.table("people"), zones_in(first))


def folder_digest(folder: Path) -> str:
    """Returns SHA-256, in hexadecimal, of the names and bytes of the files in `folder`."""
    found = sha256()
    for file in files_of(folder):
        with file.open("rb") as content:
            digest = file_digest(content, "sha256").hexdigest()
        found.update(f"{digest} {file.relative_to(folder).as_posix()}\n".encode())
    return found.hexdigest()
