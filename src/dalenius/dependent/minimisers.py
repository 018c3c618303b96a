"""Minimisers of regularised losses of a margin (Chaudhuri, Monteleoni and Sarwate 2011), certified: how long the
gradient is at what is returned, rounding counted; and noise with which they may go out (Result 17.2)."""

import abc
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, isqrt
from typing import Final, final

import numpy as np

from dalenius.dependent.arguments import Added, drawable
from dalenius.errors import TooLarge
from dalenius.laws.law import Array
from dalenius.noise.sampling import with_discrete_laplace


class Loss(abc.ABC):
    """bend: the most its second derivative can be, c."""

    @property
    @abc.abstractmethod
    def bend(self) -> float: ...

    @abc.abstractmethod
    def value(self, margins: Array) -> Array:
        """By margin its loss."""

    @abc.abstractmethod
    def slope(self, margins: Array) -> Array:
        """Its derivative, from -1 to 0."""

    @abc.abstractmethod
    def curvature(self, margins: Array) -> Array:
        """Its second derivative, of one side where the two differ."""


@final
@dataclass(frozen=True)
class Logistic(Loss):
    """log(1 + e^{-m})."""

    @property
    def bend(self) -> float:
        return 0.25

    def value(self, margins: Array) -> Array:
        return np.logaddexp(0.0, -margins)

    def slope(self, margins: Array) -> Array:
        return -one_over(margins)

    def curvature(self, margins: Array) -> Array:
        return one_over(margins) * one_over(-margins)


@final
@dataclass(frozen=True)
class SmoothHinge(Loss):
    """0 above 1 + h, 1 - m below 1 - h, the parabola (1 + h - m)²/4h between them."""

    h: float

    @property
    def bend(self) -> float:
        return 1 / (2 * self.h)

    def value(self, margins: Array) -> Array:
        below = np.clip(1 + self.h - margins, 0.0, 2 * self.h)
        return below**2 / (4 * self.h) + np.maximum(1 - self.h - margins, 0.0)

    def slope(self, margins: Array) -> Array:
        return -np.clip((1 + self.h - margins) / (2 * self.h), 0.0, 1.0)

    def curvature(self, margins: Array) -> Array:
        return np.where(np.abs(1 - margins) <= self.h, self.bend, 0.0)


def one_over(margins: Array) -> Array:
    """1/(1 + e^m), without overflow."""
    return np.asarray(0.5 * (1 - np.tanh(margins / 2)))


SLACK: Final = Fraction(1, 1024)
"""How much of the exact minimisers' distance may be added by their being inexact, and by the lattice."""
ROWS: Final = 1024
"""Rows of a block of the gradient's sum: what is rounded within a block grows with them, the blocks' sum is exact."""
STEPS: Final = 300
HALVINGS: Final = 40
FAINT: Final = 1e-10
UNIT: Final = 2.0**-53


@final
@dataclass(frozen=True)
class Objective:
    """J(w) = (1/n) Σ loss(⟨w, row⟩) + (weight/2)‖w‖². rows: (n, D), each times its label, none longer
    than 1."""

    rows: Array
    loss: Loss
    weight: float

    @property
    def people(self) -> int:
        return len(self.rows)

    @property
    def distance(self) -> Fraction:
        """How far apart the certified minimisers of neighbours are at most (L2), of rows no longer than 1."""
        return 2 / (self.people * Fraction(self.weight)) * (1 + SLACK)

    def minimiser(self) -> Array:
        """With a gradient of at most SLACK/n: within that over the weight of the exact one."""
        return minimiser(self, float(SLACK) / self.people * (1 - 2.0**-50))

    def value(self, w: Array) -> float:
        return float(self.loss.value(self.rows @ w).mean() + self.weight / 2 * (w @ w))

    def gradient(self, w: Array) -> Array:
        slopes = self.loss.slope(self.rows @ w)
        starts = range(0, self.people, ROWS)
        parts = np.stack([slopes[start : start + ROWS] @ self.rows[start : start + ROWS] for start in starts])
        return np.array([fsum(column) for column in parts.T]) / self.people + self.weight * w

    def hessian(self, w: Array) -> Array:
        bends = self.loss.curvature(self.rows @ w)
        found = (self.rows * bends[:, None]).T @ self.rows / self.people
        return np.asarray(found + self.weight * np.eye(len(w)))

    def rounding(self, w: Array) -> float:
        """How far the computed gradient may be from the true one (L2), twice over. A margin is off by at most D·u·‖w‖,
        and by 4u more when it is taken from where the loss bends, a slope by the bend of that and a few u; of rows no
        longer than 1 a block's sum loses ROWS·u of each."""
        length = float(np.sqrt(w @ w))
        margins = self.loss.bend * ((len(w) + 2) * length + 4)
        return 2 * UNIT * (ROWS + 12 + margins + 8 * self.weight * length)


