"""How much a mechanism that is private for each record leaks under one joint law, by a linear program over mechanisms.

The largest E[m(X)|s]/E[m(X)|s'] over m on tuples of values with m(x) <= e^{d(x, x')} m(x') for x, x' that differ in one
record: scaled so that the denominator is 1, the numerator is linear in m.
"""

from itertools import product
from math import exp, log
from typing import Any

import numpy as np
from scipy.optimize import linprog

from dalenius.arrays import Array


def tuples(values: int, records: int) -> list[tuple[int, ...]]:
    return list(product(range(values), repeat=records))


def largest_log_ratio(given: Array, against: Array, apart: Array, values: int, records: int) -> float:
    """given, against (tuples,): the laws of the other records given two values of one; apart (v, v): nats."""
    every = tuples(values, records)
    place = {row: i for i, row in enumerate(every)}
    rows: list[Array] = []
    for row in every:
        for record in range(records):
            for value in range(values):
                if value != row[record]:
                    near = (*row[:record], value, *row[record + 1 :])
                    line = np.zeros(len(every))
                    line[place[row]], line[place[near]] = 1.0, -exp(apart[value, row[record]])
                    rows.append(line)
    found: Any = linprog(-given, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=against[None], b_eq=[1.0])
    assert found.status == 0
    return log(-found.fun)


def coupling(laws: list[Array], draws: np.random.Generator) -> Array:
    """A joint law with these marginals (records, v), at random between extremes: of products, and of quantiles at which
    each record goes up or down, or is shifted."""
    values, records = len(laws[0]), len(laws)
    grid = (np.arange(600) + 0.5) / 600
    found = np.zeros([values] * records)
    shares = draws.dirichlet(np.full(3, 0.3))
    for share in shares:
        columns = []
        for law in laws:
            order = draws.permutation(values)
            quantile = (grid + draws.choice([0.0, 0.0, draws.uniform()])) % 1
            if draws.uniform() < 0.3:
                quantile = draws.permutation(quantile)
            columns.append(order[np.searchsorted(np.cumsum(law[order])[:-1], quantile, side="right")])
        np.add.at(found, tuple(columns), share / len(grid))
    return found.ravel()


def marginals(joint: Array, values: int, records: int) -> list[Array]:
    """The laws of the records one by one (records, v)."""
    table = joint.reshape([values] * records)
    return [table.sum(axis=tuple(other for other in range(records) if other != each)) for each in range(records)]
