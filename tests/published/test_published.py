"""The published methods: Theory §12's chain table, erratum E3, what each serves and what it says."""

from math import log

import numpy as np
import pytest

import dalenius as dl
from dalenius.laws.law import Law
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.published.wasserstein import distances
from dalenius.ratios.pairs.coefficients import ClosedCoefficientMethod
from tests.cases import in_turn
from tests.conformance.table import PAIR

ONE = dl.InferentialPrivacy(epsilon=1)
NOISES: tuple[Noise, ...] = (dl.Laplace(), dl.Geometric())
RARE = 0.01 * 20 / 21
OUTBREAK = dl.Households(count=1, infected=[0.99, RARE, *[0.0] * 18, 0.01 - RARE])
"""Twenty people; nobody ill with probability .99, else one or all, so that Pr[all | X_1 = 1] = 1/2."""


def chain(p: float, q: float, n: int = 100) -> dl.Chain:
    """p = Pr(1→1), q = Pr(0→1), stationary."""
    return dl.Chain(n=n, transition=[[1 - q, q], [1 - p, p]], initial="stationary")


def counted(model: Model, method: str, notion: Notion = ONE, noise: Noise = NOISES[0]) -> dl.Calibration:
    return dl.calibrate(dl.Release(model, dl.Count(), noise), notion, method)


TABLE = {
    (0.5, 0.5): {"exact": 1.000, "wasserstein": 1, "markov_quilt": 1.000, "markov_quilt_approximate": 8.973},
    (0.6, 0.4): {"exact": 1.467, "wasserstein": 2, "markov_quilt": 3.572, "markov_quilt_approximate": 11.537},
    (0.8, 0.2): {"exact": 3.849, "wasserstein": 5, "markov_quilt": 13.075, "markov_quilt_approximate": 23.979},
    (0.9, 0.1): {"exact": 8.640, "wasserstein": 10, "markov_quilt": 31.738, "markov_quilt_approximate": 49.220},
}


@pytest.mark.slow
@in_turn({"chances": TABLE, "noise": NOISES})
def test_theory_12_chains(chances: tuple[float, float], noise: Noise) -> None:
    for method, scale in {**TABLE[chances], "group": 100}.items():
        found = counted(chain(*chances), method, noise=noise)
        assert found.noise.scale == pytest.approx(scale, abs=5.1e-4 if isinstance(scale, float) else 1e-8)
        assert found.sound
        assert found.leakage.upper <= 1 + 1e-9


def test_e3_eq_18_adds_something_for_independent_records_of_a_group() -> None:
    """σ where 1/σ + log((1 + e^{1/σ})/2) = 1; with d* the far end, 2."""
    fair = dl.Table(records=[[0, 0], [0, 1], [1, 0], [1, 1]], probabilities=[0.25] * 4)
    release = dl.Release(fair, dl.Sum(), dl.Laplace())
    fixed, far = (ClosedCoefficientMethod(reading).calibrate(release, ONE) for reading in ("fixed", "far"))
    scale = fixed.noise.known_scale()
    assert 1 / scale + log((1 + np.exp(1 / scale)) / 2) == pytest.approx(1)
    assert far.noise.known_scale() == pytest.approx(2)
    assert f"{far.noise.known_scale():.6g} (errata E3)" in fixed.why
    assert f"{scale:.6g} (errata E3)" in far.why
    assert dl.calibrate(release, ONE, "dependence_coefficient").noise.known_scale() == pytest.approx(1)


def test_coefficients_are_sound_where_records_are_independent() -> None:
    for method in ("dependence_coefficient", "dependence_coefficient_closed"):
        found = counted(dl.Independent(n=9, probabilities=[0.2]), method)
        assert found.sound
        assert found.noise.scale == 1


def test_correlated_sensitivity_promises_nothing() -> None:
    found = counted(dl.Independent(n=9, probabilities=[0.2]), "correlated_sensitivity")
    assert (found.sound, found.noise.scale) == (False, 1)
    assert "Pearson" in found.why
    equal = dl.calibrate(dl.Release(PAIR, dl.Sum(), dl.Laplace()), ONE, "correlated_sensitivity")
    assert equal.noise.known_scale() == pytest.approx(2)


def test_weak_dependence_is_the_theorem() -> None:
    """η = 1/2: b = ln 2, so that e = ε and the scale is that of the group; at ε = 5, b is still ln 2."""
    for epsilon in (1.0, 5.0):
        found = counted(OUTBREAK, "weak_dependence", dl.InferentialPrivacy(epsilon=epsilon))
        assert found.noise.known_scale() == pytest.approx(20 / epsilon)
        assert found.sound
    # η = 0: b is what e(1 - 1/k) >= b leaves, and e = k(ε - ln 2).
    found = counted(chain(0.5, 0.5), "weak_dependence")
    assert found.noise.known_scale() == pytest.approx(1 / (1 - log(2)))


