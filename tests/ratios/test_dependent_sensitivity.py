"""Dependent sensitivity in two engines, against fractions person by person; edge tables, cleaned."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest

from dalenius import dependent_sensitivity
from dalenius.errors import InputError
from dalenius.ratios.pairs.friend_graphs import Dropped
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


def drawn(seed: int) -> tuple[Columns, Columns]:
    """An untidy table of edges and a table of people: everybody below PEOPLE, in no order, with a move of their own."""
    draw = random.Random(seed)
    pairs = [(draw.randrange(-1, PEOPLE + 1), draw.randrange(-1, PEOPLE + 1)) for _ in range(200)]
    edges: Columns = {
        "a": [one for one, _ in pairs],
        "b": [other for _, other in pairs],
        "rho": [draw.choice([0.0, 0.1, 1 / 3, 0.5, 1.0, draw.random()]) for _ in pairs],
        "tie": [draw.choice(["family", "friend", "work"]) for _ in pairs],
    }
    moves = [draw.choice([0.0, 0.1, 1.0, 7.0, draw.random()]) for _ in range(PEOPLE)]
    people: Columns = {"id": draw.sample(range(PEOPLE), PEOPLE), "move": moves}
    return edges, people


def tables(engine: Any, edges: Columns, people: Columns) -> tuple[Any, Any]:
    found = [engine.create_table(name, pa.table(rows)) for name, rows in (("edges", edges), ("people", people))]
    return found[0], found[1]


def kept(edges: Columns, directed: bool, by_kind: bool = False) -> dict[tuple[int, int], list[tuple[str, Fraction]]]:
    """By pair of people, the kinds of its edges and the greatest coefficient of each."""
    found: dict[tuple[int, int], dict[str, Fraction]] = {}
    for one, other, rho, tie in zip(*edges.values(), strict=True):
        ends = (one, other) if directed or one < other else (other, one)
        if one != other and min(ends) >= 0 and max(ends) < PEOPLE:
            ties = found.setdefault(ends, {})
            kind = tie if by_kind else ""
            ties[kind] = max(ties.get(kind, Fraction(0)), Fraction(rho))
    return {ends: sorted(ties.items()) for ends, ties in found.items()}


def told(found: Any) -> tuple[Any, ...]:
    return found.value, found.exact, found.person, found.neighbours, found.edges, found.dropped


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_sums_are_those_of_fractions(engine: Any, seed: int, directed: bool) -> None:
    edges, people = drawn(seed)
    table, members = tables(engine, edges, people)
    moves = {person: Fraction(move) for person, move in zip(people["id"], people["move"], strict=True)}
    pairs: Any = {ends: ties[0][1] for ends, ties in kept(edges, directed).items()}
    for sensitivity, own in (("move", moves), (3, dict.fromkeys(moves, Fraction(3)))):
        exact = dependent_sensitivities(pairs, own, directed)
        found = dependent_sensitivity(
            table, "rho", sensitivity, ends=("a", "b"), people=members, person="id", directed=directed
        )
        assert found.value.lower <= max(exact.values()) <= found.exact <= Fraction(found.value.upper)
        assert found.value.upper - found.value.lower < 2e-7
        assert found.neighbours == sum(found.person in ends[: 1 if directed else 2] for ends in pairs)
        rows = found.per_person.to_pyarrow().to_pydict()
        assert sorted(rows["person"]) == sorted(people["id"])
        for person, each in zip(rows["person"], rows["sensitivity"], strict=True):
            assert exact[person] * (1 - Fraction(1, 10**15)) <= Fraction(each) <= exact[person] + Fraction(2, 10**7)
    expected, reasons = cleaned(PEOPLE, list(zip(edges["a"], edges["b"], strict=True)))
    if not directed:
        assert (found.edges, found.dropped.shown()) == (len(expected), reasons)
    assert found.edges + found.dropped.total == 200
    assert found.shown()["dropped"] == found.dropped.shown()


def test_kinds_of_edges_and_one_number_for_all(engine: Any) -> None:
    edges, people = drawn(4)
    table, members = tables(engine, edges, people)
    given: dict[str, float | Fraction] = {"family": 1, "friend": 0.3, "work": Fraction(1, 7)}
    exact: Counter[int] = Counter()
    sums = dict.fromkeys(range(PEOPLE), Fraction(2))
    for ends, ties in kept(edges, False, by_kind=True).items():
        for end in ends:
            exact[end] += len(ties)
            sums[end] += 2 * sum(Fraction(str(given[tie])) for tie, _ in ties)
    found = dependent_sensitivity(table, given, 2, ends=("a", "b"), kind="tie", people=members, person="id")
    assert found.value.lower <= max(sums.values()) <= found.exact
    assert found.value.upper - found.value.lower < 1e-8
    assert found.edges == sum(exact.values()) / 2
    alike = dependent_sensitivity(table, 0.1, ends=("a", "b"), people=members, person="id")
    degrees = Counter(end for ends in kept(edges, False) for end in ends)
    most = max(degrees.values())
    assert alike.exact == 1 + Fraction(most, 10)  # .1 is a tenth, and not the double
    assert (alike.person, alike.neighbours) == (min(p for p, n in degrees.items() if n == most), most)
    assert alike.value.lower <= alike.exact <= alike.value.upper


def test_nobody_with_an_edge_has_the_sensitivity_of_one(engine: Any) -> None:
    rows = pa.table({"first": pa.array([], pa.int64()), "second": pa.array([], pa.int64())})
    table = engine.create_table("edges", rows)
    found = dependent_sensitivity(table, 0.5, 3)
    assert (found.value.lower, found.value.upper, found.person, found.edges) == (3.0, 3.0, None, 0)
    members = engine.create_table("people", pa.table({"person": [7, 5], "move": [0.25, 4.0]}))
    own = dependent_sensitivity(table, 0.5, "move", people=members)
    assert (own.exact, own.person, own.neighbours) == (Fraction(4), 5, 0)


def test_missing_ends_are_unknown_people(engine: Any) -> None:
    table = engine.create_table("edges", pa.table({"first": [1, None, 2, None], "second": [2, 1, None, None]}))
    found = dependent_sensitivity(table, 1)
    assert found.dropped == Dropped(unknown=3)
    assert (found.exact, found.person, found.neighbours) == (Fraction(2), 1, 1)


GOOD: dict[str, Any] = {"coefficient": "rho", "sensitivity": "move", "ends": ("a", "b"), "person": "id"}
KINDS: dict[str, float] = {"family": 1, "work": 1}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"ends": ("a", "a")}, "ends: a, wanted two different columns"),
    ({"ends": ("a", "c")}, "edges.second: c, wanted one of the columns a, b, rho, tie"),
    ({"ends": ("a", "rho")}, "edges.second: rho, wanted a column of whole numbers or texts, not of float64"),
    ({"coefficient": "tie"}, "edges.coefficient: tie, wanted a column of numbers, not of …"),
    ({"coefficient": 1.5}, "coefficient: 1.5, wanted a number from 0 to 1"),
    ({"coefficient": {"family": 2}, "kind": "tie"}, "coefficient of family: 2, wanted a number from 0 to 1"),
    ({"coefficient": {}, "kind": "tie"}, "coefficient: none, wanted one for each kind of edge"),
    ({"coefficient": KINDS}, "kind: missing, wanted a column of kinds, and a coefficient for each…"),
    ({"kind": "tie"}, "kind: tie, wanted a column of kinds, and a coefficient for each of its values"),
    ({"coefficient": KINDS, "kind": "tie"}, "kind tie: friend, wanted one of family, work; …"),
    ({"sensitivity": -1}, "sensitivity: -1, wanted a number of at least 0"),
    ({"sensitivity": "moves"}, "people.move: moves, wanted one of the columns id, move"),
    ({"people": None}, "people: missing, wanted the table that has the column move"),
    ({"person": "move"}, "people.person: move, wanted a column of whole numbers or texts, not of float64"),
]
PEOPLE_WHO_ARE_NONE: list[tuple[Columns, str]] = [
    ({"id": [1, 1, 2], "move": [1.0] * 3}, "people.person: id, wanted each person once, 1 of 3 rows repeat"),
    ({"id": [1, None], "move": [1.0, 1.0]}, "people.person: id, wanted a name in every row, 1 of 2 have none"),
    (
        {"id": [1, 2, 3], "move": [1.0, -1.0, None]},
        "people.move: move, wanted from 0 to 1e+300 in every row, 2 are not",
    ),
    ({"id": [1, 2], "move": ["x", "y"]}, "people.move: move, wanted a column of numbers, not of string"),
    ({"id": pa.array([], pa.int64()), "move": pa.array([], pa.float64())}, "people: none, wanted at least one row"),
]


def test_what_cannot_be_added_up_is_refused() -> None:
    edges, rows = drawn(1)

    def asking(rows: Columns, **change: Any) -> Callable[[], object]:
        table, members = tables(ibis.duckdb.connect(), edges, rows)
        return lambda: dependent_sensitivity(table, **({"people": members} | GOOD | change))

    check_refused((asking(rows, **change), message) for change, message in REFUSED)
    check_refused((asking(none), message) for none, message in PEOPLE_WHO_ARE_NONE)


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
    edges, people = drawn(9)
    here = tables(ibis.duckdb.connect(), edges, people)
    there = tables(ibis.pyspark.connect(builder.getOrCreate()), edges, people)
    found = [dependent_sensitivity(t, "rho", "move", ends=("a", "b"), people=m, person="id") for t, m in (here, there)]
    assert told(found[0]) == told(found[1])
