"""Reads the visits and the friendships from the user's tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.pairs.dropped_edges import Dropped
from dalenius.places.limits import MOST_VISITS
from dalenius.tables.columns_to_fit import read_columns
from dalenius.tables.opening import TableLike

_ENDS: Final = {"latitude": 90.0, "longitude": 180.0}
_NAMING: Final = "--columns, or dl.VisitColumns, says other names"


@final
@dataclass(frozen=True)
class VisitColumns:
    """The names of the columns of visits and of friendships, and the rows that count.

    Args:
        person: Of visits, the column of people's names or numbers.
        lat: The column of latitudes, in degrees.
        lon: The column of longitudes, in degrees.
        count: The column that says how many visits a row stands for; None where each row is one.
        ends: Of friends, the columns of the two people.
        only: A column and a value: other rows are passed over, in both tables; None for all rows.

    Example:
        >>> import dalenius as dl
        >>> dl.VisitColumns(person="id", ends=("one", "other")).lat
        'lat'
    """

    person: str = "user"
    lat: str = "lat"
    lon: str = "lon"
    count: str | None = None
    ends: tuple[str, str] = ("user1", "user2")
    only: tuple[str, str] | None = None


@final
@dataclass(frozen=True, eq=False)
class Patterns:
    """Everybody's most visited places.

    Attributes:
        names: The people's names, in order.
        places: Latitude and longitude in degrees, the most visited first (people, q, 2).
        short: How many people have fewer places, of which the last is repeated.
        visits: How many visits there are.
    """

    names: tuple[str, ...]
    places: Array
    short: int
    visits: int


def read_patterns(visits: TableLike, columns: VisitColumns, q: int) -> Patterns:
    """Reads everybody's q most visited places; of places with as many visits the southern, then western one first.

    Args:
        visits: The table of visits.
        columns: The names of its columns.
        q: How many places of each person count.

    Raises:
        InputError: If a column is missing, or a cell is no position or count.
    """
    counted = () if columns.count is None else (columns.count,)
    cells = _read(visits, (columns.person, columns.lat, columns.lon, *counted), columns.only, {columns.person})
    names, person = np.unique(np.array([str(each) for each in cells[columns.person]]), return_inverse=True)
    lat, lon = (_degrees(cells[column], key) for column, key in ((columns.lat, "latitude"), (columns.lon, "longitude")))
    times = np.ones(len(lat)) if columns.count is None else _counts(cells[columns.count])
    spots, which = np.unique(np.column_stack([person, lat, lon]), axis=0, return_inverse=True)
    often = np.bincount(which.ravel(), times)
    order = np.lexsort((spots[:, 2], spots[:, 1], -often, spots[:, 0]))
    whose = spots[order, 0].astype(np.int64)
    starts = np.searchsorted(whose, np.arange(len(names)))
    several = np.bincount(whose, minlength=len(names))
    # The case of fewer than q places: the last one counts again.
    ranks = np.minimum(np.arange(q), several[:, None] - 1)
    places = spots[order][starts[:, None] + ranks][..., 1:]
    return Patterns(tuple(names.tolist()), places, int((several < q).sum()), int(times.sum()))


def read_friends(friends: TableLike, columns: VisitColumns, names: Sequence[str]) -> tuple[IntArray, Dropped]:
    """Reads the friendships among people, each once: positions in `names`, the smaller first (m, 2).

    Rows with somebody else, with one person twice, and with a pair that was there before are counted and left out.

    Args:
        friends: The table of friendships.
        columns: The names of its columns.
        names: The people.

    Raises:
        InputError: If a column is missing, or an end of a row.
    """
    if columns.ends[0] == columns.ends[1]:
        raise InputError("ends", columns.ends[0], "two different columns")
    cells = _read(friends, columns.ends, columns.only, set(columns.ends), whole=False)
    numbers = {name: number for number, name in enumerate(names)}
    ends = np.array([[numbers.get(str(each), -1) for each in cells[end]] for end in columns.ends]).T.reshape(-1, 2)
    known = ends[(ends >= 0).all(axis=1)]
    pairs = np.sort(known[known[:, 0] != known[:, 1]], axis=1)
    found = np.unique(pairs, axis=0).astype(np.int64)
    dropped = Dropped(len(known) - len(pairs), len(pairs) - len(found), len(ends) - len(known), len(ends))
    return found, dropped


def _read(
    table: TableLike, columns: Sequence[str], only: tuple[str, str] | None, texts: set[str], whole: bool = True
) -> Mapping[str, Sequence[RecordValue]]:
    """Reads the columns, of rows that count; `only` is passed over where `whole` is False and there is no column."""
    if only is None:
        try:
            return read_columns(table, columns, texts=texts)
        except InputError as error:
            # A table of one's own may have other names; a cell that is missing is another matter.
            if not error.wanted.startswith("one of the columns"):
                raise
            raise InputError(error.key, error.value, f"{error.wanted}; {_NAMING}") from None
    try:
        cells = read_columns(table, tuple(dict.fromkeys((*columns, only[0]))), texts=texts | {only[0]})
    except InputError as error:
        if whole or error.value != only[0]:
            raise
        return read_columns(table, columns, texts=texts)
    kept = [place for place, cell in enumerate(cells[only[0]]) if str(cell) == only[1]]
    if not kept:
        raise InputError("only", f"{only[0]}={only[1]}", "a value that some row has")
    return {column: [cells[column][place] for place in kept] for column in columns}


def _degrees(cells: Sequence[RecordValue], key: str) -> Array:
    """Returns cells as degrees; InputError names the first row that is none."""
    for row, cell in enumerate(cells, 1):
        if isinstance(cell, str) or not abs(cell) <= _ENDS[key]:
            raise InputError(key, cell, f"degrees from {-_ENDS[key]:g} to {_ENDS[key]:g} in every row ({row:,})")
    return np.array(cells, dtype=np.float64)


def _counts(cells: Sequence[RecordValue]) -> Array:
    for row, cell in enumerate(cells, 1):
        if isinstance(cell, str) or not 0 < cell <= MOST_VISITS or cell != int(cell):
            raise InputError(
                "count",
                cell,
                f"a whole number from 1 to {MOST_VISITS:,} in every row ({row:,}; limit {MOST_VISITS.name})",
            )
    return np.array(cells, dtype=np.float64)
