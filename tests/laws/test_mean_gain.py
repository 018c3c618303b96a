"""The mean of what an output of Gaussian noise leaks, against quadrature."""

import numpy as np
import pytest

from dalenius import Count, Gaussian, Households, Independent, Release, Sum, Table
from dalenius.bounds import Enclosure
from dalenius.channel import FiniteChannel
from dalenius.laws.law import Array, IntArray
from dalenius.laws.tails.losses import Gain, PosteriorDivergence
from dalenius.models import Model
from dalenius.queries import Query
from tests.cases import in_turn

THREE = [[0, 0], [0, 1], [2, 0], [2, 1], [1, 0], [3, 1]]
CASES: dict[str, tuple[Model, Query]] = {
    "one bit": (Independent(probabilities=(0.5,)), Count()),
    "households": (Households(count=2, infected=[0.9, 0.04, 0.0, 0.0, 0.06]), Count()),
    "four values": (Table(records=THREE, probabilities=[0.1, 0.2, 0.1, 0.2, 0.3, 0.1]), Sum()),
    "two that tie": (Table(records=THREE[:5], probabilities=[0.1, 0.2, 0.1, 0.2, 0.4]), Count()),
}
NARROW = 1e-8


def channel_of(model: Model, query: Query, scale: float) -> FiniteChannel:
    return next(Release(model, query, Gaussian(scale=scale)).channels())


def means(channel: FiniteChannel, scale: float) -> tuple[float, float]:
    """Of the gain and of the relative entropy: Gauss's rule on short pieces, cut where another secret gets ahead."""
    assert channel.exact is not None
    law, prior = np.exp(channel.exact.law.log_mass()), np.exp(channel.log_prior)
    answers = channel.exact.law.start[0] + np.arange(law.shape[1])

    def ratios(y: Array) -> tuple[Array, Array]:
        own = law @ np.exp(-((y - answers[:, None]) ** 2) / (2 * scale**2)) / (scale * np.sqrt(2 * np.pi))
        return prior @ own, own / (prior @ own)

    def ahead(y: Array) -> IntArray:
        found = ratios(y)[1]
        return np.asarray(np.argmax(found >= np.max(found, axis=0) * (1 - 1e-11), axis=0))

    grid = np.linspace(answers[0] - 13 * scale, answers[-1] + 13 * scale, 400)
    moved = np.flatnonzero(np.diff(ahead(grid)))
    low, high = grid[moved], grid[moved + 1]
    before = ahead(low)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = np.where(ahead(middle) == before, middle, low), np.where(ahead(middle) == before, high, middle)
    cuts = np.unique(np.concatenate([grid, low]))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = np.diff(cuts)[:, None] / 2
    places, weighed = (cuts[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()
    mixed, found = ratios(places)
    gain = weighed @ (mixed * np.log(np.max(found, axis=0)))
    return float(gain), float(weighed @ (mixed * (prior @ (found * np.log(np.maximum(found, 1e-300))))))


def assert_holds(found: Enclosure, exact: float) -> None:
    assert found.lower <= exact * (1 + 1e-10)
    assert exact * (1 - 1e-10) <= found.upper
    assert found.upper - found.lower <= NARROW * found.upper


@in_turn({"case": ["four values", "two that tie"], "scale": [0.3, 2.0]})
def test_means_hold_the_truth(case: str, scale: float) -> None:
    channel = channel_of(*CASES[case], scale)
    gain, divergence = means(channel, scale)
    assert_holds(channel.tail_of(Gain(channel.log_prior)).mean(), gain)
    assert_holds(channel.tail_of(PosteriorDivergence(channel.log_prior)).mean(), divergence)


def test_one_bit_in_much_noise() -> None:
    """log 2/(1 + e^-x) = x/2 - x²/8 + .., x = |y - 1/2|/σ²."""
    for scale in (1e3, 1e6):
        found = channel_of(*CASES["one bit"], scale)
        mean = found.tail_of(Gain(found.log_prior)).mean()
        assert mean.middle == pytest.approx(1 / (scale * np.sqrt(2 * np.pi)) - 1 / (8 * scale**2), rel=1e-6)
        assert mean.upper - mean.lower <= 1e-5 * mean.upper
