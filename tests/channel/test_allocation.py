"""The worst way to spend a budget, against going through all of them."""

from itertools import product

import pytest
from hypothesis import given, strategies as st

from dalenius.bounds import Enclosure
from dalenius.knowledge.groups.allocation import Buyable, Powers, Search
from tests.pace import draws

KINDS = st.builds(
    lambda groups, costs, dead: Buyable(groups, tuple(costs), tuple(i == dead for i in range(len(costs)))),
    st.integers(0, 4),
    st.lists(st.integers(1, 3), min_size=1, max_size=2),
    st.integers(0, 2),
)


def allocations(types: list[Buyable], budget: int) -> list[Powers]:
    rows = [
        [row for row in product(range(each.groups + 1), repeat=len(each.costs)) if sum(row) <= each.groups]
        for each in types
    ]
    found = [
        bought
        for bought in product(*rows)
        if sum(each.paid(row) for each, row in zip(types, bought, strict=True)) <= budget
    ]
    assert found
    return found


def read(powers: Powers) -> Enclosure:
    """Falls in every number of sources, each in its own way."""
    value = 1.0
    for t, row in enumerate(powers):
        for option, n in enumerate(row):
            value *= (0.5 + 0.1 * t + 0.13 * option) ** n
    return Enclosure(value, value)


@given(types=st.lists(KINDS, min_size=1, max_size=3), budget=st.integers(0, 9))
@draws(200)
def test_against_all_allocations(types: list[Buyable], budget: int) -> None:
    found = Search(types, budget, read, 0.0, looks=10_000).worst()
    sources = [
        tuple(each.sources(row) for each, row in zip(types, bought, strict=True))
        for bought in allocations(types, budget)
    ]
    expected = max(read(powers).upper for powers in sources)
    assert found.value.lower == pytest.approx(expected, rel=1e-9)
    assert expected <= found.upper <= expected * (1 + 1e-9)
    assert sum(each.paid(row) for each, row in zip(types, found.bought, strict=True)) <= budget


@given(types=st.lists(KINDS, min_size=2, max_size=3), budget=st.integers(2, 9), looks=st.integers(1, 6))
@draws(100)
def test_with_few_looks_the_upper_end_still_holds(types: list[Buyable], budget: int, looks: int) -> None:
    found = Search(types, budget, read, 0.0, looks).worst()
    best = max(
        read(tuple(each.sources(row) for each, row in zip(types, bought, strict=True))).upper
        for bought in allocations(types, budget)
    )
    assert found.value.lower <= best * (1 + 1e-12)
    assert best <= found.upper * (1 + 1e-9)


def test_one_type_that_can_only_be_killed_is_decided_at_once() -> None:
    seen = []

    def look(powers: Powers) -> Enclosure:
        seen.append(powers)
        return read(powers)

    found = Search([Buyable(1_000_000, (1,), (True,))], 400_000, look, 0.0, looks=100).worst()
    assert found.bought == ((400_000,),)
    assert seen == [((600_000, 0),)]
