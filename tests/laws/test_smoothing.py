"""Smoothing against direct sums in mpmath."""

from fractions import Fraction

import numpy as np

from dalenius.laws.law import Law
from dalenius.laws.smoothing import smoothed
from tests.cases import in_turn
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
        return [[mp.log(mass) for mass in _sum(row, kept)] for row in rows]


def _sum(masses: list[Real], kept: Real) -> list[Real]:
    sweeps = []
    for order in (masses, masses[::-1]):
        total, swept = mp.zero, []
        for mass in order:
            total = total * kept + mass
            swept.append(total)
        sweeps.append(swept)
    return [up + down - mass for up, down, mass in zip(sweeps[0], sweeps[1][::-1], masses, strict=True)]


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
