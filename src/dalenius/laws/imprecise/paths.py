"""What a few records of two values add up to on each side of one of them, and how likely that makes an output."""

from collections.abc import Sequence
from itertools import product
from typing import final

import numpy as np

from dalenius.laws.imprecise.cuts import Cuts, Free
from dalenius.laws.law import Array, IntArray


@final
class Paths:
    """Around one record, from 0. scores (n, 2, axes): what each record's values add to the answer; rows (n - 1, 2, 2):
    ends of Pr[1 | x] of each step, by x; rate: nats by which the log-density of the noise changes per unit; outputs
    (m, axes)."""

    def __init__(self, scores: Array, rows: Array, rate: float, place: int, outputs: Array) -> None:
        self._place = place
        sums, self._moves = _added(scores[:place])
        self._messages = [_later(scores[place:], rows[place:], rate, sums, outputs, value) for value in (0, 1)]

    @property
    def ends(self) -> int:
        """Outputs times laws of the future whose rows are at ends."""
        return int(self._messages[0].shape[1])

    def at(self, cells: Cuts, free: Free) -> tuple[Array, Array]:
        """Of each value, its likelihood with its chance at each end (2, cells, corners..., outputs · futures), and its
        chance (2, cells, corners..., 1): cells with these coordinates free, by two ends of each."""
        start = _ends(cells, free, 0)
        state = np.stack([_chance(-start), _chance(start)], axis=2)[:, :, :, None]
        for step, move in enumerate(self._moves):
            one = _ends(cells, free, 1 + 2 * step)[:, None, :, None, None]
            zero = _ends(cells, free, 2 + 2 * step)[:, None, None, :, None]
            state = _moved(state, move)
            before = state[:, :, None, None, 0], state[:, :, None, None, 1]
            after = [before[1] * _chance(sign * one) + before[0] * _chance(sign * zero) for sign in (-1, 1)]
            state = np.stack(after, axis=4)
            state = state.reshape(len(cells), -1, 2, state.shape[-1])
        shape = (2, len(cells), *[2] * int(free.sum()), -1)
        seen = np.stack([state[:, :, value] @ self._messages[value] for value in (0, 1)])
        return seen.reshape(shape), state.sum(axis=3).transpose(2, 0, 1).reshape(shape)


def outputs_of(scores: Array) -> Array:
    """Between the answers of one coordinate the ratio is monotone in the output, so answers are enough (m, axes)."""
    sums, _ = _added(scores)
    return np.array(list(product(*(np.unique(each).tolist() for each in sums.T))))


def inner(outputs: Array) -> Array:
    """Of all answers, those that are at neither end of some coordinate."""
    low, high = outputs.min(axis=0), outputs.max(axis=0)
    return np.asarray(outputs[((outputs > low) & (outputs < high)).any(axis=1)])


def outermost(scores: Array, signs: Sequence[float]) -> Array:
    """The answer (1, axes) that is largest (1) or smallest (-1) by coordinate: beyond it no output says more."""
    ends = scores.min(axis=1).sum(axis=0), scores.max(axis=1).sum(axis=0)
    return np.asarray(np.where(np.array(signs) > 0, ends[1], ends[0])[None])


def _chance(logit: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-logit)))


def _ends(cells: Cuts, free: Free, place: int) -> Array:
    """(cells, 1 or 2)."""
    ends = [cells.lower, cells.upper] if free[place] else [cells.lower]
    return np.stack([each[:, place] for each in ends], axis=1)


def _added(scores: Array) -> tuple[Array, list[IntArray]]:
    """The sums (m, axes) of records' scores, and by record, where its value takes each sum before it (2, sums)."""
    sums, moves = np.zeros((1, scores.shape[2])), []
    for each in scores:
        after, where = np.unique((each[:, None] + sums[None]).reshape(-1, sums.shape[1]), axis=0, return_inverse=True)
        moves.append(where.reshape(2, len(sums)))
        sums = after
    return sums, moves


def _moved(state: Array, move: IntArray) -> Array:
    """Chances (cells, corners, 2, sums) with the record's own score added."""
    found = np.empty((*state.shape[:3], int(move.max()) + 1))
    for value in (0, 1):
        found[:, :, value] = state[:, :, value] @ np.eye(found.shape[3])[move[value]]
    return found


def _later(scores: Array, rows: Array, rate: float, sums: Array, outputs: Array, value: int) -> Array:
    """The output's likelihood (sums, outputs · laws) given the first of these records' value and the sum before it."""
    after, chances = scores[0, value][None], np.ones((1, 1))
    if len(rows):
        later, moves = _added(scores[1:])
        after, chances = later + scores[0, value], _laws(rows, moves, value)
    away = np.abs(sums[:, None, None] + after[None, None] - outputs[None, :, None]).sum(axis=-1)
    return np.asarray((np.exp(-rate * away) @ chances.T).reshape(len(sums), -1))


def _laws(rows: Array, moves: Sequence[IntArray], value: int) -> Array:
    """Chances of what later records add up to (laws, sums), by all choices of ends of rows, in one order for all
    values."""
    state = np.zeros((1, 2, 1))
    state[:, value] = 1.0
    for row, move in zip(rows, moves, strict=True):
        one, zero = (row[:, x] if row[0, x] < row[1, x] else row[:1, x] for x in (1, 0))
        p, q = one[None, :, None, None], zero[None, None, :, None]
        before = state[:, None, None, 0], state[:, None, None, 1]
        after = np.stack([before[1] * (1 - p) + before[0] * (1 - q), before[1] * p + before[0] * q], axis=3)
        state = _moved(after.reshape(1, -1, 2, after.shape[-1]), move)[0]
    return np.asarray(state.sum(axis=1))
