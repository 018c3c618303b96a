"""Random small releases for hypothesis, and what the reference knows of those that make sense."""

from itertools import product as choices
from math import prod
from typing import Any

from hypothesis import assume, strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from dalenius.models import (
    Chain,
    Groups,
    GroupType,
    Households,
    HouseholdType,
    Independent,
    Model,
    Network,
    Product,
    Table,
)
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.queries import Count, Max, Mean, Min, Query, Several, Sum
from tests.conformance.scores import Unfit
from tests.conformance.table import truth_of
from tests.conformance.truth import Truth

FEW = 5
"""People whose every set may be known to somebody."""

VALUES: tuple[Any, ...] = (0, 1, 2, -1, 0.5, 3)
WEIGHTS = st.one_of(st.sampled_from([0.0, 1.0, 1e-12, 1e-6]), st.floats(0.01, 1.0))


@st.composite
def distributions(draw: DrawFn, size: int) -> list[float]:
    """Zeros, tiny and ordinary probabilities."""
    weights = draw(st.lists(WEIGHTS, min_size=size, max_size=size).filter(lambda found: max(found) >= 0.01))
    total = sum(weights)
    return [weight / total for weight in weights]


@st.composite
def independents(draw: DrawFn, most: int) -> Model:
    n = draw(st.integers(1, most))
    if draw(st.booleans()):
        rows = draw(st.lists(distributions(2), min_size=n, max_size=n))
        return Independent(probabilities=rows)
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True).map(lambda v: [1, *v][-3:]))
    values = list(dict.fromkeys(values))
    kinds = draw(st.lists(distributions(len(values)), min_size=1, max_size=2))
    return Independent(values=values, probabilities=[kinds[i % len(kinds)] for i in range(min(n, 5))])


@st.composite
def tables(draw: DrawFn, most: int) -> Model:
    rows, probabilities = draw(_rows(min(most, 4)))
    return Table(records=rows, probabilities=probabilities)


