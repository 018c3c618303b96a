"""The linear program of a group: how well any test can tell two values of a record apart (Result 13.2).

With the state c of the others let a test flag with probability v(c) where the record has the other value. Then it flags
with at most f(v(c)) where it has the secret, and v is any function with v(c) <= f^d(v(c′)) where d records differ. So

    δ′(ε′) = max Σ_c gain(c) f(v(c)) − e^{ε′} cost(c) v(c)

and f is the least of its tangents: they are added where the last solution needs them. The upper end is what the dual's
multipliers prove, the lower what v, made feasible, attains: both hold for whatever the solver says.

Two twins have the same bit with chance 0.9, and a pipeline is 1-differentially private. For the other twin's two states
gain is (0.9, 0.1) and cost (0.1, 0.9). The best test flags with probability 0.269 if the other has the secret too, and
0.099 if not, and e times as often if the record has it. It gains δ′ = 0.3697 at ε′ = 1.
"""

from dataclasses import dataclass, fields
from functools import lru_cache
from math import exp, fsum
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.conversion.conditional_law_of_others import Dependence
from dalenius.conversion.profile import PrivacyProfile

_SOLVERS: Final = ("highs-ds", "highs-ipm")
"""The solvers. The second serves where the first gives up, as the simplex does on few programs; neither is trusted."""
CLOSE: Final = 1e-9
"""A gap, relative to the upper end, that is small enough."""
_PATIENT: Final = 4
"""The rounds without a smaller gap after which there will be none."""
NEAR_ENOUGH: Final = 1e-5
"""The relative distance at which values do not count as the same."""
_STARTS: Final = (1.0, 0.7, 0.5, 0.35, 0.25, 0.17, 0.1, 0.06, 0.03, 0.01, 1e-3, 1e-5)
"""The places of the first tangents, as shares of the most that v can be; every third for pairs of states too."""


@final
@dataclass(frozen=True, eq=False)
class Cuts:
    """Lines x(of) <= slopes·x(by) + rises, slopes at least 0, all (rows,); x is v, and f(v) where `of` is n or more."""

    of: IntArray
    by: IntArray
    slopes: Array
    rises: Array

    def plus(self, other: "Cuts") -> "Cuts":
        """Returns these lines, then those of the `other`."""
        both = ((getattr(each, field.name) for each in (self, other)) for field in fields(self))
        return Cuts(*(np.concatenate(list(parts)) for parts in both))


@final
@dataclass(frozen=True, eq=False)
class _Optimum:
    """The solver's answer: values (n,), multipliers `prices` (rows,) of at least 0, and `level`, the equation's."""

    values: Array
    prices: Array
    level: float


