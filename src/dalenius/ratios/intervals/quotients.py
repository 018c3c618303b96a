"""Products of two quotients of linear functions of a law: what one output leaks about a group of that law.

Where products of two quotients have no bound over a box of laws: exact answers that some law rules out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.box import Box
from dalenius.laws.law import Array, IntArray


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


def climbed(box: Box, problem: Quotients, law: Array, steps: int = 80) -> tuple[Array, float]:
    """A law at which a problem (of one row) is no less than at the given one, and its log there: mass is moved between
    two probabilities at a time as far as is best, until that adds nothing."""
    weights = np.concatenate(problem.parts)
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    best = float(problem.values(law[None, :])[0, 0])
    for _ in range(steps):
        sums = weights @ law
        if not (sums > 0).all():
            break
        slope = (signs / sums) @ weights
        more, less = _pairs(slope, box, law)
        if not len(more):
            break
        room = np.minimum(box.upper[more] - law[more], law[less] - box.lower[less])
        change = (weights[:, more] - weights[:, less]) * room
        part, place, value = _along(sums, change, signs)
        if not value > best + 1e-15:
            break
        law = law.copy()
        law[more[place]] += part * room[place]
        law[less[place]] -= part * room[place]
        law = np.clip(law, box.lower, box.upper)
        gained = float(problem.values(law[None, :])[0, 0])
        if not gained > best + 1e-15:
            break
        best = gained
    return law, best


def _pairs(slope: Array, box: Box, law: Array) -> tuple[IntArray, IntArray]:
    up = np.flatnonzero(law < box.upper)
    down = np.flatnonzero(law > box.lower)
    more, less = (each.ravel() for each in np.meshgrid(up, down, indexing="ij"))
    gains = slope[more] - slope[less]
    keep = gains > 0
    more, less, gains = more[keep], less[keep], gains[keep]
    order = np.argsort(-gains, kind="stable")[:256]
    return more[order], less[order]


def _along(sums: Array, change: Array, signs: Array) -> tuple[float, int, float]:
    """The best share of a step, the direction, and the log there; sums (4,) that change so (4, directions)."""
    low, high = np.zeros(change.shape[1]), np.ones(change.shape[1])
    for _ in range(9):
        grid = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, 17)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.maximum(sums[:, None, None] + change[:, :, None] * grid, 0.0))
            values = np.einsum("f,fdg->dg", signs, logs)
        values = np.where(np.isnan(values) | (values == np.inf), -np.inf, values)
        peak = values.argmax(axis=1)
        width = (high - low) / 16
        low, high = np.maximum(low, low + (peak - 1) * width), np.minimum(high, low + (peak + 1) * width)
    top = values.max(axis=1)
    place = int(top.argmax())
    return float(grid[place, peak[place]]), place, float(top[place])


@final
@dataclass(frozen=True)
class Bounds:
    """endless: the problems whose logs grow beyond all bounds within the box; bounded: those that certainly have one
    and are not -inf throughout; of what is neither nothing is known."""

    endless: NDArray[np.bool_]
    bounded: NDArray[np.bool_]


def bounds_of(box: Box, problems: Quotients) -> Bounds:
    """Of every problem."""
    each = [_bound(box, problems[[number]]) for number in range(len(problems))]
    return Bounds(np.array([one for one, _ in each], dtype=bool), np.array([other for _, other in each], dtype=bool))


def _bound(box: Box, problem: Quotients) -> tuple[bool, bool]:
    above, below, gain, loss = (part[0] for part in problem.parts)
    if not (above * box.upper).any() or not (gain * box.upper).any():
        return False, False
    without = _without(box, loss)
    endless = without is not None and bool(above @ without > 0 and gain @ without > 0)
    if endless:
        return True, False
    return False, _holds(box, gain, loss) or (_holds(box, above, loss) and _holds(box, gain, below))


def _holds(box: Box, over: Array, under: Array) -> bool:
    """Whether over·p / under·p is bounded over the box: over is 0 wherever under is, at its extreme laws."""
    law = _without(box, under)
    return law is None or not bool(over @ law > 0)


def _without(box: Box, costs: Array) -> Array | None:
    """A law of the box of cost 0, under which all is possible that is under any such law; None where there is none."""
    free = costs == 0
    inside = box.among(np.flatnonzero(free)) if free.any() else None
    if inside is None:
        return None
    law = np.zeros(len(box))
    law[free] = inside.point
    return law
