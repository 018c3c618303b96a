"""What no mechanism can undercut: bounds on the least expected error, at any size (Theory §8)."""

from math import exp
from typing import Final

import numpy as np

from dalenius.calibration.method import promised
from dalenius.calibration.optimal.answer_laws import AnswerLaws
from dalenius.calibration.optimal.bins import binned
from dalenius.calibration.optimal.dual import Prices, lower_bound
from dalenius.calibration.optimal.program import MOST_EPSILON, Programme, programme_of
from dalenius.errors import TooLarge
from dalenius.notions import Notion

FACTORS: Final = (1.0, 1 - 1e-9, 1 - 1e-6, 1 - 1e-3)
"""Any prices bound the optimum from below; slightly lower ones do not take the solver's tolerance for a gain."""
FEW: Final = 160


def bound_by(prices: Prices, laws: AnswerLaws, whole: Programme, small: Programme, epsilon: float) -> float:
    """The best bound on the whole programme's objective that prices found for a smaller one give, in lattice steps."""
    found = [0.0]
    for each in (prices.times(factor) for factor in FACTORS):
        # What no law resolves, or was merged, may lean against the promise as far as it likes, and not for it.
        dearest = float(np.sum(np.max(each.told, axis=1, initial=0.0)))
        leaning = exp(epsilon) + float(np.max(whole.sizes, initial=0.0))
        unresolved = float(np.sum(np.exp(laws.missing))) * leaning * dearest
        found.append(lower_bound(whole, small, each, laws.error) - unresolved)
    return max(found)


def quick_bound(laws: AnswerLaws, notion: Notion) -> float | None:
    """No mechanism whatever has a smaller expected absolute error (in lattice steps). The programme is solved for FEW
    bins of the answers and its prices spread over all: the bound holds however few they are. None where that is too
    large, or the promise is."""
    from dalenius.calibration.optimal.solver import solved

    if promised(notion) > MOST_EPSILON:
        return None
    whole = programme_of(laws, notion, "absolute")
    fewer = binned(whole, FEW).coarse
    try:
        solution = solved(fewer)
    except TooLarge:
        return None
    return bound_by(solution.prices, laws, whole, fewer, promised(notion))
