"""What all records of a long chain or a large network leak at the outermost outputs, and at most anywhere.

With S the sum of all scores, E[e^{±S/b} | X_t = s] is what W(y|s) comes to as y → ±∞, times a constant. Of a chain it
takes one recursion over the tilted steps from either end, in O(n), as given X_t the records before it and after it are
independent (Result 20.20). Of a network it is the marginals with every node weighed by e^{±score/b}, over those of the
network itself (Result 20.34).

Three days, the first ill or not with 1/2, each alike the day before with .9 or .8; noise of scale 1. Of the second day,
log E[e^S | X] is 0.430434 given 0 and 2.792016 given 1 by enumerating its 8 histories; far to the right an output says
2.361582 nats for an ill second day, which is what `tilted` finds:

>>> import dalenius as dl
>>> days = dl.Chain(n=3, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.2, 0.8]]).joints()[0]
>>> ends = ChainEnds.of(days.chain, np.array([[0, 1]] * 3))
>>> logs, error = ends.tilted(1.0)
>>> round(float(logs[1, 1] - logs[1, 0]), 6), error < 1e-12
(2.361582, True)
>>> ends.bounded(1.0)[1].round(4).tolist()
[[0.0, 2.3425], [2.3616, 0.0]]
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.large.message_bounds import IntervalNode, MessageBounds, Net, SharedArrays, ranges, rounded_up
from dalenius.channel.large.output_limits import Ends
from dalenius.errors import TooLarge
from dalenius.joints.markov_chain_factor import FAINTEST_WEIGHT, MarkovChain, running
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tree_messages import Component
from dalenius.laws.extended_range import Masses

QUICK_LAWS = 1 << 19
"""Nodes of a network times answers, up to which all laws of the answer take seconds."""


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
        """An ill day that is never followed by a well one would make some histories impossible."""
        return bool(self.chain.initial.solid.all() and self.chain.matrices.solid.all())

    @property
    def repeating(self) -> RepeatingChain | None:
        return RepeatingChain.of(self.chain, self.scores)

    def tilted(self, tilt: float) -> tuple[Array, float]:
        """Two recursions, from either end, over steps weighed by e^{tilt·score}: their product over the plain law's
        is what tilting makes of each record's chance."""
        chain, (n, states) = self.chain, self.scores.shape
        # Scores are counted from each record's least one: a constant of the record, which cancels.
        weights = tilt * (self.scores - self.scores.min(axis=1, keepdims=True))
        factors = Masses.of_logs(weights)
        into = chain.steps.times(factors[1:, None, :])
        before = running(chain.initial.times(factors[0]), into)
        after = running(Masses.of(np.ones(states)), into.turned()[::-1])[::-1]
        found = before.times(after).over(chain.forward)
        # Of 10^5 factors the product leaves the doubles; only differences within one record count, so its largest
        # exponent is taken off.
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
        # Events rarer than doubles hold, in a kernel or its reverse: then ranges would be of rounded zeros.
        if any(np.any(each.solid & (each.doubles() < FAINTEST_WEIGHT)) for each in (chain.matrices, chain.backward)):
            return np.full(self.both.shape, np.inf)
        # A value that a record cannot have has no reverse law; any will do, as nobody asks about it.
        back = np.where(self.possible[1:, :, None], chain.backward.doubles(), 1 / states)
        steps = np.abs(self.scores[:, :, None] - self.scores[:, None, :])
        # One value changed for another moves the answer by its score, and so the log-density by rate nats per step at
        # most.
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
    def _net(self) -> Net | None:
        """The network as one whose rows lie in boxes that hold their roundings: of each node given the one node of its
        boundary; None where some have several, as where a node has two parents that depend on each other."""
        # Alike nodes of a tree have rows that differ by roundings: in the same box they share their messages.
        kept, found = SharedArrays(), dict[int, IntervalNode]()
        if self.widest is None:
            return None
        for component in self.components:
            for bucket in component.buckets:
                if len(bucket.boundary) > 1:
                    return None
                rows = _given(component.laws[bucket.node], bool(bucket.boundary))
                found[bucket.node] = IntervalNode(bucket.boundary[0] if bucket.boundary else None, kept(rows))
        nodes = tuple(found[number] for number in range(len(self)))
        order = [bucket.node for each in self.components for bucket in reversed(each.buckets)]
        return Net(nodes, tuple(order))

    @cached_property
    def widest(self) -> int | None:
        """How many states the largest clique has; None where the cliques' tables do not fit memory."""
        with suppress(TooLarge):
            return max(component.widest for component in self.components)
        return None

    @cached_property
    def log_marginals(self) -> Array:
        return np.minimum(_logs(self._marginals), 0.0)

    @cached_property
    def _marginals(self) -> Masses:
        """(n, k)"""
        return self._stacked([component.marginals for component in self.components])

    def _stacked(self, marginals: Sequence[Mapping[int, Masses]]) -> Masses:
        """One array of all nodes' numbers; 0 behind the values of those that have fewer."""
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

    def by_law(self, answers: int) -> bool:
        """Where some node has two parents, or the laws of all nodes take seconds."""
        return len(self) * answers <= QUICK_LAWS or self._net is None

    def bounded(self, rate: float) -> Array:
        """By messages along the branches (Results 21.11 and 21.13), of rows of next to no width."""
        assert self._net is not None, "by_law: such networks have their laws"
        most, kinds = np.zeros(self.both.shape), np.unique(self.stratum, return_index=True)
        points = {kind: self._own(node)[:, None].astype(np.float64) for kind, node in zip(*kinds, strict=True)}
        bounds = MessageBounds(self._net, [points[kind] for kind in self.stratum.tolist()], rate)
        for component in self.components:
            # The roundings of the component's laws count once more.
            slack = 4 * (component.law_error + self.unlike)
            for node in component.nodes:
                own = bounds.ratio(node)
                # Nodes may have fewer values than the widest one: the rest of the row stays 0, of values that are
                # impossible.
                most[node, : len(own), : len(own)] = own + slack
        return most

    def _own(self, node: int) -> IntArray:
        """What the node's values add."""
        return self.scores[node, : self.sizes[node]]

    def tilted(self, tilt: float) -> tuple[Array, float]:
        """The marginals with every node weighed by e^{tilt·score}, over the plain ones (Result 20.34)."""
        # Nodes whose value the query does not count get no weight: of a count in one ward most are such.
        moving = np.ptp(self.scores, axis=1)
        own = {node: self._own(node) for node in np.flatnonzero(moving).tolist()}
        weights = {node: Masses.of_logs(tilt * (each - each.min())) for node, each in own.items()}
        found = self._stacked([component.tilted(weights) for component in self.components])
        solid = self.possible
        logs = np.where(solid, found.filled(solid, 1.0).logs() - self._marginals.filled(solid, 1.0).logs(), -np.inf)
        # Up to a constant of each record: its largest is 0.
        logs = np.where(solid, logs - logs.max(axis=1, keepdims=True), 0.0)
        law = max(component.law_error for component in self.components)
        factors = UNIT * (2 * abs(tilt) * float(moving.sum()) + 8 * len(weights))
        error = 2 * (2 * law + 2 * self.unlike + factors)
        return logs, error + 8 * UNIT * (4 + float(np.max(np.abs(logs))) + self._deepest)

    @cached_property
    def _deepest(self) -> float:
        return float(np.max(np.abs(self.log_marginals), where=self.possible, initial=0.0))


def _given(law: Masses, conditional: bool) -> Array:
    """Ends (2, rows, k) of Pr[node | its boundary's state], or of the node's own law (k,); uniform where that state is
    impossible."""
    laid = law if conditional else law.reshaped((1, -1))
    total = laid.summed((-1,)).with_last_axis()
    found = laid.over(total).filled(total.solid, 1 / laid.mantissa.shape[1])
    numbers = found.doubles()
    # Chances that no double holds are between 0 and the faintest.
    most = np.where(found.solid, np.maximum(numbers, 1e-300), 0.0)
    # By more than what processors differ by before they are rounded: of 1/2, which 40 bits hold, all find one box.
    low, high = -rounded_up(-numbers * (1 - 2.0**-45), 40), rounded_up(most * (1 + 2.0**-45), 40)
    return np.stack([low, np.minimum(high, 1.0)])


def _logs(masses: Masses) -> Array:
    return np.where(masses.solid, masses.logs(), -np.inf)
