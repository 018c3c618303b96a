"""Objective perturbation: the law of the noise, the law of the minimiser for neighbours, and what is hidden."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import optimize, stats

import dalenius as dl
from dalenius.arrays import Array
from dalenius.dependent.objective_perturbation import least_weight, perturbed, tilt_of
from dalenius.dependent.radial_noise import longest, radial, radial_error
from dalenius.dependent.regularised_minimiser import Loss, Task, hinge, logistic, most_bend

LOSSES = pytest.mark.parametrize("loss", [logistic, hinge])


@pytest.mark.lengthy
def test_lengths_and_directions_are_those_of_the_density_and_a_near_lie_is_found_out() -> None:
    """Density ∝ e^{-‖b‖/θ} on R^3: the length has Gamma(3), each direction's coordinate is uniform on [-1, 1]."""
    drawn = np.array([radial(Fraction(7, 2), 3) for _ in range(700)])
    lengths = np.linalg.norm(drawn, axis=1)
    assert stats.kstest(lengths / 3.5, stats.gamma(3).cdf).pvalue > 1e-9
    assert stats.kstest(lengths / 3.5 * 1.3, stats.gamma(3).cdf).pvalue < 1e-9
    for axis in (drawn / lengths[:, None]).T:
        assert stats.kstest(axis, stats.uniform(-1, 2).cdf).pvalue > 1e-9
        assert stats.kstest(axis**2, stats.uniform(0, 1).cdf).pvalue < 1e-9


def test_the_noise_is_hardly_ever_longer_than_there_is_room_for() -> None:
    for size in (1, 2, 10, 30, 100, 1000, 2**16):
        assert stats.gamma(size).logsf(float(longest(Fraction(1), size))) < -50
        assert radial_error(Fraction(1), size) < Fraction(size, 2**20)


@pytest.fixture(params=range(4))
def neighbours(request: pytest.FixtureRequest) -> tuple[Array, Array]:
    """Rows times labels of two tables that differ in one person, in one column."""
    draws = np.random.default_rng(request.param)
    one = draws.uniform(-1, 1, (int(draws.integers(1, 8)), 1))
    one[0] = (1, -1, 1, 0.3)[request.param]
    other = one.copy()
    other[0] = -one[0]
    return one, other


def log_density(rows: Array, loss: Loss, weight: float, scale: float, at: Array) -> Array:
    """Of the minimiser of a tilted objective in one column: b(w) = -(Σ slope x + nΛw), times |b'(w)|."""
    _, slopes, bends = loss(rows * at)
    tilt = -(slopes * rows).sum(axis=0) - len(rows) * weight * at
    return np.asarray(-np.abs(tilt) / scale + np.log((bends * rows**2).sum(axis=0) + len(rows) * weight))


@LOSSES
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_densities_of_neighbours_differ_by_what_is_spent(
    neighbours: tuple[Array, Array], loss: Loss, epsilon: float
) -> None:
    people = len(neighbours[0])
    own = Fraction(epsilon)
    for factor in (1.0, 10.0):
        weight = least_weight(loss, people, own, 1) * factor
        tilt = tilt_of(loss, weight, people, own, 1)
        assert tilt.loss == own * Fraction(63, 64)
        at = np.linspace(-60, 60, 20_001) / (people * weight)
        one, other = (log_density(rows, loss, weight, float(tilt.scale), at) for rows in neighbours)
        assert np.abs(one - other).max() <= float(tilt.loss) * (1 + 1e-12)


def test_what_is_spent_is_nearly_attained_and_a_near_lie_is_found_out() -> None:
    """One person says the opposite: far out only the tilt counts, and all of its loss is there."""
    rows = np.ones((1, 1))
    tilt = tilt_of(hinge, 50.0, 1, Fraction(1), 1)
    at = np.linspace(-3, 3, 20_001)
    for scale, broken in ((tilt.scale, False), (tilt.scale / Fraction(13, 10), True)):
        one, other = (log_density(sign * rows, hinge, 50.0, float(scale), at) for sign in (1, -1))
        assert (np.abs(one - other).max() > float(tilt.loss)) == broken
    one, other = (log_density(sign * rows, hinge, 50.0, float(tilt.scale), at) for sign in (1, -1))
    assert np.abs(one - other).max() > 0.95 * float(tilt.loss)


def excess(people: int, scale: float, epsilon: float, weight: float = 50.0) -> float:
    """By how many deviations the frequency of one of three outputs in 10^5 runs is above e^ε times that of a neighbour,
    where all of so many people say the opposite; the worst of the three."""
    runs, draws = 100_000, np.random.default_rng(9)

    def minimisers(sign: float) -> Array:
        at = np.linspace(-40, 40, 400_001)
        _, slopes, _ = hinge(sign * at)
        wanted = people * (-(sign * slopes) - weight * at)  # falls in w
        return np.asarray(np.interp(draws.laplace(0, scale, runs), wanted[::-1], at[::-1]))

    one, other, found = minimisers(1.0), minimisers(-1.0), []
    for output in (1 / weight, 1.5 / weight, 0.0):
        a, b = float((one > output).mean()), float((other > output).mean())
        found.append((a - exp(epsilon) * b) / sqrt((a + exp(2 * epsilon) * b) / runs))
    return max(found)


