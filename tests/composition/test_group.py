"""Several releases together: group losses add, and bound what the joint channel tells; leakages do not add."""

from fractions import Fraction
from itertools import product
from math import exp, fsum, inf, log

import pytest
from hypothesis import given, strategies as st

from dalenius import (
    Count,
    Geometric,
    Households,
    HouseholdType,
    InferentialPrivacy,
    Kernel,
    Laplace,
    NoNoise,
    Release,
    Relocation,
    Several,
    Table,
)
from dalenius.composition import group_loss, together
from dalenius.noise import Noise

Joint = dict[tuple[int, ...], float]
PAIR: Joint = {(0, 0): 0.9, (1, 1): 0.1}
XOR: Joint = {(0, 0, 0): 0.25, (0, 1, 1): 0.25, (1, 0, 1): 0.25, (1, 1, 0): 0.25}
LONE: Joint = {(0,): 0.7, (1,): 0.3}


def release(joint: Joint, noise: Noise) -> Release:
    return Release(Table(records=tuple(joint), probabilities=tuple(joint.values())), Count(), noise)


def jointly(joint: Joint, scales: tuple[float, ...], known: int = 0) -> float:
    """max over outputs of log W(y|X_known=s)/W(y|X_known=s'), one geometric output per scale, by enumeration."""
    largest = -inf
    for outputs in product(range(-1, len(next(iter(joint))) + 2), repeat=len(scales)):
        mass, prior = [0.0, 0.0], [0.0, 0.0]
        for row, probability in joint.items():
            likelihood = exp(-fsum(abs(y - sum(row)) / b for y, b in zip(outputs, scales, strict=True)))
            mass[row[known]] += probability * likelihood
            prior[row[known]] += probability
        largest = max(largest, abs(log(mass[1] / prior[1]) - log(mass[0] / prior[0])))
    return largest


@pytest.mark.parametrize("noise", [Geometric(scale=2.5), Laplace(scale=2.5)])
def test_group_loss_is_the_group_s_reach_over_the_scale(noise: Noise) -> None:
    model = Households(
        types=(HouseholdType(count=2, infected=(0.5, 0.5)), HouseholdType(count=1, infected=(0.5, 0, 0, 0.5)))
    )
    assert group_loss(Release(model, Count(), noise)) == pytest.approx(3 / 2.5)
    assert Release(model, Count(), noise).group_sensitivity == (Fraction(3), 3)
    assert group_loss(Release(model, Count(), NoNoise())) == inf


@given(st.lists(st.floats(0, 10), max_size=20))
def test_together_is_the_sum_rounded_up(losses: list[float]) -> None:
    exact = sum((Fraction(loss) for loss in losses), Fraction(0))
    assert Fraction(together(losses)) >= exact
    assert together(losses) <= float(exact) * (1 + 1e-15) + 1e-300
    assert together([*losses, inf]) == inf


@pytest.mark.parametrize("joint", [PAIR, XOR, LONE], ids=["pair", "xor", "lone"])
@pytest.mark.parametrize("scales", [(1.0,), (1.0, 1.0), (0.5, 2.0), (2.0, 3.0, 1.5)], ids=str)
def test_together_bounds_the_joint_channel(joint: Joint, scales: tuple[float, ...]) -> None:
    losses = [group_loss(release(joint, Geometric(scale=scale))) for scale in scales]
    for known in range(len(next(iter(joint)))):
        assert jointly(joint, scales, known) <= together(losses)


def test_for_equal_records_the_bound_is_attained() -> None:
    losses = [group_loss(release(PAIR, Geometric(scale=scale))) for scale in (1.0, 2.0)]
    assert jointly(PAIR, (1.0, 2.0)) == pytest.approx(together(losses), abs=1e-12)


def test_inferential_leakages_do_not_add() -> None:  # Result 9.1: why the ledger adds group losses instead
    once = InferentialPrivacy().leakage(release(XOR, Geometric(scale=1))).epsilon
    assert once == pytest.approx(jointly(XOR, (1.0,)), abs=1e-9)
    assert jointly(XOR, (1.0, 1.0)) > 2 * once


K = ((0.64, 0.36), (0.36, 0.64))
MATRIX = [
    Kernel(answers=(0, 1), probabilities=K),
    Relocation(lower=0, upper=1, leaves=(0.6, 0.6), moves=((0.4, 0.6), (0.6, 0.4)), shares=((1,), (1,))),
]
"""The same mechanism, written twice."""


@pytest.mark.parametrize("noise", MATRIX, ids=["kernel", "relocation"])
def test_a_matrix_on_two_coordinates_is_charged_for_both(noise: Noise) -> None:
    twice = Release(Table(records=((0,), (1,)), probabilities=(0.5, 0.5)), Several(queries=(Count(), Count())), noise)
    lost = 2 * log(0.64 / 0.36)
    assert lost <= group_loss(twice) <= lost * (1 + 1e-12)
    found = InferentialPrivacy().leakage(twice)
    assert found.lower <= lost * (1 + 1e-12)
    assert found.upper <= group_loss(twice) * (1 + 1e-12)
