"""The profile of pure losses and Gaussian noise together, against products of their dominating pairs."""

from itertools import product
from math import exp, inf, log

import mpmath
import pytest
from hypothesis import given, strategies as st
from scipy.special import ndtr

from dalenius import GaussianProfile, Geometric, Households, HouseholdType, InputError, Laplace, Release
from dalenius.composition import Releases, record_losses
from dalenius.composition.losses import RecordLoss, profile_of
from dalenius.queries import Count, Several
from tests.pace import draws


def responses(losses: list[float], epsilon: float) -> float:
    """Σ max(P - e^ε Q, 0) of randomised responses, over all their outputs."""
    total = mpmath.mpf(0)
    for signs in product((1, -1), repeat=len(losses)):
        one = other = mpmath.mpf(1)
        for sign, loss in zip(signs, losses, strict=True):
            one /= 1 + mpmath.exp(-sign * loss)
            other /= 1 + mpmath.exp(sign * loss)
        total += max(one - mpmath.exp(epsilon) * other, 0)
    return float(total)


@draws(100)
@given(st.lists(st.floats(0.01, 2), min_size=2, max_size=6), st.floats(0, 3))
def test_pure_losses_together_are_randomised_responses(losses: list[float], epsilon: float) -> None:
    profile = profile_of([RecordLoss(tuple(losses), 0.0)], 0.1)
    truth = responses(losses, epsilon)
    found = profile.delta(epsilon)
    assert found >= truth * (1 - 1e-12)
    assert found <= truth + 0.01
    assert profile.delta(sum(losses) * (1 + 1e-12)) == 0


def test_gaussian_noise_beside_a_pure_loss() -> None:
    """Over the two outputs of the response, hockey-sticks of N(μ, 1) against N(0, 1) in closed form."""
    loss, mu = 0.7, 0.9
    profile = profile_of([RecordLoss((loss,), mu)], 1e-3)
    for epsilon in (0.0, 0.5, 1.5, 3.0):
        truth = 0.0
        for one, other in ((1 / (1 + exp(-loss)), 1 / (1 + exp(loss))), (1 / (1 + exp(loss)), 1 / (1 + exp(-loss)))):
            apart = epsilon + log(other / one)
            truth += one * ndtr(mu / 2 - apart / mu) - exp(epsilon) * other * ndtr(-mu / 2 - apart / mu)
        assert truth <= profile.delta(epsilon) <= truth + 1e-4
    assert profile.pure is None


def test_the_worst_record_counts() -> None:
    losses = [RecordLoss((0.5, 0.5), 0.0), RecordLoss((0.9,), 0.0)]
    profile = profile_of(losses, 0.01)
    assert profile.delta(0.8) >= max(responses([0.5, 0.5], 0.8), responses([0.9], 0.8)) * (1 - 1e-12)
    assert profile_of(losses, 0.0).pure == pytest.approx(1.0)


def test_gaussian_noise_alone_keeps_its_own_profile() -> None:
    assert profile_of([RecordLoss((), 0.5)], 1e-3) == GaussianProfile(0.5)


def test_an_infinite_loss_has_no_profile() -> None:
    with pytest.raises(InputError, match="releases: an infinite differential loss, wanted noise with a finite loss"):
        profile_of([RecordLoss((inf, 1.0), 0.0)], 0.1)


def test_records_lose_in_the_releases_that_ask_them_only() -> None:
    homes = Households(types=(HouseholdType(count=2, infected=(0.5, 0.2, 0.3), members={"a": 1, "b": 1}),))
    asked = Releases(
        (
            Release(homes, Count(labels=("a",)), Laplace(scale=2.0)),
            Release(homes, Several(queries=(Count(labels=("b",)), Count())), Geometric(scale=4.0)),
        )
    )
    found = sorted(loss.pure for loss in record_losses(asked))
    assert found == [pytest.approx((0.25, 0.5)), pytest.approx((0.5,))]
