"""δ(ε) where e^ε is no double: one bit under little Laplace noise, 1 - e^{(ε - 1/b)/2} in closed form."""

import pytest

from dalenius.channel import Release
from dalenius.models import Table
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy, delta_of
from dalenius.queries import Count
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, enclosure
from tests.reference.channel import mp

BIT = Table(records=[[0], [1]], probabilities=[0.5, 0.5])


@in_turn({"scale": [1 / 64, 1 / 4096], "share": [0.1, 1 - 2.0**-14]})
def test_delta_of_a_bit(scale: float, share: float) -> None:
    epsilon = share / scale
    found = delta_of(Release(BIT, Count(), Laplace(scale=scale)), epsilon)
    assert_agrees(found, -mp.expm1((mp.mpf(epsilon) - 1 / mp.mpf(scale)) / 2))


@pytest.mark.parametrize("scale", [1 / 1024, 1 / 4096])
def test_the_least_epsilon_of_a_delta(scale: float) -> None:
    notion = InferentialPrivacy(delta=0.05)
    found = notion.leakage(Release(BIT, Count(), Laplace(scale=scale)))
    assert_agrees(enclosure(found), 1 / mp.mpf(scale) + 2 * mp.log1p(-mp.mpf(0.05)))
