"""Limits of grids of places."""

from typing import Final

from dalenius.limits import Limit

MOST_CELLS: Final = Limit(
    "places.cells", 1 << 20, "cells", "Cells of a grid of places. An attack takes some microseconds a cell and person."
)
MOST_VISITS: Final = Limit(
    "places.visits",
    1 << 40,
    "visits",
    "Visits that one row may stand for. Sums of so many are exact in doubles.",
)
