"""Draws of noise: a sampler of scale b passes, the same draws taken for scale 1.3 b fail; seedless."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, floor, sqrt

import pytest
from scipy import stats

from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.noise import Geometric, Laplace, NoNoise

DRAWS = 2000
DISTANCE = 0.0616  # P(Kolmogorov distance of 2000 draws > this) <= 2 e^{-2·2000·distance²} = 5e-7
DEVIATIONS = 5.5


def plausible(steps: Sequence[int], scale: float) -> bool:
    """Whether these could be independent draws of mass ∝ e^{-|k|/scale}: shape by Kolmogorov's distance (Massart's
    constant), size by the mean of |k|. The truth fails with probability below 1e-6; 1.3 times the scale moves the
    mean by more than ten of its standard errors."""
    ratio = exp(-1 / scale)
    distribution = {k: _below(k, ratio) for k in range(min(steps) - 1, max(steps) + 1)}
    counts = sorted(steps)
    apart, seen = 0.0, 0
    for k in range(counts[0] - 1, counts[-1] + 1):
        while seen < len(counts) and counts[seen] <= k:
            seen += 1
        apart = max(apart, abs(seen / len(counts) - distribution[k]))
    expected = 2 * ratio / (1 - ratio**2)
    variance = 2 * ratio / (1 - ratio) ** 2 - expected**2
    mean = sum(map(abs, steps)) / len(steps)
    return apart <= DISTANCE and abs(mean - expected) <= DEVIATIONS * sqrt(variance / len(steps))


def _below(k: int, ratio: float) -> float:
    return ratio**-k / (1 + ratio) if k < 0 else 1 - ratio ** (k + 1) / (1 + ratio)


@pytest.mark.slow
def test_geometric_draws() -> None:
    scale, step = 0.9, Fraction(1, 7)
    lattice = Lattice((step,) * 500)
    answer = list(range(-250, 250))
    noise = Geometric(scale=scale)
    drawn = [value for _ in range(DRAWS // 500) for value in zip(answer, noise.draw(answer, lattice), strict=True)]
    offsets = [value / step - index for index, value in drawn]
    assert all(offset.denominator == 1 for offset in offsets)
    steps = [int(offset) for offset in offsets]
    assert plausible(steps, scale / float(step))
    assert not plausible(steps, 1.3 * scale / float(step))
    assert not plausible([k + floor(scale / float(step)) for k in steps], scale / float(step))


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
