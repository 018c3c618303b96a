"""The losses of a stream of answers about each step's value, in logs throughout.

Whatever private mechanisms give the answers, at most α_t = ε_t + L(α_{t−1}) leaks (Results 9.8, 9.9 and 9.11). L says
how far what is known of one step can tell apart two values of the next, the greatest ratio of two rows.

If one of two values is kept with .9 (else drawn anew), and answers have .1 nats, the third says .271 nats of its step.

>>> from dalenius.joints.chain_over_time import persistent
>>> any_losses(persistent((0, 1), 3, 0.9), np.full(3, 0.1)).upper.round(4).tolist()
[0.1, 0.19, 0.2709]
"""

from dataclasses import dataclass
from math import inf, nextafter
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bisection import bisected
from dalenius.bounds import UNIT, Enclosure
from dalenius.composition.limits import LARGEST_LIMIT
from dalenius.joints.chain_over_time import OverTime


@final
@dataclass(frozen=True, eq=False)
class StepLosses:
    """The losses of every step (T,), in nats: lower <= truth <= upper."""

    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.upper)

    def __getitem__(self, step: int) -> Enclosure:
        """Returns the loss of one step, from 0."""
        return Enclosure(float(self.lower[step]), float(self.upper[step]))

    @property
    def largest(self) -> Enclosure:
        """The loss of the step about which most leaks."""
        return Enclosure(float(self.lower.max()), float(self.upper.max()))

    def turned(self) -> "StepLosses":
        """Returns the losses with the last step first."""
        return StepLosses(self.lower[::-1], self.upper[::-1])


@final
@dataclass(frozen=True, eq=False)
class Contraction:
    """The function L of one matrix.

    Attributes:
        inside: Logs, by pair of rows and set of states, of what the likelier row has in the set.
        outside: Logs of what it has outside the set.
        other_inside: Logs of what the other row has in the set.
        other_outside: Logs of what it has outside the set.
        error: The error of L(0).
        roundings: The error that each nat adds to it.
    """

    inside: Array
    outside: Array
    other_inside: Array
    other_outside: Array
    error: float
    roundings: float

    def ends(self, lower: float, upper: float) -> tuple[float, float]:
        """Returns L at `lower`, from below, and at `upper`, from above, all in nats: 0 <= L(α) <= α."""
        ends = np.array([[lower], [upper]])
        above = np.logaddexp(self.inside + ends, self.outside)
        below = np.logaddexp(self.other_inside + ends, self.other_outside)
        low, high = (above - below).max(axis=1, initial=0.0).tolist()
        slack = self.slack(upper)
        return max(low - slack, 0.0), min(high + slack, upper)

    def slack(self, place: float) -> float:
        return self.error + self.roundings * place

    def limit(self, epsilon: float) -> Enclosure:
        """Returns the limit of α ← ε + L(α), in nats, for ε = `epsilon`; infinite where there is none (Result 9.9)."""
        # Because an answer reveals more with every step if it tells of states that the other row cannot reach.
        never = np.isneginf(self.other_inside)
        certain = bool((never & np.isneginf(self.outside)).any())
        growth = epsilon + (0.0 if certain else float(self.inside[never].max(initial=-inf)))
        if growth >= 0 and (certain or growth > self.slack(epsilon)):
            return Enclosure(inf, inf)
        lower = self._largest_below(epsilon)
        step = 8 * self.slack(lower)
        while lower + step < LARGEST_LIMIT and nextafter(epsilon + self.ends(0.0, lower + step)[1], inf) > lower + step:
            step *= 2
        # If rounding cannot tell growth from none, nothing is known from above.
        doubtful = growth >= -self.slack(epsilon) or lower + step >= LARGEST_LIMIT
        return Enclosure(lower, inf if doubtful else lower + step)

    def _largest_below(self, epsilon: float) -> float:
        """Returns a place at which ε + L(α) >= α for certain."""
        low, high = epsilon, 2 * epsilon + 1
        while self._rises(epsilon, high) and high < LARGEST_LIMIT:
            low, high = high, 2 * high
        return bisected(lambda place: self._rises(epsilon, place), low, high)[0]

    def _rises(self, epsilon: float, place: float) -> bool:
        return nextafter(epsilon + self.ends(place, place)[0], -inf) >= place


