"""The extreme ways in which a test of a pure guarantee can flag the others' states (Result 21.26)."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from dalenius.conversion.program import needed
from dalenius.laws.law import IntArray

MOST: Final = 4096
TRIED: Final = 200_000


def rays(apart: IntArray) -> IntArray | None:
    """Whole numbers w (rays, n) with w(c) - w(c') <= apart(c, c') of which no n - 1 independent ones of these
    inequalities are strict: the extreme rays of v(c) <= e^{eps apart(c, c')} v(c') are e^{eps w}, the last state's w
    being 0. None where there are more than 4096, or finding them takes long."""
    n = len(apart)
    near = np.triu(needed(apart))
    of, by = np.nonzero(near)
    if len(of) == n - 1:
        if n - 1 > np.log2(MOST):
            return None
        return _of_tree(apart, of, by)
    if n > 64:
        return None
    found: list[IntArray] = []
    for count, each in enumerate(_whole(apart, _parities(apart, of, by))):
        if count > TRIED or len(found) > MOST:
            return None
        if _is_joined(np.abs(each[of] - each[by]) == apart[of, by], of, by, n):
            found.append(each)
    return np.array(found)


def _of_tree(apart: IntArray, of: IntArray, by: IntArray) -> IntArray:
    """Every pair of neighbours with either sign."""
    n = len(apart)
    signs = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
    found = np.zeros((len(signs), n), dtype=np.int64)
    reached, edges = {n - 1}, list(enumerate(zip(of.tolist(), by.tolist(), strict=True)))
    while len(reached) < n:
        for edge, (one, other) in edges:
            if (one in reached) != (other in reached):
                old, new = (one, other) if one in reached else (other, one)
                found[:, new] = found[:, old] + np.where(signs[:, edge], 1, -1) * apart[old, new]
                reached.add(new)
    return found


def _parities(apart: IntArray, of: IntArray, by: IntArray) -> IntArray | None:
    """Of every w, where all neighbours' distances fix them; None elsewhere."""
    found = apart[-1] % 2
    return found if ((found[of] + found[by] + apart[of, by]) % 2 == 0).all() else None


def _whole(apart: IntArray, parities: IntArray | None) -> Iterator[IntArray]:
    """All w, in whole numbers, of these parities."""
    n = len(apart)
    order = np.argsort(apart[-1], kind="stable")
    step = 1 if parities is None else 2
    w = np.zeros(n, dtype=np.int64)

    def placed(place: int) -> Iterator[IntArray]:
        if place == n:
            yield w.copy()
            return
        state, before = order[place], order[:place]
        low = int((w[before] - apart[state, before]).max())
        high = int((w[before] + apart[state, before]).min())
        low += 0 if parities is None else (low + int(parities[state])) % 2
        for value in range(low, high + 1, step):
            w[state] = value
            yield from placed(place + 1)

    yield from placed(1)


def _is_joined(tight: IntArray, of: IntArray, by: IntArray, n: int) -> bool:
    """Whether the pairs that are tight join all states."""
    group = np.arange(n)
    for one, other in zip(of[tight].tolist(), by[tight].tolist(), strict=True):
        if group[one] != group[other]:
            group[group == group[one]] = group[other]
    return bool((group == group[0]).all())
