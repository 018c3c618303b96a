"""What independent noise does along one axis of a box, so that axes may differ: smoothing is separable (Theory §3)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.laws.integrals.outputs import cell_weights, lattice_weights
from dalenius.laws.integrals.sides import Weights, of_box, of_lattice, of_reals
from dalenius.laws.law import Array


@final
@dataclass(frozen=True)
class Along:
    """decay: the step over the scale; None where nothing is added. real: whether outputs lie between lattice points."""

    decay: Fraction | None
    real: bool = False

    @property
    def rate(self) -> float:
        """The decay as a double; 0 where nothing is added."""
        return 0.0 if self.decay is None else float(self.decay)

    def simulated(self, generator: np.random.Generator) -> float:
        """What is added, in steps, by a generator with a seed."""
        if self.decay is None:
            return 0.0
        if self.real:
            return float(generator.laplace(0.0, 1 / self.rate))
        # The difference of two geometric numbers has mass in proportion to e^{-decay |k|}.
        first, second = generator.geometric(-np.expm1(-self.rate), size=2)
        return float(first - second)

    def weights(self, length: int) -> Array:
        """How much of all outputs each point of the axis stands for; between real ones a functional that is convex and
        homogeneous is at most so much."""
        if self.decay is None:
            return np.ones(length)
        return cell_weights(length, self.rate) if self.real else lattice_weights(length, self.rate)

    def sides(self, length: int, place: Fraction) -> Weights:
        """The same, of outputs up to a place counted from the box's start, and from it on."""
        if self.decay is None:
            return of_box(length, round(place))
        if self.real:
            return of_reals(length, self.rate, float(place))
        return of_lattice(length, self.rate, round(place))
