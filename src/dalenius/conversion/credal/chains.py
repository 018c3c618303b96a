"""What any pipeline can leak of the records of a chain whose rows lie in boxes (Result 21.27)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import permutations, product
from typing import Final, final

import numpy as np

from dalenius.channel.imprecise.messages import ChainMessages
from dalenius.conversion.credal.boxed_rows import bound_of
from dalenius.conversion.credal.under import asked_under
from dalenius.conversion.dependence import Dependence
from dalenius.conversion.long_rows import least_chances
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.unlisted import FARTHEST, Unlisted, Worst, faint, worst_delta
from dalenius.joints.chain.law import ChainLaw
from dalenius.joints.imprecise.chain import CredalChain
from dalenius.laws.imprecise.boxes import inside
from dalenius.laws.imprecise.regions import Regions, raised_of, ratio_of
from dalenius.laws.imprecise.rows import best_row, smallest_mean
from dalenius.laws.law import Array, IntArray

OFF: Final = 1e-12
LEAST: Final = 1e-300
"""Stands for a chance that may be 0 under some law: any above it is a bound too."""
FEW: Final = 4
"""Values of which all splits in two are counted by some mechanism; of more, each alone."""


@final
@dataclass(frozen=True, eq=False)
class AnyChain(Unlisted):
    """The records of a chain, each of which may leak."""

    law: CredalChain
    information: bool

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        bound = _bound_of(self.law.boxes, profile, steps, min(max(2 * reach, faint(profile, steps)), FARTHEST))
        return worst_delta(bound.deltas, self._least(bound.places), bound.places[:, 0], self.information, epsilon)

    def pure_worst(self, nats: float) -> Worst:
        messages, found = self._messages(nats, np.eye(self.law.boxes.size) / 2), None
        for place in messages.places:
            values = self.law.possible(place + 1)
            if len(values) > 1:
                each = leaked(messages.regions(place, values), self.information)
                worst = Worst(place, values[each[0]], values[each[1]], min(each[2], nats * len(self.law.boxes)))
                found = worst if found is None or worst.value > found.value * (1 + OFF) else found
        return found or Worst(0, 0, 0, 0.0)

    def attained(self, worst: Worst, nats: float) -> float:
        values = self.law.possible(worst.place + 1)
        pairs = tuple(permutations(range(len(values)), 2))
        quantity = raised_of if self.information else partial(ratio_of, pairs)
        scores = splits(self.law.boxes.size)
        return max((self._messages(nats, each).attained(worst.place, values, quantity) for each in scores), default=0.0)

    def asked(self, worst: Worst) -> list[Dependence]:
        against = None if self.information else self.law.values[worst.other]
        return asked_under(self._laws, worst.place + 1, self.law.values[worst.one], against)

    def _messages(self, nats: float, scores: Array) -> ChainMessages:
        """Of mechanisms of which a change of a record moves the likelihood by so many nats at most."""
        return ChainMessages(self.law, [scores] * len(self.law.strata()), float(np.nextafter(nats, np.inf)))

    def _least(self, places: IntArray) -> Array:
        """The least chances of values (c, k) where they are possible."""
        low, high = self.law.boxes.priors[:, 0], self.law.boxes.priors[:, 1]
        return least_chances(np.where(high > 0, np.maximum(low, LEAST), 0.0), places)

    @cached_property
    def _laws(self) -> list[ChainLaw]:
        """Some laws of the set."""
        boxes, k = self.law.boxes, self.law.boxes.size
        up = np.broadcast_to(np.arange(k, dtype=float), (k, k))
        found = [self.law.law(boxes.middle_first, inside(boxes.rows[:, 0], boxes.rows[:, 1]))]
        for first, rows in product((np.arange(k), -np.arange(k)), (np.eye(k), up, -up, -np.eye(k))):
            initial = best_row(boxes.first[0], boxes.first[1], first.astype(float))
            matrices = best_row(boxes.rows[:, 0], boxes.rows[:, 1], np.broadcast_to(rows, boxes.rows[:, 0].shape))
            found.append(self.law.law(initial, matrices))
        return found


def leaked(regions: Regions, information: bool) -> tuple[int, int, float]:
    """The two values, and the most that leaks of them."""
    if information:
        with np.errstate(divide="ignore"):
            each = smallest_mean(regions.low[:, None], regions.high[:, None], np.exp(-regions.above)).min(axis=0)
        return int(np.argmin(each)), 0, regions.raised
    ratio = np.where(np.eye(len(regions.ratio), dtype=bool), -1.0, regions.ratio)
    one, other = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return int(one), int(other), float(ratio[one, other])


def splits(size: int) -> Iterator[Array]:
    """Scores (size, 1) of 0 and 1, no two the same or turned."""
    if size > FEW:
        yield from (each[:, None] for each in np.eye(size))
        return
    for each in product((0.0, 1.0), repeat=size - 1):
        if any(each):
            yield np.array([0.0, *each])[:, None]


_bound_of = lru_cache(maxsize=16)(bound_of)
