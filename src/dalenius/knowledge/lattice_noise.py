"""Noise that a lattice law stands for: no δ through the noise is above that through the law (Result 7.14).

Geometric noise is such a law. Laplace noise of the same decay is a post-processing of it for answers on the lattice
(Gupte and Sundararajan 2010). A normal law of variance σ² is, up to a factor within 1 ± η, that of a discrete normal
law of variance σ² - r plus a normal law of variance r. η comes from Poisson's formula.

Laplace noise of scale 2 on whole numbers:

>>> from dalenius.noise import Laplace
>>> found = lattice_noise(Laplace(scale=2.0), 1.0)
>>> round(float(found.law.max()), 6), found.shift
(0.244919, 0.0)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atanh, exp, pi
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.knowledge.coins import LOST, Views, WorstTerms
from dalenius.noise import Noise
from dalenius.noise.noise import gaussian_deviation

# Points of a law of noise, so that a bound takes seconds.
_MOST_POINTS: Final = 4000
# A variance, in squared steps, past which a normal law's sums over a lattice and over its shifts agree to 2e-9.
_ENOUGH: Final = 1.0


@final
@dataclass(frozen=True)
class LatticeNoise:
    """Masses on lattice points that stand for a noise: its δ(ε) is at most factor·δ(ε - shift) of these."""

    law: Array
    factor: float = 1.0
    shift: float = 0.0

    def delta(self, bounds: Sequence[WorstTerms], epsilon: float, compared: float | None = None) -> float:
        """The least of several bounds of δ(epsilon) through the noise; compared: with what it is only compared."""
        rest = None if compared is None else compared / self.factor
        found = 1.0
        for bound in bounds:
            found = min(found, bound.delta(epsilon - self.shift, self.law, rest))
            # Because one bound that is low enough decides a comparison.
            if rest is not None and found <= rest:
                break
        return min(1.0, self.factor * found)

    def deltas(self, views: Views) -> Callable[[Array], Array]:
        """Returns bounds of δ of each view (views,), as a function of an ε for each, in nats.

        Args:
            views: The views, beside which there is the noise alone.
        """
        found = views.with_rest(self.law)
        return lambda epsilons: np.minimum(1.0, self.factor * found(epsilons - self.shift))


def lattice_noise(noise: Noise, step: float) -> LatticeNoise | None:
    """Makes the law for answers a `step` apart, in the query's unit; None for noise of another kind, or too wide."""
    if noise.shape.adds_nothing:
        return LatticeNoise(np.ones(1))
    if noise.shape.exponential:
        return _geometric(exp(-step / noise.known_scale()))
    if noise.shape.gaussian:
        return _discrete_normal((gaussian_deviation(noise) / step) ** 2)
    return None


def _geometric(decay: float) -> LatticeNoise | None:
    if decay <= 0:
        return LatticeNoise(np.ones(1))
    reach = int(np.log(LOST / 64) / np.log(decay)) + 2
    if 2 * reach + 1 > _MOST_POINTS:
        return None
    return LatticeNoise((1 - decay) / (1 + decay) * decay ** np.abs(np.arange(-reach, reach + 1.0)))


def _discrete_normal(variance: float) -> LatticeNoise | None:
    """The variance τ² of a point given the sum is split·rest/variance; η = 2 Σ e^(-2π²τ²j²), for the lattice law's own
    normalisation too."""
    best = variance / 2
    # The least variance that leaves τ² at _ENOUGH/3: the smaller root of r(v - r)/v.
    if variance > 4 * _ENOUGH / 3:
        best = (variance - np.sqrt(variance**2 - 4 * variance * _ENOUGH / 3)) / 2
    split = variance - best
    spread = split * best / variance
    off = _ripple(spread) + _ripple(split)
    reach = int(10 * np.sqrt(split)) + 2
    if off >= 0.5 or 2 * reach + 1 > _MOST_POINTS:
        return None
    weights = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * split))
    return LatticeNoise(weights / weights.sum(), (1 + off) / (1 - off), 2 * atanh(off) * (1 + 1e-9))


def _ripple(variance: float) -> float:
    """How far, relatively, a normal law's sum over any shift of the whole numbers is from 1, at most."""
    first = exp(-2 * pi**2 * variance)
    return 2 * first / (1 - first)
