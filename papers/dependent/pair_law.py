"""What one person's record says of a friend's by DDP Eq 26, and how much noise each method takes for it.

A query moves by at most ΔQ · move(d, d′) when a record moves from d to d′, where the greatest `move` is 1; ΔQ = 1 in
what follows. A friend of whoever is at d is at d′ with probability proportional to (distance + b)^{-c}. Everybody's
friends have the same pair law, so that a method's noise depends on the number k of friends alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self, TypeAlias, final

import numpy as np

from dalenius.calibration.scale_search import least_scale
from dalenius.pairs.friend_distance import PAPER, FriendDistance
from dalenius.places.grid import Grid
from papers.numbers import Array, IntArray

Influence: TypeAlias = Callable[[float], float]
"""From the scale of the noise to ρ_ij ΔQ_j / scale, in nats."""
CENTRES: Final = 25
"""Tried for the comonotone bound."""
SIGNS: Final = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


@final
@dataclass(frozen=True)
class PairLaw:
    """given: (s, v), row s is the law of a friend's record given that one's own is s; moves: (v, v), how far a query
    moves, at most 1; ends: the values that may be the d* of Eq 18; centres: those tried for the comonotone bound."""

    given: Array
    moves: Array
    ends: IntArray
    centres: IntArray

    @classmethod
    def of_grid(cls, grid: Grid, law: FriendDistance = PAPER) -> Self:
        """A record is a cell; the query moves by the L1 distance of two cells in the unit square, halved; the law is of
        miles. The d* are the corners."""
        where = positions(grid)
        moves = np.abs(where[:, None] - where).sum(axis=2) / 2
        last = len(grid) - 1
        ends = np.array([0, grid.columns - 1, last - grid.columns + 1, last])
        return cls(law.law(grid.distances_miles()), moves, ends, _spread(len(grid)))

    @classmethod
    def of_points(cls, points: Array, law: FriendDistance = PAPER) -> Self:
        """A record is one of the points (v, d); query and law are of their L1 distance, the query's divided by the
        largest. Any point may be the d*."""
        distances = np.stack([np.abs(points - point).sum(axis=1) for point in points])
        return cls(law.law(distances), distances / distances.max(), np.arange(len(points)), _spread(len(points)))

    def closed(self, scale: float) -> float:
        """ρ/scale by DDP Eq 18, the worst of the d*."""
        return float(np.log(self.given @ np.exp(self.moves[:, self.ends] / scale)).max())

    def exact(self, scale: float) -> float:
        """ρ/scale by DDP Eq 14: the worst log-ratio of the noisy score's laws, over outputs at the values (on a grid
        these are all that matter, Result 3.1)."""
        noisy = np.log(self.given @ np.exp(-self.moves / scale))
        return float(np.ptp(noisy, axis=0).max())

    def comonotone(self, friends: int, scale: float) -> float:
        """Nats that a sum of records with noise of that scale leaks at most of one's own, whatever the joint law of the
        friends given it, if all others are independent of the person and the friends. For any value m,

            log E[e^{k·move(D, m)/b} | s] + k E[move(D, m) | s′]/b + move(s, s′)/b:

        the friends' laws are equal, and the coupling in which all move(D_j, m) rise together is that of one friend k
        times. The least of the centres.
        """
        best = np.inf
        own = self.moves / scale
        for centre in self.centres:
            moves = self.moves[centre] * friends / scale
            best = min(best, float((_log_mean(self.given, moves)[:, None] + self.given @ moves + own).max()))
        return best


def positions(grid: Grid) -> Array:
    """(v, 2): the cells in the unit square, the outer ones on its sides."""
    up, along = np.linspace(0, 1, grid.rows), np.linspace(0, 1, grid.columns)
    return np.column_stack([np.repeat(up, grid.columns), np.tile(along, grid.rows)])


def attained(law: PairLaw, where: Array, friends: int, scale: float) -> float:
    """Nats that the noisy sum of places (v, 2) leaks of one's own under a joint law that has those pairs: given one
    value all friends are at one place, given another they are independent. Far outputs only: it leaks at least this."""
    most = -np.inf
    for slope in (where @ SIGNS.T / (2 * scale)).T:
        one_place = _log_mean(law.given, friends * slope) + slope
        scattered = friends * _log_mean(law.given, slope) + slope
        most = max(most, float(np.max(one_place) - np.min(scattered)))
    return most


def correlation(law: PairLaw, where: Array) -> float:
    """|Pearson| of the places (v, 2) of two friends, the mean of both coordinates, D_i uniform (Zhu et al. 2015)."""
    theirs = law.given.mean(axis=0)
    found = []
    for own in where.T:
        spread = np.sqrt(theirs @ (own - theirs @ own) ** 2 * own.var())
        found.append(abs(np.mean((own - own.mean()) * (law.given @ own))) / spread)
    return float(np.mean(found))


def dependent_sensitivity(friends: int, influence: Influence, epsilon: float) -> float:
    """DS = 1 + k ρ, in ΔQ: the scale b = DS/ε of DDP Thm 9 at which ρ is that of b itself."""
    return least_multiple(lambda scale: 1 / scale + friends * influence(scale), friends, epsilon)


def least_multiple(nats: Callable[[float], float], friends: int, epsilon: float) -> float:
    """The least scale that keeps ε, in ΔQ/ε: from 1, for nobody else, to 1 + k, for the whole group; nats: what leaks
    by the scale."""
    if nats(1 / epsilon) <= epsilon:
        return 1.0
    return float(min(least_scale(nats, epsilon, (1.0 + friends) / epsilon) * epsilon, 1.0 + friends))


def _log_mean(laws: Array, exponents: Array) -> Array:
    """log Σ_v law(v) e^{exponent(v)} by row. No law here has a chance near 0, so that the largest term counts."""
    top = exponents.max()
    return np.asarray(top + np.log(laws @ np.exp(exponents - top)))


def _spread(values: int) -> IntArray:
    return np.unique(np.linspace(0, values - 1, min(values, CENTRES)).astype(np.int64))
