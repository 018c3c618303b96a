"""Entropies of normal answers under Laplace noise, and what they say of a record, against sums of densities."""

from math import erfc, exp, log, pi, sqrt

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.gaussian.noisy_entropy import noisy_entropy

STEP = 1 / 400


def _density(deviation: float, places: Array) -> Array:
    """Of a normal variable of that deviation plus Laplace noise of scale 1, by the textbook's formula."""
    scale = exp(deviation**2 / 2) / 4
    one = [exp(-y) * erfc((deviation - y / deviation) / sqrt(2)) for y in places.tolist()]
    other = [exp(y) * erfc((deviation + y / deviation) / sqrt(2)) for y in places.tolist()]
    return np.asarray(scale * (np.array(one) + np.array(other)))


def _entropy(deviation: float) -> float:
    places = np.asarray(STEP * (np.arange(-12_000, 12_000) + 0.5), dtype=np.float64)
    chances = _density(deviation, places)
    return float(-np.sum(chances * np.log(chances)) * STEP)


@pytest.mark.parametrize("deviation", [0.2, 1.0, 2.5])
def test_the_entropy_is_that_of_a_fine_sum(deviation: float) -> None:
    found = noisy_entropy(deviation)
    assert found.lower - 1e-9 <= _entropy(deviation) <= found.upper + 1e-9
    assert found.upper - found.lower <= 1e-12


@pytest.mark.parametrize("deviation", [0.0, 1e-4, 9.99e-4, 1e-3, 0.1, 10.0, 1e4, 1e7])
def test_the_entropy_lies_between_those_of_simple_laws(deviation: float) -> None:
    """At least that of each part alone, at most that of a normal variable of the same variance."""
    found = noisy_entropy(deviation)
    assert found.upper >= 1 + log(2)
    assert deviation == 0 or found.upper >= log(2 * pi * exp(1) * deviation**2) / 2
    assert found.lower <= log(2 * pi * exp(1) * (deviation**2 + 2)) / 2
    assert found.upper - found.lower <= 1e-6


@pytest.mark.parametrize(("covariance", "scale"), [(0.0, 2.0), (0.3, 3.0), (0.5, 0.5)])
def test_what_a_sum_says_of_a_record_is_known_to_a_millionth(covariance: float, scale: float) -> None:
    """I(S; Y) = h(Y) - h(Y|S): two records of variance 1, their sum, and noise."""
    model = dl.GaussianRecords(mean=[0.0, 0.0], covariance=[[1.0, covariance], [covariance, 1.0]], bounds=[-2.0, 2.0])
    found = dl.MutualInformationPrivacy().leakage(dl.Release(model, dl.Sum(), dl.Laplace(scale=scale)))
    total = 2 + 2 * covariance
    left = total - (1 + covariance) ** 2
    wanted = _entropy(sqrt(total) / scale) - _entropy(sqrt(left) / scale)
    assert found.lower - 1e-9 <= wanted <= found.upper + 1e-9
    assert found.upper - found.lower <= 1e-9


def test_a_record_that_hardly_moves_the_answer_has_bounds_above_zero() -> None:
    """One of 50 records: the difference of two entropies has few digits, Fisher's information bounds it."""
    model = dl.GaussianRecords(mean=[0.0] * 50, covariance=np.eye(50).tolist(), bounds=[-2.0, 2.0])
    found = dl.MutualInformationPrivacy().leakage(dl.Release(model, dl.Sum(), dl.Laplace(scale=1e7)))
    assert 0 < found.lower <= found.upper <= 2 * found.lower


def _information_of_two(spread: float, scale: float) -> float:
    """I(X; X + A + L, X + B + M), X standard normal, A and B normal of that deviation, L and M Laplace: a sum of
    densities over a grid, and 80 nodes for X."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    step = 0.1
    places = step * (np.arange(-140, 140) + 0.5)
    rows = np.array([_density(spread / scale, (places - node) / scale) / scale for node in nodes])
    weights /= weights.sum()
    joint = np.einsum("n,na,nb->ab", weights, rows, rows)
    alone = -float(weights @ np.sum(rows * np.log(rows), axis=1)) * step
    return -float(np.sum(joint * np.log(joint))) * step**2 - 2 * alone


@pytest.mark.parametrize(("spread", "scale"), [(1.0, 1.0), (0.5, 1.5)])
def test_two_answers_say_what_their_enclosure_holds(spread: float, scale: float) -> None:
    """A sum of two records, and a third that is the first and something of its own."""
    v = spread**2
    covariance = [[1.0, 0.0, 1.0], [0.0, v, 0.0], [1.0, 0.0, 1 + v]]
    model = dl.GaussianRecords(mean=[0.0] * 3, covariance=covariance, bounds=[-2.0, 2.0], labels=["a", "a", "b"])
    query, noise = dl.Sum(per_label=True), dl.Laplace(scale=scale)
    release = dl.Release(model, query, noise, secrets=dl.Secrets(people=[1]))
    found = dl.MutualInformationPrivacy().leakage(release)
    wanted = _information_of_two(spread, scale)
    assert found.lower - 1e-6 <= wanted <= found.upper + 1e-6
    assert found.upper <= 1.5 * found.lower
    # A near lie: the noise of half the scale.
    assert not found.lower <= _information_of_two(spread, scale / 2) <= found.upper
