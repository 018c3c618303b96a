"""Households, groups and tables of probabilities near the least double, against sums in many digits.

Models whose probabilities are off by a factor, and how far their laws given a secret then are.
"""

from fractions import Fraction
from itertools import combinations, product
from math import exp, log
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.fields import ends_of
from dalenius.models import Model
from tests.conformance.table import worlds_of
from tests.reference.channel import Real, real
from tests.reference.epidemic import exactly
from tests.reference.joints import household

LEAST = 5e-324


def leakage(model: Model, known: dict[str, int] | None = None) -> dl.Leakage:
    adversary = dl.Adversary(known=known) if known else None
    return dl.InferentialPrivacy(epsilon=1.0).leakage(
        dl.Release(model, dl.Count(), dl.Laplace(scale=1.0), adversary=adversary)
    )


def assert_holds(found: dl.Leakage, truth: Real) -> None:
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-9


SMALL = st.sampled_from([0.0, LEAST, 1.5e-323, 1e-320, 3e-310, 1e-300, 1e-160]) | st.integers(1, 50).map(
    lambda units: units * LEAST
)


@pytest.mark.slow
@given(data=st.data(), size=st.integers(1, 4), certain=st.booleans())
def test_random_households(data: st.DataObject, size: int, certain: bool) -> None:
    law = data.draw(st.lists(SMALL, min_size=size + 1, max_size=size + 1))
    place = data.draw(st.integers(0, size))
    law[place] = 1.0
    cut = data.draw(st.integers(1, size))
    members = {"a": cut, "b": size - cut} if cut < size else {"a": size}
    model = dl.Households(types=[dl.HouseholdType(count=1, infected=law, members=members)])
    total = sum(map(Fraction, law))
    joint = household([Fraction(p) / total for p in law])
    row = data.draw(st.sampled_from(sorted(joint)))
    people = data.draw(st.lists(st.integers(1, size), unique=True, max_size=size - 1)) if certain else []
    left = {own: p for own, p in joint.items() if all(own[i - 1] == row[i - 1] for i in people)}
    truth = max((_worst(left, i) for i in range(size) if i + 1 not in people), default=mpmath.mpf(0))
    assert_holds(leakage(model, {str(i): row[i - 1] for i in people}), truth)


def _worst(joint: dict[tuple[int, ...], Fraction], person: int) -> Real:
    """Of one person's secrets, at every count."""
    with mpmath.mp.workdps(60):
        given = []
        for secret in {row[person] for row in joint}:
            own = {row: p for row, p in joint.items() if row[person] == secret}
            total = sum(own.values())
            given.append([(sum(row), real(p / total)) for row, p in own.items()])
        seen = [
            [mpmath.log(mpmath.fsum(p * mpmath.exp(-abs(y - k)) for k, p in rows)) for rows in given]
            for y in range(len(next(iter(joint))) + 1)
        ]
        return max(abs(a - b) for row in seen for a, b in combinations([*row, row[0]], 2))


def test_without_noise_one_output_tells_all() -> None:
    """Three infected are everybody: D(S | Y=3 ‖ S) = -log Pr[S=1], and the other way it is infinite."""
    law = [1.0, LEAST, 0.0, 1e-320]
    found = dl.RelativeEntropyPrivacy(epsilon=1.0).leakage(
        dl.Release(dl.Households(count=1, infected=law), dl.Count(), dl.NoNoise())
    )
    with mpmath.mp.workdps(40):
        truth = -mpmath.log(exactly(law)[1] / 3 + exactly(law)[3])
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-7
    assert found.companions["reverse"].lower == np.inf


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
    "any": dl.AnyOf(models=(PAIR, dl.Table(records=PAIR.records, probabilities=(0.1, 0.2, 0.7)))),
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


def test_a_stationary_chain_keeps_its_first_law() -> None:
    chain = CHAIN.model_copy(update={"initial": "stationary"}).widened(0.1)
    assert chain.initial != "stationary"
    first, _ = chain.initial
    assert ends_of(first) == pytest.approx((0.75 * exp(-0.1), 0.75 * exp(0.1)))


def test_a_stationary_chain_of_three_values() -> None:
    model = dl.Chain(n=2, initial="stationary", transition=[[0.5, 0.5, 0.0], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]])
    ((joint,), (world,)) = model.joints(), worlds_of(model)
    wanted = [float(sum(p for row, p in world.joint.items() if row[1] == value)) for value in range(3)]
    assert np.exp(joint.subject_of(2).log_prior) == pytest.approx(wanted, rel=1e-13)


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
    assert 1.9 * factor < largest <= 2 * factor
