"""How likely outputs are that leak much: tails, quantiles and means against brute force, for every noise."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, log, log1p

import numpy as np
import pytest

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel import FiniteChannel
from dalenius.laws.laplace_smoothing import Along, smoothed
from dalenius.laws.law import Law
from dalenius.laws.leakage_of_one_output import Gain, LogRatio, PointwiseLoss, PosteriorDivergence
from dalenius.laws.leakage_tail import probability
from dalenius.laws.output_chances import AxesOutputs
from dalenius.noise import Noise
from tests.cases import in_turn
from tests.conformance.table import MODELS, NOISES, QUERIES, examples, truth_of
from tests.pace import covering, slow
from tests.reference import tail as reference
from tests.reference.channel import Channel, Real, mp

LEVELS = (0.0078125, 0.11, 0.41, 0.9, 1.7)
LOSSES: dict[str, tuple[Callable[[FiniteChannel], PointwiseLoss], reference.Loss]] = {
    "gain": (lambda c: Gain(c.log_prior), reference.gain),
    "divergence": (lambda c: PosteriorDivergence(c.log_prior), reference.divergence),
    "widest": (lambda c: LogRatio(c.log_prior, c.pairs), reference.widest),
}
CASES = [
    (model, query, noise, loss)
    for model, query, noises in (
        ("equal pair", "count", ("laplace", "geometric", "none", "kernel", "clamped", "relocation", "gaussian")),
        ("chain of three values", "sum", ("laplace", "geometric", "clamped")),
        ("two types", "sum", ("laplace", "geometric", "none", "clamped")),
        ("one type", "count", ("laplace", "gaussian", "none")),
    )
    for noise in noises
    for loss in LOSSES
]


def _cases() -> list[object]:
    """Of noise on the line, whose reference is quadrature, the quick suite has the smallest model only."""
    quick = covering(each for each in CASES if each[2] not in ("laplace", "gaussian") or each[0] == "equal pair")
    return [case if case in quick else slow(case) for case in CASES]


def pairs(model: str, query: str, noise: Noise) -> list[tuple[FiniteChannel, Channel]]:
    """The channels of a release, each with the reference's; of the first person of each class."""
    given = examples(MODELS)[model], examples(QUERIES)[query]
    truth = truth_of(*given, noise)
    return [(each, truth.people[0][each.subject.person - 1]) for each in dl.Release(*given, noise).channels()]


def assert_holds(found: Enclosure, exact: Real, sharp: float = 1e-9) -> None:
    lower, upper = mp.mpf(found.lower), mp.mpf(found.upper)
    assert lower <= exact * (1 + mp.mpf("1e-25"))
    assert exact <= upper * (1 + mp.mpf("1e-25"))
    assert upper - lower <= sharp * max(exact, mp.mpf("1e-290"))


@pytest.mark.lengthy
@pytest.mark.parametrize(("model", "query", "noise", "loss"), _cases())
def test_tails_hold_the_truth(model: str, query: str, noise: str, loss: str) -> None:
    made, exact = LOSSES[loss]
    for channel, truth in pairs(model, query, examples(NOISES)[noise]):
        tail = channel.tail_of(made(channel))
        for level, found in zip(LEVELS, tail.curve(LEVELS), strict=True):
            assert_holds(found, reference.tail(truth, exact, level), 1e-9 if noise != "gaussian" else 1e-8)


@in_turn({"noise": ["geometric", "none", "clamped"], "loss": ["gain", "divergence"]})
def test_means_and_maximal_leakage_hold_the_truth(noise: str, loss: str) -> None:
    made, exact = LOSSES[loss]
    for channel, truth in pairs("one type", "count", examples(NOISES)[noise]):
        assert_holds(channel.tail_of(made(channel)).mean(), reference.mean(truth, exact))
        assert_holds(channel.tail().maximal_leakage, reference.maximal_leakage(truth))


@pytest.mark.parametrize("apart", [0.0, 1e-13])
def test_maximal_leakage_of_secrets_that_hardly_differ(apart: float) -> None:
    """0 and 2 mean the same for the count, but for roundings: beside them 1 says that the other is 0."""
    rows, chances = [[0, 0], [0, 1], [2, 0], [2, 1], [1, 0]], [0.1, 0.2, 0.1 + apart, 0.2 - apart, 0.4]
    channel = next(
        dl.Release(dl.Table(records=rows, probabilities=chances), dl.Count(), dl.Gaussian(scale=0.5)).channels()
    )
    found = channel.tail().maximal_leakage
    exact = mp.log(1 + (2 * mp.ncdf(1) - 1) / 3)
    assert found.lower - 2 * apart <= exact <= found.upper + 2 * apart
    assert found.upper - found.lower < 1e-9


