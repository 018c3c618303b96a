"""A few records of two values: how far apart an output can be under the two values of one of them, over all laws in
the boxes, by listing every path and every output and cutting the past's boxes until the bound is close.

Rows after the record are at the ends of their intervals, since the ratio of likelihoods is linear-fractional in each.
Those before it lie on the boundary of their step's box, where given the laws of single records the ratio is monotone
(Result 21.36). One coordinate of each step is left; over a cell of these the largest corner and what the curvature
allows bound the ratio.
"""

from functools import cached_property
from itertools import product
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.cuts import Cuts
from dalenius.laws.imprecise.past import THIRD, logit
from dalenius.laws.law import Array, IntArray

MOST: Final = 4
"""Records; the listing grows 16-fold with each two."""
OUTPUTS: Final = 64
CLOSE: Final = 2e-4
"""Relative to the ratio: a bound no further above an attained value is not cut."""
WORK: Final = 3e7
"""Terms that are summed for one record, about; then the bound is what it is."""
BATCH: Final = 2e6
FAR: Final = 500.0
"""Nats between densities of the noise, beyond which doubles are not trusted."""
OFF: Final = 4096 * UNIT


@final
class Listed:
    """Around one record, from 0. scores (n, 2, axes): what each record's values add to the answer; rate: nats by which
    the log-density of the noise changes per unit."""

    def __init__(self, boxes: Boxes, scores: Array, rate: float, place: int) -> None:
        self._boxes, self._scores, self._rate, self._place = boxes, scores, rate, place
        self._paths = np.array(list(product((0, 1), repeat=place)), dtype=np.int64).reshape(2**place, place)

    @staticmethod
    def fits(boxes: Boxes, scores: Array, rate: float) -> bool:
        """Whether the records and outputs are few enough."""
        if len(boxes) > MOST:
            return False
        reach = np.abs(np.diff(scores, axis=1)).sum(axis=(0, 1, 2))
        return bool(rate * reach <= FAR and len(_outputs(scores)) <= OUTPUTS)

    @cached_property
    def far(self) -> Array:
        """At most this is log W(y|s) - log W(y|s') (2, 2) at every output, whatever the law."""
        cells, best, found, done = self._start(), np.full(2, -np.inf), np.full(2, -np.inf), 0.0
        each = 2 ** (self._place + 1) * self._kernel[0].size
        while len(cells):
            done += len(cells) * each
            parts = np.array_split(np.arange(len(cells)), max(1, int(len(cells) * each / BATCH)))
            looked = [self._looked(cells.taken(part)) for part in parts]
            values, bounds, wide = (np.concatenate(each) for each in zip(*looked, strict=True))
            best = np.maximum(best, values.max(axis=0))
            enough = (bounds <= best + CLOSE * best.max()).all(axis=1) | (done > WORK)
            found = np.maximum(found, bounds[enough].max(axis=0, initial=-np.inf))
            cells = cells.taken(~enough).halved(wide[~enough])
        found = np.maximum(found, 0.0)
        found = found * (1 + OFF) + OFF * (1 + self._rate)
        return np.array([[0.0, found[1]], [found[0], 0.0]])

    def _start(self) -> Cuts:
        one = logit(self._boxes.first[:, 1])
        choices = [[(one[0], one[1])]]
        for step in range(self._place):
            low, high = logit(self._rows(step))
            sides = [((low[1], high[1]), (q, q)) for q in dict.fromkeys((low[0], high[0]))]
            sides += [((p, p), (low[0], high[0])) for p in dict.fromkeys((low[1], high[1])) if low[0] < high[0]]
            choices.append(sides)
        ends = np.array([[start, *(end for side in sides for end in side)] for start, *sides in product(*choices)])
        return Cuts(ends[:, :, 0], ends[:, :, 1])

    def _rows(self, step: int) -> Array:
        """Ends (2, 2) of Pr[1 | x] by x."""
        return np.asarray(self._boxes.rows[self._boxes.which[step], :, :, 1])

    def _looked(self, cells: Cuts) -> tuple[Array, Array, IntArray]:
        """The largest log W(y|1) - log W(y|0) and the other way round (m, 2): what is attained, and a bound over each
        cell. Where the second derivative is at most c, a function that rises by d over a width w exceeds its larger end
        by (c w²/2 - d)²/(2 c w²) where d < c w²/2, and nothing else."""
        axes = self._place + 1
        corners = tuple(range(1, axes + 1))
        shape = (2, len(cells), *[2] * axes)
        seen, chance = (each.reshape(*shape, -1) for each in self._at(cells.corners))
        logs = np.log(seen) - np.log(chance)
        values = logs[1] - logs[0]
        above, below = values.max(axis=corners), -values.min(axis=corners)
        attained = np.stack([above.max(axis=1), below.max(axis=1)], axis=1)
        bends = np.stack([self._bend(cells, axis, seen, chance) for axis in range(axes)])
        over, whole = np.zeros_like(above), bends.sum(axis=0)
        for axis, bend in enumerate(bends):
            # The rise is looked at where all others are at ends, and bends by twice the curvature between them.
            rise = np.diff(values, axis=axis + 1)
            least = np.maximum(rise.min(axis=corners), -rise.max(axis=corners))
            least = np.maximum(least - (whole - bend) / 4, 0.0)
            over += np.maximum(bend / 2 - least, 0.0) ** 2 / (2 * np.maximum(bend, 1e-300))
        ends = [above + over, below + over]
        worst = np.maximum(*ends).argmax(axis=1)
        wide = bends[:, np.arange(len(cells)), worst].argmax(axis=0)
        return attained, np.stack([each.max(axis=1) for each in ends], axis=1), wide

    def _bend(self, cells: Cuts, axis: int, seen: Array, chance: Array) -> Array:
        """Squared width times curvature (m, outputs · futures). Likelihoods N and chances M of a value are affine in
        the coordinate's probability, so along its logit x the logarithm of N/M has the second derivative s(x + u) -
        s(x + v) with s(x) = e^x/(1 + e^x)², and u, v the logs of N and of M at probability 1 over those at 0: no more
        than the largest s, and than THIRD |u - v|. Both are looked at in corners, and bend between them by s too."""
        place = [0, *(2 * step + 1 for step in range(self._place))][axis]
        free = cells.upper[:, place] > cells.lower[:, place]
        low, high = (
            np.where(free, each[:, place], each[:, (place + 1) * (axis > 0)]) for each in (cells.lower, cells.upper)
        )
        width, others = high - low, (cells.widths**2).sum(axis=1) - (high - low) ** 2
        ends = 1 / (1 + np.exp(-low)), 1 / (1 + np.exp(-high))
        apart = np.maximum(ends[1] - ends[0], 1e-300)
        corners = tuple(range(1, self._place + 2))
        found = np.zeros((len(cells), seen.shape[-1]))
        for value in (0, 1):
            logs = [_odds(each[value], axis + 1, ends[0] / apart, (1 - ends[1]) / apart) for each in (seen, chance)]
            tilt = np.abs(logs[0] - logs[1]).max(axis=corners) + others[:, None] / 16
            steepest = np.zeros(len(cells))[:, None]
            for each in logs:
                first = each.min(axis=corners) - others[:, None] / 32 + low[:, None]
                last = each.max(axis=corners) + others[:, None] / 32 + high[:, None]
                near = np.clip(0.0, first, last)
                steepest = np.maximum(steepest, 1 / (2 + np.exp(near) + np.exp(-near)))
            found += np.minimum(steepest, THIRD * tilt)
        return np.asarray(found * width[:, None] ** 2)

    @cached_property
    def _kernel(self) -> Array:
        """The output's likelihood (2, paths, outputs · laws), given the value, the past and the future's rows."""
        place, steps = self._place, range(self._place, len(self._boxes) - 1)
        later = np.array(list(product((0, 1), repeat=len(steps))), dtype=np.int64).reshape(2 ** len(steps), len(steps))
        past = _sums(self._scores[:place], self._paths)
        future = _sums(self._scores[place + 1 :], later)
        total = self._scores[place][:, None, None] + past[None, :, None] + future[None, None]
        away = np.abs(total[:, :, :, None] - _outputs(self._scores)).sum(axis=-1)
        chances = []
        for rows in product(*(_corners(self._rows(step)) for step in steps)):
            given = np.ones((2, len(later)))
            for i, row in enumerate(rows):
                before = np.array([[0], [1]]) if i == 0 else later[None, :, i - 1]
                one = np.array(row)[before]
                given = given * np.where(later[:, i] == 1, one, 1 - one)
            chances.append(given)
        found = np.einsum("vxf,xpfy->xpyv", np.array(chances), np.exp(-self._rate * away))
        return np.asarray(found.reshape(2, len(self._paths), -1))

    def _at(self, corners: Array) -> tuple[Array, Array]:
        """Of each value, its likelihood at each output (2, corners, outputs · futures), and its chance (2, corners)."""
        odds = corners.reshape(-1, corners.shape[-1])
        up, down = 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(odds))
        seen, whole_chances = [], []
        for value in (0, 1):
            whole = np.concatenate([self._paths, np.full((len(self._paths), 1), value)], axis=1)
            chance = np.where(whole[:, 0] == 1, up[:, :1], down[:, :1])
            for step in range(self._place):
                own = 1 + 2 * step + (whole[:, step] == 0)
                chance = chance * np.where(whole[:, step + 1] == 1, up[:, own], down[:, own])
            seen.append(chance @ self._kernel[value])
            whole_chances.append(chance.sum(axis=1))
        return np.stack(seen), np.stack(whole_chances)


