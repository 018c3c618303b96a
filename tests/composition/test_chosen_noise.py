"""Noise that is chosen by what came out before: squares of μ add (Result 9.7), the profile of fixed losses does not."""

from functools import lru_cache
from math import exp

import mpmath
import numpy as np
import pytest

from dalenius import GaussianProfile
from dalenius.composition import as_gaussian
from dalenius.composition.losses import RecordLoss, profile_of

LOSSES = (0.1, 0.2, 0.4, 0.8)


def fixed(losses: tuple[float, ...], epsilon: float) -> float:
    """The hockey-stick of randomised responses with these losses, one after another."""
    if not losses:
        return max(1 - exp(epsilon), 0.0)
    first = losses[0]
    up = 1 / (1 + exp(-first))
    return up * fixed(losses[1:], epsilon - first) + (1 - up) * fixed(losses[1:], epsilon + first)


def test_the_profile_of_fixed_losses_is_no_limit_for_chosen_ones() -> None:
    """The example of Result 9.7: what follows a response of 0.1 nats is chosen by its outcome."""
    one, six, epsilon = (0.559,), (0.2,) * 6, 0.5
    limit = max(fixed((0.1, *one), epsilon), fixed((0.1, *six), epsilon))
    assert limit == pytest.approx(0.0491, abs=1e-4)
    up = 1 / (1 + exp(-0.1))
    chosen = up * max(fixed(one, epsilon - 0.1), fixed(six, epsilon - 0.1))
    chosen += (1 - up) * max(fixed(one, epsilon + 0.1), fixed(six, epsilon + 0.1))
    assert chosen == pytest.approx(0.0667, abs=1e-4)
    assert profile_of([RecordLoss((0.1, *six), 0.0)], 0.01).delta(epsilon) < chosen


@lru_cache(maxsize=100_000)
def most(left: float, epsilon: float) -> float:
    """The largest hockey-stick of responses that are chosen by what came out, with μ² of at most `left`."""
    found = max(1 - exp(epsilon), 0.0)
    for loss in LOSSES:
        after = round(left - as_gaussian(loss) ** 2, 12)
        if after >= 0:
            up = 1 / (1 + exp(-loss))
            one, other = round(epsilon - loss, 9), round(epsilon + loss, 9)
            found = max(found, up * most(after, one) + (1 - up) * most(after, other))
    return found


def test_whatever_is_chosen_keeps_the_gaussian_profile() -> None:
    for mu, epsilon in ((0.5, 0.0), (0.5, 1.5), (1.1, 0.7)):
        found = most(mu**2, epsilon)
        assert found <= GaussianProfile(mu).delta(epsilon) * (1 + 1e-9)
        if epsilon <= mu:  # some strategy comes near
            assert found > 0.3 * GaussianProfile(mu).delta(epsilon)


def test_a_limit_that_counts_losses_as_their_own_nats_would_be_passed() -> None:
    """μ = ε, which the central limit suggests, hides more than the response does."""
    for loss in LOSSES:
        assert fixed((loss,), 0.0) > GaussianProfile(loss).delta(0.0)
        assert fixed((loss,), 0.0) <= GaussianProfile(as_gaussian(loss)).delta(0.0)


def test_the_gaussian_of_a_loss_is_from_above_and_near() -> None:
    for loss in (1e-9, 1e-4, 0.1, 1.0, 7.0, 60.0, 590.0):
        with mpmath.workdps(40):
            chance = 1 / (1 + mpmath.exp(loss))
            excess = mpmath.ncdf(-mpmath.mpf(as_gaussian(loss)) / 2) / chance
            assert 1 - 1e-9 <= excess <= 1
    assert as_gaussian(0.0) == 0
    assert as_gaussian(1e4) == np.inf
