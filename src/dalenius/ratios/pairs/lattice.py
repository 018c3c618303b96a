"""The coarsest lattice on which all sums of a neighbourhood's scores lie."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array
from dalenius.ratios.pairs.neighbourhood import Neighbourhood

FINEST: Final = 1e-7
"""A remainder that small a part of the least difference counts as none; the error is counted."""
MOST: Final = 200_000


@final
@dataclass(frozen=True)
class Grid:
    """Sums are start + step · (0 .. width), up to `error`, all but the width in the query's unit.

    whole: whether they are whole numbers of steps; else they are any numbers of them.
    """

    start: float
    step: float
    width: int
    error: float
    whole: bool = True


def grid(neighbourhood: Neighbourhood) -> Grid:
    """Not whole where sums lie on no lattice of at most MOST points."""
    parts = [(neighbourhood.own, 1), *((each.points, each.times) for each in neighbourhood.neighbours)]
    rises = [(points - points.min(), times) for points, times in parts]
    start = float(sum(times * points.min() for points, times in parts))
    gaps = np.unique(np.concatenate([rise for rise, _ in rises]))
    gaps = gaps[gaps > 0]
    if not len(gaps):
        return Grid(start, 1.0, 0, 0.0)
    step = _common(gaps)
    places = [(np.rint(rise / step), rise, times) for rise, times in rises]
    width = sum(times * float(place.max()) for place, _, times in places)
    error = sum(times * float(np.abs(place * step - rise).max()) for place, rise, times in places)
    if width <= MOST:
        return Grid(start, step, round(width), error)
    whole = sum(times * float(rise.max()) for rise, times in rises)
    return Grid(start, whole, 1, 0.0, whole=False)


def _common(gaps: Array) -> float:
    """Euclid's algorithm, up to FINEST."""
    least = float(gaps[0])
    step = least
    for gap in gaps:
        big, small = float(gap), step
        while small > FINEST * least:
            big, small = small, abs(big - round(big / small) * small)
        step = big
    # The multiple that is largest determines it best.
    return float(gaps[-1]) / round(float(gaps[-1]) / step)
