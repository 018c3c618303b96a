"""Least maxima of the remaining records' scores: a record moves a maximum only above the greatest of all others."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.laws.law import IntArray

MOST: Final = 2**22


def floors(choices: Sequence[IntArray], least: IntArray) -> IntArray:
    """The minimal vectors (floors, axes) among all coordinatewise maxima of the remaining records' scores.

    choices: per class of remaining records, the scores (values, axes) that each can take; least (axes,): a lower bound
    of all scores. With one axis there is one floor; with several, a low maximum on one may force a high one on another.
    TooLarge where there are too many.
    """
    found = least[None]
    # One record of each class suffices: a second at the same value raises nothing. Nor does a class equal to another.
    distinct = {rows.tobytes(): rows for rows in (_minimal(own) for own in choices)}
    for rows in distinct.values():
        if (ways := len(found) * len(rows)) > MOST:
            raise TooLarge("the sensitivity", f"{ways:,} ways to set the extremes", "ask fewer at once")
        found = _minimal(np.maximum(found[:, None], rows[None]).reshape(-1, len(least)))
    return found


def _minimal(rows: IntArray) -> IntArray:
    """The minimal rows: no other row is less or equal in every coordinate; equal ones once."""
    rows = np.unique(rows, axis=0)
    if rows.shape[1] == 1:
        return rows[:1]
    if rows.shape[1] == 2:
        # In the order of the first coordinate, those whose second falls below all before them.
        lowest = np.minimum.accumulate(rows[:, 1])
        falls = np.concatenate([[True], rows[1:, 1] < lowest[:-1]])
        return np.asarray(rows[falls])
    kept = rows[:1]
    for row in rows[1:]:
        if not np.any(np.all(kept <= row, axis=1)):
            kept = np.vstack([kept, row])
    return kept


def furthest(points: IntArray, weights: Sequence[int]) -> tuple[int, int]:
    """Two of the points (points, axes) whose weighted L1 distance is greatest: where they differ in one coordinate
    only, the upper first."""
    moving = [int(axis) for axis in np.flatnonzero(np.any(points != points[0], axis=0))]
    if not moving:
        return 0, 0
    heavy = int(np.max(np.abs(points))) * max(weights) * 2 * points.shape[1] >= 2**62
    # Python's own integers where 64 bits could not hold the distances.
    kind = np.dtype(object if heavy else np.int64)
    scaled = points[:, moving].astype(kind) * np.array([weights[axis] for axis in moving], dtype=kind)
    if 2 ** (len(moving) - 1) > len(points):
        return _by_pairs(scaled)
    best = 0, 0, 0
    for signs in range(2 ** (len(moving) - 1)):
        # The distance is the greatest over all signs of the coordinates, of which the first may be held.
        turned = np.array([-1 if signs >> axis & 1 else 1 for axis in range(len(moving))])[::-1]
        along = (scaled * turned).sum(axis=1)
        high, low = int(np.argmax(along)), int(np.argmin(along))
        best = max(best, (int(along[high] - along[low]), high, low), key=lambda each: each[0])
    return best[1], best[2]


def _by_pairs(scaled: IntArray) -> tuple[int, int]:
    best = 0, 0, 0
    for high in range(len(scaled)):
        apart = np.abs(scaled - scaled[high]).sum(axis=1)
        low = int(np.argmax(apart))
        best = max(best, (int(apart[low]), high, low), key=lambda each: each[0])
    return best[1], best[2]
