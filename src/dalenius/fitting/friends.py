"""The friend-distance law of DDP Eq 26 fitted to the friends there are (Backstrom, Sun and Marlow 2010).

A friend of somebody at d' is at d with a probability in proportion to weight(d)·(‖d - d'‖ + b)^-c, normalised over the
grid: no single `a` normalises it (errata E22). Four people are at each of 0, 1 and 10 miles. All are friends within
their place, and there are six friendships between the first two places and three with the third. The fit is b = .642
and c = .749, with a log-likelihood of -21.576 nats. Friends anywhere have -29.663.

>>> apart = np.array([[0.0, 1.0, 10.0], [1.0, 0.0, 9.0], [10.0, 9.0, 0.0]])
>>> ends = [(place, place) for place in (0, 1, 2)] * 6 + [(0, 1)] * 6 + [(1, 2)] + [(0, 2)] * 2
>>> friends = FriendDistances.of(np.array(ends), apart)
>>> b, c = friends.likeliest()
>>> round(b, 3), round(c, 3), round(friends.log_likelihood(b, c), 3), round(friends.log_likelihood(1.0, 0.0), 3)
(0.642, 0.749, -21.576, -29.663)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, Final, Self, final

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fitting.fit import Fit
from dalenius.fitting.limits import MOST_FRIEND_DISTANCES
from dalenius.places.great_circles import KM_PER_MILE, distances_km
from dalenius.places.grid import Grid
from dalenius.places.patterns import VisitColumns, read_friends, read_patterns
from dalenius.tables.opening import TableLike

STEEPEST: Final = 50.0
"""The greatest exponent that is looked at: beyond it the law is an exponential in all but name."""
_NARROW, _WIDE = 1e-3, 1e1
"""b is looked for from so many times the least distance to so many times the greatest."""
_EXACT: Final = 2**18
"""Pairs of cells up to which every distance is its own; beyond, distances fall into classes."""
_FINE: Final = 2.0**-11
"""How much wider a class's upper end is than its lower one: (d + b)^-c of its middle is off by less than c·2^-12."""
_BLOCK: Final = 2**22


