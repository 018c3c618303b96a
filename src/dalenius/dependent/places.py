"""Positions on the earth: great-circle distances, a grid of cells as the values that a position can have, and a city of
people's most visited places (DDP §IV), from tables of visits and of friendships."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
            if not getattr(self, low) < getattr(self, high):
                raise InputError(high, getattr(self, high), f"degrees above {low}, {getattr(self, low)}")
        for key in ("rows", "columns"):
            if getattr(self, key) < 1:
                raise InputError(key, getattr(self, key), "at least 1")

    @classmethod
    def around(cls, lat: ArrayLike, lon: ArrayLike, rows: int, columns: int) -> Self:
        """The least grid that holds the positions. InputError where they are all on one parallel or meridian."""
        north, east = checked_positions(lat, lon)
        if not len(north):
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
        return np.asarray(self.distances_km() / KM_PER_MILE)


def _cell(degrees: Array, low: float, high: float, cells: int) -> IntArray:
    return np.minimum((degrees - low) / (high - low) * cells, cells - 1).astype(np.int64)


@final
@dataclass(frozen=True, eq=False)
class City:
    """Everybody's q most visited places, the most visited first (DDP Eq 4).

    places: degrees, (people, q, 2), latitude before longitude, all inside the grid.

    A candidate for somebody's pattern is a cell: all q places at its centre. DDP's grid is one of 400 values, and its
    prior of 8.38 bits fits in log2(400) = 8.64; patterns with a cell for each place would be 400^6. A person's own
    cell, the one to be found, is that of the most visited place.
    """

    places: Array
    grid: Grid

    def __post_init__(self) -> None:
        if self.places.ndim != 3 or self.places.shape[2] != 2 or not self.places.size:
            raise InputError("places", f"of shape {self.places.shape}", "(people, places, latitude and longitude)")
        lat, lon = checked_positions(self.places[..., 0].ravel(), self.places[..., 1].ravel())
        out = np.flatnonzero(~self.grid.inside(lat, lon))
        if len(out):
            person, place = divmod(int(out[0]), self.places.shape[1])
            shown = f"{lat[out[0]]:g}, {lon[out[0]]:g}"
            raise InputError(f"places of person {person + 1}, place {place + 1}", shown, "a position inside the grid")

    @property
    def people(self) -> int:
        return len(self.places)

    @property
    def cells(self) -> int:
        return len(self.grid)

    @cached_property
    def points(self) -> Array:
        """The patterns as points of the unit cube (people, 2q): lat1, lon1, lat2, lon2, ..; 1 is a side of the grid."""
        return self._scaled(self.places).reshape(self.people, -1)

    @cached_property
    def candidates(self) -> Array:
        """The cells as such points (cells, 2q)."""
        centre = self._scaled(np.stack(self.grid.centres(), axis=-1))
        return np.tile(centre, (1, self.places.shape[1]))

    @cached_property
    def home(self) -> IntArray:
        """The cell of everybody's most visited place (people,)."""
        return self.grid.cell_of(self.places[:, 0, 0], self.places[:, 0, 1])

    def to_cells(self, people: IntArray) -> Array:
        """Kilometres from the most visited place of each to the centres of the cells (people, cells)."""
        lat, lon = self.grid.centres()
        return distance_km(self.places[people, :1, 0], self.places[people, :1, 1], lat, lon)

    def errors_km(self, people: IntArray) -> Array:
        """Mean distance of each one's places from the centre of every cell (DDP Eq 5), in km (people, cells)."""
        lat, lon = self.grid.centres()
        total = np.zeros((len(people), self.cells))
        for place in np.moveaxis(self.places[people], 1, 0):
            total += distance_km(place[:, :1], place[:, 1:], lat, lon)
        return np.asarray(total / self.places.shape[1])

    def _scaled(self, positions: Array) -> Array:
        low = np.array([self.grid.south, self.grid.west])
        return np.asarray((positions - low) / (np.array([self.grid.north, self.grid.east]) - low))


VISITS: Final = ("user", "poi", "lat", "lon", "count")
EDGES: Final = ("user1", "user2")


@final
@dataclass(frozen=True, eq=False)
class Patterns:
    """names: of the people, in the order of the table; places: (people, q, 2) in degrees, the most visited first;
    short: how many people have fewer than q places, of whom the last is repeated."""

    names: tuple[RecordValue, ...]
    places: Array
    short: int


def patterns_of(visits: Mapping[str, Sequence[RecordValue]], q: int) -> Patterns:
    """Everybody's q most visited places (DDP Eq 4); of equally visited ones the first in the table.

    visits: columns `user`, `poi`, `lat`, `lon` and `count`, row by row; rows of one user and place are added.
    InputError where a position or a count is none.
    """
    if q < 1:
        raise InputError("places", q, "at least 1 per person")
    lat, lon, count = (_numbers(visits[key], key) for key in ("lat", "lon", "count"))
    checked_positions(lat, lon)
    wrong = np.flatnonzero(~(np.isfinite(count) & (count > 0)))
    if len(wrong):
        raise InputError(f"count row {wrong[0] + 1}", float(count[wrong[0]]), "a finite number above 0")
    times: dict[RecordValue, dict[RecordValue, float]] = defaultdict(lambda: defaultdict(float))
    where: dict[RecordValue, tuple[float, float]] = {}
    rows = zip(visits["user"], visits["poi"], count.tolist(), lat.tolist(), lon.tolist(), strict=True)
    for row, (user, poi, number, *place) in enumerate(rows):
        times[user][poi] += number
        if where.setdefault(poi, (place[0], place[1])) != (place[0], place[1]):
            raise InputError(f"poi row {row + 1}", str(poi), f"one position per place, it was at {where[poi]} before")
    top = [[where[poi] for poi in sorted(own, key=lambda poi: -own[poi])[:q]] for own in times.values()]
    whole = [own + own[-1:] * (q - len(own)) for own in top]
    return Patterns(tuple(times), np.array(whole, dtype=np.float64), sum(len(own) < q for own in top))


def friends_among(
    one: Sequence[RecordValue], other: Sequence[RecordValue], names: Sequence[RecordValue]
) -> tuple[Edges, Dropped]:
    """Friendships between people by their names, and what was dropped. one, other: both ends of each."""
    number = {name: place for place, name in enumerate(names)}
    pairs = [(number.get(a, -1), number.get(b, -1)) for a, b in zip(one, other, strict=True)]
    return clean_edges(len(names), pairs)


def of_city(
    table: Mapping[str, Sequence[RecordValue]], columns: Sequence[str], city: str | None
) -> dict[str, Sequence[RecordValue]]:
    """The rows of one city, where the table has a column `city`."""
    if "city" not in table:
        if city is not None:
            raise InputError("city", city, "a column city in every table")
        return {key: table[key] for key in columns}
    cities = list(dict.fromkeys(map(str, table["city"])))
    if city not in cities and (city is not None or len(cities) > 1):
        raise InputError("city", "missing" if city is None else city, f"one of {', '.join(cities)}")
    there = [city is None or str(each) == city for each in table["city"]]
    return {key: [cell for cell, own in zip(table[key], there, strict=True) if own] for key in columns}


def _numbers(cells: Sequence[RecordValue], key: str) -> Array:
    for row, cell in enumerate(cells):
        if not isinstance(cell, int | float):
            raise InputError(f"{key} row {row + 1}", str(cell), "a number")
    return np.array(cells, dtype=np.float64)
