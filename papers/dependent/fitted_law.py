"""The friend–distance law of DDP Eq 26 fitted to the friends there are (Backstrom, Sun and Marlow 2010), and what it
does to the noise.

Four people at each of 0, 1 and 10 miles, all friends within their place, six friendships between the first two places
and three with the third: b = .642 and c = .749, a log-likelihood of -21.576 nats, where friends anywhere have -29.663.

>>> within = [(place, place) for place in (0, 1, 2)] * 6
>>> friends = Friends.of(np.array(within + [(0, 1)] * 6 + [(1, 2)] + [(0, 2)] * 2), np.array([[0.0], [1.0], [10.0]]))
>>> b, c = friends.likeliest()
>>> round(b, 3), round(c, 3), round(friends.log_likelihood(b, c), 3), round(friends.log_likelihood(1.0, 0.0), 3)
(0.642, 0.749, -21.576, -29.663)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from typing import Final, Self, final

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from dalenius.pairs.friend_distance import PAPER, FriendDistance
from papers.dependent.figure_8 import known_dependence
from papers.dependent.gowalla import City, cities
from papers.dependent.mechanisms import COMONOTONE, DPM, EXACT_PAIR, Dependence, multiple
from papers.dependent.pair_law import PairLaw, positions
from papers.numbers import Array, IntArray, Number, data_folder, main

EPSILON: Final = 1.0


STEEPEST: Final = 50.0
"""The greatest exponent that is looked at: beyond it the law is an exponential in all but name."""
NARROW, WIDE = 1e-3, 1e1
"""b is looked for from so many times the least distance to so many times the greatest."""


@final
@dataclass(frozen=True, eq=False)
class Friends:
    """distances (v, v), in miles, of the values that a place can have; log_weights (v,) of these values; counts (v, v):
    friendships by the values of their ends, symmetric, all friendships in total.

    Every friendship says log Pr[d_j | d_i] and log Pr[d_i | d_j], half each, so that the order of its ends does not
    matter: a likelihood where both ends have the law, which is where the values' own law is in proportion to
    Σ_v weight_v (distance + b)^{-c}, and a composite one elsewhere.
    """

    distances: Array
    log_weights: Array
    counts: Array

    @classmethod
    def of(cls, values: IntArray, points: Array, weights: Array | None = None) -> Self:
        """values (m, 2): of both ends of each friendship; points (v, d), in miles; weights (v,): above 0 where a friend
        is, by default all the same."""
        size = len(points)
        once = np.bincount(values[:, 0] * size + values[:, 1], minlength=size * size).reshape(size, size)
        with np.errstate(divide="ignore"):
            heavy = np.zeros(size) if weights is None else np.log(weights)
        return cls(cdist(points, points), heavy, (once + once.T) / 2)

    def log_likelihood(self, b: float, c: float) -> float:
        """Of all friendships in nats; a pair of values that no friends have counts nothing."""
        logs = self._log_law(b, c)
        return float((self.counts * np.where(self.counts > 0, logs, 0.0)).sum())

    def likeliest(self) -> tuple[float, float]:
        """b of a profile over c: the best of a coarse ladder, then between its neighbours. c is 0 where friends are no
        nearer than by chance."""
        positive = self.distances[self.distances > 0]
        ladder = np.linspace(log(positive.min() * NARROW), log(positive.max() * WIDE), 41)
        scores = [self._profile(float(step)) for step in ladder]
        place = int(np.argmax(scores))
        ends = float(ladder[max(place - 1, 0)]), float(ladder[min(place + 1, len(ladder) - 1)])
        found = minimize_scalar(
            lambda step: -self._profile(step), bounds=ends, method="bounded", options={"xatol": 1e-9}
        )
        return exp(found.x), self._exponent(exp(found.x))

    def errors(self, b: float, c: float) -> tuple[float, float] | None:
        """Standard errors of b and c by the observed information, with friendships taken as independent although they
        share people; None where it is not positive definite."""
        law, near, pull = np.exp(self._log_law(b, c)), np.log(self.distances + b), 1 / (self.distances + b)
        near_mean, pull_mean, rows = (law * near).sum(axis=1), (law * pull).sum(axis=1), self.counts.sum(axis=1)
        near_centred, pull_centred = near - near_mean[:, None], pull - pull_mean[:, None]
        cc = float(rows @ (law * near_centred**2).sum(axis=1))
        covariance = (law * near_centred * pull_centred).sum(axis=1)
        bc = float((self.counts * pull).sum() - rows @ (pull_mean - c * covariance))
        spread = c * (law * pull_centred**2).sum(axis=1) + (law * pull**2).sum(axis=1)
        bb = c * float(rows @ spread - (self.counts * pull**2).sum())
        determinant = bb * cc - bc * bc
        # A likelihood that is flat about its top: few friends, or constants that do the same.
        if not (cc > 0 and determinant > 0):
            return None
        return sqrt(cc / determinant), sqrt(bb / determinant)

    def _profile(self, log_b: float) -> float:
        return self.log_likelihood(exp(log_b), self._exponent(exp(log_b)))

    def _exponent(self, b: float) -> float:
        """The likeliest c from 0 to STEEPEST at that b: the derivative of the likelihood falls in c."""
        near, rows = np.log(self.distances + b), self.counts.sum(axis=1)

        def slope(c: float) -> float:
            return float(rows @ (np.exp(self._log_law(b, c)) * near).sum(axis=1) - (self.counts * near).sum())

        if slope(0.0) <= 0:
            return 0.0
        if slope(STEEPEST) >= 0:
            return STEEPEST
        return float(brentq(slope, 0.0, STEEPEST, xtol=1e-12, rtol=1e-12))

    def _log_law(self, b: float, c: float) -> Array:
        """log Pr[d_j = v | d_i = s] (s, v), weight · (distance + b)^{-c} in proportion."""
        logs = self.log_weights - c * np.log(self.distances + b)
        return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True))


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
    points, several = city.grid.points_miles(), len(city.friends)
    friends = Friends.of(home[city.friends], points, weights)
    b, c = friends.likeliest()
    law, errors = FriendDistance(a=1.0, b=b, c=c), friends.errors(b, c)
    return Fitted(
        city=city.name.replace("_", " ").title(),
        law=law,
        error=None if errors is None else errors[1],
        of_paper=Friends.of(home[city.friends], points).log_likelihood(PAPER.b, PAPER.c) / several,
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
