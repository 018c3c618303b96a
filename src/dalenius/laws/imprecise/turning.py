"""Chains of two values in which a step may follow or alternate: what each side of a record can add at any output.

Where a step follows, messages given 1 and 0 are furthest apart outside all answers. Where it alternates, the sum takes
back what the record itself adds, and no output says more than the record alone or than the records beyond do. So the
bounds are those outside all answers, at every output, unless dependence is very strong both ways (Result 21.43).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.sides import CLOSE, WIDER, Sides, swept
from dalenius.laws.law import Array, IntArray

OFF: Final = 64 * UNIT
DEPTH: Final = 64
"""Steps on both sides that are looked at one by one."""
Ends = tuple[float, float]
Apart = Callable[[float], Ends]
"""From the log-ratio of messages of the next record given 1 and 0, the least and the most of this one's."""


@final
@dataclass(frozen=True)
class Turn:
    """Of one side of a record, in nats, at every output of a noise whose log-density changes by at most c where the
    record's value does. up: at most how much more than c the likelihood given 1 is above that given 0; down: the other
    way round. plain_up, plain_down: how far at most if the record adds nothing to the answer itself. turned_up,
    turned_down: up and down where the step next to the record alternates."""

    up: float
    down: float
    plain_up: float
    plain_down: float
    turned_up: float
    turned_down: float

    def wider(self, other: "Turn") -> "Turn":
        """No smaller than either, and a little more."""
        return Turn(*(max(a, b) + WIDER for a, b in zip(self._all, other._all, strict=True)))

    def far_from(self, other: "Turn") -> float:
        """The most any of the six differs."""
        return max(abs(a - b) for a, b in zip(self._all, other._all, strict=True))

    def within(self, other: "Turn") -> bool:
        """Whether none is larger."""
        return all(a <= b for a, b in zip(self._all, other._all, strict=True))

    @property
    def _all(self) -> tuple[float, ...]:
        return (self.up, self.down, self.plain_up, self.plain_down, self.turned_up, self.turned_down)


