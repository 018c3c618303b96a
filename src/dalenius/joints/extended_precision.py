"""Numbers with more digits than doubles, for products of very many steps.

A product of 10^6 rounded matrices in doubles is known to some 1e-9. In the processor's extended numbers it is known to
some 1e-12. If a processor has none, `ROUNDING` is that of doubles and enclosures are wider.
"""

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray

Long: TypeAlias = NDArray[np.longdouble]
ComplexLong: TypeAlias = NDArray[np.clongdouble]

ROUNDING: Final = float(np.finfo(np.longdouble).eps)
"""Largest relative error of one operation."""
_TURN: Final = np.longdouble(8) * np.arctan(np.longdouble(1))


def long(numbers: Any) -> Long:
    """Returns `numbers` in extended precision."""
    return np.asarray(numbers, dtype=np.longdouble)


def turned(steps: IntArray, points: int) -> ComplexLong:
    """Returns e^{2πi·steps/points}, reduced in whole numbers first, so that a large step loses no digit.

    Args:
        steps: Whole numbers, of any shape.
        points: How many make a whole turn.
    """
    angle = _TURN * long(steps % points) / points
    return np.asarray(np.cos(angle) + np.clongdouble(1j) * np.sin(angle))


def power(matrices: Any, exponent: int) -> Any:
    """Returns the powers of `matrices` (.., k, k) over the last two axes, by squaring; exponent: 1 or more.

    >>> power(np.array([[1.0, 1.0], [0.0, 1.0]]), 10).tolist()
    [[1.0, 10.0], [0.0, 1.0]]
    """
    found = None
    while exponent:
        if exponent & 1:
            found = matrices if found is None else found @ matrices
        exponent >>= 1
        matrices = matrices @ matrices if exponent else matrices
    return found
