"""The friend–distance law of DDP Eq 26 fitted to the friends there are, and what it does to the noise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.dependent.friend_distance import fit_friends, friends_log_likelihood
from dalenius.dependent.graphs import PAPER, FriendDistance, clean_edges
from papers.dependent.figure_8 import known_dependence
from papers.dependent.gowalla import City, cities
from papers.dependent.mechanisms import COMONOTONE, DPM, EXACT_PAIR, Dependence, multiple
from papers.dependent.pair_law import PairLaw, positions
from papers.numbers import Array, Number, data_folder, main

EPSILON: Final = 1.0


@final
@dataclass(frozen=True, eq=False)
class Fitted:
    """Of the city of the person with most friends: the likeliest law with places weighed by how many people are there;
    log-likelihoods an edge, in nats: of the paper's constants over all cells alike, of the fit, and of a friend
    anywhere by the weights alone; dependence: as Figure 8's, with the fit."""

    city: str
    law: FriendDistance
    error: float | None
    of_paper: float
    of_fit: float
    of_weights: float
    dependence: Dependence


def fitted_law(quick: bool = False) -> Iterator[Number]:
    known = known_dependence(data_folder())
    yield from numbers(fitted(cities(data_folder()), known), known)


def fitted(cities: Sequence[City], dependence: Dependence) -> Fitted:
    """Everybody is at the cell of their most visited place."""
    city = max(cities, key=lambda each: int(np.bincount(each.friends.ravel(), minlength=1).max()))
    home = city.grid.cell_of(city.places[:, 0, 0], city.places[:, 0, 1])
    weights = np.bincount(home, minlength=len(city.grid)).astype(np.float64)
    edges, points = clean_edges(len(city.users), city.friends)[0], city.grid.points_miles()
    found = fit_friends(edges, home, points, weights)
    paper = friends_log_likelihood(PAPER, edges, home, points)
    return Fitted(
        city=city.name.replace("_", " ").title(),
        law=found.law,
        error=None if found.errors is None else found.errors[1],
        of_paper=paper / len(edges),
        of_fit=found.log_likelihood / len(edges),
        of_weights=found.uniform_log_likelihood / len(edges),
        dependence=Dependence(
            *(dependence.people, dependence.friends, _pair_law(city, found.law, weights)),
            *(dependence.correlation, dependence.alike),
        ),
    )


def numbers(found: Fitted, dependence: Dependence) -> Iterator[Number]:
    error = "" if found.error is None else f" ± {found.error:.2g}"
    yield Number(
        *("Eq 26", f"exponent c fitted to the friends of {found.city}", PAPER.c, found.law.c),
        f"{error} places weighed by their people; the paper's is of Facebook in the USA".strip(),
    )
    for words, value, why in (
        ("the paper's constants, all cells alike", found.of_paper, ""),
        ("the fit, cells by their people", found.of_fit, ""),
        ("no dependence, cells by their people", found.of_weights, "where a friend is hardly matters"),
    ):
        yield Number("Eq 26", f"log-likelihood of a friendship, nats: {words}", None, value, why)
    for which, why in (
        (DPM, "far above Eq 14: it is not 0 for independent friends (E3)"),
        (EXACT_PAIR, "friends say little of each other pair by pair"),
        (COMONOTONE, "what pair laws alone allow: together the friends may say much (E1)"),
    ):
        before = multiple(which, dependence, EPSILON)
        what = f"noise × with the fit, ε = {EPSILON:g}: {which.label}"
        yield Number("Eq 26", what, None, multiple(which, found.dependence, EPSILON), f"{before:.4g} before; {why}")


def _pair_law(city: City, law: FriendDistance, weights: Array) -> PairLaw:
    """Over the cells in which somebody is."""
    there = np.flatnonzero(weights)
    whole = PairLaw.of_grid(city.grid)
    given = law.law(city.grid.distances_miles()[np.ix_(there, there)], weights[there])
    where = positions(city.grid)[there]
    ends = np.unique([int(np.argmax(where @ np.array(sign))) for sign in ((1, 1), (1, -1), (-1, 1), (-1, -1))])
    centres = np.unique(np.linspace(0, len(there) - 1, min(len(there), 25)).astype(np.int64))
    return PairLaw(given, whole.apart[np.ix_(there, there)], ends, centres)


if __name__ == "__main__":
    main(fitted_law)
