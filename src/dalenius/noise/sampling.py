"""Exact draws: discrete Laplace and Gaussian noise by opendp's integer samplers, tables of probabilities by whole
numbers; no floating point near the secret."""

import secrets
from collections.abc import Sequence
from fractions import Fraction
from math import inf, lcm, nextafter
from typing import Any

from dalenius.errors import InputError

LARGEST = 2**62


def with_discrete_laplace(values: Sequence[int], scale: Fraction) -> list[int]:
    """values + independent integers k of mass proportional to e^{-|k|/scale'}, where scale' >= scale is the next
    double (rounded up: a little more noise, never less). InputError where 64-bit integers could not hold the result."""
    check_room(values, scale)
    measurement = discrete_laplace(float_up(scale))
    return [int(value) for value in measurement([int(value) for value in values])]


def check_room(values: Sequence[int], scale: Fraction) -> None:
    """InputError where 64-bit integers could not hold these and noise of that scale."""
    if max(abs(value) for value in values) + 1000 * scale >= LARGEST:
        raise InputError("noise.scale", str(float(scale)), "answers and noise below 2^62 lattice steps")


def drawn_place(weights: Sequence[Fraction]) -> int:
    """A place drawn with probability in proportion to those weights: a whole number below their sum picks it."""
    unit = lcm(*(weight.denominator for weight in weights))
    left = secrets.randbelow(int(sum(weights) * unit))
    for place, weight in enumerate(weights):
        left -= int(weight * unit)
        if left < 0:
            return place
    raise AssertionError("a number below the sum of the weights lies below one of the partial sums")


def float_up(exact: Fraction) -> float:
    """The least double that is not below."""
    near = float(exact)
    return near if Fraction(near) >= exact else nextafter(near, inf)


def discrete_laplace(scale: float) -> Any:
    """Adds whole numbers k of mass proportional to e^{-|k|/scale} to a list of integers."""
    # Only a release needs it, and of it these parts: all of it takes seconds to import, and scikit-learn's memory.
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    return make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale)


def discrete_gaussian(scale: float) -> Any:
    """Adds whole numbers k of mass proportional to e^{-k²/2scale²} to a list of integers."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    return make_gaussian(vector_domain(atom_domain(T="i64")), l2_distance(T="f64"), scale=scale)
