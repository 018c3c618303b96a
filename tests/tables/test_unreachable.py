"""Databases that do not answer, tables that are not as they were, and passwords, which are in no message."""

import socket
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dalenius.errors import InputError, Unreachable, without_passwords
from dalenius.spec.data_section import Source
from dalenius.tables import TableLike, open_people
from tests.postgres import PASSWORD, Postgres, server
from tests.tables.engines import in_postgres
from tests.tables.test_errors import one_line
from tests.tables.written import Columns

PEOPLE: Columns = {"id": [1, 2, 3], "x": [1.5, 2.5, 99.0], "ward": ["A", "B", "A"]}


def refusal(frame: TableLike | None = None, **data: Any) -> InputError:
    with pytest.raises(InputError) as refused:
        open_people(Source(**({"value": "x", "name": "people"} | data)), Path(), frame)
    message = one_line(refused)
    assert PASSWORD not in message
    assert "sesame" not in message + repr(refused.value.value)
    return refused.value


def test_nobody_answers() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        there = f"127.0.0.1:{taken.getsockname()[1]}/people"
        begun = time.monotonic()
        refused = refusal(url=f"postgresql://ana:open-sesame@{there}", table="people")
    assert isinstance(refused, Unreachable)
    assert str(refused).startswith(f"data.url: postgresql://{there}, wanted a database that answers (")
    assert time.monotonic() - begun < 10


@pytest.mark.slow
def test_a_server_that_goes_away(postgres: Postgres) -> None:
    with server() as own:
        url = in_postgres(own.new(), PEOPLE)
        people = open_people(Source(url=url, table="people", value="x", name="people"))
        own.stop()
        with pytest.raises(Unreachable) as lost:
            people.tally()
        assert "sesame" not in one_line(lost)
        people.close()


def test_a_wrong_password_and_no_such_database(postgres: Postgres) -> None:
    wrong = postgres.url().replace("open", "no-sesame-open")
    assert "(user or password is refused)" in str(refusal(url=wrong, table="people"))
    assert "(no such database, or no such user)" in str(refusal(url=postgres.url("nowhere"), table="people"))


def test_the_password_from_the_environment(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_postgres(database, PEOPLE)
    user, _, rest = database.partition(":open")
    url = f"{user}:${{PEOPLES_PASSWORD}}@{rest.rpartition('@')[2]}"
    found = refusal(url=url, table="people")
    assert str(found) == "data.url: ${PEOPLES_PASSWORD}, wanted a variable that is set in the environment"
    monkeypatch.setenv("PEOPLES_PASSWORD", PASSWORD)
    people = open_people(Source(url=url, table="people", value="x"))
    assert people.size == 3
    people.close()


def test_a_name_is_needed_where_there_is_no_file(database: str) -> None:
    in_postgres(database, PEOPLE)
    people = open_people(Source(url=database, table="people", value="x"))
    with pytest.raises(InputError, match=r"^data\.name: missing, wanted a name, to which the budget belongs"):
        _ = people.name
    people.close()


def test_other_urls() -> None:
    for found in (refusal(url="mysql://h/d"), refusal("postgresql://u:open-sesame@h/a b")):
        assert "wanted a path, or a URL that begins with file://, duckdb://, postgresql://" in str(found)


def test_what_no_section_may_say() -> None:
    secret = "postgresql://ana:open-sesame@h/d"
    for fields, wanted in (
        ({"url": secret, "file": "x.csv"}, "a file or a url, not both"),
        ({"url": secret, "labels": ["A"]}, "label, the column they are in, beside labels"),
        ({"url": secret, "label": "ward", "labels": ["A", "A"]}, "each of the labels once"),
        ({"url": secret, "label": "ward", "others": "refuse"}, "labels, the declared ones, beside others"),
    ):
        assert wanted in str(refusal(**fields))
    assert "sesame" not in repr(Source(url=secret, value="x"))


def test_passwords_in_texts() -> None:
    for text in (
        "postgresql://ana:open sesame@h/d",
        "{'url': 'postgresql://ana:o:p@en@h/d', 'value': 'x'}",
        "host=h password=sesame user=ana",
        "postgresql://h/d?password=sesame&user=ana",
    ):
        shown = without_passwords(text)
        assert "***" in shown
        assert not any(secret in shown for secret in ("sesame", "o:p", "en@"))
    assert without_passwords("an e-mail ana@h.org, wanted 3:1") == "an e-mail ana@h.org, wanted 3:1"


def test_frames_that_are_none() -> None:
    assert "wanted a path, a URL, a pandas, polars or pyarrow frame" in str(refusal([1, 2]))
    assert "wanted a path, a URL, a pandas" in str(refusal(pd.Series([1])))
    twice = pd.DataFrame([[1, 2]], columns=["x", "x"])
    said = "columns 1 and 2 have the same one"
    assert said in str(refusal(twice))
    assert str(refusal(pd.DataFrame({"x": [1, "a", object()]}))).startswith("data: DataFrame, wanted a frame whose ")
    with duckdb.connect() as connection:
        assert "frame, a table of a DuckDB connection or an Ibis table" in str(refusal(connection))


def test_frames_with_categories() -> None:
    frame = pd.DataFrame({"x": [1, 2], "ward": pd.Categorical(["A", "B"])})
    polars = pl.DataFrame({"x": [1, 2], "ward": pl.Series(["A", "B"], dtype=pl.Categorical)})
    for table in (frame, polars, polars.lazy(), pa.Table.from_pandas(frame), pa.RecordBatch.from_pandas(frame)):
        with closing(open_people(Source(value="x", label="ward", name="people"), table=table)) as people:
            assert people.labelled() == {"A": 1, "B": 1}