def maximised(weights: Array, rows: Cuts, top: float | None, equation: Array | None = None) -> _Optimum | None:
    """Maximises weights·x over 0 <= x <= top, the rows, and equation·x = 1 if given; None where the solver fails."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    # Because the solver takes no larger coefficient.
    n, kept = len(weights), np.flatnonzero(rows.slopes <= 1e13)
    places = np.arange(len(kept))
    entries = np.append(np.ones(len(kept)), -rows.slopes[kept])
    columns = np.append(rows.of[kept], rows.by[kept])
    matrix = coo_array((entries, (np.append(places, places), columns)), shape=(len(kept), n)).tocsr()
    scale = float(np.abs(weights).max()) or 1.0
    total = 1.0 if equation is None else float(equation.sum())
    done = None
    for method in _SOLVERS:
        done = linprog(  # type: ignore[call-overload]
            -weights / scale,
            A_ub=matrix,
            b_ub=rows.rises[kept],
            A_eq=None if equation is None else equation[None] / total,
            b_eq=None if equation is None else [1 / total],
            bounds=(0, top),
            method=method,
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        # Because multipliers prove a bound, and values are made feasible, optimal or not.
        if done.x is not None:
            break
    if done is None or done.x is None:
        return None
    own = np.maximum(-done.ineqlin.marginals, 0.0)
    # Because the ratio at δ′ = 0 has an equation too, which the system of the inner variables does not know.
    if equation is None and top is not None:
        own = _polished(matrix, weights / scale, done.x / top, own)
    prices = np.zeros(len(rows.of))
    prices[kept] = own * scale
    level = 0.0 if equation is None else -float(done.eqlin.marginals[0]) * scale / total
    return _Optimum(np.clip(done.x, 0.0, top), prices, level)


def _polished(matrix, weights: Array, values: Array, prices: Array) -> Array:  # type: ignore[no-untyped-def]
    """Returns the multipliers with their last digits: those above 0 solve the equations of the inner variables."""
    tight, inner = np.flatnonzero(prices > 1e-13), np.flatnonzero((values > 1e-9) & (values < 1 - 1e-9))
    if not len(tight) or not len(inner):
        return prices
    system = matrix[tight][:, inner].toarray().T
    change, *_ = np.linalg.lstsq(system, weights[inner] - system @ prices[tight], rcond=1e-12)
    found = prices.copy()
    found[tight] = np.maximum(found[tight] + change, 0.0)
    return found


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """The most a test gains, enclosed; a feasible v that attains the lower end (n,); the tangents, for any ε′."""

    delta: Enclosure
    flagged: Array
    cuts: Cuts | None = None


def solve(
    dependence: Dependence,
    profile: PrivacyProfile,
    epsilon: float,
    steps: int,
    before: Solution | None = None,
    target: float | None = None,
    upper_only: bool = False,
    close: float = CLOSE,
    negligible: Enclosure | None = None,
) -> Solution:
    """Returns δ′ at ε′ = epsilon, enclosed.

    Args:
        dependence: The question.
        profile: The pipeline's privacy profile.
        epsilon: ε′, in nats.
        steps: How many neighbours further a record with another value is.
        before: The solution at another ε′, from which this one starts.
        target: A δ′; no more is done than to decide on which side of it the answer is. None for the answer itself.
        upper_only: Whether the upper end is only what the profile's bounds allow, attained or not.
        close: A relative gap that is small enough.
        negligible: Ends up to which, less `NEAR_ENOUGH`, it does not matter how small δ′ is.
    """
    lower, upper = (0.0, 0.0) if negligible is None else (end * (1 - NEAR_ENOUGH) for end in negligible)
    within = None if upper_only else profile.within
    found = _Program(dependence, profile, epsilon, steps).solved(
        before, target, close, lower if within is None else upper
    )
    # Because a pure or Gaussian pipeline attains f itself, one program gives both ends.
    if within is None or not found.delta.upper:
        return found
    inner = _Program(dependence, within, epsilon, steps).solved(negligible=lower)
    return Solution(Enclosure(inner.delta.lower, found.delta.upper), inner.flagged)


_FLAGS: Final = np.append(np.geomspace(1e-300, 1e-3, 1000), np.geomspace(1e-3, 1.0, 60)[1:])
"""Probabilities of a flag at which the gain of a test is bounded: about a factor of two apart."""


@lru_cache(maxsize=16)
def _flagged_most(profile: PrivacyProfile, changes: int) -> Array:
    """Returns f^k of each of these probabilities, from above (changes + 1, flags)."""
    if not profile.chained:
        slopes, rises = profile.lines_to(_FLAGS, changes)
        return np.minimum((slopes * _FLAGS + rises) * (1 + 8 * UNIT), 1.0)
    found = [_FLAGS]
    for _ in range(changes):
        slopes, rises = profile.tangents(found[-1])
        with np.errstate(over="ignore"):
            found.append(np.minimum((slopes * found[-1] + rises) * (1 + 8 * UNIT), 1.0))
    return np.array(found)


class _Program:
    """One question at one ε′: variables are v and f(v) of n states, each as a share of the most that it can be."""

    def __init__(self, dependence: Dependence, profile: PrivacyProfile, epsilon: float, steps: int) -> None:
        self.profile, self.steps = profile, steps
        fold, error = exp(min(epsilon, 700.0)), dependence.error
        self.n = len(dependence.gain)
        spare, rounding = 1 - fold * dependence.share, 8 * UNIT + (1 + fold * dependence.share) * error
        self.most, self.least = max(spare + rounding, 0.0), max(spare - rounding, 0.0)
        self.gain, self.cost = dependence.gain, dependence.cost * fold
        # Because a double may not hold smaller chances, a bound from above counts no cost of theirs.
        self.known = dependence.cost > 1e-290
        self.error = error + 8 * UNIT * (1 + abs(epsilon))
        self.distance = dependence.distance * steps
        self.farthest = int(self.distance.max(initial=0)) + steps
        near, own = needed(dependence.distance), np.eye(self.n, dtype=bool)
        self.starts = np.nonzero(near)
        # Because a map says something of its own at every distance, each pair has rows; else those between neighbours.
        self.of, self.by = np.nonzero(near if profile.chained else ~own)
        place, other = np.nonzero(own if profile.chained else np.ones((self.n, self.n)))
        self.rows = np.append(place + self.n, self.of), np.append(other, self.by)
        self.box = self._box()
        self.boxes = self._boxes()

    def _box(self) -> Array:
        """Returns the most that v can be (n,) where the gain is not negative: Σ cost·v is then at most the gain."""
        # If a value is so likely that its chance cannot grow e^ε′-fold, there is nothing to gain.
        if not self.most:
            return np.ones(self.n)
        own = self._own_box()
        box = own.copy()
        slopes, rises = self.profile.lines_to(own, self.farthest)
        for place in np.flatnonzero(own < 1):
            there = self.distance[:, place], place
            box = np.minimum(box, (slopes[there] * own[place] + rises[there]) * (1 + 8 * UNIT))
        return np.asarray(np.clip(box, 1e-300, 1.0))

    def _own_box(self) -> Array:
        """Returns the most that v can be where each state is looked at alone.

        With v there the others' are at most f^d(v), and f^{1+d}(v) is what they gain; their sum is concave in v, and
        less than the state's own cost from some v on.
        """
        changes = self.distance + self.steps
        flags = _flagged_most(self.profile, int(changes.max()))
        gains = np.zeros((self.n, len(flags)))
        np.add.at(gains, (np.arange(self.n)[:, None], changes.T), self.most * (1 + 3 * self.error) * self.gain)
        with np.errstate(over="ignore", divide="ignore"):
            paid = self.cost[:, None] * _FLAGS < gains @ flags
        # From this point of the grid on the cost is larger.
        last = len(_FLAGS) - np.argmax(paid[:, ::-1], axis=1)
        return np.asarray(np.where(paid.any(axis=1), np.append(_FLAGS, 1.0)[np.minimum(last, len(_FLAGS))], _FLAGS[0]))

    def solved(
        self, before: Solution | None = None, target: float | None = None, close: float = CLOSE, negligible: float = 0.0
    ) -> Solution:
        """Adds cuts, from those of `before`, until the gap is `close`, `negligible` or beside `target`, or stays."""
        nothing = Solution(Enclosure(0.0, 0.0), np.zeros(self.n))
        if not self.most:
            return nothing
        cuts = self._starting() if before is None or before.cuts is None else before.cuts
        best = nothing.flagged if before is None else before.flagged
        lower, upper = self._attained(best), self.most
        gaps = [upper]
        for _ in range(40):
            found = self._optimum(cuts)
            # If neither solver has an answer, what was proven in the rounds before still holds.
            if found is None:
                break
            values, prices = found
            upper = min(upper, self._proved(cuts, prices))
            flagged = max(self._feasible(values[: self.n]), key=self._attained)
            gained = self._attained(flagged)
            if gained > lower:
                lower, best = gained, flagged
            gaps.append(upper - lower)
            # If another question leaks more, or the target is on one side of both ends, closer is of no use.
            if upper < negligible or (target is not None and (upper <= target or lower > target)):
                break
            if gaps[-1] <= close * upper or (len(gaps) > _PATIENT and gaps[-1] > 0.99 * gaps[-1 - _PATIENT]):
                break
            more = self._violated(values, flagged)
            if not len(more.of):
                break
            cuts = cuts.plus(more)
        return Solution(Enclosure(lower, min(max(upper, lower), 1.0)), best, cuts)

    def _starting(self) -> Cuts:
        """Returns f(v) <= 1, and tangents at some shares of the most that v can be."""
        everybody = np.arange(self.n)
        cuts = Cuts(everybody + self.n, everybody, np.zeros(self.n), np.ones(self.n))
        for share in _STARTS:
            cuts = cuts.plus(self._tangents(self.box * share, everybody + self.n, everybody))
            if share in _STARTS[::3]:
                cuts = cuts.plus(self._tangents(self.box * share, *self.starts))
        return cuts

    def _tangents(self, at: Array, of: IntArray, by: IntArray) -> Cuts:
        """Returns tangents at the v of `at` (n,), by pairs of `of` and `by` (rows,): of f if of >= n, else of f^d."""
        times = self.distance[of % self.n, by] + np.where(of >= self.n, self.steps, 0)
        slopes, rises = self.profile.lines_to(at, self.farthest)
        return Cuts(of, by, slopes[times, by], rises[times, by])

    def _violated(self, values: Array, flagged: Array) -> Cuts:
        """Returns tangents that the solver's v breaks: where it is, a little off 0, and where it had to be moved to."""
        # Because f may be steep beyond measure at 0, the tangent there is taken at this share of the most v can be.
        floor = 1e-9 * self.box
        found = self._tangents(np.maximum(values[: self.n], floor), *self.rows)
        found = found.plus(self._tangents(np.maximum(flagged, floor), *self.rows))
        over = values[found.of] - found.slopes * values[found.by] - found.rises
        kept = np.flatnonzero(over > 1e-12 * np.maximum(values[found.of], 1e-2 * self.boxes[found.of]))
        return Cuts(found.of[kept], found.by[kept], found.slopes[kept], found.rises[kept])

    def _boxes(self) -> Array:
        """Returns the most that v and f(v) can be (2n,)."""
        slopes, rises = (each[-1] for each in self.profile.lines_to(self.box, self.steps))
        return np.append(self.box, np.minimum(slopes * self.box + rises, 1.0) * (1 + 8 * UNIT))

    def _optimum(self, cuts: Cuts) -> tuple[Array, Array] | None:
        """Returns the solver's v and f(v) (2n,), and the cuts' multipliers; every variable is a share of its box."""
        boxes = self.boxes
        tops = boxes[cuts.of]
        weights = np.append(-self.cost, self.most * self.gain) * boxes
        rows = Cuts(cuts.of, cuts.by, cuts.slopes * boxes[cuts.by] / tops, np.minimum(cuts.rises / tops, 1.0))
        done = maximised(weights, rows, 1.0)
        return None if done is None else (done.values * boxes, done.prices / tops)

    def _proved(self, cuts: Cuts, prices: Array) -> float:
        """Returns the bound that multipliers of at least 0 prove, whatever they are: no feasible v gains more."""
        boxes = self.boxes
        gains = self.most * self.gain * (1 + self.error)
        weights = np.append(np.where(self.known, -self.cost * (1 - self.error), 0.0), gains)
        used, size = weights.copy(), np.abs(weights)
        for places, terms in ((cuts.of, prices), (cuts.by, -prices * cuts.slopes)):
            used -= np.bincount(places, terms, 2 * self.n)
            size += np.bincount(places, np.abs(terms), 2 * self.n)
        many = np.bincount(cuts.of, minlength=2 * self.n) + np.bincount(cuts.by, minlength=2 * self.n)
        spare = np.maximum(used + UNIT * (8 + many) * size, 0.0)
        return fsum([*(prices * cuts.rises), *(spare * boxes)]) * (1 + 8 * UNIT) + 1e-290

    def _feasible(self, values: Array) -> tuple[Array, Array]:
        """Returns v lowered until every constraint holds; and first raised, where that is too little."""
        lowered = self._lowered(values)
        raised = np.maximum(values, 1.0 - self._lowered(1.0 - values))
        return lowered, self._lowered(raised)

    def _lowered(self, values: Array) -> Array:
        """Returns v, lowered until v(c) <= f^d(v(c′)) for all pairs of states: at worst to its least value."""
        flagged = np.minimum(values, 1.0)
        for _ in range(self.n):
            flags = self.profile.flags_to(flagged, self.farthest)
            tops = flags[self.distance[self.of, self.by], self.by]
            lowered = flagged.copy()
            np.minimum.at(lowered, self.of, tops)
            # If nothing had to be lowered, every constraint holds, as doubles are.
            if np.array_equal(lowered, flagged):
                return flagged
            flagged = lowered
        return np.full(self.n, float(flagged.min()))

    def _attained(self, flagged: Array) -> float:
        """Returns the gain of a feasible v (n,), from below; never below 0, which v = 0 gains."""
        found = secret_flags(self.profile, flagged, self.distance, self.steps)
        gains, costs = self.least * self.gain * found * (1 - self.error), self.cost * flagged * (1 + self.error)
        total, size = fsum([*gains, *-costs]), fsum([*gains, *costs])
        return max(total - 8 * UNIT * size - 1e-290, 0.0)


