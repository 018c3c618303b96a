"""Exact covariances of weighted sums: an answer's residual variance given a record is a difference of two nearly equal
numbers, so they are rationals here, and become doubles last."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np

from dalenius.laws.law import Array

DIGITS: Final = 10.0**15
LONGEST: Final = 15


def as_written(matrix: Array) -> tuple[Array, Fraction, bool]:
    """Numbers and a unit whose exact products are the matrix: the decimals it was written in, where 15 digits hold them
    all, else the doubles themselves; and whether they are decimals."""
    largest = float(np.max(np.abs(matrix), initial=0.0))
    for places in range(LONGEST + 1):
        scale = 10.0**places
        if largest * scale > DIGITS:
            break
        if not np.array_equal(np.rint(matrix[0] * scale) / scale, matrix[0]):
            continue
        whole = np.rint(matrix * scale)
        if np.array_equal(whole / scale, matrix):
            return whole, Fraction(1, 10**places), True
    return matrix, Fraction(1), False


def exact_products(matrix: Array, columns: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """matrix (n, n) times each of the columns (n,), without rounding: (columns, n).

    Both are cut into limbs so short that a dot product of n of them is below 2^53: floating point is exact then.
    """
    unit = lcm(*(number.denominator for column in columns for number in column))
    whole = [[int(number * unit) for number in column] for column in columns]
    bits = (52 - len(matrix).bit_length()) // 2
    limbs = _limbs(whole, bits)
    totals = [[Fraction(0)] * len(matrix) for _ in columns]
    rest, power = matrix.copy(), int(np.frexp(np.max(np.abs(matrix), initial=0.0))[1]) - bits
    while np.any(rest):
        part = np.trunc(np.ldexp(rest, -power))
        rest = rest - np.ldexp(part, power)
        weight = Fraction(2) ** power / unit
        for place, limb in enumerate(limbs):
            dots = part @ limb
            for total, dot in zip(totals, dots.T, strict=True):
                for i in np.flatnonzero(dot):
                    total[i] += int(dot[i]) * weight * 2 ** (bits * place)
        power -= bits
    return totals


def _limbs(columns: Sequence[Sequence[int]], bits: int) -> list[Array]:
    """The columns as sums of limb · 2^(bits · place), each limb (n, columns) below 2^bits with the number's sign."""
    longest = max((abs(number).bit_length() for column in columns for number in column), default=0)
    mask = 2**bits - 1
    return [
        np.array(
            [[(abs(x) >> (bits * place) & mask) * (1 if x >= 0 else -1) for x in column] for column in columns],
            dtype=np.float64,
        ).T
        for place in range(max(1, -(-longest // bits)))
    ]


def inverse(matrix: Sequence[Sequence[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    """A symmetric positive semi-definite matrix inverted on its range, exactly: rows that depend on earlier ones are
    left out (their rows and columns are zero)."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    kept: list[int] = []
    for pivot in range(size):
        if rows[pivot][pivot] == 0:
            continue
        kept.append(pivot)
        lead = rows[pivot][pivot]
        rows[pivot] = [value / lead for value in rows[pivot]]
        for i in range(size):
            if i != pivot and rows[i][pivot] != 0:
                factor = rows[i][pivot]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[pivot], strict=True)]
    return tuple(
        tuple(rows[i][size + j] if i in kept and j in kept else Fraction(0) for j in range(size)) for i in range(size)
    )