@pytest.mark.slow
def test_quilts_of_long_chains() -> None:
    """The middle of a chain of thousands is that of a chain of hundreds."""
    for p, q in ((0.8, 0.2), (0.3, 0.1)):
        long, short = (counted(chain(p, q, n), "markov_quilt").noise.known_scale() for n in (2000, 200))
        assert long == pytest.approx(short, rel=1e-9)


def test_wasserstein_of_answers_beside_each_other() -> None:
    """Each group touches one of the two answers; where one touches both, quantiles are of no number."""
    apart = dl.Households(
        types=[
            dl.HouseholdType(count=3, infected=(0.8, 0.1, 0.1), members={"a": 2}),
            dl.HouseholdType(count=2, infected=(0.8, 0.1, 0.0, 0.1), members={"b": 3}),
        ]
    )
    found = dl.calibrate(dl.Release(apart, dl.Count(per_label=True), dl.Geometric()), ONE, "wasserstein")
    assert found.noise.known_scale() == pytest.approx(3)


def test_wasserstein_adds_nothing_where_the_answer_says_nothing() -> None:
    """X1 xor X2 and its negation: the sum of all four is always 2."""
    rows = [[a, b, 1 - a, 1 - b] for a in (0, 1) for b in (0, 1)]
    found = dl.calibrate(
        dl.Release(dl.Table(records=rows, probabilities=[0.25] * 4), dl.Sum(), dl.Laplace()), ONE, "wasserstein"
    )
    assert (found.noise, found.sound) == (dl.NoNoise(), True)


def test_distances_of_two_laws_one_by_one() -> None:
    """The second and third have ties, 1/2 = 1/4 + 1/4 and 0.1 = 0.1, that a double does not decide."""
    for one, other, expected in (
        ([0.4, 0.6, 0.0, 0.0], [0.25, 0.25, 0.0, 0.5], (2, 2)),
        ([0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.0, 0.5], (2, 3)),
        ([0.1, 0.0, 0.9], [0.0, 0.1, 0.9], (1, 2)),
    ):
        with np.errstate(divide="ignore"):
            law = Law((0,), np.zeros(len(one)), np.log([one, other]), 1e-15)
        assert distances(law, 0, 1, 4) == distances(law, 1, 0, 4) == expected


def test_tails_decide_with_relative_accuracy() -> None:
    """A mass of 1e-200 in either tail that has to move three steps."""
    for turn in (1, -1):
        masses = np.array([[1e-200, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])[:, ::turn]
        with np.errstate(divide="ignore"):
            law = Law((0,), np.zeros(4), np.log(masses), 1e-15)
        assert distances(law, 0, 1, 2) == (3, 3)
        more = np.array([[1e-200, 0.0, 0.0, 1.0], [0.5e-200, 0.5e-200, 0.0, 1.0]])[:, ::turn]
        with np.errstate(divide="ignore"):
            law = Law((0,), np.zeros(4), np.log(more), 1e-15)
        assert distances(law, 0, 1, 2)[0] == 1


def test_what_inferential_privacy_does_not_imply_is_judged_by_itself() -> None:
    """Of two opposite bits the sum says nothing, and Wasserstein noise is none; but it does not hide one record."""
    opposite = dl.Table(records=[[0, 1], [1, 0]], probabilities=[0.5, 0.5])
    for notion in (dl.DifferentialPrivacy(epsilon=1), dl.BayesianPrivacy(epsilon=1)):
        found = dl.calibrate(dl.Release(opposite, dl.Sum(), dl.Laplace()), notion, "wasserstein")
        assert found.noise == dl.NoNoise()
        assert not found.sound
        assert f"{notion.kind} privacy needs noise that hides" in found.why
    enough = counted(OUTBREAK, "wasserstein", dl.BayesianPrivacy(epsilon=1))
    assert enough.sound
    assert "a whole independent group" in enough.why
    quilt = counted(chain(0.8, 0.2, 30), "markov_quilt", dl.DifferentialPrivacy(epsilon=1))
    assert quilt.sound
    assert quilt.leakage.upper <= 1


def test_a_tie_is_decided_by_the_leakage() -> None:
    """A bit among fair bits: F_1(x) = F_0(x - 1) for every x, and only the digits of the laws say which is larger."""
    found = counted(chain(0.5, 0.5, 300), "wasserstein")
    assert found.noise.scale == pytest.approx(1, rel=2e-9)
    assert found.leakage.upper <= 1
