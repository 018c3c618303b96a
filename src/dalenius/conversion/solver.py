"""The solver of linear programs: a solution and multipliers, neither of which is trusted further up."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray

LARGEST: Final = 1e13
"""A coefficient that the solver still takes."""
METHODS: Final = ("highs-ds", "highs-ipm")
"""The second where the first gives up, as the simplex does on few programs: neither's answer is trusted further up."""


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """x(of) − slopes·x(by) <= rises, all (rows,); slopes of at least 0."""

    of: IntArray
    by: IntArray
    slopes: Array
    rises: Array


@final
@dataclass(frozen=True, eq=False)
class Optimum:
    """values (n,); prices (rows,) of at least 0; level: the multiplier of the equation, 0 without one."""

    values: Array
    prices: Array
    level: float


def maximised(weights: Array, rows: Rows, top: float | None, equation: Array | None = None) -> Optimum | None:
    """max weights·x over 0 <= x <= top, the rows, and equation·x = 1 if there is one; None where the solver fails."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    n, kept = len(weights), np.flatnonzero(rows.slopes <= LARGEST)
    places = np.arange(len(kept))
    entries = np.append(np.ones(len(kept)), -rows.slopes[kept])
    columns = np.append(rows.of[kept], rows.by[kept])
    matrix = coo_array((entries, (np.append(places, places), columns)), shape=(len(kept), n)).tocsr()
    scale = float(np.abs(weights).max()) or 1.0
    total = 1.0 if equation is None else float(equation.sum())
    done = None
    for method in METHODS:
        done = linprog(  # type: ignore[call-overload]
            -weights / scale,
            A_ub=matrix,
            b_ub=rows.rises[kept],
            A_eq=None if equation is None else equation[None] / total,
            b_eq=None if equation is None else [1 / total],
            bounds=(0, top),
            method=method,
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if done.x is not None:
            break
    if done is None or done.x is None:
        return None
    own = np.maximum(-done.ineqlin.marginals, 0.0)
    if equation is None and top is not None:
        own = _polished(matrix, weights / scale, done.x / top, own)
    prices = np.zeros(len(rows.of))
    prices[kept] = own * scale
    level = 0.0 if equation is None else -float(done.eqlin.marginals[0]) * scale / total
    return Optimum(np.clip(done.x, 0.0, top), prices, level)


def _polished(matrix, weights: Array, values: Array, prices: Array) -> Array:  # type: ignore[no-untyped-def]
    """The same multipliers with their last digits: those above 0 solve the equations of the inner variables."""
    tight, inner = np.flatnonzero(prices > 1e-13), np.flatnonzero((values > 1e-9) & (values < 1 - 1e-9))
    if not len(tight) or not len(inner):
        return prices
    system = matrix[tight][:, inner].toarray().T
    change, *_ = np.linalg.lstsq(system, weights[inner] - system @ prices[tight], rcond=1e-12)
    found = prices.copy()
    found[tight] = np.maximum(found[tight] + change, 0.0)
    return found
