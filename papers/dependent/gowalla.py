"""Where people of a city check in, and who is a friend of whom: Gowalla (DDP §IV-A).

Two sources: the subset `gowalla/cities_*.csv.gz` of public data sets, or SNAP's own files where both are there, from
which a city is made as the paper says it: whoever checks in at least ten times within 25 km of its centre.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import asin, cos, degrees, radians, sin
from pathlib import Path
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.errors import InputError
from dalenius.graphs import Grid, distance_km
from dalenius.graphs.places import EARTH_KM
from dalenius.laws.law import Array, IntArray
from papers.files import lines_of

VISITS: Final = "gowalla/cities_visits.csv.gz"
FRIENDS: Final = "gowalla/cities_edges.csv.gz"
SNAP_VISITS: Final = "gowalla/loc-gowalla_totalCheckins.txt.gz"
SNAP_FRIENDS: Final = "gowalla/loc-gowalla_edges.txt.gz"
SUBSET: Final = "a subset of SNAP's loc-gowalla by city"
SNAP: Final = "SNAP loc-gowalla, https://snap.stanford.edu/data/loc-Gowalla.html"
CENTRES: Final[dict[str, tuple[float, float]]] = {
    "new_york": (40.7128, -74.0060),
    "san_francisco": (37.7749, -122.4194),
    "los_angeles": (34.0522, -118.2437),
}
"""Latitude and longitude of the paper's cities."""
RADIUS: Final = 25.0
"""km around the centre."""
LEAST: Final = 10
"""Check-ins of a person there."""
CELLS: Final = 20
"""A side of the paper's grid of candidate places in each city."""
KEPT: Final = 6
"""q of the paper: the places of a location pattern."""

Visits: TypeAlias = Mapping[int, Mapping[tuple[int, float, float], int]]
"""By user: how often at each place, which is its number, latitude and longitude."""


@final
@dataclass(frozen=True)
class City:
    """users: (n,), their numbers in the source; places: (n, q, 2), latitude and longitude in degrees of each one's most
    visited places, most visited first; friends: (m, 2), positions in users, each pair once and the smaller first.

    few: how many users have fewer than q places: their last one is repeated. visits: of all users, to all places.
    """

    name: str
    users: IntArray
    places: Array
    friends: IntArray
    few: int
    visits: int
    cells: int = CELLS

    @cached_property
    def grid(self) -> Grid:
        """The cells of a side, squared, in the least box around the disc of 25 km; it depends on nobody."""
        return Grid(*box_around(*CENTRES[self.name]), self.cells, self.cells)

    @cached_property
    def patterns(self) -> Array:
        """(n, 2q): the location pattern vectors, every coordinate as its place in the box, in [0, 1]."""
        at = self.grid
        scaled = (self.places - np.array([at.south, at.west])) / np.array([at.north - at.south, at.east - at.west])
        flat: Array = np.clip(scaled, 0, 1).reshape(len(self.users), -1)
        return flat


def cities(data: Path, names: Sequence[str] = tuple(CENTRES)) -> tuple[City, ...]:
    """The cities of that name, from SNAP's files where both are in the folder of data sets, else from the subset.

    InputError for a file that is missing or broken, a line that is not as it should be, or a city without users.
    """
    for name in names:
        if name not in CENTRES:
            raise InputError("city", name, f"one of {', '.join(CENTRES)}")
    whole = (data / SNAP_VISITS).exists() and (data / SNAP_FRIENDS).exists()
    visits = _of_snap(data / SNAP_VISITS, names) if whole else _of_subset(data / VISITS, names)
    friends = _pairs_of_snap(data / SNAP_FRIENDS) if whole else _pairs_of_subset(data / FRIENDS)
    pairs = list(friends)
    return tuple(_city(name, visits.get(name, {}), pairs) for name in names)


def together(found: Sequence[City]) -> Array:
    """(people, 2q): all patterns in one unit cube."""
    return scaled(found, np.concatenate([city.places for city in found]))


def scaled(found: Sequence[City], places: Array) -> Array:
    """(people, 2q): places (people, q, 2) in the least box around all cities' boxes, clipped to it; every coordinate in
    [0, 1]."""
    grids = [city.grid for city in found]
    low = np.array([min(grid.south for grid in grids), min(grid.west for grid in grids)])
    high = np.array([max(grid.north for grid in grids), max(grid.east for grid in grids)])
    flat: Array = np.clip((places - low) / (high - low), 0, 1).reshape(len(places), -1)
    return flat


def box_around(latitude: float, longitude: float) -> tuple[float, float, float, float]:
    """south, west, north, east of the disc of RADIUS km around a point, in degrees."""
    angle = RADIUS / EARTH_KM
    up = degrees(angle)
    aside = degrees(asin(sin(angle) / cos(radians(latitude))))
    return latitude - up, longitude - aside, latitude + up, longitude + aside


