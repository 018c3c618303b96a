"""Smoothing against direct sums in mpmath.

Grids of unlimited range against fractions.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius.bounds import UNIT
from dalenius.laws.convolution import ScaledGrid, mixed, multiply, normalised, power
from dalenius.laws.laplace_smoothing import smoothed
from dalenius.laws.law import Law
from tests.cases import in_turn
from tests.pace import draws
from tests.reference.chain import smoothed as swept
from tests.reference.channel import Real, mp

LENGTH = 300


def rugged(depth: float, holes: bool) -> Law:
    """Three secrets that leap about by thousands of nats from each other and from point to point."""
    places = np.arange(LENGTH)
    base = -0.5 * ((places - 90) / 15.0) ** 2
    relative = np.stack([np.zeros(LENGTH), -depth * np.abs(np.sin(places)), -depth * places / LENGTH])
    if holes:
        relative[1, 5:280] = -np.inf
        relative[2, ::3] = -np.inf
        relative[0, :40] = -np.inf
    return Law((-7,), base, relative, 1e-15)


def direct(law: Law, decay: Fraction) -> list[list[Real]]:
    """log of the sum, by one pass up and one down in 40 digits."""
    with mp.workdps(40):
        kept = mp.exp(-mp.mpf(decay.numerator) / decay.denominator)
        rows = [
            [mp.exp(mp.mpf(float(b)) + float(r)) for b, r in zip(law.base, row, strict=True)] for row in law.relative
        ]
        return [[mp.log(mass) for mass in swept(row, kept)] for row in rows]


def assert_smoothed(law: Law, decay: Fraction) -> None:
    found = smoothed(law, [decay])
    assert found.start == law.start
    assert found.error < 1e-12 * max(1.0, float(decay))  # relatively to what one step of the lattice can weigh
    for row, wanted in zip(found.relative, direct(law, decay), strict=True):
        for base, relative, log in zip(found.base, row, wanted, strict=True):
            # A double has 53 bits: a log of 3,000 nats cannot be closer than 2e-13, whatever was summed.
            rounding = 4e-16 * (abs(float(base)) + abs(float(log)))
            assert abs(mp.mpf(float(base)) + mp.mpf(float(relative)) - log) <= found.error + rounding


SCALES = ["1e-2", "1", "1e4"]


@in_turn({"scale": SCALES, "depth": [1.0, 2000.0], "holes": [False, True]})
def test_direct_sums(holes: bool, depth: float, scale: str) -> None:
    assert_smoothed(rugged(depth, holes), 1 / Fraction(scale))


def test_hardly_any_noise_over_holes() -> None:
    for depth, decay in ((1.0, 1000), (2000.0, 650)):
        assert_smoothed(rugged(depth, holes=True), Fraction(decay))


def test_one_block_beside_an_answer_without_noise() -> None:
    beside = np.log(np.array([[[0.5, 0.25], [0.25, 0.0]], [[0.125, 0.5], [0.0, 0.375]]]) + 1e-300)
    found = smoothed(Law((0, 0), np.zeros((2, 2)), beside, 0.0), [None, Fraction(1, 2)])
    for answer in range(2):
        alone = smoothed(Law((0,), np.zeros(2), beside[:, answer], 0.0), [Fraction(1, 2)])
        assert found.log_mass()[:, answer] == pytest.approx(alone.log_mass(), abs=1e-12)


Exact = dict[tuple[int, ...], Fraction]
RANGE = 16_610  # 2^-16610 = 1e-5000


def exact(grid: ScaledGrid) -> Exact:
    mantissa, exponent = grid.split()
    return {
        tuple(int(i) + s for i, s in zip(place, grid.start, strict=True)): _shifted(
            float(mantissa[tuple(place)]), int(exponent[tuple(place)])
        )
        for place in np.argwhere(mantissa > 0)
    }


def _shifted(mantissa: float, exponent: int) -> Fraction:
    return Fraction(mantissa) * (Fraction(2) ** exponent)


def assert_close(grid: ScaledGrid, wanted: Exact, own: int = 0) -> None:
    """Within the roundings it confesses to, less those of its factors, which were exact."""
    found = exact(grid)
    assert found.keys() == wanted.keys()
    allowed = Fraction((grid.roundings - own) * UNIT)
    assert all(abs(found[place] - value) <= allowed * value for place, value in wanted.items())


@st.composite
def grids(draw: st.DrawFn, axes: int) -> ScaledGrid:
    shape = tuple(draw(st.integers(1, 4)) for _ in range(axes))
    size = int(np.prod(shape))
    deep = draw(st.booleans())
    mantissa = draw(st.lists(st.sampled_from([0.0, 0.5, 0.7, 0.9999999, 1 / 3]), min_size=size, max_size=size))
    mantissa[draw(st.integers(0, size - 1))] = 0.6
    exponents = st.integers(-RANGE, 0) if deep else st.integers(-200, 0)
    exponent = draw(st.lists(exponents, min_size=size, max_size=size))
    start = tuple(draw(st.integers(-3, 3)) for _ in range(axes))
    if deep:
        return normalised(start, np.reshape(mantissa, shape), np.reshape(exponent, shape).astype(np.int64), 0)
    plain = np.reshape(np.ldexp(mantissa, exponent), shape)
    return ScaledGrid(start, plain, None, 0, least=-202.0)


@given(first=grids(1), second=grids(1))
@draws(150)
def test_multiply(first: ScaledGrid, second: ScaledGrid) -> None:
    assert_close(multiply(first, second), product_of(exact(first), exact(second)))


@st.composite
def steep(draw: st.DrawFn) -> ScaledGrid:
    """Long, falling or rising by many bits a point, with holes: convolved block by block."""
    length = draw(st.integers(30, 90))
    slope = draw(st.floats(-60, 60))
    holes = draw(st.sets(st.integers(1, length - 1), max_size=4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    mantissa = generator.uniform(0.5, 1, length)
    mantissa[list(holes)] = 0.0
    exponent = (slope * np.arange(length) + generator.integers(-20, 20, length)).astype(np.int64)
    return normalised((draw(st.integers(-3, 3)),), mantissa, exponent, 0)


@given(first=steep(), second=steep())
@draws(40)
def test_multiply_steep(first: ScaledGrid, second: ScaledGrid) -> None:
    assert_close(multiply(first, second), product_of(exact(first), exact(second)))


@given(parts=st.lists(st.tuples(st.floats(-40, 0), grids(1)), min_size=1, max_size=4))
@draws(100)
def test_mixed(parts: list[tuple[float, ScaledGrid]]) -> None:
    wanted: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for log, grid in parts:
        for place, value in exact(grid).items():
            wanted[place] += exponential(log) * value
    found = mixed(np.array([-np.inf, *(log for log, _ in parts)]), [parts[0][1], *(grid for _, grid in parts)])
    assert_close(found, dict(wanted))


def exponential(log: float) -> Fraction:
    """To 180 bits."""
    if log == -np.inf:
        return Fraction(0)
    with mp.workdps(60):
        mantissa, exponent = mp.frexp(mp.exp(mp.mpf(log)))
        return Fraction(int(mp.ldexp(mantissa, 180))) * Fraction(2) ** (int(exponent) - 180)


def test_a_power_of_a_rare_event() -> None:
    """(1 - p + p z)^100 with p = 1e-50: the last coefficient is 1e-5000."""
    p, times = 1e-50, 100
    one = normalised((0,), np.array([1 - p, p]), np.zeros(2, dtype=np.int64), 0)
    wanted: Exact = {(0,): Fraction(1)}
    for _ in range(times):
        wanted = product_of(wanted, exact(one))
    assert_close(power(one, times), wanted)
    assert max(wanted) == (times,)


def product_of(
    first: Exact, second: Exact, together: Callable[[int, int, int], int] = lambda axis, a, b: a + b
) -> Exact:
    """together: what two numbers make on an axis."""
    total: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for (i, p), (j, q) in product(first.items(), second.items()):
        total[tuple(together(axis, a, b) for axis, (a, b) in enumerate(zip(i, j, strict=True)))] += p * q
    return dict(total)
