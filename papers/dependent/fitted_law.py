"""The friend–distance law of DDP Eq 26 fitted to the friends of a city (`dalenius fit --model friends`), and what it
does to the noise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from dalenius.fitting.friends import FriendDistances
from dalenius.pairs.friend_distance import PAPER, FriendDistance
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
    home = city.grid.cells_of(city.places[:, 0])
    weights = np.bincount(home, minlength=len(city.grid)).astype(np.float64)
    apart, several = city.grid.distances_miles(), len(city.friends)
    friends = FriendDistances.of(home[city.friends], apart, weights)
    b, c = friends.likeliest()
    law, errors = FriendDistance(a=1.0, b=b, c=c), friends.errors(b, c)
    return Fitted(
        city=city.name.replace("_", " ").title(),
        law=law,
        error=None if errors is None else errors[1],
        of_paper=FriendDistances.of(home[city.friends], apart).log_likelihood(PAPER.b, PAPER.c) / several,
        of_fit=friends.log_likelihood(b, c) / several,
        of_weights=friends.log_likelihood(1.0, 0.0) / several,
        dependence=replace(dependence, law=_pair_law(city, law, weights)),
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
    everywhere = PairLaw.of_grid(city.grid)
    given = law.law(city.grid.distances_miles()[np.ix_(there, there)]) * weights[there]
    where = positions(city.grid)[there]
    ends = np.unique([int(np.argmax(where @ np.array(sign))) for sign in ((1, 1), (1, -1), (-1, 1), (-1, -1))])
    centres = np.unique(np.linspace(0, len(there) - 1, min(len(there), 25)).astype(np.int64))
    return PairLaw(given / given.sum(axis=1, keepdims=True), everywhere.moves[np.ix_(there, there)], ends, centres)


if __name__ == "__main__":
    main(fitted_law)
