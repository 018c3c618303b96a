"""Chains of few records of two values: how far apart an output can be under the two values of one of them.

Outside all answers the two sides of a record do not depend on each other, and each is bounded closely. That is where
most sets are worst; outputs between are only shown to be no worse, for which few cells are enough (Result 21.40).
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Final, final

import numpy as np

from dalenius.laws.imprecise.alternating import Range, ahead_at
from dalenius.laws.imprecise.boxes import Boxes
from dalenius.laws.imprecise.listed import Listed
from dalenius.laws.imprecise.past import Bounds
from dalenius.laws.imprecise.paths import inner, outermost, outputs_of
from dalenius.laws.imprecise.sides import Pasts, Sides
from dalenius.laws.law import Array, IntArray

FIRST: Final = 4
"""Records from the start whose past is bounded by cells of all its coordinates, beside those of its law alone."""
Signs = tuple[float, ...]


@final
class ShortChain:
    """scores, by stratum, (2, axes): what a record's values add to the answer; stratum (n,): each record's; rate: nats
    by which the log-density of the noise changes per unit."""

    def __init__(self, boxes: Boxes, scores: Sequence[Array], stratum: IntArray, rate: float) -> None:
        self._boxes, self._rate = boxes, rate
        self._steps = [rate * (each[1] - each[0]) for each in scores]
        self._stratum = stratum
        self._scores = np.stack(scores)[stratum]

    @cached_property
    def fits(self) -> bool:
        """Whether the records and outputs are few enough."""
        return Listed.fits(self._boxes, self._scores, self._rate)

    def above(self, place: int, pasts: Pasts) -> Array:
        """Of one record, from 0, by cell of its law (2, cells): at most this is log W(y|1) - log W(y|0), and the other
        way round, at every output."""
        outside = np.max([self._outside(place, signs, pasts) for signs in self._signs], axis=0)
        between = inner(outputs_of(self._scores))
        if not len(between):
            return np.asarray(np.maximum(outside, 0.0))
        found = Listed(self._boxes, self._scores, self._rate, place, between).above(outside.max(axis=1))
        return np.asarray(np.maximum(outside, np.maximum(found, 0.0)[:, None]))

    def _outside(self, place: int, signs: Signs, pasts: Pasts) -> Array:
        """The same at outputs outside all answers."""
        found = np.full((2, len(pasts.cells.low)), np.inf)
        if len(self._boxes) > FIRST:
            past = self._past(signs, pasts)
            before, own = past.states[past.at[place]], self._tilts(signs)[self._stratum[place]]
            low, high = before.ends(pasts.cells)
            found = np.where(before.reached, np.stack([high + own, -low - own]), -np.inf)
        if place < FIRST:
            until = Boxes(self._boxes.first, self._boxes.rows, self._boxes.which[:place])
            scores = self._scores[: place + 1]
            whole = Listed(until, scores, self._rate, place, outermost(scores, signs)).above()
            found = np.minimum(found, whole[:, None])
        future = self._futures[signs]
        ahead = future.states[future.at[place]]
        return np.asarray(found + np.array([[ahead.upper], [-ahead.lower]]))

    @cached_property
    def _signs(self) -> list[Signs]:
        """By coordinate, whether an output lies above all answers (1) or below (-1)."""
        return list(product((1.0, -1.0), repeat=self._scores.shape[2]))

    def _tilts(self, signs: Signs) -> list[float]:
        """By stratum, the nats from the noise's density at the first value to that at the second."""
        return [float(each @ np.array(signs)) for each in self._steps]

    def _past(self, signs: Signs, pasts: Pasts) -> Sides[Bounds]:
        if signs not in self._pasts:
            self._pasts[signs] = pasts.bounds([(each, each) for each in self._tilts(signs)])
        return self._pasts[signs]

    @cached_property
    def _pasts(self) -> dict[Signs, Sides[Bounds]]:
        return {}

    @cached_property
    def _futures(self) -> dict[Signs, Sides[Range]]:
        return {signs: ahead_at(self._boxes, np.array(self._tilts(signs))[self._stratum]) for signs in self._signs}
