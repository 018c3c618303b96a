"""People counted in DuckDB, by Dalenius and by the query that somebody would write."""

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import duckdb

from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.tables import People, open_people

UNDER_30: Final = Condition(column="age", below=30)
ASKED: Final = {
    "one count": (Source(value=UNDER_30), "SELECT count(*), sum((age < 30)::INT) FROM people"),
    "a count in each ward": (
        Source(value=UNDER_30, label="ward"),
        "SELECT ward, count(*), sum((age < 30)::INT) FROM people GROUP BY ward",
    ),
    "incomes, clipped, in steps of 500": (
        Source(value="income", lower=0, upper=100_000, step=500),
        "SELECT floor(greatest(least(income, 100000), 0) / 500 + 0.5)::BIGINT AS steps, count(*) FROM people "
        "GROUP BY steps",
    ),
}
"""What is asked, and the bare query that finds the same counts."""
PEOPLE: Final = (
    "CREATE TABLE people AS SELECT (hash(i) % 100)::INT AS age, 'ward ' || (hash(i + 1) % 20) AS ward, "
    "(hash(i + 2) % 12000000) / 100.0::DOUBLE AS income FROM range(?) drawn(i)"
)
TIMES: Final = 9


def counted(people: int) -> dict[str, dict[str, float]]:
    """Seconds, medians of TIMES runs in turn: of the bare query, of the count, and of opening and checking the table,
    which is done once before all counts. A connection of its own each time."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "people.duckdb"
        with duckdb.connect(str(file)) as connection:
            connection.execute(PEOPLE, [people])
        return {name: _compared(file, source, query) for name, (source, query) in ASKED.items()}


def _compared(file: Path, source: Source, query: str) -> dict[str, float]:
    seconds: dict[str, list[float]] = {"bare": [], "count": [], "opening": []}
    for _ in range(TIMES):
        with duckdb.connect(str(file), read_only=True) as connection:
            connection.execute(query).fetchall()  # as opening the people does, it reads the file
            begun = perf_counter()
            connection.execute(query).fetchall()
            seconds["bare"].append(perf_counter() - begun)
        begun = perf_counter()
        found = _opened(file, source)
        opened = perf_counter()
        found.tally()
        seconds["opening"].append(opened - begun)
        seconds["count"].append(perf_counter() - opened)
        found.close()
    return {name: median(each) for name, each in seconds.items()}


def _opened(file: Path, source: Source) -> People:
    return open_people(source.model_copy(update={"file": file, "table": "people"}))
