"""The power divergence of one value of a secret from another. Rényi's divergence is its logarithm, scaled.

A bit that is reported as it is with probability 3/4: Σ_y W(y|0)²/W(y|1) is (9/16)/(1/4) + (1/16)/(3/4) = 7/3, and the
sum of the functional of order 2 is that less 1.

>>> from dalenius.laws.integrals.functionals_over_outputs import over_points
>>> report = Law((0,), np.zeros(2), np.log([[0.75, 0.25], [0.25, 0.75]]), error=0.0)
>>> round(over_points(Power(0, 1, order=2.0), report).upper, 6)
1.333333
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.errors import Meaningless
from dalenius.laws.integrals.convex_functionals import NARROW, Functional
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine
from dalenius.laws.integrals.laplace_cells import HEIGHT, between, gauss, over_pieces
from dalenius.laws.law import Law

_NEAR: Final = 0.5
"""Nats of order·log r below which the series is summed: r^α and its tangent agree to many digits there."""
_TERMS: Final = 20
_SHORT: Final = 4.0
"""Nats that order·log W changes by, at most, along a piece that Gauss's rule integrates."""
_HALVINGS: Final = 5
"""Ellipses of so many heights are compared, each half as high as the one before: enough for an order of a hundred."""
_AT_ONCE: Final = 1 << 16
"""Likelihoods at the ends of parts that are worked out at once."""
_TALL: Final = 300.0
"""Nats beyond which the likelihoods are scaled before they are summed: powers may be no doubles."""


