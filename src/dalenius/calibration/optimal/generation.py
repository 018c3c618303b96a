"""Constraint generation: a linear program over finitely many laws of a set, the worst law for its mechanism, again."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final, final

import numpy as np

from dalenius.calibration.optimal.bins import merged
from dalenius.calibration.optimal.bound import bound_by
from dalenius.calibration.optimal.over_sets import LawsOfSets
from dalenius.calibration.optimal.program import Objective, Program, program_of
from dalenius.channel import Release
from dalenius.errors import DaleniusError, TooLarge
from dalenius.laws.law import Array, IntArray
from dalenius.notions import Notion

if TYPE_CHECKING:
    from dalenius.calibration.optimal.solver import Solution

CLOSE: Final = 2e-5
"""A relative gap to the dual bound at which no law is added."""
MOST_ROUNDS: Final = 60
MOST_ANSWERS: Final = 100
FAINTEST: Final = 1e-100
"""The least mass that is mixed in, so that an audit in doubles sees it."""
PATIENCE: Final = 3
"""Times that a constraint is kept after it last had a price, and that nothing is gained before the search ends."""
OVER: Final = 1e-13
"""By how much of a probability a constraint is violated that is added."""


@final
@dataclass(frozen=True)
class Mechanism:
    """rows (answers, outputs): of every answer from the least on; outputs: lattice indices; given: the objective's
    error given each answer, in lattice steps or their squares; error: its largest mean over the sets, or its largest.
    """

    rows: Array
    outputs: IntArray
    given: Array
    error: float


@final
class Generation:
    """bound: no mechanism has a smaller error under the worst law of the sets, in lattice steps or their squares; best:
    the best found, which the promises hold for under every law; close: whether it is near the bound."""

    def __init__(self, release: Release, notions: Sequence[Notion], objective: Objective) -> None:
        self.laws = LawsOfSets(release, notions)
        if (count := self.laws.count) > MOST_ANSWERS:
            raise TooLarge("the optimum over a set of laws", f"{count:,} answers", "use method exact")
        self._notions, self._objective = notions, objective
        self._power = 2 if objective == "squared" else 1
        self._idle: dict[int, IntArray] = {}
        self.bound, self._found = 0.0, self._constant()
        self._search()

    def repaired(self, margin: float) -> Mechanism:
        """The best with every epsilon smaller by that margin."""
        several = [self._mixed(self._found, margin), self._constant()]
        return min(several, key=lambda each: each.error)

    def _search(self) -> None:
        points = self.laws.start + np.arange(self.laws.count)
        rows, outputs, least, stale = np.eye(len(points)), points, inf, 0
        self.laws.add(self.laws.violations(rows, 0.0)[1])
        for _ in range(MOST_ROUNDS):
            known = self.laws.known
            whole = program_of(known, self._notions, self._objective)
            fewer = merged(whole)
            try:
                solution = self._solved(fewer.program, rows, outputs)
            except DaleniusError:
                if least == inf:
                    raise
                break
            before = least, self.bound
            self.bound = max(self.bound, bound_by(solution.duals, known, whole, fewer.program))
            edges = (fewer.program.answers[1:] + fewer.program.answers[:-1]) / 2
            rows, outputs = solution.kernel[np.searchsorted(edges, points)], fewer.program.outputs.astype(np.int64)
            mask, violated = self.laws.violations(rows, 0.0)
            found = self._made(rows, outputs, mask)
            if found.error < least:
                least, self._found = found.error, self._made(rows, outputs, 0 * mask)
            stale = 0 if before[0] - least + self.bound - before[1] > CLOSE * least / 10 else stale + 1
            if least <= self.bound * (1 + CLOSE) or stale > PATIENCE:
                break
            if self._objective != "worst":
                self.laws.add_likeliest(self._given(rows, outputs))
            self.laws.add(violated)

    def _solved(self, program: Program, rows: Array, outputs: IntArray) -> "Solution":
        """With the constraints that the last mechanism violates, and those that mattered lately."""
        from dalenius.calibration.optimal.solver import solved

        start, places = self.laws.start, program.outputs.astype(np.int64) - self.laws.start
        kernel = rows[program.answers.astype(np.int64) - start] @ np.equal.outer(outputs, program.outputs)
        over = (program.mass * program.excess) @ kernel > OVER
        for number, here in zip(program.whose.tolist(), over, strict=True):
            idle = self._idle.setdefault(number, np.full(self.laws.count, PATIENCE))
            idle[places[here]] = 0
        idle = np.array([self._idle[number][places] for number in program.whose.tolist()])
        solution = solved(program, idle < PATIENCE)
        paid = places[np.searchsorted(program.outputs, solution.duals.outputs)]
        for each in self._idle.values():
            each += 1
        for number, prices in zip(program.whose.tolist(), solution.duals.prices, strict=True):
            self._idle[number][paid[prices > 0]] = 0
        return solution

    def _mixed(self, found: Mechanism, margin: float) -> Mechanism:
        return self._made(found.rows, found.outputs, self.laws.violations(found.rows, margin)[0])

    def _made(self, rows: Array, outputs: IntArray, mask: Array) -> Mechanism:
        """(K(r | v) + g(r)) / (1 + sum g), rows summing to 1."""
        mixed = rows + np.where(mask > 0, np.maximum(mask, FAINTEST), 0.0)
        mixed = mixed / np.sum(mixed, axis=1, keepdims=True)
        given = self._given(mixed, outputs)
        return Mechanism(mixed, outputs, given, self.laws.error(given, self._objective == "worst"))

    def _given(self, rows: Array, outputs: IntArray, power: int | None = None) -> Array:
        points = self.laws.start + np.arange(self.laws.count)
        apart = np.abs(points[:, None] - outputs[None, :]).astype(np.float64) ** (power or self._power)
        return np.asarray(np.sum(rows * apart, axis=1))

    def _constant(self) -> Mechanism:
        """The best of those that always release the same: they leak nothing."""
        points = self.laws.start + np.arange(self.laws.count)
        each = [self._made(np.ones((len(points), 1)), points[[k]], np.zeros(1)) for k in range(len(points))]
        return min(each, key=lambda one: one.error)

    def errors(self, found: Mechanism) -> Array:
        """E|output - answer| given each answer, in lattice steps."""
        return self._given(found.rows, found.outputs, 1)
