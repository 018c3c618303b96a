"""The supremum of the relative entropy between posterior and prior of one secret of two (Result 21.6).

Where z = prior·p and q = seen·p / any·p are the prior and the posterior of a secret, {D(q‖z) <= T} is convex: between
two priors every q below the chord of its upper edge keeps it. On an interval of priors, q is below the chord where for
some ν, seen·p - q_T(z) any·p + ν (prior·p - z) <= 0 at all p of the box; this is convex in z, so its two ends decide.
"""

from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.credal.box import Box
from dalenius.laws.credal.supremum import OFF, Ended, settled
from dalenius.laws.law import Array, IntArray

HALVINGS: Final = 70


@final
class Posteriors:
    """Of one secret at several outputs: prior (m,); seen, both (outputs, m), with and without that secret. reverse:
    whether D(z‖q) counts, not D(q‖z)."""

    def __init__(self, box: Box, prior: Array, seen: Array, both: Array, reverse: bool) -> None:
        self._box, self._prior, self._seen, self._both, self._reverse = box, prior, seen, both, reverse

    def keeps(self, nats: float) -> bool:
        """Whether under no law of the box the posterior of the secret is above its prior and further than that away."""
        count = len(self._seen)
        low, high = float(self._box.smallest(self._prior)), float(self._box.largest(self._prior))
        ends = np.full(count, max(low * (1 - OFF), 0.0)), np.full(count, min(high * (1 + OFF), 1.0))

        def ended(number: IntArray, prior: Array) -> Ended:
            most = self._edge(prior, nats)[:, None]
            return Ended(
                self._box,
                self._seen[number] - most * self._both[number],
                self._prior - prior[:, None],
                OFF * (self._seen[number] + most * self._both[number]),
                OFF * (self._prior + prior[:, None]),
            )

        return settled(self._box, *ends, ended, _mean)

    def _edge(self, prior: Array, nats: float) -> Array:
        """The largest posterior that is no further from each prior, from below."""
        low, high = prior.copy(), np.ones_like(prior)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            inside = relative_entropy(middle, prior, self._reverse) <= nats * (1 - 16 * UNIT)
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        if not self._reverse:
            low = np.where(-np.log(np.maximum(prior, 1e-300)) <= nats, 1.0, low)
        return low


def relative_entropy(posterior: Array, prior: Array, reverse: bool) -> Array:
    """D(posterior‖prior) of two values, or the reverse, at probabilities of one of them."""
    q, z = (prior, posterior) if reverse else (posterior, prior)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(q > 0, q * np.log(q / z), 0.0)
        second = np.where(q < 1, (1 - q) * np.log((1 - q) / (1 - z)), 0.0)
    return np.asarray(first + second)


def _mean(low: Array, high: Array) -> Array:
    return (low + high) / 2


def within(box: Box, prior: Array, seen: Array, best: float, reverse: bool) -> float:
    """An upper bound of the relative entropy over the box, near `best` where that is close below it. prior (2, m) and
    seen (outputs, 2, m) of the two secrets."""
    both = seen.sum(axis=1)
    sides = [Posteriors(box, prior[s], seen[:, s], both, reverse) for s in range(2)]
    wider = min(1e-6, max(1e-9, 1e-5 * abs(best)))
    while not all(side.keeps(best + wider) for side in sides):
        wider *= 8
        if wider > 1e3:
            return np.inf
    return float((best + wider) * (1 + 64 * UNIT))
