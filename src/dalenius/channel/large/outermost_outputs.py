"""The leakage of all records of a long chain or a large network at the outermost outputs, and a bound anywhere.

With S the sum of all scores, W(y|s) tends to E[e^{±S/b} | X_t = s] as y → ±∞, times a constant. For a chain that
takes one recursion over the tilted steps from either end, in O(n), as given X_t the records before it and after it
are independent (Result 20.20). For a network it is the marginals with every node weighed by e^{±score/b}, over those
of the network itself (Result 20.34).

Three days, the first ill or not with 1/2, each alike the day before with .9 or .8; noise of scale 1. For the second
day, log E[e^S | X] is 0.430434 given 0 and 2.792016 given 1 by enumerating its 8 histories; far to the right an
output says 2.361582 nats for an ill second day, as `tilted` finds:

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
from math import prod
from typing import ClassVar, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.large.alike_kernels import NEARLY, alike_kernels
from dalenius.channel.large.message_bounds import IntervalNode, MessageBounds, Net, SharedArrays, ranges, rounded_up
from dalenius.channel.large.output_limits import Ends
from dalenius.channel.limits import QUICK_LAWS
from dalenius.errors import TooLarge
from dalenius.joints.markov_chain_factor import FAINTEST_WEIGHT, MarkovChain, running
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.tree_messages import Component, scope_of
from dalenius.laws.extended_range import Masses


@final
@dataclass(frozen=True, eq=False)
class ChainEnds(Ends):
    """A chain and the score that each of its records adds to the answer."""

    what: ClassVar[str] = "a chain"
    chain: MarkovChain

    @classmethod
    def of(cls, chain: MarkovChain, scores: IntArray) -> "ChainEnds":
        """Makes the ends of a `chain` with `scores` (n, k), in lattice steps."""
        return cls(chain.people, chain.stratum, scores, chain)

    @property
    def log_marginals(self) -> Array:
        return self.chain.log_marginals

    @property
    def longest(self) -> int:
        return len(self.chain)

    @property
    def free(self) -> bool:
        """Whether no history is impossible, as where an ill day is never followed by a well one."""
        return bool(self.chain.initial.solid.all() and self.chain.matrices.solid.all())

    @property
    def repeating(self) -> RepeatingChain | None:
        return RepeatingChain.of(self.chain, self.scores)

    def tilted(self, tilt: float) -> tuple[Array, float]:
        """Returns the tilted log-chances of each record, from two recursions over steps weighed by e^{tilt·score}.

        Their product over the plain law's is the effect of tilting on each record's chance.
        """
        chain, (n, states) = self.chain, self.scores.shape
        # Because a constant of a record cancels, scores are counted from each record's least one.
        weights = tilt * (self.scores - self.scores.min(axis=1, keepdims=True))
        factors = Masses.of_logs(weights)
        into = chain.steps.times(factors[1:, None, :])
        before = running(chain.initial.times(factors[0]), into)
        after = running(Masses.of(np.ones(states)), into.turned()[::-1])[::-1]
        found = before.times(after).over(chain.forward)
        # Because the product of 10^5 factors leaves the doubles, its largest exponent is taken off: only differences
        # within one record count.
        relative = Masses(
            found.mantissa, np.where(found.solid, found.exponent - found.exponent.max(axis=1)[:, None], 0)
        )
        logs = np.where(self.possible, relative.where(found.solid).filled(found.solid, 1.0).logs(), 0.0)
        # Because each factor counts its exponential and a rounding, and each step k + 1: in both messages, and in the
        # plain one.
        deepest = float(np.max(np.abs(weights)))
        steps = n * (3 * (states + 1) + 2 * (2 * deepest + 6))
        return logs, 2 * UNIT * (steps + 16 + 4 * float(np.max(np.abs(logs))))

    def bounded(self, rate: float) -> Array:
        """Bounds ratios by the range of the messages' ratios, for noise of `rate` nats per lattice step.

        The limits attain it where the chain leans one way (Result 20.23). Infinite where a step is too rare for
        doubles.
        """
        chain, (n, states) = self.chain, self.scores.shape
        # The case of events too rare for doubles, in a kernel or its reverse: ranges would be of rounded zeros.
        if any(np.any(each.solid & (each.doubles() < FAINTEST_WEIGHT)) for each in (chain.matrices, chain.backward)):
            return np.full(self.both.shape, np.inf)
        # Because nobody asks about a value that a record cannot have, any law will do for it.
        back = np.where(self.possible[1:, :, None], chain.backward.doubles(), 1 / states)
        moved = np.abs(self.scores[:, :, None] - self.scores[:, None, :])
        # Because a change of value moves the answer by its score, and so the log-density by at most rate nats per step.
        log_ratios = np.where(moved > 0, rate * np.maximum(moved, 1), 0.0)
        # Because steps that repeat, as those of the hours of a day do, soon have backward kernels that repeat.
        own = self.repeating
        period = own.period if own is not None and own.repeats and not own.known else 1
        steps, which, nearly = chain.matrices.doubles(), chain.which, 0.0
        kernels, numbers = back, np.arange(n - 1)
        # Because given known records each step has a matrix of its own.
        if chain.unconditioned is not None:
            steps, which = alike_kernels(steps)
            (kernels, numbers), nearly = alike_kernels(back), NEARLY
        after = ranges(steps, which[::-1], log_ratios[:0:-1], nearly=nearly)[::-1]
        before = ranges(kernels, numbers, log_ratios[:-1], period, nearly)
        # Because the law of each record, the divisor of messages from the left, is off by its own roundings once.
        return np.asarray((before + after + log_ratios) * (1 + 8 * UNIT) + 2 * (states + 1) * (n + 4) * UNIT)


@final
@dataclass(frozen=True, eq=False)
class NetworkEnds(Ends):
    """A network's components and the score that each node adds to the answer.

    Scores behind the last value are the least ones. sizes (n,): how many values each node has. unlike: by how many
    nats the log of the product of the tables may be off.
    """

    what: ClassVar[str] = "a network"
    components: Sequence[Component]
    sizes: IntArray
    unlike: float

    @cached_property
    def _net(self) -> Net | None:
        """The network as one whose rows lie in boxes that hold their roundings, given the one node of each boundary.

        None where some node's boundary has several, as where it has two parents that depend on each other.
        """
        if not self._is_forest:
            return None
        # So that alike nodes of a tree, whose rows differ by roundings, share their messages: in the same box.
        kept, found = SharedArrays(), dict[int, IntervalNode]()
        for component in self.components:
            for bucket in component.buckets:
                rows = _given(component.laws[bucket.node], bool(bucket.boundary))
                found[bucket.node] = IntervalNode(bucket.boundary[0] if bucket.boundary else None, kept(rows))
        nodes = tuple(found[number] for number in range(len(self)))
        order = [bucket.node for each in self.components for bucket in reversed(each.buckets)]
        return Net(nodes, tuple(order))

    @cached_property
    def _is_forest(self) -> bool:
        """Whether no boundary has several nodes, and tables fit memory."""
        if self.widest is None:
            return False
        return all(len(bucket.boundary) <= 1 for component in self.components for bucket in component.buckets)

    @cached_property
    def widest(self) -> int | None:
        """How many states the largest clique has; None where the cliques' tables do not fit memory."""
        with suppress(TooLarge):
            cliques = ((each.sizes, scope_of(bucket)) for each in self.components for bucket in each.buckets)
            return int(max(prod(sizes[node] for node in nodes) for sizes, nodes in cliques))
        return None

    @cached_property
    def log_marginals(self) -> Array:
        return np.minimum(_logs(self._marginals), 0.0)

    @cached_property
    def _marginals(self) -> Masses:
        """The law of each node (n, k)."""
        return self._stacked([component.marginals for component in self.components])

    def _stacked(self, marginals: Sequence[Mapping[int, Masses]]) -> Masses:
        """Returns one array of all nodes' numbers; 0 behind the values of those that have fewer."""
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
        """Says whether some node has two parents, or the laws of all nodes take seconds with so many `answers`."""
        return len(self) * answers <= QUICK_LAWS or not self._is_forest

    def bounded(self, rate: float) -> Array:
        """Bounds ratios by messages along the branches, for noise of `rate` nats per lattice step.

        The rows have next to no width (Results 21.11 and 21.13).
        """
        assert self._net is not None, "by_law: such networks have their laws"
        most, kinds = np.zeros(self.both.shape), np.unique(self.stratum, return_index=True)
        points = {kind: self._own(node)[:, None].astype(np.float64) for kind, node in zip(*kinds, strict=True)}
        bounds = MessageBounds(self._net, [points[kind] for kind in self.stratum.tolist()], rate)
        for component in self.components:
            # Because the roundings of the component's laws count once more.
            slack = 4 * (component.law_error + self.unlike)
            for node in component.nodes:
                own = bounds.ratio(node)
                # Because nodes may have fewer values than the widest one: the rest of the row stays 0, for impossible
                # values.
                most[node, : len(own), : len(own)] = own + slack
        return most

    def _own(self, node: int) -> IntArray:
        """Returns the scores of the node's values."""
        return self.scores[node, : self.sizes[node]]

    def tilted(self, tilt: float) -> tuple[Array, float]:
        """Returns the log-marginals with nodes weighed by e^{tilt·score}, over the plain ones (Result 20.34)."""
        # Because most nodes of a count in one ward are not counted: those get no weight.
        moving = np.ptp(self.scores, axis=1)
        own = {node: self._own(node) for node in np.flatnonzero(moving).tolist()}
        weights = {node: Masses.of_logs(tilt * (each - each.min())) for node, each in own.items()}
        found = self._stacked([component.tilted(weights) for component in self.components])
        solid = self.possible
        logs = np.where(solid, found.filled(solid, 1.0).logs() - self._marginals.filled(solid, 1.0).logs(), -np.inf)
        # So that each record's largest is 0: the logs matter up to a constant of the record only.
        logs = np.where(solid, logs - logs.max(axis=1, keepdims=True), 0.0)
        law = max(component.law_error for component in self.components)
        factors = UNIT * (2 * abs(tilt) * float(moving.sum()) + 8 * len(weights))
        error = 2 * (2 * law + 2 * self.unlike + factors)
        return logs, error + 8 * UNIT * (4 + float(np.max(np.abs(logs))) + self._deepest)

    @cached_property
    def _deepest(self) -> float:
        return float(np.max(np.abs(self.log_marginals), where=self.possible, initial=0.0))


def _given(law: Masses, conditional: bool) -> Array:
    """Returns the ends (2, rows, k) of Pr[node | its boundary's state], or of the node's own law (k,).

    The law is uniform where that state is impossible.
    """
    laid = law if conditional else law.reshaped((1, -1))
    total = laid.summed((-1,)).with_last_axis()
    found = laid.over(total).filled(total.solid, 1 / laid.mantissa.shape[1])
    numbers = found.doubles()
    # Because chances that no double holds are between 0 and the faintest.
    most = np.where(found.solid, np.maximum(numbers, 1e-300), 0.0)
    # So that all processors find one box for 1/2, which 40 bits hold, the ends move by more than processors differ by
    # before the rounding.
    low, high = -rounded_up(-numbers * (1 - 2.0**-45), 40), rounded_up(most * (1 + 2.0**-45), 40)
    return np.stack([low, np.minimum(high, 1.0)])


def _logs(masses: Masses) -> Array:
    return np.where(masses.solid, masses.logs(), -np.inf)
