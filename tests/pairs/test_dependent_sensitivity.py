"""Dependent sensitivity in two engines, against fractions person by person; edge tables, cleaned."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dalenius import dependent_sensitivity
from dalenius.errors import InputError
from dalenius.pairs.dropped_edges import Dropped
from tests.cases import check_refused
from tests.reference.graphs import cleaned, dependent_sensitivities

ENGINES = ("duckdb", "sqlite")
PEOPLE = 30
Columns = dict[str, list[Any]]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    connection = getattr(ibis, request.param).connect()
    yield connection
    connection.disconnect()


def drawn(seed: int) -> Columns:
    """An untidy table of edges between everybody below PEOPLE, and nobody."""
    draw = random.Random(seed)
    people = [None, *range(PEOPLE)]
    return {
        "a": [draw.choice(people) for _ in range(200)],
        "b": [draw.choice(people) for _ in range(200)],
        "rho": [draw.choice([0.0, 0.1, 1 / 3, 0.5, 1.0, draw.random()]) for _ in range(200)],
        "tie": [draw.choice(["family", "friend", "work"]) for _ in range(200)],
    }


def opened(engine: Any, edges: Columns) -> Any:
    return engine.create_table("edges", pa.table(edges))


def kept(edges: Columns, directed: bool) -> dict[tuple[int, int], Fraction]:
    """By pair of people, the greatest coefficient of its edges."""
    found: dict[tuple[int, int], Fraction] = {}
    for one, other, rho, _ in zip(*edges.values(), strict=True):
        if one != other and None not in (one, other):
            ends = (one, other) if directed or one < other else (other, one)
            found[ends] = max(found.get(ends, Fraction(0)), Fraction(rho))
    return found


def told(found: Any) -> tuple[Any, ...]:
    return found.value, found.exact, found.person, found.neighbours, found.edges, found.dropped


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_sums_are_those_of_fractions(engine: Any, seed: int, directed: bool) -> None:
    edges = drawn(seed)
    pairs: Any = kept(edges, directed)
    own = {person: Fraction(3) for ends in pairs for person in ends[: 1 if directed else 2]}
    exact = dependent_sensitivities(pairs, dict.fromkeys(range(PEOPLE), Fraction(3)), directed)
    found = dependent_sensitivity(
        opened(engine, edges), "rho", 3, ends=("a", "b"), directed=directed, unknown="leave_out"
    )
    assert found.value.lower <= max(exact.values()) <= found.exact <= Fraction(found.value.upper)
    assert found.value.upper - found.value.lower < 2e-7
    assert found.neighbours == sum(found.person in ends[: 1 if directed else 2] for ends in pairs)
    rows = found.per_person.to_pyarrow().to_pydict()
    assert sorted(rows["person"]) == sorted(own)
    for person, each in zip(rows["person"], rows["sensitivity"], strict=True):
        assert exact[person] * (1 - Fraction(1, 10**15)) <= Fraction(each) <= exact[person] + Fraction(2, 10**7)
    given = [tuple(-1 if end is None else end for end in ends) for ends in zip(edges["a"], edges["b"], strict=True)]
    expected, reasons = cleaned(PEOPLE, given)  # type: ignore[arg-type]
    if not directed:
        assert (found.edges, found.dropped.shown()) == (len(expected), reasons)
    assert found.edges + found.dropped.total == 200
    assert found.shown()["dropped"] == found.dropped.shown()


def test_one_number_for_all(engine: Any) -> None:
    edges = drawn(4)
    alike = dependent_sensitivity(opened(engine, edges), 0.1, ends=("a", "b"), unknown="leave_out")
    degrees = Counter(end for ends in kept(edges, False) for end in ends)
    most = max(degrees.values())
    assert alike.exact == 1 + Fraction(most, 10)  # .1 is a tenth, and not the double
    assert (alike.person, alike.neighbours) == (min(p for p, n in degrees.items() if n == most), most)
    assert alike.value.lower <= alike.exact <= alike.value.upper
    assert max(alike.per_person.to_pyarrow().to_pydict()["sensitivity"]) == pytest.approx(float(alike.exact), rel=1e-15)


def test_nobody_with_an_edge_has_the_sensitivity_of_one(engine: Any) -> None:
    rows = pa.table({"first": pa.array([], pa.int64()), "second": pa.array([], pa.int64())})
    found = dependent_sensitivity(engine.create_table("edges", rows), 0.5, 3)
    assert (found.value.lower, found.value.upper, found.person, found.edges) == (3.0, 3.0, None, 0)


def test_missing_ends_are_unknown_people(engine: Any) -> None:
    table = engine.create_table("edges", pa.table({"first": [1, None, 2, None], "second": [2, 1, None, None]}))
    with pytest.raises(
        InputError, match=r"^edges: first, second, wanted a person at both ends .* \(3 of 4 lack one\)$"
    ):
        dependent_sensitivity(table, 1)
    found = dependent_sensitivity(table, 1, unknown="leave_out")
    assert found.dropped == Dropped(unknown=3, of=4)
    assert (found.exact, found.person, found.neighbours) == (Fraction(2), 1, 1)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"ends": ("a", "a")}, "ends: a, wanted two different columns"),
    ({"ends": ("a", "c")}, "edges.second: c, wanted one of the columns a, b, rho, tie"),
    ({"ends": ("a", "rho")}, "edges.second: rho, wanted a column of whole numbers or texts, not of float64"),
    ({"coefficient": "tie"}, "edges.coefficient: tie, wanted a column of numbers, not of …"),
    ({"coefficient": "rhos"}, "edges.coefficient: rhos, wanted one of the columns a, b, rho, tie (did you mean rho?)"),
    ({"coefficient": 1.5}, "coefficient: 1.5, wanted a number from 0 to 1"),
    ({"coefficient": {"family": 1}}, "coefficient: …"),
    ({"sensitivity": -1}, "sensitivity: -1, wanted a number of at least 0"),
    ({"sensitivity": "moves"}, "sensitivity: moves, wanted …"),
]


def test_what_cannot_be_added_up_is_refused() -> None:
    table = opened(ibis.duckdb.connect(), drawn(1))

    def asking(**change: Any) -> Callable[[], object]:
        given: dict[str, Any] = {"coefficient": "rho", "ends": ("a", "b")}
        return lambda: dependent_sensitivity(table, **(given | change))

    check_refused((asking(**change), message) for change, message in REFUSED)


def test_coefficients_that_are_none_are_refused(engine: Any) -> None:
    odd = [-0.1, 1.1, float("nan"), None, float("inf")]
    rows = {"first": [1] * 6, "second": list(range(2, 8)), "rho": [0.5, *odd]}
    table = engine.create_table("edges", pa.table(rows))
    with pytest.raises(InputError, match=r"^edges\.coefficient: rho, wanted from 0 to 1 in every row, 5 are not$"):
        dependent_sensitivity(table, "rho")


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")  # those of Spark and of what it makes of pandas
def test_spark_finds_the_same_digits(tmp_path: Path) -> None:
    sessions = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    builder = sessions.SparkSession.builder.master("local[1]").config("spark.sql.warehouse.dir", str(tmp_path))
    edges = drawn(9)
    engines = ibis.duckdb.connect(), ibis.pyspark.connect(builder.getOrCreate())
    one, other = (
        dependent_sensitivity(opened(each, edges), "rho", ends=("a", "b"), unknown="leave_out") for each in engines
    )
    assert told(one) == told(other)


def test_frames_are_tables_of_edges_too() -> None:
    columns = {"first": ["ann", "ann", "bob"], "second": ["bob", "cy", "bob"], "rho": [0.5, 0.25, 1.0]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pl.LazyFrame(columns), pa.table(columns)):
        found = dependent_sensitivity(frame, "rho")
        assert (found.value.upper, found.person, found.neighbours, found.edges) == (1.75, "ann", 2, 2)
        assert found.per_person.to_pyarrow().num_rows == 3
    for wrong in ([("ann", "bob")], 7, None):
        with pytest.raises(InputError):
            dependent_sensitivity(wrong, 0.5)