def secret_flags(profile: PrivacyProfile, flagged: Array, distance: IntArray, steps: int) -> Array:
    """Returns how often a test may flag if the record has the secret, from below (n,).

    Args:
        profile: The pipeline's privacy profile.
        flagged: How often it flags if the record has the other value, a feasible v, by state of the others (n,).
        distance: How many neighbours apart the states are (n, n).
        steps: How many neighbours further a record with another value is.
    """
    if profile.chained:
        return np.asarray(profile.flags_to(flagged, steps)[-1])
    flags = profile.flags_to(flagged, int(distance.max(initial=0)) + steps)
    return np.asarray(np.min(flags[distance + steps, np.arange(len(flagged))], axis=1))


def needed(distance: IntArray) -> Array:
    """Returns which pairs of states have no third between them (n, n): f^{d+e} is f^d of f^e for others.

    distance (n, n): how many records differ. If 0, 1 or 2 others are ill, none and both have one ill between them.

    >>> needed(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])).astype(int).tolist()
    [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    """
    n = len(distance)
    found = ~np.eye(n, dtype=bool)
    for one in range(n):
        between = (distance[one][:, None] + distance) == distance[one][None]
        between[one, :] = False
        between[np.arange(n), np.arange(n)] = False
        found[one] &= ~between.any(axis=0)
    return found
