"""Several questions of one state of a database, and what shows that a table was written to.

Counting people by label and value, and households by who is in them, against plain Python.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, nullcontext
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pytest

from dalenius.errors import InputError
from dalenius.left_out import LeftOut
from dalenius.queries import Count, Max, Mean, Median, Min, Query, Sum, Variance
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.tables import People, TableLike, open_people, people as people_of_a_table, tallied
from dalenius.tables.chosen_rows import chosen
from dalenius.tables.infected_households import infected_by_size
from dalenius.tally import tally_of_people
from tests.tables.engines import in_duckdb, in_postgres
from tests.tables.written import Columns, opened, write

PEOPLE: Columns = {"id": [1, 2, 3], "x": [1.5, 2.5, 2.5], "home": ["A", "B", "A"]}
SOURCE: dict[str, Any] = {"name": "people", "value": "x", "household": "home", "table": "people"}


@pytest.fixture(params=["postgresql", "duckdb"])
def written(request: pytest.FixtureRequest) -> Iterator[tuple[TableLike, Callable[[str], object]]]:
    """A live database, and how another connection writes to it."""
    if request.param == "duckdb":
        connection = in_duckdb(PEOPLE)
        yield ibis.duckdb.from_connection(connection).table("people"), connection.cursor().execute
        return
    psycopg = pytest.importorskip("psycopg")
    url = in_postgres(request.getfixturevalue("database"), PEOPLE)
    with closing(psycopg.connect(url, autocommit=True)) as other:
        yield url, other.execute


def test_others_write_between_two_questions(written: tuple[TableLike, Callable[[str], object]]) -> None:
    table, write = written
    until = ExitStack()
    with until, closing(open_people(Source(**SOURCE), table=table, until=until)) as people:
        marks, before = people.mark(), (people.tally(), people.compositions(), people.fingerprint())
        write("UPDATE people SET x = 9.0, home = 'C'")
        assert (people.tally(), people.compositions(), people.fingerprint()) == before
        assert people.unwritten(marks)
        until.close()
        assert not people.unwritten(marks)
        assert people.compositions() == {(("", 3),): 1}
        with people.at_once():
            marks, before = people.mark(), (people.tally(), people.compositions(), people.fingerprint())
            write("DELETE FROM people WHERE id = 1")
            assert (people.tally(), people.compositions(), people.fingerprint()) == before
            assert people.unwritten(marks)
        assert people.compositions() == {(("", 2),): 1}


def test_every_change_leaves_another_mark(written: tuple[TableLike, Callable[[str], object]]) -> None:
    table, write = written
    with closing(open_people(Source(**SOURCE), table=table)) as people:
        seen = [people.mark()]
        assert people.mark() == seen[0]
        for statement in (
            "UPDATE people SET id = 7 WHERE id = 2",  # in no column that is read: the fingerprint is another
            "INSERT INTO people VALUES (8, 2.5, 'A')",
            "DELETE FROM people WHERE id = 8",
            "INSERT INTO people VALUES (8, 2.5, 'A'), (9, 1.5, 'B')",
            "UPDATE people SET x = 5.0 - x WHERE x < 4",
            "DELETE FROM people WHERE id > 7",
        ):
            write(statement)
            seen.append(people.mark())
            assert people.mark() == seen[-1]
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
            closing(open_people(Source(**SOURCE), table=database)) as people,
            closing(open_people(Source(**SOURCE | {"table": "seen"}), table=database)) as view,
        ):
            for statement in (
                "ALTER TYPE word RENAME VALUE 'low' TO 'least'",
                "UPDATE people SET level = 'high' WHERE id = 3",
            ):
                marks, of_view = people.mark(), view.mark()
                assert people.unwritten(marks)
                assert view.unwritten(of_view)
                other.execute(statement)
                assert not people.unwritten(marks)
                assert not view.unwritten(of_view)
            marks = people.mark()
            other.execute("VACUUM FREEZE people")
            assert people.unwritten(marks)


def test_a_file_written_while_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "csv", PEOPLE)
    people = open_people(Source(**SOURCE | {"table": None}), table=path)
    marks = people.first_mark()
    assert people.unwritten(marks)
    path.write_text(path.read_text() + "4,1.5,B\n")
    assert people.first_mark() == marks
    assert not people.unwritten(marks)
    path.unlink()
    assert not people.unwritten(people.mark())
    people.close()


def test_written_while_it_was_read_without_a_transaction(
    written: tuple[TableLike, Callable[[str], object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in Spark: the first mark is of before the first question, and not of after it."""
    table, write = written

    def chosen_meanwhile(rows: object, source: Source) -> object:
        write("UPDATE people SET home = 'C'")
        return chosen(rows, source)

    monkeypatch.setattr(people_of_a_table, "one_state", lambda table: nullcontext())
    monkeypatch.setattr(people_of_a_table, "chosen", chosen_meanwhile)
    with closing(open_people(Source(**SOURCE), table=table, marked=True)) as people:
        assert not people.unwritten(people.first_mark())
        assert people.unwritten(people.mark())


