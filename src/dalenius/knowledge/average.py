"""Privacy profiles on average over what known records are: of a passive adversary (Desfontaines et al. 2019).

A passive adversary knows the records of K as they happen to be, an active one chooses their values. With the privacy
loss given the known records, L(y, x_K) = log W(y|s, x_K)/W(y|s', x_K), the passive adversary's profile is

    δ(ε) = E[ max(0, 1 - e^{ε - L(Y, X_K)}) | X_i = s ] = Σ_{x_K} Pr[x_K|s] Σ_y max(W(y|s, x_K) - e^ε W(y|s', x_K), 0),

which for records of K that are independent of X_i is the hockey-stick divergence between the joint laws of output and
known records. For dependent ones what X_K alone reveals of X_i is not the release's doing and not counted: values of
X_K that are impossible under s or s' count nothing, and the profile is at most the active adversary's, the largest of
the terms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import Final, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Likelihoods
from dalenius.knowledge.view import Curve, Profiles, View
from dalenius.schema import RecordValue

FAINTEST: Final = 1e-300
"""More than what values add whose probability is no double."""


@final
@dataclass(frozen=True)
class Weighed:
    """The channel given values of the known records; log_weights: log Pr[x_K | s], by secret possible with them."""

    view: View
    log_weights: Mapping[RecordValue, float]


@final
@dataclass(frozen=True)
class Average(Profiles):
    """The mean over the values of one set of known records; how_many: of its records; error: of the log_weights."""

    every: Sequence[Weighed]
    how_many: int
    error: float

    @property
    def channel(self) -> Likelihoods:
        """The first of the channels, for whom it is about."""
        return self.every[0].view.channel

    @property
    def exact(self) -> bool:
        return self.channel.noise.adds_nothing

    @cached_property
    def secrets(self) -> tuple[RecordValue, ...]:
        """Those of all channels."""
        return tuple(dict.fromkeys(secret for each in self.every for secret in each.view.channel.secrets))

    @property
    def curves(self) -> tuple[tuple[int, int, Curve], ...]:
        return self._curves

    @cached_property
    def _curves(self) -> tuple[tuple[int, int, Curve], ...]:
        parts: dict[tuple[int, int], list[tuple[float, Curve]]] = {}
        place = {secret: i for i, secret in enumerate(self.secrets)}
        for each in self.every:
            own = each.view.channel.secrets
            for one, other, curve in each.view.curves:
                pair = place[own[one]], place[own[other]]
                parts.setdefault(pair, []).append((each.log_weights[own[one]], curve))
        return tuple((one, other, _Mean(parts[one, other], self.error)) for one, other in sorted(parts))


@final
class _Mean:
    """Σ_j e^{log w_j} δ_j(ε)."""

    def __init__(self, parts: Sequence[tuple[float, Curve]], error: float) -> None:
        self._parts = [(exp(min(log_weight, 0.0)), curve) for log_weight, curve in parts]
        self._off = 2 * error + (len(parts) + 8) * UNIT

    def __call__(self, epsilon: float) -> Enclosure:
        lower = upper = 0.0
        for weight, curve in self._parts:
            found = curve(epsilon)
            lower, upper = lower + weight * found.lower, upper + weight * found.upper
        return Enclosure(lower * (1 - self._off), min(upper * (1 + self._off) + len(self._parts) * FAINTEST, 1.0))
