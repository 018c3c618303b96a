"""The least scale for ρ, where people are alike and unequally likely: who is worst off changes with the noise."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

import dalenius as dl
from tests.reference import absent as reference
from tests.reference.channel import mp


def calibrated(answers: list[int], prior: list[float], rho: float) -> float:
    release = dl.Release(dl.Absent(answers=answers, prior=prior), dl.Sum(), dl.Laplace())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return dl.calibrate(release, dl.RhoIdentifiability(rho=rho)).noise.scale or 0.0


def highest(answers: list[int], prior: list[float], scale: Fraction) -> mp.mpf:
    return reference.extremes([Fraction(a) for a in answers], [Fraction(p) for p in prior], scale)[2]


def test_the_class_that_much_noise_makes_the_worst_never_reaches_rho() -> None:
    for prior, rho, scale in (
        ([0.25, 0.2, 0.5, 0.05], 0.7, 2.29921117127),
        ([0.25, 0.2, 0.5, 0.05], 0.79, 1.28016148676),
        ([0.25, 0.25 - 1e-7, 0.5, 1e-7], 0.7, 3.59728593173),
    ):
        assert calibrated([0, 7, 0, 7], prior, rho) == pytest.approx(scale, rel=1e-10)


@pytest.mark.slow
def test_the_promise_is_kept_and_by_a_billionth_less_noise_broken() -> None:
    random = np.random.default_rng(4)
    noised = 0
    for _ in range(150):
        people = int(random.integers(2, 7))
        answers = random.choice(random.integers(-20, 20, 3), people).tolist()
        weights = np.exp(random.uniform(-16, 0, people)) if random.random() < 0.5 else random.uniform(0.01, 1, people)
        prior = (weights / weights.sum()).tolist()
        top = max(prior)
        rho = top + (1 - top) * float(random.uniform(0.001, 0.99))
        scale = Fraction(calibrated(answers, prior, rho))
        if scale == 0:
            nearly = highest(answers, prior, Fraction(1, 10**6))
            assert nearly <= mp.mpf(rho) * (1 + mp.mpf("1e-12"))
            continue
        noised += 1
        assert highest(answers, prior, scale) <= mp.mpf(rho)
        assert highest(answers, prior, scale * (1 - Fraction(1, 10**9))) > mp.mpf(rho)
    assert noised > 75
