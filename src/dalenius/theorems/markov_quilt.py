"""The Markov quilt mechanism for chains (Song, Wang, Chaudhuri 2017; Theory §5).

It adds noise for the records near each one, and leaves a share of ε for what is further away. A quilt {X_{i-a},
X_{i+b}} separates the records near X_i, card(near) = a + b - 1 with X_i itself, from all others; a missing side extends
the near ones to the end of the chain. Let the quilt's log-likelihoods given two values of X_i differ by at most e < ε
nats. Then noise of scale card(near)·Δ/(ε - e) hides the rest. Given the quilt, the far records do not depend on X_i,
and changing all near ones moves the answer by at most card(near)·Δ. If all are near, e = 0.

Take a hundred days, each like the one before it with probability .8, at ε = 1. The records 5 before and 5 after leak
e = .312 of a day in the middle, 9 are near, and 9/(1 - .312) = 13.08 is the scale; 100 would hide all of them.

>>> from dalenius.models import Chain
>>> chain = Chain(n=100, transition=((0.8, 0.2), (0.2, 0.8)), initial=(0.5, 0.5)).joints()[0].chain
>>> round(float(cheapest(ExactInfluences(chain), 1.0)), 4)
13.0751
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, up_to_digits
from dalenius.calibration.method_base import Calibration, Method, check, judged, scale_hiding
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.joints import chain_of
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.laws.extended_range import Masses
from dalenius.noise import NoNoise
from dalenius.noise.noise import SCALE_DIGITS
from dalenius.notions import Notion
from dalenius.theorems.limits import MOST_QUILT_CELLS


@final
@dataclass(frozen=True)
class Quilts:
    """Quilts around some records, and how much they leak about them, in nats, rounded up.

    Attributes:
        places: The records' places, from 0, for which this holds.
        left: The leakage of one-sided quilts before the record, at distance 1, 2, .. (a,).
        right: The leakage of one-sided quilts after it (b,).
        both: The leakage of two-sided quilts (a, b).
    """

    places: IntArray
    left: Array
    right: Array
    both: Array


def cheapest(influences: "ExactInfluences", epsilon: float) -> Fraction:
    """Returns max over records of min over quilts of card(near)/(ε - e), rounded up: the scale over Δ.

    Any quilt bounds a record's cost from above. The record of the largest bound is settled by evaluating all its
    quilts; its cheapest is tried on all others; the search ends once some settled record costs as much as any bound.

    Args:
        influences: How much the chain's quilts leak.
        epsilon: ε, in nats.

    Raises:
        TooLarge: If the records depend on others so far away that the search would not fit time or memory.
    """
    people = influences.people
    secret = influences.secret()
    open_ = np.flatnonzero(secret)
    # Because certain records at either end cannot move the answer and leak nothing.
    between = int(open_[-1] - open_[0]) + 1 if len(open_) else 0
    cost, settled = np.where(secret, between / epsilon, 0.0), ~secret
    # The search begins with so many records to either side of a place, and doubles them until they are enough.
    reach = min(16, people - 1)
    while reach:
        place = int(np.argmax(np.where(settled, -inf, cost)))
        if settled[place] or cost[place] <= np.max(cost[settled], initial=0.0):
            break
        # For days that hardly ever change, the separating records are thousands of records away.
        if influences.cells(reach) > MOST_QUILT_CELLS:
            shown = f"quilts up to {reach} records away, around {people} records,"
            raise TooLarge("markov_quilt", shown, "use the exact method", MOST_QUILT_CELLS)
        quilts = influences.around(place, reach)
        cost[quilts.places] = np.minimum(cost[quilts.places], _costs(quilts, people, epsilon))
        # Because quilts not evaluated have more than `reach` records near.
        exact = (cost[quilts.places] * epsilon <= reach + 1) | (reach == people - 1)
        settled[quilts.places[exact]] = True
        # Because records at the ends, which have one-sided quilts, are few, they are settled one by one.
        before, after = min(place, reach), min(people - 1 - place, reach)
        if before and after:
            spent = _distances(reach)[:before, :after]
            left, right = divmod(int(np.argmin(_over(spent, epsilon - quilts.both[:before, :after]))), after)
            near = np.array([left + right + 1])
            cost = np.minimum(cost, _over(near, epsilon - influences.influence(left + 1, right + 1)))
        if not settled[place]:
            reach = min(2 * reach, people - 1)
    worst = float(np.max(cost, initial=0.0))
    return Fraction(up_to_digits(worst * (1 + 1e-14), SCALE_DIGITS)) if worst else Fraction(0)


def _distances(reach: int) -> IntArray:
    """Returns how many records are near, by the distances of a quilt's two sides (reach, reach)."""
    return np.add.outer(np.arange(1, reach + 1), np.arange(reach))


