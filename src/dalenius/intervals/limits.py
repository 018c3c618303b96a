"""Limits of laws that are known within intervals."""

from typing import Final

from dalenius.limits import Limit

MOST_OUTPUTS: Final = Limit(
    "intervals.outputs", 1 << 12, "outputs", "Combinations of coordinates at which the answers of one group have kinks."
)
MOST_FREE: Final = Limit(
    "intervals.free",
    7,
    "intervals",
    "Intervals of a group, for a δ under Gaussian noise. Seven have 672 edges. Beyond, a bound is reported.",
)
MOST_CELLS: Final = Limit(
    "intervals.cells",
    400,
    "cells",
    "Cells of priors that are examined for that δ. After them the bound stays as it is.",
)
MOST_START_CORNERS: Final = Limit(
    "intervals.start_corners",
    3000,
    "corners",
    "Corners where the search for the worst law starts. Beyond, it starts at one corner for each slope.",
)
RAREST_ROW: Final = Limit(
    "intervals.rarest_row",
    600,
    "nats",
    "Minus the log of the rarest row of a group that has intervals. Doubles end there.",
)
DEEPEST: Final = Limit(
    "intervals.deepest",
    250,
    "nats",
    "The loss between two answers of a group. Beyond, the noise counts as if its scale were that much larger.",
)
