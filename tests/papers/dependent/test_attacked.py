"""Figures 5, 7 and 10 on a made-up city: what friends say without an output, and what the output adds."""

from math import log

import numpy as np
import pytest

from papers.dependent import figure_5, figure_10
from papers.dependent.mechanisms import COMONOTONE, DPM, LPM
from papers.dependent.runs import BITS, EPSILONS, NOTHING, Adversary, Runs, Setting, Target
from tests.papers.dependent.people import made_up_city

CITY = made_up_city(60, points=4, seed=5)
RUNS = Runs([CITY], clusters=4)
DEPENDENT = figure_10.Dependent(
    RUNS, {(which, at): times for which, times in ((LPM, 1.0), (DPM, 20.0), (COMONOTONE, 25.0)) for at in EPSILONS}
)


def test_without_an_output_nothing_is_gained_and_friends_leak() -> None:
    """Eq 11 is above 0 where nothing is published: it is the difference of two priors."""
    nothing = RUNS.nothing()
    assert nothing.people == 60
    assert nothing.gained == pytest.approx(0, abs=1e-12)
    assert nothing.leaked > 0.2
    assert nothing.expected_km < RUNS.nothing(adversary="independent").expected_km
    assert RUNS.nothing(adversary="independent").leaked == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("adversary", ["independent", "dependent"])
def test_much_noise_tends_to_no_output(adversary: Adversary) -> None:
    nothing = RUNS.nothing(adversary=adversary)
    noisy = RUNS.at(Setting(1e9, 1.0, adversary))
    assert noisy.leaked == pytest.approx(nothing.leaked, abs=1e-6)
    assert noisy.expected_km == pytest.approx(nothing.expected_km, rel=1e-6)
    assert RUNS.at(Setting(1.0, 3000.0, adversary)).gained > 0.05


def test_a_setting_is_run_once() -> None:
    assert RUNS.at(Setting(1.0, 1.0)) is RUNS.at(Setting(1.0, 1.0))
    assert RUNS.at(Setting(1.0, 1.0)) == Runs([CITY], clusters=4).at(Setting(1.0, 1.0))
    half = RUNS.at(Setting(1.0, 1.0, share=0.5))
    assert half.independent_entropy != RUNS.at(Setting(1.0, 1.0)).independent_entropy


def test_noise_is_as_it_is_said() -> None:
    target = Target.of(CITY, 3)
    sizes = np.bincount(target.labels)
    released = target.released(2.0, 0.5)
    np.testing.assert_allclose(released.scale, np.broadcast_to(4 * 12 / sizes[:, None], (3, 12)))
    np.testing.assert_allclose((released.centroids - target.centres) / released.scale, target.noise)
    assert np.all(np.isinf(target.released(NOTHING, 0.5).scale))
    members = [target.town.points[target.labels == place].mean(axis=0) for place in range(3)]
    np.testing.assert_allclose(target.centres, members)


def test_clusters_are_those_of_table_1() -> None:
    assert len(Target.of(CITY).centres) == 3  # New York's


def test_numbers_of_figure_5() -> None:
    ours = {number.what: number for number in figure_5.numbers(RUNS)}
    prior = ours["prior information, bits (Eq 8)"]
    assert prior.theirs == 8.38
    assert prior.ours == pytest.approx(RUNS.nothing().independent_entropy / log(2))
    assert ours["the bound ε of Thm 2 in bits, ε = 0.1"].ours == pytest.approx(0.1 / log(2))
    leaked = ours["leaked, bits, ε = 0.1: friends known"].ours
    assert leaked == pytest.approx(ours["leaked, bits, nothing published: friends known"].ours, abs=0.05)
    gained = ours["gained from the output, bits, ε = 0.1: friends known"].ours
    assert gained == pytest.approx(leaked - RUNS.nothing().leaked * BITS, abs=1e-9)


def test_numbers_of_figures_10_and_7() -> None:
    ours = {number.what: number.ours for number in figure_10.numbers(DEPENDENT)}
    few = ours["leaked, bits, ε = 0.1, DPM, 10% of the others"]
    assert few == DEPENDENT.at(DPM, 0.1, 0.1).leaked * BITS
    assert DEPENDENT.at(DPM, 1.0) == RUNS.at(Setting(20.0, 1.0))
    assert DEPENDENT.underestimated(0.8, 10.0) == RUNS.at(Setting(1 + 0.8 * 19, 10.0))
    assert DEPENDENT.underestimated(1.0, 10.0) == DEPENDENT.at(DPM, 10.0)
    assert ours["most by which 0.8 ρ or 0.9 ρ changes what is leaked, bits"] >= 0


def test_rows() -> None:
    for found, first in (
        (figure_5.rows(RUNS), "independent"),
        (figure_10.rows(DEPENDENT), "independent"),
        (figure_10.share_rows(DEPENDENT), DPM.key),
        (figure_10.underestimated_rows(DEPENDENT), 1.0),
    ):
        header, *lines = found
        assert {len(line) for line in lines} == {len(header)}
        assert lines[0][0] == first
        assert "leaked_bits" in header
