"""δ(ε) where e^ε is no double: one bit under little Laplace noise, 1 - e^{(ε - 1/b)/2} in closed form."""

import pytest

import dalenius as dl
from tests.cases import in_turn
from tests.conformance.comparison import assert_agrees, enclosure
from tests.reference.channel import mp

BIT = dl.Table(records=[[0], [1]], probabilities=[0.5, 0.5])


@in_turn({"scale": [1 / 64, 1 / 4096], "share": [0.1, 1 - 2.0**-14]})
def test_delta_of_a_bit(scale: float, share: float) -> None:
    epsilon = share / scale
    found = dl.delta_of(dl.Release(BIT, dl.Count(), dl.Laplace(scale=scale)), epsilon)
    assert_agrees(found, -mp.expm1((mp.mpf(epsilon) - 1 / mp.mpf(scale)) / 2))


@pytest.mark.parametrize("scale", [1 / 1024, 1 / 4096])
def test_the_least_epsilon_of_a_delta(scale: float) -> None:
    notion = dl.InferentialPrivacy(delta=0.05)
    found = notion.leakage(dl.Release(BIT, dl.Count(), dl.Laplace(scale=scale)))
    assert_agrees(enclosure(found), 1 / mp.mpf(scale) + 2 * mp.log1p(-mp.mpf(0.05)))