def _odds(ends: Array, axis: int, before: Array, after: Array) -> Array:
    """log of a positive affine function at 1 over that at 0, from its ends along an axis; before, after: how far 0 and
    1 are from them, in what is between."""
    low, high = np.take(ends, 0, axis), np.take(ends, 1, axis)
    over = (slice(None), *[None] * (low.ndim - 1))
    bottom, top = low - before[over] * (high - low), high + after[over] * (high - low)
    return np.asarray(np.log(np.maximum(top, 1e-300)) - np.log(np.maximum(bottom, 1e-300)))[
        tuple(slice(None) if i != axis else None for i in range(ends.ndim))
    ]


def _corners(rows: Array) -> list[tuple[float, float]]:
    """The ends of both rows, rows (2, 2)."""
    return list(product(dict.fromkeys(rows[:, 0].tolist()), dict.fromkeys(rows[:, 1].tolist())))


def _sums(scores: Array, paths: IntArray) -> Array:
    """(paths, axes)."""
    found = np.zeros((len(paths), scores.shape[2]))
    for i, each in enumerate(scores):
        found = found + each[paths[:, i]]
    return found


def _outputs(scores: Array) -> Array:
    """Between the answers of one coordinate the ratio is monotone in the output, so answers are enough (m, axes)."""
    paths = np.array(list(product((0, 1), repeat=len(scores))), dtype=np.int64)
    return np.array(list(product(*(np.unique(each).tolist() for each in _sums(scores, paths).T))))
