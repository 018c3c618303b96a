"""The law of an answer given a number of everybody: both side by side on one lattice, no assignment listed.

The coefficients of E[ prod_j z^{w_j(X_j)} u^{c_j(X_j)} ] are Pr[answer = v, number = c]. Where the answer is a copy of
the number, it is known from it.
"""

from dataclasses import replace
from math import prod
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.laws.law import IntArray, Law
from dalenius.laws.transforms.coefficients import Coefficients, ScaledGrid, law_of
from dalenius.laws.transforms.ranges import Extents

MOST_CELLS: Final = 1 << 24


def law_of_counted(joint: Joint, scores: IntArray, counts: IntArray, subject: Subject) -> Law:
    """Given each secret of the subject, which are the possible numbers in rising order.

    scores (slots, axes), counts (slots,): what a record adds to the answer and to the number. TooLarge where both
    together have too many values.
    """
    both = np.column_stack([scores, counts])
    box = joint.total(Extents(both))
    copied = _copied(joint, scores, counts)
    cells = len(subject.secrets) * prod(high - low + 1 for low, high in zip(box.low[:-1], box.high[:-1], strict=True))
    if cells > MOST_CELLS:
        size = f"{cells:.2g} values of the answer and of {subject.what} together"
        raise TooLarge("the law of the secret", size, "use any member V or all members V, or fewer people")
    if copied:
        return _known(joint, scores, copied, len(subject.secrets))
    grid = joint.total(Coefficients(both))
    mantissa, exponent = grid.split()
    rows = np.flatnonzero(mantissa.reshape(-1, mantissa.shape[-1]).any(axis=0))
    start = grid.start[:-1]
    slices = [ScaledGrid(start, mantissa[..., row], exponent[..., row], grid.roundings) for row in rows.tolist()]
    law = law_of(slices)
    prior = subject.log_prior.reshape(-1, *(1,) * (law.relative.ndim - 1))
    depth = float(np.max(np.abs(prior)))
    return replace(law, relative=law.relative - prior, error=law.error + (grid.roundings + 8 * depth + 8) * UNIT)


def _copied(joint: Joint, scores: IntArray, counts: IntArray) -> int:
    """1 where one answer rises with the number, whatever the records, -1 where it falls; 0 where neither is so."""
    if scores.shape[1] > 1:
        return 0
    first, ratios = 0, set()
    for stratum in joint.strata():
        own = slice(first, first := first + len(stratum.values))
        moves = zip((scores[own, 0] - scores[own, 0][0]).tolist(), (counts[own] - counts[own][0]).tolist(), strict=True)
        ratios |= {_ratio(move, count) for move, count in moves if move or count}
    return int(np.sign(next(iter(ratios)))) if len(ratios) == 1 else 0


def _ratio(move: int, count: int) -> float:
    return move / count if count else 0.0


def _known(joint: Joint, scores: IntArray, rising: int, secrets: int) -> Law:
    """Every number has one answer."""
    grid = joint.total(Coefficients(scores))
    points = np.flatnonzero(grid.mantissa)
    assert len(points) == secrets
    relative = np.full((secrets, grid.mantissa.size), -np.inf)
    relative[np.arange(secrets), points[::rising]] = 0.0
    return Law(grid.start, np.zeros(grid.mantissa.size), relative, 0.0)
