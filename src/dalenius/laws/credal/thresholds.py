"""What tests by thresholds tell apart, over all laws of a credal set (Result 21.32).

Where the likelihood ratio of two hypotheses rises with the output under every law of the set, the best test is one of
the outputs above a threshold t. Let z be the share a·p / (a·p + b·p) of the first. No law and no threshold in [t, t']
has U_t·p / a·p - e^ε V_t'·p / b·p > δ if for some ν, (1 - z)(U_t - δ a)·p - e^ε z V_t'·p + ν ((1 - z) a - z b)·p <= 0
at both ends of an interval of z: for fixed ν the maximum over p is convex in z. Intervals are halved until all settle.
Over short intervals of t the ends decide too, each with a ν of its own that is interpolated between them: there no
function exceeds the larger end by more than an eighth of the interval's square times its bend, a bound of -d²/dt².
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.laws.credal.box import Box
from dalenius.laws.credal.supremum import Ended, excess
from dalenius.laws.law import Array, IntArray

OFF: Final = 64 * UNIT
NEAR: Final = 2.5e-4
"""Relative: how close the upper end comes to the lower."""
CELLS: Final = 24
MOST_CELLS: Final = 40_000
ROUNDS: Final = 80
STEPS: Final = 60
SHARES: Final = np.array([1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 3e-3, 1e-3])
DRAWN: Final = 200
MOST_VERTICES: Final = 600
SEED: Final = 18


@final
@dataclass(frozen=True)
class Contrast:
    """Of two hypotheses, linear in the law p: over (k, m) and under (k, m), what each of the distinct answers counts
    for; in all (m,) each, the sums of both: Pr[answer | first] = over[answer]·p / first·p."""

    over: Array
    under: Array
    first: Array
    second: Array

    def mirrored(self) -> "Contrast":
        """With the answers turned round."""
        return Contrast(self.over[::-1], self.under[::-1], self.first, self.second)


@final
@dataclass(frozen=True)
class Cells:
    """Of each contrast (its number), thresholds from `low` to `high`, shares from `least` to `most`."""

    number: IntArray
    low: Array
    high: Array
    least: Array
    most: Array

    def __len__(self) -> int:
        return len(self.number)

    def only(self, kept: NDArray[np.bool_]) -> "Cells":
        return Cells(self.number[kept], self.low[kept], self.high[kept], self.least[kept], self.most[kept])

    def cut(self, along: NDArray[np.bool_]) -> "Cells":
        """Each in two: its thresholds where `along`, else its shares."""
        middle = _middle(self.low, self.high)
        share = (self.least + self.most) / 2
        high, low = np.where(along, middle, self.high), np.where(along, middle, self.low)
        most, least = np.where(along, self.most, share), np.where(along, self.least, share)
        return Cells(
            np.tile(self.number, 2),
            np.concatenate([self.low, low]),
            np.concatenate([high, self.high]),
            np.concatenate([self.least, least]),
            np.concatenate([most, self.most]),
        )


def _middle(low: Array, high: Array) -> Array:
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
    middle = np.where(np.isneginf(low), high - 1 - np.abs(high), middle)
    return np.asarray(np.where(np.isposinf(high), low + 1 + np.abs(low), middle))


@final
class Thresholds:
    """box: the laws; contrasts: of the same answers (k,), rising; above: Pr[noise > x]; edges: of the cells of
    thresholds, where bend, the largest slope of the noise's density, is not None; else all thresholds there are."""

    def __init__(
        self,
        box: Box,
        contrasts: Sequence[Contrast],
        answers: Array,
        above: Callable[[Array], Array],
        edges: Array,
        bend: float | None,
    ) -> None:
        self._box, self._answers, self._above, self._edges, self._bend = box, answers, above, edges, bend
        self._real = bend is not None
        self._over, self._under = (np.stack([getattr(c, part) for c in contrasts]) for part in ("over", "under"))
        self._first, self._second = (np.stack([getattr(c, part) for c in contrasts]) for part in ("first", "second"))
        self._laws = self._tried()

    def delta(self, epsilon: float, worth: float) -> tuple[float, float]:
        """The largest U·p/a·p - e^ε V·p/b·p, from below and from above; below `worth` only coarsely."""
        factor = exp(epsilon)
        best = max(self._found(lambda over, under: over - factor * under)[0], 0.0)
        wider = max(NEAR * max(best, worth / 2), 1e-15)
        while not self._keeps(factor, best + wider):
            wider *= 4
            if best + wider >= 1:
                return best, 1.0
        return best, min((best + wider) * (1 + OFF), 1.0)

    def worst(self, epsilon: float) -> tuple[float, Array]:
        """The largest that some law was found to have, and that law (m,)."""
        factor = exp(epsilon)
        return self._found(lambda over, under: over - factor * under)

    def epsilon(self, delta: float) -> tuple[float, float]:
        """The least ε >= 0 at which that is at most delta."""

        def least(over: Array, under: Array) -> Array:
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.log(np.maximum(over - delta, 0.0)) - np.log(under)
            return np.where(over > delta, found, -inf)

        best = max(self._found(least)[0], 0.0)
        wider = max(NEAR * best, 1e-9)
        while not self._keeps(exp(min(best + wider, 700.0)), delta):
            wider *= 4
            if best + wider > 600:
                return best, inf
        return best, (best + wider) * (1 + OFF)

    def _tails(self, parts: Array, number: IntArray, places: Array) -> Array:
        """What counts above thresholds (cells, m), of one of the two parts of contrasts (cells,)."""
        weights = self._above(places[:, None] - self._answers)
        return np.asarray(np.einsum("ck,ckm->cm", weights, parts[number]))

    def _keeps(self, factor: float, delta: float) -> bool:
        """Whether no law and no threshold exceeds delta at that factor e^ε."""
        cells, budget = self._whole(), MOST_CELLS
        for _ in range(ROUNDS):
            ends, gap = self._ends(cells, factor, delta)
            left = np.max([excess(each) for each in ends], axis=0)
            budget -= len(cells)
            cells, wide = cells.only(left > 0), (gap > left / 2)[left > 0]
            if not len(cells):
                return True
            if budget < 2 * len(cells):
                return False
            cells = cells.cut(wide & self._real)
        return False

    def _ends(self, cells: Cells, factor: float, delta: float) -> tuple[list[list[Ended]], Array]:
        """What is to be settled, by threshold, and how much of it is due to the thresholds' distance (cells,)."""
        places = [cells.low, cells.high] if self._real else [cells.low]
        corners = [
            (self._tails(self._over, cells.number, place), self._tails(self._under, cells.number, place))
            for place in places
        ]
        share = ((cells.least + cells.most) / 2)[:, None]
        first, second = self._first[cells.number], self._second[cells.number]
        law, extra, gap = self._box.point, np.zeros_like(first), np.zeros(len(cells))
        if self._real:
            (over, under), (later, beyond) = corners
            rough = ((1 - share) * (over - later) + factor * share * (under - beyond)) @ law
            with np.errstate(invalid="ignore"):
                width = (cells.high - cells.low) ** 2 * (self._bend or 0.0) / 8
            bent = np.where(np.isfinite(width), width, 0.0)[:, None] * (1 + OFF)
            most = bent * (
                (1 - np.minimum(share, cells.least[:, None])) * first + factor * cells.most[:, None] * second
            )
            fine = np.isfinite(width) & (most @ law < rough)
            extra, gap = np.where(fine[:, None], most, 0.0), np.where(fine, most @ law, rough)
            mixed = [
                (np.where(fine[:, None], one, over), np.where(fine[:, None], other, beyond)) for one, other in corners
            ]
            corners = mixed
        ends = [
            [self._ended(cells, z, over, under, factor, delta, extra) for z in (cells.least, cells.most)]
            for over, under in corners
        ]
        return ends, gap

    def _ended(
        self, cells: Cells, share: Array, over: Array, under: Array, factor: float, delta: float, extra: Array
    ) -> Ended:
        z, first, second = share[:, None], self._first[cells.number], self._second[cells.number]
        loss = factor * z * under
        fixed = (1 - z) * (over - delta * first) - loss
        off = OFF * ((1 - z) * (over + delta * first) + loss)
        return Ended(self._box, fixed + extra, (1 - z) * first - z * second, off, OFF * ((1 - z) * first + z * second))

    def _whole(self) -> Cells:
        """All thresholds and shares."""
        pairs = zip(self._first, self._second, strict=True)
        least, most = np.array([self._box.shares(first, first + second) for first, second in pairs]).T
        lows = self._edges[:-1] if self._real else self._edges
        highs = self._edges[1:] if self._real else self._edges
        count = len(lows)
        number = np.repeat(np.arange(len(self._first)), count)
        return Cells(number, np.tile(lows, len(least)), np.tile(highs, len(least)), least[number], most[number])

    def _tried(self) -> Array:
        laws = self._box.sample(np.random.default_rng(SEED), DRAWN)
        directions = np.concatenate([(self._over - self._under).reshape(-1, len(self._box)), self._first])
        corners = self._box.best(np.concatenate([directions, -directions]))
        if (self._box.upper > self._box.lower).sum() <= 12 and self._box.vertex_bound <= MOST_VERTICES:
            corners = np.concatenate([corners, self._box.vertices()])
        return np.concatenate([laws, np.unique(corners, axis=0), self._box.point[None, :]])

    def _found(self, value: Callable[[Array, Array], Array]) -> tuple[float, Array]:
        """The largest value that some law was found to have at some threshold, and the law."""
        finite = self._edges[np.isfinite(self._edges)]
        places = finite if not self._real else np.linspace(finite[0], finite[-1], 4 * CELLS + 1)
        best, law, number, place = -inf, self._laws[0], 0, 0.0
        for contrast in range(len(self._first)):
            values = self._values(self._laws, contrast, places, value)
            row, column = np.unravel_index(int(values.argmax()), values.shape)
            if values[row, column] > best + 1e-13:
                best, law, number, place = float(values[row, column]), self._laws[row], contrast, float(places[column])
        step = float(places[1] - places[0]) if len(places) > 1 else 0.0
        for _ in range(STEPS):
            tried = self._box.exchanged(law, SHARES)
            near = place + step * np.linspace(-1, 1, 9) if self._real else places
            values = self._values(tried, number, near, value)
            row, column = np.unravel_index(int(values.argmax()), values.shape)
            found = float(values[row, column])
            step = step / 2 if near[column] == place else step
            if found > best:
                best, law, place = found, tried[row], float(near[column])
            elif step < 1e-6:
                break
        return best, law

    def _values(self, laws: Array, number: int, places: Array, value: Callable[[Array, Array], Array]) -> Array:
        """(laws, places); -inf where one of the two hypotheses is impossible."""
        over, under = (self._tails(part, np.full(len(places), number), places) for part in (self._over, self._under))
        first, second = laws @ self._first[number], laws @ self._second[number]
        with np.errstate(divide="ignore", invalid="ignore"):
            found = value((laws @ over.T) / first[:, None], (laws @ under.T) / second[:, None])
        there = (first > 0) & (second > 0)
        return np.asarray(np.where(there[:, None] & ~np.isnan(found), found, -inf))


def grid(answers: Array, beyond: float) -> Array:
    """Edges of cells of thresholds: between the first and the last answer, and so far beyond them where that counts;
    farther out one cell on either side."""
    inside = np.linspace(answers[0] - beyond, answers[-1] + beyond, CELLS + 1)
    return np.concatenate([[-inf], inside, [inf]]) if beyond else inside
