"""Several releases together: group losses add, and bound what the joint channel tells; leakages do not add."""

from fractions import Fraction
from itertools import product
from math import exp, fsum, inf, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import (
    BayesianPrivacy,
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
    Sum,
    Table,
)
from dalenius.composition import Releases, compose, group_loss, together
from dalenius.noise import Noise, separate
from tests.cases import in_turn

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


def test_group_loss_is_the_group_s_reach_over_the_scale() -> None:
    model = Households(
        types=(HouseholdType(count=2, infected=(0.5, 0.5)), HouseholdType(count=1, infected=(0.5, 0, 0, 0.5)))
    )
    for noise in (Geometric(scale=2.5), Laplace(scale=2.5)):
        assert group_loss(Release(model, Count(), noise)) == pytest.approx(3 / 2.5)
    assert Release(model, Count(), noise).group_sensitivity == (Fraction(3), 3)
    assert group_loss(Release(model, Count(), NoNoise())) == inf


@given(st.lists(st.floats(0, 10), max_size=20))
def test_together_is_the_sum_rounded_up(losses: list[float]) -> None:
    exact = sum((Fraction(loss) for loss in losses), Fraction(0))
    assert Fraction(together(losses)) >= exact
    assert together(losses) <= float(exact) * (1 + 1e-15) + 1e-300
    assert together([*losses, inf]) == inf


@in_turn({"joint": [PAIR, XOR, LONE], "scales": [(1.0,), (1.0, 1.0), (0.5, 2.0), (2.0, 3.0, 1.5)]})
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


def test_a_matrix_on_two_coordinates_is_charged_for_both() -> None:
    for noise in MATRIX:
        model = Table(records=((0,), (1,)), probabilities=(0.5, 0.5))
        twice = Release(model, Several(queries=(Count(), Count())), noise)
        lost = 2 * log(0.64 / 0.36)
        assert lost <= group_loss(twice) <= lost * (1 + 1e-12)
        found = InferentialPrivacy().leakage(twice)
        assert found.lower <= lost * (1 + 1e-12)
        assert found.upper <= group_loss(twice) * (1 + 1e-12)


def test_a_group_pays_each_answer_by_its_own_noise() -> None:
    """A count under much noise beside a sum under more: not the whole distance at the least noise."""
    model = Table(records=((0, 0), (100, 100)), probabilities=(0.9, 0.1))
    noise = separate((Laplace(scale=2.0), Laplace(scale=400.0)))
    release_of_both = Release(model, Several(queries=(Count(values=(100,)), Sum())), noise)
    lost = 2 * (1 / 2 + 100 / 400)
    assert lost <= group_loss(release_of_both) <= lost * (1 + 1e-12)
    assert InferentialPrivacy().leakage(release_of_both).upper == pytest.approx(lost, rel=1e-9)  # attained


def test_groups_pay_for_the_releases_that_ask_them_only() -> None:
    """The group that loses most in one release is not that of the other: the largest of the sums, not their sum."""
    homes = Households(
        types=(
            HouseholdType(count=2, infected=(0.5, 0.2, 0.3), members={"a": 2}),
            HouseholdType(count=3, infected=(0.5, 0.2, 0.1, 0.2), members={"b": 3}),
        )
    )
    releases = Releases(
        (
            Release(homes, Count(labels=("a",)), Laplace(scale=1.0)),
            Release(homes, Count(labels=("b",)), Geometric(scale=2.0)),
        ),
        adaptive=True,
    )
    assert [group_loss(each) for each in releases.each] == pytest.approx([2.0, 1.5])
    found = compose(releases, BayesianPrivacy(), "group").bound.upper
    assert 2.0 <= found <= 2.0 * (1 + 1e-12)


def test_random_answers_under_random_noises_never_lose_more() -> None:
    """Against the largest weighted distance of any two assignments of a group, by enumeration."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        values = [int(value) for value in rng.choice(20, 3, replace=False)]
        rows = [tuple(rng.choice(values, 2).tolist()) for _ in range(4)]
        model = Table(records=tuple(dict.fromkeys(rows)), probabilities=(1 / len(set(rows)),) * len(set(rows)))
        held = [sorted({row[place] for row in rows}) for place in (0, 1)]
        counted, scales = held[0][0], rng.uniform(0.5, 30.0, 2).tolist()
        noise = separate((Laplace(scale=scales[0]), Geometric(scale=scales[1])))
        asked = Release(model, Several(queries=(Count(values=(counted,)), Sum())), noise)
        lost = [_furthest(records, counted, scales) for records in (held, held[:1], held[1:])]
        assert lost[0] * (1 - 1e-12) <= group_loss(asked) <= (lost[1] + lost[2]) * (1 + 1e-12) + 1e-12


def _furthest(records: list[list[int]], counted: int, scales: list[float]) -> float:
    answers = [(sum(value == counted for value in each), sum(each)) for each in product(*records)]
    return float(max(abs(a - c) / scales[0] + abs(b - d) / scales[1] for a, b in answers for c, d in answers))