@final
@dataclass(frozen=True, eq=False)
class FriendDistances:
    """How far friends are apart, and how far anybody could be.

    Every friendship says log Pr[d_j | d_i] and log Pr[d_i | d_j], half each, so that the order of its ends does not
    matter: a likelihood where both ends have the law, which is where the cells' own law is in proportion to
    Σ_v weight_v (distance + b)^-c, and a composite one elsewhere.

    Attributes:
        near: Miles from each start to each cell (starts, cells); or of each class of distances (classes,).
        weights: The weights of these cells (cells,); or the weight of each class from each start (starts, classes).
        rows: How many friendships begin at each start, half of each at either end (starts,).
        apart: The miles between the ends of friendships, each distance once (m,).
        times: How many friendships have it (m,).
        log_weights: The sum of the logs of friendships' ends' weights, half of each.
    """

    near: Array
    weights: Array
    rows: Array
    apart: Array
    times: IntArray
    log_weights: float

    @classmethod
    def of(cls, ends: IntArray, distances: Array, weights: Array | None = None) -> Self:
        """Reads friendships among cells whose distances are all known.

        Args:
            ends: The cells of both ends of each friendship (m, 2).
            distances: The miles between cells (cells, cells).
            weights: How much a cell counts, above 0 where a friend is (cells,); None for all the same.
        """
        heavy = np.ones(len(distances)) if weights is None else weights
        starts, several = np.unique(ends, return_counts=True)
        apart, times = np.unique(distances[ends[:, 0], ends[:, 1]], return_counts=True)
        return cls(distances[starts], heavy, several / 2, apart, times, float(np.log(heavy[ends]).sum() / 2))

    @classmethod
    def of_grid(cls, ends: IntArray, grid: Grid, weights: Array | None = None) -> Self:
        """Reads friendships among cells of a grid.

        Args:
            ends: The cells of both ends of each friendship (m, 2).
            grid: The grid.
            weights: How much a cell counts, above 0 where a friend is (cells,); None for all the same.
        """
        heavy = np.ones(len(grid)) if weights is None else weights
        starts, several = np.unique(ends, return_counts=True)
        if len(starts) * len(grid) > MOST_FRIEND_DISTANCES:
            size = f"{len(starts):,} cells with friends times {len(grid):,} cells"
            raise TooLarge("the fit of friends", size, "a coarser grid", MOST_FRIEND_DISTANCES)
        cells, centres = np.flatnonzero(heavy), grid.centres
        first, inverse = np.unique(ends[:, 0], return_inverse=True)
        apart = np.empty(len(ends))
        for place, cell in enumerate(first):
            some = inverse.ravel() == place
            apart[some] = distances_km(centres[[cell]], centres[ends[some, 1]])[0] / KM_PER_MILE
        lengths, times = np.unique(apart, return_counts=True)
        logs = float(np.log(heavy[ends]).sum() / 2)
        if len(starts) * len(cells) <= _EXACT:
            near = distances_km(centres[starts], centres[cells]) / KM_PER_MILE
            return cls(near, heavy[cells], several / 2, lengths, times, logs)
        return cls(*_classes(centres, starts, cells, heavy), several / 2, lengths, times, logs)

    @property
    def several(self) -> int:
        """The number of friendships."""
        return int(self.times.sum())

    def log_likelihood(self, b: float, c: float) -> float:
        """Returns the log-likelihood of all friendships, in nats, by the law in proportion to (distance + b)^-c.

        Args:
            b: The miles that are added to each distance.
            c: The power by which the law falls.
        """
        reached = self.log_weights - c * float(self.times @ np.log(self.apart + b))
        return reached - float(self.rows @ self._law(b, c)[0])

    def likeliest(self) -> tuple[float, float]:
        """Returns b of a profile over c: the best of a coarse ladder, then between its neighbours. c is 0 where friends
        are no nearer than by chance."""
        positive = self.near[self.near > 0]
        ladder = np.linspace(log(positive.min() * _NARROW), log(positive.max() * _WIDE), 41)
        scores = [self._profile(float(step)) for step in ladder]
        place = int(np.argmax(scores))
        ends = float(ladder[max(place - 1, 0)]), float(ladder[min(place + 1, len(ladder) - 1)])
        found = minimize_scalar(
            lambda step: -self._profile(step), bounds=ends, method="bounded", options={"xatol": 1e-9}
        )
        return exp(found.x), self._exponent(exp(found.x))

    def errors(self, b: float, c: float) -> tuple[float, float] | None:
        """Returns standard errors of b and c by the observed information, friendships taken as independent.

        They share people all the same. None where the information is not positive definite.
        """
        _, law = self._law(b, c)
        near, pull = np.log(self.near + b), 1 / (self.near + b)
        means = [self._mean(law, each) for each in (near, pull, near * near, near * pull, pull * pull)]
        cc = float(self.rows @ (means[2] - means[0] ** 2))
        own = 1 / (self.apart + b)
        bc = float(self.times @ own - self.rows @ (means[1] - c * (means[3] - means[0] * means[1])))
        spread = c * (means[4] - means[1] ** 2) + means[4]
        bb = c * float(self.rows @ spread - self.times @ own**2)
        determinant = bb * cc - bc * bc
        # A likelihood that is flat about its top: few friends, or constants that do the same.
        if not (cc > 0 and determinant > 0):
            return None
        return sqrt(cc / determinant), sqrt(bb / determinant)

    def _profile(self, log_b: float) -> float:
        return self.log_likelihood(exp(log_b), self._exponent(exp(log_b)))

    def _exponent(self, b: float) -> float:
        """The likeliest c from 0 to STEEPEST at that b: the derivative of the likelihood falls in c."""
        near, reached = np.log(self.near + b), float(self.times @ np.log(self.apart + b))

        def slope(c: float) -> float:
            return float(self.rows @ self._mean(self._law(b, c)[1], near)) - reached

        if slope(0.0) <= 0:
            return 0.0
        if slope(STEEPEST) >= 0:
            return STEEPEST
        return float(brentq(slope, 0.0, STEEPEST, xtol=1e-12, rtol=1e-12))

    def _law(self, b: float, c: float) -> tuple[Array, tuple[Array, Array]]:
        """The log of the sum of weight · (distance + b)^-c from each start, and the terms and sums it is of."""
        logs = -c * np.log(self.near + b)
        top = logs.max(axis=-1, keepdims=True)  # powers of small distances overflow
        terms = np.exp(logs - top)
        sums = self._summed(terms)
        return np.log(sums) + top[..., 0], (terms, sums)

    def _mean(self, law: tuple[Array, Array], values: Array) -> Array:
        """The mean of values of the distance, by the law from each start."""
        terms, sums = law
        return np.asarray(self._summed(terms * values) / sums)

    def _summed(self, terms: Array) -> Array:
        return np.asarray(self.weights @ terms if self.near.ndim == 1 else terms @ self.weights)


