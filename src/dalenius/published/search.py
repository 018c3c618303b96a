"""The search for the cheapest Markov quilt around every record of a chain (Song, Wang, Chaudhuri 2017; Theory §5).

A quilt {X_{i-a}, X_{i+b}} separates the records near X_i, card(near) = a + b - 1 with X_i itself, from all others; a
missing side extends the near ones to the end of the chain. If the quilt's log-likelihoods given two values of X_i
differ by at most e < ε nats, noise of scale card(near)·Δ/(ε - e) hides the rest: given the quilt, the far records do
not depend on X_i, and changing all near ones moves the answer by at most card(near)·Δ. If all are near, e = 0.
"""

import abc
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import up_to_digits
from dalenius.errors import TooLarge
from dalenius.laws.law import Array, IntArray
from dalenius.noise.scaled import DIGITS

FIRST_REACH: Final = 16
MOST_CELLS: Final = 5e7
UP: Final = 1 + 1e-14


@final
@dataclass(frozen=True)
class Quilts:
    """How much quilts leak about the records at these places (from 0), in nats, rounded up.

    left (a,), right (b,): one-sided, at distance 1, 2, ..; both (a, b).
    """

    places: IntArray
    left: Array
    right: Array
    both: Array


class Influences(abc.ABC):
    """How much the quilts of a chain of `people` records leak about each record."""

    people: int

    @abc.abstractmethod
    def secret(self) -> NDArray[np.bool_]:
        """Which records have two or more values (people,)."""

    @abc.abstractmethod
    def cells(self, reach: int) -> float:
        """How many entries the tables for distances up to `reach` have."""

    @abc.abstractmethod
    def around(self, place: int, reach: int) -> Quilts:
        """All quilts around this place and the places equivalent to it, at distances up to `reach`."""

    @abc.abstractmethod
    def influence(self, left: int, right: int) -> Array:
        """What the quilt at these distances, 0 for none, leaks about each record (people,); infinite where it does not
        fit. Only at distances evaluated before."""


def cheapest(influences: Influences, epsilon: float) -> Fraction:
    """max over records of min over quilts of card(near)/(ε - e), rounded up: the scale over Δ. TooLarge where the
    records depend on others so far away that the search would not fit time or memory.

    Any quilt bounds a record's cost from above. The record of the largest bound is settled by evaluating all its
    quilts; its cheapest is tried on all others; the search ends once some settled record costs as much as any bound.
    """
    people = influences.people
    secret = influences.secret()
    # Certain records at either end cannot move the answer and leak nothing.
    cost, settled = np.where(secret, _between(secret) / epsilon, 0.0), ~secret
    reach = min(FIRST_REACH, people - 1)
    while reach:
        place = int(np.argmax(np.where(settled, -inf, cost)))
        if settled[place] or cost[place] <= np.max(cost[settled], initial=0.0):
            break
        if influences.cells(reach) > MOST_CELLS:
            shown = f"quilts up to {reach} records away, around {people} records,"
            raise TooLarge("markov_quilt", shown, "use markov_quilt_approximate, or the exact method")
        quilts = influences.around(place, reach)
        cost[quilts.places] = np.minimum(cost[quilts.places], _costs(quilts, people, epsilon))
        # Quilts not evaluated have more than `reach` records near.
        exact = (cost[quilts.places] * epsilon <= reach + 1) | (reach == people - 1)
        settled[quilts.places[exact]] = True
        for left, right in _best(quilts, place, people, epsilon):
            near = _near(np.arange(people), left, right, people)
            cost = np.minimum(cost, _over(near, epsilon - influences.influence(left, right)))
        if not settled[place]:
            reach = min(2 * reach, people - 1)
    worst = float(np.max(cost, initial=0.0))
    return Fraction(up_to_digits(worst * UP, DIGITS)) if worst else Fraction(0)


def _between(secret: NDArray[np.bool_]) -> int:
    """How many records there are from the first to the last that is not certain."""
    open_ = np.flatnonzero(secret)
    return int(open_[-1] - open_[0]) + 1 if len(open_) else 0


def _near(places: IntArray, left: int, right: int, people: int) -> IntArray:
    """How many records are near; 0 for a side without an end."""
    return np.asarray((left or places + 1) + (right or people - places) - 1)


def _best(quilts: Quilts, place: int, people: int, epsilon: float) -> list[tuple[int, int]]:
    """The cheapest quilts of one place, of those with one end and with two."""
    before, after = min(place, len(quilts.left)), min(people - 1 - place, len(quilts.left))
    distance = np.arange(1, len(quilts.left) + 1)
    found = []
    if before:
        costs = _over(people - 1 - place + distance[:before], epsilon - quilts.left[:before])
        found.append((int(np.argmin(costs)) + 1, 0))
    if after:
        costs = _over(place + distance[:after], epsilon - quilts.right[:after])
        found.append((0, int(np.argmin(costs)) + 1))
    if before and after:
        spent = np.add.outer(distance[:before], distance[:after]) - 1
        a, b = divmod(int(np.argmin(_over(spent, epsilon - quilts.both[:before, :after]))), after)
        found.append((a + 1, b + 1))
    return found


def _costs(quilts: Quilts, people: int, epsilon: float) -> Array:
    """The cheapest quilt of each place."""
    reach = len(quilts.left)
    before, after = quilts.places, people - 1 - quilts.places
    distance = np.arange(1, reach + 1)
    spent = np.add.outer(distance, distance) - 1
    table = _over(spent, epsilon - quilts.both)
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
    return np.asarray(np.divide(near, left, out=np.full(np.broadcast(near, left).shape, inf), where=left > 0))
