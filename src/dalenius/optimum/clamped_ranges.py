"""For one scale of geometric noise, every range it may be clamped to: what each leaks and what it costs (Result 8.2).

With y = answer + noise, clamped to lo..hi, the expected error is, counting the half-integers between answer and output,

    sum_{k <= lo} Pr[f < k] + sum_{lo < k <= hi} Pr[f and y on different sides of k - 1/2] + sum_{k > hi} Pr[f >= k]:

a term for each end. A promise constrains the output lo, the output hi and those in between separately, or bounds a sum
over the three. So the best of all ranges is found in one pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import exp, inf, log, log1p, tanh
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.laws.laplace_smoothing import smoothed
from dalenius.laws.law import Array, IntArray, Law
from dalenius.notions import Notion
from dalenius.optimum.answer_laws import AnswerLaws, PersonLaws
from dalenius.optimum.program import promise_of

_FAINTEST: Final = 10**6
SAME: Final = 1e-12
"""Relative: errors this close are equal, and the first range is taken."""
_DEEPEST: Final = 600.0


@final
@dataclass(frozen=True)
class Range:
    """Indices into the answers' range, and the expected error in lattice steps (the models' average)."""

    low: int
    high: int
    error: float


@final
@dataclass(frozen=True)
class _Limits:
    """low, high: which ends are allowed; first: the least low end allowed with each high end."""

    low: NDArray[np.bool_]
    high: NDArray[np.bool_]
    first: IntArray


def best_range(laws: AnswerLaws, notions: Sequence[Notion], scale: float) -> Range:
    """The least expected error among all ranges that keep the promises at that scale (in lattice steps; 0 is no noise).
    A range of one point always does."""
    below, above = _costs(laws, scale)
    limits = _limits(laws, notions, scale)
    point = int(np.argmax(below + above <= np.min(below + above) * (1 + SAME)))
    found = Range(point, point, float(below[point] + above[point]))
    lows = np.where(limits.low, below, inf)
    highs = np.flatnonzero(limits.high & (limits.first < np.arange(len(below))))
    least = _least_over(lows, limits.first[highs], highs)
    errors = least + above[highs]
    if not np.min(errors, initial=inf) < found.error * (1 - SAME):
        return found
    place = int(np.argmax(errors <= np.min(errors) * (1 + SAME)))
    first, high = int(limits.first[highs[place]]), int(highs[place])
    low = first + int(np.argmax(lows[first:high] <= least[place] + SAME * abs(least[place])))
    return Range(low, high, float(below[low] + above[high]))


def keeps(laws: AnswerLaws, notions: Sequence[Notion], scale: float, low: int, high: int) -> bool:
    """Whether that range keeps the promises, to rounding."""
    limits = _limits(laws, notions, scale)
    return low == high or bool(limits.low[low] and limits.high[high] and limits.first[high] <= low)


def error_of(laws: AnswerLaws, scale: float, low: int, high: int) -> Array:
    """The expected error under each model (models,), in lattice steps."""
    each = [_costs_under(np.exp(model), scale) for model in laws.models]
    return np.array([below[low] + above[high] for below, above in each])


def _costs(laws: AnswerLaws, scale: float) -> tuple[Array, Array]:
    average = np.mean(np.exp(laws.models), axis=0)
    return _costs_under(average, scale)


def _costs_under(mass: Array, scale: float) -> tuple[Array, Array]:
    """The two ends' terms of the expected error, by where the end is (answers,) each."""
    fall = exp(-1 / scale) if scale > 0 else 0.0
    under = np.concatenate([[0.0], np.cumsum(mass)[:-1]])  # Pr[f < k]
    over = np.cumsum(mass[::-1])[::-1]  # Pr[f >= k]
    upwards = np.concatenate([[0.0], _faded(mass, fall)[:-1]])
    downwards = _faded(mass[::-1], fall)[::-1]
    crossed = (upwards + downwards) * fall / (1 + fall)
    crossed[0] = over[0] = 0.0
    between = np.cumsum(crossed)
    beyond = np.concatenate([np.cumsum(over[::-1])[::-1][1:], [0.0]])
    return np.cumsum(under) - between, between + beyond


def _faded(mass: Array, fall: float) -> Array:
    """Σ_{j <= k} fall^{k - j} mass_j at each k: all blocks at once, then what each brings to the next."""
    width = int(len(mass) ** 0.5)
    found = np.pad(mass, (0, -len(mass) % width)).reshape(-1, width)
    for place in range(1, width):
        found[:, place] += found[:, place - 1] * fall
    through = fall**width
    ends = np.array(list(accumulate(found[:, -1].tolist(), lambda total, own: total * through + own)))
    found[1:] += ends[:-1, None] * fall ** np.arange(1, width + 1)
    return np.asarray(found.ravel()[: len(mass)])


