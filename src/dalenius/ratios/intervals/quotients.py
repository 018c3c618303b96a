"""Products of two quotients of linear functions of a law: what one output leaks about a group of that law.

Two chances (p, 1 - p): at p = .2 and at p = .6 the log of (.2 + .8 p)(1 - .8 p)/.25 is .19029 and .34671; climbing from
.2 finds .36464, at .5, which is no corner:

>>> half = np.array([[0.5, 0.5]])
>>> problem = Quotients(np.array([[1.0, 0.2]]), half, np.array([[0.2, 1.0]]), half)
>>> problem.values(np.array([[0.2, 0.8], [0.6, 0.4]])).ravel().round(5).tolist()
[0.19029, 0.34671]
>>> round(climbed(Box(np.array([0.2, 0.4]), np.array([0.6, 0.8])), problem, np.array([0.2, 0.8])), 5)
0.36464
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.laws.probability_intervals import Box

_SIGNS: Final = np.array([1.0, -1.0, 1.0, -1.0])
"""With which the logs of above, below, gain and loss add up."""


@final
@dataclass(frozen=True)
class Quotients:
    """Problems: log of (above·p)(gain·p) / ((below·p)(loss·p)) over the laws p of a box.

    above, below, gain, loss (problems, m), none negative; `above` is 0 where `below` is, and `gain` where `loss` is:
    elsewhere the supremum is infinite, and not looked for.
    """

    above: Array
    below: Array
    gain: Array
    loss: Array

    def __len__(self) -> int:
        return len(self.above)

    @staticmethod
    def joined(parts: Sequence["Quotients"]) -> "Quotients":
        """One after the other."""
        return Quotients(*(np.concatenate(each) for each in zip(*(part.parts for part in parts), strict=True)))

    def __getitem__(self, index: Any) -> "Quotients":
        return Quotients(*(each[index] for each in self.parts))

    def on(self, entries: IntArray) -> "Quotients":
        """Of these probabilities only; the others are 0."""
        return Quotients(*(np.ascontiguousarray(each[:, entries]) for each in self.parts))

    @property
    def parts(self) -> tuple[Array, Array, Array, Array]:
        """above, below, gain, loss."""
        return self.above, self.below, self.gain, self.loss

    def values(self, laws: Array) -> Array:
        """The logs (laws, problems) at laws (laws, m); -inf where a quotient is 0/0."""
        above, below, gain, loss = (laws @ each.T for each in self.parts)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(above) - np.log(below) + np.log(gain) - np.log(loss)
        return np.where((below > 0) & (loss > 0), found, -np.inf)

    def slopes(self, law: Array) -> Array:
        """How the logs change with each probability (problems, m) at a law, where all four are above 0."""
        parts = zip(_SIGNS, self.parts, strict=True)
        return np.asarray(sum(sign * each / np.maximum(each @ law, 1e-300)[:, None] for sign, each in parts))


def climbed(box: Box, problem: Quotients, law: Array) -> float:
    """The log of a problem (of one row) at some law where it is no less than at the given one: along the edges of the
    box, on one of which it is largest (Result 21.4), mass moves between two probabilities as far as is best."""
    weights, best = np.concatenate(problem.parts), float(problem.values(law[None, :])[0, 0])
    for _ in range(80):
        sums, slope = weights @ law, problem.slopes(law)[0]
        room = np.minimum((box.upper - law)[:, None], law - box.lower)
        more, less = np.nonzero((room > 0) & (slope[:, None] > slope))
        # On a face where a sum is 0, or at a corner from which no edge leads up.
        if not (sums > 0).all() or not len(more):
            break
        room = room[more, less]
        part, place = _along(sums, (weights[:, more] - weights[:, less]) * room)
        law = law.copy()
        law[more[place]] += part * room[place]
        law[less[place]] -= part * room[place]
        # Roundings of a step may leave the box by a bit; the value at a law outside would be no lower end.
        law = np.clip(law, box.lower, box.upper)
        value = float(problem.values(law[None, :])[0, 0])
        # Each step goes up; what is less than a rounding is no step.
        if not value > best + 1e-15:
            break
        best = value
    return best


def _along(sums: Array, change: Array) -> tuple[float, int]:
    """The best share of a step, and the direction; sums (4,) that change so (4, directions)."""
    low, high = np.zeros(change.shape[1]), np.ones(change.shape[1])
    for _ in range(9):
        # By seventeen points, nine times: along an edge the log may have more than one peak, so no bisection.
        grid = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, 17)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.maximum(sums[:, None, None] + change[:, :, None] * grid, 0.0))
            values = np.einsum("f,fdg->dg", _SIGNS, logs)
        values = np.where(np.isnan(values) | (values == np.inf), -np.inf, values)
        peak = values.argmax(axis=1)
        width = (high - low) / 16
        low, high = np.maximum(low, low + (peak - 1) * width), np.minimum(high, low + (peak + 1) * width)
    place = int(values.max(axis=1).argmax())
    return float(grid[place, peak[place]]), place
