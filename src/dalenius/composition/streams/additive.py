"""What a stream of answers with Laplace or geometric noise leaks of each step's value, exactly (Result 9.10).

An answer adds the person's contribution to what the adversary knows. Its noise's likelihoods, as functions of the
value, are e^{−|y − c|ε/Δ}, and all of them are mixtures of those with y at a contribution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import inf
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.composition.streams.losses import Losses
from dalenius.composition.streams.rays import SAME, Rays, apart, pruned
from dalenius.joints.chain.over_time import Kernels, OverTime
from dalenius.laws.law import Array, IntArray

NEARLY: Final = 1e-11
"""How far a matrix may be, in logs, from one that keeps an order; what it is off counts in the error."""
NEAR: Final = 2.0**-43
"""Matrices whose logs are no further apart count as the same; that counts too."""
SETTLED: Final = 2.0**-36
"""Rays that move no further in a step have settled."""
SEVERAL: Final = 8
"""Values up to which outputs between the extremes are looked at where no order is kept; beyond, the losses are not
known from above but by what any mechanism leaks."""


@final
@dataclass(frozen=True, eq=False)
class Additive:
    """contributions (k,): what each value adds to the answers; epsilons (T,): each answer's noise has scale Δ/ε_t."""

    stream: OverTime
    contributions: Sequence[Fraction]
    epsilons: Array

    def backward(self) -> "Pairs":
        """By the answers up to each step."""
        return _pairs(self.stream, self._places, self.epsilons)

    def forward(self) -> "Pairs":
        """By the answers from each step on."""
        return _pairs(self.stream.reversed(), self._places, self.epsilons[::-1]).turned()

    @property
    def _places(self) -> Array:
        """Contributions as multiples of Δ, 0 to 1."""
        low, span = min(self.contributions), max(self.contributions) - min(self.contributions)
        return np.array([float((each - low) / span) for each in self.contributions])

    @property
    def apart(self) -> Array:
        """How much of ε one answer's likelihoods differ between two values (k, k)."""
        return np.abs(np.subtract.outer(self._places, self._places))

    def total(self, backward: "Pairs", forward: "Pairs") -> Losses:
        """By all answers. Given the step's value, those before, its own and those after are independent: for each pair
        of values the three are largest together."""
        own = self.apart * self.epsilons[:, None, None]
        lower, upper = backward.lower + forward.lower - own, backward.upper + forward.upper - own
        size = UNIT * 8 * (1 + np.abs(np.where(np.isfinite(upper), upper, 0.0)))
        return Pairs(lower - size, upper + size).losses()


class Pairs(NamedTuple):
    """lower, upper (T, k, k): the largest log W(y|i)/W(y|j) over outputs y; -inf for impossible values."""

    lower: Array
    upper: Array

    def turned(self) -> "Pairs":
        return Pairs(self.lower[::-1], self.upper[::-1])

    def losses(self) -> Losses:
        """Of the worst two values of each step; 0 where there are none."""
        lower, upper = (end.max(axis=(1, 2), initial=0.0) for end in self)
        return Losses(np.maximum(lower, 0.0), upper)


class _Step(NamedTuple):
    """logs (c, c): of a matrix between classes; sign: 1 if it keeps the order, -1 if it reverses it, 0 if neither;
    error: of logs of ratios, from one application; shrinks: the factor by which it shrinks errors from before."""

    logs: Array
    sign: int
    error: float
    shrinks: float


