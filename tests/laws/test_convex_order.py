"""The largest and the least mean over all laws below one in convex order (Result 15.2), to the last digits."""

import numpy as np
import pytest

from dalenius.laws.coupled.extremes import cuts, largest, least
from dalenius.laws.coupled.sums import Sum
from tests.reference.channel import mp
from tests.reference.coupled import convex_order


def extreme(rng: np.random.Generator, atoms: int) -> Sum:
    """Whole numbers, masses down to 1e-200 at either end or within."""
    points = np.sort(rng.choice(np.arange(3 * atoms), atoms, replace=False)).astype(float)
    masses = 10.0 ** -(rng.random(atoms) ** 3 * rng.choice([1, 20, 200]))
    return Sum(points, masses / masses.sum())


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1e-3, 20.0])
def test_extremes_are_those_of_fifty_digits(rate: float) -> None:
    rng = np.random.default_rng(int(rate * 10))
    for turn in range(10):
        law = extreme(rng, 1 + turn % 6)
        outputs = np.arange(law.points[0], law.points[-1] + 1)
        highs, lows = largest(law, outputs, rate), least(cuts(law), outputs, rate)
        with mp.workdps(60):
            total = mp.fsum(map(mp.mpf, law.masses))
            exact = {int(x): mp.mpf(p) / total for x, p in zip(law.points, law.masses, strict=True)}
            for y, high, low in zip(outputs, highs, lows, strict=True):
                most, fewest = convex_order(exact, int(y), mp.mpf(rate))
                room = 1e-13 * (2 + rate * float(np.ptp(law.points)))
                assert abs(float(mp.log(most)) - high) <= room
                assert abs(float(mp.log(fewest)) - low) <= room
