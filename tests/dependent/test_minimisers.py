"""Minimisers of neighbours are near, whatever is computed of them is certified, and their noise has its law
(Result 17.2)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.dependent.arguments import clipped
from dalenius.dependent.solvers import (
    Logistic,
    Loss,
    Objective,
    Rounded,
    SmoothHinge,
    minimiser,
    output_perturbed,
)
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
        objectives = [Objective(rows, LOSSES[trial % 3], weight) for rows in (one, other)]
        found = [objective.minimiser() for objective in objectives]
        apart = float(np.sqrt(((found[0] - found[1]) ** 2).sum()))
        assert apart <= objectives[0].distance
        nearest = max(nearest, apart / float(objectives[0].distance))
        lattice = Rounded.of(objectives[0])
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
    one, two = (Objective(each, SmoothHinge(0.5), weight).minimiser() for each in (rows, other))
    exact = 2 / (people * weight)
    assert abs(one - two).sum() == pytest.approx(exact, rel=2e-3)
    assert float(Objective(rows, SmoothHinge(0.5), weight).distance) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize("loss", LOSSES[:2], ids=str)
def test_what_is_returned_is_certified(loss: Loss) -> None:
    """The gradient in fractions of many bits is no longer than was said."""
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(4)
    rows, weight, longest = units(rng, 30, 3), 1e-3, 1e-9
    objective = Objective(rows, loss, weight)
    w = minimiser(objective, longest)
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(weight)) * x for x in w]
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
        minimiser(Objective(np.ones((3, 1)), Logistic(), 1e-3), 1e-15)


def accepts(lengths: Array, mean: float, deviation: float) -> bool:
    """Whether the mean of these is that, to five standard deviations of it."""
    return bool(abs(lengths.mean() - mean) < 5 * deviation / np.sqrt(lengths.size))


def test_released_noise_has_its_scale() -> None:
    rows, epsilon = units(np.random.default_rng(1), 5, 600), 0.7
    objective = Objective(rows, Logistic(), 0.3)
    exact, lattice = objective.minimiser(), Rounded.of(objective)
    released = [output_perturbed(objective, epsilon) for _ in range(20)]
    noise, scale = np.abs([weights - exact for weights, _ in released]), released[0][1].scale
    assert scale == pytest.approx(float(lattice.distance * lattice.step) / epsilon)
    assert accepts(noise, scale, scale)
    assert not accepts(noise, 1.1 * scale, scale)
    assert released[0][1].exact
    on_lattice = np.array([weights for weights, _ in released]) / float(lattice.step)
    assert np.array_equal(on_lattice, np.rint(on_lattice))


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
    alike = Objective(np.full((3, 2), 0.7), SmoothHinge(0.5), 1e-90)
    with pytest.raises(TooLarge, match="regularize more"):
        minimiser(alike, 1e-12)
