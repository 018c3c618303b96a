"""Households, groups and tables of probabilities near the least double, against sums in many digits."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import (
    Adversary,
    Any,
    Count,
    Groups,
    Households,
    HouseholdType,
    Independent,
    InferentialPrivacy,
    InformationPrivacy,
    Laplace,
    NoNoise,
    Product,
    RelativeEntropyPrivacy,
    Release,
    Sum,
    Table,
)
from dalenius.joints.groups.exchangeable import Exchangeable
from dalenius.laws.numbers.masses import Masses
from dalenius.models import Model
from dalenius.notions import Leakage
from tests.cases import in_turn
from tests.reference.channel import Real, real
from tests.reference.epidemic import count_leakage, exactly
from tests.reference.joints import household

LEAST = 5e-324
WITHIN: dict[str, Callable[[Model], Model]] = {
    "alone": lambda model: model,
    "any": lambda model: Any(models=[model]),
    "product": lambda model: Product(parts=[model, Independent(probabilities=[0.0])]),
    "both": lambda model: Product(parts=[Any(models=[model]), Independent(probabilities=[0.0])]),
}
ROWS: list[tuple[list[float], float]] = [
    ([1.0, LEAST, 0.0], 1.0),
    ([0.0, LEAST, 1.0], 1.0),
    ([0.5, LEAST, 0.5], 2.0),
    ([0.5, 1e-323, 0.0, 0.0, 0.5], 4.0),
    ([1.0, LEAST, LEAST, 0.0], 1.76338251539),
    ([1.0, 2e-323, 0.0, LEAST], 2.31859535746),
    ([1.0, 5e-322, 1e-321, 1e-322], 2.06716681183),
    ([1.0, 1e-318, 1e-318, 2e-318, 1e-319], 2.83351850805),
]


def leakage(model: Model, known: dict[str, int] | None = None) -> Leakage:
    adversary = Adversary(known=known) if known else None
    return InferentialPrivacy(epsilon=1.0).leakage(Release(model, Count(), Laplace(scale=1.0), adversary=adversary))


def assert_holds(found: Leakage, truth: Real) -> None:
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-9


@in_turn({"within": WITHIN, "law, value": ROWS})
def test_one_household(law: list[float], value: float, within: str) -> None:
    truth = count_leakage(exactly(law), 1.0)
    assert float(truth) == pytest.approx(value, abs=1e-11)
    assert_holds(leakage(WITHIN[within](Households(count=1, infected=law))), truth)


@in_turn(
    {"within": WITHIN, "labels": [{"": 4}, {"a": 2, "b": 2}, {"a": 1, "b": 3}], "first, value": [(0, 3.0), (1, 1.0)]}
)
def test_one_member_known(first: int, value: float, labels: dict[str, int], within: str) -> None:
    law = [1.0, 0.0, 0.0, LEAST, 1e-300]
    home = Households(types=[HouseholdType(count=1, infected=law, members=labels)])
    truth = count_leakage(exactly(law), 1.0, infected=first, well=1 - first)
    # With the first known well all or nobody else is ill; known ill, two or all of the others are.
    assert float(truth) == pytest.approx(value, abs=1e-11)
    assert_holds(leakage(WITHIN[within](home), {"1": first}), truth)


def test_known_and_no_label() -> None:
    law = [1.0, LEAST, 0.0, 1e-320]
    truth = count_leakage(exactly(law), 1.0, infected=1)
    assert_holds(leakage(Households(count=1, infected=law), {"1": 1}), truth)


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
    model = Households(types=[HouseholdType(count=1, infected=law, members=members)])
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


@in_turn({"within": WITHIN, "kind": ["table", "groups"]})
def test_tables_in_units_of_the_least(kind: str, within: str) -> None:
    """Given that the first record is 1, the second is 1, 2 or 4 with odds 1 : 2 : 5, all below 1e-322."""
    records, law = [[0, 0], [1, 1], [1, 2], [1, 4]], [1.0, LEAST, 2 * LEAST, 5 * LEAST]
    if kind == "table":
        model: Model = Table(records=records, probabilities=law)
    else:
        model = Groups(types=[{"count": 1, "records": records, "probabilities": law}])
    found = InformationPrivacy(epsilon=1.0).leakage(Release(WITHIN[within](model), Sum(), Laplace(scale=1.0)))
    # The second record: 4 against what is nearly certain, 0.
    assert_holds(found, 5)
    known = Adversary(known={"1": 1})
    found = InformationPrivacy(epsilon=1.0).leakage(
        Release(WITHIN[within](model), Sum(), Laplace(scale=1.0), adversary=known)
    )
    with mpmath.mp.workdps(40):
        odds = {1: 1, 2: 2, 4: 5}
        truth = max(
            mpmath.exp(-abs(y - a)) * 8 / mpmath.fsum(n * mpmath.exp(-abs(y - b)) for b, n in odds.items())
            for y in range(5)
            for a in odds
        )
        assert_holds(found, mpmath.log(truth))


def test_without_noise_one_output_tells_all() -> None:
    """Three infected are everybody: D(S | Y=3 ‖ S) = -log Pr[S=1], and the other way it is infinite."""
    law = [1.0, LEAST, 0.0, 1e-320]
    found = RelativeEntropyPrivacy(epsilon=1.0).leakage(Release(Households(count=1, infected=law), Count(), NoNoise()))
    with mpmath.mp.workdps(40):
        truth = -mpmath.log(exactly(law)[1] / 3 + exactly(law)[3])
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-7
    assert found.companions["reverse"].lower == np.inf


def test_labels_by_the_thousand() -> None:
    """One arrangement in 1e600 is not none."""
    labels = {"a": 1000, "b": 1000}
    law = [0.5, *[0.0] * 999, 0.5, *[0.0] * 1000]
    (joint,) = Households(types=[HouseholdType(count=1, infected=law, members=labels)]).finite_joints()
    (factor,) = joint.factors()
    assert isinstance(factor, Exchangeable)
    block = factor.block
    assert len(block.log_weights) == 1 + 1001
    assert block.log_weights.min() == pytest.approx(float(mpmath.log(0.5 / mpmath.binomial(2000, 1000))), rel=1e-14)


def test_ratios_and_totals() -> None:
    ratios = Masses.ratios([0, 1, 10**400, 3], [7, 10**400, 1, 3])
    assert ratios.mantissa[0] == 0
    assert ratios.logs()[1:] == pytest.approx([-400 * np.log(10), 400 * np.log(10), 0])
    total = Masses.of(np.array([[1.0, 2.0**-60] + [2.0**-54] * 64, [LEAST] * 66])).totals()
    assert (total.mantissa * 2.0 ** (total.exponent + 1000)).tolist() == pytest.approx(
        [2.0**1000 * (1 + 2.0**-48), 66 * 2.0**-74], rel=1e-15
    )