def _contraction(logs: Array, possible: NDArray[np.bool_], error: float) -> Contraction:
    """Returns L of a matrix; logs (k, k): by rows; possible (k,): the rows that count.

    Of two rows p, q and vectors whose entries differ by a factor of at most e^α, p·v/q·v is largest where v is e^α on
    the states with the largest p/q.
    """
    first, second = np.nonzero(possible[:, None] & possible & ~np.eye(len(logs), dtype=np.bool_))
    rows, others = logs[first], logs[second]
    with np.errstate(invalid="ignore"):
        order = np.argsort(-np.nan_to_num(rows - others, nan=0.0, posinf=inf, neginf=-inf), axis=-1, kind="stable")
    inside, outside = _split(np.take_along_axis(rows, order, axis=-1))
    other_inside, other_outside = _split(np.take_along_axis(others, order, axis=-1))
    parts = inside, outside, other_inside, other_outside
    largest = max(float(np.abs(part[part > -inf]).max(initial=0.0)) for part in parts)
    roundings = 32 * (len(logs) + 2) * UNIT
    return Contraction(inside, outside, other_inside, other_outside, 4 * error + roundings * (1 + largest), roundings)


def _split(rows: Array) -> tuple[Array, Array]:
    """Returns the logs of what the first 1, .., k − 1 entries have, and of the rest."""
    inside = np.logaddexp.accumulate(rows, axis=-1)[:, :-1]
    outside = np.logaddexp.accumulate(rows[:, ::-1], axis=-1)[:, ::-1][:, 1:]
    return inside.ravel(), outside.ravel()


def any_losses(over: OverTime, epsilons: Array) -> StepLosses:
    """Returns the losses about each step's value by the answers up to it, for any mechanisms; 0 where it has one value.

    Args:
        over: The law of the values over time.
        epsilons: ε_t of each answer, in nats (T,).
    """
    several = (over.possible.sum(axis=1) > 1).tolist()
    low = high = float(epsilons[0]) * several[0]
    found = [(low, high)]
    made: dict[tuple[int, bytes], Contraction] = {}
    for step, epsilon in enumerate(epsilons[1:].tolist(), 1):
        which, possible = int(over.backward.which[step - 1]), over.possible[step]
        key = which, possible.tobytes()
        if key not in made:
            made[key] = _contraction(over.backward.logs[which], possible, over.backward.error)
        low, high = made[key].ends(low, high)
        low, high = max(epsilon, nextafter(epsilon + low, -inf)), nextafter(epsilon + high, inf) if high else epsilon
        # If only one value can occur at a step, as being alive at the start, there is nothing to tell apart.
        low, high = low * several[step], high * several[step]
        found.append((low, high))
    lower, upper = np.array(found).T
    return StepLosses(lower, upper)


def limit(over: OverTime, epsilon: float) -> Enclosure | None:
    """Returns the limit of the losses as the steps go on; None where the steps are not all alike.

    Args:
        over: The law of the values over time.
        epsilon: ε of each answer, in nats.
    """
    # With weekdays and Sundays, or a start that rules values out, no one map is applied for ever.
    if not over.backward.only or not (over.possible == over.possible[0]).all():
        return None
    return _contraction(over.backward.logs[0], over.possible[0], over.backward.error).limit(epsilon)


def process_loss(over: OverTime, epsilons: Array) -> Enclosure:
    """Returns the largest sum of ε_t over the steps where two possible paths differ (Result 9.11).

    Args:
        over: The law of the values over time.
        epsilons: ε_t of each answer, in nats (T,).
    """
    differences = 1.0 - np.eye(len(over.values))
    steps = np.where(np.isneginf(over.forward.logs), -inf, 0.0)
    both = np.where(over.possible[:, :, None] & over.possible[:, None, :], 0.0, -inf)
    found = both[0] + differences * epsilons[0]
    for step in range(1, len(over)):
        onwards = steps[over.forward.which[step - 1]][:, :, None]
        one = (onwards + found[:, None, :]).max(axis=0)
        found = (onwards + one.T[:, None, :]).max(axis=0).T + both[step] + differences * epsilons[step]
    longest = float(found.max())
    error = (len(epsilons) + 2) * UNIT * longest if len(epsilons) > 1 else 0.0
    return Enclosure(max(longest - error, 0.0), longest + error)
