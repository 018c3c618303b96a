"""Normal variables plus Laplace noise: densities, peaks and hockey-sticks against mpmath; exact products."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from dalenius.bounds import Enclosure
from dalenius.gaussian.channel_of_one_record import exact_products, inverse
from dalenius.gaussian.density import highest_log_ratio
from dalenius.gaussian.quantities import of_gaussian
from tests.cases import in_turn
from tests.reference import normal as reference
from tests.reference.channel import Real, mp
from tests.reference.noises import laplace


def holds(value: Enclosure, truth: Real, width: float = 1e-8) -> None:
    assert value.lower <= truth <= value.upper, f"{value} does not hold {mp.nstr(truth, 20)}"
    assert value.upper - value.lower <= width * max(float(truth), 1e-300)


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mp.workdps(25):
        yield


EXTREMES = [(0.0, 1e-12), (1e-12, 1e12), (1e12, 1e-12), (1.0, 1e-24)]


@in_turn({"residual, spread": EXTREMES, "shift": [1e-6, 1.0, 30.0]})
def test_extremes_stay_sound(residual: float, spread: float, shift: float) -> None:
    """The value at any output is below the supremum."""
    inner, outer = residual**0.5, (residual + spread) ** 0.5
    value, place = highest_log_ratio(shift, inner, outer, spread)
    truth = reference.Setting(1.0, spread, residual, laplace(1))
    for y in (place, place / 2, 2 * place, shift, shift + outer):
        with mp.workdps(60):
            there = mp.log(
                reference.density(truth, mp.mpf(y) - shift, mp.mpf(residual))
                / reference.density(truth, y, mp.mpf(residual) + mp.mpf(spread))
            )
        assert there <= value.upper
    assert (
        value.upper - value.lower <= (0.2 if shift < 1e-6 * inner or residual == 1e12 else 1e-4) * value.upper + 1e-18
    )


def test_tiny_deltas_keep_their_relative_accuracy() -> None:
    with mp.workdps(60):
        for separation, epsilon in ((1.0, 12.0), (0.1, 1.15), (30.0, 800.0), (1e-6, 1e-5)):
            x, e = mp.mpf(separation), mp.mpf(epsilon)
            wanted = mp.ncdf(x / 2 - e / x) - mp.exp(e) * mp.ncdf(-x / 2 - e / x)
            found = of_gaussian(separation, epsilon)
            assert found.lower <= wanted <= found.upper
            assert found.upper - found.lower <= (1e-7 if separation > 1e-3 else 1e-5) * wanted


def test_products_are_exact_for_any_numbers() -> None:
    draw = np.random.default_rng(3)
    matrix = draw.standard_normal((7, 7)) * 10.0 ** draw.integers(-30, 30, (7, 7))
    columns = [[Fraction(int(k), 3) for k in draw.integers(-(10**12), 10**12, 7)], [Fraction(1, 7)] * 7]
    for column, found in zip(columns, exact_products(matrix, columns), strict=True):
        for row, value in zip(matrix, found, strict=True):
            assert value == sum((Fraction(float(x)) * w for x, w in zip(row, column, strict=True)), Fraction(0))
    full, determinant = inverse([[Fraction(x) for x in row] for row in ([2, 1, 3], [1, 2, 3], [3, 3, 6])])
    assert [[3 * x for x in row] for row in full] == [[2, -1, 0], [-1, 2, 0], [0, 0, 0]]
    assert determinant == 0