def _limits(laws: AnswerLaws, notions: Sequence[Notion], scale: float) -> _Limits:
    count = laws.count
    found = _Limits(np.ones(count, dtype=np.bool_), np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.int64))
    for subject in laws.each:
        outputs = _outputs(subject.logs, scale)
        for notion in notions:
            found = _both(found, _limits_of(subject, notion, outputs))
    return found


def _limits_of(subject: PersonLaws, notion: Notion, outputs: Sequence[Array]) -> _Limits:
    (epsilon, delta), count = promise_of(notion), subject.logs.shape[1]
    pairs = [replace(subject, logs=logs).against(notion.linear == "average") for logs in outputs]
    if delta > 0:
        return _by_sum(pairs, count, epsilon, delta)
    return _separately([_leak(each, count) <= epsilon for each in pairs])


def _leak(pairs: Sequence[tuple[Array, Array]], outputs: int) -> Array:
    """The worst log-ratio at each output (outputs,), of the first to the second law of each pair."""
    found = np.full(outputs, -inf)
    for one, other in pairs:
        with np.errstate(invalid="ignore"):
            found = np.maximum(found, np.where(one > -inf, one - other, -inf))
    return found


def _separately(keeps: Sequence[NDArray[np.bool_]]) -> _Limits:
    """Each output by itself: whether it keeps the promise inside the range, at its low end and at its high end."""
    inner, low, high = keeps
    bad = np.concatenate([[-1], np.where(inner, -1, np.arange(len(inner)))[:-1]])
    return _Limits(low, high, np.maximum(np.maximum.accumulate(bad), 0))


def _both(one: _Limits, other: _Limits) -> _Limits:
    return _Limits(one.low & other.low, one.high & other.high, np.maximum(one.first, other.first))


def _outputs(logs: Array, scale: float) -> tuple[Array, Array, Array]:
    """log W(y|s) (secrets, answers) of the output y inside the range, at its low end, and at its high end."""
    if scale > 0:
        ground = np.max(logs, axis=0)
        ground = np.where(ground > -inf, ground, 0.0)
        decay = 1 / Fraction(scale)
        logs = smoothed(Law((0,), ground, logs - ground, 0.0), [decay]).log_mass() + log(tanh(float(decay) / 2))
    ends = logs.copy()
    ends[:, [0, -1]] -= log1p(-exp(-1 / scale)) if scale > 0 else 0.0
    return logs, _accumulated(ends), _accumulated(ends[:, ::-1])[:, ::-1]


def _accumulated(logs: Array) -> Array:
    """The logs of the sums up to each answer."""
    top = np.max(logs, axis=1, keepdims=True)
    # Answers from which on sums go by probabilities, where none is e^-DEEPEST of the largest.
    if logs.shape[1] < 1 << 13 or not np.min(logs) > np.max(top) - _DEEPEST:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.logaddexp.accumulate(logs, axis=1))
    return np.asarray(np.log(np.cumsum(np.exp(logs - top), axis=1)) + top)


def _by_sum(outputs: Sequence[Sequence[tuple[Array, Array]]], count: int, epsilon: float, delta: float) -> _Limits:
    """By hockey-stick divergence: it falls as more outputs are merged, so each high end has a least low end. outputs:
    inside the range, at its low and at its high end, the pairs of likelihoods in logs."""
    first, everywhere = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.bool_)
    for places in zip(*outputs, strict=True):
        # Past e^700 only the sign of a difference matters.
        inner, low, high = (np.maximum(np.exp(a) - np.exp(np.minimum(epsilon + b, 700.0)), 0.0) for a, b in places)
        passed = np.cumsum(inner)
        # What a low end before each answer saves, at most so far, and what a high end there adds.
        left, right = np.minimum.accumulate(low - passed), high + np.concatenate([[0.0], passed[:-1]])
        first = np.maximum(first, np.searchsorted(-left, right - delta))
    return _Limits(everywhere, everywhere, np.maximum.accumulate(first))


def _least_over(values: Array, first: IntArray, stop: IntArray) -> Array:
    """min values[first[i]:stop[i]] for each i (runs,); no run is empty."""
    found = np.empty(len(first))
    # Two runs of a power of 2, which may overlap, cover any other.
    level = np.frexp((stop - first).astype(np.float64))[1] - 1
    table = values
    for power in range(int(np.max(level, initial=0)) + 1):
        here = np.flatnonzero(level == power)
        found[here] = np.minimum(table[first[here]], table[stop[here] - (1 << power)])
        table = np.minimum(table[: -(1 << power)], table[1 << power :])
    return found
