"""The transform whose elements are the law itself: positive convolution, every tail to full relative accuracy."""

from collections.abc import Sequence
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.scaled import ScaledGrid, add, embedded, from_points, multiply
from dalenius.laws.transform import Transform


@final
class Coefficients(Transform[ScaledGrid]):
    """Generating functions as arrays of coefficients, in any number of axes.

    scores: (slots, axes), in lattice steps. Costs one pass over the box per group and per term of its own law.
    """

    def __init__(self, scores: IntArray) -> None:
        self.scores = scores

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> ScaledGrid:
        return from_points(counts @ self.scores[slots], log_weights)

    def product(self, elements: Sequence[ScaledGrid], powers: Sequence[int]) -> ScaledGrid:
        # Small factors first, so that the running product is long only at the end; a monomial is raised at once.
        order = sorted(range(len(elements)), key=lambda i: elements[i].mantissa.size)
        axes = self.scores.shape[1]
        running = from_points(np.zeros((1, axes), dtype=np.int64), np.zeros(1))
        running = ScaledGrid(running.start, running.mantissa, running.exponent, 0)
        for i in order:
            if elements[i].terms == 1 and elements[i].mantissa.size == 1:
                running = multiply(running, _monomial_power(elements[i], powers[i]))
                continue
            for _ in range(powers[i]):
                running = multiply(running, elements[i])
        return running

    def mix(self, log_weights: Array, elements: Sequence[ScaledGrid]) -> ScaledGrid:
        axes = self.scores.shape[1]
        origin = np.zeros((1, axes), dtype=np.int64)
        parts = [
            multiply(element, from_points(origin, np.array([weight])))
            for weight, element in zip(log_weights, elements, strict=True)
            if weight > -np.inf
        ]
        mixed = parts[0]
        for part in parts[1:]:
            mixed = add(mixed, part)
        return mixed


def _monomial_power(element: ScaledGrid, power: int) -> ScaledGrid:
    start = np.array([[power * i for i in element.start]], dtype=np.int64)
    log_weight = power * (np.log(element.mantissa) + np.log(2.0) * element.exponent).reshape(1)
    lifted = from_points(start, log_weight)
    size = abs(float(log_weight[0]))
    return ScaledGrid(lifted.start, lifted.mantissa, lifted.exponent, power * element.roundings + 8 + int(4 * size))


def law_of(elements: Sequence[ScaledGrid]) -> Law:
    """The laws given each secret, side by side in one box."""
    lows = np.array([element.start for element in elements])
    highs = np.array([np.add(element.start, element.mantissa.shape) for element in elements])
    start = tuple(int(i) for i in lows.min(axis=0))
    box = tuple(int(n) for n in highs.max(axis=0) - lows.min(axis=0))
    grids = [embedded(element, start, box) for element in elements]
    top = np.max([grid.exponent for grid in grids], axis=0)
    base = np.where(np.any([grid.mantissa > 0 for grid in grids], axis=0), np.log(2.0) * top, -np.inf)
    with np.errstate(divide="ignore"):
        relative = np.stack(
            [
                np.where(grid.mantissa > 0, np.log(grid.mantissa) + np.log(2.0) * (grid.exponent - top), -np.inf)
                for grid in grids
            ]
        )
    base = np.where(np.isfinite(base), base, 0.0)
    depth = float(np.max(np.abs(relative), where=np.isfinite(relative), initial=1.0))
    roundings = max(element.roundings for element in elements)
    return Law(start, base, relative, error=(roundings + 4 * depth + 8) * UNIT)