@st.composite
def group_models(draw: DrawFn, most: int) -> Model:
    types: list[GroupType] = []
    left = most
    while left > 0 and len(types) < 2:
        rows, probabilities = draw(_rows(min(left, 3)))
        count = draw(st.integers(1, max(1, min(2, left // len(rows[0])))))
        types.append(GroupType(count=count, records=rows, probabilities=probabilities))
        left -= count * len(rows[0])
    return Groups(types=tuple(types))


@st.composite
def _rows(draw: DrawFn, widest: int) -> tuple[list[tuple[Any, ...]], list[float]]:
    width = draw(st.integers(1, widest))
    values = draw(st.sampled_from([(0, 1), (1, 0, 2), (1, 0.5)]))
    every = list(choices(values, repeat=width))
    rows = draw(st.lists(st.sampled_from(every), min_size=1, max_size=6, unique=True))
    if not any(1 in row for row in rows):
        rows = [*rows, (1,) * width]
    return rows, draw(distributions(len(rows)))


@st.composite
def household_models(draw: DrawFn, most: int) -> Model:
    types: list[HouseholdType] = []
    left = most
    while left > 0 and len(types) < 3:
        size = draw(st.integers(1, min(left, 5)))
        count = draw(st.integers(1, max(1, min(2, left // size))))
        members = None
        if size > 1 and draw(st.booleans()):
            first = draw(st.integers(1, size - 1))
            members = {"a": first, "b": size - first}
        types.append(HouseholdType(count=count, infected=tuple(draw(distributions(size + 1))), members=members))
        left -= size * count
    return Households(types=tuple(types))


@st.composite
def chains(draw: DrawFn, most: int) -> Model:
    values = draw(st.sampled_from([(0, 1), (1, 0, 2), (1, 0.5)]))
    rows = st.lists(distributions(len(values)), min_size=len(values), max_size=len(values))
    return Chain(
        n=draw(st.integers(1, most)), values=values, transition=draw(rows), initial=draw(distributions(len(values)))
    )


@st.composite
def networks(draw: DrawFn, most: int) -> Network:
    """Nodes in any order, with up to 3 parents each; some tables are shared, some nodes are constants."""
    count = draw(st.integers(1, most))
    order = draw(st.permutations(range(count)))
    universes = st.sampled_from([(0, 1), (0, 1), (1, 0), (0, 1, 2), (1, 0.5), (1,)])
    values = [draw(universes) for _ in range(count)]
    tables: dict[tuple[int, int], Any] = {}
    nodes: dict[int, dict[str, Any]] = {}
    for place, i in enumerate(order):
        parents = draw(st.lists(st.sampled_from(order[:place]), max_size=3, unique=True)) if place else []
        shape = prod(len(values[parent]) for parent in parents), len(values[i])
        if shape not in tables or draw(st.booleans()):
            tables[shape] = draw(st.lists(distributions(shape[1]), min_size=shape[0], max_size=shape[0]))
        nodes[i] = {
            "name": f"n{i}",
            "values": values[i],
            "parents": [f"n{parent}" for parent in parents],
            "probabilities": tables[shape],
            "label": draw(st.sampled_from(["", "", "", "b"])),
        }
    return Network(nodes=[nodes[i] for i in range(count)])


@st.composite
def products(draw: DrawFn, most: int) -> Model:
    first = draw(st.one_of(independents(2), tables(2), household_models(3)))
    second = draw(st.one_of(independents(2), tables(2), household_models(3), group_models(2)))
    return Product(parts=(first, second))


def models(most: int = 8) -> SearchStrategy[Model]:
    """Of every kind but `any`, of up to `most` records or so; 1 is always a value some record can have."""
    return st.one_of(
        independents(most),
        tables(most),
        group_models(min(most, 6)),
        household_models(most),
        chains(min(most, 6)),
        networks(min(most, 6)),
        products(most),
    )


BOUNDS: SearchStrategy[dict[str, float]] = st.sampled_from([{}, {"upper": 1.5}, {"lower": 0.25, "upper": 1.0}])


def queries(per_label: SearchStrategy[bool] | None = None) -> SearchStrategy[Query]:
    """Without labels of their own, which most models have none of."""
    each = st.booleans() if per_label is None else per_label
    return st.one_of(
        each.map(lambda p: Count(per_label=p)),
        each.map(lambda p: Count(per_label=p)),
        st.builds(lambda p, b: Sum(per_label=p, **b), each, BOUNDS),
        st.builds(lambda b: Sum(weights={"": 2.0, "a": 0.5, "b": -1.5}, **b), BOUNDS),
        st.builds(lambda p, b: Mean(per_label=p, **b), each, BOUNDS),
        st.builds(lambda p, b: Max(per_label=p, **b), each, BOUNDS),
        st.builds(lambda p, b: Min(per_label=p, **b), each, BOUNDS),
    )


def mixtures() -> SearchStrategy[Query]:
    """Two or three answers, an extreme among them."""
    bounds = st.sampled_from([(None, None), (None, 1.5), (0.25, 1.0)])
    extreme: SearchStrategy[Query] = st.one_of(
        bounds.map(lambda b: Max(lower=b[0], upper=b[1])), bounds.map(lambda b: Min(lower=b[0], upper=b[1]))
    )
    other = st.one_of(extreme, st.just(Count()), bounds.map(lambda b: Sum(lower=b[0], upper=b[1])))
    rest = st.lists(other, min_size=1, max_size=2)
    return st.builds(lambda first, others: Several(queries=(first, *others)), extreme, rest)


SCALES = st.one_of(st.sampled_from([0.05, 0.3, 1.0, 3.0, 50.0]), st.floats(0.05, 50.0))


def noises() -> SearchStrategy[Noise]:
    return st.one_of(
        st.builds(lambda scale: Laplace(scale=scale), SCALES),
        st.builds(lambda scale: Geometric(scale=scale), SCALES),
        st.just(NoNoise()),
    )


def sensible(model: Model, query: Query, noise: Noise | None = None) -> Truth:
    """Of queries that make sense."""
    try:
        return truth_of(model, query, noise or NoNoise())
    except Unfit:
        assume(False)
        raise


def sensible_if_few(model: Model, query: Query, noise: Noise) -> Truth:
    """Where it does not take long to go through all that may be known of others."""
    truth = sensible(model, query, noise)
    assume(all(len(world.people) <= FEW and len(world.joint) <= 40 for world in truth.worlds))
    return truth
