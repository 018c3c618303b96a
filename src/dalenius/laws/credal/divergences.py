"""The supremum of the relative entropy between posterior and prior of one secret of two (Result 21.6).

Where z = prior·p and q = seen·p / any·p are the prior and the posterior of a secret, {D(q‖z) <= T} is convex: between
two priors every q below the chord of its upper edge keeps it. On an interval of priors, q is below the chord where for
some ν, seen·p - q_T(z) any·p + ν (prior·p - z) <= 0 at all p of the box; this is convex in z, so its two ends decide.
Given known records z is prior·p / known·p, and z known·p stands for z.
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
    """Of the first of two secrets at several outputs: prior (2, m) and seen (2, outputs, m) of both; known (m,): their
    sum's other form, of all that is known. reverse: whether D(z‖q) counts, not D(q‖z)."""

    def __init__(self, box: Box, prior: Array, known: Array, seen: Array, reverse: bool) -> None:
        self._box, self._reverse, self._known = box, reverse, known
        (self._prior, self._other), (self._seen, self._rest) = prior, seen
        self._both = self._seen + self._rest

    def keeps(self, nats: float) -> bool:
        """Whether under no law of the box the posterior of the secret is above its prior and further than that away."""
        count = len(self._seen)
        low, high = self._range()
        ends = np.full(count, max(low * (1 - OFF), 0.0)), np.full(count, min(high * (1 + OFF), 1.0))

        def ended(number: IntArray, prior: Array) -> Ended:
            # Of small and of large probabilities the difference that loses no digits: both are the same function.
            known, most, z = self._known, self._edge(prior, nats)[:, None], prior[:, None]
            seen, rest, both = self._seen[number], self._rest[number], self._both[number]
            small, first = most < 0.5, z < 0.5
            return Ended(
                self._box,
                np.where(small, seen - most * both, (1 - most) * both - rest),
                np.where(first, self._prior - z * known, (1 - z) * known - self._other),
                OFF * np.where(small, seen + most * both, (1 - most) * both + rest),
                OFF * np.where(first, self._prior + z * known, (1 - z) * known + self._other),
            )

        return settled(*ends, ended, _mean)

    def _range(self) -> tuple[float, float]:
        """Of the prior, from outside."""
        if (self._known == 1).all():
            return float(self._box.smallest(self._prior)), float(self._box.largest(self._prior))
        there = self._known > 0
        shares = self._prior[there] / self._known[there]
        return float(shares.min()), float(shares.max())

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


def within(box: Box, prior: Array, known: Array, seen: Array, best: float, reverse: bool) -> float:
    """An upper bound of the relative entropy over the box, within 1e-4 of `best` where that is close below it. prior
    (2, m) and seen (outputs, 2, m) of the two secrets; known (m,): of what is known, ones where nothing is."""
    orders = ([0, 1], [1, 0])
    sides = [Posteriors(box, prior[order], known, np.moveaxis(seen, 1, 0)[order], reverse) for order in orders]
    wider = min(2e-5, max(1e-9, 1e-4 * abs(best)))
    while not all(side.keeps(best + wider) for side in sides):
        wider *= 8
        if wider > 1e3:
            return np.inf
    return float((best + wider) * (1 + 64 * UNIT))
