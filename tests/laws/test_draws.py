"""Draws of noise: a sampler of scale b passes, the same draws taken for scale 1.3 b fail; seedless."""

from fractions import Fraction
from typing import Any

import pytest
from scipy import stats

from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise import Gaussian, Geometric, Laplace, Noise, NoNoise


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "law"), [(Laplace(scale=1.7), stats.laplace), (Gaussian(scale=1.7), stats.norm)])
def test_draws_of_the_reals(noise: Noise, law: Any) -> None:
    """Rounded to a lattice hundreds of times finer than the scale that contains the answers' own."""
    step, answer = Fraction(3, 10), list(range(500))
    lattice = Lattice((step,) * 500)
    drawn = [value for _ in range(8) for value in zip(answer, noise.draw(answer, lattice), strict=True)]
    assert step / max((Fraction(value) / step).denominator for _, value in drawn) <= Fraction(1.7) / 256
    offsets = [float(Fraction(value) - index * step) for index, value in drawn]
    assert stats.kstest(offsets, law(scale=1.7).cdf).pvalue > 1e-9
    assert stats.kstest(offsets, law(scale=1.3 * 1.7).cdf).pvalue < 1e-9


def test_no_noise_draws_the_answer() -> None:
    assert NoNoise().draw([3, -1], Lattice((Fraction(1, 2), Fraction(1)))) == (Fraction(3, 2), Fraction(-1))


def test_a_lattice_too_fine_for_integers() -> None:
    with pytest.raises(InputError, match="below 2\\^62 lattice steps"):
        Geometric(scale=1e60).draw([0], Lattice((Fraction(1),)))
