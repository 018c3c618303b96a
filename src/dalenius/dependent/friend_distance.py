"""How far friends live apart, by maximum likelihood (DDP Eq 26; Backstrom, Sun and Marlow 2010).

Four people at each of 0, 1 and 10 miles, all friends within their place, six friendships between the first two places
and three with the third: b = .642 and c = .749, a log-likelihood of -21.576 nats, where friends anywhere have -29.663.

>>> from itertools import combinations
>>> from dalenius.dependent.graphs import clean_edges
>>> within = [pair for place in (0, 4, 8) for pair in combinations(range(place, place + 4), 2)]
>>> between = [(0, 4), (1, 5), (2, 6), (3, 7), (0, 5), (1, 4), (2, 11), (3, 10), (4, 8)]
>>> places = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 0.0]])
>>> fit = fit_friends(clean_edges(12, within + between)[0], np.repeat([0, 1, 2], 4), places)
>>> round(fit.log_likelihood, 3), round(fit.uniform_log_likelihood, 3)
(-21.576, -29.663)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any, Final, final

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.distance import cdist
from scipy.special import logsumexp, xlogy

from dalenius.dependent.graphs import Edges, FriendDistance
from dalenius.errors import InputError, TooLarge
from dalenius.fitting.fit import Fit
from dalenius.laws.law import Array, IntArray

# Values of a grid: pairs of them are matrices of 200 megabytes.
_MOST_CELLS: Final = 5_000
_STEEPEST: Final = 50.0
"""The greatest exponent that is looked at: beyond it the law is an exponential in all but name."""
_NARROW: Final = 1e3
"""How far below the least distance b is looked for."""


@final
@dataclass(frozen=True)
class FriendsFit(Fit):
    """model: the `pairwise` section, without edges; its law is `given` where places have weights, else the `distance`.

    law: the likeliest; its `a` is the mean over friends of what normalises their rows.

    observations: edges, which the errors take as independent, although friends share people. errors: standard errors of
    b and c from the observed information; None where c = 0 (friends are no nearer than chance has it) and at_border: b
    is as small or as large as it was looked for, or c as large, so that a law of fewer constants fits as well.
    Log-likelihoods in nats, of all edges, each read from both ends with weight 1/2: of the law; of a friend anywhere,
    by the weights alone; of a friend at each value as often as friends are there, wherever the other is. dropped: rows
    of the table of edges that are none, by why.
    """

    law: FriendDistance
    values: int
    weighted: bool
    errors: tuple[float, float] | None
    at_border: bool
    log_likelihood: float
    uniform_log_likelihood: float
    marginal_log_likelihood: float
    dropped: Mapping[str, int] = field(default_factory=dict)

    def measures(self) -> dict[str, Any]:
        """Log-likelihoods an edge, in nats."""
        errors = None if self.errors is None else {"b": self.errors[0], "c": self.errors[1]}
        return {
            "values": self.values,
            "weighted": self.weighted,
            "standard_errors": errors,
            "at_border": self.at_border,
            "log_likelihood": self.log_likelihood,
            "per_edge": self.log_likelihood / self.observations,
            "uniform_per_edge": self.uniform_log_likelihood / self.observations,
            "marginal_per_edge": self.marginal_log_likelihood / self.observations,
            "dropped": dict(self.dropped),
        }


def fit_friends(edges: Edges, values: IntArray, points: Array, weights: Array | None = None) -> FriendsFit:
    """The friend–distance law of the pairs of friends' values.

    values (people,): which value everybody has; points (v, d): where the values are, in miles, as Grid.points_miles has
    them; weights (v,): as in FriendDistance.law.
    Every edge says log Pr[d_j | d_i] and log Pr[d_i | d_j], half each, so that the order of its ends does not matter: a
    likelihood where both ends have the law, which is where the values' own law is in proportion to
    Σ_v weight_v (distance + b)^{-c}, and a composite one elsewhere. InputError without edges or with fewer than two
    places; TooLarge beyond MOST_CELLS values.
    """
    friends = _Friends.of(edges, values, points, weights)
    b, c = _likeliest(friends)
    inner = 0 < c < _STEEPEST and not friends.is_border(b)
    law = FriendDistance(a=friends.normalising(b, c), b=b, c=c)
    return FriendsFit(
        model=_model(law, edges.people, points, friends, weights),
        law=law,
        observations=len(edges),
        smoothing=None,
        values=len(friends.distances),
        weighted=weights is not None,
        errors=friends.errors(b, c) if inner else None,
        at_border=c > 0 and not inner,
        log_likelihood=friends.log_likelihood(b, c),
        uniform_log_likelihood=friends.log_likelihood(1.0, 0.0),
        marginal_log_likelihood=float(xlogy(friends.rows, friends.rows / friends.rows.sum()).sum()),
    )


def friends_log_likelihood(
    law: FriendDistance, edges: Edges, values: IntArray, points: Array, weights: Array | None = None
) -> float:
    """Of all edges under any law, in nats, as fit_friends counts it: for likelihood ratios."""
    return _Friends.of(edges, values, points, weights).log_likelihood(law.b, law.c)


def _model(
    law: FriendDistance, people: int, points: Array, friends: "_Friends", weights: Array | None
) -> dict[str, Any]:
    model: dict[str, Any] = {"kind": "pairwise", "n": people, "values": list(range(len(points)))}
    if weights is not None:
        return model | {"given": law.law(friends.distances, np.asarray(weights, dtype=np.float64)).tolist()}
    places = np.asarray(points, dtype=np.float64).tolist()
    return model | {"distance": {"a": law.a, "b": law.b, "c": law.c, "points": places}}


@final
@dataclass(frozen=True, eq=False)
class _Friends:
    """counts (v, v): edges by their ends' values, symmetric, all edges in total; rows (v,): its sums."""

    distances: Array
    log_weights: Array
    counts: Array
    rows: Array

    @classmethod
    def of(cls, edges: Edges, values: IntArray, points: Array, weights: Array | None) -> "_Friends":
        at = np.asarray(points, dtype=np.float64)
        _check(edges, values, at)
        size, distances = len(at), cdist(at, at)
        first, second = values[edges.first], values[edges.second]
        once = np.bincount(first * size + second, minlength=size * size).reshape(size, size)
        counts = (once + once.T) / 2
        log_weights = np.zeros(size)
        if weights is not None:
            with np.errstate(divide="ignore"):
                log_weights = np.log(np.asarray(weights, dtype=np.float64))
            # A census that says nobody lives where a friend does.
            if not np.isfinite(log_weights[counts.any(axis=0)]).all():
                raise InputError("weights", "0", "a weight above 0 of every value that a friend has")
        return cls(distances, log_weights, counts, counts.sum(axis=1))

    def limits(self) -> tuple[float, float]:
        """Where b is looked for: far below the least distance, far above the greatest."""
        positive = self.distances[self.distances > 0]
        return float(positive.min()) / _NARROW, float(positive.max()) * 1e1

    def all_nearest(self) -> bool:
        """Whether every friend is as near as any value with a weight is: no exponent is too great for that."""
        there = np.where(np.isfinite(self.log_weights), self.distances, np.inf)
        return not self.counts[self.distances > there.min(axis=1)[:, None]].any()

    def is_border(self, b: float) -> bool:
        low, high = self.limits()
        return not low * 1.01 < b < high / 1.01

    def log_likelihood(self, b: float, c: float) -> float:
        """Of all edges in nats, each end with weight 1/2; a pair of values that no friends have counts nothing."""
        logs, norm = self._logs(b, c)
        there = self.counts > 0
        return float((self.counts * np.where(there, logs - norm[:, None], 0.0)).sum())

    def slope(self, b: float, c: float) -> float:
        """The derivative in c; it falls in c, so that there is one likeliest c for each b."""
        law, near = self._law(b, c), np.log(self.distances + b)
        return float((self.rows * (law * near).sum(axis=1)).sum() - (self.counts * near).sum())

    def errors(self, b: float, c: float) -> tuple[float, float] | None:
        """Standard errors of b and c by the observed information; None where it is not positive definite."""
        law, near, pull = self._law(b, c), np.log(self.distances + b), 1 / (self.distances + b)
        near_mean, pull_mean = (law * near).sum(axis=1), (law * pull).sum(axis=1)
        near_centred, pull_centred = near - near_mean[:, None], pull - pull_mean[:, None]
        rows = self.rows
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

    def normalising(self, b: float, c: float) -> float:
        """The mean of 1/Σ over friends' values, as far as doubles go."""
        _, norm = self._logs(b, c)
        here = self.rows > 0
        return float(self.rows[here] @ np.exp(np.clip(-norm[here], -690, 690)) / self.rows.sum())

    def _law(self, b: float, c: float) -> Array:
        logs, norm = self._logs(b, c)
        return np.asarray(np.exp(logs - norm[:, None]))

    def _logs(self, b: float, c: float) -> tuple[Array, Array]:
        """Logs of weight · (distance + b)^{-c} (v, v), and of their sums (v,)."""
        logs = self.log_weights - c * np.log(self.distances + b)
        return logs, np.asarray(logsumexp(logs, axis=1))


