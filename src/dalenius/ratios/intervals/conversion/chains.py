"""What any pipeline can leak of the records of a chain whose rows lie in boxes (Result 21.27)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, final

import numpy as np

from dalenius.conversion.long_rows import least_chances
from dalenius.conversion.profile import PrivacyProfile
from dalenius.conversion.unlisted import FARTHEST, Worst, faint, worst_delta
from dalenius.laws.law import Array
from dalenius.ratios.intervals.conversion.boxed_rows import bound_of
from dalenius.ratios.intervals.conversion.of_rows import OfRows, least_of
from dalenius.ratios.intervals.trees.chain import ChainMessages, CredalChain, corner_laws, rounding
from dalenius.ratios.intervals.trees.regions import Quantity, Regions
from dalenius.schema import RecordValue

FEW: Final = 4
"""Values of which all splits in two are counted by some mechanism; of more, each alone."""


@final
@dataclass(frozen=True, eq=False)
class AnyChain(OfRows):
    """The records of a chain, each of which may leak."""

    law: CredalChain
    information: bool

    @property
    def people(self) -> int:
        return len(self.law.boxes)

    def possible(self, place: int) -> Sequence[int]:
        return self.law.possible(place + 1)

    def values(self, place: int) -> tuple[RecordValue, ...]:
        return self.law.values

    def worst(self, profile: PrivacyProfile, steps: int, epsilon: float, reach: float) -> Worst:
        bound = _bound_of(self.law.boxes, profile, steps, min(max(2 * reach, faint(profile, steps)), FARTHEST))
        low, high = self.law.boxes.priors[:, 0], self.law.boxes.priors[:, 1]
        chances = least_chances(least_of(low, high), bound.places)
        return worst_delta(bound.deltas, chances, bound.places[:, 0], self.information, epsilon)

    def regions(self, nats: float) -> Iterator[tuple[int, Regions]]:
        alike = [np.eye(self.law.boxes.size) / 2] * len(self.law.strata())
        messages = ChainMessages(self.law, alike, float(np.nextafter(nats, np.inf)))
        for place in messages.places:
            if len(values := self.law.possible(place + 1)) > 1:
                yield place, messages.regions(place, values)

    def attaining(self, nats: float, place: int, quantity: Quantity) -> Iterator[float]:
        boxes, values = self.law.boxes, self.law.possible(place + 1)
        for scores in splits(boxes.size):
            for signs in np.resize([1, 1], self.people), np.resize([1, -1], self.people):
                tilts = nats * np.where(signs[:, None] > 0, scores, 1 - scores)
                for each in tilts, -tilts:
                    prior, logs = corner_laws(boxes, each, place)
                    value = float(quantity(prior[:, values], logs[:, values]).max())
                    yield value - 2 * rounding(boxes) * (1 + abs(value))


def splits(size: int) -> Iterator[Array]:
    """Scores (size,) of 0 and 1, no two the same or turned."""
    if size > FEW:
        yield from np.eye(size)
        return
    for each in product((0.0, 1.0), repeat=size - 1):
        if any(each):
            yield np.array([0.0, *each])


_bound_of = lru_cache(maxsize=16)(bound_of)