def _costs(quilts: Quilts, people: int, epsilon: float) -> Array:
    """Returns the cost of the cheapest quilt of each place."""
    reach = len(quilts.left)
    before, after = quilts.places, people - 1 - quilts.places
    distance = np.arange(1, reach + 1)
    table = _over(_distances(reach), epsilon - quilts.both)
    np.minimum.accumulate(table, axis=0, out=table)
    np.minimum.accumulate(table, axis=1, out=table)
    two = table[np.minimum(before, reach) - 1, np.minimum(after, reach) - 1]
    cost = np.where((before > 0) & (after > 0), two, inf)
    for side, near, far in ((quilts.left, before, after), (quilts.right, after, before)):
        inside = distance[None, :] <= near[:, None]
        one = np.where(inside, _over(far[:, None] + distance[None, :], epsilon - side[None, :]), inf)
        cost = np.minimum(cost, one.min(axis=1))
    return cost


def _over(near: IntArray, left: Array) -> Array:
    """Returns card(near) over what is left of ε; infinite where a quilt leaks all of ε."""
    return np.asarray(np.divide(near, left, out=np.full(np.broadcast(near, left).shape, inf), where=left > 0))


@final
class ExactInfluences:
    """The influences of a chain of `people` records: how much its quilts leak about each record.

        e = ln max_{s,t} [max_x Pr(X_{i+b}=x|s)/Pr(X_{i+b}=x|t)] · [max_x Pr(X_{i-a}=x|s)/Pr(X_{i-a}=x|t)],

    over values s, t and x that can occur: given X_i the two ends are independent.

    Influences fall in a and in b, since what is further away is a randomised function of what is nearer.
    """

    def __init__(self, chain: MarkovChain) -> None:
        self._possible = chain.possible
        self.people, self.states = (int(n) for n in chain.possible.shape)
        self._even = chain.one_step is not None and bool(chain.possible.all())
        self._steps = chain.steps[:1] if self._even else chain.steps
        self._left: list[Array] = []
        self._right: list[Array] = []
        self._ahead: Masses | None = None
        # Because the marginals are sums and quotients from the first record on, they are off by so much.
        self._doubt = (4 * self.people * (2 * self.states + 4) + 16) * UNIT
        self._logs = chain.log_marginals
        # The array has log Pr(X_i=t)/Pr(X_i=s) at (i, s, t), rounded up; -inf where either cannot be.
        both = chain.possible[:, :, None] & chain.possible[:, None, :]
        shift = _logs_of(chain.masses[:, None, :], chain.masses.with_last_axis())
        self._shift = np.where(both, shift + 8 * UNIT * np.abs(np.where(both, shift, 0.0)) + self._doubt, -np.inf)

    def secret(self) -> NDArray[np.bool_]:
        """Returns which records have two or more values (people,)."""
        return np.asarray(self._possible.sum(axis=1) > 1)

    def cells(self, reach: int) -> float:
        """Returns how many entries the tables for distances up to `reach` have."""
        return float(reach) * self.states**2 * (2.0 * len(self._steps) + reach)

    def around(self, place: int, reach: int) -> Quilts:
        """Returns all quilts around this place and the places equivalent to it, at distances up to `reach`."""
        self._extend(reach)
        here = 0 if self._even else place
        left, right = (np.array([each[here] for each in side[:reach]]) for side in (self._left, self._right))
        return self._of(self._alike(place), left, right)

    def influence(self, left: int, right: int) -> Array:
        """Returns what the quilt at distances `left` and `right` leaks about each record (people,), in nats.

        It is infinite where the quilt does not fit, and known only at distances evaluated before.
        """
        pairs = self._possible[:, :, None] & self._possible[:, None, :] & ~np.eye(self.states, dtype=bool)
        with np.errstate(invalid="ignore"):
            total = self._left[left - 1] + self._shift + self._right[right - 1]
        worst = np.max(np.where(pairs, total, 0.0), axis=(1, 2))
        place = np.arange(self.people)
        return np.where((place >= left) & (place + right < self.people), worst, np.inf)

    def _alike(self, place: int) -> IntArray:
        """Returns places whose records have the same marginal law as this one, in a chain of one transition matrix."""
        if not self._even:
            return np.array([place])
        differences = np.abs(self._logs - self._logs[place])
        # Because logs of marginals closer than this are of one law, as the last days of a chain that has settled.
        return np.flatnonzero((differences <= 1e-11).all(axis=1))

    def _of(self, places: IntArray, left: Array, right: Array) -> Quilts:
        """Returns the quilts; left, right (reach, k, k): log-ratios, the left ones without Pr(X_i=t)/Pr(X_i=s) yet."""
        states = np.flatnonzero(self._possible[places[0]])
        reach = len(left)
        one_left, one_right, both = np.zeros(reach), np.zeros(reach), np.zeros((reach, reach))
        for s in states:
            for t in states:
                if s != t:
                    shift = float(np.max(self._shift[places, s, t]))
                    one_left = np.maximum(one_left, left[:, s, t] + shift)
                    one_right = np.maximum(one_right, right[:, s, t])
                    both = np.maximum(both, (left[:, s, t] + shift)[:, None] + right[:, s, t][None, :])
        return Quilts(places, one_left, one_right, both)

    def _extend(self, reach: int) -> None:
        """Adds, by distance, the log-ratios of each place (only one, where all are the same)."""
        while len(self._left) < reach:
            distance = len(self._left) + 1
            # One matrix for all steps has powers; with several each place has products of its own.
            if self._ahead is None:
                self._ahead = self._steps
            elif self._even:
                self._ahead = self._ahead.matmul(self._steps)
            else:
                self._ahead = self._steps[: self.people - distance].matmul(self._ahead[1:])
            doubt = 4 * distance * (self.states + 3) * UNIT
            right = _log_ratios(self._ahead, doubt)
            # Only values of the record before that can occur count.
            there = self._possible[: self.people - distance, None, :]
            turned = self._ahead.turned()
            left = _log_ratios(turned if self._even else turned.where(there), doubt)
            if not self._even:
                missing = np.full((distance, self.states, self.states), np.inf)
                left, right = np.concatenate([missing, left]), np.concatenate([right, missing])
            self._left.append(left)
            self._right.append(right)


