"""A grid of cells on the earth, as the values that a position can have (DDP §IV).

A grid of two rows and four columns numbers its cells from the south-west on.

>>> grid = Grid(47.0, 8.0, 47.1, 8.2, rows=2, columns=4)
>>> grid.cells_of(np.array([[47.0, 8.0], [47.06, 8.16]])).tolist()
[0, 7]
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.places.great_circles import EARTH_KM, KM_PER_MILE, distances_km
from dalenius.places.limits import MOST_CELLS

_NARROWEST: Final = 1e-6
"""Degrees: where everybody is at one place, a box of ten centimetres has a width."""


@final
@dataclass(frozen=True)
class Grid:
    """A rectangle of latitudes and longitudes in equal cells, numbered row by row from the south-western one.

    A cell holds its southern and western side; the last ones their northern and eastern side too.

    Attributes:
        south: The least latitude, in degrees.
        west: The least longitude, in degrees.
        north: The greatest latitude, in degrees.
        east: The greatest longitude, in degrees.
        rows: How many cells there are from south to north.
        columns: How many cells there are from west to east.
    """

    south: float
    west: float
    north: float
    east: float
    rows: int
    columns: int

    def __post_init__(self) -> None:
        """Refuses a box without width, one beyond the earth, and more cells than there is room for."""
        box = self.south, self.west, self.north, self.east
        good = -90 <= self.south < self.north <= 90 and -180 <= self.west < self.east <= 180
        if not good:  # NaN is no degree either
            raise InputError("box", list(box), "degrees south, west, north, east, each lower end below the upper one")
        if self.rows < 1 or self.columns < 1:
            raise InputError("cells", f"{self.rows}x{self.columns}", "at least one row and one column")
        if self.rows * self.columns > MOST_CELLS:
            size = f"{self.rows} x {self.columns} cells"
            raise TooLarge("the grid", size, "a coarser grid", MOST_CELLS)

    @classmethod
    def around(cls, positions: Array, rows: int, columns: int) -> Self:
        """Makes the grid of the least box around some positions.

        Args:
            positions: Latitude and longitude in degrees (n, 2).
            rows: How many rows of cells the grid has, from south to north.
            columns: How many columns it has, from west to east.
        """
        (south, west), (north, east) = positions.min(axis=0).tolist(), positions.max(axis=0).tolist()
        # The case of a village with one shop: a box of a point has no cells.
        south, north = (south, north) if north - south > _NARROWEST else (south - _NARROWEST, north + _NARROWEST)
        west, east = (west, east) if east - west > _NARROWEST else (west - _NARROWEST, east + _NARROWEST)
        return cls(max(south, -90.0), max(west, -180.0), min(north, 90.0), min(east, 180.0), rows, columns)

    def __len__(self) -> int:
        """Returns the number of cells."""
        return self.rows * self.columns

    @property
    def corners(self) -> Array:
        """The south-western and the north-eastern corner, in degrees (2, 2)."""
        return np.array([[self.south, self.west], [self.north, self.east]])

    def cells_of(self, positions: Array) -> IntArray:
        """Returns the cell of each position (n,).

        Args:
            positions: Latitude and longitude in degrees (n, 2).

        Raises:
            InputError: If a position is outside the grid.
        """
        shares = self.scaled(positions)
        outside = ~((shares >= 0) & (shares <= 1)).all(axis=-1)
        # A trip abroad in a city's table: the maker of the grid says where it ends.
        if outside.any():
            raise InputError("positions", f"{int(outside.sum())} outside", f"all within the box {self._said}")
        size = np.array([self.rows, self.columns])
        up, along = np.minimum(shares * size, size - 1).astype(np.int64).T
        return np.asarray(up * self.columns + along)

    def scaled(self, positions: Array) -> Array:
        """Returns positions (.., 2) as shares of the grid's sides, northwards before eastwards."""
        low, high = self.corners
        return np.asarray((positions - low) / (high - low))

    @cached_property
    def centres(self) -> Array:
        """Latitude and longitude of each cell's centre, in degrees (cells, 2)."""
        up = self.south + (np.arange(self.rows) + 0.5) * ((self.north - self.south) / self.rows)
        along = self.west + (np.arange(self.columns) + 0.5) * ((self.east - self.west) / self.columns)
        return np.column_stack([np.repeat(up, self.columns), np.tile(along, self.rows)])

    def points_miles(self) -> Array:
        """Returns each cell's centre on a plane (cells, 2): miles east and north of the grid's middle.

        Parallels are as long as the middle one: within a city, distances are the earth's to a few parts in a thousand.
        """
        lat, lon = self.centres.T
        mile = np.radians(1.0) * EARTH_KM / KM_PER_MILE
        middle = (self.south + self.north) / 2
        along = (lon - (self.west + self.east) / 2) * mile * np.cos(np.radians(middle))
        return np.stack([along, (lat - middle) * mile], axis=1)

    def distances_miles(self) -> Array:
        """Returns the miles between the centres of every two cells (cells, cells), as friend-distance laws have
        them."""
        return np.asarray(distances_km(self.centres, self.centres) / KM_PER_MILE)

    @property
    def _said(self) -> str:
        return f"from {self.south:g}, {self.west:g} to {self.north:g}, {self.east:g}"
