"""The mean of what an output of Gaussian noise leaks, max_s log W(y|s)/W(y) (Theory §14): one secret at a time."""

from collections.abc import Sequence
from math import exp, inf
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.gaussian_noise.envelope import Envelope
from dalenius.laws.gaussian_noise.information import Integrand, Intervals, ratio_integral
from dalenius.laws.gaussian_noise.line import GaussianLine
from dalenius.laws.gaussian_noise.maxima import contenders
from dalenius.laws.law import Array, log_mix

SHARP: Final = 1e-9
"""The part of the mean that may be left undecided."""
LEAST: Final = 1e-13
"""Nats: a mean that is less is not resolved further."""


def mean_gain(line: GaussianLine, log_prior: Array, least: float) -> Enclosure | None:
    """∫ W(y) max_s log W(y|s)/W(y) dy; least: a lower bound of it. None where the law leaves mass unresolved.

    The line is cut into intervals on each of which one secret is ahead, up to an excess that is bounded, and there the
    integrand is analytic. Where it is not integrated it lies between 0 and the rarest secret's -log π times W.
    """
    normal = line.normal
    if normal.missing:
        return None
    sharp = SHARP * max(least, LEAST)
    kept = contenders(normal, [0.0] * len(log_prior), sharp)
    parts, excess = _parts(line, kept, sharp)
    lower, upper = 0.0, 1.01 * (excess + (sharp if len(kept) < len(log_prior) else 0.0))
    for secret, where in parts:
        area = ratio_integral(normal, _Ahead(log_prior, secret).integrand, where)
        lower, upper = lower + area.lower, upper + area.upper
    return Enclosure(max(lower, 0.0), upper)


def _parts(line: GaussianLine, kept: Sequence[int], sharp: float) -> tuple[list[tuple[int, Intervals | None]], float]:
    """Where each secret is ahead of the others, and the excess of the largest over it."""
    if len(kept) == 1:
        return [(kept[0], None)], 0.0
    doubt = line.normal.law.error + 2 * line.reading.error
    envelope = Envelope(line.normal, kept, [0.0] * len(kept), doubt, fair=sharp, in_nats=True)
    found = envelope.partition(line.reading)
    wins = [(secret, found.winner == place) for place, secret in enumerate(kept)]
    return [(secret, (found.low[won], found.high[won])) for secret, won in wins if won.any()], found.excess


@final
class _Ahead:
    """W log W_s/W of one secret s."""

    def __init__(self, log_prior: Array, secret: int) -> None:
        self.log_prior, self.secret = log_prior, secret

    @property
    def integrand(self) -> Integrand:
        rarest = float(np.max(-self.log_prior)) * (1 + 4 * UNIT)
        return Integrand(self.log_prior, self.at, self.slack, rarest, inf, self._on_ellipse)

    def at(self, logs: Array) -> Array:
        mixed = log_mix(self.log_prior, logs)
        return np.asarray(np.exp(mixed) * (logs[self.secret] - mixed))

    def slack(self, logs: Array, error: float) -> Array:
        """The ratio's log moves by at most twice as much, and W by the factor e^error."""
        mixed = log_mix(self.log_prior, logs)
        deep = np.max(np.abs(logs), axis=0)
        off = error + (2 * len(logs) + 16 + 8 * deep) * UNIT
        moved = 2 * off + np.expm1(np.minimum(off, 1.0)) * np.abs(logs[self.secret] - mixed)
        return np.asarray(np.exp(mixed) * exp(min(error, 1.0)) * moved)

    def _on_ellipse(self, tallest: Array, ratio: Array) -> Array:
        return np.asarray(tallest[-1] * ratio[self.secret])
