"""The transform whose elements bound how fast a characteristic function falls, without its being evaluated.

A group that adds x with probability p(x) has |φ(ω)|² = 1 - 2 Σ_{x<y} p(x)p(y)(1 - cos ω(y-x)), and log |φ| is at most
(|φ|² - 1)/2. So log |φ(ω)| <= -Σ_d c_d (1 - cos ωd), c_d the sum of p(x)p(y) over any of the pairs at distance d
(Result 20.12). The c_d of independent groups add up.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray, log_sum
from dalenius.laws.transform import Transform
from dalenius.laws.transforms.characteristic import half_angles

Falls: TypeAlias = Mapping[int, float]
"""c_d by distance d >= 1, rounded down."""
ROWS: Final = 12
"""Of a group's values, those whose pairs are looked at."""
DISTANCES: Final = 6
"""Of them, those that are kept."""


@final
class Moduli(Transform[Falls]):
    """One axis only; scores: (slots,), in lattice steps; tilt θ per lattice step."""

    def __init__(self, scores: IntArray, tilt: float) -> None:
        self.scores = scores
        self.tilt = tilt

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Falls:
        points = counts @ self.scores[slots]
        tilted = log_weights + self.tilt * points
        likeliest = np.argsort(-tilted, kind="stable")[:ROWS]
        # The log of a tilted mass is known to the roundings of its parts.
        rounded = (
            16 + 4 * float(np.max(np.abs(tilted[likeliest]), where=tilted[likeliest] > -np.inf, initial=0.0))
        ) * UNIT
        weights = np.exp(tilted[likeliest] - log_sum(tilted) - rounded - len(points) * UNIT)
        found: dict[int, float] = {}
        for place, (weight, point) in enumerate(zip(weights.tolist(), points[likeliest].tolist(), strict=True)):
            for other, elsewhere in zip(weights[:place].tolist(), points[likeliest][:place].tolist(), strict=True):
                if point != elsewhere:
                    apart = abs(point - elsewhere)
                    found[apart] = found.get(apart, 0.0) + weight * other
        return _fewest(found)

    def product(self, elements: Sequence[Falls], powers: Sequence[int]) -> Falls:
        found: dict[int, float] = {}
        for element, power in zip(elements, powers, strict=True):
            for apart, fall in element.items():
                found[apart] = found.get(apart, 0.0) + power * fall
        return _fewest(found)

    def mix(self, log_weights: Array, elements: Sequence[Falls]) -> Falls:
        """A mean of numbers is no larger than the largest of them."""
        return least([each for weight, each in zip(log_weights, elements, strict=True) if weight > -np.inf])


def least(each: Sequence[Falls]) -> Falls:
    """What bounds all of these."""
    shared = set(each[0]).intersection(*each[1:])
    return {apart: min(own[apart] for own in each) for apart in sorted(shared)}


def log_bound(falls: Falls, points: int, cosines: dict[int, Array]) -> Array:
    """log |φ| at the frequencies 2πk/points, k = 0 .. points/2, at most; cosines: 1 - cos of those of each distance,
    remembered."""
    total = np.zeros(points // 2 + 1)
    for apart, fall in falls.items():
        if apart not in cosines:
            cosines[apart] = 2 * np.sin(half_angles(apart, points, np.arange(points // 2 + 1))) ** 2
        total -= fall * (1 - 64 * UNIT) * cosines[apart]
    return total


def _fewest(found: dict[int, float]) -> Falls:
    if len(found) <= DISTANCES:
        return found
    kept = sorted(found, key=lambda apart: (-found[apart], apart))[:DISTANCES]
    return {apart: found[apart] for apart in kept}
