"""Location patterns from a table of visits, and friendships from a table of edges."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.dependent.graphs import Dropped, Edges, checked_positions, clean_edges
from dalenius.errors import InputError
from dalenius.laws.law import Array
from dalenius.schema import RecordValue

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


def friends_among(edges: Mapping[str, Sequence[RecordValue]], names: Sequence[RecordValue]) -> tuple[Edges, Dropped]:
    """Friendships between people by their names, and what was dropped. edges: columns `user1` and `user2`."""
    number = {name: place for place, name in enumerate(names)}
    pairs = zip(edges["user1"], edges["user2"], strict=True)
    found = [(number.get(one, -1), number.get(other, -1)) for one, other in pairs]
    return clean_edges(len(names), np.array(found, dtype=np.int64).reshape(-1, 2))


def of_city(
    table: Mapping[str, Sequence[RecordValue]], columns: Sequence[str], city: str | None
) -> dict[str, Sequence[RecordValue]]:
    """The rows of one city, where the table has a column `city`."""
    if "city" not in table:
        return {key: table[key] for key in columns}
    cities = list(dict.fromkeys(map(str, table["city"])))
    if city is None and len(cities) > 1:
        raise InputError("city", "missing", f"one of {', '.join(cities)}")
    if city is not None and city not in cities:
        raise InputError("city", city, f"one of {', '.join(cities)}")
    there = [city is None or str(each) == city for each in table["city"]]
    return {key: [cell for cell, own in zip(table[key], there, strict=True) if own] for key in columns}


def _numbers(cells: Sequence[RecordValue], key: str) -> Array:
    for row, cell in enumerate(cells):
        if not isinstance(cell, int | float):
            raise InputError(f"{key} row {row + 1}", str(cell), "a number")
    return np.array(cells, dtype=np.float64)
