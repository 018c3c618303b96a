"""Stationary laws of Markov chains, to full relative accuracy."""

import numpy as np

from dalenius.laws.masses import Masses


def stationary(step: Masses) -> Masses:
    """The stationary law (k,) of an irreducible chain, step (k, k), without subtractions (Grassmann, Taksar and Heyman,
    Operations Research 33(5), 1985): relatively accurate however close to decomposable the chain is, and however rare
    a state."""
    work = step
    rates: list[Masses] = []
    for state in range(len(step) - 1, 0, -1):
        leaving = work[state, :state]
        rates.append(work[:state, state].over(leaving.summed((0,))))
        detour = rates[-1].with_last_axis().times(leaving)
        work = Masses.joined([work[None, :state, :state], detour[None]]).summed((0,))
    law = Masses.of(np.ones(1))
    for rate in reversed(rates):
        law = Masses.joined([law, law.times(rate).summed((0,))[None]])
    return law.over(law.summed((0,)))
