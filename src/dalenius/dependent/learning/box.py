"""The box that records are clipped to, and whole numbers in place of their coordinates."""

from dataclasses import dataclass
from typing import Any, Final, Self, final

import numpy as np

from dalenius.dependent.learning.arguments import BadArgument
from dalenius.laws.law import Array

HALF: Final = 2**15
"""Lattice steps from the middle of the box to each of its sides."""


@final
@dataclass(frozen=True)
class Box:
    """lower, upper: (d,), declared without looking at the data."""

    lower: Array
    upper: Array

    @classmethod
    def of(cls, lower: Any, upper: Any, axes: int) -> Self:
        """One number for all columns, or one a column. BadArgument where lower is not below upper."""
        ends = [_end(name, value, axes) for name, value in (("lower", lower), ("upper", upper))]
        wrong = np.flatnonzero(~(ends[0] < ends[1]))
        if len(wrong):
            place = int(wrong[0])
            raise BadArgument("lower", float(ends[0][place]), f"a number below upper, {ends[1][place]:g}")
        return cls(ends[0], ends[1])

    def places(self, points: Array) -> Array:
        """Rows as whole numbers from -HALF to HALF, a function of each number alone: no row has a say in another's."""
        share = (np.clip(points, self.lower, self.upper) - self.lower) / (self.upper - self.lower)
        return np.asarray(np.clip(np.rint((2 * share - 1) * HALF), -HALF, HALF))

    def points(self, places: Array) -> Array:
        """Back to the data's own units."""
        share = (places / HALF + 1) / 2
        return np.asarray(self.lower + share * (self.upper - self.lower))


def _end(name: str, value: Any, axes: int) -> Array:
    try:
        found = np.asarray(value, dtype=np.float64)
        filled = np.broadcast_to(found, (axes,)).copy()
    except (TypeError, ValueError):
        raise BadArgument(name, value, f"one number, or one for each of the {axes} columns") from None
    if not np.isfinite(filled).all() or np.abs(filled).max() > 1e150:
        raise BadArgument(name, value, "finite numbers")
    return filled
