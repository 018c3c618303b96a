"""Limits of laws that are known within intervals."""

from typing import Final

from dalenius.limits import Limit

MOST_OUTPUTS: Final = Limit(
    "intervals.outputs", 1 << 12, "outputs", "combinations of coordinates at which one group's answers have kinks"
)
MOST_FREE: Final = Limit(
    "intervals.free", 7, "intervals", "of a group for a δ under Gaussian noise: seven have 672 edges; of more, a bound"
)
MOST_CELLS: Final = Limit(
    "intervals.cells", 400, "cells", "of priors that are looked at for that δ; then the bound stays as it is"
)
MOST_START_CORNERS: Final = Limit(
    "intervals.start_corners",
    3000,
    "corners",
    "where a search for the worst law starts; of more, one for each slope",
)
RAREST_ROW: Final = Limit(
    "intervals.rarest_row",
    600,
    "nats",
    "minus the log of a group's rarest row beside intervals: doubles end there",
)
DEEPEST: Final = Limit(
    "intervals.deepest", 250, "nats", "between a group's answers; beyond, noise counts as if it were that much larger"
)
