"""DDP Table I: how many users are in each part of the cities, each at the nearest part to the most visited place."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from dalenius.places.great_circles import distances_km
from papers.dependent.gowalla import City, cities
from papers.dependent.learning import PARTS
from papers.numbers import Number, data_folder, main

PRINTED: Final = {
    "Manhattan": 997,
    "Brooklyn": 507,
    "Queens": 811,
    "San Jose": 1228,
    "Oakland": 862,
    "Pasadena": 656,
    "Beverly Hills": 1083,
    "Long Beach": 825,
}


def table_1(quick: bool = False) -> Iterator[Number]:
    yield from numbers(cities(data_folder()))


def numbers(found: Sequence[City]) -> Iterator[Number]:
    homes = np.concatenate([city.places[:, 0] for city in found])
    nearest = distances_km(homes, np.array(list(PARTS.values()))).argmin(axis=1)
    for place, (name, printed) in enumerate(PRINTED.items()):
        ours = int((nearest == place).sum())
        why = "the subset has fewer users; some parts are beyond 25 km of the centres"
        yield Number("Table I", f"users near {name}", float(printed), float(ours), why)
    why = "all of them; SNAP's own files give the paper's"
    yield Number("Table I", "users in all", float(sum(PRINTED.values())), float(len(homes)), why)
    friends = float(sum(len(city.friends) for city in found))
    yield Number("§IV-A", "friendships of these users", 47_502.0, friends, "within one city, each once")


if __name__ == "__main__":
    main(table_1)
