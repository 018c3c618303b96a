"""Minimisers of neighbours are near, whatever is computed of them is certified, and their noise has its law
(Result 17.2)."""

from fractions import Fraction
from math import log, log1p

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.dependent.learning.losses import Logistic, Loss, SmoothHinge
from dalenius.dependent.learning.minimise import Objective, minimiser
from dalenius.dependent.learning.perturbed import (
    Rounded,
    Task,
    long_tailed,
    objective_perturbed,
    output_perturbed,
    output_simulated,
    tilt_epsilon,
)
from dalenius.dependent.learning.rows import clipped
from dalenius.errors import TooLarge
from dalenius.laws.law import Array
from tests.pace import draws

LOSSES = [Logistic(), SmoothHinge(0.5), SmoothHinge(0.05)]


def units(rng: np.random.Generator, people: int, size: int) -> Array:
    """Rows times labels, of length 1 at most, many of them just that."""
    rows = rng.normal(0, rng.choice([0.1, 1, 10]), (people, size))
    return clipped(rows, 1.0)


@pytest.mark.parametrize("loss", LOSSES[:2], ids=str)
def test_a_slope_is_the_derivative_and_a_bend_the_most_it_changes(loss: Loss) -> None:
    margins, step = np.linspace(-6, 6, 1201), 1e-6
    slope = (loss.value(margins + step) - loss.value(margins - step)) / (2 * step)
    assert np.abs(slope - loss.slope(margins)).max() < 1e-4
    assert -1 <= loss.slope(margins).min() <= loss.slope(margins).max() <= 0
    bends = np.diff(loss.slope(margins)) / np.diff(margins)
    assert 0 <= bends.min() <= bends.max() <= loss.bend * (1 + 1e-9)
    assert bends.max() > 0.99 * loss.bend
    assert np.abs(bends - loss.curvature((margins[1:] + margins[:-1]) / 2)).mean() < 0.01


def test_minimisers_of_neighbours_are_within_the_bound() -> None:
    trials = 300
    rng, nearest = np.random.default_rng(trials), 0.0
    for trial in range(trials):
        people, size, weight = int(rng.integers(1, 12)), int(rng.integers(1, 5)), float(10 ** rng.uniform(-4, 1))
        one = units(rng, people, size)
        other = one.copy()
        other[0] = units(rng, 1, size)[0] if trial % 2 else -one[0]  # another label
        tasks = [Task(rows, LOSSES[trial % 3], weight) for rows in (one, other)]
        found = [task.minimiser() for task in tasks]
        apart = float(np.sqrt(((found[0] - found[1]) ** 2).sum()))
        assert apart <= tasks[0].distance
        nearest = max(nearest, apart / float(tasks[0].distance))
        lattice = Rounded.of(tasks[0])
        places = [np.rint(each / float(lattice.step)) for each in found]
        assert np.abs(places[0] - places[1]).sum() <= lattice.distance
    assert nearest > 0.9  # half of the bound would be false


def test_the_distance_is_attained() -> None:
    """Two records x with opposite labels, where every margin stays below 1 - h."""
    people = 7
    rows = np.zeros((people, 3))
    rows[:, 0] = 1.0
    weight = 4.0
    other = rows.copy()
    other[0] = -other[0]
    one, two = (Task(each, SmoothHinge(0.5), weight).minimiser() for each in (rows, other))
    exact = 2 / (people * weight)
    assert abs(one - two).sum() == pytest.approx(exact, rel=2e-3)
    assert float(Task(rows, SmoothHinge(0.5), weight).distance) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize("loss", LOSSES[:2], ids=str)
