"""The least scale for ρ, where people are alike and unequally likely: who is worst off changes with the noise."""

import warnings

import pytest

import dalenius as dl


def calibrated(answers: list[int], prior: list[float], rho: float) -> float:
    release = dl.Release(dl.Absent(answers=answers, prior=prior), dl.Sum(), dl.Laplace())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return dl.calibrate(release, dl.RhoIdentifiability(rho=rho)).noise.scale or 0.0


def test_the_class_that_much_noise_makes_the_worst_never_reaches_rho() -> None:
    for prior, rho, scale in (
        ([0.25, 0.2, 0.5, 0.05], 0.7, 2.29921117127),
        ([0.25, 0.2, 0.5, 0.05], 0.79, 1.28016148676),
        ([0.25, 0.25 - 1e-7, 0.5, 1e-7], 0.7, 3.59728593173),
    ):
        assert calibrated([0, 7, 0, 7], prior, rho) == pytest.approx(scale, rel=1e-10)
