"""Lange et al. 2025: Bayesian differential privacy of chains and of normal records, at the settings of their plots.

`plots_for_paper.py` and `utility_experiment.py` in the authors' repository (lange-martin/privacy-utility-bdp) draw
bounds of what an ε-differentially private mechanism leaks, whatever other records are known: ε + 4 ln γ for a chain, γ
the largest ratio of two of its chances, and ε(1 + m²/4/(1/ρ - m + 2)) for groups of m normal records.
"""

from collections.abc import Iterator
from math import log
from typing import Final

import numpy as np

import dalenius as dl
from papers.numbers import Number, main

GAMMAS: Final = (5, 10, 50, 100)
SIZES: Final = (3, 5, 7)
RECORDS: Final = 100
CORRELATION: Final = 0.1
IQ: Final = (0.45, 15.0, 0.0, 200.0)
"""Their made-up IQ of pairs: correlation, deviation, and the bounds to which scores are clipped."""


def bayesian(quick: bool = False) -> Iterator[Number]:
    for gamma in GAMMAS[:1] if quick else GAMMAS:
        theirs = 1 + 4 * log(gamma)
        what = f"leakage of ε = 1 on {RECORDS} bits that stay with {gamma}/{gamma + 1}"
        why = "the bound beside the exact leakage of a count"
        yield Number("Markov bound", what, theirs, chain_leakage(gamma, theirs), why, relation="<")
    for size in SIZES:
        what = f"leakage of ε = 1 in groups of {size}, ρ = {CORRELATION:g}"
        ours = normal_scale(size, CORRELATION, 1.0, 0.0, 1.0)
        theirs = 1 + (size / 2) ** 2 / (1 / CORRELATION - size + 2)
        yield Number("Gaussian bound", what, theirs, ours, "m - 1 stands in ours for m²/4", relation="<")
    correlation, deviation, low, high = IQ
    theirs = (1 + 1 / (1 / correlation)) * (high - low)
    ours = normal_scale(2, correlation, deviation, low, high)
    yield Number("made-up IQ", "scale of a sum at ε = 1, groups of 2, ρ = 0.45, scores from 0 to 200", theirs, ours)


def chain_leakage(gamma: int, epsilon: float) -> float:
    """What a count with the noise of `bdp_markov` leaks in truth, whatever other records are known."""
    stay = gamma / (gamma + 1)
    chain = dl.Chain(n=RECORDS, initial="stationary", transition=[[stay, 1 - stay], [1 - stay, stay]])
    release = dl.Release(chain, dl.Count(), dl.Laplace())
    return dl.calibrate(release, dl.BayesianPrivacy(epsilon=epsilon), "bdp_markov").leakage.upper


def normal_scale(size: int, correlation: float, deviation: float, low: float, high: float) -> float:
    """Laplace noise of method `bdp_gaussian` for the sum of one group, at ε = 1."""
    covariance = deviation**2 * (correlation * np.ones((size, size)) + (1 - correlation) * np.eye(size))
    middle = [(low + high) / 2] * size
    model = dl.GaussianRecords(mean=middle, covariance=covariance.tolist(), bounds=(low, high))
    release = dl.Release(model, dl.Sum(), dl.Laplace())
    return dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0), "bdp_gaussian").noise.known_scale()


if __name__ == "__main__":
    main(bayesian)