def test_a_frame_stays_as_it_was_handed_over() -> None:
    frame = pd.DataFrame({"x": np.array([1.0, 2.0, 3.0])})
    with closing(open_people(Source(value="x", name="p"), table=frame)) as people:
        before = people.tally()
        frame.iloc[0, 0] = 7.0
        assert people.tally() == before
        assert people.unwritten(people.mark())


def test_who_is_in_a_transaction_stays_in_it() -> None:
    backend = ibis.duckdb.connect()
    backend.raw_sql("CREATE TABLE people AS SELECT 1.5 AS x UNION ALL SELECT 2.5")
    for statement in ("BEGIN TRANSACTION", "INSERT INTO people VALUES (3.5)"):
        backend.raw_sql(statement).fetchall()
    people = open_people(Source(value="x", name="p"), table=backend.table("people"))
    assert people.size == 3
    backend.raw_sql("ROLLBACK")
    assert _count(people) == 2


def _count(people: People) -> int:
    return sum(people.tally().values())


HALVES = [-2.5, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 0.49, -0.51]


def test_a_float_is_what_it_is_written_as(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"x": [0.1, 0.1, 1e-7, 123456789.125, -0.0, 0.0]}, "x")
    tenth, tiny, big = Fraction(1, 10), Fraction(1, 10**7), Fraction(987654313, 8)
    assert people.tally() == {("", tenth): 2, ("", tiny): 1, ("", big): 1, ("", Fraction(0)): 2}


def test_decimals_are_exact(tmp_path: Path) -> None:
    people = opened(tmp_path, "parquet", {"x": [Decimal("0.10"), Decimal("2.25")]}, "x")
    assert people.tally() == {("", Fraction(1, 10)): 1, ("", Fraction(9, 4)): 1}


def test_quantised_at_halves_and_below_zero(form: str, tmp_path: Path) -> None:
    for step in (1.0, 0.5, 0.1, 3.0):
        people = opened(tmp_path, form, {"x": HALVES}, "x", step=step)
        wanted = Counter(("", math.floor(x / step + 0.5) * Fraction(repr(step))) for x in HALVES)
        assert people.tally() == wanted


def test_clipped_on_either_side(form: str, tmp_path: Path) -> None:
    for bounds, wanted in (({"lower": -1.5}, [-1.5, 0, 7]), ({"upper": 2.5}, [-3, 0, 2.5])):
        people = opened(tmp_path, form, {"x": [-3, 0, 7]}, "x", **bounds)
        assert people.tally() == Counter(("", Fraction(repr(x))) for x in wanted)


def compositions(columns: Columns) -> Counter[tuple[tuple[str, int], ...]]:
    homes: dict[str, Counter[str]] = defaultdict(Counter)
    for home, label in zip(columns["home"], columns["class"], strict=True):
        homes[home][label] += 1
    return Counter(tuple(sorted(home.items())) for home in homes.values())


def test_without_labels_it_is_the_sizes(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"home": [7, 7, 8, 9, 9], "ill": [0] * 5}, "ill", household="home")
    assert people.compositions() == {(("", 2),): 2, (("", 1),): 1}


