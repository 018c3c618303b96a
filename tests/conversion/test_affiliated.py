"""Counts of affiliated records in closed form: equal to the linear program, and to what Laplace noise leaks."""

from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import Conversion, Count, Households, InferentialPrivacy, Laplace, PureProfile, Release
from dalenius.calibration import ExactMethod
from dalenius.conversion.dependence import dependences
from dalenius.conversion.least_epsilon import programmed_ratio
from dalenius.joints import Joint
from dalenius.joints.factors import closed_ratio
from dalenius.published.influence_curve import InfluenceCurveMethod, largest_influence

HOME = (0.9, 0.04, 0.0, 0.0, 0.06)


def affiliated(size: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Pr[0, .., size are 1]: p_k/C(m, k) is log-convex in k, so that the bits are positively affiliated."""
    slopes = np.sort(rng.uniform(-3, 3, size))
    logs = np.array([log(comb(size, k)) for k in range(size + 1)]) + np.append(0.0, np.cumsum(slopes))
    chances = np.exp(logs - logs.max())
    return tuple((chances / chances.sum()).tolist())


@pytest.mark.slow
@given(st.integers(1, 7), st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.1, 0.5, 1.0, 3.0]), st.booleans())
def test_the_closed_form_is_what_the_program_finds(size: int, seed: int, epsilon: float, information: bool) -> None:
    law = affiliated(size, np.random.default_rng(seed))
    (joint,) = Households(count=2, infected=law).joints()
    assert isinstance(joint, Joint)
    for each in dependences(joint, information):
        closed = closed_ratio(each.gain, each.cost, each.apart, epsilon)
        assert closed is not None
        program = programmed_ratio(each, epsilon)
        assert program.lower <= closed.upper
        assert closed.lower <= program.upper
        assert closed.upper == pytest.approx(program.upper, rel=1e-6)


def test_it_is_ghosh_and_kleinberg_s_ratio_and_the_leakage_of_laplace_noise() -> None:
    epsilon = 0.5
    law = affiliated(4, np.random.default_rng(1))
    given_one, given_zero = np.zeros(5), np.zeros(5)
    for ones, chance in enumerate(law):
        given_one[ones] = chance * ones / 4
        given_zero[ones] = chance * (4 - ones) / 4
    means = [float(each @ np.exp(epsilon * np.arange(5)) / each.sum()) for each in (given_one, given_zero)]
    falling = [float(each @ np.exp(-epsilon * np.arange(5)) / each.sum()) for each in (given_one, given_zero)]
    truth = max(log(means[0] / means[1]), log(falling[1] / falling[0]))
    model = Households(count=3, infected=law)
    found = Conversion(model, PureProfile(epsilon), "replace").epsilon(0.0).value
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-11
    leakage = InferentialPrivacy().leakage(Release(model, Count(), Laplace(scale=1 / epsilon)))
    assert leakage.upper == pytest.approx(truth, rel=1e-9)


def test_the_influence_curve_is_the_same_and_as_good_as_the_exact_method() -> None:
    epsilon = 0.5
    model = Households(count=3, infected=affiliated(5, np.random.default_rng(2)))
    (joint,) = model.finite_joints()
    found = Conversion(model, PureProfile(epsilon), "replace").epsilon(0.0).value
    curve = largest_influence(joint, epsilon)
    assert found.lower <= curve <= found.upper * (1 + 1e-11)
    release = Release(model, Count(), Laplace())
    notion = InferentialPrivacy(epsilon=1.0)
    scales = [method.calibrate(release, notion).noise.scale for method in (InfluenceCurveMethod(), ExactMethod())]
    assert scales[0] == pytest.approx(scales[1], rel=1e-6)


def test_deep_states_keep_their_digits() -> None:
    line = np.abs(np.arange(3)[:, None] - np.arange(3)[None])
    found = closed_ratio(np.array([1e-290, 0.5, 0.5]), np.array([0.5, 0.5, 1e-290]), line, 200.0)
    assert found is not None
    truth = (0.5 + 0.5 * exp(200.0)) / 0.5
    assert found.lower <= truth <= found.upper


def test_where_there_is_no_closed_form() -> None:
    """A law that leans both ways, states that lie on no line, and ratios beyond doubles."""
    (joint,) = Households(count=2, infected=HOME).joints()
    assert isinstance(joint, Joint)
    assert [closed_ratio(each.gain, each.cost, each.apart, 1.0) for each in dependences(joint, False)] == [None, None]
    square = np.array([[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]])
    assert closed_ratio(np.array([0.1, 0.2, 0.3, 0.4]), np.full(4, 0.25), square, 1.0) is None
    line = np.abs(np.arange(3)[:, None] - np.arange(3)[None])
    one, other = np.array([1e-290, 0.5, 0.5]), np.array([0.5, 0.5, 1e-290])
    assert [closed_ratio(one, other, line, nats) for nats in (1e30, 1e300)] == [None, None]
