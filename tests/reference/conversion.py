"""What tests of any mechanism with a privacy profile can do, over all assignments of a group: no shortcut."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array

Row = tuple[Any, ...]
Array = NDArray[np.float64]


def largest_gain(
    law: Mapping[tuple[Any, ...], float],
    person: int,
    secret: object,
    against: object | None,
    guarantees: Sequence[tuple[float, float]],
    epsilon: float,
    removable: bool = False,
) -> float:
    """max Σ b(x)(Pr[x | secret] − e^ε Pr[x | against]) over b in [0, 1] for which every pair (ε, δ) holds of all
    neighbours, in both orders; against None: Pr[x]. removable: neighbours lack a record instead of changing it."""
    size = len(next(iter(law)))
    universes = [sorted({row[i] for row in law}, key=str) for i in range(size)]
    states = list(product(*([*each, None] if removable else each for each in universes)))
    place = {state: number for number, state in enumerate(states)}
    entries: list[tuple[int, int, float]] = []
    bounds: list[float] = []
    for state in states:
        for other in _neighbours(state, universes, removable):
            for given, delta in guarantees:
                # b(x) <= e^ε b(x′) + δ, and the same of 1 − b.
                row = len(bounds)
                entries += [(row, place[state], 1.0), (row, place[other], -exp(given))]
                entries += [(row + 1, place[state], -1.0), (row + 1, place[other], exp(given))]
                bounds += [delta, delta - 1 + exp(given)]
    weights = np.zeros(len(states))
    for conditional, sign in ((secret, 1.0), (against, -exp(epsilon))):
        given_it = {each: p for each, p in law.items() if conditional is None or each[person] == conditional}
        for each, p in given_it.items():
            weights[place[each]] += sign * p / sum(given_it.values())
    places, columns, values = zip(*entries, strict=True)
    matrix = coo_array((values, (places, columns)), shape=(len(bounds), len(states))).tocsr()
    found = linprog(  # type: ignore[call-overload]
        -weights, A_ub=matrix, b_ub=bounds, bounds=(0, 1), method="highs"
    )
    assert found.fun is not None
    return float(-found.fun)


def _neighbours(state: Row, universes: Sequence[Sequence[object]], removable: bool) -> list[Row]:
    found = []
    for i, values in enumerate(universes):
        if not removable:
            found += [(*state[:i], value, *state[i + 1 :]) for value in values if value != state[i]]
        elif state[i] is None:
            found += [(*state[:i], value, *state[i + 1 :]) for value in values]
        else:
            found.append((*state[:i], None, *state[i + 1 :]))
    return found