def _classes(centres: Array, starts: IntArray, cells: IntArray, heavy: Array) -> tuple[Array, Array]:
    """Distances in classes, and the weight of each class from each start; 0 is a class of its own."""
    corners = centres[[0, -1]]
    longest = float(distances_km(corners, corners).max()) / KM_PER_MILE * 1.5
    shortest = longest * 1e-6
    many = int(log(longest / shortest) / _FINE) + 2
    # A class's middle in the logarithm.
    near = np.concatenate([[0.0], shortest * np.exp((np.arange(many - 1) + 0.5) * _FINE)])
    weights = np.zeros((len(starts), many))
    block = max(1, _BLOCK // len(cells))
    for place in range(0, len(starts), block):
        miles = distances_km(centres[starts[place : place + block]], centres[cells]) / KM_PER_MILE
        with np.errstate(divide="ignore"):
            which = np.maximum(np.log(miles / shortest) / _FINE + 1, 0).astype(np.int64)
        for row, each in enumerate(which):
            weights[place + row] = np.bincount(each, heavy[cells], many)
    used = weights.any(axis=0)
    return near[used], weights[:, used]


@final
@dataclass(frozen=True)
class FriendsFit(Fit):
    """A fitted friend-distance law.

    Attributes:
        b: What is added to distances, in miles.
        c: The exponent.
        errors: Standard errors of b and c, friendships taken as independent; None where there are none.
        nats: The log-likelihood of a friendship: with the law, with none, and if a friend is where friends are.
        by_people: b and c, and the log-likelihood of a friendship, if cells count by how many people are there (E22).
        people: How many people there are.
        dropped: Rows of the table that are no friendships of these people, by reason.
    """

    b: float
    c: float
    errors: dict[str, float] | None
    nats: dict[str, float]
    by_people: dict[str, float]
    people: int
    dropped: dict[str, int]

    @property
    def in_words(self) -> str:
        gained = self.nats["law"] - self.nats["none"]
        if gained <= 0:
            return "distance says nothing about who is whose friend"
        return f"a friend is {exp(gained):.3g} times as likely in the right cell as if friends lived anywhere alike"


def fit_friends(
    friends: TableLike,
    visits: TableLike,
    cells: tuple[int, int] = (20, 20),
    columns: VisitColumns | None = None,
    box: Sequence[float] | None = None,
) -> FriendsFit:
    """Fits the friend-distance law to friendships of people, each at the cell of the most visited place.

    Args:
        friends: The table of friendships.
        visits: The table of visits, or of one position of each person.
        cells: Rows and columns of the grid.
        columns: The names of the columns of both tables.
        box: South, west, north and east of the grid, in degrees; None for the least box around all people.

    Raises:
        InputError: If a table is not what was wanted, or nobody is a friend of anybody.
        TooLarge: If there are too many cells.
    """
    named = columns or VisitColumns()
    patterns = read_patterns(visits, named, 1)
    homes = patterns.places[:, 0]
    grid = Grid.around(homes, *cells) if box is None else Grid(box[0], box[1], box[2], box[3], *cells)
    pairs, dropped = read_friends(friends, named, patterns.names)
    if not len(pairs):
        raise InputError("friends", "none", f"friendships among the {len(patterns.names):,} people with positions")
    if len(grid) < 2:
        raise InputError("cells", f"{cells[0]}x{cells[1]}", "two cells or more, to be apart")
    home = grid.cells_of(homes)
    ends, there = home[pairs], np.bincount(home, minlength=len(grid)).astype(np.float64)
    friends_at = np.bincount(ends.ravel(), minlength=len(grid)).astype(np.float64)
    plain, weighed = FriendDistances.of_grid(ends, grid), FriendDistances.of_grid(ends, grid, there)
    (b, c), (own_b, own_c), several = plain.likeliest(), weighed.likeliest(), plain.several
    errors = plain.errors(b, c)
    shares = friends_at[friends_at > 0] / friends_at.sum()
    edges = np.array(patterns.names)[pairs].tolist()
    model = {"kind": "pairwise", "people": list(patterns.names)} | _law_on(grid, b, c) | {"edges": edges}
    return FriendsFit(
        model=model,
        observations=several,
        smoothing=None,
        b=b,
        c=c,
        errors=None if errors is None else {"b": errors[0], "c": errors[1]},
        nats={
            "law": plain.log_likelihood(b, c) / several,
            "none": -log(len(grid)),
            "friends_places": float(shares @ np.log(shares)),
        },
        by_people={"b": own_b, "c": own_c, "nats": weighed.log_likelihood(own_b, own_c) / several},
        people=len(patterns.names),
        dropped=dropped.shown(),
    )


def _law_on(grid: Grid, b: float, c: float) -> dict[str, Any]:
    """The keys of a model of pairs on this grid: its distances are on a plane."""
    points = [[round(each, 4) for each in point] for point in grid.points_miles().tolist()]
    return {"values": list(range(len(grid))), "distance": {"b": b, "c": c, "points": points}}
