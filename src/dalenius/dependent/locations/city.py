"""Where people of one city are: their location patterns, and the grid whose cells are the candidates (DDP §IV)."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from dalenius.dependent.graphs import Grid, checked_positions, distance_km
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray


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
