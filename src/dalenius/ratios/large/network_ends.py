"""What a large network's records leak at the outermost outputs, every record at once (Result 20.34), and at most.

E[e^{±S/b} | X_t = s], S the sum of all scores, is what W(y|s) comes to as y → ±∞, times a constant: the marginals of
the network with every node weighed by e^{±score/b}, over those of the network itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.tree_messages import Component
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses
from dalenius.ratios.large.leaning import affiliated
from dalenius.ratios.large.ranges import Ranges, narrow
from dalenius.ratios.large.suprema import Ends


@final
@dataclass(frozen=True, eq=False)
class NetworkEnds(Ends):
    """A network's components and what each node adds to the answer: the least score's steps behind the last value.

    sizes (n,): how many values each node has. unlike: by how many nats the log of the product of the tables may be off.
    """

    what: ClassVar[str] = "a network"
    components: Sequence[Component]
    sizes: IntArray
    unlike: float

    @cached_property
    def log_marginals(self) -> Array:
        return np.minimum(_logs(self._marginals), 0.0)

    @cached_property
    def _marginals(self) -> Masses:
        """(n, k)"""
        return self._stacked([component.marginals for component in self.components])

    def _stacked(self, marginals: Sequence[Mapping[int, Masses]]) -> Masses:
        found = Masses.of(np.zeros(self.scores.shape))
        for each in marginals:
            for node, law in each.items():
                found.mantissa[node, : len(law)] = law.mantissa
                found.exponent[node, : len(law)] = law.exponent
        return found

    @property
    def longest(self) -> int:
        return max(len(component.nodes) for component in self.components)

    @property
    def settled(self) -> bool:
        return all(self._leaning)

    @property
    def variety(self) -> int:
        return len({each.table.tobytes() for component in self.components for each in component.potentials})

    def by_law(self, quick: Callable[[], bool]) -> bool:
        return not self.settled and (not self._narrow or quick())

    @property
    def _narrow(self) -> bool:
        """Whether the ranges of all that does not lean can be computed."""
        return all(
            leans or narrow(component.buckets, component.sizes)
            for leans, component in zip(self._leaning, self.components, strict=True)
        )

    def bounded(self, rate: float, most: Array) -> Array:
        for leans, component in zip(self._leaning, self.components, strict=True):
            if not leans:
                logs = {node: np.asarray(rate * self._own(node), dtype=np.float64) for node in component.nodes}
                ranges = Ranges(component.buckets, component.sizes, component.laws, logs)
                # The roundings of the component's laws count once more.
                slack = 4 * (component.law_error + self.unlike)
                for node, own in ranges.nodes().items():
                    most[node, : len(own), : len(own)] = own + slack
        return most

    def _own(self, node: int) -> IntArray:
        """What the node's values add."""
        return self.scores[node, : self.sizes[node]]

    def tilted(self, tilt: float) -> tuple[Array, float]:
        moving = np.ptp(self.scores, axis=1)
        own = {node: self._own(node) for node in np.flatnonzero(moving).tolist()}
        weights = {node: Masses.of_logs(tilt * (each - each.min())) for node, each in own.items()}
        found = self._stacked([component.tilted(weights) for component in self.components])
        solid = self.possible
        logs = np.where(solid, found.filled(solid, 1.0).logs() - self._marginals.filled(solid, 1.0).logs(), -np.inf)
        logs = np.where(solid, logs - logs.max(axis=1, keepdims=True), 0.0)
        law = max(component.law_error for component in self.components)
        factors = UNIT * (2 * abs(tilt) * float(moving.sum()) + 8 * len(weights))
        error = 2 * (2 * law + 2 * self.unlike + factors)
        return logs, error + 8 * UNIT * (4 + float(np.max(np.abs(logs))) + self._deepest)

    @cached_property
    def _deepest(self) -> float:
        return float(np.max(np.abs(self.log_marginals), where=self.possible, initial=0.0))

    @cached_property
    def _leaning(self) -> list[bool]:
        """Of each component, whether higher values make others' likelier."""
        orders = [np.argsort(own[:size], kind="stable") for own, size in zip(self.scores, self.sizes, strict=True)]
        return [affiliated(component.potentials, dict(enumerate(orders))) for component in self.components]


def _logs(masses: Masses) -> Array:
    return np.where(masses.solid, masses.logs(), -np.inf)
