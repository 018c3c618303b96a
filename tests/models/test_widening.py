"""Models whose probabilities are off by a factor, and how far their laws given a secret then are."""

from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.models import Model
from dalenius.models.model import widened_row
from dalenius.schema import ends_of

PAIR = dl.Table(records=((0, 0), (0, 1), (1, 1)), probabilities=(0.5, 0.2, 0.3))
HOME = dl.Households(count=3, infected=(0.9, 0.04, 0.0, 0.06))
CHAIN = dl.Chain(n=4, initial=(0.5, 0.5), transition=((0.9, 0.1), (0.3, 0.7)))
NETWORK = dl.Network(
    nodes=(
        dl.Node(name="a", probabilities=(0.7, 0.3)),
        dl.Node(name="b", parents=("a",), probabilities=((1, 0), (0.2, 0.8))),
    )
)
MODELS: dict[str, Model] = {
    "independent": dl.Independent(probabilities=(0.2, 0.7)),
    "table": PAIR,
    "groups": dl.Groups(types=(dl.GroupType(count=2, records=PAIR.records, probabilities=PAIR.probabilities),)),
    "households": HOME,
    "types": dl.Households(
        types=(dl.HouseholdType(count=2, infected=(0.5, 0.5)), dl.HouseholdType(count=1, infected=(0, 0, 1)))
    ),
    "chain": CHAIN,
    "network": NETWORK,
    "product": dl.Product(parts=(PAIR, HOME)),
    "any": dl.Any(models=(PAIR, dl.Table(records=PAIR.records, probabilities=(0.1, 0.2, 0.7)))),
}


ROWS = ("infected", "initial", "transition", "probabilities")


def together(model: Any, wider: Any) -> list[tuple[float, Any]]:
    """Each probability of a model, and what stands in its place in another."""
    if isinstance(model, dict):
        rows = [pair for key in ROWS if model.get(key) for pair in _entries(model[key], wider[key])]
        inner = [(model[key], wider[key]) for key in ("types", "parts", "models", "nodes") if model.get(key)]
        return rows + [pair for one, other in inner for pair in together(one, other)]
    return [pair for one, other in zip(model, wider, strict=True) for pair in together(one, other)]


def _entries(row: Any, wider: Any) -> list[tuple[float, Any]]:
    if not isinstance(row, list):
        return [(row, wider)]
    if len(wider) == 1 < len(row):  # the only row of a node, which is one of several rows there
        (wider,) = wider
    return [pair for one, other in zip(row, wider, strict=True) for pair in _entries(one, other)]


def test_every_probability_is_off_by_the_factor() -> None:
    for model, factor in product(MODELS.values(), (1e-9, 3.0)):
        pairs = together(model.model_dump(mode="json"), model.widened(factor).model_dump(mode="json"))
        assert len(pairs) > 1
        for p, ends in pairs:
            if p == 0:
                assert ends == 0, "what is impossible stays so"
                continue
            assert ends[0] <= p * exp(-factor) <= ends[0] * (1 + 1e-15)
            assert ends[1] * (1 - 1e-15) <= min(1, p * exp(factor)) <= ends[1]


def test_intervals_are_widened_from_their_ends() -> None:
    ((low, high), zero) = widened_row(((0.1, 0.2), 0.0), log(2))  # type: ignore[misc]
    assert (low, high) == pytest.approx((0.05, 0.4))
    assert zero == 0


def test_a_stationary_chain_keeps_its_first_law() -> None:
    chain = CHAIN.model_copy(update={"initial": "stationary"}).widened(0.1)
    assert chain.initial != "stationary"
    first, _ = chain.initial
    assert ends_of(first) == pytest.approx((0.75 * exp(-0.1), 0.75 * exp(0.1)))


def test_an_epidemic_is_widened_in_each_size_of_the_table() -> None:
    model = dl.Households(by="home", epidemic=dl.Epidemic(community=0.1, household=0.3))
    homes = model.with_compositions({(("", 2),): 5, (("", 1), ("x", 2)): 1})
    types = homes.widened(0.2).types
    assert types is not None
    assert [each.size for each in types] == [2, 3]
    law = dl.Epidemic(community=0.1, household=0.3).infected(3)
    assert [low for low, _ in types[1].infected] == pytest.approx([p * exp(-0.2) for p in law])  # type: ignore[misc]


def apart(p: np.ndarray, near: np.ndarray, secret: np.ndarray) -> float:
    """The max-divergence, both ways, of two laws given each secret."""
    return max(
        float(np.abs(np.log(near[secret == s] / near[secret == s].sum() / p[secret == s] * p[secret == s].sum())).max())
        for s in np.unique(secret)
    )


def near_laws(p: np.ndarray, factor: float) -> list[np.ndarray]:
    """The vertices of the laws off by the factor: all probabilities at an end, but one."""
    found = []
    for free, ends in product(range(len(p)), product((-factor, factor), repeat=len(p) - 1)):
        law = p * np.exp(np.insert(ends, free, 0.0))
        law[free] = 0
        law[free] = 1 - law.sum()
        if abs(log(max(law[free], 1e-300) / p[free])) <= factor:
            found.append(law)
    return found


def test_the_divergence_given_a_secret_is_bounded_and_more_than_the_factor() -> None:
    draw, factor, largest = np.random.default_rng(3), 0.1, 0.0
    secret = np.array([0, 0, 0, 1, 1])
    for _ in range(50):
        p = draw.dirichlet(np.full(5, 0.3)).clip(1e-3)
        p /= p.sum()
        largest = max([largest, *(apart(p, near, secret) for near in near_laws(p, factor))])
    assert 1.9 * factor < largest <= PAIR.divergence(factor) == 2 * factor
