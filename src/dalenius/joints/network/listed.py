"""Components of a network as a factor of a joint law, given by listing their assignments."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from dalenius.joints.factors import Cliques, Factor, Numbering
from dalenius.joints.network.component import Component
from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True)
class Listed(Factor):
    """Isomorphic components, node by node.

    places (size,): each node's stratum; first_slots (size,): that stratum's first slot; before: how many people of
    other factors come before the network's nodes.
    """

    components: Sequence[Component]
    places: IntArray
    first_slots: IntArray
    before: int = 0

    @property
    def count(self) -> int:
        return len(self.components)

    @property
    def people(self) -> Sequence[int]:
        return [self.before + node + 1 for component in self.components for node in component.nodes]

    @property
    def strata(self) -> Mapping[int, int]:
        return Counter(self.places.tolist())

    @property
    def assignments(self) -> int:
        return int(self.components[0].outcome_count())

    def alone(self) -> tuple[IntArray, Array]:
        values, logs = self.components[0].outcomes()
        return values + self.first_slots, logs

    @property
    def cliques(self) -> Cliques:
        records, laws, parents, error = self.components[0].cliques
        sizes = {
            place: size
            for own, law in zip(records, laws, strict=True)
            for place, size in zip(own, law.mantissa.shape, strict=True)
        }
        slots = tuple(first + np.arange(sizes[place]) for place, first in enumerate(self.first_slots.tolist()))
        return Cliques(records, laws, parents, error, slots)

    def within(self, numbering: Numbering) -> "Listed":
        return replace(
            self,
            places=numbering.strata[self.places],
            first_slots=numbering.slots[self.first_slots],
            before=self.before + numbering.before,
        )
