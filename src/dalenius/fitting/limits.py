"""Limits of fits."""

from typing import Final

from dalenius.limits import Limit

MOST_FRIEND_DISTANCES: Final = Limit(
    "fitting.friend_distances",
    1 << 30,
    "distances",
    "Distances from cells with friends to all cells, in a fit of how far friends are. They take about a minute.",
)
