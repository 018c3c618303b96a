"""Sums of the larger of two likelihoods over outputs of Laplace noise on several axes, against sums on fine grids."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalenius.arrays import Array
from dalenius.laws.integrals.box_subdivision import over_boxes
from dalenius.laws.integrals.convex_functionals import Functional, HockeyStick, Vulnerability
from dalenius.laws.integrals.crossed_boxes import above_zero
from dalenius.laws.integrals.expected_gain import ExpectedGain
from dalenius.laws.integrals.functionals_over_outputs import over_axes
from dalenius.laws.laplace_smoothing import Along, smoothed
from dalenius.laws.law import Law
from tests.laws.test_boxes import likelihood


def on_a_grid(values: Array, widths: list[float], cells: int) -> float:
    """The integral of max(D, 0) over one box, from D at its corners (2, 2, ..), by midpoints."""
    for width in widths:
        places = (np.arange(cells) + 0.5) / cells * width
        hats = np.stack([np.sinh(width - places), np.sinh(places)]) / np.sinh(width)
        values = np.tensordot(values, hats, axes=([0], [0]))
    return float(np.maximum(values, 0.0).mean() * np.prod(np.array(widths) / 2))


@pytest.mark.parametrize("axes", [2, 3])
def test_the_part_above_zero_is_that_of_a_grid(axes: int) -> None:
    rng, close = np.random.default_rng(5), 0
    for _ in range(12):
        widths = rng.uniform(0.1, 1.0, axes)
        values = rng.uniform(0.05, 1.0, (2,) * axes)
        values[0] *= -1
        if rng.random() < 0.5:
            values = np.moveaxis(values, 0, -1)[::-1]
        area, off, _ = above_zero(values.reshape(-1, 1), widths[:, None])
        wanted = on_a_grid(values, widths.tolist(), 800 if axes == 2 else 90)
        assert abs(area[0] - wanted) <= off[0] + 2e-4 * wanted
        close += off[0] < 1e-6 * area[0]
    assert close >= 4


def test_a_surface_through_neighbouring_sides_is_left_to_cuts() -> None:
    """D is positive at one corner alone: no axis is crossed from side to side."""
    _, off, axis = above_zero(np.array([0.5, -1.0, -1.0, -1.0])[:, None], np.ones((2, 1)))
    assert off[0] == np.inf
    assert axis[0] in (0, 1)


def _plane(secrets: int, box: tuple[int, ...]) -> Array:
    masses = np.random.default_rng(1).random((secrets, *box))
    return np.asarray(masses / masses.reshape(secrets, -1).sum(axis=1).reshape(secrets, *[1] * len(box)))


FUNCTIONALS: dict[str, Functional] = {
    "hockey stick": HockeyStick(0, 1, 0.1),
    "guess": Vulnerability(np.log([0.3, 0.3, 0.4])),
    "gain": ExpectedGain(np.log([0.3, 0.3, 0.4]), np.log([[1.0, 0.5, 0.1], [0.2, 1.0, 0.2], [0.1, 0.2, 1.0]])),
}


@pytest.mark.parametrize("kind", FUNCTIONALS)
@pytest.mark.parametrize("decay", [0.3, 1.0])
def test_three_axes_are_known_to_a_part_in_a_million(kind: str, decay: float) -> None:
    """Convexity alone needs a hundred times as many boxes."""
    decays, functional = [decay] * 3, FUNCTIONALS[kind]
    law = likelihood(_plane(3, (3, 3, 3)), decays)
    found = over_boxes(functional, law, decays)
    assert found is not None
    lower, upper, error = found
    assert upper - lower <= 2e-8 * upper
    assert error <= 1e-9 * upper
    total = _sum_on_a_grid(functional, _plane(3, (3, 3, 3)), decays, 12)
    assert lower - error <= total * (1 + 2e-3)
    assert total * (1 - 2e-3) <= upper + error


def _sum_on_a_grid(functional: Functional, masses: Array, decays: list[float], parts: int) -> float:
    """By midpoints of so many parts of each cell, and the tails as they fall."""
    for axis, decay in enumerate(decays, 1):
        length = masses.shape[axis]
        inside = (np.arange((length - 1) * parts) + 0.5) / parts
        places = np.concatenate([[0.0], inside, [length - 1.0]])
        kernel = np.exp(-decay * np.abs(np.arange(length)[:, None] - places))
        weights = np.array([0.5, *[decay / 2 / parts] * len(inside), 0.5])
        masses = np.moveaxis(np.moveaxis(masses, axis, -1) @ (kernel * weights), -1, axis)
    return float(np.sum(functional.at(np.log(masses))))


POINTS = [Along(Fraction(1, 2)), Along(Fraction(1)), Along(Fraction(2, 3), real=True), Along(Fraction(1), real=True)]


def test_real_axes_beside_points_are_cut_together() -> None:
    """Two answers under geometric noise beside two under Laplace noise: point by point, each weighed by its share."""
    chances = _plane(2, (2, 2, 2, 3))
    law = smoothed(Law((0,) * 4, np.zeros(chances.shape[1:]), np.log(chances), 0.0), [axis.decay for axis in POINTS])
    functional = HockeyStick(0, 1, 0.05)
    found = over_axes(functional, law, POINTS)
    lower = upper = 0.0
    for first, second in product(range(2), range(2)):
        weight = float(POINTS[0].weights(2)[first] * POINTS[1].weights(2)[second])
        part = Law((0, 0), law.base[first, second], law.relative[:, first, second], law.error)
        each = over_axes(functional, part, POINTS[2:])
        lower, upper = lower + weight * each.lower, upper + weight * each.upper
    assert found.lower <= upper
    assert lower <= found.upper
    assert found.upper - found.lower <= 2e-8 * found.upper
    assert found.middle == pytest.approx((lower + upper) / 2, rel=1e-7)
