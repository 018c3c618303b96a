"""Where people of a city check in, and who is a friend of whom: Gowalla (DDP §IV-A).

Two sources: the subset `gowalla/cities_*.csv.gz` of public data sets, or SNAP's own files (loc-gowalla,
https://snap.stanford.edu/data/loc-Gowalla.html) where both are there, from which a city is made as the paper says it:
whoever checks in at least ten times within 25 km of its centre.
"""

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.places.great_circles import box_around, distances_km
from dalenius.places.grid import Grid
from papers.numbers import Array, IntArray

VISITS: Final = "gowalla/cities_visits.csv.gz"
FRIENDS: Final = "gowalla/cities_edges.csv.gz"
SNAP_VISITS: Final = "gowalla/loc-gowalla_totalCheckins.txt.gz"
SNAP_FRIENDS: Final = "gowalla/loc-gowalla_edges.txt.gz"
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

Visits: TypeAlias = dict[int, Counter[tuple[int, float, float]]]
"""By user: how often at each place, which is its number, latitude and longitude."""
Counts: TypeAlias = dict[str, Visits]
"""By city."""


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
        return Grid(*box_around(*CENTRES[self.name], RADIUS), self.cells, self.cells)

    @cached_property
    def patterns(self) -> Array:
        """(n, 2q): the location pattern vectors, every coordinate as its place in the box, in [0, 1]."""
        at = self.grid
        scaled = (self.places - np.array([at.south, at.west])) / np.array([at.north - at.south, at.east - at.west])
        flat: Array = np.clip(scaled, 0, 1).reshape(len(self.users), -1)
        return flat


@cache
def cities(data: Path, names: tuple[str, ...] = tuple(CENTRES)) -> tuple[City, ...]:
    """From SNAP's files where both are in the folder of data sets, else from the subset."""
    from_snap = (data / SNAP_VISITS).exists() and (data / SNAP_FRIENDS).exists()
    visits = _of_snap(data / SNAP_VISITS) if from_snap else _of_subset(data / VISITS)
    rows = _rows(data / SNAP_FRIENDS, "\t") if from_snap else _rows(data / FRIENDS, ",", header=True)
    pairs = [(None if from_snap else row[0], int(row[-2]), int(row[-1])) for row in rows]
    return tuple(_city(name, visits[name], pairs) for name in names)


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


def _city(name: str, visits: Visits, pairs: Sequence[tuple[str | None, int, int]]) -> City:
    chosen = sorted(user for user, places in visits.items() if sum(places.values()) >= LEAST)
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


def _most_visited(places: Counter[tuple[int, float, float]]) -> list[tuple[float, float]]:
    """Of equally visited ones the lower number first; with fewer than q, the last again."""
    ranked = sorted(places, key=lambda place: (-places[place], place))[:KEPT]
    ranked += [ranked[-1]] * (KEPT - len(ranked))
    return [(latitude, longitude) for _, latitude, longitude in ranked]


def _of_subset(path: Path) -> Counts:
    """Rows of city, user, place, latitude, longitude, count."""
    found = _nobody()
    for city, user, place, latitude, longitude, count in _rows(path, ",", header=True):
        if city in found:
            found[city][int(user)][int(place), float(latitude), float(longitude)] += int(count)
    return found


def _of_snap(path: Path) -> Counts:
    """SNAP's check-ins: user, time, latitude, longitude, place. A place is where its first check-in says it is."""
    found, where = _nobody(), dict[int, tuple[float, float]]()
    boxes = {name: box_around(*centre, RADIUS) for name, centre in CENTRES.items()}
    for row in _rows(path, "\t"):
        user, place, latitude, longitude = int(row[0]), int(row[4]), float(row[2]), float(row[3])
        for name, (south, west, north, east) in boxes.items():
            if south <= latitude <= north and west <= longitude <= east:
                here = where.setdefault(place, (latitude, longitude))
                if _is_near(here, CENTRES[name]):
                    found[name][user][place, *here] += 1
    return found


@cache
def _is_near(here: tuple[float, float], centre: tuple[float, float]) -> bool:
    return bool(distances_km(np.array([here]), np.array([centre]))[0, 0] <= RADIUS)


def _nobody() -> Counts:
    return {name: defaultdict(Counter) for name in CENTRES}


def _rows(path: Path, separator: str, header: bool = False) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from islice(csv.reader(file, delimiter=separator), int(header), None)
