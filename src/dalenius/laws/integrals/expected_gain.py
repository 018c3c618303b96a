"""Posterior vulnerabilities over prior ones: the expected gain of the best action (g-leakage), and Gini's index."""

import math
from functools import cached_property
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.integrals.crossed_boxes import Split, two_ahead
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine
from dalenius.laws.integrals.gaussian_rule import Integrand, ratio_integral
from dalenius.laws.integrals.laplace_cells import HEIGHT, gauss, largest_over_cell, over_pieces
from dalenius.laws.integrals.upper_envelope import largest_integral
from dalenius.laws.law import log_sum

_FAR: Final = 1.0
"""Nats beyond which π(r - 1) is a difference of posterior and prior, because it may overflow otherwise."""


@final
class ExpectedGain(Functional):
    """The functional max_g Σ_s c_gs w_s, c_gs = gain_gs π_s over the prior's max_g Σ_s gain_gs π_s.

    Its sum over outputs is V_g(posterior)/V_g. log_gain (guesses, secrets) has at least one finite entry; guesses
    that gain nothing are left out.

    A guess of a fair bit gains 1 if right: 1/2 without an output, 3/4 with a report that is right that often.

    >>> from dalenius.laws.integrals.functionals_over_outputs import over_points
    >>> from dalenius.laws.law import Law
    >>> report = Law((0,), np.zeros(2), np.log([[0.75, 0.25], [0.25, 0.75]]), error=0.0)
    >>> right = ExpectedGain(np.log([0.5, 0.5]), np.array([[0.0, -np.inf], [-np.inf, 0.0]]))
    >>> round(over_points(right, report).upper, 6)
    1.5
    >>> round(over_points(Quadratic(np.log([0.5, 0.5])), report).upper, 6)  # (9/16 + 1/16)/(1/2) - 1
    0.25
    """

    def __init__(self, log_prior: Array, log_gain: Array) -> None:
        weighed = log_gain + log_prior
        sums = np.array([log_sum(row) for row in weighed])
        # The case of a guess that gains only where a secret is impossible, e.g. a place where nobody can be.
        gainful = sums > -np.inf
        self._sums = sums[gainful] - np.max(sums)
        self._rows = weighed[gainful] - np.max(sums)
        deepest = float(np.max(np.abs(weighed), where=np.isfinite(weighed), initial=0.0))
        self.rounding = (4 * len(log_prior) + 64 + 8 * (deepest + abs(float(np.max(sums))))) * UNIT

    def at(self, logs: Array) -> Array:
        return np.asarray(np.exp(np.max(self._mixed(logs), axis=0)))

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        area = largest_over_cell(self._mixed(left), self._mixed(right), decay)
        return area, (256 * UNIT + self.rounding) * area

    def split(self, corners: Array) -> Split:
        return two_ahead(self._mixed(corners))

    def over_line(self, line: GaussianLine) -> Enclosure:
        normal = line.normal.mixed(self._rows - self._sums[:, None], self.rounding)
        return largest_integral(normal, normal.read(line.middle.y), self._sums.tolist())

    @property
    def most(self) -> float:
        return float(np.sum(np.exp(np.max(self._rows, axis=0)))) * (1 + self.rounding)

    def slack(self, logs: Array, error: float) -> Array:
        return (_grown(error) + self.rounding) * self.at(logs)

    def without(self, lost: Array) -> tuple[float, float]:
        return 0.0, 2 * float(np.exp(np.max(self._rows, axis=0)) @ lost)

    def _mixed(self, logs: Array) -> Array:
        """Returns log Σ_s c_gs w_s (guesses, ..)."""
        return np.stack([_log_mixture(row, logs) for row in self._rows])


