"""Sums that lie on a coarser lattice than their answers: windows and tilts know what cannot occur."""

from math import exp, lgamma, log

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.laws.progressions import Progression, Progressions


def _release(couples: int) -> dl.Release:
    """One person who is ill with 1/2, and couples of whom both are ill or none, with 1/2 each."""
    alone = dl.HouseholdType(count=1, infected=[0.5, 0.5])
    both = dl.HouseholdType(count=couples, infected=[0.5, 0.0, 0.5])
    return dl.Release(dl.Households(types=[alone, both]), dl.Count(), dl.Geometric(scale=0.3))


def _likelihoods(couples: int) -> Array:
    """W(y | ill or not) of the first person (2, outputs), from binomial probabilities near their mean."""
    wide = 8 * int(couples**0.5)
    ill = np.arange(max(couples // 2 - wide, 0), min(couples // 2 + wide, couples) + 1)
    logs = np.array([lgamma(couples + 1) - lgamma(k + 1) - lgamma(couples - k + 1) for k in ill]) - couples * log(2)
    outputs = np.arange(2 * ill[0] - 40, 2 * ill[-1] + 42)
    found = np.zeros((2, len(outputs)))
    ratio = exp(-1 / 0.3)
    for own in (0, 1):
        for near in range(-40, 41):
            chance = (1 - ratio) / (1 + ratio) * ratio ** abs(near)
            found[own, 2 * ill + own + near - outputs[0]] += np.exp(logs) * chance
    return found


@pytest.mark.parametrize("couples", [1_000, 10_000, 200_000])
def test_the_parity_of_a_count_is_known_at_any_number(couples: int) -> None:
    """The couples add an even number: an odd count says that the person is ill, but for the noise."""
    given = _likelihoods(couples)
    mixed = given.mean(axis=0)
    there = mixed > 0
    shares = np.where(given > 0, given, 1.0)[:, there] / mixed[there]
    information = float(np.sum(given[:, there] * np.log(shares)) / 2)
    delta = float(np.maximum(given[1] - exp(0.5) * given[0], 0).sum())
    release = _release(couples)
    found = dl.MutualInformationPrivacy().leakage(release)
    assert found.lower - 1e-9 <= information <= found.upper + 1e-9
    assert found.upper - found.lower <= 1e-6
    least = dl.delta_of(release, 0.5)
    assert least.lower - 1e-9 <= delta <= least.upper + 1e-9
    assert least.upper - least.lower <= 1e-6
    guess = dl.MinEntropyPrivacy().leakage(release)
    assert guess.upper - guess.lower <= 1e-6
    assert guess.lower - 1e-9 <= log(float(given.max(axis=0).sum())) <= guess.upper + 1e-9


def test_steps_of_mixtures_and_of_none() -> None:
    transform = Progressions(np.array([0, 6, 10]))
    one = transform.mean(np.log([0.5, 0.5]), np.array([0, 1]), np.eye(2, dtype=np.int64))
    other = transform.mean(np.array([0.0]), np.array([2]), np.array([[1]]))
    assert one == Progression(0, 6)
    assert other == Progression(10, 0)
    assert transform.mix(np.log([0.5, 0.5]), [one, other]) == Progression(0, 2)
    assert transform.mix(np.array([0.0, -np.inf]), [one, other]) == Progression(0, 6)
    assert transform.product([one, other], [0, 3]) == Progression(30, 0)


def test_an_average_is_never_above_what_there_is_to_know() -> None:
    """Also of a window of which nothing is resolved: the entropy of a bit."""
    found = dl.MutualInformationPrivacy().leakage(_release(10_000))
    assert found.upper <= log(2) * (1 + 1e-9)
