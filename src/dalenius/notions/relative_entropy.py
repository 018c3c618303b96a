"""Relative entropy privacy: how far an output may move the adversary's belief (IP Thm 1, IDP Thm 2)."""

from math import factorial, inf, isfinite
from typing import ClassVar, Final, Literal, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel import Channel
from dalenius.laws.functionals import excess
from dalenius.notions.leakage import Leakage, of_person, peak
from dalenius.notions.notion import Notion

HIGH: Final = 300.0
"""Nats: what raises a belief by more is read from the posterior."""


@final
class RelativeEntropyPrivacy(Notion):
    """D(S | Y=y ‖ S) <= epsilon for every output y, in nats. Companion `reverse`: D(S ‖ S | Y=y)."""

    also: ClassVar[tuple[str, ...]] = ("reverse",)

    kind: Literal["relative_entropy"] = "relative_entropy"

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2:
            return self.nothing()
        log_prior = channel.log_prior[:, None]
        prior = np.exp(log_prior)
        gain = np.where(channel.possible, channel.relative - channel.mixture, 0.0)
        # Past e^300 the prior may be no double: posteriors are, and there is nothing left to cancel.
        high = gain > HIGH
        within = np.where(high, 0.0, gain)
        ratio = np.exp(within)
        posterior = np.exp(np.where(high, log_prior + gain, -np.inf))
        surprise = posterior * np.where(high, gain, 0.0)
        # With r = posterior/prior of mean 1, D = E[r log r] = E[r log r - r + 1] and its reverse E[r - 1 - log r]:
        # both as sums of terms of one sign. An error e of every log W moves log r by at most 2e.
        forward = (prior * excess(within) + surprise - posterior + prior * high).sum(axis=0)
        with np.errstate(invalid="ignore"):
            weight = np.where(ratio > 0, ratio * np.abs(within), 0.0)
            backward = (prior * backwards(within) + posterior - prior * np.where(high, 1 + gain, 0.0)).sum(axis=0)
        moved = 2 * channel.error if isfinite(channel.error) else 0.0
        # A log of size w resolves its exponential to w roundings.
        rounding = (512 + (4 * np.max(np.abs(channel.log_prior)) if high.any() else 0.0)) * UNIT
        error = 1.01 * moved * (prior * weight + surprise).sum(axis=0) + 4 * moved**2 + rounding * forward
        value, (output,) = peak(forward, channel.possible, error + _unresolved(channel))
        finite = np.where(np.isfinite(backward), backward, 0.0)
        slack = 1.01 * moved * (prior * np.abs(ratio - 1) + posterior).sum(axis=0) + 4 * moved**2 + rounding * finite
        reverse, _ = peak(backward, channel.possible, slack + _unresolved(channel))
        return Leakage(
            value.lower, value.upper, of_person(channel, output=channel.output(output)), {"reverse": reverse}
        )


def backwards(gain: np.ndarray) -> np.ndarray:
    """r - 1 - log r for r = e^gain, to a relative 256 · 2^-53 everywhere; infinite at r = 0."""
    small = np.abs(gain) < 0.3
    x = np.where(small, gain, 0.0)
    series = x**2 * np.polynomial.polynomial.polyval(x, [1 / factorial(k) for k in range(2, 16)])
    return np.where(small, series, np.expm1(gain) - gain)


def _unresolved(channel: Channel) -> float:
    return 0.0 if isfinite(channel.error) else inf