def test_what_is_returned_is_certified(loss: Loss) -> None:
    """The gradient in fractions of many bits is no longer than was said."""
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(4)
    rows, weight, longest = units(rng, 30, 3), 1e-3, 1e-9
    objective = Objective(rows, loss, weight, rng.normal(0, 0.1, 3))
    w = minimiser(objective, longest)
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(weight)) * x + mpmath.mpf(float(t)) for x, t in zip(w, objective.tilt, strict=True)]
        for row in rows:
            margin = mpmath.fsum(mpmath.mpf(float(a)) * mpmath.mpf(float(b)) for a, b in zip(row, w, strict=True))
            if isinstance(loss, SmoothHinge):
                slope = -min(1, max(0, (1 + mpmath.mpf(loss.h) - margin) / (2 * mpmath.mpf(loss.h))))
            else:
                slope = -1 / (1 + mpmath.exp(margin))
            exact = [total + slope * float(a) / len(rows) for total, a in zip(exact, row, strict=True)]
        length = mpmath.sqrt(sum(x * x for x in exact))
        error = mpmath.sqrt(sum((x - float(g)) ** 2 for x, g in zip(exact, objective.gradient(w), strict=True)))
    assert length <= longest
    assert error <= objective.rounding(w) / 2


def test_what_cannot_be_certified_is_refused() -> None:
    with pytest.raises(TooLarge, match="regularize more"):
        minimiser(Objective(np.ones((3, 1)), Logistic(), 1e-3, np.zeros(1)), 1e-15)


def accepts(lengths: Array, mean: float, deviation: float) -> bool:
    """Whether the mean of these is that, to five standard deviations of it."""
    return bool(abs(lengths.mean() - mean) < 5 * deviation / np.sqrt(lengths.size))


def test_released_noise_has_its_scale() -> None:
    rows, epsilon = units(np.random.default_rng(1), 5, 600), 0.7
    task = Task(rows, Logistic(), 0.3)
    exact, lattice = task.minimiser(), Rounded.of(task)
    released = [output_perturbed(task, epsilon) for _ in range(20)]
    noise, scale = np.abs([each.weights - exact for each in released]), released[0].noise.scale
    assert scale == pytest.approx(float(lattice.distance * lattice.step) / epsilon)
    assert accepts(noise, scale, scale)
    assert not accepts(noise, 1.1 * scale, scale)
    assert released[0].noise.exact
    on_lattice = np.array([each.weights for each in released]) / float(lattice.step)
    assert np.array_equal(on_lattice, np.rint(on_lattice))


def test_simulated_noise_has_its_length() -> None:
    rows, epsilon, size = units(np.random.default_rng(1), 5, 4), 0.7, 4
    task = Task(rows, Logistic(), 0.3)
    exact, scale = task.minimiser(), float(task.distance) / epsilon
    lengths = np.array([norm(output_simulated(task, epsilon, seed).weights - exact) for seed in range(1000)])
    assert accepts(lengths, size * scale, np.sqrt(size) * scale)
    assert not accepts(lengths, 1.1 * size * scale, np.sqrt(size) * scale)


def norm(vector: Array) -> float:
    return float(np.sqrt(vector @ vector))


def test_directions_are_uniform() -> None:
    rng = np.random.default_rng(2)
    drawn = np.array([long_tailed(3, 1.0, rng) for _ in range(3000)])
    unit = drawn / np.sqrt((drawn**2).sum(axis=1))[:, None]
    assert np.abs(unit.mean(axis=0)).max() < 4 / np.sqrt(3 * 3000)
    assert np.abs(unit[:, 0]).mean() == pytest.approx(0.5, abs=0.025)  # a coordinate on the sphere is uniform


@pytest.mark.parametrize("epsilon", [0.05, 2.0])
def test_the_tilt_of_the_objective_has_its_length(epsilon: float) -> None:
    rows, size, weight = units(np.random.default_rng(1), 5, 4), 4, 0.3
    task = Task(rows, Logistic(), weight)
    spent, more = tilt_epsilon(epsilon, 0.25, 5, weight)
    assert (more > 0) == (epsilon < 2 * log1p(0.25 / 1.5))
    plain = Objective(rows, Logistic(), weight + more, np.zeros(size))
    learned = [objective_perturbed(task, epsilon, seed) for seed in range(1000)]
    lengths = np.array([5 * norm(plain.gradient(each.weights)) for each in learned])
    assert accepts(lengths, size * 2 / spent, np.sqrt(size) * 2 / spent)
    assert not accepts(lengths, 1.1 * size * 2 / spent, np.sqrt(size) * 2 / spent)
    assert not learned[0].noise.exact


