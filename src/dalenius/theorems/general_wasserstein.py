"""The general Wasserstein mechanism: noise for a Rényi divergence (Pierquin et al. 2024; Theory §5).

Its scale is the least at which two copies of the noise, W∞ apart, have a divergence D_α of at most ε. Given two values
of a record the answers can be paired so that no pair is more than W∞ apart, and D_α of two mixtures is at most the
largest D_α of a pair, as it is quasi-convex. Laplace noise of scale 1 and two answers 1 apart:

>>> round(shifted_laplace(1.0, alpha=2.0), 6)
0.619124
>>> round(shifted_geometric(1, 1.0, alpha=2.0), 6)
0.735326
"""

from math import inf, log, log1p
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.calibration.method_base import Calibration, Method, achieved, check, judged
from dalenius.calibration.scale_search import least_scale
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Geometric, Laplace, NoNoise
from dalenius.notions import Notion
from dalenius.notions.renyi import Renyi
from dalenius.theorems.wasserstein import furthest_pair

_ROUNDED: Final = 64 * UNIT
"""Nats by which a sum of a few exponentials may be off, over α - 1."""


@final
class GeneralWassersteinMethod(Method):
    """The least scale b with D_α(W∞ + noise ‖ noise) <= ε, of Laplace or geometric noise, for a promise `renyi`.

    It is always sound. With α = ∞ the scale is that of `wasserstein`, W∞/ε; of every other order it is less.
    """

    name: ClassVar[str] = "general_wasserstein"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the scale for the `notion`, and says what the answers of the `release` are apart.

        InputError where the notion is not `renyi`, the noise is neither Laplace nor geometric, or answers are vectors.
        """
        epsilon = check(release, notion)
        if not isinstance(notion, Renyi):
            raise InputError("notion.kind", notion.kind, f"renyi, for method {self.name}")
        alpha, lattice = notion.alpha, release.lattice
        distance = furthest_pair(release, notion, self.name)[1]
        if not distance:
            return judged(self.name, True, "no record can move the answer", release, notion, NoNoise())
        match release.noise:
            case Laplace():

                def leakage(scale: float) -> float:
                    return shifted_laplace(float(distance) * (1 + 2 * UNIT) / scale, alpha)

            case Geometric():
                step = lattice.steps[0]
                steps = int(distance / step)

                def leakage(scale: float) -> float:
                    return shifted_geometric(steps, float(step) / scale, alpha)

            case _:
                raise InputError("noise.kind", release.noise.kind, "laplace or geometric")
        # Because D_α <= D_∞, the noise of `wasserstein` is enough.
        scale = least_scale(leakage, epsilon, float(distance) / epsilon)
        why = (
            f"given any two values of a record, the answers can be paired so that no pair is more than "
            f"{float(distance):g} apart, and noises so far apart have a Rényi divergence of at most {epsilon:g}"
        )
        return achieved(self.name, True, why, release, notion, release.noise.with_scale(scale))


def shifted_laplace(width: float, alpha: float) -> float:
    """Returns D_α of Laplace noises whose places are `width` scales apart, in nats, rounded up (Mironov 2017, Prop 6).

    It is log[α/(2α-1) e^{(α-1)w} + (α-1)/(2α-1) e^{-αw}]/(α-1), for the order `alpha` > 1.
    """
    excess = alpha - 1
    up, down = log(alpha / (2 * alpha - 1)) + excess * width, log(excess / (2 * alpha - 1)) - alpha * width
    found = float(np.logaddexp(up, down)) / excess
    return min(_up(found, alpha, alpha * width), width)


def shifted_geometric(steps: int, rate: float, alpha: float) -> float:
    """Returns D_α of geometric noises `steps` apart, in nats, rounded up.

    With q = e^-rate and p(y) ∝ q^|y| the sum of p(y-k)^α p(y)^{1-α} has three parts: below 0 all terms are q^{αk+|y|},
    beyond k they are q^{(1-α)k + y-k}, and between they fall by q^{1-2α} from one to the next.

    Args:
        steps: How many lattice steps the noises are apart, k.
        rate: The size of a step over the scale.
        alpha: The order α > 1.
    """
    if steps == 0:
        return 0.0
    excess, k = alpha - 1, steps
    tail = -float(np.log(-np.expm1(-rate)))
    below, beyond = -rate * alpha * k + tail, rate * excess * k + tail
    # Between, with r = q^{1-2α} > 1: q^{αk} (r + .. + r^{k-1}), from its largest term on.
    grown = (2 * alpha - 1) * rate
    largest = -rate * alpha * k + grown * (k - 1)
    between = largest + float(np.log(np.expm1(-grown * (k - 1)) / np.expm1(-grown))) if k > 1 else -inf
    total = float(np.logaddexp.reduce([below, beyond, between])) + log1p(-np.exp(-rate)) - log1p(np.exp(-rate))
    return min(_up(total / excess, alpha, alpha * rate * k - tail), rate * k)


def _up(found: float, alpha: float, depth: float) -> float:
    """Rounds a divergence up; `depth`: nats of the logs that made it."""
    return max(found, 0.0) + _ROUNDED * (1 + abs(depth) + abs(found)) / min(alpha - 1, 1.0)
