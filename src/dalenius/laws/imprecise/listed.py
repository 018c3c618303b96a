"""A few records of two values: how far apart an output can be under the two values of one of them, over all laws in
the boxes, by listing what they add up to and every output and cutting the past's boxes until the bound is close.

Rows after the record are at the ends of their intervals, since the ratio of likelihoods is linear-fractional in each.
Those before it lie on the boundary of their step's box, where given the laws of single records the ratio is monotone
(Result 21.36). Over a cell of the coordinates that are left the largest corner and what the curvature allows bound the
ratio.
"""

from math import inf
from typing import Final, NamedTuple, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.cuts import Cuts, Free
from dalenius.laws.imprecise.past import THIRD, logit
from dalenius.laws.imprecise.paths import Paths, outputs_of
from dalenius.laws.law import Array, IntArray

MOST: Final = 8
"""Records."""
OUTPUTS: Final = 64
CLOSE: Final = 3e-4
"""Relative to the ratio: a bound no further above an attained value is not cut."""
TINY: Final = 1e-10
WORK: Final = 4e7
"""Terms that are summed for one record, about; then the bound is what it is."""
BATCH: Final = 1e6
FAR: Final = 500.0
"""Nats between densities of the noise, beyond which doubles are not trusted."""
OFF: Final = 4096 * UNIT


class Seen(NamedTuple):
    """Of cells: the largest log W(y|1) - log W(y|0) and the other way round (m, 2) that is attained, and a bound; and
    the coordinate to cut."""

    attained: Array
    bounds: Array
    wide: IntArray


@final
class Listed:
    """Around one record, from 0. scores (n, 2, axes): what each record's values add to the answer; rate: nats by which
    the log-density of the noise changes per unit; outputs (m, axes): those that are looked at."""

    def __init__(self, boxes: Boxes, scores: Array, rate: float, place: int, outputs: Array) -> None:
        rows = boxes.rows[boxes.which][..., 1]
        self._first = logit(boxes.first[:, 1])
        self._rows = logit(rows[:place])
        self._rate = rate
        self._paths = Paths(scores, rows, rate, place, outputs)

    @staticmethod
    def fits(boxes: Boxes, scores: Array, rate: float) -> bool:
        """Whether the records and outputs are few enough."""
        if len(boxes) > MOST:
            return False
        reach = np.abs(np.diff(scores, axis=1)).sum(axis=(0, 1, 2))
        return bool(rate * reach <= FAR and len(outputs_of(scores)) <= OUTPUTS)

    def above(self, enough: Array | float = -inf) -> Array:
        """At most this (2,) is log W(y|1) - log W(y|0), and the other way round, at these outputs, whatever the law;
        what is below `enough` (2,) is not made smaller."""
        steps = [((low[1], high[1]), (low[0], high[0])) for low, high in self._rows.tolist()]
        cells = Cuts.over((float(self._first[0]), float(self._first[1])), steps)
        best, found, done = np.full(2, -np.inf), np.full(2, -np.inf), 0.0
        while len(cells):
            left = []
            for free, alike in cells.alike():
                terms = 2.0 ** free.sum() * self._paths.ends * (1 + free.sum())
                done += len(alike) * terms
                for part in np.array_split(np.arange(len(alike)), min(len(alike), 1 + int(len(alike) * terms / BATCH))):
                    looked = self._looked(alike.taken(part), free)
                    best = np.maximum(best, looked.attained.max(axis=0))
                    close = best + CLOSE * np.abs(best).max() + TINY
                    kept = (looked.bounds <= np.maximum(enough, close)).all(axis=1) | (done > WORK)
                    found = np.maximum(found, looked.bounds[kept].max(axis=0, initial=-np.inf))
                    if not kept.all():
                        left.append(alike.taken(part[~kept]).halved(looked.wide[~kept]))
            cells = Cuts.joined(left) if left else cells.taken(np.zeros(0, dtype=np.int64))
        return np.asarray(found + OFF * (1 + self._rate + np.abs(found)))

    def _looked(self, cells: Cuts, free: Free) -> Seen:
        """Where the second derivative is at most c, a function that rises by d over a width w exceeds its larger end by
        (c w²/2 - d)²/(2 c w²) where d < c w²/2, and nothing else."""
        coordinates = np.flatnonzero(free)
        corners = tuple(range(1, len(coordinates) + 1))
        seen, chance = self._paths.at(cells, free)
        logs = np.log(seen) - np.log(chance)
        values = logs[1] - logs[0]
        above, below = values.max(axis=corners), -values.min(axis=corners)
        attained = np.stack([above.max(axis=1), below.max(axis=1)], axis=1)
        if not corners:
            return Seen(attained, attained, np.zeros(len(cells), dtype=np.int64))
        bends = np.stack([_bend(cells, free, axis, seen, chance) for axis in range(len(corners))])
        over, whole = np.zeros_like(above), bends.sum(axis=0)
        for axis, bend in enumerate(bends):
            # The rise is looked at where all others are at ends, and bends by twice the curvature between them.
            rise = np.diff(values, axis=axis + 1)
            least = np.maximum(rise.min(axis=corners), -rise.max(axis=corners))
            least = np.maximum(least - (whole - bend) / 4, 0.0)
            over += np.maximum(bend / 2 - least, 0.0) ** 2 / (2 * np.maximum(bend, 1e-300))
        ends = [above + over, below + over]
        worst = np.maximum(*ends).argmax(axis=1)
        wide = coordinates[bends[:, np.arange(len(cells)), worst].argmax(axis=0)]
        return Seen(attained, np.stack([each.max(axis=1) for each in ends], axis=1), wide)


