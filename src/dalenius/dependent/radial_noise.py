"""Noise whose density falls with its length, ∝ e^{-‖b‖/θ} on R^D, drawn to within a stated distance (Result 17.3).

Its length is a sum of D exponential numbers of mean θ, and its direction that of D normal numbers. Both are drawn as
the lattice points next to real numbers of exactly these laws. So the vector that is returned is always within `error`
of one of that density, or of one of a density that differs from it by a factor of at most e^{±`SLACK`/2}.

>>> round(float(radial_error(Fraction(1), 4)) * 2**40)
434
"""

from fractions import Fraction
from typing import Final

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import DaleniusError
from dalenius.limits import Limit
from dalenius.noise.sampling import rounded_gaussian, rounded_laplace

SLACK: Final = Fraction(1, 2**40)
"""Nats that are lost as directions of next to no length are drawn anew."""
_FINE: Final = 2**50
"""Lattice steps in a scale."""
_SHORTEST: Final = 2.0**-10
"""A normal vector that is shorter says too little of a direction, and is drawn anew."""
MOST_NUMBERS: Final = Limit(
    "dependent.numbers",
    1 << 16,
    "numbers",
    "Numbers of a noised vector. Up to here the loss of drawing directions anew is at most 2^-40 nats.",
)


def longest(scale: Fraction, size: int) -> Fraction:
    """Returns a length that the noise exceeds with a chance below e^-50: then nothing is released.

    Args:
        scale: θ.
        size: The number D of coordinates.
    """
    return scale * (2 * size + 100)


def radial_error(scale: Fraction, size: int) -> Fraction:
    """Bounds how far what `radial` returns is from real noise of that law (L2).

    A direction is off by √D 2^-50 over its length, which is at least 2^-10; a length by D θ 2^-51; the quotient and
    the product by some (D + 16) roundings.

    Args:
        scale: θ.
        size: The number D of coordinates.
    """
    relative = Fraction(size, 2**40) + Fraction(size + 16, 2**50)
    return longest(scale, size) * relative + scale * Fraction(size, _FINE)


def radial(scale: Fraction, size: int) -> Array:
    """Draws the noise.

    Args:
        scale: θ.
        size: The number D of coordinates, at most MOST_NUMBERS.

    Returns:
        The vector (D,).

    Raises:
        DaleniusError: With a chance below e^-50, where the noise is longer than `longest`.
    """
    assert 1 <= size <= MOST_NUMBERS
    total = sum(abs(rounded_laplace(Fraction(_FINE))) for _ in range(size))
    length = scale * Fraction(total, _FINE)
    if length > longest(scale, size):
        raise DaleniusError("the noise was longer than there is room for, which happens once in e^50 times: try again")
    while True:
        normal = np.array([rounded_gaussian(Fraction(_FINE)) / _FINE for _ in range(size)])
        reach = float(np.linalg.norm(normal))
        if reach >= _SHORTEST:
            return np.asarray(float(length) * (normal / reach))
