"""Long chains, sticky chains, and the least and the most that is promised."""

from math import exp, log

import pytest

import dalenius as dl


def test_assignments_past_a_double() -> None:
    model = dl.Chain(n=2000, transition=[[0.9, 0.1], [0.2, 0.8]], initial=[0.5, 0.5])
    joint = model.law()
    assert joint.outcome_count() == 2**200
    assert float(joint.outcome_count()) > 1e60
    distance, size = dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)).group_sensitivity
    assert (int(distance), size) == (2000, 2000)


STICKY = 1 - 1e-12


def chain(n: int, stay: float) -> dl.Chain:
    return dl.Chain(n=n, transition=[[stay, 1 - stay], [1 - stay, stay]], initial="stationary")


@pytest.mark.parametrize("n", [100, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("epsilon", [1e-6, 50.0])
def test_numbers_stay_sane(n: int, epsilon: float) -> None:
    """Far from the ends b = c/ε hides a stationary chain, c = 1 + 2Σδ^k = (1 + δ)/(1 - δ) the sum of correlations."""
    notion = dl.InferentialPrivacy(epsilon=epsilon)
    found = dl.calibrate(dl.Release(chain(n, 0.8), dl.Count(), dl.Laplace()), notion)
    assert found.leakage.lower <= epsilon
    assert found.leakage.upper <= epsilon
    assert found.leakage.lower == pytest.approx(epsilon, rel=1e-4 if n <= 1_000 else 5e-4)
    assert found.noise.scale is not None
    limit = (1 + 0.6) / (1 - 0.6)
    assert found.noise.scale == pytest.approx(limit / epsilon, rel=0.05 if epsilon <= 1 else 0.8)


@pytest.mark.parametrize("n", [100, pytest.param(2_000, marks=pytest.mark.slow)])
def test_a_nearly_constant_chain_is_one_record_n_times(n: int) -> None:
    """All change together: noise of scale b hides a sum of n equal bits at n/b."""
    release = dl.Release(chain(n, STICKY), dl.Count(), dl.Laplace(scale=float(n)))
    leakage = dl.InferentialPrivacy().leakage(release)
    assert leakage.lower <= 1 <= leakage.upper + n * 1e-11
    assert leakage.upper - leakage.lower < 1e-9
    information = dl.InformationPrivacy().leakage(release)
    # Two equally likely values, one of them 1: log 2/(1 + e^-1).
    assert information.epsilon == pytest.approx(log(2 / (1 + exp(-1))), rel=1e-8)
