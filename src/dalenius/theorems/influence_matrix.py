"""The matrix of influences of weakly dependent records (after Ghosh and Kleinberg 2016; Result 5.6).

Let Ω_jk be the largest log-odds-ratio of two values of record k given two values of record j, all others fixed, and
c_jk = tanh(Ω_jk/4). An ε-differentially private mechanism leaks at most K ε about anybody, whatever the adversary
knows, where K is the largest 1 + c_i·(I - C)⁻¹1, C without record i.

Three days in a row, each like the one before with .7: c is .4 between neighbours.

>>> from dalenius.models import Chain
>>> (days,) = Chain(n=3, transition=((0.7, 0.3), (0.3, 0.7)), initial=(0.5, 0.5)).joints()
>>> round(influence_factor(days), 6)
1.8
"""

from fractions import Fraction
from math import inf, prod, tanh
from typing import ClassVar, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.calibration.method_base import Calibration, Method, achieved, check, proven, scale_hiding
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint
from dalenius.joints.factor import Factor, group_rows
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.theorems.chain_steps import log_steps, widest_odds
from dalenius.theorems.limits import MOST_CHAIN_RECORDS, MOST_COMBINATIONS

_CERTAIN: Final = 1 - 1e-6
"""Norm of a matrix up to which its series is summed: nearer to 1, the sum would be of roundings."""


@final
class InfluenceMatrixMethod(Method):
    """The scale KΔ/ε, K the largest total influence on a record.

    It is sound where every combination of a group's values is possible and the influences are weak: the matrix of each
    group has norm below 1. Elsewhere it does not apply. It serves `bayesian`, too.
    """

    name: ClassVar[str] = "influence_matrix"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the scale for the `notion` on the `release`; InputError where influences are not weak."""
        check(release, notion, any_private=True)
        factor = max(map(influence_factor, release.worlds.joints))
        if factor == inf:
            wanted = "records that depend on each other weakly: a matrix of influences of norm below 1"
            raise InputError("method", self.name, wanted)
        why = (
            f"the influences of records on each other add up to {factor:.4g} times what a mechanism says of one record,"
            " whatever else is known (Result 5.6)"
        )
        distance = release.sensitivity * Fraction(factor)
        if not distance:
            return achieved(self.name, *proven(True, why, notion), release, notion, NoNoise())
        noise = release.noise.with_scale(scale_hiding(release, distance, notion))
        return achieved(self.name, *proven(True, why, notion), release, notion, noise)


def influence_factor(joint: Joint) -> float:
    """Returns K over everybody in `joint`, rounded up; inf where influences are not weak."""
    return max((_of_group(factor) for factor in joint.factors() if factor.size > 1), default=1.0)


def _of_group(factor: Factor) -> float:
    if isinstance(factor, MarkovChain):
        if len(factor) > MOST_CHAIN_RECORDS:
            shown = f"{len(factor):,} records in a row"
            raise TooLarge("a matrix of influences", shown, "use method influence_curve", MOST_CHAIN_RECORDS)
        return _along([tanh(widest_odds(logs) / 4) for logs in log_steps(factor)])
    table = _table(factor)
    return inf if table is None else _of_matrix(_influences(table))


def _table(factor: Factor) -> Array | None:
    """Returns the log of the law of a group (values of each record); None where some combination is impossible."""
    slots, logs = group_rows(factor)
    rows, box = [], []
    for column in slots.T:
        values, own = np.unique(column, return_inverse=True)
        rows.append(own.ravel())
        box.append(len(values))
    # The case of a household of twenty: of a million combinations each pair of people is compared.
    if (combinations := prod(box)) > MOST_COMBINATIONS:
        shown = f"{combinations:,} combinations of the values of {len(box)} records"
        raise TooLarge("a matrix of influences", shown, "use method influence_curve", MOST_COMBINATIONS)
    table = np.full(box, -np.inf)
    table[tuple(rows)] = logs
    return None if np.isneginf(table).any() else table


def _influences(table: Array) -> Array:
    """Returns c (records, records), symmetric, rounded up."""
    people = table.ndim
    found = np.zeros((people, people))
    off = 64 * UNIT * (1 + float(np.max(np.abs(table))))
    for j in range(people):
        for k in range(j):
            pairs = np.moveaxis(table, (j, k), (-2, -1)).reshape(-1, table.shape[j], table.shape[k])
            moved = pairs[:, :, None, :] - pairs[:, None, :, :]
            widest = float(np.max(np.ptp(moved, axis=-1))) if min(pairs.shape[1:]) > 1 else 0.0
            found[j, k] = found[k, j] = tanh((widest + off) / 4) if widest else 0.0
    return found


def _of_matrix(matrix: Array) -> float:
    """Returns the largest 1 + c_i·(I - C)⁻¹1 over records i, C without i; inf where its norm is not below 1."""
    people, worst = len(matrix), 1.0
    for person in range(people):
        rest = np.delete(np.arange(people), person)
        inner = matrix[np.ix_(rest, rest)]
        if len(rest) and float(np.max(np.abs(np.linalg.eigvalsh(inner)))) > _CERTAIN:
            return inf
        totals = np.linalg.solve(np.eye(len(rest)) - inner, np.ones(len(rest)))
        worst = max(worst, 1 + float(matrix[person, rest] @ totals))
    return worst * (1 + 1e-9)


def _along(links: list[float]) -> float:
    """Returns the same for a chain whose neighbours have these influences on each other, in order."""
    ahead, behind = _shares(links), _shares(links[::-1])[::-1]
    return max(1 + one + other for one, other in zip(ahead, behind, strict=True)) * (1 + 1e-9)


def _shares(links: list[float]) -> list[float]:
    """Returns what each record of a chain gets from those after it; inf where their matrix has no series.

    With the records from j on, the total of record j is y_j/d_j: eliminated from the end, d_j = 1 - c_j²/d_{j+1} and
    y_j = 1 + c_j y_{j+1}/d_{j+1}.
    """
    found, pivot, total = [0.0], 1.0, 1.0
    for link in reversed(links):
        # Because a pivot of 0 or less says that the norm has reached 1.
        if pivot < 1 - _CERTAIN:
            return [inf] * (len(links) + 1)
        share = link * total / pivot
        found.append(share)
        pivot, total = 1 - link**2 / pivot, 1 + share
    return found[::-1]
