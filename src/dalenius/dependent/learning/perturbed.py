"""Minimisers that may go out: noise on them (Result 17.2), or in what is minimised (Theory §17)."""

from dataclasses import dataclass
from fractions import Fraction
from math import expm1, isqrt, log1p, sqrt
from typing import Any, Final, final

import numpy as np

from dalenius.dependent.learning.arguments import drawable
from dalenius.dependent.learning.guarantee import Added
from dalenius.dependent.learning.losses import Loss
from dalenius.dependent.learning.minimise import Objective, minimiser
from dalenius.laws.law import Array
from dalenius.noise.sampling import with_discrete_laplace

SLACK: Final = Fraction(1, 1024)
"""How much of the exact minimisers' distance may be added by their being inexact, and by the lattice."""
UNITS: Final = "of rows of length 1"


@final
@dataclass(frozen=True)
class Learned:
    """What went out, for rows of length at most 1, and the noise of it."""

    weights: Array
    noise: Added


@final
@dataclass(frozen=True)
class Task:
    """rows: (n, D), each times its label, none longer than 1; weight: of the squared length, for such rows."""

    rows: Array
    loss: Loss
    weight: float

    @property
    def distance(self) -> Fraction:
        """How far apart the certified minimisers of neighbours are at most (L2), of rows no longer than 1."""
        return 2 / (len(self.rows) * Fraction(self.weight)) * (1 + SLACK)

    def minimiser(self) -> Array:
        """With a gradient of at most SLACK/n: within that over the weight of the exact one."""
        plain = Objective(self.rows, self.loss, self.weight, np.zeros(self.rows.shape[1]))
        return minimiser(plain, float(SLACK) / len(self.rows) * (1 - 2.0**-50))


def output_perturbed(task: Task, epsilon: float) -> Learned:
    """The minimiser on a lattice, with exact discrete Laplace noise on every number (Result 17.2)."""
    lattice = Rounded.of(task)
    scale = lattice.distance / Fraction(epsilon)
    drawable(epsilon, scale)
    indices = [int(index) for index in np.rint(task.minimiser() / float(lattice.step))]
    drawn = with_discrete_laplace(indices, scale)
    weights = np.array([float(index * lattice.step) for index in drawn])
    return Learned(weights, Added("weights", "discrete laplace", float(scale * lattice.step), UNITS, 1, True))


@final
@dataclass(frozen=True)
class Rounded:
    """step: of the lattice; distance: how far apart neighbours' minimisers are at most on it (L1), in steps."""

    step: Fraction
    distance: int

    @classmethod
    def of(cls, task: Task) -> "Rounded":
        size = task.rows.shape[1]
        root = Fraction(isqrt(size * 4**40) + 1, 2**40)  # above √D
        step = power_below(task.distance * SLACK / root)
        return cls(step, int(root * task.distance / step) + size)


def power_below(most: Fraction) -> Fraction:
    """The largest power of 2 that is at most that."""
    found = Fraction(1)
    while found > most:
        found /= 2
    while 2 * found <= most:
        found *= 2
    return found


def output_simulated(task: Task, epsilon: float, seed: Any) -> Learned:
    """The minimiser with the paper's noise, of density ∝ e^{-ε‖b‖/distance}: in floating point, by the seed."""
    scale = float(task.distance) / epsilon
    noise = long_tailed(task.rows.shape[1], scale, np.random.default_rng(seed))
    return Learned(task.minimiser() + noise, Added("weights", "density e^(-length/scale)", scale, UNITS, 1, False))


def objective_perturbed(task: Task, epsilon: float, seed: Any) -> Learned:
    """The minimiser of the tilted objective: Algorithm 2 of Chaudhuri, Monteleoni and Sarwate 2011, in floating point
    and by the seed."""
    people, size = task.rows.shape
    spent, more = tilt_epsilon(epsilon, task.loss.bend, people, task.weight)
    noise = long_tailed(size, 2 / spent, np.random.default_rng(seed))
    tilted = Objective(task.rows, task.loss, task.weight + more, noise / people)
    weights = minimiser(tilted, float(SLACK) / people)
    return Learned(
        weights, Added("tilt of the objective, times n", "density e^(-length/scale)", 2 / spent, UNITS, 1, False)
    )


def tilt_epsilon(epsilon: float, bend: float, people: int, weight: float) -> tuple[float, float]:
    """ε′ of the tilt, and Δ, the regularisation added: ε - 2 log(1 + c/nΛ) and 0 where that is positive, else ε/2 and
    what makes 2 log(1 + c/n(Λ + Δ)) the other half."""
    left = epsilon - 2 * log1p(bend / (people * weight))
    if left > 0:
        return left, 0.0
    return epsilon / 2, bend / (people * expm1(epsilon / 4)) - weight


def long_tailed(size: int, scale: float, generator: np.random.Generator) -> Array:
    """A vector of density ∝ e^{-length/scale}: its length has a Gamma law, its direction is uniform."""
    direction = generator.standard_normal(size)
    return np.asarray(direction / sqrt(direction @ direction) * generator.gamma(size, scale))
