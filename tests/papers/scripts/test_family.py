"""The family of ten, every method in it, and the examples of IDP and IP: beside enumeration in fractions."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

import dalenius as dl
from papers.by_method import judge, rows
from papers.family import CONTAGIONS, community, release_of
from papers.identity.odds import log_odds
from tests.papers.scripts.figures import Outcome, outcome_of
from tests.reference import leakages
from tests.reference.channel import Channel, channel, mp
from tests.reference.joints import household, longini_koopman
from tests.reference.noises import laplace


def by_enumeration(contagion: float, scale: float) -> Channel:
    """Of one member's record: over all 1024 assignments, in fractions."""
    law = longini_koopman(10, Fraction(community(contagion)), Fraction(contagion))
    return channel(household(law), lambda record, value: (value,), 0, laplace(scale))


def test_anybody_is_ill_with_the_same_probability() -> None:
    for contagion in CONTAGIONS:
        law = longini_koopman(10, Fraction(community(contagion)), Fraction(contagion))
        assert float(sum(k * mass for k, mass in enumerate(law)) / 10) == pytest.approx(0.1, rel=1e-14)


def test_odds_after_an_answer() -> None:
    contagion, scale = 0.05, 3.7
    truth = by_enumeration(contagion, scale)
    for answer in (-3.0, 0.0, 2.5, 7.0, 12.0):
        found = log_odds(release_of(contagion, scale), answer)
        assert found is not None
        likelihood = truth.likelihoods([mp.mpf(answer)])
        exact = float(mp.log(likelihood[1] / likelihood[0]))
        assert found.lower - 1e-15 <= exact <= found.upper + 1e-15
        assert found.upper - found.lower < 1e-10


def test_the_optimum_keeps_its_promise_and_errs_less() -> None:
    """Its kernel, enumerated: W(y|s) = Σ_n Pr[n|s] K(y|n)."""
    contagion = 0.1
    found = dl.calibrate(release_of(contagion), dl.InferentialPrivacy(epsilon=1.0), "optimal")
    law = longini_koopman(10, Fraction(community(contagion)), Fraction(contagion))
    assert isinstance(found.noise, dl.Kernel)
    matrix = np.array(found.noise.probabilities)
    ill = np.array([float(mass * n / 10) for n, mass in enumerate(law)])
    given = [(np.array([float(mass) for mass in law]) - ill) / (1 - ill.sum()), ill / ill.sum()]
    well, sick = (weights @ matrix for weights in given)
    seen = (well > 0) | (sick > 0)
    assert np.max(np.abs(np.log(sick[seen] / well[seen]))) <= 1 + 1e-9
    error = sum(float(mass) * sum(abs(n - k) * matrix[n, k] for k in range(11)) for n, mass in enumerate(law))
    assert error == pytest.approx(found.expected_error, rel=1e-9)
    assert error < dl.calibrate(release_of(contagion), dl.InferentialPrivacy(epsilon=1.0), "exact").expected_error / 4


def test_what_is_judged() -> None:
    points = judge([dl.InformationPrivacy(epsilon=epsilon) for epsilon in (0.5, 2.0)], (0.0, 0.01, 0.2))
    assert len(points) == 3 * (4 + 5), "weak dependence promises nothing at ε = 0.5"
    naive = {(at.epsilon, at.contagion): (at.sound, at.kept) for at in points if at.method == "independent"}
    assert naive[0.5, 0.0] == naive[2.0, 0.0] == (True, True)
    assert naive[2.0, 0.01] == (False, True), "kept, though nothing proves it"
    assert naive[0.5, 0.2] == naive[2.0, 0.2] == (False, False)
    assert all(at.sound and at.kept for at in points if at.method != "independent")
    header, *lines = rows(points)
    assert len(header) == len(lines[0]) == 12
    assert lines[0][:5] == (0.5, 0.0, 0.1, "independent", True)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return outcome_of("identity", tmp_path_factory.mktemp("identity"))


@pytest.mark.slow
def test_tables_of_identity(outcome: Outcome) -> None:
    """Rows of the CSVs, by enumeration."""
    methods = outcome.rows("identity_methods")
    assert len(methods) == len(CONTAGIONS) * (4 + 5 + 5)
    for row in methods[7::31]:
        if not row["scale"] or row["contagion"] == "0.0":
            continue
        truth = by_enumeration(float(row["contagion"]), float(row["scale"]))
        exact = float(leakages.inferential(truth).value)
        assert float(row["leakage_lower"]) - 1e-15 <= exact <= float(row["leakage_upper"]) + 1e-15
        assert float(row["expected_error"]) == float(row["scale"])
        assert float(row["factor"]) == pytest.approx(exp(exact), rel=1e-9)
        assert row["kept"] == str(exact <= float(row["epsilon"]) * (1 + 1e-9))


@pytest.mark.slow
def test_numbers_of_identity(outcome: Outcome) -> None:
    numbers = {(each.where, each.what): each for each in outcome.numbers}
    agreeing = [each for each in numbers.values() if each.theirs is not None and "errata" not in each.why]
    assert len(agreeing) == 6
    for each in agreeing:
        assert each.ours == pytest.approx(each.theirs, rel=1e-12)
    (change,) = (each for each in numbers.values() if "errata" in each.why)
    assert change.theirs == pytest.approx(exp(10))
    assert change.ours == pytest.approx(1 / (0.1 + 0.9 * exp(-10)), rel=1e-12)