def minimiser(objective: Objective, longest: float) -> Array:
    """w with ‖∇J(w)‖ <= longest for certain, by Newton's steps; one of 1/(bend + weight) down the gradient where these
    do not help, each of which shortens it. TooLarge where doubles cannot tell."""
    w = np.zeros(objective.rows.shape[1])
    gradient = objective.gradient(w)
    for _ in range(STEPS):
        length = float(np.sqrt(gradient @ gradient))
        if length * (1 + 1e-12) + objective.rounding(w) <= longest:
            return w
        w, gradient = _stepped(objective, w, gradient, length)
    raise _too_flat(objective)


def _too_flat(objective: Objective) -> TooLarge:
    what = f"a minimiser of {objective.people} rows at regularization {objective.weight:.3g} of unit rows"
    return TooLarge("learning", what, "its gradient cannot be made short enough for certain: regularize more")


def _stepped(objective: Objective, w: Array, gradient: Array, length: float) -> tuple[Array, Array]:
    try:
        direction = -np.linalg.solve(objective.hessian(w), gradient)
    except np.linalg.LinAlgError:
        raise _too_flat(objective) from None
    falls, here, share = float(gradient @ direction), objective.value(w), 1.0
    faint = -falls < FAINT * (1 + abs(here))  # values no longer tell which point is lower
    for _ in range(HALVINGS):
        ahead = w + share * direction
        found = objective.gradient(ahead)
        lower = objective.value(ahead) < here + 1e-4 * share * falls
        if lower or (faint and float(np.sqrt(found @ found)) <= length / 2):
            return ahead, found
        share /= 2
    ahead = w - gradient / (objective.loss.bend + objective.weight)
    return ahead, objective.gradient(ahead)


UNITS: Final = "of rows of length 1"


def output_perturbed(objective: Objective, epsilon: float) -> tuple[Array, Added]:
    """The minimiser on a lattice, with exact discrete Laplace noise on every number (Result 17.2): what goes out, and
    the noise of it."""
    lattice = Rounded.of(objective)
    scale = lattice.distance / Fraction(epsilon)
    drawable(epsilon, scale)
    indices = [int(index) for index in np.rint(objective.minimiser() / float(lattice.step))]
    drawn = with_discrete_laplace(indices, scale)
    weights = np.array([float(index * lattice.step) for index in drawn])
    return weights, Added("weights", "discrete laplace", float(scale * lattice.step), UNITS, 1, True)


@final
@dataclass(frozen=True)
class Rounded:
    """step: of the lattice; distance: how far apart neighbours' minimisers are at most on it (L1), in steps."""

    step: Fraction
    distance: int

    @classmethod
    def of(cls, objective: Objective) -> "Rounded":
        size = objective.rows.shape[1]
        root = Fraction(isqrt(size * 4**40) + 1, 2**40)  # above √D
        step = power_below(objective.distance * SLACK / root)
        return cls(step, int(root * objective.distance / step) + size)


def power_below(most: Fraction) -> Fraction:
    """The largest power of 2 that is at most that."""
    near = Fraction(2) ** (most.numerator.bit_length() - most.denominator.bit_length())
    return near if near <= most else near / 2
