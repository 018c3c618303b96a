"""What the exact count of a winter tells of one hour, where hours remember more than the hour before.

Every model here is a chain over *states*, of which some mean gas. The law of the count, given gas or none in one hour,
comes from its generating function at the roots of unity: floating point with small absolute errors, no enclosures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from season import DAY, by_day

Array = NDArray[np.float64]
KINDS = 3
SMOOTHING = 1.0
"""Pseudo-counts of a row in all, as in `dalenius fit`."""


@dataclass(frozen=True)
class States:
    """initial: (states,); step: from an hour to the matrix from its state to the next; gas: (states,), 0 or 1."""

    n: int
    initial: Array
    step: Callable[[int], Array]
    gas: NDArray[np.int64]


def of_order(used: Sequence[int], k: int) -> States:
    """State: the last k hours."""
    states = 2**k
    counts = np.full((states, 2), SMOOTHING / 2)
    for place in range(len(used) - k):
        counts[number(used[place : place + k]), used[place + k]] += 1
    matrix = np.zeros((states, states))
    for state in range(states):
        for gas in (0, 1):
            matrix[state, (2 * state + gas) % states] = counts[state, gas] / counts[state].sum()
    return States(len(used), settled(matrix), lambda hour: matrix, np.arange(states) % 2)


def of_kinds(used: Sequence[int]) -> States:
    """State: the kind of the day, which nobody knows, and the last hour; kinds follow each other as days do."""
    _, within, between = counted(used)
    inner = np.zeros((2 * KINDS, 2 * KINDS))
    for kind in range(KINDS):
        inner[2 * kind : 2 * kind + 2, 2 * kind : 2 * kind + 2] = even(within[kind])
    night = even(between.reshape(2 * KINDS, 2 * KINDS))
    day = np.linalg.matrix_power(inner, DAY - 1) @ night
    return States(len(used), settled(day), lambda hour: inner if (hour + 1) % DAY else night, np.arange(2 * KINDS) % 2)


def of_known_kinds(used: Sequence[int]) -> States:
    """State: the last hour; the adversary knows every day's kind."""
    kinds, within, between = counted(used)
    inner = [even(own) for own in within]
    first = settled(inner[kinds[0]])

    def step(hour: int) -> Array:
        day = hour // DAY
        return inner[kinds[day]] if (hour + 1) % DAY else even(between[kinds[day], :, kinds[day + 1], :])

    return States(len(used), first, step, np.arange(2))


def kinds_of(used: Sequence[int]) -> NDArray[np.int64]:
    """Of every day: in which third of the days it is by its hours with gas."""
    totals = np.array([sum(day) for day in by_day(used)])
    return np.searchsorted(np.quantile(totals, np.arange(1, KINDS) / KINDS), totals, side="right")


def counted(used: Sequence[int]) -> tuple[NDArray[np.int64], Array, Array]:
    """Kinds; steps within days, (kind, gas, gas); steps between days, (kind, gas, kind, gas)."""
    kinds, days = kinds_of(used), by_day(used)
    within = np.full((KINDS, 2, 2), SMOOTHING / 2)
    between = np.full((KINDS, 2, KINDS, 2), SMOOTHING / (2 * KINDS))
    for kind, day in zip(kinds, days, strict=True):
        for before, after in pairwise(day):
            within[kind, before, after] += 1
    for place in range(len(days) - 1):
        between[kinds[place], days[place][-1], kinds[place + 1], days[place + 1][0]] += 1
    return kinds, within, between


def laws(model: States, hours: Sequence[int]) -> list[tuple[Array, Array]]:
    """Of the count, given no gas and given gas in each of these hours, which are counted from 0."""
    roots = np.exp(-2j * np.pi * np.arange(model.n + 1) / (model.n + 1))
    marks = np.where(model.gas[:, None] == 1, roots, 1.0)
    ahead, chance, before = model.initial[:, None] * marks, model.initial, {}
    for hour in range(max(hours) + 1):
        if hour in hours:
            before[hour] = ahead, chance
        ahead, chance = (model.step(hour).T @ ahead) * marks, model.step(hour).T @ chance
    behind, after = np.ones_like(marks, dtype=complex), {}
    for hour in range(model.n - 1, min(hours) - 1, -1):
        if hour < model.n - 1:
            behind = model.step(hour) @ (marks * behind)
        if hour in hours:
            after[hour] = behind
    return [tuple(_law(*before[hour], after[hour], model.gas == gas) for gas in (0, 1)) for hour in hours]  # type: ignore[misc]


def _law(ahead: NDArray[np.complex128], chance: Array, behind: NDArray[np.complex128], own: NDArray[np.bool_]) -> Array:
    found = np.fft.ifft((ahead[own] * behind[own]).sum(axis=0) / chance[own].sum()).real
    return np.maximum(found, 0.0)


def delta(pairs: Sequence[tuple[Array, Array]], epsilon: float) -> float:
    """The least δ at ε, over these hours and both directions."""
    factor = np.exp(epsilon)
    return max(float(np.maximum(a - factor * b, 0).sum()) for p, q in pairs for a, b in ((p, q), (q, p)))


def least_epsilon(pairs: Sequence[tuple[Array, Array]], wanted: float) -> float:
    low, high = 0.0, 8.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if delta(pairs, middle) <= wanted else (middle, high)
    return high


def least_scale(pairs: Sequence[tuple[Array, Array]], epsilon: float, wanted: float) -> float:
    """Of geometric noise, to one part in a thousand."""
    low, high = 1.0, 4096.0
    while high / low > 1.001:
        middle = (low * high) ** 0.5
        kept = delta([(noised(p, middle), noised(q, middle)) for p, q in pairs], epsilon) <= wanted
        low, high = (low, middle) if kept else (middle, high)
    return high


def noised(law: Array, scale: float) -> Array:
    reach = int(30 * scale)
    noise = np.exp(-np.abs(np.arange(-reach, reach + 1)) / scale)
    return np.maximum(fftconvolve(law, noise / noise.sum()), 0.0)


def number(bits: Sequence[int]) -> int:
    return int("".join(map(str, bits)), 2)


def even(counts: Array) -> Array:
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))


def settled(matrix: Array) -> Array:
    """The law that stays as it is."""
    return np.asarray(np.linalg.matrix_power(matrix, 4096)[0])