def _likeliest(friends: _Friends) -> tuple[float, float]:
    """b of a profile over c: the best of a coarse ladder, then between its neighbours."""
    # A village whose friends all live in one place: the steeper the law, the likelier.
    if friends.all_nearest():
        return friends.limits()[0] * _NARROW, _STEEPEST
    least, most = friends.limits()
    ladder = np.linspace(log(least), log(most), 41)
    scores = [friends.log_likelihood(*_at(friends, float(step))) for step in ladder]
    place = int(np.argmax(scores))
    # Friends who are no nearer than chance has it, as by post: c = 0, whatever b.
    if _at(friends, float(ladder[place]))[1] <= 0:
        return 1.0, 0.0
    low, high = ladder[max(place - 1, 0)], ladder[min(place + 1, len(ladder) - 1)]
    found = minimize_scalar(
        lambda step: -friends.log_likelihood(*_at(friends, step)),
        bounds=(float(low), float(high)),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return _at(friends, float(found.x))


def _at(friends: _Friends, log_b: float) -> tuple[float, float]:
    """b, and its likeliest c."""
    b = float(np.exp(log_b))
    # Friends who live further apart than by chance: an exponent below 0 is no law of this kind.
    if friends.slope(b, 0.0) <= 0:
        return b, 0.0
    if friends.slope(b, _STEEPEST) >= 0:
        return b, _STEEPEST
    high = 1.0
    while friends.slope(b, high) > 0:
        high = min(2 * high, _STEEPEST)
    return b, float(brentq(lambda c: friends.slope(b, c), 0.0, high, xtol=1e-12, rtol=1e-12))


def _check(edges: Edges, values: IntArray, points: Array) -> None:
    """InputError for no edges, one place only, or a value that is none; TooLarge for more than MOST_CELLS places."""
    # Every place as a value of its own: a likelihood takes all pairs of values.
    if len(points) > _MOST_CELLS:
        raise TooLarge("a value grid", f"{len(points)} values", f"use a coarser one, of at most {_MOST_CELLS}")
    if points.ndim != 2 or not np.isfinite(points).all() or not (points != points[:1]).any():
        raise InputError("points", f"of shape {points.shape}", "finite coordinates of each value, not all the same")
    if len(values) != edges.people:
        raise InputError("values", f"of {len(values)} people", f"one for each of {edges.people}")
    if not 0 <= values.min() <= values.max() < len(points):
        odd = int(values.min() if values.min() < 0 else values.max())
        raise InputError("values", odd, f"one of {len(points)}, from 0")
    if not len(edges):
        raise InputError("edges", "none", "at least one")