def tilts(signs: Array, loss: Loss, weight: float, places: Array) -> tuple[Array, Array]:
    """On the line: the tilt b whose minimiser is each of these places, and |db/dw|."""
    slopes = np.sum([s * loss.slope(s * places) for s in signs], axis=0)
    bends = np.sum([s * s * loss.curvature(s * places) for s in signs], axis=0)
    return -(slopes + len(signs) * weight * places), bends + len(signs) * weight


def worst_ratio(signs: Array, loss: Loss, weight: float, spent: float, places: Array) -> float:
    """The largest log-ratio of the densities of the released minimiser when one person changes, on the line."""
    other = signs.copy()
    other[0] = -other[0]
    logs = []
    for each in (signs, other):
        tilt, bend = tilts(each, loss, weight, places)
        logs.append(-spent * np.abs(tilt) / 2 + np.log(bend))
    return float(np.abs(logs[0] - logs[1]).max())


@pytest.mark.parametrize(("loss", "epsilon"), [(LOSSES[0], 1.0), (LOSSES[2], 0.1)])
def test_tilted_minimisers_on_the_line_keep_epsilon(loss: Loss, epsilon: float) -> None:
    """Chaudhuri, Monteleoni and Sarwate 2011, Thm 9, by the change of variables; without ε′ it would be false."""
    rng, places, plain = np.random.default_rng(6), np.linspace(-8, 8, 4001), 0.0
    for _ in range(60):
        people, weight = int(rng.integers(1, 6)), float(10 ** rng.uniform(-1, 1))
        signs = rng.choice([-1.0, 1.0], people)
        spent, more = tilt_epsilon(epsilon, loss.bend, people, weight)
        assert worst_ratio(signs, loss, weight + more, spent, places) <= epsilon * (1 + 1e-9)
        plain = max(plain, worst_ratio(signs, loss, weight, epsilon, places) / epsilon)
    if isinstance(loss, SmoothHinge):
        assert plain > 1.1


def test_the_tilt_s_epsilon_is_as_published() -> None:
    assert tilt_epsilon(1.0, 0.25, 100, 0.1)[0] == pytest.approx(1 - log(1 + 0.5 / 10 + 0.0625 / 100))
    spent, more = tilt_epsilon(0.1, 0.25, 1, 0.1)
    assert spent == 0.05
    assert 2 * log1p(0.25 / (0.1 + more)) == pytest.approx(0.05)


@draws(400)
@given(
    st.lists(st.floats(-1.7e308, 1.7e308), min_size=1, max_size=4),
    st.one_of(st.floats(1e-30, 1e30), st.sampled_from([1e-30, 5e-16, 1.0, 1e30])),
)
@example([1.7e308], 5e-16)
@example([1.7e308, 1.7e308, -1.7e308], 7.5e-16)
def test_no_row_is_left_longer_than_the_norm(row: list[float], norm: float) -> None:
    found = clipped(np.array([row]), norm)[0]
    length = sum(Fraction(x) ** 2 for x in found)
    assert length <= Fraction(norm) ** 2
    if sum(Fraction(x) ** 2 for x in row) <= Fraction(norm) ** 2 * (1 - Fraction(1, 2**28)):
        assert found.tolist() == row
    else:
        assert length >= Fraction(norm) ** 2 * (1 - Fraction(1, 2**28))


def test_where_doubles_cannot_tell_a_minimum_it_is_refused() -> None:
    alike = Objective(np.full((3, 2), 0.7), SmoothHinge(0.5), 1e-90, np.zeros(2))
    with pytest.raises(TooLarge, match="regularize more"):
        minimiser(alike, 1e-12)