def _city(name: str, visits: Visits, pairs: Sequence[tuple[str | None, int, int]]) -> City:
    chosen = sorted(user for user, places in visits.items() if sum(places.values()) >= LEAST)
    if not chosen:
        raise InputError(name, "nobody", f"people with at least {LEAST} check-ins within {RADIUS:g} km")
    number = {user: position for position, user in enumerate(chosen)}
    edges = {
        (min(number[one], number[other]), max(number[one], number[other]))
        for city, one, other in pairs
        if city in (None, name) and one != other and one in number and other in number
    }
    return City(
        name=name,
        users=np.array(chosen),
        places=np.array([_most_visited(visits[user]) for user in chosen]),
        friends=np.array(sorted(edges), dtype=np.int64).reshape(-1, 2),
        few=sum(len(visits[user]) < KEPT for user in chosen),
        visits=sum(sum(visits[user].values()) for user in chosen),
    )


def _most_visited(places: Mapping[tuple[int, float, float], int]) -> list[tuple[float, float]]:
    """Of equally visited ones the lower number first; with fewer than q, the last again."""
    ranked = sorted(places, key=lambda place: (-places[place], place))[:KEPT]
    ranked += [ranked[-1]] * (KEPT - len(ranked))
    return [(latitude, longitude) for _, latitude, longitude in ranked]


def _of_subset(path: Path, names: Sequence[str]) -> dict[str, Visits]:
    found: dict[str, dict[int, dict[tuple[int, float, float], int]]] = {
        name: defaultdict(lambda: defaultdict(int)) for name in names
    }
    wanted = "city,user,poi,lat,lon,count"
    for line, cells in _rows(path, SUBSET, ",", wanted, 1):
        if cells[0] not in found:
            continue
        try:
            user, place, latitude, longitude, count = (
                int(cells[1]),
                int(cells[2]),
                *map(float, cells[3:5]),
                int(cells[5]),
            )
        except ValueError:
            raise _bad(path, line, cells, wanted) from None
        found[cells[0]][user][place, latitude, longitude] += count
    return dict(found)


def _of_snap(path: Path, names: Sequence[str]) -> dict[str, Visits]:
    """SNAP's check-ins: user, time, latitude, longitude, number of the place; tab-separated, one line each."""
    found: dict[str, dict[int, dict[tuple[int, float, float], int]]] = {
        name: defaultdict(lambda: defaultdict(int)) for name in names
    }
    boxes = {name: box_around(*CENTRES[name]) for name in names}
    where: dict[int, tuple[float, float]] = {}  # a place is where its first check-in says it is
    wanted = "user, time, latitude, longitude, place"
    for line, cells in _rows(path, SNAP, "\t", wanted, 0):
        try:
            latitude, longitude, user, place = float(cells[2]), float(cells[3]), int(cells[0]), int(cells[4])
        except ValueError:
            raise _bad(path, line, cells, wanted) from None
        for name, (south, west, north, east) in boxes.items():
            if south <= latitude <= north and west <= longitude <= east:
                here = where.setdefault(place, (latitude, longitude))
                if distance_km(*here, *CENTRES[name]) <= RADIUS:
                    found[name][user][place, *here] += 1
    return dict(found)


def _pairs_of_subset(path: Path) -> Iterator[tuple[str | None, int, int]]:
    wanted = "city,user1,user2"
    for line, cells in _rows(path, SUBSET, ",", wanted, 1):
        try:
            yield cells[0], int(cells[1]), int(cells[2])
        except ValueError:
            raise _bad(path, line, cells, wanted) from None


def _pairs_of_snap(path: Path) -> Iterator[tuple[str | None, int, int]]:
    """Two users a line, tab-separated, every friendship both ways."""
    wanted = "two users"
    for line, cells in _rows(path, SNAP, "\t", wanted, 0):
        try:
            yield None, int(cells[0]), int(cells[1])
        except ValueError:
            raise _bad(path, line, cells, wanted) from None


def _rows(path: Path, about: str, separator: str, wanted: str, header: int) -> Iterator[tuple[int, list[str]]]:
    columns = wanted.count(",") + 1 if "," in wanted else 2
    for number, text in enumerate(lines_of(path, about), start=1):
        cells = text.split(separator)
        if number <= header:
            if text != wanted:
                raise InputError(f"{path} line {number}", text, wanted)
        elif len(cells) != columns:
            raise _bad(path, number, cells, wanted)
        else:
            yield number, cells


def _bad(path: Path, line: int, cells: Sequence[str], wanted: str) -> InputError:
    return InputError(f"{path} line {line}", " ".join(cells), wanted)
