"""Chains that lean one way: a higher state makes higher states next likelier, and adds no less (Result 20.21)."""

from fractions import Fraction
from itertools import combinations
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import IntArray
from dalenius.laws.masses import Masses

NEAR: Final = 8 * UNIT
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
    apart = np.clip(gain.exponent - loss.exponent, -4, 4)
    left, right = np.ldexp(gain.mantissa, apart.astype(np.int32)), loss.mantissa
    if np.any(left < right * (1 - NEAR)):
        return False
    unsure = np.flatnonzero((right > 0) & (left <= right * (1 + NEAR)))
    return all(
        _exactly(first, place) * _exactly(fourth, place) >= _exactly(second, place) * _exactly(third, place)
        for place in unsure.tolist()
    )


def _exactly(masses: Masses, place: int) -> Fraction:
    return Fraction(float(masses.mantissa[place])) * Fraction(2) ** int(masses.exponent[place])
