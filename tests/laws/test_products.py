"""Products of powers on several axes, however they are taken, against fractions."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from dalenius.laws.numbers.scaled_grid import ScaledGrid
from dalenius.laws.transforms.coefficients import Coefficients
from tests.cases import in_turn

Terms = Mapping[tuple[int, ...], Fraction]


def times(one: Terms, other: Terms) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = {}
    for place, weight in one.items():
        for shift, by in other.items():
            at = tuple(i + j for i, j in zip(place, shift, strict=True))
            found[at] = found.get(at, Fraction(0)) + weight * by
    return found


def terms(grid: ScaledGrid) -> dict[tuple[int, ...], Fraction]:
    mantissa, exponent = grid.split()
    return {
        tuple(int(i) + start for i, start in zip(at, grid.start, strict=True)): Fraction(float(mantissa[tuple(at)]))
        * Fraction(2) ** int(exponent[tuple(at)])
        for at in np.argwhere(mantissa > 0)
    }


@in_turn({"powers": [(2, 9), (9, 2), (7, 7), (1, 12)], "faint": [0.0, -200.0]})
def test_many_factors_on_two_axes(powers: tuple[int, int], faint: float) -> None:
    """faint: a log-weight so small that doubles alone do not hold the products."""
    rng = np.random.default_rng(5)
    transform = Coefficients(np.array([[0, 0], [1, 0], [0, 1], [2, 1]]))
    weights = [np.log(rng.dirichlet(np.ones(4))) + np.array([0.0, 0.0, 0.0, faint]) for _ in powers]
    elements = [transform.mean(each, np.arange(4), np.eye(4, dtype=np.int64)) for each in weights]
    expected: dict[tuple[int, ...], Fraction] = {(0, 0): Fraction(1)}
    for element, power in zip(elements, powers, strict=True):
        for _ in range(power):
            expected = times(expected, terms(element))
    found = transform.product(elements, powers)
    given = terms(found)
    assert set(given) == set(expected)
    for place, truth in expected.items():
        assert abs(given[place] / truth - 1) <= found.roundings * Fraction(1, 2**53)