@final
class Quadratic(Functional):
    """The functional Σ_s q_s (w_s - w̄)²/w̄, q_s = π_s²/Σπ².

    Its sum over outputs is the posterior Gini vulnerability over the prior's, less 1. Σ_y w̄ Σ_s Pr(s|y)² = Σ_y Σ_s
    π_s² w_s²/w̄, and w_s² = (w_s - w̄)² + 2 w_s w̄ - w̄², where Σ_y w_s = Σ_y w̄ = 1: terms of one sign, without
    cancellation where little leaks.
    """

    def __init__(self, log_prior: Array) -> None:
        self.log_prior = log_prior
        self._prior = np.exp(log_prior)
        self._rounding = (2 * len(log_prior) + 64 + 4 * float(np.max(-log_prior))) * UNIT

    @cached_property
    def blind(self) -> float:
        """The sum Σ_s π_s²."""
        return float(np.sum(self._prior**2))

    def at(self, logs: Array) -> Array:
        log_ratio, mixture = self._ratios(logs)
        return np.asarray(np.sum(self._moved(log_ratio)[1] ** 2, axis=0) * mixture / self.blind)

    def slack(self, logs: Array, error: float | Array) -> Array:
        return self.at_with_slack(logs, error)[1]

    def at_with_slack(self, logs: Array, error: float | Array) -> tuple[Array, Array]:
        """Returns the value and its slack for `logs` (secrets, ..) off by `error` nats, by two inequalities."""
        # Because, with t = π (r - 1) and p = π r of one secret, p moves by at most g p, g = e^{2·error} - 1, the scale
        # w̄ by e^error, and t² by at most 2 |t| g p + g² p². In |t| p <= t² + π |t| and p² every term is convex.
        log_ratio, mixture = self._ratios(logs)
        posterior, moved = self._moved(log_ratio)
        prior = _column(self._prior, log_ratio)
        squares = np.sum(moved**2, axis=0)
        grown = _grown(2 * (error + self._rounding))
        doubt = squares + np.sum(prior * np.abs(moved), axis=0)
        with np.errstate(over="ignore"):
            off = grown * squares + (1 + grown) * grown * (2 * doubt + grown * np.sum(posterior**2, axis=0))
            slack = np.minimum(off * (mixture / self.blind) * (1 + self._rounding), 1e300)
        return squares * mixture / self.blind, slack

    def without(self, lost: Array) -> tuple[float, float]:
        """Bounds the effect of `lost` (secrets,) by the tangent.

        Its slope in w_s is 2 q_s (r_s - 1) - π_s (Σ_t q_t r_t² - 1), and Σ_t q_t r_t² <= 1/Σπ². The part left out
        adds at most its own, Σ_s (π_s r_s - π_s)² <= 1 + Σπ² of it: it is no channel, and not bound by `most`.
        """
        left = float(self._prior @ lost)
        return 2 * float(2 * self._prior**2 @ lost + left) / self.blind, 2 * left * (1 + self.blind) / self.blind

    def _moved(self, log_ratio: Array) -> tuple[Array, Array]:
        """Returns p and t: the posterior, and its excess over the prior."""
        prior = _column(self._prior, log_ratio)
        posterior = np.exp(_column(self.log_prior, log_ratio) + log_ratio)
        return posterior, np.where(log_ratio > _FAR, posterior - prior, prior * np.expm1(np.minimum(log_ratio, _FAR)))

    @property
    def most(self) -> float:
        return (1 / self.blind - 1) * (1 + self._rounding) + self._rounding

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        return over_pieces(left, right, decay, self.at, self._gauss)

    def over_line(self, line: GaussianLine) -> Enclosure:
        # Because Σ_s (π_s r_s - π_s)² <= 1 + Σπ² for real outputs; the slope in π_s w_s is at most 3/Σπ² + 1.
        integrand = Integrand(self.log_prior, self.at, self.slack, 2 / self.blind, self.most, self._on_ellipse)
        return ratio_integral(line.normal, integrand)

    def _on_ellipse(self, tallest: Array, ratio: Array) -> Array:
        """Bounds φ on the ellipse, where |w̄| is at least half of w̄(x): Σ_s |π_s r_s|² <= (Σ_s π_s |r_s|)² <= 4."""
        return np.asarray(tallest[-1] * (8 / self.blind + 2))

    def _gauss(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        """Integrates one piece, decay <= 1. On the ellipse |w̄| >= cos 1.2 w̄(x): Σ_s |π_s r_s|² <= sec² 1.2 < 8."""
        largest = self.largest_near(np.stack([left, right], axis=1))
        return gauss(left, right, decay, lambda logs: self.at_with_slack(logs, 4 * UNIT), largest)

    def largest_near(self, corners: Array, height: float = HEIGHT) -> Array:
        return np.asarray(math.exp(height) * np.max(self._ratios(corners)[1], axis=0) * (16 / self.blind + 2))

    def _ratios(self, logs: Array) -> tuple[Array, Array]:
        """Returns the log of each w over the mixture, and the mixture; where that is 0 all ratios are 1."""
        mixed = _log_mixture(self.log_prior, logs)
        return np.where(mixed > -np.inf, logs - np.where(mixed > -np.inf, mixed, 0.0), 0.0), np.exp(mixed)


def _log_mixture(log_weights: Array, logs: Array) -> Array:
    """Returns log Σ_s e^{log_weights_s} w_s (..), to the rounding of one log; -∞ where nothing is possible."""
    weighed = _column(log_weights, logs) + logs
    top = np.max(weighed, axis=0)
    ground = np.where(top > -np.inf, top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(ground + np.log(np.sum(np.exp(weighed - ground), axis=0)))


def _column(values: Array, logs: Array) -> Array:
    return values.reshape(-1, *[1] * (logs.ndim - 1))


def _grown(error: float | Array) -> Array:
    """Returns e^error - 1; for logs that are not known at all, 10^130."""
    return np.asarray(np.expm1(np.minimum(error, 300.0)))
