"""Chains that lean one way: a higher state makes higher states next likelier, and adds no less (Result 20.21).

Networks that lean one way: a higher value of one node makes higher values of the others likelier (Result 20.34).

A positive table is log-supermodular if no 2 × 2 minor of two neighbouring values of any two of its nodes is negative,
the others' values fixed; one with zeros if φ(a ∨ b)φ(a ∧ b) >= φ(a)φ(b) for all its cells. Products of such tables
are.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.tree_messages import Potential
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses

ROUNDING: Final = 8 * UNIT
"""Relative: products closer than this are compared as fractions."""


def leaning(matrices: Masses, scores: IntArray) -> IntArray | None:
    """An order of the states along which no record's score falls and no 2 × 2 minor of a matrix is negative; None where
    the order of the scores is none such. matrices (m, k, k); scores (n, k)."""
    kinds = np.unique(scores, axis=0)
    order = np.asarray(np.argsort((kinds - kinds.min(axis=1)[:, None]).sum(axis=0), kind="stable"), dtype=np.int64)
    if np.any(np.diff(kinds[:, order], axis=1) < 0):
        return None
    for rows in combinations(order.tolist(), 2):
        for columns in combinations(order.tolist(), 2):
            if not _never_negative(*(matrices[:, row, column] for row in rows for column in columns)):
                return None
    return order


def _never_negative(first: Masses, second: Masses, third: Masses, fourth: Masses) -> bool:
    """Whether first · fourth - second · third >= 0 everywhere, exactly."""
    gain, loss = first.times(fourth), second.times(third)
    shift = np.clip(gain.exponent - loss.exponent, -4, 4)
    left, right = np.ldexp(gain.mantissa, shift.astype(np.int32)), loss.mantissa
    if np.any(left < right * (1 - ROUNDING)):
        return False
    unsure = np.flatnonzero((right > 0) & (left <= right * (1 + ROUNDING)))
    return all(
        _fraction(first, place) * _fraction(fourth, place) >= _fraction(second, place) * _fraction(third, place)
        for place in unsure.tolist()
    )


def _fraction(masses: Masses, place: int) -> Fraction:
    return Fraction(float(masses.mantissa[place])) * Fraction(2) ** int(masses.exponent[place])


NEAR: Final = 1e-12
"""Nats: what is closer to 0 is decided in fractions."""

Pair: TypeAlias = tuple[int, int]


def affiliated(potentials: Iterable[Potential], orders: Mapping[int, IntArray]) -> bool:
    """Whether the product is seen to be log-supermodular; orders: by node its values from the lowest to the highest.

    Of a pair of nodes the least minors of the positive tables with both count together.
    """
    seen: dict[object, bool] = {}
    left: dict[Pair, list[tuple[Array, int, int]]] = {}
    failing: set[Pair] = set()
    for each in potentials:
        table = each.table[np.ix_(*(orders[node] for node in each.nodes))] if each.nodes else each.table
        if table.ndim < 2:
            continue
        key = table.shape, table.tobytes()
        if key not in seen:
            seen[key] = _supermodular(table)
        if not seen[key] and not table.all():
            return False
        if table.all():
            for one, other in combinations(range(table.ndim), 2):
                first, last = each.nodes[one], each.nodes[other]
                axes = (one, other) if first < last else (other, one)
                pair = (min(first, last), max(first, last))
                left.setdefault(pair, []).append((table, *axes))
                if not seen[key]:
                    failing.add(pair)
    return all(_together(left[pair]) for pair in failing)


def _supermodular(table: Array) -> bool:
    """Of this table alone."""
    if table.all():
        return all(_together([(table, *axes)]) for axes in combinations(range(table.ndim), 2))
    # Of a table with zeros, all of whose pairs of cells are compared.
    if table.size > 1 << 8:
        return False
    cells = np.stack(np.unravel_index(np.flatnonzero(table), table.shape), axis=1)
    one, other = cells[:, None, :], cells[None, :, :]
    low, high = np.minimum(one, other).reshape(-1, table.ndim), np.maximum(one, other).reshape(-1, table.ndim)
    own = table[tuple(cells.T)]
    sides = table[tuple(low.T)], table[tuple(high.T)], np.repeat(own, len(own)), np.tile(own, len(own))
    if not (sides[0].all() and sides[1].all()):
        return False
    a, b, c, d = sides
    logs = np.log(a) + np.log(b) - np.log(c) - np.log(d)
    near = np.abs(logs) <= NEAR
    return bool((logs >= -NEAR).all()) and _exactly([(a[near], c[near], d[near], b[near])])


def _together(tables: Sequence[tuple[Array, int, int]]) -> bool:
    """Whether the least minors of two nodes in all of these tables, as quotients, multiply to 1 or more at any
    neighbouring values. tables: with the axes of the two."""
    corners = [_corners(*each) for each in tables]
    sums = np.sum([(np.log(a) + np.log(d) - np.log(b) - np.log(c)).min(axis=-1) for a, b, c, d in corners], axis=0)
    if np.any(sums < -NEAR * len(tables)):
        return False
    return all(
        _exactly([(a[place], b[place], c[place], d[place]) for a, b, c, d in corners])
        for place in map(tuple, np.argwhere(sums <= NEAR * len(tables)).tolist())
    )


def _corners(table: Array, one: int, other: int) -> tuple[Array, Array, Array, Array]:
    """φ at neighbouring values of two axes, (k - 1, l - 1, others)."""
    laid = np.moveaxis(table, (one, other), (0, 1))
    laid = laid.reshape(*laid.shape[:2], -1)
    return laid[:-1, :-1], laid[:-1, 1:], laid[1:, :-1], laid[1:, 1:]


def _exactly(corners: Sequence[tuple[Array, Array, Array, Array]]) -> bool:
    product = Fraction(1)
    for own in corners:
        quotients = set(zip(*(each.tolist() for each in own), strict=True))
        least = (Fraction(a) * Fraction(d) / (Fraction(b) * Fraction(c)) for a, b, c, d in quotients)
        product *= min(least, default=Fraction(1))
    return product >= 1
