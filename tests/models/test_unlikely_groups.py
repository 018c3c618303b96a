"""Households, groups and tables of probabilities near the least double, against sums in many digits."""

from fractions import Fraction
from itertools import combinations

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.joints.blocks import Exchangeable
from dalenius.models import Model
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


def test_labels_by_the_thousand() -> None:
    """One arrangement in 1e600 is not none."""
    labels = {"a": 1000, "b": 1000}
    law = [0.5, *[0.0] * 999, 0.5, *[0.0] * 1000]
    (joint,) = dl.Households(types=[dl.HouseholdType(count=1, infected=law, members=labels)]).finite_joints()
    (factor,) = joint.factors()
    assert isinstance(factor, Exchangeable)
    block = factor.block
    assert len(block.log_weights) == 1 + 1001
    assert block.log_weights.min() == pytest.approx(float(mpmath.log(0.5 / mpmath.binomial(2000, 1000))), rel=1e-14)
