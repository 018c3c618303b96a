"""What is not attacked, and in which words that is said."""

from functools import partial

import pytest

import dalenius as dl
from dalenius.attack import bayes_attacks, simulated
from dalenius.errors import Meaningless
from tests.cases import Refusals, check_refused
from tests.conformance.table import PAIR

COUNTED = dl.Release(PAIR, dl.Count(), dl.Laplace(scale=1.0))


REFUSED: Refusals = [
    (partial(simulated, COUNTED, 0, 1), "runs: 0, wanted a number from 1 to 10,000,000"),
    (partial(simulated, COUNTED, 1, -1), "seed: -1, wanted a whole number of at least 0"),
]


def test_what_is_not_attacked() -> None:
    check_refused(REFUSED)


def test_what_has_no_meaning() -> None:
    pairs = dl.Pairwise(n=3, values=[0, 1], given=[[0.9, 0.1], [0.2, 0.8]], edges=[[1, 2], [2, 3]])
    with pytest.raises(Meaningless, match=r"^model.kind: pairwise, wanted a model with a joint law of all records"):
        bayes_attacks(dl.Release(pairs, dl.Sum(), dl.Laplace(scale=1.0)))
    normal = dl.GaussianRecords(mean=[1, 0], covariance=[[1, 0.5], [0.5, 1]])
    with pytest.raises(Meaningless, match=r"^model.kind: gaussian, wanted a joint law of records with finitely many"):
        simulated(dl.Release(normal, dl.Sum(), dl.Gaussian(scale=1.0)), 10, 1)
    clamped = dl.Release(PAIR, dl.Count(), dl.Clamped(scale=0.8, lower=0, upper=1))
    with pytest.raises(Meaningless, match=r"noise.kind: clamped, wanted laplace, geometric, gaussian, kernel or none"):
        simulated(clamped, 10, 1)
