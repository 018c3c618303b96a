"""What intervals and all events of an exact sum tell of one record: by laws in full, for tests of certificates.

Laws are arrays of probabilities on 0, 1, 2, ..; sums of many records by the transform, off by about 1e-15 of the whole.
"""

from collections.abc import Sequence
from math import ceil, exp, log2
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

Array: TypeAlias = NDArray[np.float64]


def of_intervals(law: Array, other: Array, epsilon: float) -> float:
    """max over intervals I of law(I) - e^ε other(I): the largest sum of a run."""
    runs = np.concatenate([[0.0], np.cumsum(_gap(law, other, epsilon))])
    return float(np.max(runs - np.minimum.accumulate(runs)))


def of_all(law: Array, other: Array, epsilon: float) -> float:
    return float(np.maximum(_gap(law, other, epsilon), 0.0).sum())


def of_cells(law: Array, other: Array, epsilon: float, cells: Sequence[int]) -> float:
    """All events of the answer rounded to cells that begin at these places; the first is everything below them."""
    gap = np.add.reduceat(np.concatenate([[0.0], _gap(law, other, epsilon)]), [0, *(1 + place for place in cells)])
    return float(np.maximum(gap, 0.0).sum())


def _gap(law: Array, other: Array, epsilon: float) -> Array:
    size = max(len(law), len(other))
    gap: Array = np.pad(law, (0, size - len(law))) - exp(epsilon) * np.pad(other, (0, size - len(other)))
    return gap


def shifted(law: Array, steps: int) -> Array:
    return np.concatenate([np.zeros(steps), law])


def power(law: Array, count: int) -> Array:
    """Of a sum of so many independent draws."""
    length = (len(law) - 1) * count + 1
    size = 2 ** ceil(log2(length + 1))
    return np.maximum(np.fft.irfft(np.fft.rfft(law, size) ** count, size)[:length], 0.0)


def together(laws: Sequence[Array]) -> Array:
    """Of the sum of one draw of each."""
    length = sum(len(law) - 1 for law in laws) + 1
    size = 2 ** ceil(log2(length + 1))
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    for law in laws:
        product *= np.fft.rfft(law, size)
    return np.maximum(np.fft.irfft(product, size)[:length], 0.0)


def moving_count(n: int, p: float, window: int, held: int | None = None) -> tuple[Array, tuple[float, float]]:
    """X_t = 1 if all of `window` successive bits U_t .. are 1, U of chance p, t = 1..n: the law of ΣX_t, n large.

    held: X of the middle t is given to be 1 (or 0). Also Pr[X = 0], Pr[X = 1]. By the transfer matrix of the number of
    ones so far, at every frequency.
    """
    size = 2 ** ceil(log2(n + 2))
    turns = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)

    def step(ones: NDArray[np.complex128], zeros: float) -> NDArray[np.complex128]:
        """One more bit; X = 1 counts `ones`, X = 0 counts `zeros`."""
        matrix = np.zeros((len(turns), window, window), dtype=np.complex128)
        for run in range(window):
            matrix[:, run, 0] += (1 - p) * zeros
            if run + 1 == window:
                matrix[:, run, run] += p * ones
            else:
                matrix[:, run, run + 1] += p * zeros
        return matrix

    free = step(turns, 1.0)
    start = np.zeros((len(turns), 1, window), dtype=np.complex128)
    for run in range(window):
        start[:, 0, run] = p**run * ((1 - p) if run + 1 < window else 1.0)
    before, after = (n - 1) // 2, n - 1 - (n - 1) // 2
    chance = (1 - p**window, p**window)
    middle = free
    if held is not None:
        middle = step(turns / chance[1], 0.0) if held else step(0 * turns, 1 / chance[0])
    chain = start @ _raised(free, before) @ middle @ _raised(free, after)
    law = np.fft.irfft(chain.sum(axis=(1, 2)), size)[: n + 1]
    return np.maximum(law, 0.0), chance


def _raised(matrix: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    found = np.broadcast_to(np.eye(matrix.shape[1], dtype=np.complex128), matrix.shape)
    while count:
        if count % 2:
            found = found @ matrix
        matrix, count = matrix @ matrix, count // 2
    return found


def bits_delta(n: int, p: float, epsilon: float) -> float:
    """Exact δ of the count of n independent bits, both ways: half-lines, as the likelihood ratio is monotone."""
    ratio = exp(epsilon)
    # At k ones the odds of the two laws are k(1-p)/((n-k)p).
    many = int(np.floor(n * ratio * p / (1 - p + ratio * p)))
    few = int(np.ceil(n * p / (p + ratio * (1 - p))))
    rest = binom(n - 1, p)
    up = max(rest.sf(k - 1) - ratio * rest.sf(k) for k in (many - 1, many, many + 1))
    down = max(rest.cdf(k - 1) - ratio * rest.cdf(k - 2) for k in (few - 1, few, few + 1))
    return float(max(up, down, 0.0))
