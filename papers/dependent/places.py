"""Positions on the earth: great-circle distances, and a grid of cells as the values that a position can have (DDP §IV).

Zurich and Berne are 95.5 km apart. A grid of two rows and four columns numbers its cells from the south-west on.

>>> round(float(distance_km(47.3769, 8.5417, 46.9480, 7.4474)), 1)
95.5
>>> Grid(47.0, 8.0, 47.1, 8.2, rows=2, columns=4).cell_of([47.0, 47.06], [8.0, 8.16]).tolist()
[0, 7]
"""

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import ArrayLike

from papers.numbers import Array, IntArray

EARTH_KM: Final = 6371.0088
"""The earth's mean radius (IUGG), in kilometres."""
KM_PER_MILE: Final = 1.609344


def distance_km(lat1: ArrayLike, lon1: ArrayLike, lat2: ArrayLike, lon2: ArrayLike) -> Array:
    """Great-circle distances by the haversine formula, in kilometres; the arguments, in degrees, broadcast.

    The distance of DDP Eq 5 (footnote 3), on a sphere of the mean radius.
    """
    up1, up2 = np.radians(lat1), np.radians(lat2)
    across = np.sin((up2 - up1) / 2) ** 2
    along = np.sin((np.radians(lon2) - np.radians(lon1)) / 2) ** 2
    half = np.clip(across + np.cos(up1) * np.cos(up2) * along, 0.0, 1.0)
    return np.asarray(2 * EARTH_KM * np.arcsin(np.sqrt(half)))


@final
@dataclass(frozen=True)
class Grid:
    """A rectangle of latitudes and longitudes in equal cells, numbered row by row from the south-western one.

    Ends in degrees. A cell holds its southern and western side; the last ones their northern and eastern side too.
    """

    south: float
    west: float
    north: float
    east: float
    rows: int
    columns: int

    def __len__(self) -> int:
        return self.rows * self.columns

    def cell_of(self, lat: ArrayLike, lon: ArrayLike) -> IntArray:
        """The cell of each position (n,). ValueError for one outside the grid."""
        north, east = np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
        inside = (self.south <= north) & (north <= self.north) & (self.west <= east) & (east <= self.east)
        # A trip abroad in a city's table: whoever made the grid says where it ends.
        if not inside.all():
            raise ValueError(f"{int((~inside).sum())} positions are outside {self}")
        up = _cell(north, self.south, self.north, self.rows)
        return up * self.columns + _cell(east, self.west, self.east, self.columns)

    def centres(self) -> tuple[Array, Array]:
        """Latitude and longitude of each cell's centre (rows * columns,)."""
        up = self.south + (np.arange(self.rows) + 0.5) * ((self.north - self.south) / self.rows)
        along = self.west + (np.arange(self.columns) + 0.5) * ((self.east - self.west) / self.columns)
        return np.repeat(up, self.columns), np.tile(along, self.rows)

    def points_miles(self) -> Array:
        """Each cell's centre on a plane (rows * columns, 2): miles east and north of the grid's middle.

        Parallels are as long as the middle one: within a city, distances are the earth's to a few parts in a thousand.
        """
        lat, lon = self.centres()
        mile = np.radians(1.0) * EARTH_KM / KM_PER_MILE
        middle = (self.south + self.north) / 2
        along = (lon - (self.west + self.east) / 2) * mile * np.cos(np.radians(middle))
        return np.stack([along, (lat - middle) * mile], axis=1)

    def distances_miles(self) -> Array:
        """Between the centres of every two cells (cells, cells), as friend–distance laws have them."""
        lat, lon = self.centres()
        return np.asarray(distance_km(lat[:, None], lon[:, None], lat, lon) / KM_PER_MILE)


def _cell(degrees: Array, low: float, high: float, cells: int) -> IntArray:
    """The row or column of each position, from 0; the upper end is in the last one."""
    return np.minimum((degrees - low) / (high - low) * cells, cells - 1).astype(np.int64)