@final
class Power(Functional):
    """The functional w_t (r^α - 1 - α (r - 1))/(α - 1), r = w_s/w_t, for one ordered pair of secrets.

    Its sum over outputs is (Σ_y w_s^α w_t^{1-α} - 1)/(α - 1), because Σ_y w_s = Σ_y w_t = 1: terms of one sign, without
    cancellation where little leaks, or where α is near 1. It is infinite where w_t = 0 < w_s.

    It is bounded by no multiple of the mixture, so that it has no integral over a line of Gaussian noise.
    """

    def __init__(self, secret: int, against: int, order: float) -> None:
        """Takes the places of s and t among the secrets, and the order α > 1."""
        self.secret, self.against, self.order = secret, against, order
        self._excess = order - 1
        self._height = HEIGHT * min(1.0, _SHORT / order)
        # Because (α^k - α)/(α - 1) x^k/k! is a difference in α that cancels near 1.
        self._series = [
            -math.expm1(-(k - 1) * math.log1p(self._excess)) / (self._excess * math.factorial(k))
            for k in range(2, _TERMS)
        ]

    def at(self, logs: Array) -> Array:
        own, other, ratio = self._sides(logs)
        tilt = self._excess * ratio
        with np.errstate(over="ignore", under="ignore"):
            up, down = np.maximum(ratio, 0.0), np.minimum(ratio, 0.0)
            raised = np.exp(own + np.maximum(tilt, 0.0)) * -np.expm1(-np.maximum(tilt, 0.0)) / self._excess
            raised -= np.exp(own) * -np.expm1(-up)
            lowered = np.exp(own) * np.expm1(np.minimum(tilt, 0.0)) / self._excess - np.exp(other) * np.expm1(down)
            found = np.maximum(np.where(ratio > 0, raised, lowered), 0.0)
            near = np.abs(self.order * ratio) < _NEAR
            found = np.where(near, self._close(self.order * np.where(near, ratio, 0.0)) * np.exp(other), found)
        found = np.where((own == -np.inf) & (other > -np.inf), np.exp(other), found)
        return np.where((other == -np.inf) & (own > -np.inf), np.inf, found)

    def slack(self, logs: Array, error: float | Array) -> Array:
        return self.at_with_slack(logs, error)[1]

    def at_with_slack(self, logs: Array, error: float | Array) -> tuple[Array, Array]:
        """Returns the value and its slack for `logs` (secrets, ..) off by `error` nats, and for their own roundings."""
        # Because dφ = [α w_s (r^(α-1) - 1) d(log w_s) - (α-1) w_t (r^α - 1) d(log w_t)]/(α-1), where on the way to the
        # true logs the w grow by at most e^error and r^p by e^(2p·error).
        own, other, ratio = self._sides(logs)
        depth = np.where(own > -np.inf, np.abs(own), 0.0) + np.where(other > -np.inf, np.abs(other), 0.0)
        off = np.minimum(error + (16 + 4 * depth) * UNIT, 300.0)
        tilt, all_tilt = self._excess * ratio, self.order * ratio
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            power = np.exp(own + tilt)
            steep = np.where(
                ratio > 0, -np.expm1(-np.maximum(tilt, 0.0)) * power, -np.expm1(np.minimum(tilt, 0.0)) * np.exp(own)
            )
            flat = np.where(
                ratio > 0,
                -np.expm1(-np.maximum(all_tilt, 0.0)) * power,
                -np.expm1(np.minimum(all_tilt, 0.0)) * np.exp(other),
            )
            grown = [np.expm1(np.minimum(2 * p * off, 600.0)) for p in (self._excess, self.order)]
            by_own = self.order / self._excess * (steep + power * grown[0])
            by_other = flat + power * grown[1]
            # The case of a value that cannot have made the output: φ is w_t alone.
            by_other = np.where(own == -np.inf, np.exp(other), by_other)
            moved = off * np.exp(off) * (np.where(own > -np.inf, by_own, 0.0) + by_other)
        value = self.at(logs)
        return value, np.minimum(np.where(np.isnan(moved), np.inf, moved) + 64 * UNIT * value, 1e300)

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        return over_pieces(left, right, decay, self.at, self._gauss)

    def over_line(self, line: GaussianLine) -> Enclosure:
        """Refuses any `line` of Gaussian noise: its rule needs a bound of the ratio, and far out there is none."""
        raise no_gaussian()

    def largest_near(self, corners: Array, height: float = HEIGHT) -> Array:
        return self._largest(corners, height)

    @property
    def heights(self) -> Sequence[float]:
        """Because φ grows as W^α, it is far larger on a high ellipse than in the box: low ones bound narrow boxes."""
        return tuple(max(HEIGHT / 2**halvings, self._height) for halvings in range(_HALVINGS + 1))

    def settles(self, lower: float, upper: float) -> bool:
        """Says whether the bounds `lower` and `upper` of the sum are near enough.

        Their logarithms are compared, because Rényi's divergence is asked for, not the sum.
        """
        ends = [math.log1p(self._excess * max(end, 0.0)) for end in (lower, upper)]
        return ends[1] - ends[0] <= NARROW * ends[1]

    @property
    def most(self) -> float:
        return math.inf

    def _sides(self, logs: Array) -> tuple[Array, Array, Array]:
        """Returns log w_s, log w_t, and log r, 0 where one of them is impossible."""
        own, other = logs[self.secret], logs[self.against]
        there = (own > -np.inf) & (other > -np.inf)
        return own, other, np.where(there, np.where(there, own, 0.0) - np.where(there, other, 0.0), 0.0)

    def _close(self, powers: Array) -> Array:
        """Returns φ/w_t from order·log r by its series, for r near 1."""
        series = np.full_like(powers, self._series[-1])
        for coefficient in self._series[-2::-1]:
            series = series * powers + coefficient
        return powers**2 * series

    def _gauss(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        """Integrates a piece, decay <= 1, in parts so short that the power changes little along them."""
        parts = max(1, math.ceil(decay * self.order / _SHORT))
        total, error = np.zeros(left.shape[1:]), np.zeros(left.shape[1:])
        # So that high orders take one rule for many parts, and no more memory than many cells.
        step = max(1, _AT_ONCE // max(1, left.size))
        for first in range(0, parts, step):
            cuts = range(first, min(first + step, parts) + 1)
            knots = np.stack([between(left, right, decay, cut / parts) for cut in cuts], axis=1)
            near, far = knots[:, :-1], knots[:, 1:]
            largest = self._largest(np.stack([near, far], axis=1), self._height)
            area, bound = gauss(near, far, decay / parts, self._rounded, largest, self._height)
            total, error = total + np.sum(area, axis=0), error + np.sum(bound, axis=0)
        return total, error

    def _rounded(self, logs: Array) -> tuple[Array, Array]:
        return self.at_with_slack(logs, 0.0)

    def _largest(self, corners: Array, height: float) -> Array:
        """Bounds |φ| where one coordinate is on the ellipse of `height`, by log W at `corners` (secrets, corners, ..).

        In a box r lies between its values at the corners, as every W is their mixture by the same shares, and beyond it
        log r changes by at most 2 for each b; |W(x + iτ)| is between cos(τ/b) W(x) and W(x). With X the logarithm of r,
        |(r^(α-1) - 1)/(α-1)| <= |X| max(1, |r|^(α-1)).
        """
        own, other, ratio = self._sides(corners)
        lean = -math.log(math.cos(height))
        rise = np.max(ratio, axis=0) + 2 * height + lean
        log = np.max(np.abs(ratio), axis=0) + 4 * height + lean
        most, least = np.max(own, axis=0) + height, np.max(other, axis=0) + height
        with np.errstate(over="ignore", under="ignore"):
            power = np.exp(np.minimum(most + np.maximum(self._excess * rise, 0.0), 690.0))
            found = power * log + np.exp(most) + np.exp(least)
        return np.asarray(found * (1 + 1e-9))


def levelled(law: Law, order: float) -> tuple[Law, float]:
    """Returns the `law` of two secrets with its powers scaled by e^-lift, and that lift, in nats.

    Where the first is so much likelier than the second that r^order may overflow, every output is put on the scale of
    its own power, and all are made smaller alike. The functional is homogeneous: its sum is e^lift times as much.
    """
    own, other = law.relative
    there = (own > -np.inf) & (other > -np.inf)
    power = np.where(there, np.where(there, own, 0.0) * order - (order - 1) * np.where(there, other, 0.0), 0.0)
    if float(np.max(power, initial=0.0)) <= _TALL and float(np.max(law.base + power, initial=0.0)) <= _TALL:
        return law, 0.0
    lift = max(0.0, float(np.max(np.where(there, law.base + power, -np.inf), initial=0.0)))
    scale = np.maximum(power, 0.0)
    deepest = float(np.max(scale)) + lift
    moved = replace(law, base=law.base + scale - lift, relative=law.relative - scale)
    return replace(moved, error=law.error + 16 * deepest * UNIT), lift


def no_gaussian() -> Meaningless:
    """Makes the refusal of Gaussian noise."""
    return Meaningless("noise.kind", "gaussian", "laplace, geometric, a kernel or none for renyi")
