"""What all records of a long chain or a large network leak at the outermost outputs, and at most anywhere.

With S the sum of all scores, E[e^{±S/b} | X_t = s] is what W(y|s) comes to as y → ±∞, times a constant. Of a chain it
takes one recursion over the tilted steps from either end, in O(n), as given X_t the records before it and after it are
independent (Result 20.20). Of a network it is the marginals with every node weighed by e^{±score/b}, over those of the
network itself (Result 20.34).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.chain import FAINTEST_WEIGHT, MarkovChain, running
from dalenius.joints.tree_messages import Component
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.message_ranges import Ranges, narrow, ranges
from dalenius.ratios.suprema import Ends


@final
@dataclass(frozen=True, eq=False)
class ChainEnds(Ends):
    """A chain and what each of its records adds to the answer."""

    what: ClassVar[str] = "a chain"
    chain: MarkovChain

    @classmethod
    def of(cls, chain: MarkovChain, scores: IntArray) -> "ChainEnds":
        """scores (n, k): in lattice steps."""
        return cls(chain.people, chain.stratum, scores, chain)

    @property
    def log_marginals(self) -> Array:
        return self.chain.log_marginals

    @property
    def longest(self) -> int:
        return len(self.chain)

    @property
    def free(self) -> bool:
        return bool(self.chain.initial.solid.all() and self.chain.matrices.solid.all())

    def tilted(self, tilt: float) -> tuple[Array, float]:
        chain, (n, states) = self.chain, self.scores.shape
        weights = tilt * (self.scores - self.scores.min(axis=1, keepdims=True))
        factors = Masses.of_logs(weights)
        into = chain.steps.times(factors[1:, None, :])
        before = running(chain.initial.times(factors[0]), into)
        after = running(Masses.of(np.ones(states)), into.turned()[::-1])[::-1]
        found = before.times(after).over(chain.forward)
        relative = Masses(
            found.mantissa, np.where(found.solid, found.exponent - found.exponent.max(axis=1)[:, None], 0)
        )
        logs = np.where(self.possible, relative.where(found.solid).filled(found.solid, 1.0).logs(), 0.0)
        # Of each factor its exponential and a rounding, of each step k + 1: in both messages, and in the plain one.
        deepest = float(np.max(np.abs(weights)))
        steps = n * (3 * (states + 1) + 2 * (2 * deepest + 6))
        return logs, 2 * UNIT * (steps + 16 + 4 * float(np.max(np.abs(logs))))

    def bounded(self, rate: float) -> Array:
        """By the range of the messages' ratios (Result 20.23): the limits attain it where the chain leans one way.
        Infinite where a step is too rare for doubles."""
        chain, (n, states) = self.chain, self.scores.shape
        if any(np.any(each.solid & (each.doubles() < FAINTEST_WEIGHT)) for each in (chain.matrices, chain.backward)):
            return np.full(self.both.shape, np.inf)
        back = np.where(self.possible[1:, :, None], chain.backward.doubles(), 1 / states)
        steps = np.abs(self.scores[:, :, None] - self.scores[:, None, :])
        log_ratios = np.where(steps > 0, rate * np.maximum(steps, 1), 0.0)
        after = ranges(chain.matrices.doubles(), chain.which[::-1], log_ratios[:0:-1])[::-1]
        before = ranges(back, np.arange(n - 1), log_ratios[:-1])
        # The law of each record, by which messages from the left are divided, is off by its own roundings once.
        return np.asarray((before + after + log_ratios) * (1 + 8 * UNIT) + 2 * (states + 1) * (n + 4) * UNIT)


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
    def free(self) -> bool:
        return all(each.table.all() for component in self.components for each in component.potentials)

    @property
    def variety(self) -> int:
        return len({each.table.tobytes() for component in self.components for each in component.potentials})

    def by_law(self, quick: Callable[[], bool]) -> bool:
        return not all(narrow(each.buckets, each.sizes) for each in self.components) or quick()

    def bounded(self, rate: float) -> Array:
        most = np.zeros(self.both.shape)
        for component in self.components:
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


def _logs(masses: Masses) -> Array:
    return np.where(masses.solid, masses.logs(), -np.inf)
