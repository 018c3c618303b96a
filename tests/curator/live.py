"""Tables that others write to while a curator has them open."""

import io
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import ibis
import pandas
import pyarrow
import pytest

import dalenius as dl
from dalenius.tables import TableLike
from tests.curator.policies import people, policy
from tests.tables.engines import in_postgres

Live: TypeAlias = tuple[TableLike, Callable[[str], Any]]


def columns() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = pandas.read_csv(io.StringIO(people())).to_dict("list")
    return found


@pytest.fixture(params=["postgresql", "duckdb"])
def live(request: pytest.FixtureRequest) -> Iterator[Live]:
    """A database with the people, and how another connection writes to it."""
    if request.param == "duckdb":
        connection = duckdb.connect()
        connection.register("given", pyarrow.table(columns()))
        connection.execute("CREATE TABLE people AS FROM given")
        yield ibis.duckdb.from_connection(connection).table("people"), connection.cursor().execute
        return
    psycopg = pytest.importorskip("psycopg")
    url = in_postgres(request.getfixturevalue("database"), columns())
    with closing(psycopg.connect(url, autocommit=True)) as other:
        yield url, other.execute


@pytest.fixture
def written(tmp_path: Path) -> Live:
    """A CSV with the people, written anew by each change."""
    path = tmp_path / "people.csv"
    path.write_text(people(), encoding="utf-8")
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people AS FROM read_csv('{path}')")

    def write(sql: str) -> None:
        connection.execute(sql)
        connection.execute(f"COPY people TO '{path}' (HEADER)")

    return path, write


def session(table: TableLike, folder: Path, **data: Any) -> dl.Session:
    asked = policy(source={"label": "place", "table": "people"}, **data)
    return dl.Session(table, asked, "bob", ledger=str(folder / "ledger.sqlite"))
