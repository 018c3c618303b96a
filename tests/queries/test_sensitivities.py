"""Θ and Δ in the worst case against enumeration of every table of a small universe, in fractions."""

import pytest

from dalenius.queries import Count, Histogram, Query, Sum, Universe
from tests.cases import Refusals, check_refused
from tests.queries.test_left_out import NAMES, NUMERIC, QUERIES, exactly
from tests.reference import left_out as reference

LISTS: tuple[tuple[float, ...], ...] = ((0, 1), (1, 2.5, -3), (-2, 1, 2.5, -3), (0.1, 1, 0.7, -0.35, -3, 2.5), (1, 2.5))
CASES = [(name, 4, LISTS[place % len(LISTS)]) for place, name in enumerate(NAMES)]


@pytest.mark.parametrize(("name", "n", "values"), CASES)
def test_over_a_list_of_values(name: str, n: int, values: tuple[float, ...]) -> None:
    query, answer, _ = QUERIES[name]
    if name in ("count", "cell"):
        query, answer = _counting(name, values)
    found = query.worst_case(Universe(n=n, values=values))
    assert found.identifiability == reference.identifiability(answer, exactly(values), n)
    assert found.presence == reference.presence(answer, exactly(values), n)
    assert found.identifiability <= 2 * found.presence


def _counting(name: str, values: tuple[float, ...]) -> tuple[Query, reference.Answer]:
    wanted = values[1:] if len(values) > 2 else values
    query = Count(values=wanted) if name == "count" else Histogram(cells=[wanted])
    return query, reference.among(exactly(wanted))


@pytest.mark.parametrize("name", NUMERIC)
def test_over_a_range_no_table_in_it_is_worse(name: str) -> None:
    """The ends attain the worst case; what lies between them does not exceed it."""
    query, answer, fewest = QUERIES[name]
    grid = exactly([-1, -0.6, 0.2, 0.9, 1.5])
    for n in range(fewest, 6):
        found = query.worst_case(Universe(n=n, lower=-1, upper=1.5))
        assert found.identifiability == reference.identifiability(answer, grid, n)
        assert found.presence == reference.presence(answer, grid, n)


@pytest.mark.parametrize("name", ["mean", "variance"])
def test_it_is_what_changing_one_record_of_those_there_can_do(name: str) -> None:
    query, answer, _ = QUERIES[name]
    values = (-3, 1, 2.5)
    for n in (3, 4, 5):
        found = query.worst_case(Universe(n=n, values=values))
        assert found.identifiability == reference.replacement(answer, exactly(values), n - 1)


@pytest.mark.parametrize("name", ["sum", "variance"])
def test_clipping_bounds_the_universe(name: str) -> None:
    query, answer, _ = QUERIES[name]
    bounded = type(query).model_validate({"lower": -0.5, "upper": 2})
    narrow = bounded.worst_case(Universe(n=4, lower=-0.5, upper=2))
    assert bounded.worst_case(Universe(n=4)) == narrow
    assert bounded.worst_case(Universe(n=4, lower=-7, upper=11.5)) == narrow
    assert bounded.worst_case(Universe(n=4, values=[-7, 1, 3])) == narrow
    assert narrow.identifiability == reference.identifiability(answer, exactly([-0.5, 2]), 4)
    assert bounded.worst_case(Universe(n=4, lower=3, upper=4)).identifiability == 0


VARIANCE = QUERIES["variance"][0]
REFUSED: Refusals = [
    (
        lambda: Sum().worst_case(Universe(n=4, upper=0)),
        "universe.lower: missing, wanted a finite number, or a query with…",
    ),
    (
        lambda: Sum().worst_case(Universe(n=4, lower=0)),
        "universe.upper: missing, wanted a finite number, or a query with…",
    ),
    (lambda: Sum().worst_case(Universe(n=4, values=["a", "b"])), "query.kind: sum, wanted a universe of numbers…"),
    (lambda: Sum(labels=["a"]).worst_case(Universe(n=4, lower=0, upper=3)), "query.labels: a, wanted no labels…"),
    (lambda: VARIANCE.worst_case(Universe(n=2, lower=0, upper=1)), "universe.n: 2, wanted 3 people or more…"),
    (lambda: Universe(n=1, values=[1]), "Universe.n: 1, wanted a number of at least 2"),
    (lambda: Universe(n=3, values=[]), "Universe.values: [], wanted 1 or more entries"),
    (lambda: Universe(n=3, lower=2, upper=1), "Universe: …wanted lower at most upper (they are 2.0 and 1.0)"),
    (lambda: Universe(n=3, values=[1], lower=0), "Universe: …wanted either values, or lower and upper"),
]


def test_what_has_no_worst_case_is_refused() -> None:
    check_refused(REFUSED)
