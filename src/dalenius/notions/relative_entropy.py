"""Relative entropy privacy: how far an output may move the adversary's belief (IP Thm 1, IDP Thm 2)."""

from math import factorial, inf, isfinite
from typing import ClassVar, Literal, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel import Channel
from dalenius.channel.leakage import Leakage, of_person, peak
from dalenius.laws.integrals.functionals import mean_excess, together
from dalenius.laws.law import Array
from dalenius.notions.notion import Notion, Proof


@final
class RelativeEntropyPrivacy(Notion):
    """D(S | Y=y ‖ S) <= epsilon for every output y, in nats. Companion `reverse`: D(S ‖ S | Y=y)."""

    also: ClassVar[tuple[str, ...]] = ("reverse",)
    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["relative_entropy"] = "relative_entropy"

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2:
            return self.nothing()
        gain = np.where(channel.possible, channel.relative - channel.mixture, 0.0)
        # With r = posterior/prior of mean 1, D = E[r log r] = E[r log r - r + 1] and its reverse E[r - 1 - log r]:
        # both as sums of terms of one sign. An error e of every log W moves log r by at most 2e.
        forward, size = mean_excess(channel.log_prior, gain)
        backward, changed = mean_backwards(channel.log_prior, gain)
        moved = 2 * channel.error if isfinite(channel.error) else 0.0
        error = 1.01 * moved * size + 4 * moved**2 + 512 * UNIT * forward
        value, (output,) = peak(forward, channel.possible, error + _unresolved(channel))
        finite = np.where(np.isfinite(backward), backward, 0.0)
        slack = 1.01 * moved * changed + 4 * moved**2 + 512 * UNIT * finite
        reverse, _ = peak(backward, channel.possible, slack + _unresolved(channel))
        return Leakage(
            value.lower, value.upper, of_person(channel, output=channel.output(output)), {"reverse": reverse}
        )


def mean_backwards(log_prior: Array, gain: Array) -> tuple[Array, Array]:
    """E[r - 1 - log r] and E|r - 1| for r = e^gain (secrets, outputs), the first infinite where some r is 0; a ratio
    that may overflow is taken together with its secret's probability."""
    near, posterior, prior = together(log_prior, gain)
    with np.errstate(invalid="ignore"):
        found = prior @ np.where(near == -inf, 0.0, backwards(near))
    changed = prior @ np.abs(np.exp(near) - 1)
    if posterior.any():
        rest = np.where(posterior > 0, gain, 0.0)
        found = found + posterior.sum(axis=0) - prior @ (rest + (posterior > 0))
        changed = changed + posterior.sum(axis=0) + prior @ (posterior > 0)
    return np.where((gain == -inf).any(axis=0), inf, found), changed


def backwards(gain: Array) -> Array:
    """r - 1 - log r for r = e^gain, to a relative 256 · 2^-53 everywhere; infinite at r = 0."""
    small = np.abs(gain) < 0.3
    x = np.where(small, gain, 0.0)
    series = x**2 * np.polynomial.polynomial.polyval(x, [1 / factorial(k) for k in range(2, 16)])
    return np.where(small, series, np.expm1(gain) - gain)


def _unresolved(channel: Channel) -> float:
    return 0.0 if isfinite(channel.error) else inf
