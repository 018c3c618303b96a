"""Dependence coefficients over grids of values: mpmath, one coordinate's own functions, and DDP Example 1."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from dalenius.calibration.pairwise.dependence_coefficient import exact_coefficient
from dalenius.calibration.pairwise.dependence_coefficient_closed import far_end, fixed_end
from dalenius.calibration.pairwise.value_grid import Formula, coefficient, diameter, revealed
from dalenius.errors import InputError, TooLarge
from dalenius.graphs import PAPER, Grid
from dalenius.laws.law import Array

FORMULAS: tuple[Formula, ...] = ("exact", "fixed", "far")


def laws(seed: int, rows: int, values: int) -> Array:
    found = np.random.default_rng(seed).dirichlet(np.ones(values) / 2, rows)
    found[0, 0] = 0.0
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def looked(law: Array, points: Array, scale: float, outputs: Array) -> float:
    """The worst log-ratio over these outputs, to 40 digits."""
    with mp.workdps(40):
        worst = mpf(0)
        for output in outputs.tolist():
            noisy = []
            for row in law.tolist():
                terms = []
                for p, point in zip(row, points.tolist(), strict=True):
                    away = sum(abs(mpf(x) - mpf(y)) for x, y in zip(output, point, strict=True))
                    terms.append(mpf(p) * mp.exp(-away / mpf(scale)))
                noisy.append(sum(terms))
            worst = max(worst, mp.log(max(noisy) / min(noisy)))
        return float(worst)


@pytest.mark.parametrize("scale", [0.3, 1.0, 20.0, 0.004])
def test_two_coordinates_are_worst_at_values_coordinates(scale: float) -> None:
    """No output off the grid of coordinates is worse; the least scale underflows doubles."""
    draw = np.random.default_rng(3)
    points, law = draw.integers(0, 4, (6, 2)).astype(float), laws(1, 4, 6)
    xs, ys = (np.unique(axis) for axis in points.T)
    grid = np.array([(x, y) for x in xs for y in ys])
    found = revealed(law, points, scale)
    exact = looked(law, points, scale, grid)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 1e-11 * (1 + exact)
    anywhere = draw.uniform(-2, 5, (60, 2))
    assert looked(law, points, scale, anywhere) <= found.upper


def test_the_worst_output_need_not_be_a_value() -> None:
    """In two coordinates it may be where no value is, though on one line it never is."""
    points, law = np.array([[0.0, 1.0], [2.0, 3.0], [3.0, 1.0]]), np.array([[0.0, 0.0, 1.0], [0.05, 0.08, 0.87]])
    grid = np.array([(x, y) for x in (0.0, 2.0, 3.0) for y in (1.0, 3.0)])
    found = revealed(law, points, 0.5)
    assert found.lower <= looked(law, points, 0.5, grid) <= found.upper
    assert looked(law, points, 0.5, points) < found.lower - 0.3


@pytest.mark.parametrize("scale", [0.2, 1.0, 7.0])
def test_one_coordinate_is_the_methods_own(scale: float) -> None:
    points, law = np.array([0.0, 0.5, 2.0, 3.0, -1.0]), laws(2, 3, 5)
    low, high = np.array([-1.0]), np.array([3.0])
    order = np.argsort(points)
    for formula, own in zip(FORMULAS, (exact_coefficient, fixed_end, far_end), strict=True):
        found = revealed(law, points, scale, formula)
        (expected,) = own(law[None][:, :, order], points[order], low, high, scale)
        assert found.lower - 1e-12 <= expected <= found.upper + 1e-12
        assert coefficient(law, points, scale, formula).upper == pytest.approx(expected * scale / 4, rel=1e-12)
    assert diameter(points) == 4.0


def test_example_1_of_ddp_by_quadrature() -> None:
    """D_j = .5 D_i + .5 X: given D_i = 1 and 0, D_j is uniform on [.5, 1] and [0, .5], a shift by .5, and at an output
    beyond both the log-ratio is .5/σ: ρ = .5 at every σ, in the limit of fine grids and already on each of them."""
    for cells in (10, 100, 1000):
        middles = (np.arange(cells) + 0.5) / cells
        law = np.stack([(middles > 0.5) * 2.0 / cells, (middles < 0.5) * 2.0 / cells])
        for scale in (0.1, 1.0, 30.0):
            nats = revealed(law, middles, scale)
            assert nats.lower <= 0.5 / scale <= nats.upper
            assert nats.upper - nats.lower < 1e-10
    assert coefficient(law, np.linspace(0, 1, 1000), 1.0).middle == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("scale", [0.5, 4.0, 100.0])
def test_closed_forms_are_never_below_the_exact_one(scale: float) -> None:
    grid = Grid(south=30.0, west=-98.0, north=30.3, east=-97.6, rows=6, columns=7)
    points = grid.points_miles()
    law = PAPER.law(grid.distances_miles())
    exact, fixed, far = (revealed(law, points, scale, formula) for formula in FORMULAS)
    assert 0 < exact.lower <= exact.upper < fixed.lower <= fixed.upper <= far.upper
    assert far.upper <= diameter(points) / scale * (1 + 1e-12)
    whole = coefficient(law, points, scale)
    assert whole.lower <= exact.middle * scale / diameter(points) <= whole.upper
    assert whole.upper - whole.lower < 1e-11


def test_records_that_do_not_depend_reveal_nothing_but_by_the_closed_form() -> None:
    law = np.full((3, 4), 0.25)
    points = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    found = revealed(law, points, 1.0)
    assert found.lower == 0.0
    assert found.upper < 1e-13
    assert revealed(law, points, 1.0, "fixed").lower > 1.0
    assert coefficient(law, np.zeros((4, 2)), 1.0) == (0.0, 0.0)
    assert coefficient(law, points, 1.0, "far").middle == pytest.approx(1.0)


def test_a_copy_reveals_all() -> None:
    points = np.array([[0.0, 0.0], [2.0, 1.0]])
    for formula in FORMULAS:
        assert revealed(np.eye(2), points, 0.5, formula).middle == pytest.approx(6.0, rel=1e-12)
        assert coefficient(np.eye(2), points, 1e-4, formula).middle == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(2), [0.0, 1.0, 2.0], 1.0), r"^law: of shape \(2, 2\), wanted a row of 3 probabilities for each value"),
        (([[0.5, 0.6]], [0.0, 1.0], 1.0), r"^law: no law, wanted rows of probabilities that sum to 1$"),
        (([[1.5, -0.5]], [0.0, 1.0], 1.0), r"^law: no law, wanted rows of probabilities that sum to 1$"),
        (([[nan, 1.0]], [0.0, 1.0], 1.0), r"^law: no law, wanted rows of probabilities that sum to 1$"),
        ((np.eye(2), [0.0, inf], 1.0), r"^points: of shape \(2,\), wanted finite coordinates of each value$"),
        ((np.eye(2), [0.0, 1.0], 0.0), r"^scale: 0\.0, wanted a finite number above 0$"),
        ((np.eye(2), [0.0, 1.0], 1.0, "near"), r"^formula: near, wanted one of exact, fixed, far$"),
    ],
)
def test_what_has_no_coefficient_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        revealed(*arguments)


def test_values_in_general_position_are_too_many_outputs() -> None:
    points = np.random.default_rng(1).random((400, 2))
    with pytest.raises(
        TooLarge, match=r"^a dependence coefficient: 400 values that need 160,000 outputs, of 400 laws is"
    ):
        revealed(np.eye(400), points, 1.0)
