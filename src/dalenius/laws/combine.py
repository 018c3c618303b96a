"""How records make one coordinate of an answer: by the sum, the maximum or the minimum of their scores."""

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from dalenius.laws.law import IntArray

Combine: TypeAlias = Literal["sum", "max", "min"]


def neutral(combine: Combine, scores: Collection[Fraction]) -> Fraction:
    """A score for records outside the query: with a record that has one of these scores, it leaves the answer as is."""
    if combine == "sum":
        return Fraction(0)
    return min(scores) if combine == "max" else max(scores)


def combined(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """The answers of records' scores: (rows, records, axes) -> (rows, axes)."""
    return np.stack([_one(scores[:, :, axis], how) for axis, how in enumerate(combine)], axis=1)


def _one(scores: IntArray, how: Combine) -> IntArray:
    if how == "sum":
        return np.asarray(scores.sum(axis=1))
    return np.asarray(scores.max(axis=1) if how == "max" else scores.min(axis=1))


def extreme_axes(combine: Sequence[Combine]) -> list[int]:
    """The axes that are not sums."""
    return [axis for axis, how in enumerate(combine) if how != "sum"]


def upwards(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """Scores (slots, axes) with the minima's turned round, since min x = -max -x: every extreme is a maximum."""
    return scores * np.array([-1 if how == "min" else 1 for how in combine], dtype=np.int64)
