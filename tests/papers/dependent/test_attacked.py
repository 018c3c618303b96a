"""Figures 5, 7 and 10 on a made-up city: what friends say without an output, and what the output adds."""

import numpy as np
import pytest

from papers.dependent.runs import NOTHING, Runs, Setting, Target
from tests.papers.dependent.people import made_up_city

CITY = made_up_city(60, points=4, seed=5)
RUNS = Runs([CITY], clusters=4)


def test_without_an_output_nothing_is_gained_and_friends_leak() -> None:
    """Eq 11 is above 0 where nothing is published: it is the difference of two priors."""
    nothing = RUNS.nothing()
    assert nothing.people == 60
    assert nothing.gained == pytest.approx(0, abs=1e-12)
    assert nothing.leaked > 0.2
    assert nothing.expected_km < RUNS.nothing(adversary="independent").expected_km
    assert RUNS.nothing(adversary="independent").leaked == pytest.approx(0, abs=1e-12)


def test_much_noise_tends_to_no_output() -> None:
    nothing = RUNS.nothing()
    noisy = RUNS.at(Setting(1e9, 1.0))
    assert noisy.leaked == pytest.approx(nothing.leaked, abs=1e-6)
    assert noisy.expected_km == pytest.approx(nothing.expected_km, rel=1e-6)
    assert RUNS.at(Setting(1.0, 3000.0)).gained > 0.05


def test_noise_is_as_it_is_said() -> None:
    target = Target.of(CITY, 3)
    sizes = np.bincount(target.labels)
    released = target.released(2.0, 0.5)
    np.testing.assert_allclose(released.scale, np.broadcast_to(4 * 12 / sizes[:, None], (3, 12)))
    np.testing.assert_allclose((released.centroids - target.centres) / released.scale, target.noise)
    assert np.all(np.isinf(target.released(NOTHING, 0.5).scale))
    members = [target.town.points[target.labels == place].mean(axis=0) for place in range(3)]
    np.testing.assert_allclose(target.centres, members)
