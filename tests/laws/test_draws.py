"""Draws of noise: a sampler of scale b passes, the same draws taken for scale 1.3 b fail; seedless."""

from fractions import Fraction

import pytest
from scipy import stats

from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise import Geometric, Laplace, NoNoise


@pytest.mark.slow
def test_laplace_draws() -> None:
    """Of the reals, rounded finely."""
    scale, step = 1.7, Fraction(3, 10)
    lattice = Lattice((step,) * 500)
    answer = list(range(500))
    noise = Laplace(scale=scale)
    drawn = [value for _ in range(8) for value in zip(answer, noise.draw(answer, lattice), strict=True)]
    offsets = [float(value - index * step) for index, value in drawn]
    assert stats.kstest(offsets, stats.laplace(scale=scale).cdf).pvalue > 1e-9
    assert stats.kstest(offsets, stats.laplace(scale=1.3 * scale).cdf).pvalue < 1e-9


def test_no_noise_draws_the_answer() -> None:
    assert NoNoise().draw([3, -1], Lattice((Fraction(1, 2), Fraction(1)))) == (Fraction(3, 2), Fraction(-1))


def test_a_lattice_too_fine_for_integers() -> None:
    with pytest.raises(InputError, match="below 2\\^62 lattice steps"):
        Geometric(scale=1e60).draw([0], Lattice((Fraction(1),)))