def _bend(cells: Cuts, free: Free, axis: int, seen: Array, chance: Array) -> Array:
    """Squared width times curvature (m, outputs · futures) along one of the free coordinates.

    Likelihoods N and chances M of a value are affine in the coordinate's probability, so along its logit x the
    logarithm of N/M has the second derivative s(x + u) - s(x + v) with s(x) = e^x/(1 + e^x)², and u, v the logs of N
    and of M at probability 1 over those at 0: no more than the largest s, and than THIRD |u - v|. The two values'
    differ by no more than THIRD times how far apart their u are, and their v. A u, of a ratio of functions that are
    affine in each other coordinate, has its ends in corners; differences are looked at there and bend between by s.
    """
    place = np.flatnonzero(free)[axis]
    low, high = cells.lower[:, place], cells.upper[:, place]
    widths = (cells.upper - cells.lower)[:, free] ** 2
    width = (high - low) ** 2
    between = (widths.sum(axis=1) - width)[:, None] / 16
    ends = 1 / (1 + np.exp(-low)), 1 / (1 + np.exp(-high))
    shares = ends[0] / (ends[1] - ends[0]), (1 - ends[1]) / (ends[1] - ends[0])
    corners = tuple(range(1, seen.ndim - 2))
    odds = [[_odds(each[value], axis + 1, *shares) for each in (seen, chance)] for value in (0, 1)]
    limits = [[(each.min(axis=corners), each.max(axis=corners)) for each in of_value] for of_value in odds]

    def apart(one: tuple[int, int], other: tuple[int, int]) -> Array:
        near = np.abs(odds[one[0]][one[1]] - odds[other[0]][other[1]]).max(axis=corners) + between
        (least, most), (lower, upper) = limits[one[0]][one[1]], limits[other[0]][other[1]]
        return np.asarray(np.minimum(near, np.maximum(most - lower, upper - least)))

    alone = np.zeros(seen.shape[1:2] + seen.shape[-1:])
    for value in (0, 1):
        steepest = np.zeros(1)
        for first, last in limits[value]:
            near = np.clip(0.0, first + low[:, None], last + high[:, None])
            steepest = np.maximum(steepest, 1 / (2 + np.exp(near) + np.exp(-near)))
        alone += np.minimum(steepest, THIRD * apart((value, 0), (value, 1)))
    found = np.minimum(alone, THIRD * (apart((1, 0), (0, 0)) + apart((1, 1), (0, 1))))
    return np.asarray(found * width[:, None])


def _odds(ends: Array, axis: int, before: Array, after: Array) -> Array:
    """log of a positive affine function at 1 over that at 0, from its ends along an axis; before, after: how far 0 and
    1 are from them, in what is between."""
    low, high = np.take(ends, 0, axis), np.take(ends, 1, axis)
    over = (slice(None), *[None] * (low.ndim - 1))
    bottom, top = low - before[over] * (high - low), high + after[over] * (high - low)
    found = np.log(np.maximum(top, 1e-300)) - np.log(np.maximum(bottom, 1e-300))
    return np.expand_dims(found, axis)