def crowd(noise: Noise, count: int = 250) -> FiniteChannel:
    return next(
        dl.Release(dl.Households(count=count, infected=[0.9, 0.04, 0.0, 0.0, 0.06]), dl.Count(), noise).channels()
    )


def test_the_worst_is_not_what_happens() -> None:
    """Theory §12: 250 households, geometric noise of scale 1."""
    channel = crowd(dl.Geometric(scale=1))
    law = channel.tail().law
    assert law.chance(1.0).middle == pytest.approx(2.49987e-11, rel=1e-5)
    at_904 = channel.log_near((904.0,))
    assert -541.5 < at_904.middle < -538.5  # 1e-235
    assert law.most == pytest.approx(2.399081, abs=1e-6)
    worst = dl.audit(
        dl.Release(dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06]), dl.Count(), dl.Geometric(scale=1))
    )
    assert worst["information"].witness is not None
    assert worst["information"].witness.log_probability is None


@pytest.mark.parametrize(
    ("noise", "loss"), [(dl.Geometric(scale=1), "gain"), slow((dl.Laplace(scale=1.3), "divergence"))]
)
def test_curves_fall_and_quantiles_are_where_they_cross(noise: Noise, loss: str) -> None:
    channel = crowd(noise, 12)
    tail = channel.tail_of(LOSSES[loss][0](channel))
    found = tail.curve(np.linspace(0.0, 2.6, 27).tolist())
    for one, other in pairwise(found):
        assert other.lower <= one.upper
    for delta in (0.5, 0.01, 1e-6):
        quantile = tail.quantile(delta)
        assert 0 <= quantile.lower <= quantile.upper
        assert quantile.upper - quantile.lower < 1e-6
        assert tail.chance(quantile.upper * (1 + 1e-12)).lower <= delta
        assert tail.chance(quantile.lower - 1e-6).upper > delta
    average = tail.mean()
    assert average.lower <= average.upper <= tail.most
    assert tail.quantile(0.99999).lower <= average.upper


def test_at_least_counts_what_leaks_exactly_so_much() -> None:
    """Two fair bits: their sum is 0 or 2, and says everything, with probability 1/2; 1 says nothing."""
    channel = next(dl.Release(dl.Independent(probabilities=[0.5, 0.5]), dl.Count(), dl.NoNoise()).channels())
    gain, ratio = channel.tail_of(Gain(channel.log_prior)), channel.tail_of(LogRatio(channel.log_prior))
    for found, exact in (
        (gain.log_at_least(0.0), 1.0),
        (gain.log_at_least(log(2) - 1e-12), 0.5),
        (gain.log_at_least(log(2) + 1e-12), 0.0),
        (gain.log_chance(1e-12), 0.5),
        (ratio.log_at_least(inf), 0.5),
    ):
        assert_holds(probability(found), mp.mpf(exact), 1e-12)
    assert gain.log_at_least(0.0).lower == 0


def test_witnesses_say_how_likely_they_are() -> None:
    release = dl.Release(examples(MODELS)["equal pair"], dl.Count(), dl.Geometric(scale=1.0))
    found = dl.audit(release, how_likely=True)
    information = found["information"].witness
    assert information is not None
    assert information.log_probability is not None
    assert information.log_near is not None
    # Both records are 1 with probability 0.1; at the upper end all beyond too.
    a = exp(-1.0)
    exact = 0.1 / (1 + a) + 0.9 * a**2 / (1 + a)
    assert probability(information.log_probability).middle == pytest.approx(exact, rel=1e-10)
    assert probability(information.log_near).middle == pytest.approx(exact, rel=1e-10)
    assert found["mutual_information"].witness is not None
    assert found["mutual_information"].witness.log_probability is None


@pytest.mark.parametrize("decay", [0.5, 29, 30, 33, 40])
def test_the_least_noise_is_counted(decay: float) -> None:
    """A sure answer goes out with probability tanh(decay/2), which geometric noise of a thirtieth of a step keeps 2e-13
    below 1: no rounding of doubles."""
    along = Along(Fraction(decay))
    law = smoothed(Law((0,), np.zeros(3), np.array([[-inf, 0.0, -inf]] * 2), 0.0), [along.decay])
    found = AxesOutputs(law, [along]).log_near((1.0,), np.log([0.5, 0.5]))
    truth = log1p(-2 / (exp(decay) + 1))
    assert found.lower <= truth <= found.upper < truth + 2e-14
