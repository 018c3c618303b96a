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


def largest_gain_by_map(
    law: Mapping[Row, float],
    person: int,
    secret: object,
    against: object | None,
    guarantees: Sequence[Sequence[tuple[float, float]]],
    epsilon: float,
) -> float:
    """The same where pairs (ε, δ) are given for every number of records in which two assignments differ, from 1."""
    states, rows = _mapped(law, guarantees)
    weights = _weights(law, states, person, secret, against, epsilon)
    entries = [(number, place, value) for number, (row, _) in enumerate(rows) for place, value in row]
    matrix = _matrix(entries, len(rows), len(states))
    found = linprog(-weights, A_ub=matrix, b_ub=[most for _, most in rows], bounds=(0, 1), method="highs")
    assert found.fun is not None
    return float(-found.fun)


def largest_ratio_by_map(
    law: Mapping[Row, float], person: int, secret: object, against: object | None, losses: Sequence[float]
) -> float:
    """max Σ Pr[x | secret] m(x) over Σ Pr[x | against] m(x) = 1 and m(x) <= e^{L(d)} m(x′); losses: L from d = 1."""
    size = len(next(iter(law)))
    states = list(product(*(sorted({row[i] for row in law}, key=str) for i in range(size))))
    entries, number = [], 0
    for (one, state), (two, other) in product(enumerate(states), repeat=2):
        if apart := sum(a != b for a, b in zip(state, other, strict=True)):
            entries += [(number, one, 1.0), (number, two, -exp(losses[apart - 1]))]
            number += 1
    plus = _weights(law, states, person, secret, None, -np.inf, of_secret=True)
    minus = -_weights(law, states, person, secret, against, 0.0) + plus
    found = linprog(
        -plus,
        A_ub=_matrix(entries, number, len(states)),
        b_ub=np.zeros(number),
        A_eq=minus[None],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    assert found.fun is not None
    return float(-found.fun)


def _mapped(
    law: Mapping[Row, float], guarantees: Sequence[Sequence[tuple[float, float]]]
) -> tuple[list[Row], list[tuple[list[tuple[int, float]], float]]]:
    size = len(next(iter(law)))
    states = list(product(*(sorted({row[i] for row in law}, key=str) for i in range(size))))
    rows = []
    for (one, state), (two, other) in product(enumerate(states), repeat=2):
        if apart := sum(a != b for a, b in zip(state, other, strict=True)):
            for given, delta in guarantees[apart - 1]:
                rows.append(([(one, 1.0), (two, -exp(given))], delta))
                rows.append(([(one, -1.0), (two, exp(given))], delta - 1 + exp(given)))
    return states, rows


def _weights(
    law: Mapping[Row, float],
    states: Sequence[Row],
    person: int,
    secret: object,
    against: object | None,
    epsilon: float,
    of_secret: bool = False,
) -> Array:
    """Of each state: Pr[x | secret] − e^ε Pr[x | against]; of_secret: the first alone."""
    weights, place = np.zeros(len(states)), {state: number for number, state in enumerate(states)}
    for conditional, sign in ((secret, 1.0),) if of_secret else ((secret, 1.0), (against, -exp(epsilon))):
        given_it = {each: p for each, p in law.items() if conditional is None or each[person] == conditional}
        for each, p in given_it.items():
            weights[place[each]] += sign * p / sum(given_it.values())
    return weights


def _matrix(entries: Sequence[tuple[int, int, float]], rows: int, columns: int):  # type: ignore[no-untyped-def]
    places, across, values = zip(*entries, strict=True)
    return coo_array((values, (places, across)), shape=(rows, columns)).tocsr()
