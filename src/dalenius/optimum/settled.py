"""The linear program solved with some of its constraints, then with those that this violates, until little is lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.laws.law import Array, IntArray
from dalenius.optimum.answer_laws import AnswerLaws
from dalenius.optimum.background import Pool
from dalenius.optimum.bins import Merged
from dalenius.optimum.bound import bound_by
from dalenius.optimum.program import ANYBODY, Program
from dalenius.optimum.repair import achieved, repaired

CLOSE: Final = 1e-4
MOST_PEOPLE: Final = 16
MOST_ROUNDS: Final = 40
MOST_TERMS: Final = 40_000
"""Of the sums that a delta bounds, beyond which no constraints are added: the solver takes minutes."""
NEAR: Final = 2e-3
"""A relative gap to the bound with which no other mechanism is looked for."""


@final
@dataclass(frozen=True)
class Settled:
    """kernel: what the solver found; bound: in lattice steps; close: whether the kernel made feasible is near it."""

    kernel: Array
    bound: float
    close: bool = True


def settled(laws: AnswerLaws, whole: Program, merged: Merged, first: int, pools: Sequence[Pool] = ()) -> Settled:
    """Solved with some constraints, made feasible for all by mixing; while that costs more than CLOSE, the person whose
    constraint is violated most is added, and what is violated of the pools. Fewer constraints still bound the optimum
    from below.

    merged: the linear program that is solved, with everybody's constraints; whole: the one the bound is for.
    """
    from dalenius.optimum.solver import solved

    fewer = merged.program
    stay = np.equal.outer(fewer.answers, fewer.outputs).astype(np.float64)
    cuts = _Cuts(whole, merged, pools, stay)
    if not len(cuts.fewer.whose):  # there is one likely answer, which is always the output
        return Settled(stay, 0.0)
    people = _starting(fewer, first)
    best, least, bound = None, inf, 0.0
    for _ in range(MOST_ROUNDS):
        small = cuts.fewer.about(people)
        try:
            solution = solved(small)
        except TooLarge:
            break
        bound = max(bound, bound_by(solution.duals, laws, cuts.whole.about(people), small))
        cost = achieved(fewer, repaired(fewer, solution.kernel, cuts.merged))
        if cost < least:
            best, least = solution.kernel, cost
        # What is left of the gap beside fewer constraints is that of the merged answers: no constraint narrows it.
        if least <= max(bound, achieved(small, solution.kernel)) * (1 + CLOSE):
            break
        if np.count_nonzero(small.deltas) * len(small.outputs) * len(small.answers) > MOST_TERMS:
            break
        another = _another(fewer, people, solution.kernel)
        people += another
        if not cuts.cut(solution.kernel) and (not another or len(people) > MOST_PEOPLE):
            break
    if best is None:
        size = f"{len(fewer.answers):,} answers, {len(small.excess):,} constraints on each output"
        raise TooLarge("the program", size, "use method clamped")
    return Settled(best, bound, least <= bound * (1 + NEAR))


@final
class _Cuts:
    """Both programs with the constraints of the pools that were violated so far."""

    def __init__(self, whole: Program, merged: Merged, pools: Sequence[Pool], stay: Array) -> None:
        self.whole, self.fewer = whole, merged.program
        self.merged = [pool.merged(merged.row) for pool in pools]
        self._pools = pools
        self._kept: IntArray = np.searchsorted(whole.answers, merged.program.answers)
        self._added = [np.zeros(0, dtype=np.int64) for _ in pools]
        self.cut(stay)

    def cut(self, kernel: Array) -> bool:
        """Adds what the kernel violates; whether there was any."""
        found = False
        for place, (pool, own) in enumerate(zip(self._pools, self.merged, strict=True)):
            more = np.setdiff1d(own.violated(kernel), self._added[place])
            self._added[place] = np.append(self._added[place], more)
            self.whole = pool.added_to(self.whole, more, self._kept)
            self.fewer = own.added_to(self.fewer, more)
            found = found or bool(len(more))
        return found


def _starting(fewer: Program, first: int) -> list[int]:
    """The first person; another one whose constraints coincide with theirs; nobody where there are only everybody's."""
    if first in fewer.whose:
        return [first]
    personal = np.where(fewer.whose == ANYBODY, -1.0, np.sum(fewer.violation, axis=1))
    if not np.any(personal >= 0):
        return []
    return [int(fewer.whose[np.argmax(personal)])]


def _another(fewer: Program, people: Sequence[int], kernel: Array) -> list[int]:
    """The person whose constraint the kernel violates most, of those left."""
    over = np.sum(np.maximum((fewer.mass * fewer.excess) @ kernel, 0.0), axis=1)
    over[np.isin(fewer.whose, [*people, ANYBODY])] = 0.0
    return [int(fewer.whose[np.argmax(over)])] if np.any(over > 0) else []
