"""Relative entropy privacy: how far an output may move the adversary's belief (IP Thm 1, IDP Thm 2)."""

from math import factorial, inf, isfinite
from typing import ClassVar, Literal, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel import Channel
from dalenius.laws.functionals import excess
from dalenius.notions.leakage import Leakage, of_person, peak
from dalenius.notions.notion import Notion


@final
class RelativeEntropyPrivacy(Notion):
    """D(S | Y=y ‖ S) <= epsilon for every output y, in nats. Companion `reverse`: D(S ‖ S | Y=y)."""

    also: ClassVar[tuple[str, ...]] = ("reverse",)

    kind: Literal["relative_entropy"] = "relative_entropy"

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2:
            return self.nothing()
        gain = np.where(channel.possible, channel.relative - channel.mixture, 0.0)
        there = gain > -np.inf
        prior = np.exp(channel.log_prior)[:, None]
        # Where r is large it is the posterior that is known: r alone, or a prior as small, may be beyond all doubles.
        posterior = np.exp(np.minimum(channel.log_prior[:, None] + gain, 0.0))
        far, near, large = gain > 1, np.minimum(gain, 1.0), np.maximum(gain, 1.0)
        # With r = posterior/prior of mean 1, D = E[r log r] = E[r log r - r + 1] and its reverse E[r - 1 - log r]:
        # both as sums of terms of one sign. An error e of every log W moves log r by at most 2e.
        forward = np.where(far, posterior * (large - 1) + prior, prior * excess(near)).sum(axis=0)
        lost = np.where(far, posterior - prior * (1 + large), prior * backwards(np.where(there, near, 0.0)))
        backward = np.where(there, lost, np.inf).sum(axis=0)
        moved = 2 * channel.error if isfinite(channel.error) else 0.0
        weight = (posterior * np.abs(np.where(there, gain, 0.0))).sum(axis=0)
        error = 1.01 * moved * weight + 4 * moved**2 + 512 * UNIT * forward
        value, (output,) = peak(forward, channel.possible, error + _unresolved(channel))
        finite = np.where(np.isfinite(backward), backward, 0.0)
        apart = np.where(far, posterior - prior, prior * np.abs(np.expm1(near))).sum(axis=0)
        slack = 1.01 * moved * apart + 4 * moved**2 + 512 * UNIT * finite
        reverse, _ = peak(backward, channel.possible, slack + _unresolved(channel))
        return Leakage(
            value.lower, value.upper, of_person(channel, output=channel.output(output)), {"reverse": reverse}
        )


def backwards(gain: np.ndarray) -> np.ndarray:
    """r - 1 - log r for r = e^gain, to a relative 256 · 2^-53; gain is finite."""
    small = np.abs(gain) < 0.3
    x = np.where(small, gain, 0.0)
    series = x**2 * np.polynomial.polynomial.polyval(x, [1 / factorial(k) for k in range(2, 16)])
    return np.where(small, series, np.expm1(gain) - gain)


def _unresolved(channel: Channel) -> float:
    return 0.0 if isfinite(channel.error) else inf
