"""The belief about who is missing: Bayes' rule to the last digits, answer by answer, however unlikely people become.

Noise that is chosen by what came out before: squares of μ add (Result 9.7), the profile of fixed losses does not.

The profile of pure losses and Gaussian noise together, against products of their dominating pairs.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import exp, log, nan

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import ndtr

from dalenius import GaussianProfile, Geometric, Households, HouseholdType, Laplace, Release
from dalenius.composition import AbsenceBelief, Releases, as_gaussian, prior_belief, record_losses, uniform_belief
from dalenius.composition.losses import RecordLoss, least_epsilon, profiles_of
from dalenius.left_out import LeftOut, left_out_of
from dalenius.queries import Count, Several
from tests.cases import Refusals, check_refused
from tests.pace import draws
from tests.reference import belief as reference

Step = tuple[list[int], int, Fraction]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[int], list[Step]]:
    """Prior weights, and steps of (answers by person, output, scale)."""
    people = draw(st.integers(2, 6))
    weights = draw(
        st.lists(st.integers(0, 50), min_size=people, max_size=people).filter(lambda w: np.count_nonzero(w) > 1)
    )
    answers = st.lists(st.integers(-9, 9), min_size=people, max_size=people)
    scales = st.fractions(Fraction(1, 4), 40, max_denominator=8)
    steps = st.lists(st.tuples(answers, st.integers(-30, 30), scales), min_size=1, max_size=5)
    return weights, draw(steps)


@pytest.mark.slow
@given(histories())
def test_every_update_is_bayes_rule(history: tuple[list[int], list[Step]]) -> None:
    weights, steps = history
    first = truth = [mpmath.mpf(w) / sum(weights) for w in weights]
    believed = prior_belief(np.array(weights) / sum(weights))
    for answers, output, scale in steps:
        truth = reference.posterior(truth, answers, output, scale)
        believed = believed.after(left_out_of(answers), output, float(scale))
        check(believed, first, truth)
    assert believed.answers == len(steps)


def check(believed: AbsenceBelief, first: list[mpmath.mpf], truth: list[mpmath.mpf]) -> None:
    possible = [(f, t) for f, t in zip(first, truth, strict=True) if f > 0]
    ratios = [mpmath.log(t / f) for f, t in possible]
    found = believed.log_ratio[believed.possible]
    assert believed.error < 1e-11
    assert all(abs(mine - theirs) <= believed.error for mine, theirs in zip(found, ratios, strict=True))
    assert believed.raised.lower <= max(ratios) <= believed.raised.upper
    assert believed.lowered.lower <= -min(ratios) <= believed.lowered.upper
    assert believed.least.lower <= min(t for _, t in possible) <= believed.least.upper
    assert believed.greatest.lower <= max(truth) <= believed.greatest.upper
    assert believed.posterior == pytest.approx([float(t) for t in truth], rel=1e-10)


def test_nobody_underflows() -> None:
    """After a hundred answers of little noise the second person's probability is e^-4000, and its log is right."""
    believed = uniform_belief(2)
    for _ in range(100):
        believed = believed.after(left_out_of([0, 1]), 0, 0.025)
    assert believed.log_posterior[1] == pytest.approx(-4000, rel=1e-12)
    assert believed.posterior[0] == 1
    for _ in range(100):
        believed = believed.after(left_out_of([0, 1]), 1, 0.025)
    assert believed.posterior == pytest.approx([0.5, 0.5], abs=believed.error)
    assert believed.error < 1e-9


def test_small_differences_of_large_answers_count() -> None:
    """Means over a million people differ in the seventh digit: subtracting doubles would lose the answer."""
    apart = Fraction(1, 10**15)
    believed = uniform_belief(2).after(left_out_of([Fraction(10**9), 10**9 + apart]), 10**9 + apart, 1e-15)
    assert believed.posterior[1] == pytest.approx(1 / (1 + float(mpmath.exp(-1))), rel=1e-12)


def test_people_of_prior_0_stay_at_0_and_are_no_secrets() -> None:
    believed = prior_belief([0.5, 0.5, 0.0]).after(left_out_of([0, 1, 9]), 9, 1.0)
    assert believed.posterior[2] == 0
    assert believed.least.lower == pytest.approx(1 / (1 + float(mpmath.e)))
    assert believed.raised.upper == pytest.approx(log(2 / (1 + float(mpmath.exp(-1)))))


