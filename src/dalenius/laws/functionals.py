"""Convex, positively homogeneous functions of the likelihood vector W(y|·), to be summed over all outputs.

Mutual information and every hockey-stick are such sums: F = ∫ φ(W(y|·)) dy with φ convex and φ(cw) = cφ(w). Hence φ of a
sum is at most the sum of φ: merging outputs gives a lower bound, splitting them along segments an upper one.
"""

import abc
from typing import final

import numpy as np

from dalenius.laws.law import Array


class Functional(abc.ABC):
    """φ, evaluated pointwise on likelihoods given as logs relative to a common scale."""

    @abc.abstractmethod
    def at(self, logs: Array) -> Array:
        """φ(exp(logs)), non-negative up to an additive part that integrates to 0; logs has shape (secrets, ...)."""

    @abc.abstractmethod
    def slack(self, logs: Array, error: float) -> Array:
        """How far φ may move when every entry of logs moves by at most `error` nats."""


@final
class Information(Functional):
    """sum_s π_s w_s log(w_s / w̄), written as w̄ · sum_s π_s (r log r - r + 1), r = w_s / w̄: no cancellation."""

    def __init__(self, log_prior: Array) -> None:
        self.log_prior = log_prior

    def at(self, logs: Array) -> Array:
        log_ratio, mixture = self._ratios(logs)
        return mixture * np.einsum("s,s...->...", np.exp(self.log_prior), excess(log_ratio))

    def slack(self, logs: Array, error: float) -> Array:
        # d(r log r - r + 1) = r log r · d(log r), and log r moves by at most 2·error, the scale w̄ by error.
        log_ratio, mixture = self._ratios(logs)
        first = np.exp(log_ratio) * np.abs(log_ratio) * 2 + excess(log_ratio)
        second = np.exp(log_ratio) * 8 * error
        return mixture * np.einsum("s,s...->...", np.exp(self.log_prior), 1.01 * error * (first + second))

    def _ratios(self, logs: Array) -> tuple[Array, Array]:
        shaped = self.log_prior.reshape((-1,) + (1,) * (logs.ndim - 1))
        mixture = np.logaddexp.reduce(shaped + logs, axis=0)
        safe = np.where(np.isfinite(mixture), mixture, 0.0)
        return logs - safe, np.where(np.isfinite(mixture), np.exp(safe), 0.0)


@final
class HockeyStick(Functional):
    """max(w_s - e^ε w_t, 0) for one ordered pair of secrets."""

    def __init__(self, secret: int, against: int, epsilon: float) -> None:
        self.secret, self.against, self.epsilon = secret, against, epsilon

    def at(self, logs: Array) -> Array:
        return np.maximum(self.difference(logs), 0.0)

    def difference(self, logs: Array) -> Array:
        """w_s - e^ε w_t, whatever its sign."""
        against = logs[self.against] + self.epsilon
        with np.errstate(over="ignore", invalid="ignore"):
            close = -np.exp(logs[self.secret]) * np.expm1(against - logs[self.secret])
        return np.where(logs[self.secret] > -np.inf, close, -np.exp(against))

    def slack(self, logs: Array, error: float) -> Array:
        moved = np.expm1(error) * (np.exp(logs[self.secret]) + np.exp(logs[self.against] + self.epsilon))
        return np.where(self.difference(logs) + moved > 0, moved, 0.0)


def excess(log_ratio: Array) -> Array:
    """r log r - r + 1 for r = e^{log_ratio}, to full relative accuracy near r = 1; 1 at r = 0."""
    small = np.abs(log_ratio) < 1e-2
    x = np.where(small, log_ratio, 0.0)
    # e^x (x - 1) + 1 = sum_{k>=2} x^k (k-1)/k!
    series = x**2 * (1 / 2 + x * (1 / 3 + x * (1 / 8 + x * (1 / 30 + x * (1 / 144 + x * (1 / 840 + x / 5760))))))
    with np.errstate(invalid="ignore", over="ignore"):
        direct = np.where(log_ratio > -np.inf, np.exp(log_ratio) * (log_ratio - 1) + 1, 1.0)
    return np.where(small, series, direct)
