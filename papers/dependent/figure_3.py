"""DDP Figure 3: how far apart the places of two people are, by how far apart the two are among friends."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.places.great_circles import distances_km
from papers.dependent.gowalla import City, cities
from papers.figure import BLACK, BLUE, ORANGE, panels, save
from papers.numbers import Array, IntArray, Number, data_folder, main, write_csv

RELATIONS: Final = ("friends", "friends of friends", "others")
LOOKS: Final = ((ORANGE, "-"), (BLUE, "--"), (BLACK, ":"))
AT: Final = np.arange(0, 30.5, 0.5)
"""km at which the lines are drawn."""
NEAR: Final = 5.0
"""km, of the numbers."""


@final
@dataclass(frozen=True)
class Distances:
    """Of one city: the distances, in km and ascending, between the location patterns of the pairs of each relation."""

    city: str
    by_relation: Mapping[str, Array]


def figure_3(quick: bool = False) -> Iterator[Number]:
    """Pairs of different cities, thousands of km apart, are left out."""
    found = tuple(map(distances, cities(data_folder())))
    draw(found)
    write_csv("dependent_figure_3", rows(found), rounded=True)
    yield from numbers(found)


def distances(city: City) -> Distances:
    """DDP Eq 5 of every two people of the city, by relation."""
    first, second = np.triu_indices(len(city.users), 1)
    places = city.places
    kilometres = np.zeros(len(first))
    for place in range(places.shape[1]):
        kilometres += distances_km(places[:, place], places[:, place])[first, second]
    kilometres /= places.shape[1]
    relation = relations(city)[first, second]
    return Distances(city.name, {name: np.sort(kilometres[relation == at]) for at, name in enumerate(RELATIONS)})


def relations(city: City) -> IntArray:
    """(n, n): 0 friends, 1 strangers with a friend in common, 2 others; positions in RELATIONS."""
    people, (first, second) = len(city.users), city.friends.T
    near = np.zeros((people, people), dtype=np.float32)
    near[first, second] = near[second, first] = 1  # whole numbers: their products are exact
    return np.where(near > 0, 0, np.where(near @ near > 0, 1, 2))


def share(found: Array, at: Array) -> Array:
    """The empirical distribution function."""
    return np.asarray(np.searchsorted(found, at, side="right") / max(len(found), 1))


def rows(found: Sequence[Distances]) -> Iterator[tuple[object, ...]]:
    yield "city", "relation", "pairs", "kilometres", "share_at_most"
    for each in (*found, pooled(found)):
        for relation, kilometres in each.by_relation.items():
            for at, height in zip(AT, share(kilometres, AT), strict=True):
                yield each.city, relation, len(kilometres), at, height


def pooled(found: Sequence[Distances]) -> Distances:
    """All pairs within a city, of all of them."""
    joined = {name: np.sort(np.concatenate([each.by_relation[name] for each in found])) for name in RELATIONS}
    return Distances("all", joined)


def numbers(found: Sequence[Distances]) -> Iterator[Number]:
    together = pooled(found)
    for relation, kilometres in together.by_relation.items():
        words = f"median distance of patterns, km: {relation}"
        yield Number("Fig 3", words, None, float(np.median(kilometres)), f"{len(kilometres):,} pairs within a city")
    friends, others = (together.by_relation[name] for name in (RELATIONS[0], RELATIONS[-1]))
    near = [float(share(kilometres, np.array([NEAR]))[0]) for kilometres in (friends, others)]
    yield Number(
        "Fig 3", f"share within {NEAR:g} km: friends / others", None, near[0] / near[1], "the text: friends are nearer"
    )
    most = float(np.max(share(others, AT) - share(friends, AT)))
    why = "0: friends are nearer"
    yield Number("Fig 3", "most by which others' line is above friends'", 0.0, max(most, 0.0), why)


def draw(found: Sequence[Distances]) -> None:
    figure, all_axes = panels(1, len(found) + 1, (3.3 * (len(found) + 1), 3.7), sharey=True)
    for axes, each in zip(all_axes, (pooled(found), *found), strict=True):
        for (relation, kilometres), (colour, dashes) in zip(each.by_relation.items(), LOOKS, strict=True):
            axes.plot(AT, share(kilometres, AT), color=colour, linestyle=dashes, label=relation)
        name = "three cities, pairs within one" if each.city == "all" else each.city.replace("_", " ").title()
        axes.set_title(name, fontsize=10)
        axes.set(xlabel="distance of location patterns, km", xlim=(0, AT[-1]), ylim=(0, 1))
    all_axes[0].set_ylabel("share of pairs")
    all_axes[0].legend(fontsize=8, framealpha=1, loc="lower right")
    save("dependent_figure_3", figure)


if __name__ == "__main__":
    main(figure_3)
