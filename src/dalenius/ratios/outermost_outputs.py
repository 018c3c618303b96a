"""What a long chain's records leak at the outermost outputs: every record at once, in O(n) (Result 20.20).

Given X_t the records before it and after it are independent. So E[e^{±S/b} | X_t = s], S the sum of all scores, is what
W(y|s) comes to as y → ±∞, times a constant: one recursion over the tilted steps from either end of the chain.

The least and the greatest sum that a chain's records can have given one of them, and how likely they are then: of
every record at once, in O(n) (Result 20.29).

What a large network's records leak at the outermost outputs, every record at once (Result 20.34), and at most.

E[e^{±S/b} | X_t = s], S the sum of all scores, is what W(y|s) comes to as y → ±∞, times a constant: the marginals of
the network with every node weighed by e^{±score/b}, over those of the network itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.joints.chain import FAINT, MarkovChain, running
from dalenius.joints.tree_messages import Component
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses
from dalenius.ratios.message_ranges import Ranges, narrow, ranges
from dalenius.ratios.monotone_chains import affiliated, leaning
from dalenius.ratios.suprema import Ends, Outermost

NONE: Final = -(2**61)
"""What stands for the sum over paths of which there is none."""
AT_ONCE: Final = 1 << 20


@final
@dataclass(frozen=True, eq=False)
class Extremes:
    """sums (2, n, k): the least and the greatest sum of all scores given a record's value, NONE where it cannot have
    it; logs (2, n, k): of the probability of that sum given the value; error: of the difference of two of a record."""

    sums: IntArray
    logs: Array
    error: float

    def log_ratios(self, possible: NDArray[np.bool_]) -> Array:
        """At (side, record, s, t): log Pr[sum | s] - log Pr[sum | t], of the one of the two extremes that lies further
        out: infinite where only one of them has it (2, n, k, k)."""
        outward = np.stack([-self.sums[0], self.sums[1]])
        further = outward[:, :, :, None] - outward[:, :, None, :]
        same = self.logs[:, :, :, None] - self.logs[:, :, None, :]
        found = np.where(further == 0, same, np.where(further > 0, np.inf, -np.inf))
        return np.where(possible[:, :, None] & possible[:, None, :], found, 0.0)

    def ends(self, possible: NDArray[np.bool_]) -> Array:
        """log Pr[sum | s] of the outermost sums of all (2, n, k); 0 where s is impossible."""
        outward = np.where(possible, np.stack([-self.sums[0], self.sums[1]]), NONE)
        attained = outward == outward.max(axis=2, keepdims=True)
        return np.where(possible, np.where(attained, self.logs, -np.inf), 0.0)


def extremes(chain: MarkovChain, scores: IntArray) -> Extremes:
    """scores (n, k), in lattice steps."""
    sums, logs = zip(*(_greatest(chain, sign * scores) for sign in (-1, 1)), strict=True)
    found = np.stack(logs)
    # Of each step k + 1 roundings: in both messages, and in the plain one.
    steps = 3 * len(scores) * (scores.shape[1] + 1)
    error = 2 * UNIT * (steps + 16 + 4 * float(np.max(np.abs(found))))
    lowest = np.where(chain.possible, -sums[0], NONE)
    return Extremes(np.stack([lowest, np.where(chain.possible, sums[1], NONE)]), found, error)


def _greatest(chain: MarkovChain, scores: IntArray) -> tuple[IntArray, Array]:
    """The greatest sum given every value, and the log of its probability, 0 where the value is impossible (n, k)."""
    steps, states = chain.steps, scores.shape[1]
    moved = np.where(steps.solid, scores[1:, None, :], NONE)
    before = _running(np.where(chain.initial.solid, scores[0], NONE), moved)
    after = _running(np.zeros(states, dtype=np.int64), np.swapaxes(moved, 1, 2)[::-1])[::-1]
    # Only paths that attain the greatest sums are left: their probabilities add up as those of all paths do.
    arriving = steps.where(before[:-1, :, None] + moved == before[1:, None, :])
    leaving = steps.where(moved + after[1:, None, :] == after[:-1, :, None])
    come = running(chain.initial, arriving)
    gone = running(Masses.of(np.ones(states)), leaving.turned()[::-1])[::-1]
    found = come.times(gone).over(chain.forward)
    logs = np.where(chain.possible, found.filled(found.solid, 1.0).logs(), 0.0)
    return before + after, logs


def _running(first: IntArray, steps: IntArray) -> IntArray:
    """The greatest sums over paths: first (k,), steps (n, k, k); (n + 1, k)."""
    stride = max(AT_ONCE // len(first) ** 3, 1)
    found = [first[None, None]]
    for start in range(0, len(steps), stride):
        found.append(_along(found[-1][-1:], steps[start : start + stride])[1:])
    return np.concatenate(found)[:, 0]


def _along(first: IntArray, steps: IntArray) -> IntArray:
    """As `products.running`: steps two by two give every other row, and one step from there the rest."""
    if len(steps) == 1:
        return np.concatenate([first, _joined(first, steps)])
    whole = len(steps) // 2
    even = _along(first, _joined(steps[: 2 * whole : 2], steps[1::2]))
    odd = _joined(even[: len(steps) - whole], steps[::2])
    found = np.empty((len(even) + len(odd), *even.shape[1:]), dtype=np.int64)
    found[::2], found[1::2] = even, odd
    return found


def _joined(one: IntArray, other: IntArray) -> IntArray:
    sums = (one[..., :, :, None] + other[..., None, :, :]).max(axis=-2)
    return np.where(sums < NONE // 2, NONE, sums)


TILTS: Final = (-2.0, -0.5, -0.1, 0.1, 0.5, 2.0)
"""Nats per lattice step: means under which are averages of the exact answer's likelihoods (Result 20.30)."""


