"""Many tests at once: the false discovery rate (Benjamini & Hochberg, JRSS B 57, 1995)."""

from collections.abc import Sequence

import numpy as np

from dalenius.errors import InputError


def benjamini_hochberg(p_values: Sequence[float], level: float) -> tuple[bool, ...]:
    """Which hypotheses to reject, so that of those rejected the expected share that is true is at most `level`
    (independent or positively dependent tests): the i smallest, for the last i with p_(i) <= i level / m."""
    if not 0 < level < 1:
        raise InputError("level", level, "a number between 0 and 1")
    p = np.asarray(p_values, dtype=np.float64)
    if not p.size:
        return ()
    order = np.argsort(p, kind="stable")
    below = np.flatnonzero(p[order] <= level * np.arange(1, p.size + 1) / p.size)
    rejected = np.zeros(p.size, dtype=bool)
    if below.size:
        rejected[order[: below[-1] + 1]] = True
    return tuple(map(bool, rejected))
