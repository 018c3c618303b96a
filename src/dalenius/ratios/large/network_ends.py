"""What a large network's records leak at the outermost outputs, every record at once (Result 20.34), and at most.

E[e^{±S/b} | X_t = s], S the sum of all scores, is what W(y|s) comes to as y → ±∞, times a constant: the marginals of
the network with every node weighed by e^{±score/b}, over those of the network itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.joints.factors import Numbering
from dalenius.joints.network.component import Component
from dalenius.laws.law import Array, IntArray
from dalenius.laws.numbers.masses import Masses
from dalenius.ratios.large.leaning import affiliated
from dalenius.ratios.large.ranges import Ranges, narrow
from dalenius.ratios.large.suprema import Ends, Outermost


@final
@dataclass(frozen=True, eq=False)
class NetworkEnds(Ends):
    """A network's components and what each node adds to the answer.

    nodes' arrays are in the order of their numbers: kinds (n,), their strata; sizes (n,): how many values each has; own
    (n, k): in lattice steps, the least one's behind the last value. unlike: by how many nats the log of the product of
    the tables may be off.
    """

    components: Sequence[Component]
    kinds: IntArray
    sizes: IntArray
    own: IntArray
    unlike: float
    before: int = 0

    @property
    def people(self) -> range:
        return range(self.before + 1, self.before + len(self.kinds) + 1)

    @property
    def stratum(self) -> IntArray:
        return self.kinds

    @property
    def scores(self) -> IntArray:
        return self.own

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        return np.asarray(self.log_marginals > -np.inf)

    @cached_property
    def log_marginals(self) -> Array:
        return np.minimum(_logs(self._marginals), 0.0)

    @cached_property
    def _marginals(self) -> Masses:
        """(n, k)"""
        return self._stacked([component.marginals for component in self.components])

    def _stacked(self, marginals: Sequence[Mapping[int, Masses]]) -> Masses:
        found = Masses.of(np.zeros(self.own.shape))
        for each in marginals:
            for node, law in each.items():
                found.mantissa[node, : len(law)] = law.mantissa
                found.exponent[node, : len(law)] = law.exponent
        return found

    @property
    def what(self) -> str:
        return "a network"

    @property
    def longest(self) -> int:
        return max(len(component.nodes) for component in self.components)

    @property
    def settled(self) -> bool:
        return all(self._leaning)

    @property
    def above(self) -> str:
        return "the range of the messages' ratios"

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

    def within(self, numbering: Numbering) -> "NetworkEnds":
        return replace(self, kinds=numbering.strata[self.kinds], before=self.before + numbering.before)

    def outermost(self, rate: float) -> Outermost:
        found = [self._tilted(sign * rate) for sign in (-1, 1)]
        ends, error = np.stack([each for each, _ in found]), max(each for _, each in found)
        both = self.possible[:, :, None] & self.possible[:, None, :] & ~np.eye(self.own.shape[1], dtype=np.bool_)
        above = self._rank[:, :, None] > self._rank[:, None, :]
        down, up = (side[:, :, None] - side[:, None, :] for side in ends)
        most = np.where(above, up, down) + error
        for leans, component in zip(self._leaning, self.components, strict=True):
            if not leans:
                ranges = Ranges(component.buckets, component.sizes, component.laws, self._logs(component, rate))
                for node, own in ranges.nodes().items():
                    most[node, : len(own), : len(own)] = own + self._slack(component)
        return Outermost(ends, error, np.where(both, most, 0.0))

    def _of(self, component: Component) -> dict[int, IntArray]:
        """What the values of the component's nodes add."""
        return {node: self.own[node, : self.sizes[node]] for node in component.nodes}

    def _logs(self, component: Component, rate: float) -> dict[int, Array]:
        return {node: np.asarray(rate * own, dtype=np.float64) for node, own in self._of(component).items()}

    def _slack(self, component: Component) -> float:
        """By how much a bound may be off for the roundings of the component's laws."""
        return 4 * (component.law_error + self.unlike)

    def _tilted(self, tilt: float) -> tuple[Array, float]:
        """log E[e^{tilt · S} | X_t = s] (n, k), and the error of differences."""
        moving = np.ptp(self.own, axis=1)
        weights = {node: self._weights(node, tilt) for node in np.flatnonzero(moving).tolist()}
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

    def _weights(self, node: int, tilt: float) -> Masses:
        own = self.own[node, : self.sizes[node]]
        return Masses.of_logs(tilt * (own - own.min()))

    @cached_property
    def _rank(self) -> IntArray:
        """The place of every value (n, k) among those of its record, from what adds least to what adds most."""
        return np.argsort(np.argsort(self.own, axis=1, kind="stable"), axis=1, kind="stable")

    @cached_property
    def _leaning(self) -> list[bool]:
        """Of each component, whether higher values make others' likelier."""
        orders = [np.argsort(own[:size], kind="stable") for own, size in zip(self.own, self.sizes, strict=True)]
        return [affiliated(component.potentials, dict(enumerate(orders))) for component in self.components]


def _logs(masses: Masses) -> Array:
    return np.where(masses.solid, masses.logs(), -np.inf)