def _pairs(stream: OverTime, places: Array, epsilons: Array) -> Pairs:
    kernels = stream.backward
    classes = _classes(kernels, stream.possible, places)
    levels = np.array([places[classes == each][0] for each in range(classes.max() + 1)])
    order = np.argsort(levels, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    classes, levels = rank[classes], levels[order]
    noise = -np.abs(np.subtract.outer(np.unique(levels), levels))
    steps = list(_steps(kernels, stream.possible, classes)) if kernels is not None else []
    ordered = all(step.sign for step in steps) and bool(len(levels) > 1)
    found = _along([*steps] if kernels is not None else [None] * (len(stream) - 1), noise, epsilons, ordered)
    size = len(levels)
    lower, upper = np.empty((len(stream), size, size)), np.empty((len(stream), size, size))
    before, start = None, 0
    for step, rays in enumerate(chain(found, [None])):
        if rays is before:
            continue
        if before is not None:
            most = np.max(before.logs[:, :, None] - before.logs[:, None, :], axis=0)
            lower[start:step] = most - before.error
            upper[start:step] = most + before.error if before.complete else inf
        before, start = rays, step
    wide = np.ix_(np.arange(len(stream)), classes, classes)
    counts = stream.possible[:, :, None] & stream.possible[:, None, :] & ~np.eye(len(classes), dtype=np.bool_)
    return Pairs(np.where(counts, lower[wide], -inf), np.where(counts, upper[wide], -inf))


def _along(steps: Sequence[_Step | None], noise: Array, epsilons: Array, ordered: bool) -> Iterator[Rays]:
    """By step the rays, its own answer counted; ordered: two are enough, the highest and the lowest outputs always."""
    whole = ordered or noise.shape[1] <= SEVERAL
    noise = noise if whole and not ordered else noise[[0, -1]]
    first = Rays(noise * epsilons[0], whole, 4 * UNIT * (1 + float(epsilons[0])))
    yield (rays := first if ordered else pruned(first))
    last, at, settled = None, 0.0, False
    for epsilon, step in zip(epsilons[1:].tolist(), steps, strict=True):
        again = step is not None and step is last and epsilon == at
        if not (settled and again):
            rays, before = _further(rays, step, noise, epsilon, ordered), rays
            moved = apart(before, rays) if again else inf
            if settled := step is not None and moved < SETTLED and step.shrinks < 1:
                # From here on no ray moves by more than this: d ← shrinks·d + what one step moves and errs.
                once = rays.error - before.error * step.shrinks + moved + 2 * SAME
                rays = rays._replace(error=max(rays.error, once / (1 - step.shrinks)))
        last, at = step, epsilon
        yield rays


def _further(rays: Rays, step: _Step | None, noise: Array, epsilon: float, ordered: bool) -> Rays:
    """The rays of the next step, of whose matrix `step` is: None where the steps before say nothing of it."""
    if step is None:
        return Rays(noise * epsilon, rays.complete, 4 * UNIT * (1 + epsilon))
    before = np.logaddexp.reduce(rays.logs[:, None, :] + step.logs, axis=2)
    size = 1 + epsilon + float(np.ptp(before, axis=1).max())
    error = rays.error * step.shrinks + step.error + 16 * UNIT * size
    if not ordered:
        here = (noise[:, None, :] * epsilon + before).reshape(-1, noise.shape[1])
        return pruned(Rays(here, rays.complete, error))
    here = noise * epsilon + (before if step.sign > 0 else before[::-1])
    return Rays(here - here.max(axis=1, keepdims=True), True, error)


def _classes(kernels: Kernels | None, possible: NDArray[np.bool_], places: Array) -> IntArray:
    """Values with one contribution count as one where they also say the same of the step before."""
    _, classes = np.unique(places, return_inverse=True)
    if kernels is None or len(set(classes.tolist())) == len(places):
        return classes
    sums = _merged(kernels.logs, classes)
    alive = possible.all(axis=0)
    for each in range(classes.max() + 1):
        rows = sums[:, (classes == each) & alive]
        with np.errstate(invalid="ignore"):
            spread = np.nan_to_num(rows.max(axis=1, initial=-inf) - rows.min(axis=1, initial=inf), nan=0.0)
        if spread.max(initial=0.0) > NEARLY / 8:
            return np.arange(len(places))
    return classes if alive.all() else np.arange(len(places))


def _merged(logs: Array, classes: IntArray) -> Array:
    """Columns of one class added up (m, k, c)."""
    columns = [np.logaddexp.reduce(logs[..., classes == each], axis=-1) for each in range(classes.max() + 1)]
    return np.stack(columns, axis=-1)


def _steps(kernels: Kernels, possible: NDArray[np.bool_], classes: IntArray) -> Iterator[_Step]:
    count = classes.max() + 1
    merged = _merged(kernels.logs, classes)
    first = [int(np.flatnonzero(classes == each)[0]) for each in range(count)]
    logs, lumped = merged[:, first], count < len(classes)
    minors = _minors(logs)
    rows = possible[1:, first]
    last: tuple[_Step, NDArray[np.bool_]] | None = None
    again = np.zeros(len(rows), dtype=np.bool_)
    again[1:] = (np.diff(kernels.which) == 0) & (rows[1:] == rows[:-1]).all(axis=1)
    for same, which, alive in zip(again.tolist(), kernels.which.tolist(), rows, strict=True):
        if same and last is not None:
            yield last[0]
            continue
        if last is None or not ((alive == last[1]).all() and _near(logs[which], last[0].logs)):
            error = 2 * kernels.error + (0.0 if kernels.only else 2 * NEAR) + NEARLY * lumped
            last = _step(logs[which], minors[which], alive, error), alive
        yield last[0]


def _near(one: Array, other: Array) -> bool:
    """Impossible in the same places, and as good as the same."""
    with np.errstate(invalid="ignore"):
        return bool(((np.abs(one - other) <= NEAR) | (one == other)).all())


def _minors(logs: Array) -> Array:
    """log P(i,x)P(j,y) − log P(i,y)P(j,x) for rows i < j and columns x < y (m, pairs, pairs); 0 where both vanish."""
    i, j = np.triu_indices(logs.shape[-1], 1)
    straight = logs[:, i][:, :, i] + logs[:, j][:, :, j]
    crossed = logs[:, i][:, :, j] + logs[:, j][:, :, i]
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(straight - crossed, nan=0.0, posinf=inf, neginf=-inf)


def _step(logs: Array, minors: Array, alive: NDArray[np.bool_], error: float) -> _Step:
    i, j = np.triu_indices(len(logs), 1)
    counted = minors[alive[i] & alive[j]]
    low, high = float(counted.min(initial=inf)), float(counted.max(initial=-inf))
    off = {1: max(-low, 0.0), -1: max(high, 0.0)}
    sign = min(off, key=lambda each: (off[each], -each))
    sign, slack = (sign, 4 * off[sign] * len(logs) ** 2) if off[sign] <= NEARLY else (0, 0.0)
    size = float(np.where(np.isneginf(logs), 0.0, np.abs(logs)).max(initial=0.0))
    widest = max(high, -low, 0.0)
    shrinks = 1.0 if widest > 100 else float(np.tanh(widest / 4)) * (1 + 1e-9)
    return _Step(logs, sign, error + slack + 16 * (len(logs) + 2) * UNIT * (1 + size), min(shrinks, 1.0))
