"""Several questions of one state of a database, and what shows that a table was written to."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dalenius.tables import Held, People, Source, open_people
from tests.tables.engines import in_postgres
from tests.tables.written import Columns, write

PEOPLE: Columns = {"id": [1, 2, 3], "x": [1.5, 2.5, 2.5], "home": ["A", "B", "A"]}
SOURCE: dict[str, Any] = {"name": "people", "value": "x", "household": "home", "table": "people"}


@pytest.fixture(params=["postgresql", "duckdb"])
def written(request: pytest.FixtureRequest) -> Iterator[tuple[Held, Callable[[str], object]]]:
    """A live database, and how another connection writes to it."""
    if request.param == "duckdb":
        connection = duckdb.connect()
        connection.register("given", pa.table(dict(PEOPLE)))
        connection.execute("CREATE TABLE people AS FROM given")
        yield connection, connection.cursor().execute
        return
    psycopg = pytest.importorskip("psycopg")
    url = in_postgres(request.getfixturevalue("database"), PEOPLE)
    with closing(psycopg.connect(url, autocommit=True)) as other:
        yield url, other.execute


def test_others_write_between_two_questions(written: tuple[Held, Callable[[str], object]]) -> None:
    held, write = written
    until = ExitStack()
    with until, closing(open_people(Source(**SOURCE), held=held, until=until)) as people:
        marks, before = people.marks(), (people.tally(), people.compositions(), people.fingerprint())
        write("UPDATE people SET x = 9.0, home = 'C'")
        assert (people.tally(), people.compositions(), people.fingerprint()) == before
        assert people.unwritten(marks)
        until.close()
        assert not people.unwritten(marks)
        assert people.compositions() == {(("", 3),): 1}
        with people.at_once():
            marks, before = people.marks(), (people.tally(), people.compositions(), people.fingerprint())
            write("DELETE FROM people WHERE id = 1")
            assert (people.tally(), people.compositions(), people.fingerprint()) == before
            assert people.unwritten(marks)
        assert people.compositions() == {(("", 2),): 1}


def test_every_change_leaves_another_mark(written: tuple[Held, Callable[[str], object]]) -> None:
    held, write = written
    with closing(open_people(Source(**SOURCE), held=held)) as people:
        seen = [people.marks()]
        assert people.marks() == seen[0]
        for statement in (
            "UPDATE people SET id = 7 WHERE id = 2",  # in no column that is read: the fingerprint is another
            "INSERT INTO people VALUES (8, 2.5, 'A')",
            "DELETE FROM people WHERE id = 8",
            "INSERT INTO people VALUES (8, 2.5, 'A'), (9, 1.5, 'B')",
            "UPDATE people SET x = 5.0 - x WHERE x < 4",
            "DELETE FROM people WHERE id > 7",
        ):
            write(statement)
            seen.append(people.marks())
            assert people.marks() == seen[-1]
            assert not people.unwritten(seen[-2])
        write("CREATE TABLE others AS SELECT 1 AS x")
        assert people.unwritten(seen[-1])


def test_a_word_of_an_enumeration_is_written_too(database: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    in_postgres(database, PEOPLE)
    with closing(psycopg.connect(database, autocommit=True)) as other:
        other.execute("CREATE TYPE word AS ENUM ('low', 'high')")
        other.execute("ALTER TABLE people ADD COLUMN level word DEFAULT 'low'")
        other.execute("CREATE VIEW seen AS SELECT * FROM people")
        with (
            closing(open_people(Source(**SOURCE), held=database)) as people,
            closing(open_people(Source(**SOURCE | {"table": "seen"}), held=database)) as view,
        ):
            for statement in (
                "ALTER TYPE word RENAME VALUE 'low' TO 'least'",
                "UPDATE people SET level = 'high' WHERE id = 3",
            ):
                marks, of_view = people.marks(), view.marks()
                assert people.unwritten(marks)
                assert view.unwritten(of_view)
                other.execute(statement)
                assert not people.unwritten(marks)
                assert not view.unwritten(of_view)
            marks = people.marks()
            other.execute("VACUUM FREEZE people")
            assert people.unwritten(marks)


def test_a_file_written_while_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "csv", PEOPLE)
    people = open_people(Source(**SOURCE | {"table": None}), held=path)
    marks = people.marks(first=True)
    assert people.unwritten(marks)
    path.write_text(path.read_text() + "4,1.5,B\n")
    assert people.marks(first=True) == marks
    assert not people.unwritten(marks)
    path.unlink()
    assert not people.unwritten(people.marks())
    people.close()


def test_a_frame_stays_as_it_was_handed_over() -> None:
    frame = pd.DataFrame({"x": np.array([1.0, 2.0, 3.0])})
    with closing(open_people(Source(value="x", name="p"), held=frame)) as people:
        before = people.tally()
        frame.iloc[0, 0] = 7.0
        assert people.tally() == before
        assert people.unwritten(people.marks())


def test_who_is_in_a_transaction_stays_in_it() -> None:
    backend = ibis.duckdb.connect()
    backend.raw_sql("CREATE TABLE people AS SELECT 1.5 AS x UNION ALL SELECT 2.5")
    for statement in ("BEGIN TRANSACTION", "INSERT INTO people VALUES (3.5)"):
        backend.raw_sql(statement).fetchall()
    people = open_people(Source(value="x", name="p"), held=backend.table("people"))
    assert people.count() == 3
    backend.raw_sql("ROLLBACK")
    assert _count(people) == 2


def test_a_refused_table_ends_its_transaction() -> None:
    backend = ibis.duckdb.connect()
    backend.raw_sql("CREATE TABLE people AS SELECT 1.5 AS x UNION ALL SELECT NULL")
    with pytest.raises(Exception, match=r"^data\.value: x, wanted a cell in every row, 1 of 2 are missing$"):
        open_people(Source(value="x", name="p"), held=backend.table("people"))
    backend.raw_sql("BEGIN TRANSACTION")


def _count(people: People) -> int:
    return sum(people.tally().values())
