"""Lower bounds on the expected error of any mechanism, at any size (Theory §8)."""

from collections.abc import Sequence
from math import exp
from typing import Final

import numpy as np

from dalenius.calibration.method import promised
from dalenius.errors import TooLarge
from dalenius.notions import Notion
from dalenius.optimum.answer_laws import AnswerLaws
from dalenius.optimum.bins import binned
from dalenius.optimum.dual import Duals, lower_bound
from dalenius.optimum.program import ANYBODY, MOST_EPSILON, Program, program_of

FACTORS: Final = (1.0, 1 - 1e-9, 1 - 1e-6, 1 - 1e-3)
"""Any dual variables bound the optimum from below; slightly lower ones do not exploit the solver's tolerance."""
FEW: Final = 160


def bound_by(duals: Duals, laws: AnswerLaws, whole: Program, small: Program) -> float:
    """The best bound on the whole program's objective from the dual variables of a smaller one, in lattice steps."""
    found = [0.0]
    for each in (duals.times(factor) for factor in FACTORS):
        # Mass that is unresolved or merged may have any coefficient: the worst one is charged for it.
        dearest = float(np.sum(np.max(each.prices[whole.whose != ANYBODY], axis=1, initial=0.0)))
        everywhere = whole.whose != ANYBODY
        leaning = exp(float(np.max(whole.epsilons))) + float(
            np.max(np.max(whole.sizes, axis=1)[everywhere], initial=0.0)
        )
        unresolved = float(np.sum(np.exp(laws.missing))) * leaning * dearest
        found.append(lower_bound(whole, small, each, laws.error) - unresolved)
    return max(found)


def quick_bound(laws: AnswerLaws, notions: Sequence[Notion]) -> float | None:
    """No mechanism whatever has a smaller expected absolute error (in lattice steps). The linear program is solved for
    FEW bins and its dual variables interpolated: the bound holds however few they are. None where the program or
    epsilon is too large."""
    from dalenius.optimum.solver import moving, solved

    constrained = [notion for notion in notions if notion.linear in ("pairs", "average")]
    if not (constrained and laws.each) or max(map(promised, constrained)) > MOST_EPSILON:
        return None
    whole = program_of(laws, constrained, "absolute")
    if moving(whole) == 0:  # answers released as they are keep these promises
        return 0.0
    fewer = binned(whole, FEW).coarse
    try:
        solution = solved(fewer)
    except TooLarge:
        return None
    return bound_by(solution.duals, laws, whole, fewer)
