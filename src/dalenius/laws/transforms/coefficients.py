"""The transform whose elements are the law itself: positive convolution, every tail to full relative accuracy."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.numbers.convolution import multiply, power
from dalenius.laws.numbers.scaled_grid import NOTHING, ScaledGrid, common_box, embedded, from_points, mixed
from dalenius.laws.transform import Transform


@final
class Coefficients(Transform[ScaledGrid]):
    """Generating functions as arrays of coefficients, in any number of axes.

    scores: (slots, axes), in lattice steps. Costs one pass over the box per group and per term of its own law.
    """

    def __init__(self, scores: IntArray) -> None:
        self.scores = scores

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> ScaledGrid:
        there = log_weights > -np.inf
        return from_points(counts[there] @ self.scores[slots], log_weights[there])

    def product(self, elements: Sequence[ScaledGrid], powers: Sequence[int]) -> ScaledGrid:
        # Small factors first, so that the running product is long only at the end; a monomial is raised at once.
        running: ScaledGrid | None = None
        for i in sorted(range(len(elements)), key=lambda i: elements[i].mantissa.size):
            if powers[i] == 0:
                continue
            running = _times_power(running, elements[i], powers[i])
        return self._one() if running is None else running

    def _one(self) -> ScaledGrid:
        axes = self.scores.shape[1]
        return ScaledGrid((0,) * axes, np.ones((1,) * axes), None, 0)

    def mix(self, log_weights: Array, elements: Sequence[ScaledGrid]) -> ScaledGrid:
        return mixed(log_weights, elements)


def _times_power(running: ScaledGrid | None, element: ScaledGrid, times: int) -> ScaledGrid:
    """running · element^times; on several axes one factor after another, where that takes fewer passes than many points
    against many."""
    if element.mantissa.size == 1:
        raised = _monomial_power(element, times)
    elif running is not None and _is_quicker_one_by_one(running, element, times):
        for _ in range(times):
            running = multiply(running, element)
        return running
    else:
        raised = power(element, times)
    return raised if running is None else multiply(running, raised)


def _is_quicker_one_by_one(running: ScaledGrid, element: ScaledGrid, times: int) -> bool:
    if running.mantissa.ndim == 1 or times == 1:
        return False
    raised = prod(times * (length - 1) + 1 for length in element.mantissa.shape)
    return bool(times * element.terms < min(raised, running.terms))


def _monomial_power(element: ScaledGrid, power: int) -> ScaledGrid:
    if power == 1:
        return element
    mantissa, exponent = element.split()
    log_weight = np.minimum(power * (np.log(mantissa) + np.log(2.0) * exponent), 0.0).reshape(1)
    lifted = from_points(np.array([[power * i for i in element.start]], dtype=np.int64), log_weight)
    return replace(lifted, roundings=lifted.roundings + power * element.roundings)


def law_of(elements: Sequence[ScaledGrid]) -> Law:
    """The laws given each secret, on one common box."""
    grids = list(elements)
    start, box = common_box(grids)
    placed = [embedded(grid, start, box) for grid in grids]
    top = np.max([exponent for _, exponent in placed], axis=0)
    top = np.where(top > NOTHING, top, 0)
    with np.errstate(divide="ignore"):
        relative = np.stack([np.log(mantissa) + np.log(2.0) * (exponent - top) for mantissa, exponent in placed])
    depth = float(np.max(np.abs(relative), where=np.isfinite(relative), initial=1.0))
    roundings = max(grid.roundings for grid in grids)
    return Law(start, np.log(2.0) * top, relative, error=(roundings + 4 * depth + 8) * UNIT)
