"""The largest ratio of two entries of a stochastic matrix's rows, between neighbouring answers.

Noise that is given as a matrix of probabilities uses it, and pushes laws through its matrix.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf, log
from typing import Final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.law import Law, without_floor

# Because numbers of one band are within a factor 2^400 of each other, products of two bands are ordinary doubles.
_WIDTH: Final = 400
_BAND: Final = _WIDTH * log(2.0)


def pushed(law: Law, matrices: Sequence[Array]) -> Law:
    """Pushes each axis of the answer through its matrix.

    Unresolved mass is counted in `error`: infinite where a mass of 0 may be positive. The box found starts at 0: its
    points are the matrices' columns.

    Args:
        law: The exact answer's law.
        matrices: By axis, probabilities (length of the box, outputs).
    """
    logs = law.log_mass()
    if law.floor is not None:
        logs = np.concatenate([logs, (law.base + law.floor)[None]])
    roundings = 0.0
    for axis, matrix in enumerate(matrices, 1):
        moved = np.moveaxis(logs, axis, -1)
        flat, more = through(moved.reshape(-1, moved.shape[-1]), matrix)
        logs = np.moveaxis(flat.reshape(*moved.shape[:-1], matrix.shape[1]), -1, axis)
        roundings += more
    floor = None
    if law.floor is not None:
        logs, floor = logs[:-1], logs[-1]
    box = logs.shape[1:]
    return without_floor(Law((0,) * len(box), np.zeros(box), logs, law.error + roundings * UNIT, floor))


def through(logs: Array, matrix: Array) -> tuple[Array, float]:
    """Returns logs (rows, n) times matrix (n, outputs), in logs, and the number of roundings behind any entry.

    It goes band by band of the logs and of the matrix: a double's range of each at a time.

    >>> through(np.array([[-1000.0, -1001.0]]), np.array([[0.75, 0.25], [0.25, 0.75]]))[0].round(4).tolist()
    [[-1000.172, -1000.6426]]
    """
    depth = float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))
    there = logs > -inf
    if np.all(np.count_nonzero(there, axis=1) <= 1):  # every row is a point mass: rows of the matrix, no sums
        only = np.argmax(there, axis=1)
        with np.errstate(divide="ignore"):
            return np.log(matrix)[only] + logs[np.arange(len(logs)), only, None], 4 * depth + 32
    top = np.max(logs, axis=1)
    # The case of a row without any mass (a secret that is impossible), which keeps logs of -inf.
    top = np.where(top > -inf, top, 0.0)
    with np.errstate(invalid="ignore"):
        bands = np.floor(np.where(there, (top[:, None] - logs) / _BAND, -1.0)).astype(np.int64)
    total = np.full((len(logs), matrix.shape[1]), -inf)
    parts = list(_bands(matrix))
    deepest = int(bands.max()) + max((lowered for lowered, _ in parts), default=0)
    for band in range(int(bands.max()) + 1):
        here = bands == band
        rows = np.flatnonzero(here.any(axis=1))
        exponents = np.where(here[rows], logs[rows] - top[rows, None] + band * _BAND, -inf)
        masses = np.exp(exponents)
        for lowered, part in parts:
            with np.errstate(divide="ignore"):
                found = np.log(masses @ part) + (top[rows, None] - (band + lowered) * _BAND)
            total[rows] = found if band == lowered == 0 else np.logaddexp(total[rows], found)
    return total, len(matrix) + 4 * depth + 4.0 * _BAND * deepest + 32


def _bands(matrix: Array) -> Iterator[tuple[int, Array]]:
    """Yields (k, the entries in (2^-(k+1)·WIDTH, 2^-k·WIDTH], times 2^k·WIDTH): exactly, entry by entry."""
    _, exponents = np.frexp(matrix)
    place = np.where(matrix > 0, -exponents // _WIDTH, -1)
    place = np.where(matrix > 0, np.maximum(place, 0), -1)
    for band in range(int(place.max()) + 1):
        here = place == band
        if here.any():
            yield band, np.ldexp(np.where(here, matrix, 0.0), band * _WIDTH)


def widest_ratio(answers: Sequence[Fraction], matrix: Array, distance: Fraction) -> float:
    """Returns the largest log-ratio in a column over two rows whose answers are at most `distance` apart.

    Infinite where a zero meets a non-zero.

    >>> noise = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])  # of answers 0, 1 and 2
    >>> round(widest_ratio([Fraction(0), Fraction(1), Fraction(2)], noise, Fraction(1)), 4)  # log(.6/.2)
    1.0986

    Args:
        answers: The exact answer of each row.
        matrix: Probabilities (answers, outputs).
        distance: In the unit of the answers.
    """
    order = sorted(range(len(answers)), key=answers.__getitem__)
    reach = _reach([answers[i] for i in order], distance)
    with np.errstate(divide="ignore"):
        logs = np.log(matrix[order])
    most, least = _ahead(logs, reach, np.maximum), _ahead(logs, reach, np.minimum)
    with np.errstate(invalid="ignore"):
        above = np.where(most > -inf, most - logs, 0.0)
        below = np.where(logs > -inf, logs - least, 0.0)
    return float(np.max(np.maximum(above, below), initial=0.0))


def ratio_between(matrix: Array, pairs: IntArray) -> float | None:
    """Returns the largest log-ratio in a column over the `pairs` of rows (pairs, 2) of `matrix` (answers, outputs).

    Infinite where a zero meets a non-zero; None where no two of them differ.
    """
    # The case of pairs of rows that are equal throughout: a query that leaves the record out.
    found = None
    for some in np.array_split(pairs, 1 + len(pairs) * matrix.shape[1] // 2**21):
        one, other = matrix[some[:, 0]], matrix[some[:, 1]]
        differ = one != other
        if differ.any():
            with np.errstate(divide="ignore"):
                gaps = np.abs(np.log(one[differ]) - np.log(other[differ]))
            found = max(found or 0.0, float(np.max(gaps)))
    return found


def _reach(answers: Sequence[Fraction], distance: Fraction) -> IntArray:
    """Returns, for each answer in order, the last one within the distance."""
    within = distance + abs(distance) / 10**12  # an answer like 1/3 is written to a double's digits only
    last, found = 0, []
    for answer in answers:
        while last + 1 < len(answers) and answers[last + 1] - answer <= within:
            last += 1
        found.append(last)
    return np.array(found, dtype=np.int64)


def _ahead(logs: Array, reach: IntArray, extreme: np.ufunc) -> Array:
    """Returns the extreme over rows i..reach[i], for every i, from windows of powers of two."""
    windows = [logs]
    while 2 ** len(windows) <= len(logs):
        half = 2 ** (len(windows) - 1)
        windows.append(extreme(windows[-1][:-half], windows[-1][half:]))
    found = np.empty_like(logs)
    length = reach - np.arange(len(logs)) + 1
    level = np.frexp(length)[1] - 1
    for rows, first in ((np.flatnonzero(level == k), k) for k in range(len(windows))):
        found[rows] = extreme(windows[first][rows], windows[first][reach[rows] - 2**first + 1])
    return found


def settled_after(matrix: Array) -> int:
    """Returns the first row of `matrix` (rows, columns) from which on the columns are settled.

    From it on no row has, in any column, more than twice the number of any row between the two.
    """
    most = np.maximum.accumulate(matrix[::-1], axis=0)[::-1]
    risen = np.flatnonzero((most > 2 * matrix).any(axis=1))
    return int(risen[-1]) + 1 if len(risen) else 0
