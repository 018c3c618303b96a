"""The kernels of a chain given known records, of which far from these all are alike but for roundings."""

from typing import Final

import numpy as np

from dalenius.arrays import Array, IntArray

NEARLY: Final = 3e-14
"""By how many nats an entry of a kernel may differ from that of another that counts as the same."""
_DIGITS: Final = 2.0**46
"""Entries count as the same up to one of so many parts of the power of 2 above them: to 2^-45 of themselves."""


def alike_kernels(kernels: Array) -> tuple[Array, IntArray]:
    """Returns the distinct kernels (m, k, k) among those of all steps (n - 1, k, k), and the number of each step's.

    >>> step = np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> few, which = alike_kernels(np.stack([step, step * (1 + 4e-16), step[::-1], step]))
    >>> len(few), which.tolist()
    (2, [0, 0, 1, 0])
    """
    # Because the logs of rare entries are rounded by more than entries that are alike differ.
    mantissa, exponent = np.frexp(kernels.reshape(len(kernels), -1))
    rows = np.ldexp(np.rint(mantissa * _DIGITS), exponent)
    starts = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)])
    numbers = dict[bytes, int]()
    runs = np.array([numbers.setdefault(rows[start].tobytes(), len(numbers)) for start in starts.tolist()])
    firsts = starts[np.unique(runs, return_index=True)[1]]
    return kernels[firsts], np.repeat(runs, np.diff(np.r_[starts, len(kernels)]))
