"""The flips of a stationary chain of bits: against the authors' own formula, the messages, and enumeration."""

from fractions import Fraction
from math import exp, log, sqrt

import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.theorems.chain_flips import fewest_flips, largest_odds
from tests.reference import leakages
from tests.reference.joints import chain
from tests.reference.reported import channels

STEPS = ((0.2, 0.2), (0.1, 0.3), (0.02, 0.01), (0.5, 0.5), (0.4, 0.6), (0.001, 0.3))
PROMISES = (0.1, 0.5, 1.0, 2.0, 6.0)
ONE = dl.InferentialPrivacy(epsilon=1.0)


def published(epsilon: float, q: float, r: float) -> float:
    """K₀ as (B + A)/C, or (B - A)/C, of the program of Chakrabarti et al. (2022)."""
    e = exp(epsilon)
    a = abs(q - e * r) * sqrt((q - e * r) ** 2 + 4 * e * (1 - q) * (1 - r))
    b = (q - e * r) ** 2 + 2 * e * (1 - q) * (1 - r)
    return (b + a if e >= q / r else b - a) / (2 * (1 - q) ** 2 * e)


def moved(odds: float, q: float, r: float) -> float:
    """The log-odds that a row without end of reports of 0 moves, by its messages."""
    side = 1.0
    for _ in range(20_000):
        side = ((1 - q) * odds * side + q) / (r * odds * side + 1 - r)
    return log(odds * side**2)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("epsilon", PROMISES)
def test_the_odds_are_the_published_ones_and_those_of_the_messages(epsilon: float, steps: tuple[float, float]) -> None:
    found = largest_odds(epsilon, *steps)
    assert found == pytest.approx(max(published(epsilon, *steps), 1.0), rel=1e-6)
    assert moved(found, *steps) == pytest.approx(epsilon, abs=1e-6)
    assert moved(found * 1.01, *steps) > epsilon


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("epsilon", PROMISES)
def test_no_flips_within_the_limits_are_fewer(epsilon: float, steps: tuple[float, float]) -> None:
    q, r = steps
    zero, one = largest_odds(epsilon, q, r), largest_odds(epsilon, r, q)
    own = fewest_flips(epsilon, q, r)
    assert own[0] + zero * own[1] >= 1
    assert one * own[0] + own[1] >= 1
    grid = [step / 400 for step in range(201)]
    allowed = [(f, g) for f in grid for g in grid if f + zero * g >= 1 and one * f + g >= 1]
    assert own[0] * r + own[1] * q <= min(f * r + g * q for f, g in allowed) + 1e-8


@pytest.mark.parametrize("steps", [(Fraction(1, 5), Fraction(1, 5)), (Fraction(1, 10), Fraction(3, 10))])
def test_a_row_of_five_keeps_the_promise_by_enumeration(steps: tuple[Fraction, Fraction]) -> None:
    q, r = steps
    flips = [Fraction(flip).limit_denominator(10**6) for flip in fewest_flips(1.0, float(q), float(r))]
    response = {0: {0: 1 - flips[0], 1: flips[0]}, 1: {0: flips[1], 1: 1 - flips[1]}}
    joint = chain((r / (q + r), q / (q + r)), [((1 - q, q), (r, 1 - r))] * 4)
    told = channels(joint, [response] * 5, lambda person, value: tuple(value * (own == person) for own in range(5)))
    truth = max(float(leakages.inferential(own).value) for own in told)
    days = dl.Chain(n=5, initial="stationary", transition=[[1 - float(q), float(q)], [float(r), 1 - float(r)]])
    found = dl.calibrate(dl.Release(days, dl.Reports(), dl.RandomizedResponse()), ONE, "chain_flips")
    assert found.leakage.upper == pytest.approx(truth, abs=1e-5)
    assert truth < 1.0


@pytest.mark.parametrize("n", [1, 2, 7, 60, 5000])
def test_rows_of_any_length_keep_it_and_long_ones_spend_it(n: int) -> None:
    days = dl.Chain(n=n, initial="stationary", transition=[[0.8, 0.2], [0.3, 0.7]])
    release = dl.Release(days, dl.Reports(), dl.RandomizedResponse())
    found = dl.calibrate(release, ONE, "chain_flips")
    assert found.sound
    assert found.leakage.upper <= 1.0
    assert n < 60 or found.leakage.upper > 1.0 - 1e-6
    # One flip for both values flips more, where one value is rarer than the other.
    if n == 5000:
        same = dl.calibrate(release, ONE, "least_flip").noise
        assert isinstance(same, dl.RandomizedResponse)
        assert isinstance(found.noise, dl.Kernel)
        zero, one = found.noise.probabilities[0][1], found.noise.probabilities[1][0]
        assert 0.6 * zero + 0.4 * one < 1 - (same.keep or 0.0)


def test_several_promises_are_kept_by_the_least_epsilon() -> None:
    days = dl.Chain(n=30, initial="stationary", transition=[[0.8, 0.2], [0.3, 0.7]])
    release = dl.Release(days, dl.Count(), dl.RandomizedResponse())
    both = [dl.InformationPrivacy(epsilon=2.0), dl.InferentialPrivacy(epsilon=0.5)]
    found = dl.calibrate(release, both, "chain_flips")
    assert found.sound
    assert all(each.leakage.upper <= (each.notion.epsilon or 0.0) for each in found.promises)
    knowing = dl.calibrate(release, dl.BayesianPrivacy(epsilon=1.0), "chain_flips")
    assert not knowing.sound


REFUSED = {
    "model.kind: independent, wanted one chain": dl.Independent(probabilities=[0.3, 0.3]),
    "model.transition: .*, wanted a chain that stays": dl.Chain(
        n=4, initial="stationary", transition=[[0.3, 0.7], [0.6, 0.4]]
    ),
    'model.initial: .*, wanted "stationary"': dl.Chain(n=4, initial=[0.5, 0.5], transition=[[0.8, 0.2], [0.3, 0.7]]),
    "model.values: .*, wanted numbers": dl.Chain(
        n=4, values=["off", "on"], initial="stationary", transition=[[0.8, 0.2], [0.3, 0.7]]
    ),
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_refused(line: str) -> None:
    release = dl.Release(REFUSED[line], dl.Reports(), dl.RandomizedResponse())
    with pytest.raises(InputError, match=line):
        dl.calibrate(release, ONE, "chain_flips")