def _log_ratios(laws: Masses, doubt: float) -> Array:
    """Returns max over x of log laws[s, x]/laws[t, x], where laws[s, x] > 0, as (m, s, t), rounded up.

    laws (m, s, x); doubt: the error due to the laws.
    """
    states = laws.mantissa.shape[1]
    found = np.full((len(laws), states, states), -np.inf)
    for t in range(states):
        found[:, :, t] = _logs_of(laws, laws[:, t : t + 1]).max(axis=2)
    rounding = 8 * UNIT * np.abs(np.where(np.isfinite(found), found, 0.0))
    return np.asarray(found + rounding + doubt)


def _logs_of(some: Masses, others: Masses) -> Array:
    """Returns the logs of quotients, in which zeros are told by structure, not by size.

    They are -inf for 0 over anything, inf for anything else over 0.
    """
    logs = np.where(some.solid, np.inf, -np.inf)
    both = some.solid & others.solid
    ratio = np.divide(some.mantissa, others.mantissa, out=np.ones(both.shape), where=both)
    return np.where(both, np.log(ratio) + np.log(2.0) * (some.exponent - others.exponent), logs)


@final
class MarkovQuiltMethod(Method):
    """The scale Δ · max over records of min over quilts of card(near)/(ε - e), e the exact influence of a quilt.

    End records are searched too. It is sound on every chain, stationary or not: the proof is above. The answer may be
    any that one record moves by at most Δ.
    """

    name: ClassVar[str] = "markov_quilt"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Returns the least scale for `release` under `notion` that some quilt around every record allows.

        InputError unless all laws are chains.
        """
        epsilon = check(release, notion)
        chains = [chain for joint in release.worlds.joints if (chain := chain_of(joint)) is not None]
        # Because an order of the records parts the near from the far, which households and tables have not.
        if len(chains) < len(release.worlds.joints):
            raise InputError("method", self.name, "a model that is a chain")
        near = max(cheapest(ExactInfluences(chain), epsilon) for chain in chains)
        if not near or not release.sensitivity:
            return judged(self.name, True, "no record can move the answer", release, notion, NoNoise())
        why = (
            "each record's quilt distinguishes its values by at most some e < ε, and the noise hides all nearer "
            "records at ε - e"
        )
        scale = scale_hiding(release, near * release.sensitivity * Fraction(epsilon), notion)
        return judged(self.name, True, why, release, notion, release.noise.with_scale(scale))