def test_no_household_column(tmp_path: Path) -> None:
    people = opened(tmp_path, "csv", {"ill": [0, 1]}, "ill")
    with pytest.raises(InputError, match=r"^data\.household: missing, wanted the column that says who belongs"):
        people.compositions()


def test_shuffled_people(form: str, tmp_path: Path) -> None:
    draw = random.Random(1)
    homes = [f"{draw.randrange(400)}" for _ in range(1000)]
    ill = [draw.randrange(2) for _ in homes]
    members: dict[str, list[int]] = defaultdict(list)
    for home, bit in zip(homes, ill, strict=True):
        members[home].append(bit)
    people = opened(tmp_path, form, {"home": homes, "ill": ill}, "ill", household="home")
    assert infected_by_size(people) == Counter((len(bits), sum(bits)) for bits in members.values())


def test_truth_values_and_steps_are_bits(form: str, tmp_path: Path) -> None:
    people = opened(tmp_path, form, {"home": ["a", "a", "b"], "ill": [True, False, True]}, "ill", household="home")
    assert infected_by_size(people) == {(2, 1): 1, (1, 1): 1}
    halves = opened(tmp_path, form, {"home": ["a", "a"], "x": [0.1, 1.1]}, "x", household="home", step=0.5)
    assert infected_by_size(halves) == {(2, 1): 1}  # 1.1 is two steps of a half, which is 1


def test_other_values_are_refused(form: str, tmp_path: Path) -> None:
    for ill, odd in (([0, 1, 2], 1), (["well", "ill", "well"], 3), ([0.5, 0, 1], 1)):
        people = opened(tmp_path, form, {"home": [1, 1, 2], "ill": ill}, "ill", household="home")
        wanted = rf"^data\.value: ill, wanted 0 or 1 in every row, {odd} of 3 {'is' if odd == 1 else 'are'} not$"
        with pytest.raises(InputError, match=wanted):
            infected_by_size(people)


DRAWN = np.random.default_rng(3)
AGES = DRAWN.integers(17, 91, 500).tolist()
PAID = np.round(DRAWN.lognormal(3, 1, 500), 2).tolist()
WARDS = DRAWN.choice(["north", "south", "01"], 500).tolist()
NUMERIC = (Sum(), Mean(), Variance(), Min(), Max(), Median(), Mean(lower=20, upper=50.5))


def same(found: LeftOut, wanted: LeftOut) -> None:
    assert found.base == wanted.base
    np.testing.assert_array_equal(found.offsets, wanted.offsets)
    np.testing.assert_array_equal(found.people, wanted.people)


def test_counted_people_answer_as_listed_ones_do(form: str, tmp_path: Path) -> None:
    columns, old = {"age": AGES, "paid": PAID, "ward": WARDS}, Condition(column="age", at_least=65)
    halves = [int(np.floor(min(paid, 60.0) / 0.5 + 0.5)) / 2 for paid in PAID]
    some = (Sum(labels=["01"]), Variance(labels=["north", "01"]), Median(labels=["south"]))
    cases: list[tuple[str | Condition, dict[str, Any], list[Any], list[str] | None, tuple[Query, ...]]] = [
        ("paid", {}, PAID, None, NUMERIC),
        ("age", {"label": "ward"}, AGES, WARDS, (*NUMERIC, *some)),
        ("ward", {}, WARDS, None, (Count(values=["01"]),)),
        (old, {}, [int(age >= 65) for age in AGES], None, (Count(),)),
        ("paid", {"lower": 0, "upper": 60, "step": 0.5}, halves, None, NUMERIC),
    ]
    for value, data, cells, labels, queries in cases:
        found, listed = tallied(opened(tmp_path, form, columns, value, **data)), tally_of_people(cells, labels)
        assert (found.whose, found.labels, len(found.counts)) == (None, listed.labels, len(listed.counts))
        for query in queries:
            same(query.left_out(found), query.left_out(listed))


def test_one_person_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^values: of 1 people, wanted two people or more"):
        tallied(opened(tmp_path, "csv", {"age": [1]}, "age"))
