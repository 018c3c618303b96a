"""The same rows as a CSV, a packed CSV, a Parquet and a DuckDB file."""

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from dalenius.spec.condition import Condition, Conditions
from dalenius.spec.data_section import Source
from dalenius.tables import People, open_people

Columns = Mapping[str, Sequence[Any]]


def write(folder: Path, form: str, columns: Columns) -> Path:
    path = folder / f"people.{form}"
    if form == "parquet":
        pq.write_table(pa.table(dict(columns)), path)
    elif form == "duckdb":
        _duckdb(path, columns)
    elif form == "csv":
        path.write_text(_csv(columns), encoding="utf-8")
    else:
        path.write_bytes(gzip.compress(_csv(columns).encode()))
    return path


def opened(folder: Path, form: str, columns: Columns, value: str | Condition | Conditions, **data: Any) -> People:
    path = write(folder, form, columns)
    return open_people(Source(file=path, table="people" if form == "duckdb" else None, value=value, **data), folder)


def _duckdb(path: Path, columns: Columns) -> None:
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", pa.table(dict(columns)))
        connection.execute("CREATE TABLE people AS FROM given")


def _csv(columns: Columns) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
