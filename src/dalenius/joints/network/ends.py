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
from dalenius.joints.network.affiliation import affiliated
from dalenius.joints.network.bounded import Bounded, narrow
from dalenius.joints.network.component import Component
from dalenius.joints.network.marginals import marginal, scope_of
from dalenius.joints.outermost import Ends, Outermost
from dalenius.laws.law import Array, IntArray
from dalenius.laws.numbers.masses import Masses


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
        found = np.full(self.own.shape, -np.inf)
        for component, laws in zip(self.components, self._laws, strict=True):
            for node, own in _marginals(component, laws).items():
                found[node, : len(own)] = np.minimum(_logs(own), 0.0)
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
        ends = np.zeros((2, *self.own.shape))
        most = np.full((*self.own.shape, self.own.shape[1]), np.inf)
        error = max(self._tilted(side, sign * rate) for side, sign in zip(ends, (-1, 1), strict=True))
        above = self._rank[:, :, None] > self._rank[:, None, :]
        down, up = (side[:, :, None] - side[:, None, :] for side in ends)
        at_ends = np.where(above, up, down) + error
        for leans, component, laws in zip(self._leaning, self.components, self._laws, strict=True):
            if leans:
                most[list(component.nodes)] = at_ends[list(component.nodes)]
            else:
                weights = {node: rate * self.own[node, : self.sizes[node]] for node in component.nodes}
                slack = 4 * (component.law_error + self.unlike)
                for node, own in Bounded(component.buckets, component.sizes, laws, weights).nodes().items():
                    most[node, : len(own), : len(own)] = own + slack
        both = self.possible[:, :, None] & self.possible[:, None, :] & ~np.eye(self.own.shape[1], dtype=np.bool_)
        return Outermost(ends, error, np.where(both, most, 0.0))

    def _tilted(self, found: Array, tilt: float) -> float:
        """Into found (n, k), log E[e^{tilt · S} | X_t = s]; returns the error of differences."""
        errors = []
        for component, laws in zip(self.components, self._laws, strict=True):
            weights = {node: self._weights(node, tilt) for node in component.nodes if np.ptp(self.own[node])}
            tilted = _marginals(component, component.laws(weights))
            for node, own in _marginals(component, laws).items():
                solid = own.solid
                logs = _logs(tilted[node].where(solid).filled(solid, 1.0)) - _logs(own.filled(solid, 1.0))
                found[node, : len(solid)] = np.where(solid, logs - np.max(logs, where=solid, initial=-np.inf), 0.0)
            deepest = sum(abs(tilt) * float(np.ptp(self.own[node])) for node in weights)
            factors = UNIT * (2 * deepest + 8 * len(weights))
            errors.append(2 * (2 * component.law_error + 2 * self.unlike + factors))
        return max(errors) + 8 * UNIT * (4 + float(np.max(np.abs(found))) + self._deepest)

    @cached_property
    def _deepest(self) -> float:
        return float(np.max(np.abs(self.log_marginals), where=self.possible, initial=0.0))

    def _weights(self, node: int, tilt: float) -> Masses:
        own = self.own[node, : self.sizes[node]]
        return Masses.of_logs(tilt * (own - own.min()))

    @cached_property
    def _laws(self) -> list[dict[int, Masses]]:
        return [component.laws() for component in self.components]

    @cached_property
    def _rank(self) -> IntArray:
        """The place of every value (n, k) among those of its record, from what adds least to what adds most."""
        return np.argsort(np.argsort(self.own, axis=1, kind="stable"), axis=1, kind="stable")

    @cached_property
    def _leaning(self) -> list[bool]:
        """Of each component, whether higher values make others' likelier."""
        orders = [np.argsort(own[:size], kind="stable") for own, size in zip(self.own, self.sizes, strict=True)]
        return [affiliated(component.potentials, dict(enumerate(orders))) for component in self.components]


def _marginals(component: Component, laws: Mapping[int, Masses]) -> dict[int, Masses]:
    return {each.node: marginal(scope_of(each), laws[each.node], (each.node,)) for each in component.buckets}


def _logs(masses: Masses) -> Array:
    return np.where(masses.solid, masses.logs(), -np.inf)
