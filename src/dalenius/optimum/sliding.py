"""The least of many numbers over sliding runs of them, all at once."""

import numpy as np

from dalenius.laws.law import Array, IntArray


def least_over(values: Array, first: IntArray, stop: IntArray) -> Array:
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