@pytest.mark.parametrize(("epsilon", "lie"), [(1.0, 1.4), (2.0, 1.3)])
def test_one_person_is_hidden_at_three_outputs_of_many_runs_and_a_lie_is_found_out(epsilon: float, lie: float) -> None:
    scale = float(tilt_of(hinge, 50.0, 1, Fraction(epsilon), 1).scale)
    assert excess(1, scale, epsilon) < 5
    assert excess(1, scale / lie, epsilon) > 5


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_a_couple_is_hidden_by_group_at_three_outputs_and_told_apart_by_noise_for_one(epsilon: float) -> None:
    promised = dl.LinearSVC(epsilon=epsilon, norm=1.0, method="group", dependence=2).guarantee.record_epsilon
    together, alone = (tilt_of(hinge, 50.0, 2, Fraction(each), 1) for each in (promised, epsilon))
    assert excess(2, float(together.scale), epsilon) < 5
    assert excess(2, float(together.scale) / 1.3, epsilon) > 5
    assert excess(2, float(alone.scale), epsilon) > 5


@pytest.mark.parametrize("seed", range(6))
def test_determinants_of_neighbours_differ_by_one_rank_each(seed: int) -> None:
    """det(A + a xxᵀ)/det(A + a' x'x'ᵀ) <= 1 + c/(nΛ), whatever A >= nΛ I."""
    draws = np.random.default_rng(seed)
    size, rest, ridge = int(draws.integers(1, 5)), draws.normal(size=(6, 4)), float(10 ** draws.uniform(-2, 1))
    common = rest[:, :size].T @ rest[:, :size] * draws.random() + ridge * np.eye(size)
    x = draws.normal(size=(2, size))
    x /= np.linalg.norm(x, axis=1)[:, None]
    for bends in ((0.25, 0.0), (0.25, 0.1), (0.0, 0.25)):
        one, other = (np.linalg.slogdet(common + a * np.outer(u, u))[1] for a, u in zip(bends, x, strict=True))
        assert abs(one - other) <= log(1 + 0.25 / ridge) + 1e-12


@LOSSES
def test_no_loss_bends_more_than_is_said(loss: Loss) -> None:
    bends = loss(np.linspace(-5, 5, 4001))[2]
    assert 0.99 * most_bend(loss) <= bends.max() <= most_bend(loss)


@LOSSES
def test_the_minimiser_on_the_lattice_is_near_the_ideal_one(loss: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another solver, to its precision; a lattice point is at most half a step away in each place."""
    draws = np.random.default_rng(4)
    rows = draws.normal(size=(60, 4))
    rows /= np.maximum(np.linalg.norm(rows, axis=1), 1)[:, None]
    tilt = draws.normal(size=4)
    monkeypatch.setattr("dalenius.dependent.objective_perturbation.radial", lambda scale, size: tilt * float(scale))
    found = perturbed([rows], loss, 0.05, Fraction(1))
    drawn, (places,) = found.drawn, found.places
    pull = tilt * float(found.tilt.scale) / 60

    def gradient(w: Array) -> Array:
        return np.asarray(loss(rows @ w)[1] @ rows / 60 + 0.05 * w + pull)

    truth = optimize.root(gradient, places * float(drawn.step), tol=1e-13).x
    hidden = float(drawn.sensitivity / 2 * drawn.step)
    assert np.abs(places * float(drawn.step) - truth).sum() <= hidden
    assert hidden < 1e-6
    assert found.tilt.loss + drawn.loss == 1


def test_promises_are_spent_to_the_last_and_shared_by_classes() -> None:
    rows, labels = np.random.default_rng(1).uniform(0, 1, (90, 2)), np.arange(90) % 3
    for kind in (dl.LinearSVC, dl.LogisticRegression):
        made = kind(epsilon=0.7, bounds=(0, 1), classes=[0, 1, 2]).fit(rows, labels)
        assert sum(each.loss for each in made.drawn_) == Fraction(0.7)
        assert made.drawn_[0].times == 3
        assert made.drawn_[0].shown()["kind"] == "radial"


def test_few_people_are_regularised_more_than_they_ask_for() -> None:
    for people, epsilon, least in ((10, 0.1, 0.4), (1000, 1.0, 3e-4)):
        found = least_weight(logistic, people, Fraction(epsilon), 1)
        assert found == pytest.approx(0.25 / (people * (exp(epsilon * 63 / 128) - 1)))
        assert found > least
        tilt = tilt_of(logistic, found, people, Fraction(epsilon), 1)
        assert float(tilt.besides) == pytest.approx(epsilon * 63 / 128, rel=1e-6)


def test_a_tilted_certificate_leaves_room_for_its_roundings() -> None:
    rows = np.ones((5, 1))
    plain, tilted = Task(rows, logistic, 0.1), Task(rows, logistic, 0.1, np.array([0.5]), Fraction(1))
    assert tilted.longest < plain.longest
    wide = Task(rows, logistic, 1e-6, np.array([0.5]), Fraction(1))
    assert wide.longest > 1e3 * tilted.longest
    assert np.abs(logistic(tilted.minimiser() * rows[:, 0])[1].mean() + 0.1 * tilted.minimiser()[0] + 0.5) < 1e-12