def test_what_is_refused() -> None:
    pair = left_out_of([0, 1])
    counted = LeftOut(Fraction(0), np.array([0.0, 1.0]), np.array([1, 1]))
    three = "left_out.whose: 3 people, wanted the same 2 people as the belief…"
    refused: Refusals = (
        (lambda: uniform_belief(1), "prior: 1, wanted two people or more"),
        (lambda: prior_belief([1.0]), "prior: [1.0], wanted a probability each of two people or more"),
        (lambda: prior_belief([1.0, 0.0]), "prior: [1.0, 0.0], wanted nobody at 1: who is absent is known already…"),
        (lambda: prior_belief([0.5, 0.4]), "prior: sums to 0.9, wanted probabilities that sum to 1"),
        (lambda: prior_belief([nan, 0.5]), "prior: [nan, 0.5], wanted probabilities of at least 0…"),
        (lambda: uniform_belief(2).after(pair, 0, 0.0), "noise.scale: 0.0, wanted a finite number above 0"),
        (lambda: uniform_belief(2).after(pair, nan, 1.0), "output: nan, wanted a finite number"),
        (lambda: uniform_belief(2).after(left_out_of([0, 1, 2]), 0, 1.0), three),
        (lambda: uniform_belief(2).after(counted, 0, 1.0), "left_out.whose: missing, wanted the class of each person…"),
    )
    check_refused(refused)


LOSSES = (0.1, 0.2, 0.4, 0.8)


def responses(losses: Sequence[float], epsilon: float) -> float:
    """Σ max(P - e^ε Q, 0) of randomised responses, over all their outputs."""
    total = mpmath.mpf(0)
    for signs in product((1, -1), repeat=len(losses)):
        one = other = mpmath.mpf(1)
        for sign, loss in zip(signs, losses, strict=True):
            one /= 1 + mpmath.exp(-sign * loss)
            other /= 1 + mpmath.exp(sign * loss)
        total += max(one - mpmath.exp(epsilon) * other, 0)
    return float(total)


def test_the_profile_of_fixed_losses_is_no_limit_for_chosen_ones() -> None:
    """The example of Result 9.7: what follows a response of 0.1 nats is chosen by its outcome."""
    one, six, epsilon = (0.559,), (0.2,) * 6, 0.5
    limit = max(responses((0.1, *one), epsilon), responses((0.1, *six), epsilon))
    assert limit == pytest.approx(0.0491, abs=1e-4)
    up = 1 / (1 + exp(-0.1))
    chosen = up * max(responses(one, epsilon - 0.1), responses(six, epsilon - 0.1))
    chosen += (1 - up) * max(responses(one, epsilon + 0.1), responses(six, epsilon + 0.1))
    assert chosen == pytest.approx(0.0667, abs=1e-4)
    for profile in profiles_of([RecordLoss((0.1, *six), 0.0)], 0.01):
        assert profile.delta(epsilon) > chosen


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
        assert responses((loss,), 0.0) > GaussianProfile(loss).delta(0.0)
        assert responses((loss,), 0.0) <= GaussianProfile(as_gaussian(loss)).delta(0.0)


@draws(100)
@given(st.lists(st.floats(0.01, 2), min_size=2, max_size=6), st.floats(0, 3))
def test_pure_losses_together_are_randomised_responses(losses: list[float], epsilon: float) -> None:
    pure, normal = profiles_of([RecordLoss(tuple(losses), 0.0)], 0.1)
    truth = responses(losses, epsilon)
    assert min(pure.delta(epsilon), normal.delta(epsilon)) >= truth * (1 - 1e-12)
    assert pure.delta(sum(losses) * (1 + 1e-12)) == 0


def test_gaussian_noise_beside_a_pure_loss() -> None:
    """Over the two outputs of the response, hockey-sticks of N(μ, 1) against N(0, 1) in closed form."""
    loss, mu = 0.7, 0.9
    normal, added = profiles_of([RecordLoss((loss,), mu)], 1e-3)
    for epsilon in (0.0, 0.5, 1.5, 3.0):
        truth = 0.0
        for one, other in ((1 / (1 + exp(-loss)), 1 / (1 + exp(loss))), (1 / (1 + exp(loss)), 1 / (1 + exp(-loss)))):
            apart = epsilon + log(other / one)
            truth += one * ndtr(mu / 2 - apart / mu) - exp(epsilon) * other * ndtr(-mu / 2 - apart / mu)
        assert truth <= min(normal.delta(epsilon), added.delta(epsilon))
    assert normal.pure is None
    assert added.pure is None
    # Of 20 nats the Gaussian noise that hides no more leaves ten times as much.
    normal, added = profiles_of([RecordLoss((20.0,), 0.1)], 1e-6)
    assert 20.0 < least_epsilon(added, 1e-6) < 20.6 < least_epsilon(normal, 1e-6)
    # Rows go down to a δ of 1e-300; a smaller δ needs more nats.
    assert least_epsilon(added, 1e-6) < least_epsilon(added, 1e-15) < least_epsilon(normal, 1e-15)


def test_the_worst_record_counts() -> None:
    losses = [RecordLoss((0.5, 0.5), 0.0), RecordLoss((0.9,), 0.0)]
    for profile in profiles_of(losses, 0.01):
        assert profile.delta(0.8) >= max(responses([0.5, 0.5], 0.8), responses([0.9], 0.8)) * (1 - 1e-12)
    assert [each.pure for each in profiles_of(losses, 0.0)] == [pytest.approx(1.0)]


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
