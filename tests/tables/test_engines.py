"""The same digits from every engine: what is read is the same wherever people are, and as plain Python has it."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from dalenius.errors import InputError
from dalenius.spec.data_section import Source
from dalenius.tables import People, open_people
from tests.pace import slow
from tests.postgres import Postgres
from tests.tables.engines import ENGINES, handed
from tests.tables.test_state import compositions
from tests.tables.written import Columns

Open = Callable[..., People]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of Spark in this process, whose warehouse is no folder of ours."""
    if find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed")
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.warehouse.dir", str(folder)).config("spark.sql.shuffle.partitions", "2")
    builder.config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}").getOrCreate()
    return "pyspark://"


QUICK = ("csv", "duckdb", "polars", "live", "postgresql")


SPARK = pytest.param(
    "pyspark",
    marks=[
        pytest.mark.slow,
        pytest.mark.spark,
        pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Spark leaves sockets open
        pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    ],
)


@pytest.fixture(params=[*QUICK, *(slow(engine) for engine in ENGINES if engine not in (*QUICK, "pyspark")), SPARK])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens rows in the engine."""

    def database() -> str:
        server: Postgres = request.getfixturevalue("postgres")
        return server.new()

    servers = {"postgresql": database, "pyspark": lambda: str(request.getfixturevalue("spark"))}
    found: list[People] = []

    def opening(columns: Columns, value: Any, **data: Any) -> People:
        folder = tmp_path / f"rows{len(found)}"
        folder.mkdir(exist_ok=True)
        held, table = handed(str(request.param), columns, folder, servers)
        found.append(open_people(Source(name="people", table=table, value=value, **data), tmp_path, held))
        return found[-1]

    yield opening
    for people in found:
        people.close()


DRAW = random.Random(17)
SIZE = 400
COLUMNS: Columns = {
    "id": list(range(SIZE)),
    "home": [f"{DRAW.randrange(120)}" for _ in range(SIZE)],
    "ward": [DRAW.choice(["1", "01", "Ärzte", "it's", 'a"b', "x:1"]) for _ in range(SIZE)],
    "x": [DRAW.choice([DRAW.uniform(-40, 40), DRAW.randrange(-80, 80) / 4, 1e-7, 0.1]) for _ in range(SIZE)],
    "age": [DRAW.randrange(100) for _ in range(SIZE)],
    "ill": [DRAW.random() < 0.3 for _ in range(SIZE)],
    "on": [date(2020, 1, 1 + DRAW.randrange(28)) for _ in range(SIZE)],
}


def rows() -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def test_clipped_and_quantised_values(opened: Open) -> None:
    people = opened(COLUMNS, "x", label="ward", lower=-20, upper=20, step=0.5)

    def quantised(x: float) -> Fraction:
        return math.floor(min(max(x, -20.0), 20.0) / 0.5 + 0.5) * Fraction(1, 2)

    assert people.tally() == Counter((row["ward"], quantised(row["x"])) for row in rows())
    assert people.size == SIZE
    assert set(people.labelled()) == set(COLUMNS["ward"])


def test_values_as_they_are(opened: Open) -> None:
    assert opened(COLUMNS, "x").tally() == Counter(("", Fraction(repr(x))) for x in COLUMNS["x"])


def test_households(opened: Open) -> None:
    people = opened(COLUMNS, "ill", household="home", label="ward", person="id")
    wanted = compositions({"home": COLUMNS["home"], "class": COLUMNS["ward"]})
    assert people.compositions() == wanted


CONDITIONS: list[tuple[dict[str, Any], Callable[[Any], bool]]] = [
    ({"column": "age", "at_least": 65}, lambda row: row["age"] >= 65),
    ({"column": "ill", "equals": True}, lambda row: row["ill"]),
    ({"column": "ward", "one_of": ["01", "it's"]}, lambda row: row["ward"] in ("01", "it's")),
    ({"column": "on", "below": "2020-01-15"}, lambda row: row["on"] < date(2020, 1, 15)),
]


def test_conditions_as_values_and_as_who_belongs(opened: Open) -> None:
    for condition, holds in CONDITIONS:
        assert opened(COLUMNS, condition).tally() == Counter(("", Fraction(bool(holds(row)))) for row in rows())
    (condition, holds), young = CONDITIONS[0], {"column": "age", "below": 80}
    chosen = opened(COLUMNS, "age", where=[condition, young])
    wanted = [row["age"] for row in rows() if holds(row) and row["age"] < 80]
    assert chosen.tally() == Counter(("", Fraction(age)) for age in wanted)
    assert chosen.size == len(wanted)


def test_large_integers(opened: Open) -> None:
    people = opened({"x": [2**53 + 1, 2**53, -(2**62)]}, "x")
    assert people.tally() == {("", Fraction(x)): 1 for x in (2**53 + 1, 2**53, -(2**62))}


@pytest.mark.lengthy
def test_labels_that_are_declared(opened: Open) -> None:
    people = opened(COLUMNS, "ill", label="ward", labels=["1", "01", "none"], others="leave_out")
    wanted = Counter((row["ward"], Fraction(row["ill"])) for row in rows() if row["ward"] in ("1", "01"))
    assert people.tally() == wanted
    with pytest.raises(InputError, match=r"^data\.label: ward, wanted one of the declared labels 1, 01 in every row, "):
        opened(COLUMNS, "ill", label="ward", labels=["1", "01"])


def test_what_is_no_number_is_refused(opened: Open) -> None:
    clipped: dict[str, Any] = {"lower": 0, "upper": 5, "step": 1}
    for odd, part in ((math.nan, {}), (math.inf, {}), (math.nan, clipped), (-math.inf, clipped)):
        with pytest.raises(
            InputError, match=r"^data\.value: x, wanted a (finite number|cell)[a-z0-9+ ]* in every row, 1 of 3"
        ):
            opened({"x": [1.5, odd, 2.5]}, "x", **part)


def test_a_person_occurs_once(opened: Open) -> None:
    with pytest.raises(InputError) as refused:
        opened({"id": [1, 2, 2, 1, 3], "x": [1, 2, 3, 4, 5]}, "x", person="id")
    assert str(refused.value) == "data.person: id, wanted each person once, 2 of 5 rows repeat"
    people = opened(
        {"id": [1, 2, 2, 1, 3], "x": [1, 2, 3, 4, 5]}, "x", person="id", where=[{"column": "x", "at_most": 2}]
    )
    assert people.size == 2