@final
@dataclass(frozen=True, eq=False)
class ChainEnds(Ends):
    """A chain and what each of its records adds to the answer."""

    what: ClassVar[str] = "a chain"
    exact: ClassVar[bool] = True
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
    def settled(self) -> bool:
        return self.order is not None

    @cached_property
    def order(self) -> IntArray | None:
        """The states in an order along which the chain and its scores lean (Result 20.21); None where they do not."""
        return leaning(self.chain.matrices, self.scores)

    @cached_property
    def rank(self) -> IntArray:
        assert self.order is not None
        return np.broadcast_to(np.argsort(self.order), self.scores.shape)

    def ordered(self, down: Array, up: Array) -> Array:
        return down if self.order is None else super().ordered(down, up)

    def bounded(self, rate: float, most: Array) -> Array:
        return self._bounded(rate) if self.order is None else most

    @cached_property
    def extremes(self) -> Extremes:
        return extremes(self.chain, self.scores)

    def reached(self, end: int, place: int | None = None, state: int | None = None) -> int:
        sums = self.extremes.sums[end]
        if place is not None and state is not None:
            return int(sums[place, state])
        every = sums[0][self.possible[0]]
        return int(every.max() if end else every.min())

    def exactly(self) -> Outermost:
        """Where the answer goes out as it is, or with noise whose density falls faster than any exponential: an output
        far out then shows its own extreme answer (Result 20.29)."""
        found, possible = self.extremes, self.possible
        log_ratios, ends, error = found.log_ratios(possible), found.ends(possible), found.error
        both = self.both
        above = np.max(log_ratios, axis=0)
        if self.order is not None:
            most = self.ordered(log_ratios[0], log_ratios[1]) + error
        elif np.any(both & (above < inf)):
            averages = [self.tilted(tilt) for tilt in TILTS]
            ends = np.concatenate([ends, [each for each, _ in averages]])
            error = max(error, *(each for _, each in averages))
            most = np.where(above < inf, self._bounded(inf) if self._plain else inf, inf)
        else:
            most = np.full(both.shape, inf)
        return Outermost(ends, error, np.where(both, most, 0.0), log_ratios)

    @property
    def _plain(self) -> bool:
        """Whether doubles hold every step either way."""
        kernels = self.chain.matrices, self.chain.backward
        return not any(np.any(each.solid & (each.doubles() < FAINT)) for each in kernels)

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

    def _bounded(self, rate: float) -> Array:
        """By the range of the messages' ratios (Result 20.23); rate: infinite for any function of the sum."""
        chain, (n, states) = self.chain, self.scores.shape
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
