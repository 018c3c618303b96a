"""What both sides of a record of a chain say about it, over all laws whose probabilities lie in intervals."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import final

import numpy as np

from dalenius.laws.law import Array
from dalenius.ratios.intervals.trees.attained import Quantity, corner_laws, rounding
from dalenius.ratios.intervals.trees.chain import CredalChain
from dalenius.ratios.intervals.trees.patterns import patterns
from dalenius.ratios.intervals.trees.ratios import closed
from dalenius.ratios.intervals.trees.regions import Regions
from dalenius.ratios.intervals.trees.sides import Sides, ahead, behind, places_of


@final
class ChainMessages:
    """Of one chain, by the rate at which the log-density of the noise changes: of outputs of a noised sum of scores, or
    of whatever changes no faster with any record than it does."""

    def __init__(self, law: CredalChain, scores: Sequence[Array], rate: float) -> None:
        self.law, self._rate = law, rate
        self._scores = scores
        self.own = [rate * np.abs(each[:, None] - each[None]).sum(axis=2) for each in scores]

    @cached_property
    def ahead(self) -> Sides:
        """Of the records after each."""
        return ahead(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def behind(self) -> Sides:
        """Of those before."""
        return behind(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def places(self) -> list[int]:
        """A record of every class of records with the same bounds."""
        priors = np.unique(self.law.boxes.priors, axis=0, return_inverse=True)[1].ravel()
        return places_of([self.ahead.at, self.behind.at, self.law.stratum, priors])

    def regions(self, place: int, values: Sequence[int]) -> Regions:
        """Of one record, from 0, and these of its values."""
        low, high = self.law.boxes.priors[place]
        far = self.ahead.states[self.ahead.at[place]] + self.own[self.law.stratum[place]]
        kept = np.ix_(values, values)
        above = closed(far + self.behind.states[self.behind.at[place]])
        return Regions(low[None, values], high[None, values], above[kept][None])

    def attained(self, place: int, values: Sequence[int], quantity: Quantity) -> float:
        """The most that laws at corners of the boxes attain, for any signs of an output far away; from below."""
        found = 0.0
        for signs in patterns(self._scores[0].shape[1]):
            prior, logs = self._corner_laws(place, signs)
            value = float(quantity(prior[:, values], logs[:, values]).max())
            found = max(found, value - 2 * rounding(self.law.boxes) * (1 + abs(value)))
        return found

    @lru_cache(maxsize=64)  # noqa: B019 (of one noise, of which an audit asks several quantities)
    def _corner_laws(self, place: int, signs: tuple[float, ...]) -> tuple[Array, Array]:
        by_stratum = [self._rate * (each @ np.array(signs)) for each in self._scores]
        return corner_laws(self.law.boxes, np.stack([by_stratum[i] for i in self.law.stratum]), place)