NOTHING: Final = Turn(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@final
class Turning:
    """Of a chain of which every record has the same two scores: own, how far they move the log-density of the noise."""

    def __init__(self, boxes: Boxes, own: float) -> None:
        self._boxes, self._own = boxes, own
        one = boxes.rows[..., 1]
        self._later, self._earlier = [_by_rows(each) for each in one], [_by_odds(each) for each in one]
        kinds = boxes.which.tolist()
        ahead, self.past = _along(kinds[::-1], self._later, own), _along(kinds, self._earlier, own)
        self.future = Sides(ahead.states, ahead.at[::-1].copy())
        self._alternates = (one[:, 0, 1] < one[:, 1, 0])[boxes.which]

    @property
    def may_follow(self) -> bool:
        """Whether at every step a 1 may be no less likely after a 1 than after a 0."""
        one = self._boxes.rows[..., 1]
        return bool((one[:, 1, 1] >= one[:, 0, 0]).all())

    def most(self, place: int, past: Array) -> Array:
        """By cell of its law (2, cells): at most how far the likelihood of any output given 1 is above that given 0,
        and the other way round; past (2, cells): how far what lies before it makes that, by laws that follow."""
        future = self.future.states[self.future.at[place]]
        ahead = self._own + np.array([[future.up], [future.down]])
        return np.asarray(np.maximum(np.maximum(past, 0.0) + ahead, self.both[place][:, None]))

    @cached_property
    def both(self) -> Array:
        """By record, at most how far the likelihood given 1 is above that given 0, and the other way round (n, 2), if
        the steps on both of its sides alternate; -inf where they cannot."""
        found = np.stack([self._exchanged(start) for start in (1, 0)], axis=1)
        inner = np.flatnonzero(found[:, 0] > -np.inf)
        around = [self.future.at[inner], self.past.at[inner - 1], self._boxes.which[inner - 1]]
        around += [self.past.at[inner], self.future.at[inner + 1], self._boxes.which[inner]]
        _, first, kind = np.unique(np.stack(around), axis=1, return_index=True, return_inverse=True)
        known = np.array([self._in_turn(place) for place in inner[first].tolist()]).reshape(-1, 2)
        found[inner] = np.minimum(found[inner], known[kind.ravel()])
        return found

    def _exchanged(self, start: int) -> Array:
        """Laws that alternate on both sides are mixtures, with the same weights given 1 and 0, of laws in which a side
        does not depend on the record, and laws in which both neighbours have the other value: whose sum is that of a
        record with the values exchanged, and sides one shorter. start: 1 for that given 1 above that given 0."""
        past, future = _values(self.past), _values(self.future)
        found = np.full(len(self._boxes), -np.inf)
        places, depth = self._turns(np.arange(len(found)), 0), 0
        while len(places) and depth < DEPTH:
            one, other, way = places - 1 - depth, places + 1 + depth, (depth + start) % 2
            nearest = np.maximum(past[2 + way, one], future[2 + way, other])
            most = np.maximum(self._own + past[way, one] + future[way, other], nearest)
            found[places] = np.maximum(found[places], most)
            depth += 1
            places = self._turns(places, depth)
        # Beyond, whichever records are the most.
        until = np.maximum.accumulate(past.reshape(2, 2, -1).max(axis=1), axis=1)[:, places - 1 - depth]
        beyond = np.maximum.accumulate(future.reshape(2, 2, -1).max(axis=1)[:, ::-1], axis=1)[:, ::-1][
            :, places + 1 + depth
        ]
        most = np.maximum(self._own + until[0] + beyond[0], np.maximum(until[1], beyond[1]))
        found[places] = np.maximum(found[places], most)
        return found

    def _turns(self, places: IntArray, depth: int) -> IntArray:
        """Of these records, those whose steps that far off may alternate on both sides."""
        last = len(self._alternates)
        places = places[(places - 1 - depth >= 0) & (places + depth < last)]
        return places[self._alternates[places - 1 - depth] & self._alternates[places + depth]]

    def _in_turn(self, place: int) -> Ends:
        """The same, what one side and the record say first, and then the other side."""
        which = self._boxes.which
        future, past = self.future.states[self.future.at[place]], self.past.states[self.past.at[place]]
        before, after = (side.states[side.at[at]] for side, at in ((self.past, place - 1), (self.future, place + 1)))
        ways = [
            _then(self._own, future, before, self._earlier[which[place - 1]]),
            _then(self._own, past, after, self._later[which[place]]),
        ]
        up, down = np.min(ways, axis=0).tolist()
        return up, down


def _then(own: float, near: Turn, far: Turn, apart: Apart) -> Ends:
    """near: of one side, whose step alternates, far: of what lies behind the neighbour on the other side."""
    up, down = own + near.turned_up, own + near.turned_down
    more = _turned(apart, up - near.plain_up - far.plain_down, down - near.plain_down - far.plain_up)
    return up + more[0], down + more[1]


def _turned(apart: Apart, up: float, down: float) -> Ends:
    """At most how far a step that alternates moves both ratios, where the message given the likelier value is larger by
    no less than this many nats, if that is negative."""
    return _over(apart(min(0.0, up))[1]), _over(-apart(max(0.0, -down))[0])


def _values(sides: Sides[Turn]) -> Array:
    """By record (4, n): up, down, plain_up and plain_down."""
    states = np.array([(each.up, each.down, each.plain_up, each.plain_down) for each in sides.states])
    return np.asarray(states[sides.at].T)


def _along(kinds: list[int], moves: list[Apart], own: float) -> Sides[Turn]:
    def step(far: Turn, i: int) -> Turn:
        return _after(far, moves[kinds[i]], own)

    def settled(old: Turn, new: Turn, i: int) -> Turn | None:
        if old.far_from(new) > CLOSE:
            return None
        wide = old.wider(new)
        return wide if step(wide, i).within(wide) else None

    return swept(NOTHING, kinds, step, settled)


def _after(far: Turn, apart: Apart, own: float) -> Turn:
    """One step nearer. Of laws that alternate, the likelihood given 1 is above that given 0 by more than the record
    itself allows only as far as all beyond the next one are by more than that."""
    low, high = -(own + far.down), own + far.up
    least, most = zip(apart(low), apart(high), strict=True)
    turned = _turned(apart, own - far.plain_down, own - far.plain_up)
    turned_up = min(_over(far.plain_down - own), turned[0])
    turned_down = min(_over(far.plain_up - own), turned[1])
    return Turn(
        max(_over(most[1]), turned_up),
        max(_over(-least[0]), turned_down),
        max(most),
        -min(least),
        turned_up,
        turned_down,
    )


def _over(nats: float) -> float:
    return max(nats, 0.0)


def _by_rows(rows: Array) -> Apart:
    """Of the future: rows (2, 2), ends of Pr[1 | x], by x."""
    corners = list(product(rows[:, 1].tolist(), rows[:, 0].tolist()))

    def apart(tilt: float) -> Ends:
        found = [
            float(np.logaddexp(np.log1p(-p), np.log(p) + tilt) - np.logaddexp(np.log1p(-q), np.log(q) + tilt))
            for p, q in corners
        ]
        return _wide(min(found), max(found), tilt)

    return apart


def _by_odds(rows: Array) -> Apart:
    """Of the past: the chances of the record before given 1 and given 0 have the odds ratio of the rows, whatever its
    law is, and the worst law of it is that of Result 21.13."""
    (p_low, p_high), (q_low, q_high) = rows[:, 1], rows[:, 0]
    odds = [float(np.log(p) - np.log1p(-p) - np.log(q) + np.log1p(-q)) for p, q in ((p_low, q_high), (p_high, q_low))]

    def apart(tilt: float) -> Ends:
        found = [2 * float(np.logaddexp(0, (u + tilt) / 2) - np.logaddexp(u / 2, tilt / 2)) for u in odds]
        return _wide(min(*found, 0.0), max(*found, 0.0), tilt)

    return apart


def _wide(low: float, high: float, tilt: float) -> Ends:
    off = OFF * (1 + abs(tilt))
    return low - off, high + off
