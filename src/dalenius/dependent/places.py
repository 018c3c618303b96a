"""Positions on the earth: great-circle distances, and a grid of cells as the values that a position can have (DDP §IV);
and friendships by people's names.

Zurich and Berne are 95.5 km apart. A grid of two rows and four columns numbers its cells from the south-west on.

>>> round(float(distance_km(47.3769, 8.5417, 46.9480, 7.4474)), 1)
95.5
>>> Grid(47.0, 8.0, 47.1, 8.2, rows=2, columns=4).cell_of([47.0, 47.06], [8.0, 8.16]).tolist()
[0, 7]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.dependent.graphs import Dropped, Edges, clean_edges
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

EARTH_KM: Final = 6371.0088
"""The earth's mean radius (IUGG), in kilometres."""
KM_PER_MILE: Final = 1.609344


def checked_positions(lat: ArrayLike, lon: ArrayLike) -> tuple[Array, Array]:
    """Latitudes and longitudes in degrees (n,). InputError, which names the row, from 1, where one is none."""
    return _within(lat, "lat", 90.0), _within(lon, "lon", 180.0)


def _within(given: ArrayLike, key: str, limit: float) -> Array:
    """Degrees (n,) from -limit to limit. InputError, with the first row that has none and how many have none."""
    degrees = np.atleast_1d(np.asarray(given, dtype=np.float64))
    wrong = np.flatnonzero(~(np.abs(degrees) <= limit))  # NaN is not
    if len(wrong):
        row = int(wrong[0])
        also = f"; {len(wrong)} rows have none" if len(wrong) > 1 else ""
        raise InputError(
            f"{key} row {row + 1}", float(degrees.flat[row]), f"degrees from {-limit:g} to {limit:g}{also}"
        )
    return degrees


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

    def __post_init__(self) -> None:
        checked_positions([self.south, self.north], [self.west, self.east])
        for low, high in (("south", "north"), ("west", "east")):
            # Ends swapped, or a grid across the 180th meridian, which no cell here crosses.
            if not getattr(self, low) < getattr(self, high):
                raise InputError(high, getattr(self, high), f"degrees above {low}, {getattr(self, low)}")
        for key in ("rows", "columns"):
            if getattr(self, key) < 1:
                raise InputError(key, getattr(self, key), "at least 1")

    @classmethod
    def around(cls, lat: ArrayLike, lon: ArrayLike, rows: int, columns: int) -> Self:
        """The least grid that holds the positions. InputError where they are all on one parallel or meridian."""
        north, east = checked_positions(lat, lon)
        if not len(north):  # a table whose positions all had gaps
            raise InputError("positions", "none", "at least two")
        south, west, north_end, east_end = map(float, (north.min(), east.min(), north.max(), east.max()))
        return cls(south, west, north_end, east_end, rows, columns)

    def __len__(self) -> int:
        return self.rows * self.columns

    def inside(self, lat: ArrayLike, lon: ArrayLike) -> NDArray[np.bool_]:
        """Which positions (n,) the grid holds."""
        north, east = checked_positions(lat, lon)
        return (self.south <= north) & (north <= self.north) & (self.west <= east) & (east <= self.east)

    def cell_of(self, lat: ArrayLike, lon: ArrayLike) -> IntArray:
        """The cell of each position (n,). InputError, which names the row, from 1, for one outside the grid."""
        north, east = checked_positions(lat, lon)
        out = np.flatnonzero(~self.inside(north, east))
        # A trip abroad in a city's table: whoever made the grid says where it ends.
        if len(out):
            row = int(out[0])
            ends = f"{self.south:g} to {self.north:g} north, {self.west:g} to {self.east:g} east"
            raise InputError(
                f"position row {row + 1}", f"{north[row]:g}, {east[row]:g}", f"one inside the grid, {ends}"
            )
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

    def distances_km(self) -> Array:
        """Between the centres of every two cells (cells, cells)."""
        lat, lon = self.centres()
        return distance_km(lat[:, None], lon[:, None], lat, lon)

    def distances_miles(self) -> Array:
        """The same in miles, as friend–distance laws have them."""
        return np.asarray(self.distances_km() / KM_PER_MILE)


def _cell(degrees: Array, low: float, high: float, cells: int) -> IntArray:
    """The row or column of each position, from 0; the upper end is in the last one."""
    return np.minimum((degrees - low) / (high - low) * cells, cells - 1).astype(np.int64)


def friends_among(
    one: Sequence[RecordValue], other: Sequence[RecordValue], names: Sequence[RecordValue]
) -> tuple[Edges, Dropped]:
    """Friendships between people by their names, and what was dropped. one, other: both ends of each."""
    number = {name: place for place, name in enumerate(names)}
    # A friend who is in no row of people has the number -1, and the friendship is dropped as unknown.
    pairs = [(number.get(a, -1), number.get(b, -1)) for a, b in zip(one, other, strict=True)]
    return clean_edges(len(names), pairs)
