"""The kernels of a chain given known records, of which far from these all are alike but for roundings."""

from typing import Final

import numpy as np

from dalenius.arrays import Array, IntArray

NEARLY: Final = 3e-14
"""By how many nats an entry of a kernel may differ from that of another that counts as the same."""
_GRID: Final = 2.0**-46
"""Nats by which the logs of entries of the same kernel differ at most: half of NEARLY and less."""


def alike_kernels(kernels: Array) -> tuple[Array, IntArray]:
    """Returns the distinct kernels (m, k, k) among those of all steps (n - 1, k, k), and the number of each step's.

    >>> step = np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> few, which = alike_kernels(np.stack([step, step * (1 + 1e-16), step[::-1], step]))
    >>> len(few), which.tolist()
    (2, [0, 0, 1, 0])
    """
    with np.errstate(divide="ignore"):
        rows = np.rint(np.log(kernels) / _GRID).reshape(len(kernels), -1)
    starts = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)])
    numbers = dict[bytes, int]()
    runs = np.array([numbers.setdefault(rows[start].tobytes(), len(numbers)) for start in starts.tolist()])
    firsts = starts[np.unique(runs, return_index=True)[1]]
    return kernels[firsts], np.repeat(runs, np.diff(np.r_[starts, len(kernels)]))
